//! Tests of the events that stanzas become: messages, corrections, retractions, ignored stanzas.

use super::*;
use crate::Face;

fn role() -> Role {
    Role { persona: Some("ada".parse().unwrap()), nick: "Ada".into(), is_first: true }
}

fn us<'a>(role: &'a Role, resources: &'a [(String, greenroom_core::PersonaName)]) -> OwnNames<'a> {
    let face = Face { persona: "ada".parse().unwrap(), name: "Ada".into() };
    OwnNames {
        account: "own",
        jid: "bot@test",
        role,
        resources,
        nicks: vec![(face.name, Some(face.persona))],
    }
}

fn session() -> Session {
    let mut session = Session::default();
    let mut room = super::super::session::Room::default();
    let real = Occupant { jid: Some("ann@test".into()), ..Occupant::default() };
    room.occupants.insert("ann".into(), real);
    session.rooms.insert("tea@rooms".into(), room);
    session
}

fn message(from: &str, kind: &str, id: &str, body: &str) -> Element {
    Element::new("message", CLIENT)
        .with("from", from)
        .with("to", "bot@test/ada")
        .with("type", kind)
        .with("id", id)
        .child(Element::new("body", CLIENT).text(body))
}

fn heard(session: &mut Session, stanza: &Element) -> Parsed {
    session.message(stanza, &Archived::default(), &us(&role(), &[]))
}

fn said(heard: Parsed) -> Message {
    match heard {
        Parsed::Event(Event::Message(message)) => message,
        heard => panic!("{heard:?}"),
    }
}

#[test]
fn ad3_a_stanza_id_counts_only_if_the_room_gave_it() {
    let mut session = session();
    let id = |by: &str, id: &str| Element::new("stanza-id", SID).with("by", by).with("id", id);
    let stanza = message("tea@rooms/ann", "groupchat", "m1", "hi")
        .child(id("evil@test", "forged"))
        .child(id("tea@rooms", "real"));
    let message = said(heard(&mut session, &stanza));
    assert_eq!((message.event_id.as_str(), message.author.person.id.as_str()), ("real", "ann@test"));
    assert!(message.group && !message.addressed);
}

/// Another account of this process may be addressed, which only that account's connection knows.
#[test]
fn ad2_the_occupants_whom_a_message_addresses_are_named() {
    let mut session = session();
    let room = session.rooms.get_mut("tea@rooms").unwrap();
    let hidden = Occupant { id: Some("o1".into()), ..Occupant::default() };
    room.occupants.insert("Bo".into(), hidden);
    room.occupants.insert("Cy".into(), Occupant::default());
    for (text, named) in [
        ("bo: hello", vec!["tea@rooms#o1"]),
        ("hello @Cy", vec!["tea@rooms/Cy"]),
        ("ann, hello", vec!["ann@test"]),
        ("hello Bo", vec![]),
    ] {
        let heard = heard(&mut session, &message("tea@rooms/ann", "groupchat", "m1", text));
        assert_eq!(said(heard).mentioned, named, "{text}");
    }
}

/// A person's direct chats with two accounts of one program once shared a channel, and both accounts' personas saw
/// both.
#[test]
fn ad2_a_direct_chat_is_the_accounts_own_and_a_room_is_everybodys() {
    let mut session = session();
    let place = |heard: Parsed| said(heard).place;
    assert_eq!(
        place(heard(&mut session, &message("ann@test/phone", "chat", "m1", "hi"))),
        Place::chat("own/ann@test")
    );
    let in_room = heard(&mut session, &message("tea@rooms/ann", "groupchat", "m2", "hi"));
    assert_eq!(place(in_room), Place::chat("tea@rooms"));
}

#[test]
fn ad2_a_correction_and_a_retraction_are_of_their_author() {
    let mut session = session();
    let first = said(heard(&mut session, &message("ann@test/phone", "chat", "m1", "tee")));
    let replace = |id: &str| Element::new("replace", CORRECT).with("id", id);
    let correction = message("ann@test/desk", "chat", "m2", "tea").child(replace("m1"));
    let Parsed::Event(Event::Edited(edit)) = heard(&mut session, &correction) else {
        panic!("no correction")
    };
    assert_eq!((edit.message.event_id, edit.message.text), (first.event_id.clone(), "tea".into()));
    // another person cannot correct ann's message
    let forged = message("eve@test/x", "chat", "m3", "evil").child(replace("m1"));
    assert_ne!(said(heard(&mut session, &forged)).event_id, first.event_id);
    let retraction =
        message("ann@test/desk", "chat", "m4", "").child(Element::new("retract", RETRACT).with("id", "m1"));
    assert_eq!(
        heard(&mut session, &retraction),
        Parsed::Event(Event::Deleted {
            place: Place::chat("own/ann@test"),
            event_id: first.event_id,
            by: Some("ann@test".into())
        })
    );
}

