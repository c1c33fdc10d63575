//! Links between accounts of one person on several platforms (MP1).

use std::collections::BTreeSet;

use greenroom_core::{Scope, UserRef, Viewer};

use super::given::{all, channel, later, past_of, persona, said_by, statement, user, viewer};
use crate::{AskedPast, Erase, Linked, Quotes, Store};

/// The private chat of each account.
const CHATS: [&str; 5] = ["irc:net/ann", "xmpp:ann@test", "telegram:7", "discord:9", "matrix:!a"];
const USERS: [&str; 5] = ["net/~ann", "ann@test", "7", "9", "@ann%3Atest"];

fn account(n: usize) -> UserRef {
    UserRef::new(&channel(CHATS[n]), &user(USERS[n]))
}

fn one_to_one(n: usize) -> Viewer {
    viewer("ada", CHATS[n], Some(USERS[n])).one_to_one()
}

/// Stores an open and a private memory of each account.
async fn told(store: &dyn Store) {
    for n in 0..CHATS.len() {
        store.remember(statement("ada", Scope::User(account(n)), &format!("open {n}"))).await.unwrap();
        store.remember(statement("ada", Scope::Private(account(n)), &format!("private {n}"))).await.unwrap();
        store.remember(statement("bob", Scope::User(account(n)), &format!("for bob {n}"))).await.unwrap();
    }
}

async fn seen(store: &dyn Store, viewer: &Viewer) -> BTreeSet<String> {
    store.memories(viewer, &all()).await.unwrap().into_iter().map(|memory| memory.text).collect()
}

/// Links and unlinks accounts at random: each account sees what its person told, and nothing else.
pub async fn mp1_what_a_person_told_follows_them_while_their_accounts_are_linked(store: &dyn Store) {
    told(store).await;
    let mut groups: Vec<BTreeSet<usize>> = (0..CHATS.len()).map(|n| BTreeSet::from([n])).collect();
    let mut seed = 17_u64;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..120 {
        let (one, other) = (draw(CHATS.len()), draw(CHATS.len()));
        let group_of =
            |groups: &[BTreeSet<usize>], n| groups.iter().position(|group| group.contains(&n)).unwrap();
        if draw(3) > 0 {
            store.link(&account(one), &account(other)).await.unwrap();
            let joined = groups.swap_remove(group_of(&groups, one));
            match groups.iter_mut().find(|group| group.contains(&other)) {
                Some(group) => group.extend(joined),
                None => groups.push(joined),
            }
        } else {
            let group = group_of(&groups, one);
            let was_linked = groups[group].len() > 1;
            assert_eq!(store.unlink(&account(one)).await.unwrap(), was_linked);
            groups[group].remove(&one);
            groups.retain(|group| !group.is_empty());
            groups.push(BTreeSet::from([one]));
        }
        for n in 0..CHATS.len() {
            let group = &groups[group_of(&groups, n)];
            let mut linked: Vec<_> = group.iter().filter(|other| **other != n).map(|n| account(*n)).collect();
            linked.sort();
            assert_eq!(store.linked(&account(n)).await.unwrap(), linked);
            let (channel, user) = (channel(CHATS[n]), Some(user(USERS[n])));
            let past = store.past(&AskedPast { channel, user, ..past_of("ada") }).await.unwrap();
            assert_eq!(past.linked, Some(Linked { account: account(n), others: linked }));
            let of = |what: &str| group.iter().map(|n| format!("{what} {n}")).collect::<BTreeSet<_>>();
            let everything = of("open").union(&of("private")).cloned().collect();
            assert_eq!(seen(store, &one_to_one(n)).await, everything, "account {n} alone with ada");
            assert_eq!(
                seen(store, &one_to_one(n).in_a_group()).await,
                of("open"),
                "account {n} where others listen"
            );
        }
    }
}

/// A group shows nothing private of any account of the person.
pub async fn mp1_a_group_shows_nothing_private_of_linked_accounts(store: &dyn Store) {
    told(store).await;
    store.link(&account(0), &account(1)).await.unwrap();
    for (who, event) in [(USERS[1], "e1"), ("eve@test", "e2")] {
        store.accept(said_by(who, "xmpp:tea@rooms", event, "hello", later(1))).await.unwrap();
    }
    let there = Viewer::new(persona("ada"), channel("xmpp:tea@rooms"), Some(user(USERS[1]))).one_to_one();
    assert_eq!(seen(store, &there).await, BTreeSet::from(["open 0".into(), "open 1".into()]));
    let eve = viewer("ada", "xmpp:eve@test", Some("eve@test")).one_to_one();
    assert_eq!(seen(store, &eve).await, BTreeSet::new());
}

/// Forgetting a person covers every account, and removes the link.
pub async fn gr10_who_is_forgotten_is_forgotten_under_every_linked_account(store: &dyn Store) {
    told(store).await;
    store.link(&account(0), &account(1)).await.unwrap();
    store.link(&account(1), &account(2)).await.unwrap();
    for n in 0..4 {
        store.accept(said_by(USERS[n], CHATS[n], "e1", "a secret", later(1))).await.unwrap();
    }
    let what = Erase::Person(account(1));
    assert_eq!(store.would_erase(&what).await.unwrap().messages, 3);
    let erased = store.erase(&what, Quotes::Stay).await.unwrap();
    assert_eq!(erased.messages, 3);
    for (n, chat) in CHATS.iter().enumerate().take(3) {
        assert_eq!(seen(store, &one_to_one(n)).await, BTreeSet::new());
        assert_eq!(store.linked(&account(n)).await.unwrap(), [], "the link is forgotten, too");
        assert!(store.history(&channel(chat), None, 9).await.unwrap().is_empty());
    }
    assert_eq!(seen(store, &one_to_one(3)).await.len(), 2);
    assert_eq!(store.history(&channel(CHATS[3]), None, 9).await.unwrap().len(), 1);
}
