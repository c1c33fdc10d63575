//! Who answers, in which order, and why (RM2, RM3).

use std::collections::HashMap;

use greenroom_floor::{
    Decision, Inputs, Kind, Member, MemberId, Members, Message, Policy, Reason, RoomPolicy, WINDOW, Window,
    decide,
};

/// A room: ada, bert and cleo are personas, jo and kim people, `beep` is a bot.
struct Chat {
    members: Members,
    window: Window,
    last: Message,
    room: RoomPolicy,
}

impl Chat {
    fn new(policy: Policy) -> Self {
        let mut members = Members::new();
        ["ada", "bert", "cleo"]
            .iter()
            .for_each(|name| members.insert(Member::new(name, Kind::Persona, policy)));
        ["jo", "kim"].iter().for_each(|name| members.insert(Member::new(name, Kind::Person, Policy::Never)));
        members.insert(Member::new("beep", Kind::Bot, Policy::Never));
        let last = Message { id: 0, author: "".into(), text: String::new(), reply_to: None, at: 0 };
        Self { members, window: Window::new(), last, room: RoomPolicy::Free }
    }

    fn with(mut self, name: &str, policy: Policy) -> Self {
        self.members.insert(Member::new(name, Kind::Persona, policy));
        self
    }

    fn room(mut self, room: RoomPolicy) -> Self {
        self.room = room;
        self
    }

    fn reply(&mut self, author: &str, text: &str, to: Option<u64>) -> u64 {
        let id = self.last.id + 1;
        let at = self.last.at + 20;
        self.last = Message { id, author: author.into(), text: text.to_owned(), reply_to: to, at };
        self.window.push(&self.last, &self.members);
        id
    }

    fn say(&mut self, author: &str, text: &str) -> &mut Self {
        self.reply(author, text, None);
        self
    }

    fn decide(&self) -> Decision {
        self.decide_with(&Inputs::default())
    }

    fn decide_with(&self, inputs: &Inputs<'_>) -> Decision {
        decide(&self.window, &self.last, &self.members, self.room, inputs)
    }
}

fn speakers(decision: &Decision) -> Vec<&str> {
    decision.speakers().into_iter().map(|v| v.name.as_str()).collect()
}

fn reason<'a>(decision: &'a Decision, name: &str) -> &'a Reason {
    let verdict = decision.verdicts.iter().find(|v| v.name == name);
    verdict.map_or(&Reason::Unknown, |v| &v.reason)
}

/// An exchange of jo and ada, with kim and bert beside them.
fn exchange(chat: &mut Chat) {
    chat.say("jo", "ada: how do I grow tomatoes on a balcony?")
        .say("ada", "jo: in a deep pot, with stakes. Which way does the balcony face?")
        .say("kim", "bert: is the museum open today?")
        .say("bert", "kim: until six.")
        .say("jo", "ada: it faces south, and the pots are twenty litres")
        .say("ada", "jo: that is large enough for one tomato plant each")
        .say("jo", "and how often do I water tomatoes in such pots?");
}

#[test]
fn rm2_every_member_has_a_verdict_with_a_reason() {
    let mut chat = Chat::new(Policy::Mentioned);
    let decision = chat.say("jo", "ada: good morning").decide();
    assert_eq!(decision.verdicts.len(), 6);
    assert_eq!(reason(&decision, "ada"), &Reason::NamedFirst);
    assert_eq!(reason(&decision, "bert"), &Reason::NotMentioned);
    assert_eq!(reason(&decision, "jo"), &Reason::Author);
    assert_eq!(reason(&decision, "kim"), &Reason::Person);
    assert_eq!(reason(&decision, "beep"), &Reason::Bot);
}

#[test]
fn rm2_a_decision_reads_in_a_line_for_each_member() {
    let mut chat = Chat::new(Policy::Addressed);
    exchange(&mut chat);
    chat.say("jo", "ada: and the soil?");
    let text = chat.decide().to_string();
    assert!(text.starts_with("ada answers first: named at the beginning\n"), "{text}");
    assert!(text.contains("bert silent: the message is for ada ("), "{text}");
    assert!(text.lines().all(|line| line.len() < 90), "{text}");
}

