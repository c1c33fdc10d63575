//! All reads of a store, each with a name, so that two stores can be compared.

use greenroom_core::{
    ChannelKey, MemoryId, MessageId, PersonaName, Platform, Scope, Tier, Timestamp, UserId, Viewer,
};
use greenroom_store::{AskedPast, Health, ItemId, MemoryFilter, Newest, Place, Store};

use super::writes::{CHANNELS, PERSONAS, USERS, erasure, space, turn, viewer};
use crate::given::NOW;

/// Reads with their names.
#[derive(Default)]
struct Reads(Vec<(String, String)>);

impl Reads {
    fn add(&mut self, name: impl Into<String>, answer: impl std::fmt::Debug) {
        self.0.push((name.into(), format!("{answer:?}")));
    }
}

/// All reads. First blanks what receipts still show of deleted items, because a store may delay that until the sweep.
pub(super) async fn everything(store: &dyn Store) -> Vec<(String, String)> {
    let mut reads = Reads::default();
    reads.add("sweep", store.sweep(Timestamp(0)).await);
    channels(store, &mut reads).await;
    turns(store, &mut reads).await;
    memories(store, &mut reads).await;
    vectors(store, &mut reads).await;
    erasures(store, &mut reads).await;
    reads.0
}

async fn channels(store: &dyn Store, reads: &mut Reads) {
    for key in CHANNELS {
        let channel: ChannelKey = key.parse().unwrap();
        let (provider, chat) = (channel.provider(), channel.chat_id());
        reads.add(format!("history of {key}"), store.history(&channel, None, 99).await);
        reads.add(format!("end of {key}"), store.history(&channel, Some(MessageId(9)), 5).await);
        reads.add(format!("page of {key}"), store.page(&channel, Some(MessageId(30)), 5).await);
        reads.add(format!("participants of {key}"), store.participants(&channel).await);
        reads.add(format!("sessions of {key}"), store.sessions(&channel).await);
        reads.add(format!("present in {key}"), store.present(&channel).await);
        reads.add(format!("room of {key}"), store.room(&channel).await);
        reads.add(format!("outbox of {key}"), store.outbox(&channel).await);
        for event in ["p1", "p4", "p7"] {
            reads.add(format!("{event} in {key}"), store.message_of_event(&channel, event).await);
        }
        reads.add(format!("unfinished in {key}"), store.unfinished(Some(&channel)).await);
        reads.add(format!("channels of {key}"), store.channels(Some((provider, chat)), None, 9).await);
        for user in USERS {
            let user: UserId = user.parse().unwrap();
            let session = store.session(&channel, &user, Timestamp(NOW.0 + 3_600_000_000)).await;
            reads.add(format!("session of {user} in {key}"), session);
        }
        for name in PERSONAS {
            seat(store, reads, &name.parse().unwrap(), &channel).await;
        }
    }
    for platform in [Platform::Discord, Platform::Terminal] {
        reads.add(format!("deliveries of {platform}"), store.next_deliveries(platform, 0, 9).await);
    }
    for platform in [Platform::Discord, Platform::Slack] {
        reads.add(format!("retractions of {platform}"), store.retractions(platform, 0, 99).await);
        let since = Timestamp(NOW.0 + 600_000_000);
        reads.add(format!("heard on {platform}"), store.activity_since(platform, since).await);
    }
    reads.add("settled", store.settled(&["a", "b", "c"].map(str::to_owned)).await);
    reads.add("open deliveries", store.open_deliveries(99).await);
    for name in ["offset", "seq"] {
        reads.add(format!("cursor {name}"), store.cursor("one", name).await);
    }
    reads.add("channels", store.channels(None, None, 9).await);
    reads.add("channels before", store.channels(None, Some(MessageId(20)), 1).await);
    reads.add("unfinished", store.unfinished(None).await);
    reads.add("unanswered_since", store.unanswered_since(Timestamp(0)).await);
}

