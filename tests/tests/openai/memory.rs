//! What is recalled for whom.

use crate::support::Served;

#[test]
fn wb7_a_conversation_without_a_channel_sees_what_holds_everywhere_and_nothing_else() {
    let served = Served::new();
    served.greenroom(&["memory", "add", "the secret word is lynx", "--global"]);
    served.greenroom(&["memory", "add", "the secret word is heron", "--channel", "api:mo"]);
    served.script(
        r#"
in_channel("Remember that the secret word is otter")
answer = ask("What is the secret word?")
out([memory["text"] for memory in answer.greenroom["memories"]])
"#,
    );
    let sent = served.last_messages().join("\n");
    assert!(sent.contains("lynx"), "{sent}");
    assert!(!sent.contains("heron") && !sent.contains("otter"), "{sent}");
    served.script(r#"in_channel("What is the secret word?")"#);
    let sent = served.last_messages().join("\n");
    assert!(sent.contains("lynx") && sent.contains("heron") && sent.contains("otter"), "{sent}");
}

#[test]
fn bd5_what_was_recalled_stands_in_the_answer() {
    let served = Served::new();
    served.greenroom(&["memory", "add", "the secret word is lynx", "--global"]);
    let said = served.script(
        r#"
out([memory["text"] for memory in ask("What is the secret word?").greenroom["memories"]])
"#,
    );
    assert_eq!(said[0], serde_json::json!(["the secret word is lynx"]));
}

#[test]
fn bd6_memory_is_switched_off_by_a_header_or_a_field() {
    let served = Served::new();
    served.greenroom(&["memory", "add", "the secret word is lynx", "--global"]);
    for more in [r#"extra_headers={"X-Greenroom-No-Memory": "1"}"#, r#"extra_body={"disable_memory": True}"#]
    {
        served.script(&format!(r#"ask("What is the secret word?", {more})"#));
        let sent = served.last_messages().join("\n");
        assert!(!sent.contains("lynx"), "{more}: {sent}");
        assert!(served.last_request().get("tools").is_none(), "nor may it look for itself");
    }
    served.script(r#"in_channel("What is the secret word?", extra_body={"disable_memory": True})"#);
    let sent = served.last_messages().join("\n");
    assert!(!sent.contains("lynx"), "in a channel too: {sent}");
}
