//! Memories: written, replaced, expired, forgotten, related.

use std::collections::BTreeMap;

use greenroom_core::{
    Kind, MemoryId, MessageId, Relation, RelationKind, Scope, Source, Tier, Timestamp, Trust, Viewer,
};

use super::{given::*, turns::receipt};
use crate::{
    Erase, ItemId, MemoryEdit, MemoryFilter, NewMemory, NewVector, Newest, Quotes, Store, StoreError,
    TurnCommit, rules::summaries::session_summary_key,
};

/// Every field is stored unchanged, and the filter selects by scope and id, newest first.
pub async fn as7_a_memory_comes_back_as_it_was_written(store: &dyn Store) {
    let first = know(store, "Bo prefers concise responses").await;
    let new = NewMemory {
        kind: Kind::new("preference"),
        tier: Tier::Episodic,
        source: Source { via: "asked".into(), message: Some(MessageId(7)), user: Some(user("bo")) },
        trust: Trust::Stranger,
        key: Some("pref_style".into()),
        expires_at: Some(later(60)),
        at: later(1),
        ..statement("ada", about("terminal:bo"), "it's \"quoted\" \0 👩‍🚀")
    };
    let second = store.remember(new.clone()).await.unwrap();
    assert_eq!((&second.persona, &second.scope, &second.text), (&new.persona, &new.scope, &new.text));
    assert_eq!((&second.kind, second.tier, second.trust), (&new.kind, new.tier, new.trust));
    assert_eq!((&second.source, &second.key, second.version), (&new.source, &new.key, 1));
    assert_eq!((second.expires_at, second.created_at, second.updated_at), (new.expires_at, new.at, new.at));

    assert_eq!(store.memories(&ada(), &all()).await.unwrap(), [second.clone(), first.clone()]);
    let global = MemoryFilter { scopes: vec!["global"], ..all() };
    assert_eq!(store.memories(&ada(), &global).await.unwrap(), std::slice::from_ref(&first));
    let chosen = MemoryFilter { ids: vec![first.id, MemoryId(9999)], ..all() };
    assert_eq!(store.memories(&ada(), &chosen).await.unwrap(), [first]);
    let newest = MemoryFilter { limit: 1, ..all() };
    assert_eq!(store.memories(&ada(), &newest).await.unwrap(), [second]);
    let empty = store.remember(statement("ada", Scope::Global, " \n")).await;
    assert!(matches!(empty, Err(StoreError::Invalid(_))), "{empty:?}");
}

/// Returns the memories of one tier and one scope, newest first, whatever else was written since.
pub async fn jv6_the_newest_of_a_tier_are_found_among_many_of_others(store: &dyn Store) {
    let write = async |tier, scope, text: &str, seconds| {
        let kind = Kind::new(if text.contains("likes") { "preference" } else { "event" });
        let new = NewMemory { tier, kind, at: later(seconds), ..statement("ada", scope, text) };
        store.remember(new).await.unwrap()
    };
    let first = write(Tier::Semantic, Scope::Global, "Bo likes tea", 1).await;
    let second = write(Tier::Semantic, Scope::Global, "Bo likes rain", 2).await;
    write(Tier::Semantic, about("terminal:bo"), "of another scope", 3).await;
    for n in 4..30 {
        write(Tier::Episodic, Scope::Global, &format!("event {n}"), n).await;
    }
    let wanted = |limit| Newest {
        scope: Scope::Global,
        tier: Tier::Semantic,
        kind: None,
        now: later(99),
        between: None,
        limit,
    };
    assert_eq!(store.newest(&ada(), &wanted(9)).await.unwrap(), [second.clone(), first.clone()]);
    assert_eq!(store.newest(&ada(), &wanted(1)).await.unwrap(), std::slice::from_ref(&second));
    let fact = write(Tier::Semantic, Scope::Global, "the code is 4711", 31).await;
    let of_kind = |kind: &str| Newest { kind: Some(Kind::new(kind)), ..wanted(9) };
    assert_eq!(store.newest(&ada(), &of_kind("preference")).await.unwrap(), [second, first.clone()]);
    assert_eq!(store.newest(&ada(), &of_kind("event")).await.unwrap(), [fact]);
    assert_eq!(store.newest(&ada(), &of_kind("decision")).await.unwrap(), []);
    let early = Newest { between: Some((later(0), later(2))), ..wanted(9) };
    assert_eq!(store.newest(&ada(), &early).await.unwrap(), [first]);
    let foreign = Newest { scope: about("terminal:kit"), ..wanted(9) };
    write(Tier::Semantic, about("terminal:kit"), "of somebody else", 30).await;
    assert_eq!(store.newest(&ada(), &foreign).await.unwrap(), []);
}

