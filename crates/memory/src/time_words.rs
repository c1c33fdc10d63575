//! Time words.

/// x
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeRange;
/// x
pub fn time_range() {}
/// x
pub fn is_recall_question() {}
