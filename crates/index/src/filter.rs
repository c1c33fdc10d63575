//! The conditions of a search inside a shard. The search checks each candidate while it runs, so it finds `k` hits
//! whenever `k` rows pass.

/// A row passes when it meets every condition. The default lets everything pass.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// Only ids smaller than this.
    pub before: Option<i64>,
    /// The present moment: rows with `expires_at <= now` do not pass.
    pub now: i64,
    /// Only rows with `at` in this range: from, inclusive, to, exclusive (JV8).
    pub between: Option<(i64, i64)>,
    /// Only ids in one of these ranges: from, inclusive, until, exclusive; ascending and without overlap
    /// (presence, GR2). `Some(&[])` lets nothing pass.
    pub within: Option<&'a [(i64, i64)]>,
    /// Only rows whose source's bit (`1 << source`) is set.
    pub sources: u32,
}

impl Default for Filter<'_> {
    fn default() -> Self {
        Filter { before: None, now: i64::MIN, between: None, within: None, sources: u32::MAX }
    }
}

impl Filter<'_> {
    /// Whether a row with these properties passes.
    pub fn admits(&self, id: i64, at: i64, expires_at: i64, source: u8) -> bool {
        expires_at > self.now
            && self.before.is_none_or(|before| id < before)
            && self.between.is_none_or(|(from, to)| from <= at && at < to)
            && 1u32.checked_shl(u32::from(source)).is_some_and(|bit| self.sources & bit != 0)
            && self.within.is_none_or(|ranges| {
                let next = ranges.partition_point(|(first, _)| *first <= id);
                next.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(_, until)| id < *until)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr2_only_ids_inside_a_presence_pass() {
        let ranges = [(2, 4), (7, 8)];
        let filter = Filter { within: Some(&ranges), ..Filter::default() };
        let passed: Vec<i64> = (0..10).filter(|id| filter.admits(*id, 0, i64::MAX, 0)).collect();
        assert_eq!(passed, [2, 3, 7]);
        let nowhere = Filter { within: Some(&[]), ..Filter::default() };
        assert!(!nowhere.admits(2, 0, i64::MAX, 0), "no presence, nothing witnessed");
    }

    #[test]
    fn expiry_time_and_source_each_hold_a_row_back() {
        let all = Filter::default();
        assert!(all.admits(1, 5, i64::MAX, 31));
        assert!(!Filter { now: 9, ..all }.admits(1, 5, 9, 0), "expired at the very moment");
        assert!(!Filter { between: Some((0, 5)), ..all }.admits(1, 5, i64::MAX, 0), "the end is out");
        assert!(!Filter { before: Some(1), ..all }.admits(1, 5, i64::MAX, 0));
        assert!(!Filter { sources: 0b10, ..all }.admits(1, 5, i64::MAX, 0));
    }
}