#[test]
fn ad3_an_echo_is_known_and_an_impostor_in_the_past_is_not_us() {
    let mut session = session();
    let echo = message("tea@rooms/Ada", "groupchat", "k1", "hello")
        .child(Element::new("origin-id", SID).with("id", "k1"));
    assert!(matches!(heard(&mut session, &echo), Parsed::Echo { key, .. } if key == "k1"));
    let item = Element::new("item", MUC_USER).with("jid", "eve@test/x");
    let past = message("tea@rooms/Ada", "groupchat", "x1", "I was Ada")
        .child(Element::new("x", MUC_USER).child(item));
    let archived = Archived { id: Some("a1"), at: None };
    let message = said(session.message(&past, &archived, &us(&role(), &[])));
    assert_eq!((message.author.person.id.as_str(), message.event_id.as_str()), ("eve@test", "a1"));
}

/// The owner of a room sees addresses in the room, but not in its archive, and not after losing the ownership. A person
/// keeps one id nevertheless, also after leaving.
#[test]
fn ad7_a_person_is_the_same_in_a_room_and_in_its_archive() {
    let mut session = session();
    let seen = |jid: Option<&str>| Occupant {
        jid: jid.map(str::to_owned),
        id: Some("o1".into()),
        ..Occupant::default()
    };
    let ann = session.with_address("tea@rooms", seen(Some("ann@test")));
    let room = session.rooms.get_mut("tea@rooms").unwrap();
    room.has_ids = true;
    room.occupants.insert("ann".into(), ann);
    room.occupants.remove("ann");
    assert_eq!(session.with_address("tea@rooms", seen(None)).jid.as_deref(), Some("ann@test"));
    assert_eq!(session.with_address("den@rooms", seen(None)).jid, None, "ids are those of one room");
    let past = |id: &str| {
        let id = Element::new("occupant-id", OCCUPANT).with("id", id);
        message("tea@rooms/annie", "groupchat", "x1", "earlier").child(id)
    };
    for (occupant, id) in [("o1", "ann@test"), ("o2", "tea@rooms#o2")] {
        let archived = Archived { id: Some("a1"), at: None };
        let message = said(session.message(&past(occupant), &archived, &us(&role(), &[])));
        assert_eq!(message.author.person.id, id);
    }
}

#[test]
fn ad2_who_is_meant_and_what_was_said_is_read_from_the_text() {
    for (text, meant) in [
        ("Ada: hello", true),
        ("ada, hello", true),
        ("hello @ada!", true),
        ("hello @adam", false),
        ("adamant", false),
        ("hello ada", false),
        ("hello @ada", true),
    ] {
        assert_eq!(is_for(text, "Ada"), meant, "{text}");
    }
    let mut session = session();
    let quote = Element::new("body", FALLBACK).with("start", "0").with("end", "13");
    let reply = message("tea@rooms/ann", "groupchat", "m1", "> é quoted it\nyes")
        .child(Element::new("fallback", FALLBACK).with("for", REPLY).child(quote))
        .child(Element::new("reply", REPLY).with("id", "real"));
    let message_ = said(heard(&mut session, &reply));
    assert_eq!((message_.text.trim(), message_.reply_to.as_deref()), ("yes", Some("real")));
    let url = "https://test/x/cat.png?y";
    let file = Element::new("x", OOB).child(Element::new("url", OOB).text(url));
    let file = said(heard(&mut session, &message("ann@test/a", "chat", "m2", url).child(file)));
    assert_eq!((file.text.as_str(), file.attachments[0].name.as_str()), ("", "cat.png"));
    assert_eq!(
        said(heard(&mut session, &message("ann@test/a", "chat", "m3", "/me waves"))).text,
        "*ann waves*"
    );
    let hidden =
        message("ann@test/a", "chat", "m4", "I sent you…").child(Element::new("encrypted", ENCRYPTED[0]));
    assert!(matches!(heard(&mut session, &hidden), Parsed::Encrypted { group: false, .. }));
}

/// The room is part of the chat: elsewhere the same person may be known by another name.
#[test]
fn ad2_a_private_chat_in_a_room_is_with_the_persona_of_the_nick() {
    let mut session = session();
    let vesper = [("vesper".to_owned(), "vesper".parse().unwrap())];
    let stanza = Element { attributes: Vec::new(), ..message("", "", "", "psst") }
        .with("from", "tea@rooms/ann")
        .with("to", "bot@test/vesper")
        .with("type", "chat")
        .with("id", "m1");
    let message = said(session.message(&stanza, &Archived::default(), &us(&role(), &vesper)));
    assert_eq!(message.place, Place::thread("own/tea@rooms/ann@test", "vesper"));
    assert_eq!(
        (message.author.person.id.as_str(), message.group, message.mentions.len()),
        ("ann@test", false, 1)
    );
}
