//! Times a trigger asks for: "what did we discuss yesterday" is looked for by its time, whatever
//! words were used then (JV8).

use greenroom_core::Timestamp;

use crate::{TimeRange, TimeZone, is_recall_question, time_range};

/// The time a recall question asks for. A time in any other sentence limits nothing.
pub(super) fn asked_for(trigger: &str, now: Timestamp, zone: &TimeZone) -> Option<TimeRange> {
    if is_recall_question(trigger) { time_range(trigger, now, zone) } else { None }
}

/// What the receipt says of it.
pub(super) fn understood(range: &TimeRange, zone: &TimeZone) -> String {
    let first = day(range.from, zone);
    let last = day(Timestamp(range.until.0 - 1), zone);
    let words = range.words.split_whitespace().collect::<Vec<_>>().join(" ");
    if first == last {
        format!("searched what was said on {first} (\"{words}\")")
    } else {
        format!("searched what was said from {first} to {last} (\"{words}\")")
    }
}

fn day(at: Timestamp, zone: &TimeZone) -> String {
    jiff::Timestamp::from_microsecond(at.0).map_or_else(
        |_| "an unknown day".into(),
        |at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::given::NOW;

    #[test]
    fn jv8_a_recall_question_asks_for_a_time_and_a_plan_does_not() {
        let asked = asked_for("What did we discuss yesterday?", NOW, &TimeZone::UTC).unwrap();
        assert_eq!(
            understood(&asked, &TimeZone::UTC),
            "searched what was said on 2026-11-20 (\"yesterday\")"
        );
        let week = asked_for("Do you remember what we said last week?", NOW, &TimeZone::UTC).unwrap();
        assert_eq!(
            understood(&week, &TimeZone::UTC),
            "searched what was said from 2026-11-09 to 2026-11-15 (\"last week\")"
        );
        assert_eq!(asked_for("Yesterday I bought tea.", NOW, &TimeZone::UTC), None);
        assert_eq!(asked_for("Do you remember my name?", NOW, &TimeZone::UTC), None);
    }
}