#[test]
fn rm2_a_decision_can_be_stored_and_read() {
    let mut chat = Chat::new(Policy::Talkative(0.5));
    exchange(&mut chat);
    let decision = chat.decide();
    let stored = serde_json::to_string(&decision).expect("a decision can be stored");
    assert_eq!(serde_json::from_str::<Decision>(&stored).expect("a decision can be read"), decision);
}

#[test]
fn rm2_the_same_arguments_give_the_same_decision_and_the_seed_is_one_of_them() {
    let mut chat = Chat::new(Policy::Talkative(0.5));
    chat.say("jo", "what a day");
    let at = |seed| chat.decide_with(&Inputs { seed, ..Inputs::default() });
    assert_eq!(at(1), at(1));
    let drawn: Vec<usize> = (0..200).map(|seed| at(seed).speakers().len()).collect();
    let mean = drawn.iter().sum::<usize>() as f32 / 200.0;
    assert!((1.2..1.8).contains(&mean), "{mean}");
}

/// A message has no number when it is first decided, and has one when it is decided again.
#[test]
fn rm2_a_draw_does_not_depend_on_the_number_of_the_message() {
    let drawn = |number| {
        let mut chat = Chat::new(Policy::Talkative(0.5));
        chat.last.id = number;
        chat.say("jo", "what a day");
        let decide = |seed| chat.decide_with(&Inputs { seed, ..Inputs::default() }).verdicts;
        (0..50).map(decide).collect::<Vec<_>>()
    };
    assert!(drawn(6) == drawn(6_000));
}

#[test]
fn rm2_members_answer_in_the_order_in_which_they_are_named() {
    let mut chat = Chat::new(Policy::Mentioned);
    assert_eq!(speakers(&chat.say("jo", "@cleo, what do @bert and you think?").decide()), ["cleo", "bert"]);
    assert_eq!(speakers(&chat.say("jo", "have bert or ada seen it?").decide()), ["bert", "ada"]);
    assert_eq!(speakers(&chat.say("jo", "has bert seen ada").decide()), ["bert", "ada"]);
    assert_eq!(speakers(&chat.say("jo", "hi cleo, and ada, have you seen bert").decide()), ["cleo", "ada"]);
}

#[test]
fn rm2_a_name_need_not_be_spelt_out() {
    let mut chat = Chat::new(Policy::Mentioned);
    chat.say("cleo", "good evening").say("bert", "hello");
    assert_eq!(speakers(&chat.say("jo", "Cleo, are you there?").decide()), ["cleo"]);
    assert_eq!(speakers(&chat.say("jo", "cle: are you there?").decide()), ["cleo"]);
    assert!(speakers(&chat.say("jo", "belt: are you there?").decide()).is_empty(), "another word");
    assert!(speakers(&chat.say("jo", "mail me at jo@bert.example").decide()).is_empty());
}

#[test]
fn rm2_a_name_of_two_words_and_an_alias_are_names() {
    let mut chat = Chat::new(Policy::Mentioned);
    let names = vec!["Ada Lovelace".to_owned(), "countess".to_owned()];
    chat.members.insert(Member { id: "ada-2".into(), kind: Kind::Persona, names, policy: Policy::Mentioned });
    assert_eq!(speakers(&chat.say("jo", "Ada Lovelace: a word?").decide()), ["Ada Lovelace"]);
    assert_eq!(speakers(&chat.say("jo", "@countess a word?").decide()), ["Ada Lovelace"]);
    assert_eq!(speakers(&chat.say("jo", "ada: a word?").decide()), ["ada"]);
}

