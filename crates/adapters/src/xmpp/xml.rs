//! XML elements, of which stanzas are made.

use quick_xml::escape::escape;

/// An XML element. The texts between its children are joined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) ns: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    pub(super) text: String,
}

impl Element {
    /// An empty element.
    pub(super) fn new(name: &str, ns: &str) -> Self {
        Self { name: name.into(), ns: ns.into(), ..Self::default() }
    }

    /// Adds an attribute.
    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.attributes.push((name.into(), value.into()));
        self
    }

    /// Adds an attribute if there is a value.
    pub(super) fn with_some(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a child.
    pub(super) fn child(mut self, child: Element) -> Self {
        self.children.push(child);
        self
    }

    /// Adds text. Drops characters that XML does not permit.
    pub(super) fn text(mut self, text: &str) -> Self {
        self.text.extend(text.chars().filter(|c| is_char(*c)));
        self
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The first child of this name and namespace.
    pub(super) fn get(&self, name: &str, ns: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.is(name, ns))
    }

    /// The first child of a namespace.
    pub(super) fn get_ns(&self, ns: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.ns == ns)
    }

    /// Whether the element has this name and namespace.
    pub(super) fn is(&self, name: &str, ns: &str) -> bool {
        self.name == name && self.ns == ns
    }

    /// The XML text in a stream whose default namespace is `parent_ns`.
    pub(super) fn to_xml(&self, parent_ns: &str) -> String {
        let mut out = String::new();
        self.write(parent_ns, &mut out);
        out
    }

    fn write(&self, parent_ns: &str, out: &mut String) {
        out.push('<');
        out.push_str(&self.name);
        if self.ns != parent_ns {
            out.push_str(&format!(" xmlns=\"{}\"", escape(self.ns.as_str())));
        }
        for (name, value) in &self.attributes {
            let value: String = value.chars().filter(|c| is_char(*c)).collect();
            out.push_str(&format!(" {name}=\"{}\"", escape(value.as_str())));
        }
        out.push('>');
        out.push_str(&escape(self.text.as_str()));
        for child in &self.children {
            child.write(&self.ns, out);
        }
        out.push_str(&format!("</{}>", self.name));
    }
}

/// Whether XML 1.0 permits a character.
fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad3_no_text_and_no_attribute_becomes_markup() {
        let element = Element::new("message", "jabber:client")
            .with("to", "a\"><evil/>")
            .child(Element::new("body", "jabber:client").text("</body>\u{0}\u{b}& \u{fffe}🍵"));
        assert_eq!(
            element.to_xml("jabber:client"),
            "<message to=\"a&quot;&gt;&lt;evil/&gt;\"><body>&lt;/body&gt;&amp; 🍵</body></message>"
        );
        let other = Element::new("r", "urn:xmpp:sm:3");
        assert_eq!(other.to_xml("jabber:client"), "<r xmlns=\"urn:xmpp:sm:3\"></r>");
    }
}
