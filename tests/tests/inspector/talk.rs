//! Talking, and what is seen of it.

use greenroom_tests::Answer;
use serde_json::json;

use crate::stage::Stage;

#[test]
fn a_reply_is_seen_as_it_comes_and_can_be_stopped() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("One two three four").stall_after(2));
    stage.endpoint.push(Answer::text("Five six seven").stall_after(1));
    stage.play("talk.mjs", "streams");
    stage.endpoint.wait_for_hang_ups(1);
}

#[test]
fn gr3_the_budget_bar_opens_into_the_exact_text_that_was_sent() {
    let stage = Stage::new();
    let seen = stage.play("talk.mjs", "context");
    let chats = stage.endpoint.chats();
    let sent: Vec<_> =
        chats[0]["messages"].as_array().unwrap().iter().map(|m| m["content"].clone()).collect();
    assert_eq!(seen[0]["request"], json!(sent), "the request, word for word");
    let system = sent[0].as_str().unwrap();
    assert!(system.contains(seen[0]["system"].as_str().unwrap()), "{system}\n{}", seen[0]);
    assert_eq!(seen[0]["history"], "Why is the sky blue?\nShortly, please.");
}

#[test]
fn a_tool_call_its_result_and_its_notice_are_seen() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::tool_call("remember", &json!({ "text": "the deploy is on Tuesday" })));
    stage.endpoint.push(Answer::text("Noted."));
    stage.play("talk.mjs", "tools");
}

#[test]
fn a_turn_that_fails_says_why() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::error(401, "no such key"));
    stage.play("talk.mjs", "fails");
}

#[test]
fn a_reload_comes_back_to_persona_channel_and_history() {
    let stage = Stage::new();
    stage.play("talk.mjs", "reload");
}

#[test]
fn a_broken_event_stream_is_taken_up_where_it_broke() {
    let stage = Stage::new();
    stage.play("talk.mjs", "reconnects");
}

#[test]
fn two_personas_are_compared_and_no_model_is_asked() {
    let stage = Stage::new();
    stage.play("talk.mjs", "compares");
    assert!(stage.endpoint.chats().is_empty());
}

#[test]
fn the_cast_is_seen_with_its_states_and_tokens_and_can_be_stopped() {
    let stage = Stage::new();
    stage.play("talk.mjs", "cast");
}

#[test]
fn wb12_what_a_persona_used_and_may_use_stands_beside_its_name() {
    let stage = Stage::new();
    stage.play("talk.mjs", "usage");
}