#[test]
fn rm2_a_name_that_is_an_ordinary_word_here_mentions_nobody_in_the_middle() {
    let mut chat = Chat::new(Policy::Mentioned).with("help", Policy::Mentioned);
    for i in 0..30 {
        chat.say("kim", &format!("can anybody help me with thing {i}"));
    }
    assert!(speakers(&chat.say("jo", "please help me with this").decide()).is_empty());
    assert_eq!(speakers(&chat.say("jo", "help: please be quick").decide()), ["help"]);
}

#[test]
fn rm2_what_was_said_meanwhile_settles_a_message() {
    let mut chat = Chat::new(Policy::Always).with("bert", Policy::Talkative(1.0));
    let id = chat.reply("jo", "what is the capital of France?", None);
    let question = chat.last.clone();
    assert_eq!(speakers(&chat.decide()), ["bert", "ada", "cleo"]);
    chat.reply("ada", "Paris", Some(id));
    let decision = decide(&chat.window, &question, &chat.members, RoomPolicy::Free, &Inputs::default());
    assert_eq!(reason(&decision, "ada"), &Reason::Answered);
    assert_eq!(reason(&decision, "bert"), &Reason::Settled { by: "ada".into() });
    assert_eq!(speakers(&decision), ["cleo"], "cleo answers everything");
}

#[test]
fn rm2_a_window_is_bounded_and_hears_a_message_once() {
    let mut chat = Chat::new(Policy::Mentioned);
    for i in 0..1000_u64 {
        let name = format!("guest{i}");
        chat.members.insert(Member::new(&name, Kind::Person, Policy::Never));
        chat.say(&name, &format!("guest{}: hello number {i}", i / 2));
    }
    let before = chat.decide();
    let last = chat.last.clone();
    chat.window.push(&last, &chat.members);
    assert_eq!(chat.decide(), before);
    let forgotten = Message { id: last.id - WINDOW as u64 - 1, ..last };
    let decision = decide(&chat.window, &forgotten, &chat.members, RoomPolicy::Free, &Inputs::default());
    assert!(decision.verdicts.iter().all(|v| v.reason == Reason::Unknown));
}

#[test]
fn rm3_a_persona_that_never_answers_is_silent_even_when_it_is_named() {
    let mut chat = Chat::new(Policy::Mentioned).with("ada", Policy::Never);
    let decision = chat.say("jo", "ada: hello?").decide();
    assert_eq!(reason(&decision, "ada"), &Reason::Never);
}

#[test]
fn rm3_mentioned_is_by_name_by_at_and_by_a_reply() {
    let mut chat = Chat::new(Policy::Mentioned);
    let id = chat.reply("ada", "the tea is ready", None);
    chat.reply("jo", "wonderful", Some(id));
    assert_eq!(reason(&chat.decide(), "ada"), &Reason::RepliedTo);
    assert_eq!(speakers(&chat.decide()), ["ada"]);
    assert!(speakers(&chat.say("jo", "where is the sugar").decide()).is_empty());
}

#[test]
fn rm3_addressed_is_also_what_goes_on_with_an_exchange() {
    let mut chat = Chat::new(Policy::Addressed);
    exchange(&mut chat);
    let decision = chat.decide();
    assert_eq!(speakers(&decision), ["ada"], "{decision}");
    assert!(matches!(reason(&decision, "ada"), Reason::Addressed { .. }), "{decision}");
    // the same message leaves personas silent that answer mentions only
    let mut chat = Chat::new(Policy::Mentioned);
    exchange(&mut chat);
    assert!(speakers(&chat.decide()).is_empty());
}

#[test]
fn rm3_addressed_needs_no_name_where_nobody_else_is() {
    let mut members = Members::new();
    members.insert(Member::new("ada", Kind::Persona, Policy::Addressed));
    members.insert(Member::new("jo", Kind::Person, Policy::Never));
    let mut window = Window::new();
    let message = Message { id: 1, author: "jo".into(), text: "good morning".into(), reply_to: None, at: 0 };
    window.push(&message, &members);
    let decision = decide(&window, &message, &members, RoomPolicy::Free, &Inputs::default());
    assert_eq!(speakers(&decision), ["ada"]);
}