/// A later statement with the same key replaces the earlier one: same id, next version, new text. The vector of the old
/// text is deleted.
pub async fn jv9_the_same_key_updates_the_row(store: &dyn Store) {
    let keyed = |text: &str, seconds: i64| NewMemory {
        key: Some("pref_drink".into()),
        at: later(seconds),
        ..statement("ada", Scope::Global, text)
    };
    let first = store.remember(keyed("Bo drinks coffee", 0)).await.unwrap();
    let space = space("m@1", 2);
    let vector = NewVector { item: ItemId::Memory(first.id), version: 1, vector: vec![1.0, 0.0] };
    store.put_vectors(&space, vec![vector]).await.unwrap();

    let second = store.remember(keyed("Bo drinks tea", 5)).await.unwrap();
    assert_eq!((second.id, second.version), (first.id, 2));
    assert_eq!((second.created_at, second.updated_at), (NOW, later(5)));
    assert_eq!(store.memories(&ada(), &all()).await.unwrap(), std::slice::from_ref(&second));
    assert_eq!(vectors(store, &everywhere(), &space).await, []);
    let waiting = store.unembedded(&space, None, 10).await.unwrap();
    assert_eq!(
        waiting.iter().map(|w| (w.item, w.version)).collect::<Vec<_>>(),
        [(ItemId::Memory(first.id), 2)]
    );

    let next = store.remember(statement("kit", Scope::Global, "another's")).await.unwrap();
    assert_eq!(next.id, MemoryId(first.id.0 + 1), "an update takes no number");

    let brief = NewMemory { expires_at: Some(later(10)), ..keyed("Bo drinks water today", 6) };
    assert_eq!(store.remember(brief).await.unwrap().version, 3);
    let anew = store.remember(keyed("Bo drinks juice", 10)).await.unwrap();
    assert_eq!(anew.version, 1, "the key of an expired memory begins anew");
    assert_eq!(texts(store, &ada()).await, ["Bo drinks juice"]);
}

/// The same key in another scope belongs to another memory.
pub async fn jv9_a_key_belongs_to_its_scope(store: &dyn Store) {
    let scopes = [
        ("ada", Scope::Global),
        ("ada", about("terminal:bo")),
        ("ada", about("terminal:kit")),
        ("ada", Scope::Channel(channel("terminal:default"))),
        ("ada", Scope::Channel(channel("terminal:other"))),
        ("max", Scope::Global),
    ];
    for (name, scope) in scopes {
        let new = NewMemory { key: Some("k".into()), ..statement(name, scope, "x") };
        let stored = store.remember(new.clone()).await.unwrap();
        assert_eq!(stored.version, 1);
        if name == "ada" {
            let seen = ada().sees(&stored.persona, &stored.scope);
            let found = store.keyed(&ada(), &new.scope, "k", NOW).await.unwrap();
            assert_eq!(found, seen.then_some(stored));
        }
    }
    assert_eq!(store.keyed(&ada(), &Scope::Global, "other", NOW).await.unwrap(), None);
    let ends = NewMemory {
        key: Some("ends".into()),
        expires_at: Some(later(60)),
        ..statement("ada", Scope::Global, "y")
    };
    store.remember(ends).await.unwrap();
    assert!(store.keyed(&ada(), &Scope::Global, "ends", later(59)).await.unwrap().is_some());
    assert_eq!(store.keyed(&ada(), &Scope::Global, "ends", later(60)).await.unwrap(), None, "it has expired");
    store.sweep(later(60)).await.unwrap();
    know(store, "x").await;
    know(store, "x").await;
    assert_eq!(texts(store, &ada()).await.len(), 5, "without a key nothing is replaced");
}

/// From the moment of its expiry no read returns a memory; a sweep then removes the row.
pub async fn as9_expired_memories_are_invisible_at_once_and_swept(store: &dyn Store) {
    let brief = NewMemory { expires_at: Some(later(60)), ..statement("ada", Scope::Global, "brief") };
    let brief = store.remember(brief).await.unwrap();
    know(store, "lasting").await;
    let at = |seconds| MemoryFilter { now: later(seconds), ..all() };
    assert_eq!(store.memories(&ada(), &at(59)).await.unwrap().len(), 2);
    assert_eq!(store.memories(&ada(), &at(60)).await.unwrap().len(), 1);

    assert_eq!(store.sweep(later(59)).await.unwrap(), 0);
    assert_eq!(store.sweep(later(60)).await.unwrap(), 1);
    assert_eq!(store.sweep(later(60)).await.unwrap(), 0);
    assert_eq!(texts(store, &ada()).await, ["lasting"]);
    assert!(store.forget(&ada(), brief.id).await.unwrap().is_none());
    assert_eq!(store.health().await.unwrap().memories, 1);
}

