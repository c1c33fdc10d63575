//! Many credentials looked for in a text at once, in time by the length of the text alone (X12).

use aho_corasick::{AhoCorasick, MatchKind};

use super::makes::REMOVED;

/// The credentials of one file together, in bytes. A search for them takes some ten times that.
pub(super) const MOST: usize = 256 << 10;

/// A search for credentials.
pub(crate) struct Search(AhoCorasick);

impl Search {
    /// A search for these; `None` where they are more than [`MOST`].
    pub(super) fn of(secrets: &[String]) -> Option<Self> {
        let bytes: usize = secrets.iter().map(String::len).sum();
        // the longest of those that begin at one place, so that a part of a credential does not hide the rest
        let mut search = AhoCorasick::builder();
        search.match_kind(MatchKind::LeftmostLongest);
        (bytes <= MOST).then(|| search.build(secrets).ok().map(Self)).flatten()
    }

    /// A text without them; `None` where it has none.
    pub(super) fn without(&self, text: &str) -> Option<String> {
        self.0.is_match(text).then(|| {
            let mut clean = String::with_capacity(text.len());
            self.0.replace_all_with(text, &mut clean, |_, _, clean| {
                clean.push_str(REMOVED);
                true
            });
            clean
        })
    }
}

/// A text without these credentials. One with more than [`MOST`] loses everything: its file is refused.
pub(super) fn without(text: &str, secrets: &[String]) -> String {
    let clean = |search: Search| search.without(text).unwrap_or_else(|| text.to_owned());
    Search::of(secrets).map(clean).unwrap_or_default()
}