/// A name in a message outweighs an earlier exchange, even the name of a persona that has not spoken yet.
#[test]
fn rm3_a_message_that_names_another_persona_is_not_for_this_one() {
    for text in ["@cleo how do I do that?", "cleo: and how do I water them?", "and how do I do that, @cleo?"]
    {
        let mut chat = Chat::new(Policy::Addressed);
        exchange(&mut chat);
        chat.say("jo", text);
        let decision = chat.decide();
        assert_eq!(speakers(&decision), ["cleo"], "{text}");
        assert_eq!(reason(&decision, "ada"), &Reason::ForAnother { who: "cleo".into(), p: 1.0 }, "{text}");
    }
}

/// The cooldown after an answer applies to unasked answers alone.
#[test]
fn rm3_what_is_addressed_to_a_persona_is_answered_though_it_has_just_spoken() {
    let mut chat = Chat::new(Policy::Addressed);
    exchange(&mut chat);
    let resting = ["ada", "bert"].into_iter().map(MemberId::from).collect();
    let decision = chat.decide_with(&Inputs { resting: Some(&resting), ..Inputs::default() });
    assert_eq!(decision.speakers(), chat.decide().speakers());
    let mut chat = Chat::new(Policy::Always);
    chat.say("jo", "what a day");
    let decision = chat.decide_with(&Inputs { resting: Some(&resting), ..Inputs::default() });
    assert_eq!(speakers(&decision), ["cleo"]);
    assert_eq!(reason(&decision, "ada"), &Reason::Resting);
}

#[test]
fn rm3_a_quotation_mentions_nobody() {
    let mut chat = Chat::new(Policy::Mentioned);
    chat.say("jo", "> ada said it\nNo, that was me.");
    assert_eq!(speakers(&chat.decide()), [""; 0]);
    chat.say("jo", "> what a day\nada, was it?");
    assert_eq!(speakers(&chat.decide()), ["ada"]);
    assert_eq!(greenroom_floor::unquoted("> all of it"), "> all of it");
}

#[test]
fn rm3_relevant_is_also_what_reaches_the_threshold() {
    let mut chat = Chat::new(Policy::Relevant(0.6));
    chat.say("jo", "tomatoes grow badly this year");
    let scores: HashMap<MemberId, f32> =
        HashMap::from([("ada".into(), 0.9), ("bert".into(), 0.6), ("cleo".into(), 0.59)]);
    let decision = chat.decide_with(&Inputs { scores: Some(&scores), ..Inputs::default() });
    assert_eq!(speakers(&decision), ["ada", "bert"]);
    assert_eq!(reason(&decision, "cleo"), &Reason::Irrelevant { score: 0.59, threshold: 0.6 });
    assert!(speakers(&chat.decide()).is_empty(), "without scores nothing is relevant");
}

#[test]
fn rm3_talkative_is_also_what_is_drawn() {
    let mut chat = Chat::new(Policy::Talkative(0.0)).with("ada", Policy::Talkative(1.0));
    assert_eq!(speakers(&chat.say("jo", "what a day").decide()), ["ada"]);
}

#[test]
fn rm3_always_is_whatever_is_said_by_whomever() {
    let mut chat = Chat::new(Policy::Always);
    assert_eq!(speakers(&chat.say("jo", "kim: see you").decide()), ["ada", "bert", "cleo"]);
    assert_eq!(speakers(&chat.say("ada", "good bye").decide()), ["bert", "cleo"]);
}

#[test]
fn rm3_in_a_round_robin_one_answers_each_message_in_turn() {
    let mut chat = Chat::new(Policy::Mentioned).room(RoomPolicy::RoundRobin);
    for expected in ["ada", "bert", "cleo", "ada"] {
        let id = chat.reply("jo", "go on with the story", None);
        let message = chat.last.clone();
        assert_eq!(speakers(&chat.decide()), [expected]);
        chat.reply(expected, "and then it rained", Some(id));
        let again = decide(&chat.window, &message, &chat.members, chat.room, &Inputs::default());
        assert!(speakers(&again).is_empty(), "one answer is enough: {again}");
    }
    assert_eq!(speakers(&chat.say("jo", "cleo: you now").decide()), ["cleo"], "who is named comes first");
}

