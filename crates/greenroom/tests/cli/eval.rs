//! Tests `greenroom eval recall` on two small invented conversations, and `greenroom eval floor` on a chat.

use greenroom_tests::Home;
use insta::assert_snapshot;

use crate::run;

/// Two conversations. The question `unasked` has no answer, and one of the answers of `both` is not a message.
const TALKS: &str = concat!(
    r#"{"id":"kitchen","messages":["#,
    r#"{"id":"k1","session":"s1","speaker":"Ann","text":"The oven broke down again, right before dinner.","at":"2024-03-01T18:00:00Z"},"#,
    r#"{"id":"k2","session":"s1","speaker":"Bob","text":"I ordered a violin for my daughter.","at":"2024-03-01T18:01:00Z"},"#,
    r#"{"id":"k3","session":"s2","speaker":"Ann","text":"The electrician repaired the oven.","at":"7:30 pm on 4 March, 2024"}],"#,
    r#""questions":["#,
    r#"{"id":"one","text":"Which instrument did Bob order, a violin?","category":"single-hop","gold":["k2"]},"#,
    r#"{"id":"both","text":"What happened to the oven, and who repaired it?","category":"multi-hop","gold":["k1","k3","k9"]},"#,
    r#"{"id":"unasked","text":"Who won?","category":"single-hop","gold":[]}]}"#,
    "\n",
    r#"{"id":"harbour","messages":["#,
    r#"{"id":"h1","speaker":"Cy","text":"My boat is called Marigold.","at":"2024-04-02"},"#,
    r#"{"id":"h2","speaker":"Di","text":"We sail to Norway in June.","at":"2024-04-03"}],"#,
    r#""questions":["#,
    r#"{"id":"trap","text":"What is the name of the boat?","category":"adversarial","gold":["h1"]},"#,
    r#"{"id":"where","text":"Where do they sail in June?","category":"single-hop","gold":["h2"]}]}"#,
    "\n",
);