/// Removes row, vectors, relations, and what a receipt showed of it; its id is not reused.
pub async fn gr10_forgetting_takes_everything_that_hangs_on_it(store: &dyn Store) {
    let kept = know(store, "Bo likes tea").await;
    let secret = know(store, "xylophonecanary").await;
    for model in ["m@1", "m@2"] {
        let vector = NewVector { item: ItemId::Memory(secret.id), version: 1, vector: vec![1.0, 0.0] };
        store.put_vectors(&space(model, 2), vec![vector]).await.unwrap();
    }
    let edge = Relation { from: secret.id, to: kept.id, kind: RelationKind::Refines };
    store.relate(&ada(), edge).await.unwrap();
    let turn = running(store, &say(store, "hello").await).await;
    let shown = receipt(&secret.id.to_string(), "xylophonecanary");
    store.commit_turn(turn, TurnCommit { receipt: Some(shown.into()), ..reply("hello") }).await.unwrap();

    let forgotten = store.forget(&ada(), secret.id).await.unwrap().unwrap();
    assert_eq!((&forgotten.memory, forgotten.vectors, forgotten.relations), (&secret, 2, 1));
    assert!(store.forget(&ada(), secret.id).await.unwrap().is_none());

    assert_eq!(texts(store, &ada()).await, ["Bo likes tea"]);
    assert_eq!(vectors(store, &everywhere(), &space("m@1", 2)).await, []);
    assert_eq!(store.relations(&ada(), &[kept.id, secret.id]).await.unwrap(), []);
    assert_eq!(store.health().await.unwrap().vectors.iter().map(|(_, n)| n).sum::<u64>(), 0);
    let receipt = store.turn(turn).await.unwrap().unwrap().receipt.unwrap();
    let shown = &receipt.items[0];
    assert_eq!((shown.id.as_str(), shown.preview.as_str()), (secret.id.to_string().as_str(), "(forgotten)"));
    let late = running(store, &say(store, "and again").await).await;
    let shown = super::turns::receipt(&secret.id.to_string(), "xylophonecanary");
    store.commit_turn(late, TurnCommit { receipt: Some(shown.into()), ..reply("hello") }).await.unwrap();
    store.sweep(NOW).await.unwrap();
    let receipt = store.turn(late).await.unwrap().unwrap().receipt.unwrap();
    assert_eq!(receipt.items[0].preview, "(forgotten)", "it went while the context was made");
    assert!(know(store, "something else").await.id > secret.id);
}

/// A summary of a session may contain a statement that was made in it, also if it was written after a later message. The
/// summaries of other sessions stay. A summary that was made meanwhile is refused if it contains the statement.
pub async fn gr10_a_summary_goes_with_what_was_forgotten_or_corrected(store: &dyn Store) {
    let here = Scope::Channel(channel("terminal:default"));
    let said = "My pass is number 77, and I swim on Fridays";
    for corrects in [true, false] {
        let accept = async |event: &str, text: &str, seconds| {
            let event = format!("{event} {corrects}");
            store.accept(said_by("bo", "terminal:default", &event, text, later(seconds))).await.unwrap()
        };
        let at = if corrects { 0 } else { 100_000 };
        let first = accept("a", said, at).await.message.id;
        let second = accept("b", "Good night", at + 5).await.message.id;
        let other = accept("c", "The regatta is on Sunday", at + 50_000).await.message.id;
        assert_eq!(store.taken_back(&[first, second]).await.unwrap(), BTreeMap::new());
        let learned = NewMemory {
            source: Source { message: Some(first), ..statement("ada", here.clone(), "x").source },
            ..statement("ada", here.clone(), "My pass is number 77")
        };
        let pass = store.remember(learned).await.unwrap();
        let summary = async |message: MessageId, text: &str| {
            let at = store.message(message).await.unwrap().unwrap().at;
            let session =
                store.session(&channel("terminal:default"), &user("bo"), at).await.unwrap().unwrap();
            let summary = NewMemory {
                tier: Tier::Conversation,
                key: Some(session_summary_key(session.id)),
                source: Source { message: Some(message), ..statement("ada", here.clone(), "x").source },
                ..statement("ada", here.clone(), text)
            };
            store.remember(summary).await
        };
        summary(first, "bo: My pass is number 77").await.unwrap();
        summary(second, "bo spoke of a pass").await.unwrap();
        let kept = summary(other, "bo: The regatta is on Sunday").await.unwrap();
        let left = match corrects {
            true => {
                store.edit(&ada(), pass.id, another_text("My pass is number 12")).await.unwrap();
                vec!["My pass is number 12"]
            }
            false => {
                let forgotten = store.forget(&ada(), pass.id).await.unwrap().unwrap();
                assert_eq!(forgotten.summaries.len(), 1);
                Vec::new()
            }
        };
        assert_eq!(texts(store, &ada()).await, [left.as_slice(), &["bo: The regatta is on Sunday"]].concat());
        let part = if corrects { "My pass is number 77" } else { "" };
        let gone = BTreeMap::from([(first, vec![part.to_owned()])]);
        assert_eq!(store.taken_back(&[first, second]).await.unwrap(), gone);
        let late = summary(first, "bo: My pass is number 77").await;
        assert!(matches!(late, Err(StoreError::Erased(_))), "{late:?}");
        assert_eq!(summary(first, "bo: I swim on Fridays").await.is_ok(), corrects);
        store.erase(&Erase::Channel(channel("terminal:default")), Quotes::Stay).await.unwrap();
        assert!(store.forget(&ada(), kept.id).await.unwrap().is_none());
    }
}

