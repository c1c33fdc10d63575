//! Messages of a channel: its stored conversation counts, and a repetition is answered once.

use greenroom_tests::Answer;
use serde_json::json;
use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};

use crate::support::Served;

#[test]
fn in_a_channel_the_stored_conversation_counts_and_the_last_message_is_said() {
    let served = Served::with(&[("bo", "---\nname: bo\n---\nYou are Bo.")]);
    served.endpoint.push(Answer::text("Hi Mo."));
    served.script(
        r#"
def to_bo(messages, **more):
    return client.chat.completions.create(model="bo", messages=messages, **more)

to_bo([user("hello")], extra_headers={"X-Greenroom-Channel": "api:mo"})
to_bo([{"role": "system", "content": "Be rude."}, user("never said"),
       {"role": "assistant", "content": "neither this"}, user("how are you?")], metadata={"channel": "api:mo"},
      temperature=0.25, stop="END")
"#,
    );
    assert_eq!(
        served.last_messages(),
        ["system: You are Bo.", "user: hello", "assistant: Hi Mo.", "user: how are you?"]
    );
    let request = served.last_request();
    assert_eq!((&request["temperature"], &request["stop"]), (&json!(0.25), &json!("END")));
    served.script(r#"client.chat.completions.create(model="bo", messages=[user("who?")], metadata={"channel": "api:eve"})"#);
    assert_eq!(
        served.last_messages(),
        ["system: You are Bo.", "user: who?"],
        "another channel knows nothing"
    );
}

#[test]
fn gr6_a_repeated_key_brings_the_stored_reply_whole_and_in_pieces() {
    let served = Served::new();
    served.endpoint.push(Answer::text("The first answer."));
    served.endpoint.push(Answer::text("Another answer."));
    let said = served.script(
        r#"
first = in_channel("hello", key="k1")
again = in_channel("hello", key="k1")
pieces = list(in_channel("hello", key="k1", stream=True))
out([first.choices[0].message.content, again.choices[0].message.content,
     "".join(chunk.choices[0].delta.content or "" for chunk in pieces)])
out([first.id, again.id, pieces[0].id])
out(in_channel("hello", key="k2").choices[0].message.content)
"#,
    );
    assert_eq!(said[0], json!(vec!["The first answer."; 3]));
    assert_eq!((&said[1][0], &said[1][0]), (&said[1][1], &said[1][2]), "it is the same turn");
    assert_eq!(said[2], "Another answer.");
    assert_eq!(served.endpoint.chats().len(), 2);
}

#[test]
fn gr6_a_message_whose_turn_failed_is_answered_when_its_key_comes_again() {
    let served = Served::new();
    served.endpoint.push(Answer::error(401, "no such key"));
    let said = served.script(
        r#"
out(refusal(lambda: in_channel("hello", key="k1")))
out(in_channel("hello", key="k1").choices[0].message.content)
in_channel("and now?")
"#,
    );
    assert_eq!(said[0], json!(["InternalServerError", 502, "unauthorized", null]));
    assert_eq!(said[1], "ok");
    let sent = served.last_messages();
    assert_eq!(sent.iter().filter(|line| *line == "user: hello").count(), 1, "it was said once: {sent:?}");
}

/// However much was said since: the message is found by its key and its turns by the message (finding A2).
#[test]
fn gr6_a_key_is_known_after_a_thousand_later_messages() {
    let served = Served::new();
    served.endpoint.push(Answer::text("The first answer."));
    served.endpoint.push(Answer::error(401, "no such key"));
    let first = served.script(
        r#"
out(in_channel("hello", key="k1").choices[0].message.content)
out(refusal(lambda: in_channel("and?", key="k2")))
"#,
    );
    assert_eq!(first[1], json!(["InternalServerError", 502, "unauthorized", null]));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let file = SqliteConnectOptions::new().filename(served.home.data().join("greenroom.db"));
        let mut store = file.connect().await.unwrap();
        let later = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
             INSERT INTO messages
                 (channel_id, id, event_id, author, author_id, author_name, text, at, unhandled,
                  without_memory)
             SELECT (SELECT id FROM channels WHERE key = 'api:mo'), (SELECT last FROM message_ids) + i,
                 'later-' || i, 'user', 'eve', 'Eve', 'later ' || i, 1, 0, 0 FROM n";
        sqlx::query(later).execute(&mut store).await.unwrap();
        store.close().await.unwrap();
    });
    served.endpoint.push(Answer::text("The second answer."));
    let said = served.script(
        r#"
for key in ("k1", "k2", "k2"):
    out(in_channel("whatever", key=key).choices[0].message.content)
"#,
    );
    assert_eq!(said, ["The first answer.", "The second answer.", "The second answer."]);
    assert_eq!(served.endpoint.chats().len(), 3);
}

#[test]
fn the_sdk_does_not_say_a_message_twice_by_trying_again() {
    let served = Served::new();
    served.endpoint.push(Answer::error(401, "no such key"));
    let said = served.script(
        r#"
client = client.with_options(max_retries=2)
out(refusal(lambda: in_channel("hello")))
"#,
    );
    assert_eq!(said[0][1], 502);
    assert_eq!(served.endpoint.chats().len(), 1);
}

#[test]
fn whoever_hangs_up_finds_the_reply_stored() {
    let served = Served::new();
    served.endpoint.push(Answer::text("one two three").stall_after(1));
    served.script(
        r#"
stream = in_channel("count", key="k1", stream=True)
for chunk in stream:
    if chunk.choices[0].delta.content:
        break
stream.close()
"#,
    );
    served.endpoint.release();
    // the SDK tries again while the turn runs: 409 with `Retry-After`
    let said = served.script(
        r#"
client = client.with_options(max_retries=10)
out(in_channel("count", key="k1").choices[0].message.content)
"#,
    );
    assert_eq!(said[0], "one two three");
    assert_eq!(served.endpoint.chats().len(), 1);
}
