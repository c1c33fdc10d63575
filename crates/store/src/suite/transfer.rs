//! Export and import (GR10): an exact round trip, or nothing.

use greenroom_core::{
    Kind, Memory, MemoryId, MessageId, Relation, RelationKind, Scope, Source, Tier, Timestamp, Trust,
};

use super::given::*;
use crate::{
    Erase, Exported, ExportedRelation, Imported, NewMemory, Quotes, Store, StoreError,
    rules::summaries::session_summary_key,
};

async fn exported(store: &dyn Store) -> Vec<Exported> {
    store.export(None, None, usize::MAX).await.unwrap()
}

async fn supersede(store: &dyn Store, from: &Memory, to: &Memory) {
    let edge = Relation { from: from.id, to: to.id, kind: RelationKind::Supersedes };
    store.relate(&ada(), edge).await.unwrap();
    store.relate(&ada(), edge).await.unwrap();
}

/// Every field, every id and every relation is imported; a second import finds all of them known.
pub async fn gr10_an_export_imports_to_the_same_lines(store: &dyn Store) {
    let keyed = |text| NewMemory { key: Some("k".into()), ..statement("ada", Scope::Global, text) };
    let gone = know(store, "gone").await;
    store.remember(keyed("first")).await.unwrap();
    let second = store.remember(keyed("it's \"second\" \0 👩‍🚀")).await.unwrap();
    let rich = NewMemory {
        kind: Kind::new("preference"),
        tier: Tier::Episodic,
        source: Source { via: "asked".into(), message: Some(MessageId(7)), user: Some(user("bo")) },
        trust: Trust::Persona,
        expires_at: Some(later(60)),
        at: later(1),
        ..statement("ada", about("terminal:bo"), "concise")
    };
    let rich = store.remember(rich).await.unwrap();
    let here = Scope::Channel(channel("terminal:default"));
    let third = store.remember(statement("ada", here, "here")).await.unwrap();
    store.remember(statement("kit", Scope::Global, "kit's")).await.unwrap();
    store.forget(&ada(), gone.id).await.unwrap();
    supersede(store, &third, &second).await;
    supersede(store, &second, &rich).await;

    let lines = exported(store).await;
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0].memory, second);
    let edge = ExportedRelation { to: second.id, kind: RelationKind::Supersedes };
    assert_eq!(lines[2].relations, [edge]);
    let ada_s = store.export(Some(&persona("ada")), Some(second.id), 1).await.unwrap();
    assert_eq!(ada_s, lines[1..2]);

    let known = Imported { added: 0, known: 4, relations: 0 };
    assert_eq!(store.import(lines.clone()).await.unwrap(), known);
    for line in &lines {
        let scope = &line.memory.scope;
        let viewer = if line.memory.persona == persona("ada") {
            ada()
        } else {
            viewer("kit", "terminal:default", None)
        };
        assert!(store.forget(&viewer, line.memory.id).await.unwrap().is_some(), "{scope:?}");
    }
    assert_eq!(exported(store).await, []);
    let added = Imported { added: 4, known: 0, relations: 2 };
    assert_eq!(store.import(lines.clone()).await.unwrap(), added);
    assert_eq!(exported(store).await, lines);
    assert_eq!(store.unembedded(&space("m@1", 4), None, 9).await.unwrap().len(), 4);
}

/// No stored memory is overwritten, and relations keep their ends.
pub async fn gr10_an_id_that_is_taken_is_replaced_in_the_edges_too(store: &dyn Store) {
    let (old, new) = (know(store, "old").await, know(store, "new").await);
    supersede(store, &new, &old).await;
    let mut lines = exported(store).await;
    for line in &mut lines {
        line.memory.text += ", of another store";
    }
    let imported = store.import(lines).await.unwrap();
    assert_eq!(imported, Imported { added: 2, known: 0, relations: 1 });
    let all = exported(store).await;
    let texts: Vec<_> = all.iter().map(|line| line.memory.text.as_str()).collect();
    assert_eq!(texts, ["old", "new", "old, of another store", "new, of another store"]);
    assert_eq!(all[1].relations[0].to, old.id);
    assert_eq!(all[3].relations[0].to, all[2].memory.id);
}