/// A profile contains what was learned from a person and what holds for them, as far as the viewer sees it.
pub async fn as12_what_is_known_of_a_person_is_listed(store: &dyn Store) {
    let here = || Scope::Channel(channel("terminal:default"));
    let learned = |text: &str, scope: Scope, who: &str| NewMemory {
        source: Source { via: "learned".into(), message: None, user: Some(who.parse().unwrap()) },
        ..statement("ada", scope, text)
    };
    for new in [
        learned("Bo lives in Graz", here(), "bo"),
        learned("Kit lives in Linz", here(), "kit"),
        learned("Bo dives", Scope::Channel(channel("terminal:other")), "bo"),
        statement("ada", about("terminal:bo"), "Bo likes tea"),
        statement("ada", here(), "the harbour opens at nine"),
    ] {
        store.remember(new).await.unwrap();
    }
    let known = async |viewer: &Viewer, who: &str| -> Vec<String> {
        let filter = MemoryFilter { about: Some(who.parse().unwrap()), ..all() };
        let known = store.memories(viewer, &filter).await.unwrap();
        known.into_iter().map(|memory| memory.text).collect()
    };
    let (bo, kit) =
        (viewer("ada", "terminal:default", Some("bo")), viewer("ada", "terminal:default", Some("kit")));
    assert_eq!(known(&bo, "bo").await, ["Bo likes tea", "Bo lives in Graz"]);
    assert_eq!(known(&kit, "bo").await, ["Bo lives in Graz"], "what holds for Bo alone is not Kit's to see");
    assert_eq!(known(&kit, "nobody").await, [""; 0]);
}

/// Another persona, channel or person does not even learn that the memory exists.
pub async fn x6_nobody_forgets_what_they_do_not_see(store: &dyn Store) {
    let here = Scope::Channel(channel("terminal:default"));
    let of_channel = store.remember(statement("ada", here, "of the channel")).await.unwrap();
    let of_user = store.remember(statement("ada", about("terminal:bo"), "of Bo")).await.unwrap();
    let strangers = [
        viewer("kit", "terminal:default", Some("bo")),
        viewer("ada", "terminal:other", Some("kit")),
        viewer("ada", "terminal:other", None),
        viewer("ada", "discord:default", Some("bo")),
    ];
    for stranger in &strangers {
        assert!(store.forget(stranger, of_channel.id).await.unwrap().is_none());
        assert!(store.forget(stranger, of_user.id).await.unwrap().is_none());
    }
    assert_eq!(texts(store, &ada()).await.len(), 2);
    let now = Timestamp(0);
    assert_eq!(store.count_memories(&ada(), now, 9).await.unwrap(), 2);
    assert_eq!(store.count_memories(&ada(), now, 1).await.unwrap(), 1, "no more than asked");
    assert_eq!(store.count_memories(&strangers[0], now, 9).await.unwrap(), 0);
}

fn another_text(text: &str) -> MemoryEdit {
    let text = Some(text.to_owned());
    MemoryEdit { text, kind: None, expires_at: None, private: None, trust: Trust::Operator, at: later(5) }
}