#[test]
fn figures_are_shown_by_category_and_one_store_gives_the_same() {
    let home = Home::new();
    home.write("talks.jsonl", TALKS);
    let (code, out, err) = run(&home, &["eval", "recall", "talks.jsonl", "--k", "1,2"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_snapshot!(out, @r"
    2 conversations, 5 messages, 5 questions · static-words-256@4

    PERCENT              QUESTIONS  RECALL@1  RECALL@2  HIT@1  HIT@2  MRR    NDCG@10
    overall              3          83.3      100.0     100.0  100.0  100.0  100.0
    adversarial (apart)  1          100.0     100.0     100.0  100.0  100.0  100.0
    multi-hop            1          50.0      100.0     100.0  100.0  100.0  100.0
    single-hop           2          100.0     100.0     100.0  100.0  100.0  100.0
    overall, one store   3          83.3      100.0     100.0  100.0  100.0  100.0

    LIVE BLOCK           QUESTIONS  FOUND %  ITEMS
    overall              3          100.0    1.3
    adversarial (apart)  1          100.0    1.0
    multi-hop            1          100.0    2.0
    single-hop           2          100.0    1.0
    ");
    let said: Vec<&str> = err.lines().filter(|line| !line.starts_with("took ")).collect();
    assert_eq!(
        said,
        [
            "1 question without an answer in the conversation: not asked",
            "1 id of gold is of no message of the conversation: both: k9",
            "all conversations in one store: the same figures"
        ]
    );
    assert!(!home.data().exists(), "the user's own store is not touched");
}

#[test]
fn figures_are_fractions_in_json() {
    let home = Home::new();
    home.write("talks.jsonl", TALKS);
    let (code, out, err) = run(&home, &["eval", "recall", "talks.jsonl", "--embedder", "static", "--json"]);
    assert_eq!(code, 0, "{err}");
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    let overall = &shown["overall"];
    assert_eq!((overall["recall@3"].as_f64(), overall["hit@10"].as_f64()), (Some(1.0), Some(1.0)), "{shown}");
    assert_eq!((overall["mrr"].as_f64(), overall["questions"].as_u64()), (Some(1.0), Some(3)), "{shown}");
    assert_eq!(shown["adversarial"]["questions"], 1);
    assert_eq!(shown["categories"]["single-hop"]["questions"], 2);
    assert_eq!(shown["one_store"], *overall);
    let block = &shown["block"];
    assert_eq!(block["overall"]["found"].as_f64(), Some(1.0), "{shown}");
    assert_eq!(block["categories"]["adversarial"]["questions"], 1, "{shown}");
    assert_eq!(shown["embedder"], "static-words-256@4");
    assert_eq!((shown["skipped"].as_u64(), shown["unknown_gold"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn a_file_that_is_none_is_named_with_its_line() {
    let home = Home::new();
    let (code, _, err) = run(&home, &["eval", "recall", "nowhere.jsonl"]);
    assert_eq!(code, 2);
    assert!(err.contains("cannot read nowhere.jsonl"), "{err}");
    home.write("talks.jsonl", &TALKS.replace("2024-04-03", "next spring"));
    let (code, out, err) = run(&home, &["eval", "recall", "talks.jsonl"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert_snapshot!(err, @"error: talks.jsonl:2: message `h2`: `next spring` is no time; write it as 2023-05-08T13:56:00Z, 2023-05-08 13:56 or 8 May 2023");
    let nothing = TALKS.lines().map(|line| line.replace("gold", "silver") + "\n").collect::<String>();
    home.write("nothing.jsonl", &nothing);
    let (code, out, err) = run(&home, &["eval", "recall", "nothing.jsonl"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("nothing.jsonl asks nothing that its conversations answer"), "{err}");
    let (code, _, err) = run(&home, &["eval", "recall", "talks.jsonl", "--k", "0"]);
    assert_eq!(code, 2, "{err}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_and_leaves_no_store_behind() {
    use std::process::{Command, Stdio};
    let home = Home::new();
    // so much that it cannot finish before the signal
    let talk = TALKS.lines().next().unwrap_or_default();
    home.write("talks.jsonl", &format!("{talk}\n").repeat(400));
    home.write("tmp/.keep", "");
    let tmp = home.path().join("tmp");
    let mut child = crate::greenroom(&home, &["eval", "recall", "talks.jsonl"])
        .env("TMPDIR", &tmp)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let stores =
        || std::fs::read_dir(&tmp).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    while stores() == 0 {
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(stores(), 0);
}

/// A chat in which each message names its addressee.
const CHAT: &str = concat!(
    r#"{"id":"shed","messages":["#,
    r#"{"n":1,"at":0,"speaker":"ann","text":"who has a ladder?"},"#,
    r#"{"n":2,"at":30,"speaker":"bo","text":"has joined","system":true},"#,
    r#"{"n":3,"at":60,"speaker":"bo","text":"ann: I have one"},"#,
    r#"{"n":4,"at":90,"speaker":"ann","text":"bo: may I borrow it?"}],"#,
    r#""labels":[{"n":1,"replies_to":[]},{"n":3,"replies_to":[1]},{"n":4,"replies_to":[3]}]}"#,
    "\n",
);

#[test]
fn rm6_floor_control_is_measured_on_a_file_of_chats() {
    let home = Home::new();
    home.write("chats.jsonl", CHAT);
    let (code, out, err) = run(&home, &["eval", "floor", "chats.jsonl", "--json"]);
    assert_eq!(code, 0, "{out}{err}");
    let figures: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(figures.pointer("/t1/accuracy"), Some(&serde_json::json!(100.0)), "{out}");
    assert!(figures["decision_us"].as_f64().is_some_and(|us| us > 0.0), "{out}");
    let (code, out, err) = run(&home, &["eval", "floor", "chats.jsonl"]);
    assert!(code == 0 && out.contains("ADDRESSEE") && out.contains("shed"), "{out}{err}");
}

#[test]
fn rm6_a_malformed_chat_is_told_by_its_line() {
    let home = Home::new();
    home.write("chats.jsonl", &format!("{CHAT}{{\"id\": \"shed\"}}\n"));
    let (code, _, err) = run(&home, &["eval", "floor", "chats.jsonl"]);
    assert!(code == 1 && err.contains("chats.jsonl:2") && err.contains("replies_to"), "{code} {err}");
}
