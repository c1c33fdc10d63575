//! Many agents in one place.

use std::fs;

use greenroom_sim::{LineKind, run};

use crate::house::{lines, options};

/// All answer one question, with more events of the runtime than it keeps for its listeners.
const MEETING: &str = r#"
name = "Meeting"
[clock]
end = "3h"
[[place]]
name = "hall"
chain = 100
[[cast]]
prompt = "You are {{ name }}."
at = "hall"
mind = "m"
answer = "always"
generate = { count = 100, name = "citizen" }
[[event]]
at = "1m"
place = "hall"
say = "All say in turn what they think of the bridge."
[[event]]
at = "90m"
place = "hall"
to = "citizen-1"
say = "Citizen-1, a last word?"
[[topic]]
name = "bridge"
words = ["old bridge"]
[[mind]]
name = "m"
[[mind.rule]]
when = { hears = ["last word"] }
say = ["My last word."]
[[mind.rule]]
say = ["I am {{ me }}, and I would rather keep the old bridge than pay for a new one: the school needs the money more."]
"#;

#[tokio::test]
async fn sm9_each_answer_is_in_the_trace_however_many_one_event_causes() {
    let directory = tempfile::tempdir().unwrap();
    let (file, out) = (directory.path().join("scenario.toml"), directory.path().join("run"));
    fs::write(&file, MEETING).unwrap();
    let outcome = run(&file, &[], &out, &options(2)).await.unwrap();
    let lines = lines(&out);
    let answers = [LineKind::Said, LineKind::Withheld, LineKind::Failed];
    let answered = lines.iter().filter(|line| answers.contains(&line.kind)).count();
    assert_eq!(answered as u64, outcome.calls, "each call is an answer");
    assert!(lines.iter().filter(|line| line.text.contains("old bridge")).count() >= 100);
    // a later event in the same place
    assert!(lines.iter().any(|line| line.text == "My last word."));
    let learned: usize = lines.iter().map(|line| line.learned.len()).sum();
    assert_eq!(learned, 100, "all have heard of it");
}