/// SillyTavern#5667: both personas answered when the text spoke to one and only named the other.
#[test]
fn rm3_a_persona_that_is_merely_named_stays_silent() {
    for (text, meant) in [
        ("ada, what does cleo think?", "ada"),
        ("cleo: did ada tell you?", "cleo"),
        ("bert, ask cleo", "bert"),
        ("hi ada, have you seen cleo?", "ada"),
        ("did cleo call you, @ada?", "ada"),
        ("Bert, wo ist Cleo?", "bert"),
    ] {
        for room in [RoomPolicy::Free, RoomPolicy::RoundRobin, RoomPolicy::Quiet] {
            for policy in [Policy::Mentioned, Policy::Addressed] {
                let mut chat = Chat::new(policy).room(room);
                assert_eq!(speakers(&chat.say("jo", text).decide()), [meant], "{text} ({room:?})");
            }
        }
    }
    let decision = Chat::new(Policy::Mentioned).say("jo", "ada, what does cleo think?").decide();
    assert_eq!(reason(&decision, "cleo"), &Reason::ForAnother { who: "ada".into(), p: 1.0 });
}

#[test]
fn rm3_several_who_are_spoken_to_answer_all() {
    for text in [
        "ada and cleo, what do you think?",
        "ada, cleo: what do you think?",
        "Ada & Cleo what do you think",
        "Ada und Cleo, wo seid ihr?",
        "hi ada, and cleo, are you there?",
        "I would like to know what ada says, and what cleo says",
    ] {
        let mut chat = Chat::new(Policy::Mentioned);
        assert_eq!(speakers(&chat.say("jo", text).decide()), ["ada", "cleo"], "{text}");
    }
}

#[test]
fn rm3_a_moderator_chooses_and_when_it_fails_the_room_is_free() {
    let mut chat = Chat::new(Policy::Mentioned).with("bert", Policy::Never).room(RoomPolicy::Moderator);
    chat.say("jo", "ada: who wants to begin?");
    let chosen: Vec<MemberId> = vec!["cleo".into(), "ada".into(), "bert".into()];
    let decision = chat.decide_with(&Inputs { chosen: Some(&chosen), ..Inputs::default() });
    assert_eq!(speakers(&decision), ["cleo", "ada"], "bert never answers");
    let nobody = chat.decide_with(&Inputs { chosen: Some(&[]), ..Inputs::default() });
    assert_eq!(reason(&nobody, "cleo"), &Reason::NotChosen);
    assert_eq!(speakers(&nobody), ["ada"], "it is mentioned");
    assert_eq!(speakers(&chat.decide()), ["ada"]);
}

#[test]
fn rm3_in_a_quiet_room_mentions_only_are_answered() {
    let mut chat = Chat::new(Policy::Always).room(RoomPolicy::Quiet);
    let decision = chat.say("jo", "bert: a question").decide();
    assert_eq!(speakers(&decision), ["bert"]);
    assert_eq!(reason(&decision, "ada"), &Reason::Quiet);
}

#[test]
fn rm3_who_is_mentioned_answers_whatever_the_moderator_chooses() {
    let mut chat = Chat::new(Policy::Mentioned).room(RoomPolicy::Moderator);
    chat.say("jo", "what do you think, @bert?");
    let speakers = |chosen: &[MemberId]| {
        let decision = chat.decide_with(&Inputs { chosen: Some(chosen), ..Inputs::default() });
        decision
            .speakers()
            .iter()
            .map(|verdict| (verdict.name.clone(), verdict.reason.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(speakers(&[]), [("bert".to_owned(), Reason::Named { place: 1 })]);
    let both = speakers(&["ada".into()]);
    assert_eq!(both[0], ("ada".to_owned(), Reason::Chosen { place: 1 }));
    assert_eq!(both[1].0, "bert");
}
