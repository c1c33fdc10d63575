//! Searches a text for many credentials at once, in time that depends only on the length of the text (X12).

use aho_corasick::{AhoCorasick, MatchKind};

use super::makes::REMOVED;

/// The most bytes of all credentials of one file. A search for them takes about ten times that.
pub(super) const MOST: usize = 256 << 10;

/// A search for credentials.
pub(crate) struct Search(AhoCorasick);

impl Search {
    /// Builds a search. `None` if the credentials are longer than [`MOST`].
    pub(super) fn of(secrets: &[String]) -> Option<Self> {
        let bytes: usize = secrets.iter().map(String::len).sum();
        // of the matches at a position take the longest, so that a part of a credential does not leave the rest
        let mut search = AhoCorasick::builder();
        search.match_kind(MatchKind::LeftmostLongest);
        (bytes <= MOST).then(|| search.build(secrets).ok().map(Self)).flatten()
    }

    /// The text without the credentials. `None` if it contains none.
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

/// The text without these credentials. If they are longer than [`MOST`], returns an empty text: the file is refused
/// anyway.
pub(super) fn without(text: &str, secrets: &[String]) -> String {
    let clean = |search: Search| search.without(text).unwrap_or_else(|| text.to_owned());
    Search::of(secrets).map(clean).unwrap_or_default()
}