/// The error names the memory, and the memories before it are not stored either.
pub async fn gr10_an_import_is_checked_and_all_or_nothing(store: &dyn Store) {
    let keyed = NewMemory { key: Some("k".into()), ..statement("ada", Scope::Global, "keyed") };
    let keyed = store.remember(keyed).await.unwrap();
    let before = exported(store).await;
    let good = Exported { memory: Memory { id: MemoryId(100), key: None, ..keyed }, relations: Vec::new() };
    let bad = |change: &dyn Fn(&mut Exported)| {
        let mut line = good.clone();
        line.memory.id = MemoryId(101);
        change(&mut line);
        line
    };
    let edge = |to| ExportedRelation { to: MemoryId(to), kind: RelationKind::Refines };
    for line in [
        bad(&|line| line.memory.text = " \n".into()),
        bad(&|line| line.memory.text = "é".repeat(4_001)),
        bad(&|line| line.memory.version = 0),
        bad(&|line| line.memory.updated_at = Timestamp(line.memory.created_at.0 - 1)),
        bad(&|line| line.memory.expires_at = Some(Timestamp(-1))),
        bad(&|line| line.memory.created_at = Timestamp(i64::MAX)),
        bad(&|line| line.memory.key = Some("k".into())),
        bad(&|line| line.memory.key = Some("k\u{1b}[2J".into())),
        bad(&|line| line.memory.source.via = "cli\n".into()),
        bad(&|line| line.memory.trust = Trust::Stranger), // X7: it holds everywhere
        bad(&|line| line.relations.push(edge(102))),
        bad(&|line| line.relations.push(edge(101))),
        bad(&|line| {
            line.memory.persona = persona("kit");
            line.relations.push(edge(100));
        }),
    ] {
        let refused = store.import(vec![good.clone(), line]).await;
        let Err(StoreError::Invalid(error)) = refused else { panic!("{refused:?}") };
        assert!(error.contains("m101"), "{error}");
        assert_eq!(exported(store).await, before);
    }
    // its id and its key are taken: the error names the id of the imported line
    let mut taken = good.clone();
    (taken.memory.id, taken.memory.key, taken.memory.text) =
        (before[0].memory.id, Some("k".into()), "new".into());
    let refused = store.import(vec![taken]).await;
    let Err(StoreError::Invalid(error)) = refused else { panic!("{refused:?}") };
    assert!(error.contains(&before[0].memory.id.to_string()), "{error}");
    let twice = store.import(vec![good.clone(), good.clone()]).await;
    assert!(matches!(twice, Err(StoreError::Invalid(_))), "{twice:?}");
    let longest = bad(&|line| {
        line.memory.text = "é".repeat(4_000);
        line.relations.push(edge(100));
    });
    assert_eq!(store.import(vec![good, longest]).await.unwrap().added, 2);
}

/// The greatest possible id would leave none for the next memory.
pub async fn gr10_an_import_leaves_ids_for_what_comes_after(store: &dyn Store) {
    know(store, "known").await;
    let mut lines = exported(store).await;
    for (line, id) in lines.iter_mut().zip([i64::MAX]) {
        line.memory.id = MemoryId(id);
    }
    assert_eq!(store.import(lines).await.unwrap().added, 1);
    assert_eq!(know(store, "later").await.id, MemoryId(3));
    assert_eq!(exported(store).await.len(), 3);
}

/// A message and a session of another store belong to no person here, and never will.
pub async fn gr10_what_an_import_was_learned_from_is_not_anothers_message(store: &dyn Store) {
    let summary = |session: i64, message| {
        let mut line = Exported {
            memory: Memory {
                id: MemoryId(40 + session),
                persona: persona("ada"),
                scope: Scope::Channel(channel("irc:elsewhere")),
                text: format!("a sitting elsewhere, {session}"),
                kind: Kind::new("summary"),
                tier: Tier::Conversation,
                source: Source { via: "session".into(), message: None, user: None },
                trust: Trust::Stranger,
                version: 1,
                key: Some(session_summary_key(session)),
                expires_at: None,
                created_at: NOW,
                updated_at: NOW,
            },
            relations: Vec::new(),
        };
        line.memory.source.message = Some(MessageId(message));
        line
    };
    let said = say(store, "hello").await;
    let session = store.sessions(&channel("terminal:default")).await.unwrap()[0].id;
    let lines = vec![summary(session, said.id.0), summary(session + 1, said.id.0 + 1)];
    assert_eq!(store.import(lines.clone()).await.unwrap().added, 2);
    let known = Imported { added: 0, known: 2, relations: 0 };
    assert_eq!(store.import(lines).await.unwrap(), known);
    let all = exported(store).await;
    let key = |line: &Exported| line.memory.key.clone().unwrap();
    let foreign = format!("{}@m{}", session_summary_key(session), 40 + session);
    assert_eq!((key(&all[0]), all[0].memory.source.message), (foreign, None));
    assert_eq!(key(&all[1]), session_summary_key(session + 1));
    assert_eq!(all[1].memory.source.message, Some(MessageId(said.id.0 + 1)));

    // these ids are reserved: later messages get other ids, and are erased without these memories
    let next = store.accept(said_by("kit", "terminal:default", "next", "hi", later(9))).await.unwrap();
    assert_eq!(next.message.id, MessageId(said.id.0 + 2));
    store.erase(&Erase::Channel(channel("terminal:default")), Quotes::Stay).await.unwrap();
    assert_eq!(exported(store).await.len(), 2);
}

/// The oldest version does not become current again when a link of the chain is forgotten.
pub async fn fg7_a_chain_of_versions_outlives_its_links(store: &dyn Store) {
    let mut chain = Vec::new();
    for text in ["oldest", "older", "newer"] {
        chain.push(know(store, text).await);
    }
    let here = Scope::Channel(channel("terminal:other"));
    let last = store.remember(statement("ada", here, "newest")).await.unwrap();
    supersede(store, &chain[1], &chain[0]).await;
    supersede(store, &chain[2], &chain[1]).await;
    let edge = Relation { from: last.id, to: chain[2].id, kind: RelationKind::Supersedes };
    store.relate(&viewer("ada", "terminal:other", None), edge).await.unwrap();
    store.forget(&ada(), chain[1].id).await.unwrap();
    let edges = store.relations(&ada(), &ids(&chain)).await.unwrap();
    assert_eq!(edges, [Relation { from: chain[2].id, to: chain[0].id, kind: RelationKind::Supersedes }]);
    store.erase(&Erase::Channel(channel("terminal:other")), Quotes::Stay).await.unwrap();
    assert_eq!(store.relations(&ada(), &ids(&chain)).await.unwrap(), edges);
}
