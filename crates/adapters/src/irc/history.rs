//! Reads the messages missed during an absence, if the server has `chathistory`: each channel page by page.
//!
//! A page begins one millisecond before the last known message, because messages of the same millisecond may be on two
//! pages. A page without a newer message is the last one. The number of messages on a page does not show whether it is
//! the last, because servers count messages that they do not send.

use std::collections::{HashMap, HashSet};

use greenroom_core::Timestamp;

use super::line::{Line, folded};
use crate::LookedBack;

/// Messages per page, unless the server permits fewer.
const PAGE: usize = 100;
/// The most pages that are read of a channel.
const PAGES: usize = 50;
/// One millisecond in microseconds.
const MILLISECOND: i64 = 1000;

/// The catch-up of a connection.
pub(super) struct CatchUp {
    /// The time of the newest message that an earlier connection stored. It stays fixed during the catch-up, because a
    /// message in one channel does not show what was read of another.
    from: Option<Timestamp>,
    is_offered: bool,
    page: usize,
    /// The channels that are being read, by folded name.
    reading: HashMap<String, Reading>,
    /// The open batches, by their reference tag.
    batches: HashMap<String, Batch>,
    /// The time of joining, of the channel joined last among those that were not read completely.
    gap: Option<Timestamp>,
    is_reported: bool,
}

struct Reading {
    /// The channel as the server spells it.
    channel: String,
    joined_at: Timestamp,
    after: Timestamp,
    pages: usize,
}

#[derive(Default)]
struct Batch {
    channel: String,
    messages: usize,
    newest: Option<Timestamp>,
}

impl CatchUp {
    /// `from`: the time of the newest stored message; `None` before the first connection.
    pub(super) fn new(from: Option<Timestamp>) -> Self {
        Self {
            from,
            is_offered: false,
            page: PAGE,
            reading: HashMap::new(),
            batches: HashMap::new(),
            gap: None,
            is_reported: false,
        }
    }

    pub(super) fn begin(&mut self, capabilities: &HashSet<String>) {
        self.is_offered = capabilities.contains("draft/chathistory") || capabilities.contains("chathistory");
    }

    /// Notes the longest page that the server permits (`005`, RPL_ISUPPORT).
    pub(super) fn supported(&mut self, line: &Line) {
        let most = line.params.iter().find_map(|param| param.strip_prefix("CHATHISTORY="));
        // 0 means no limit
        if let Some(most) = most.and_then(|most| most.parse().ok()).filter(|most| *most > 0) {
            self.page = PAGE.min(most);
        }
    }

    /// A channel was joined. Returns the request for its first page.
    pub(super) fn joined(&mut self, channel: &str, at: Timestamp) -> Option<String> {
        let from = self.from.filter(|_| self.is_offered)?;
        let reading = Reading { channel: channel.to_owned(), joined_at: at, after: from, pages: 0 };
        let question = self.question(&reading);
        self.reading.insert(folded(channel), reading);
        Some(question)
    }

    fn question(&self, reading: &Reading) -> String {
        let after = shown_time(Timestamp(reading.after.0 - MILLISECOND));
        format!("CHATHISTORY AFTER {} timestamp={after} {}", reading.channel, self.page)
    }

    /// Whether a line belongs to a history batch. If so, notes it.
    pub(super) fn is_past(&mut self, line: &Line) -> bool {
        let Some(batch) = line.tag("batch").and_then(|name| self.batches.get_mut(name)) else { return false };
        batch.messages += 1;
        batch.newest = batch.newest.max(line.tag("time").and_then(read_time));
        true
    }

    /// A batch begins or ends. Returns the request for the next page.
    pub(super) fn batch(&mut self, line: &Line) -> Option<String> {
        let name = line.param(0);
        if let Some(name) = name.strip_prefix('+').filter(|_| line.param(1).ends_with("chathistory")) {
            let batch = Batch { channel: folded(line.param(2)), ..Batch::default() };
            self.batches.insert(name.to_owned(), batch);
            return None;
        }
        let batch = self.batches.remove(name.strip_prefix('-')?)?;
        let mut reading = self.reading.remove(&batch.channel)?;
        let next = match batch.newest {
            Some(newest) if newest > reading.after => Some(newest),
            // a full page within one millisecond: the next page begins after that millisecond
            Some(newest) if newest == reading.after && batch.messages >= self.page => {
                Some(Timestamp(newest.0 + MILLISECOND))
            }
            _ => None,
        };
        match next {
            Some(next) if reading.pages + 1 < PAGES => {
                (reading.after, reading.pages) = (next, reading.pages + 1);
                let question = self.question(&reading);
                self.reading.insert(batch.channel, reading);
                return Some(question);
            }
            // the channel has more pages than the limit
            Some(_) => self.missed(&reading),
            None if batch.newest.is_none() && batch.messages > 0 => self.missed(&reading),
            None => {}
        }
        None
    }

