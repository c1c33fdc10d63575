//! The output of a turn, for a person and for a program.

use greenroom_core::{ContextBudget, EventId, MessageId, NoticeCode, ReceiptItem, TurnId};
use serde_json::json;

use super::*;
use crate::term::Color;

type Plain = Renderer<Vec<u8>, Vec<u8>>;

fn renderer(show: Show) -> Plain {
    let mut style = Style::stderr(Color::Never);
    style.terminal = true;
    Renderer::new(show, Vec::new(), Vec::new(), style)
}

fn play(renderer: &mut Plain, events: Vec<ChatEvent>) -> Option<Ended> {
    play_of("ada", renderer, events)
}

fn play_of(persona: &str, renderer: &mut Plain, events: Vec<ChatEvent>) -> Option<Ended> {
    let mut ended = None;
    for event in events {
        assert_eq!(ended, None, "nothing comes after the last event");
        let event = TurnEvent {
            id: EventId::default(),
            turn_id: TurnId(Default::default()),
            persona: persona.parse().unwrap(),
            channel: "terminal:default".parse().unwrap(),
            event,
        };
        ended = renderer.event(&event).unwrap();
    }
    ended
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A persona's colour depends on its index in the cast, so it is the same in every session.
#[test]
fn rm7_a_persona_keeps_its_colour() {
    let persona = |name: &str| greenroom_persona::Persona::new(name.parse().unwrap(), "");
    let mut cast = Cast::default();
    cast.personas = vec![persona("ada"), persona("bob")];
    for order in [["ada", "bob"], ["bob", "ada"]] {
        let style = Style::stderr(Color::Always);
        let mut r = Renderer::new(Show::Streamed, Vec::new(), Vec::new(), style);
        r.headings = true;
        r.recast(&cast);
        for who in order {
            play_of(who, &mut r, vec![started(), delta("hi"), done("hi")]);
        }
        let shown = text(&r.out);
        assert!(
            shown.contains("\x1b[1;36mAda\x1b[0m: hi") && shown.contains("\x1b[1;35mBob\x1b[0m: hi"),
            "{shown:?}"
        );
    }
}

fn delta(text: &str) -> ChatEvent {
    ChatEvent::TokenDelta { text: text.into() }
}

fn done(text: &str) -> ChatEvent {
    let usage = Usage { prompt_tokens: 10, completion_tokens: 2, estimated: false, cost_micros: 0 };
    ChatEvent::Done { text: text.into(), message_id: MessageId(2), finish: Finish::Stop, usage }
}

fn started() -> ChatEvent {
    ChatEvent::TurnStarted { trigger: MessageId(1), model: "m".into(), why: "".into() }
}

fn memory() -> ChatEvent {
    memory_of(0.82)
}

fn memory_of(score: f32) -> ChatEvent {
    let text = "I prefer\nconcise answers".into();
    let snippet =
        MemorySnippet { id: "m1".into(), text, category: "preference".into(), score, source: "".into() };
    ChatEvent::MemoryContext { memories: [snippet].into() }
}

/// A context in which the memory `m1` has this outcome.
fn context(outcome: Outcome) -> ChatEvent {
    let item = ReceiptItem {
        section: Section::Memories,
        id: "m1".into(),
        preview: "".into(),
        tokens: 6,
        score: Some(0.82),
        outcome,
        reason: "".into(),
    };
    let budget =
        ContextBudget { total_tokens: 120, system_tokens: 100, history_messages: 1, ..Default::default() };
    let receipt = Receipt {
        model: "m".into(),
        window: 1000,
        reserve: 100,
        counter: "o200k".into(),
        exact: true,
        budget,
        items: vec![item],
        notes: Vec::new(),
        reusable_prefix: None,
    };
    ChatEvent::ContextAssembled { receipt: receipt.into() }
}

#[test]
fn bd5_what_was_recalled_is_one_line_beside_the_reply() {
    let mut r = renderer(Show::Streamed);
    assert_eq!(
        play(&mut r, vec![memory(), context(Outcome::Kept), delta("Sure"), delta("."), done("Sure.")]),
        Some(Ended::Replied)
    );
    assert_eq!(text(&r.out), "Sure.\n");
    assert_eq!(text(&r.err), "recalled “I prefer concise answers” (preference, m1, relevance 0.82)\n");
}

#[test]
fn what_the_request_does_not_hold_is_not_called_recalled() {
    let mut r = renderer(Show::Streamed);
    play(&mut r, vec![memory(), context(Outcome::Dropped), delta("Sure."), done("Sure.")]);
    assert_eq!((text(&r.out), text(&r.err)), ("Sure.\n", ""));
}

#[test]
fn what_is_hardly_relevant_is_not_called_recalled() {
    let mut r = renderer(Show::Streamed);
    play(&mut r, vec![memory_of(0.29), context(Outcome::Kept), delta("Sure."), done("Sure.")]);
    assert_eq!((text(&r.out), text(&r.err)), ("Sure.\n", ""));
}

#[test]
fn rm7_a_reply_cannot_speak_for_another_persona() {
    let mut cast = Cast::default();
    for name in ["ada", "wick"] {
        cast.personas.push(greenroom_persona::Persona::new(name.parse().unwrap(), ""));
    }
    for (show, deltas) in [(Show::Streamed, ["Yes.\n", "\nwick: No."]), (Show::Whole, ["", ""])] {
        let mut r = renderer(show);
        r.headings = true;
        r.recast(&cast);
        let said = deltas.map(delta);
        play(&mut r, [vec![started()], said.to_vec(), vec![done("Yes.\n\nwick: No.")]].concat());
        assert_eq!(text(&r.out), "Ada: Yes.\n\n  wick: No.\n");
    }
}

#[test]
fn each_reply_bears_the_name_of_its_own_persona() {
    let mut cast = Cast::default();
    let mut wick = greenroom_persona::Persona::new("wick".parse().unwrap(), "");
    wick.display_name = "Old Wick".into();
    cast.personas.push(wick);
    for (show, headings, expected) in [
        (Show::Streamed, true, "ada: One.\nOld Wick: Two.\n"),
        (Show::Whole, true, "ada: One.\nOld Wick: Two.\n"),
        (Show::Whole, false, "One.\nTwo.\n"),
    ] {
        let mut r = renderer(show);
        r.headings = headings;
        r.recast(&cast);
        play_of("ada", &mut r, vec![started(), delta("One."), done("One.")]);
        play_of("wick", &mut r, vec![started(), delta("Two."), done("Two.")]);
        assert_eq!(text(&r.out), expected);
    }
}

#[test]
fn wb14_that_the_context_is_nearly_full_is_said_once_a_chat() {
    let mut r = renderer(Show::Whole);
    for _ in 0..2 {
        let notice = ChatEvent::Notice { code: NoticeCode::ContextWarning, message: "nearly full".into() };
        play(&mut r, vec![notice, done("Sure.")]);
    }
    assert_eq!(text(&r.err), "nearly full\n");
}

#[test]
fn the_budget_line_is_shown_on_request() {
    let mut r = renderer(Show::Whole);
    r.budget = true;
    play(&mut r, vec![context(Outcome::Dropped), done("Sure.")]);
    insta::assert_snapshot!(text(&r.err), @"120 of 1000 tokens: system 100, tools 0, project 0, memories 0, history 0 (1 message) · used 10 + 2");
}

#[test]
fn l6_without_a_terminal_a_discarded_beginning_never_reaches_stdout() {
    let events = || {
        vec![
            delta("Half a"),
            ChatEvent::ReplyDiscarded { reason: "reset".into() },
            delta("Whole."),
            done("Whole."),
        ]
    };
    let mut r = renderer(Show::Whole);
    play(&mut r, events());
    assert_eq!(text(&r.out), "Whole.\n");
    let mut r = renderer(Show::Streamed);
    play(&mut r, events());
    assert_eq!(text(&r.out), "Half a\nWhole.\n");
    assert!(text(&r.err).contains("the reply so far is void"));
}

#[test]
fn a_failure_says_what_and_why_and_leaves_stdout_clean() {
    let mut r = renderer(Show::Whole);
    let failed =
        ChatEvent::Failed { code: ErrorCode::Unauthorized, message: "refused; set OPENAI_API_KEY".into() };
    assert_eq!(play(&mut r, vec![delta("x"), failed]), Some(Ended::Failed(ErrorCode::Unauthorized)));
    assert_eq!(text(&r.out), "");
    assert_eq!(text(&r.err), "error: refused; set OPENAI_API_KEY (unauthorized)\n");
}

#[test]
fn a_tool_call_is_one_line() {
    let mut r = renderer(Show::Streamed);
    let call = ChatEvent::ToolCall {
        id: "1".into(),
        name: "recall".into(),
        arguments: json!({"query": "tea"}),
        round: 1,
    };
    let result =
        ChatEvent::ToolResult { id: "1".into(), name: "recall".into(), ok: true, content: "a\nb".into() };
    play(
        &mut r,
        vec![delta("Let me see"), call, result, delta("\n\n"), delta("Tea."), done("Let me seeTea.")],
    );
    assert_eq!(text(&r.out), "Let me see\nTea.\n");
    assert_eq!(text(&r.err), "recall(query: \"tea\") → a b\n");
}

#[test]
fn json_is_one_event_a_line_and_nothing_else() {
    let mut r = renderer(Show::Json);
    let notice = ChatEvent::Notice { code: NoticeCode::Retrying, message: "again".into() };
    play(&mut r, vec![memory(), notice, delta("\x1b[2J"), done("x")]);
    let lines: Vec<TurnEvent> =
        text(&r.out).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[2].event, delta("\x1b[2J"));
    assert_eq!((text(&r.err), text(&r.out).contains('\x1b')), ("", false));
}

#[test]
fn x14_control_sequences_of_a_reply_do_not_reach_the_terminal() {
    let mut r = renderer(Show::Streamed);
    play(&mut r, vec![memory(), context(Outcome::Kept), delta("\x1b]0;x\x07"), done("")]);
    assert_eq!(text(&r.out), "␛]0;x␇\n");
}
