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
fn a_stopped_reply_stands_behind_what_was_said_before_it() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("One"));
    stage.endpoint.push(Answer::text("Two three").stall_after(1));
    stage.play("talk.mjs", "stopped");
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
fn a_text_that_is_sent_before_a_channel_is_open_is_kept() {
    let stage = Stage::new();
    stage.play("talk.mjs", "early");
}

/// After tool rounds the context of the last request takes the place of the one that was heard.
#[test]
fn what_is_open_in_a_context_stays_open_when_the_context_is_drawn_anew() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::tool_call("remember", &json!({ "text": "the deploy is on Tuesday" })));
    stage.play("talk.mjs", "settles");
}

#[test]
fn a_text_that_was_not_sent_stands_there_once_when_it_is_sent_again() {
    let stage = Stage::new();
    stage.play("talk.mjs", "resent");
}

#[test]
fn a_broken_event_stream_is_taken_up_where_it_broke() {
    let stage = Stage::new();
    stage.play("talk.mjs", "reconnects");
}

#[test]
fn a_broken_socket_is_taken_up_where_it_broke() {
    let stage = Stage::new();
    stage.play("talk.mjs", "reconnects_socket");
}

#[test]
fn many_tabs_are_live_and_a_busy_channel_is_stopped() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("One two").stall_after(1));
    stage.play("talk.mjs", "busy");
}

#[test]
fn the_persona_of_the_settings_is_addressed_where_nobody_is_a_member() {
    let stage = Stage::set_up("Bob Ross", "persona = 'bob'\n");
    stage.play("talk.mjs", "standard");
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

/// A reply with everything Markdown has, and what only looks like it.
const MARKDOWN: &str = r#"# Plan for today ##

A **bold** and *slanted* word, `a*b*c`, *a **very** b* and ``<i>``.
snake_case_name 2 * 3 * 4 \*not slanted\* **open

```rust
let x = "<b>*no*</b>";

# none
```

- one
  still one
- two
  - nested

3. three
4. four

> said
> so

| a | b \| c |
|---|:-:|
| 1 | 2 |
| 3 |

See [docs](https://docs.example/a_(b) "title"), https://bare.example/x_y_z, [mail](mailto:a@b.example)
and ![cat](https://img.example/cat.png).
"#;

/// What a hostile model writes to get out of its text.
const ATTACK: &str = r#"<script>window.pwned=1</script><img src=x onerror=window.pwned=1>

[a](javascript:window.pwned=1) [b](JaVaScRiPt:window.pwned=1) [c](data:text/html,<script>window.pwned=1</script>)
[d](vbscript:x) [e]( javascript:x) [f](<javascript:x>) [g](\x01javascript:x) <javascript:window.pwned=1>
[h](//evil.example/x) [i](file:///etc/passwd) [j](blob:x) [k](https://ok.example/"onmouseover="window.pwned=1)
![x](https://evil.example/pixel.png) ![y](javascript:window.pwned=1) ![z" onerror="window.pwned=1](https://evil.example/z)
[**l** <img src=x>](https://ok.example) `<img src=x onerror=window.pwned=1>` <https://ok.example/<b>>

```html" onmouseover="window.pwned=1
<img src=x onerror=window.pwned=1>
```

# <svg onload=window.pwned=1>

[https://bank.example/login](https://evil.example/) [**see** <https://bank.example/login>](https://evil.example/)

- <a href="javascript:window.pwned=1">x</a>
> <iframe srcdoc="<script>parent.pwned=1</script>"></iframe>
"#;

#[test]
fn a_reply_is_shown_as_markdown() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text(MARKDOWN));
    stage.play("talk.mjs", "markdown");
}

#[test]
fn markdown_gives_a_hostile_reply_no_way_out() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text(ATTACK));
    stage.play("talk.mjs", "attacked");
}

#[test]
fn a_channel_opens_at_its_end_and_stays_there() {
    let stage = Stage::new();
    for _ in 0..3 {
        stage.endpoint.push(Answer::text(&"A line of a long reply.\n\n".repeat(40)));
    }
    stage.play("talk.mjs", "end");
}

#[test]
fn an_address_of_no_channel_or_no_persona_is_a_visible_error() {
    let stage = Stage::new();
    stage.play("talk.mjs", "lost");
}

#[test]
fn personas_are_told_apart_and_no_button_wraps_alone() {
    let stage = Stage::new();
    stage.play("talk.mjs", "names");
}