async fn seat(store: &dyn Store, reads: &mut Reads, persona: &PersonaName, channel: &ChannelKey) {
    let name = |what: &str| format!("{what} of {persona} in {channel}");
    reads.add(name("presence"), store.presence(persona, channel).await);
    reads.add(name("start"), store.context_start(persona, channel).await);
    let messages: Vec<_> = (0..90).map(MessageId).collect();
    for user in USERS {
        let viewer = Viewer::new(persona.clone(), channel.clone(), Some(user.parse().unwrap())).one_to_one();
        let account = viewer.user_ref().unwrap();
        let chats = store.other_chats(persona, &account, channel).await;
        reads.add(name(&format!("other chats of {user}")), chats);
        reads.add(name(&format!("told by {user}")), store.said_one_to_one(&viewer, &messages).await);
    }
    for (heard, summarised, limit) in
        [(true, true, 99), (false, true, 99), (true, false, 3), (false, false, 0)]
    {
        let asked = AskedPast {
            persona: persona.clone(),
            channel: channel.clone(),
            user: heard.then(|| "bo".parse().unwrap()),
            heard,
            summarised,
            other_chats: heard,
            limit,
            now: Timestamp(NOW.0 + 9_000_000_000),
        };
        reads.add(name("past"), store.past(&asked).await);
        let after = summarised.then_some(MessageId(5));
        reads.add(name("unsummarised"), store.unsummarised(persona, channel, after, heard, 7).await);
    }
}

async fn turns(store: &dyn Store, reads: &mut Reads) {
    for n in 0..150 {
        for k in 0..2 {
            reads.add(format!("turn {k} of step {n}"), store.turn(turn(n, k)).await);
        }
    }
    let messages: Vec<_> = (0..90).map(MessageId).collect();
    for message in &messages {
        reads.add(format!("decisions about {message}"), store.decisions(*message).await);
        reads.add(format!("answers to {message}"), store.answers(*message).await);
        let persona = PERSONAS[message.0 as usize % 3].parse().unwrap();
        reads.add(format!("letter {message} to {persona}"), store.dead_letter(*message, &persona).await);
        reads.add(format!("{message}"), store.message(*message).await);
    }
    for name in PERSONAS {
        let (persona, since) = (name.parse().unwrap(), Timestamp(NOW.0 + 2_000_000_000));
        reads.add(format!("used by {name}"), store.used(&persona, NOW, Timestamp(i64::MAX)).await);
        let until = Timestamp(NOW.0 + 7_000_000_000);
        reads.add(format!("used by {name} in an hour"), store.used(&persona, since, until).await);
    }
    reads.add("without reply", store.without_reply(&messages).await);
    reads.add("triggers", store.triggers(&messages).await);
    reads.add("dead letters", store.dead_letters(9).await);
    reads.add("postponed", store.postponed_captures(9).await);
    reads.add("count of postponed", store.count_postponed().await);
    reads.add("stray turns", store.stray_turns().await);
    reads.add("keys", store.keys().await);
}

