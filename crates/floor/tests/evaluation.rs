//! The evaluation of floor control on labelled chats (RM6). These chats are invented; the logs on which floor control
//! is scored are not part of the project.

use std::time::Duration;

use greenroom_floor::log::{Label, Line, Log};
use greenroom_floor::{Report, evaluate};

/// Two conversations at the same time, repeated twelve times about other things.
fn chat(id: &str) -> Log {
    let mut messages = Vec::new();
    let mut labels = Vec::new();
    for (round, thing) in (0..).zip([
        "ladder", "kettle", "violin", "canoe", "sofa", "lamp", "printer", "bicycle", "guitar", "tent",
        "drill", "mirror",
    ]) {
        let n = round * 6;
        let said = [
            ("ann", format!("does anybody know where the {thing} went?"), vec![]),
            ("cy", format!("dora: the {thing} soup was good"), vec![]),
            ("bo", format!("ann: the {thing} is in the shed behind the house"), vec![n + 1]),
            ("dora", format!("cy: thanks, {thing} soup is my favourite"), vec![n + 2]),
            ("ann", "bo: behind which house?".to_owned(), vec![n + 3]),
            ("bo", format!("ann: yours, and the {thing} needs paint"), vec![n + 5]),
        ];
        for (i, (speaker, text, replies_to)) in (1..).zip(said) {
            let at = (n + i) as i64 * 30;
            messages.push(Line { n: n + i, at, speaker: speaker.to_owned(), text, system: false });
            labels.push(Label { n: n + i, replies_to });
        }
    }
    Log { id: id.to_owned(), messages, labels }
}

fn evaluated(logs: &[Log]) -> Report {
    evaluate(logs, &|| Duration::ZERO)
}

#[test]
fn rm6_a_log_is_read_as_it_is_published() {
    let line = r#"{"id": "dev/1", "channel": "tea", "messages": [
        {"n": 1, "at": 0, "speaker": "Ann", "text": "hi"},
        {"n": 4, "at": 60, "speaker": "Bo", "text": "is now known as Bob", "system": true},
        {"n": 5, "at": 60, "speaker": "Bob", "text": "waves", "action": true}],
        "labels": [{"n": 5, "replies_to": [1]}]}"#;
    let log: Log = serde_json::from_str(line).expect("a log");
    assert!(log.messages[1].system && !log.messages[2].system);
    let report = evaluated(&[log]);
    assert_eq!((report.t1.messages, report.t1.right, report.decisions), (1, 1, 2));
}

#[test]
fn rm6_addressees_and_speakers_of_a_plain_chat_are_found() {
    let report = evaluated(&[chat("dev/1")]);
    assert_eq!((report.t1.messages, report.t1.right), (48, 48));
    // the last 30 labels are left out, so seven rounds are asked; each speaker but the author is asked once it has
    // spoken, and in the first round bo and dora have not spoken when they are first addressed
    assert_eq!((report.t2.decisions, report.t2.speak), (12 + 6 * 18, 7 * 4 - 2));
    assert!(report.t2.f1 > 70.0 && report.t2.balanced > 75.0, "{report:?}");
}

#[test]
fn rm6_training_logs_are_left_out_where_there_are_others() {
    let both = evaluated(&[chat("train/1"), chat("dev/1")]);
    assert_eq!(both.logs.iter().map(|log| log.id.as_str()).collect::<Vec<_>>(), ["dev/1"]);
    assert_eq!(evaluated(&[chat("train/1")]).logs.len(), 1);
}

#[test]
fn rm6_a_decision_sees_nothing_that_comes_later() {
    let whole = chat("dev/1");
    let mut begun = whole.clone();
    begun.messages.truncate(40);
    begun.labels.truncate(40);
    let mut changed = whole.clone();
    for line in &mut changed.messages[40..] {
        line.text = "ann: bo: cy: dora: something else altogether".to_owned();
        line.at += 100_000;
    }
    changed.labels.truncate(40);
    assert_eq!(evaluated(&[begun]).t1, evaluated(&[changed]).t1);
}

#[test]
fn rm6_the_figures_have_the_names_that_are_published() {
    let json = serde_json::to_value(evaluated(&[chat("dev/1")])).expect("figures are JSON");
    for key in
        ["/t1/accuracy", "/t2/balanced", "/t2/f1", "/t2/precision", "/t2/recall", "/t2/average_precision"]
    {
        assert!(json.pointer(key).is_some_and(|v| v.as_f64().is_some_and(|v| v > 1.0)), "{key}: {json}");
    }
    assert!(
        json.pointer("/decision_us").is_some() && json.pointer("/logs/0/t1/accuracy").is_some(),
        "{json}"
    );
}

#[test]
fn rm6_the_clock_of_the_caller_times_a_decision() {
    let ticks = std::cell::Cell::new(0);
    let clock = || {
        ticks.set(ticks.get() + 1);
        Duration::from_micros(ticks.get())
    };
    assert!((evaluate(&[chat("dev/1")], &clock).decision_us - 1.0).abs() < 1e-9);
}
