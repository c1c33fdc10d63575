//! Durations as people write them: `12h`, `30d`, `2w`.

use std::time::Duration;

/// Parses a duration; a day has 24 hours.
///
/// # Errors
/// A hint about the format.
pub fn span(text: &str) -> Result<Duration, &'static str> {
    let wrong = "write a time as 90m, 12h, 30d or 2w";
    let span: jiff::Span = text.trim().parse().map_err(|_| wrong)?;
    let duration = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong)?;
    Duration::try_from(duration).ok().filter(|duration| !duration.is_zero()).ok_or(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as9_a_length_of_time_is_a_number_and_a_unit() {
        for (text, seconds) in [("90m", 5_400), ("12h", 43_200), ("30d", 2_592_000), ("2w", 1_209_600)] {
            assert_eq!(span(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for bad in ["", "soon", "-1d", "0d", "7"] {
            assert!(span(bad).unwrap_err().contains("30d"), "{bad}");
        }
    }
}
