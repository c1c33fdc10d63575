//! Parses durations: `500ms`, `30s`, `2m`, `1h`. One number and one unit.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// The pattern of durations that may be zero.
pub(crate) const PATTERN: &str = "^[0-9]+(ms|s|m|h)$";
/// The pattern of durations above zero, for waits that would otherwise end before they begin.
pub(crate) const PATTERN_POSITIVE: &str = "^0*[1-9][0-9]*(ms|s|m|h)$";
/// The longest duration: a day.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Parses a duration of at most a day: `500ms`, `30s`, `2m`, `1h`.
pub fn parse(text: &str) -> Option<Duration> {
    parse_within(text, LONGEST)
}

/// Parses a duration of at most `longest`.
pub fn parse_within(text: &str, longest: Duration) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    Some(Duration::from_millis(number.checked_mul(millis)?)).filter(|d| *d <= longest)
}

/// Formats a duration in the largest unit that needs no fraction.
pub(crate) fn show(duration: Duration) -> String {
    let millis = duration.as_millis();
    for (unit, size) in [("h", 3_600_000), ("m", 60_000), ("s", 1_000)] {
        if millis > 0 && millis.is_multiple_of(size) {
            return format!("{}{unit}", millis / size);
        }
    }
    if millis == 0 { "0s".into() } else { format!("{millis}ms") }
}

pub(crate) fn serialize<S: Serializer>(duration: &Duration, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(&show(*duration))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(d)?;
    parse(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no duration such as 30s")))
}

/// The schema of a duration that may be zero.
pub(crate) struct Any;

impl JsonSchema for Any {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": PATTERN })
    }
}

/// The schema of a duration above zero.
pub(crate) struct Positive;

impl JsonSchema for Positive {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PositiveDuration".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": PATTERN_POSITIVE })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wb12_a_duration_is_a_number_and_a_unit() {
        assert_eq!(parse("30s"), Some(Duration::from_secs(30)));
        assert_eq!(parse("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse("2m"), Some(Duration::from_secs(120)));
        assert_eq!(parse("1h"), Some(Duration::from_secs(3600)));
        for bad in ["", "30", "s", "30 s", "-1s", "1.5s", "30sec", "1d", "25h", "99999999999999999999h"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_duration_reads_back_as_it_was_written(millis in 0u64..=86_400_000) {
            let duration = Duration::from_millis(millis);
            prop_assert_eq!(parse(&show(duration)), Some(duration));
        }

        #[test]
        fn x12_no_text_breaks_the_parser(text in "\\PC{0,40}") {
            if let Some(duration) = parse(&text) { prop_assert!(duration <= LONGEST); }
        }
    }
}
