//! Exported memories as lines of JSON (GR10).

use greenroom_core::{MessageId, Relation, RelationKind, Scope, Source, Timestamp};
use greenroom_store::{Exported, NewMemory, prelude::*};

use crate::given::*;

#[tokio::test]
async fn gr10_lines_of_json_round_trip_between_stores() {
    let (store, _kept) = fresh().await;
    let mut last = None;
    for (n, scope) in [Scope::Global, Scope::Channel(here()), Scope::User("irc:a:b".parse().unwrap())]
        .into_iter()
        .enumerate()
    {
        let source = Source { via: "asked".into(), message: Some(MessageId(9)), user: "a:b".parse().ok() };
        let key = Some(format!("key {n}"));
        let expires_at = Some(Timestamp(NOW.0 + 1));
        let new = NewMemory { scope, source, key, expires_at, ..statement("two\nlines \u{0} \"quoted\"") };
        let memory = store.remember(new).await.unwrap();
        if let Some(to) = last.replace(memory.id) {
            let viewer = greenroom_core::Viewer::new(
                ada().persona().clone(),
                if n == 1 { here() } else { "irc:x".parse().unwrap() },
                "a:b".parse().ok(),
            );
            let edge = Relation { from: memory.id, to, kind: RelationKind::RelatesTo };
            // no viewer sees the second and the third together
            assert_eq!(store.relate(&viewer, edge).await.is_ok(), n == 1);
        }
    }
    let exported = store.export(None, None, 9).await.unwrap();
    let lines: Vec<String> = exported.iter().map(|memory| serde_json::to_string(memory).unwrap()).collect();
    assert!(lines.iter().all(|line| !line.contains('\n')));

    let (other, _kept) = fresh().await;
    let read: Vec<Exported> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, exported);
    other.import(read).await.unwrap();
    assert_eq!(other.export(None, None, 9).await.unwrap(), exported);
}
