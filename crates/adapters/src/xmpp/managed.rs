//! Stream management (XEP-0198): the sent stanzas without an acknowledgement, and the number of received stanzas.

use std::collections::VecDeque;

use super::{stream::CLIENT, xml::Element};

pub(super) const SM: &str = "urn:xmpp:sm:3";

/// The counters of one stream. They outlive its connection.
#[derive(Default)]
pub(super) struct Managed {
    /// Whether stream management is enabled.
    pub(super) enabled: bool,
    /// The id for resuming the stream.
    pub(super) resume_id: Option<String>,
    /// The number of received and handled stanzas.
    pub(super) received: u32,
    acknowledged: u32,
    unacknowledged: VecDeque<Element>,
}

impl Managed {
    /// Notes a stanza before it is sent.
    pub(super) fn sending(&mut self, stanza: &Element) {
        if self.enabled && is_stanza(stanza) {
            self.unacknowledged.push_back(stanza.clone());
        }
    }

    /// Counts a handled stanza.
    pub(super) fn handled(&mut self, stanza: &Element) {
        if is_stanza(stanza) {
            self.received = self.received.wrapping_add(1);
        }
    }

    /// The server has handled `handled` stanzas in total. Returns the newly acknowledged ones.
    pub(super) fn acknowledge(&mut self, handled: u32) -> Vec<Element> {
        let new = handled.wrapping_sub(self.acknowledged) as usize;
        let new = new.min(self.unacknowledged.len());
        self.acknowledged = handled;
        self.unacknowledged.drain(..new).collect()
    }

    /// The stanzas to send again after a resumption.
    pub(super) fn unacknowledged(&self) -> Vec<Element> {
        self.unacknowledged.iter().cloned().collect()
    }

    /// `<r/>`: asks the server for its counter.
    pub(super) fn request() -> Element {
        Element::new("r", SM)
    }

    /// `<a/>`: sends the server our counter.
    pub(super) fn answer(&self) -> Element {
        Element::new("a", SM).with("h", self.received.to_string())
    }
}

/// Whether an element is counted.
fn is_stanza(element: &Element) -> bool {
    element.ns == CLIENT && matches!(element.name.as_str(), "message" | "presence" | "iq")
}

/// The counter in `<a/>`, `<resumed/>` or `<failed/>`.
pub(super) fn count(element: &Element) -> Option<u32> {
    element.attribute("h")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad2_what_the_server_has_not_counted_is_sent_again() {
        let message = |id: &str| Element::new("message", CLIENT).with("id", id);
        let mut managed = Managed::default();
        managed.sending(&message("before counting"));
        managed.enabled = true;
        for id in ["a", "b", "c"] {
            managed.sending(&message(id));
            managed.sending(&Managed::request());
        }
        assert_eq!(managed.acknowledge(2), [message("a"), message("b")]);
        assert_eq!(managed.acknowledge(2), []);
        assert_eq!(managed.unacknowledged(), [message("c")]);
        assert_eq!(managed.acknowledge(90), [message("c")], "a wrong count ends with what there is");
        managed.handled(&message("x"));
        managed.handled(&Managed::request());
        assert_eq!(managed.answer().attribute("h"), Some("1"));
    }
}