    /// The server refuses a request with `FAIL CHATHISTORY CODE … #tea :why`, or does not know the command.
    pub(super) fn refused(&mut self, line: &Line) {
        let named =
            line.params.iter().map(|param| folded(param)).find(|param| self.reading.contains_key(param));
        let channels: Vec<String> = match named {
            Some(channel) => vec![channel],
            None => self.reading.keys().cloned().collect(),
        };
        for channel in channels {
            tracing::warn!(channel, why = line.params.last(), "the server refuses the past of a channel");
            if let Some(reading) = self.reading.remove(&channel) {
                self.missed(&reading);
            }
        }
    }

    /// We are no longer in the channel.
    pub(super) fn left(&mut self, channel: &str) {
        if let Some(reading) = self.reading.remove(&folded(channel)) {
            self.missed(&reading);
        }
    }

    fn missed(&mut self, reading: &Reading) {
        self.gap = self.gap.max(Some(reading.joined_at));
    }

    /// Whether all requested pages have arrived.
    pub(super) fn is_over(&self) -> bool {
        self.reading.is_empty()
    }

    /// How far back the catch-up reached, once, when it is known. Call this after every channel is joined.
    pub(super) fn looked_back(&mut self) -> Option<LookedBack> {
        let from = self.from.filter(|_| self.is_over() && !self.is_reported)?;
        self.is_reported = true;
        // never complete: how long the server keeps messages is unknown
        let since = self.is_offered.then(|| self.gap.unwrap_or(from));
        Some(LookedBack { since, complete: false })
    }
}

/// Parses `2026-11-24T15:00:00.123Z`.
pub(super) fn read_time(text: &str) -> Option<Timestamp> {
    text.parse::<jiff::Timestamp>().ok().map(|at| Timestamp(at.as_microsecond()))
}

fn shown_time(at: Timestamp) -> String {
    jiff::Timestamp::from_microsecond(at.0).map(|at| format!("{at:.3}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::parse(text).unwrap()
    }

    /// A catch-up from 12:00 in a channel joined at 13:00.
    fn in_tea() -> (CatchUp, Timestamp, Timestamp) {
        let at = |hour: i64| Timestamp(1_764_000_000_000_000 + hour * 3_600_000_000);
        let mut catch_up = CatchUp::new(Some(at(0)));
        catch_up.begin(&["draft/chathistory".to_owned()].into());
        assert!(
            catch_up
                .joined("#Tea", at(1))
                .unwrap()
                .starts_with("CHATHISTORY AFTER #Tea timestamp=2025-11-24T15:59:59.999Z ")
        );
        (catch_up, at(0), at(1))
    }

    /// A page with one message of this second.
    fn page(catch_up: &mut CatchUp, second: usize) -> Option<String> {
        let time = format!("2025-11-24T16:{:02}:{:02}.000Z", second / 60, second % 60);
        assert_eq!(catch_up.batch(&line("BATCH +b chathistory #tea")), None);
        assert!(catch_up.is_past(&line(&format!("@batch=b;time={time} :ann PRIVMSG #tea :x"))));
        catch_up.batch(&line("BATCH -b"))
    }

    #[test]
    fn ad7_a_time_of_a_server_is_shown_as_it_was_read() {
        let at = read_time("2026-11-24T15:00:00.123Z").unwrap();
        assert_eq!(shown_time(at), "2026-11-24T15:00:00.123Z");
    }

    #[test]
    fn ad7_the_past_of_a_channel_is_read_page_by_page() {
        let (mut catch_up, from, _) = in_tea();
        catch_up.supported(&line(":net 005 ada CHATHISTORY=50 :are supported"));
        let next = page(&mut catch_up, 1).unwrap();
        assert_eq!(next, "CHATHISTORY AFTER #Tea timestamp=2025-11-24T16:00:00.999Z 50");
        assert_eq!((catch_up.is_over(), catch_up.looked_back()), (false, None));
        assert_eq!(page(&mut catch_up, 1), None, "nothing newer");
        assert_eq!(catch_up.looked_back(), Some(LookedBack { since: Some(from), complete: false }));
        assert_eq!(catch_up.looked_back(), None, "once");
    }

    #[test]
    fn ad7_a_past_that_is_longer_than_is_read_is_told_as_missing() {
        let (mut catch_up, _, joined) = in_tea();
        assert_eq!((1..).take_while(|second| page(&mut catch_up, *second).is_some()).count(), PAGES - 1);
        assert_eq!(catch_up.looked_back(), Some(LookedBack { since: Some(joined), complete: false }));
    }

    #[test]
    fn ad7_a_past_that_the_server_refuses_is_told_as_missing() {
        for refusal in
            ["FAIL CHATHISTORY INVALID_TARGET AFTER #tea :no", ":net 421 ada CHATHISTORY :Unknown command"]
        {
            let (mut catch_up, _, joined) = in_tea();
            catch_up.refused(&line(refusal));
            assert_eq!(catch_up.looked_back(), Some(LookedBack { since: Some(joined), complete: false }));
        }
        let mut without = CatchUp::new(Some(Timestamp(1)));
        assert_eq!(without.joined("#tea", Timestamp(2)), None);
        assert_eq!(without.looked_back(), Some(LookedBack { since: None, complete: false }));
        assert_eq!(CatchUp::new(None).looked_back(), None, "there was no absence");
    }
}
