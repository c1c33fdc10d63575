//! The order in which a persona sees a conversation when it answers. Pure.
//!
//! Messages are stored in the order of their arrival. While a persona answers one message, the next may arrive, so the
//! reply is stored behind a message that the persona did not know. The model sees the conversation as the persona lived
//! it: its own replies come before the messages that it answers now. Later messages of people, and what other personas
//! reply to them, are left out, because they have turns of their own. A message that is answered again, for example
//! after a crash, comes last. What the persona answered meanwhile comes before it, each message with its reply.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use greenroom_core::{Author, Message, MessageId, PersonaName};

/// `stored` (oldest first) as `persona` sees it when it answers `burst` (one or several messages, oldest first). The
/// result contains the whole burst, even if `stored` lacks it. `answered`: later messages that the persona has answered
/// already, each with its reply. `replies`: replies of other personas after the burst, each with the message that it
/// answers.
pub(crate) fn in_lived_order(
    persona: &PersonaName,
    stored: Vec<Arc<Message>>,
    burst: &[&Message],
    answered: &BTreeMap<MessageId, MessageId>,
    replies: &BTreeMap<MessageId, MessageId>,
) -> Vec<Arc<Message>> {
    let (Some(first), Some(last)) = (burst.first(), burst.last()) else { return stored };
    let lived_until = answered.values().max();
    let (mut before, mut now, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let mut later = BTreeSet::new();
    for message in stored {
        let own = matches!(&message.author, Author::Persona { name } if name == persona);
        let person = matches!(message.author, Author::User { .. });
        match message.id {
            id if burst.iter().any(|b| b.id == id) => {}
            id if id < first.id || own || answered.contains_key(&id) => before.push(message),
            id if (id > last.id && person) || replies.get(&id).is_some_and(|to| later.contains(to)) => {
                later.insert(id);
            }
            // what people said to others in between
            _ if person => now.push(message),
            // replies of other personas that the persona has read already
            id if lived_until.is_some_and(|until| id < *until) => before.push(message),
            // replies of other personas meanwhile, for example of the one that spoke first
            _ => after.push(message),
        }
    }
    now.extend(burst.iter().map(|m| Arc::new((*m).clone())));
    now.sort_by_key(|message| message.id);
    before.append(&mut now);
    before.append(&mut after);
    before
}

#[cfg(test)]
mod tests {
    use greenroom_core::{MessageId, Timestamp};
    use proptest::prelude::*;

    use super::*;

    fn message(id: i64, who: &str) -> Message {
        let author = match who {
            "user" => Author::User { id: "u".parse().unwrap(), name: "Mo".into() },
            name => Author::Persona { name: name.parse().unwrap() },
        };
        let (channel, event_id) = ("terminal:default".parse().unwrap(), id.to_string());
        let text = format!("{who} {id}");
        Message { id: MessageId(id), at: Timestamp(id), ..Message::new(channel, event_id, author, text) }
    }

    fn seen_by(persona: &str, said: &[(i64, &str)], burst: &[i64]) -> Vec<i64> {
        seen_among(persona, said, burst, &[], &[])
    }

    fn seen_again(persona: &str, said: &[(i64, &str)], burst: &[i64], answered: &[(i64, i64)]) -> Vec<i64> {
        seen_among(persona, said, burst, answered, &[])
    }

    fn seen_among(
        persona: &str,
        said: &[(i64, &str)],
        burst: &[i64],
        answered: &[(i64, i64)],
        replies: &[(i64, i64)],
    ) -> Vec<i64> {
        let stored: Vec<_> = said.iter().map(|(id, who)| Arc::new(message(*id, who))).collect();
        let burst: Vec<_> = stored.iter().filter(|m| burst.contains(&m.id.0)).cloned().collect();
        let burst: Vec<&Message> = burst.iter().map(|m| &**m).collect();
        let pairs =
            |pairs: &[(i64, i64)]| pairs.iter().map(|(a, b)| (MessageId(*a), MessageId(*b))).collect();
        let (persona, answered, replies) = (persona.parse().unwrap(), pairs(answered), pairs(replies));
        let seen = in_lived_order(&persona, stored, &burst, &answered, &replies);
        seen.iter().map(|message| message.id.0).collect()
    }

    /// Before a fix, such a reply came without its question, after the message to be answered.
    #[test]
    fn what_others_reply_to_a_later_message_has_a_turn_of_its_own() {
        let said = [(1, "user"), (2, "user"), (3, "bob"), (4, "bob"), (5, "cleo")];
        // bob answers the later message and the one that is answered now; cleo answers bob
        assert_eq!(seen_among("ada", &said, &[1], &[], &[(3, 2), (4, 1), (5, 3)]), [1, 4]);
        assert_eq!(seen_among("ada", &said, &[1], &[], &[(3, 2), (4, 1), (5, 4)]), [1, 4, 5]);
    }

    #[test]
    fn what_was_answered_meanwhile_stands_before_a_message_that_is_answered_again() {
        let said = [(1, "user"), (2, "user"), (3, "bob"), (4, "ada"), (5, "user"), (6, "bob")];
        assert_eq!(seen_again("ada", &said, &[1], &[(2, 4)]), [2, 3, 4, 1, 6]);
    }

    #[test]
    fn its_own_late_reply_stands_before_what_it_answers_now() {
        let said = [(1, "user"), (2, "user"), (3, "user"), (4, "ada")];
        assert_eq!(seen_by("ada", &said, &[2, 3]), [1, 4, 2, 3]);
    }

    #[test]
    fn the_second_persona_sees_the_reply_of_the_first() {
        assert_eq!(seen_by("bob", &[(1, "user"), (2, "ada")], &[1]), [1, 2]);
    }

    #[test]
    fn what_people_said_to_others_stands_before_the_message_being_answered() {
        assert_eq!(
            seen_by("bob", &[(1, "user"), (2, "user"), (3, "ada"), (4, "user")], &[1, 4]),
            [1, 2, 4, 3]
        );
    }

    #[test]
    fn what_people_say_later_has_a_turn_of_its_own() {
        assert_eq!(seen_by("ada", &[(1, "user"), (2, "user")], &[1]), [1]);
    }

    #[test]
    fn a_burst_is_whole_even_after_a_reset() {
        let trigger = message(1, "user");
        let none = BTreeMap::new();
        let seen = in_lived_order(&"ada".parse().unwrap(), Vec::new(), &[&trigger], &none, &none);
        assert_eq!(seen, [Arc::new(trigger)]);
    }

    proptest! {
        /// The last word is never the persona's own.
        #[test]
        fn the_persona_never_answers_itself(said in prop::collection::vec(0..3usize, 1..12), at in 0..12usize) {
            let said: Vec<_> = said.iter().enumerate()
                .map(|(n, who)| (n as i64, ["user", "ada", "bob"][*who])).collect();
            let at = (at % said.len()) as i64;
            let seen = seen_by("ada", &said, &[at]);
            prop_assume!(said[at as usize].1 != "ada");
            prop_assert!(said[*seen.last().unwrap() as usize].1 != "ada");
            prop_assert!(seen.contains(&at));
        }
    }
}
