//! Parses waits: `90s`, `4h30m`.

use std::time::Duration;

/// The longest wait: ten years.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The units in milliseconds, longest first.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Why a text is not a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitError {
    /// The text is not a number with a unit.
    NoWait,
    /// The wait is longer than ten years.
    TooLong,
}

/// Parses a wait: `90s`, `5m`, `2h`, `3d`, `250ms`, or several units, longest first: `4h30m`.
pub(crate) fn parse_wait(text: &str) -> Option<Duration> {
    read_wait(text).ok()
}

pub(super) fn read_wait(text: &str) -> Result<Duration, WaitError> {
    let mut units = UNITS.iter();
    let (mut rest, mut total) = (text, Some(0_u64));
    loop {
        let (number, after) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        let (unit, after) = after.split_at(after.bytes().take_while(u8::is_ascii_alphabetic).count());
        // each unit must be shorter than the one before
        let size = units.find(|(name, _)| *name == unit).map(|(_, size)| *size);
        let size = size.filter(|_| !number.is_empty()).ok_or(WaitError::NoWait)?;
        let part = number.parse::<u64>().ok().and_then(|number| number.checked_mul(size));
        total = total.zip(part).and_then(|(total, part)| total.checked_add(part));
        if after.is_empty() {
            break;
        }
        rest = after;
    }
    let wait = total.map(Duration::from_millis).filter(|wait| *wait <= LONGEST);
    wait.ok_or(WaitError::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sm1_a_wait_is_numbers_with_units() {
        for (text, seconds) in
            [("90s", 90), ("5m", 300), ("3d", 259_200), ("4h1m", 14_460), ("1d12h", 129_600)]
        {
            assert_eq!(parse_wait(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(parse_wait("1s250ms"), Some(Duration::from_millis(1_250)));
        for bad in ["", "5", "m", "5 m", "-5m", "1.5h", "1m4h", "1h1h", "5m3", "5mm", "4h 1m"] {
            assert_eq!(read_wait(bad), Err(WaitError::NoWait), "{bad}");
        }
        for long in ["3651d", "99999999999999d", "99999999999999999999999h"] {
            assert_eq!(read_wait(long), Err(WaitError::TooLong), "{long}");
        }
    }
}