async fn memories(store: &dyn Store, reads: &mut Reads) {
    let mut ids: Vec<_> = (1..40).map(|n| ItemId::Memory(MemoryId(n))).collect();
    ids.extend((1..60).map(|n| ItemId::Message(MessageId(n))));
    let memories: Vec<_> = (1..40).map(MemoryId).collect();
    for n in (0..30).step_by(2) {
        let viewer = viewer(n);
        let now = Timestamp(NOW.0 + n as i64 * 300_000_000);
        let name = |what: &str| format!("{what} for {viewer:?}");
        let everything =
            MemoryFilter { now, scopes: Vec::new(), ids: Vec::new(), about: None, limit: usize::MAX };
        let some = MemoryFilter {
            scopes: vec!["user", "channel"],
            about: viewer.user().cloned(),
            ids: memories[..n].to_vec(),
            limit: 3,
            ..everything.clone()
        };
        reads.add(name("memories"), store.memories(&viewer, &everything).await);
        reads.add(name("some memories"), store.memories(&viewer, &some).await);
        reads.add(name("count"), store.count_memories(&viewer, now, 4).await);
        reads.add(name("relations"), store.relations(&viewer, &memories[n..]).await);
        reads.add(name("items"), store.items(&viewer, &ids[n..], now, n.is_multiple_of(4)).await);
        for scope in [Scope::Global, Scope::Channel(viewer.channel().clone())] {
            let newest = Newest {
                scope: scope.clone(),
                tier: [Tier::Semantic, Tier::Episodic][n / 2 % 2],
                kind: None,
                now,
                between: n.is_multiple_of(3).then_some((NOW, now)),
                limit: 3,
            };
            reads.add(name("newest"), store.newest(&viewer, &newest).await);
            reads.add(name("keyed"), store.keyed(&viewer, &scope, "key_1", now).await);
        }
    }
    reads.add("export", store.export(None, None, usize::MAX).await);
    reads.add("a page of ada's", store.export(Some(&"ada".parse().unwrap()), Some(MemoryId(3)), 3).await);
}

async fn vectors(store: &dyn Store, reads: &mut Reads) {
    let end = store.journal_end().await.unwrap();
    reads.add("journal", end);
    let some: Vec<PersonaName> = vec!["ada".parse().unwrap(), "kit".parse().unwrap()];
    for n in 0..2 {
        let space = space(n);
        let after = [Some(ItemId::Memory(MemoryId(4))), Some(ItemId::Message(MessageId(9)))][n];
        reads.add("waiting", store.unembedded(&space, None, usize::MAX).await);
        reads.add("waiting, a page", store.unembedded(&space, after, 5).await);
        reads.add("waiting for some", store.unembedded_of(&space, &some, after, 9).await);
        for since in [end + 1, end, end - 5, end - 30, 0] {
            let news = store.unembedded_since(&space, Some(&some), since, None, 9).await;
            reads.add(format!("waiting for some since {since}"), news);
            reads.add(
                format!("waiting since {since}"),
                store.unembedded_since(&space, None, since, after, 9).await,
            );
            let changes = store.changes(Some(&space), since, &|_| true, 99).await;
            reads.add(format!("changes since {since}"), changes);
            reads.add(format!("a page since {since}"), store.changes(None, since, &|_| true, 3).await);
        }
        let mut places: Vec<_> = CHANNELS.iter().map(|key| Place::Messages(key.parse().unwrap())).collect();
        places.extend(some.iter().map(|persona| Place::Memories(persona.clone(), Scope::Global)));
        for place in places {
            let loaded = store.load(&place, Some(&space), None, usize::MAX, NOW).await;
            reads.add(format!("{place:?}"), loaded);
            let later = Timestamp(NOW.0 + 5_000_000_000);
            reads.add(format!("a page of {place:?}"), store.load(&place, None, after, 3, later).await);
            reads.add(format!("before the newest of {place:?}"), store.before_newest(&place, 3).await);
        }
    }
    reads.add("spaces", store.spaces().await);
}

async fn erasures(store: &dyn Store, reads: &mut Reads) {
    for n in 0..20 {
        let what = erasure(n, n * 3 / 5);
        reads.add(format!("would erase {what:?}"), store.would_erase(&what).await);
        reads.add(format!("quoting {what:?}"), store.quoting(&what).await);
    }
    let end = store.erased_since(0).await.unwrap().end;
    for after in [0, end, end + 1] {
        let mut since = store.erased_since(after).await;
        if let Ok(since) = &mut since {
            since.channels.sort();
        }
        reads.add(format!("erased since {after}"), since);
    }
    let health = store.health().await.unwrap();
    reads.add("health", Health { location: String::new(), engine: String::new(), ..health });
}