/// The edit changes its text; fields that it does not name stay.
pub async fn an_edited_memory_is_a_new_version_in_the_same_place(store: &dyn Store) {
    let source = Source { via: "asked".into(), message: None, user: Some(user("bo")) };
    let here = Scope::Channel(channel("terminal:default"));
    let new = NewMemory {
        source: source.clone(),
        key: Some("k".into()),
        expires_at: Some(later(100)),
        ..statement("ada", here.clone(), "Bo drinks coffee")
    };
    let stored = store.remember(new).await.unwrap();
    let edited = store.edit(&ada(), stored.id, another_text("Bo drinks tea")).await.unwrap().unwrap();
    assert_eq!((edited.id, edited.version, edited.text.as_str()), (stored.id, 2, "Bo drinks tea"));
    assert_eq!(
        (edited.scope.clone(), edited.source.clone(), edited.key.as_deref()),
        (here, source, Some("k"))
    );
    assert_eq!((edited.created_at, edited.updated_at), (stored.created_at, later(5)));
    assert_eq!(edited.expires_at, Some(later(100)));

    let kind =
        MemoryEdit { text: None, kind: Some(Kind::new("habit")), expires_at: Some(None), ..another_text("") };
    let edited = store.edit(&ada(), stored.id, kind).await.unwrap().unwrap();
    assert_eq!((edited.version, edited.text.as_str(), edited.kind.as_str()), (3, "Bo drinks tea", "habit"));
    assert_eq!(edited.expires_at, None);
    assert_eq!(store.memories(&ada(), &all()).await.unwrap(), [edited]);

    let empty = store.edit(&ada(), stored.id, another_text(" ")).await.unwrap_err();
    assert!(matches!(empty, StoreError::Invalid(_)), "{empty}");
    let ends = MemoryEdit { text: None, expires_at: Some(Some(later(6))), ..another_text("") };
    store.edit(&ada(), stored.id, ends).await.unwrap().unwrap();
    let late = MemoryEdit { at: later(6), ..another_text("too late") };
    assert!(store.edit(&ada(), stored.id, late).await.unwrap().is_none(), "it has expired (AS9)");
}

/// The same rule as for forgetting.
pub async fn x6_nobody_edits_what_they_do_not_see(store: &dyn Store) {
    let here = Scope::Channel(channel("terminal:default"));
    let of_channel = store.remember(statement("ada", here, "of the channel")).await.unwrap();
    let of_user = store.remember(statement("ada", about("terminal:bo"), "of Bo")).await.unwrap();
    let strangers = [
        viewer("kit", "terminal:default", Some("bo")),
        viewer("ada", "terminal:other", Some("kit")),
        viewer("ada", "discord:default", Some("bo")),
    ];
    for stranger in &strangers {
        for id in [of_channel.id, of_user.id] {
            assert_eq!(store.edit(stranger, id, another_text("taken over")).await.unwrap(), None);
        }
    }
    assert_eq!(texts(store, &ada()).await, ["of Bo", "of the channel"]);
}

/// Only a viewer that sees both ends may write and see a relation.
pub async fn fg7_relations_need_both_ends_in_view(store: &dyn Store) {
    let global = know(store, "everywhere").await;
    let here = Scope::Channel(channel("terminal:default"));
    let local = store.remember(statement("ada", here, "here")).await.unwrap();
    let others = store.remember(statement("kit", Scope::Global, "kit's")).await.unwrap();
    let edge = Relation { from: local.id, to: global.id, kind: RelationKind::Supersedes };
    store.relate(&ada(), edge).await.unwrap();
    store.relate(&ada(), edge).await.unwrap();

    for bad in [others.id, local.id, MemoryId(9999)] {
        let relation = Relation { from: local.id, to: bad, kind: RelationKind::RelatesTo };
        let refused = store.relate(&ada(), relation).await;
        assert!(matches!(refused, Err(StoreError::Invalid(_))), "{refused:?}");
    }
    assert_eq!(store.relations(&ada(), &[global.id]).await.unwrap(), [edge]);
    assert_eq!(store.relations(&ada(), &[local.id, global.id]).await.unwrap(), [edge]);
    assert_eq!(store.relations(&ada(), &[]).await.unwrap(), []);
    let whole = store.items(&ada(), &[ItemId::Memory(global.id)], NOW, false).await.unwrap();
    assert_eq!((whole.items.len(), whole.relations), (1, vec![edge]));
    let elsewhere = viewer("ada", "terminal:other", Some("bo"));
    assert_eq!(store.relations(&elsewhere, &[global.id, local.id]).await.unwrap(), []);
}
