//! Computes the part of a message that other chats still show after a memory learned from it was corrected or replaced.

/// Words that join a removed statement to the rest of the message; they are trimmed from the rest.
const JOINING: &str = "and but so und aber also y pero et mais";

/// A rest with fewer words says nothing.
const WORDS: usize = 3;
/// The same in letters, for scripts without spaces.
const UNSPACED: usize = 8;

/// A message without the statements that no longer hold. `None` if the message does not contain one of them, or if
/// hardly anything is left. An empty statement stands for the whole message.
///
/// ```
/// use greenroom_store::rules::taken_back::rest;
///
/// let said = "I live in Dundee, and on Fridays I swim with Greta";
/// assert_eq!(rest(said, &["I live in Dundee"]).as_deref(), Some("on Fridays I swim with Greta"));
/// assert_eq!(rest("I live in Dundee", &["I live in Dundee"]), None);
/// assert_eq!(rest(said, &[""]), None);
/// ```
pub fn rest(text: &str, statements: &[impl AsRef<str>]) -> Option<String> {
    let mut left = text.to_owned();
    for statement in statements.iter().map(AsRef::as_ref) {
        let at = left.find(statement).filter(|_| !statement.is_empty())?;
        left.replace_range(at..at + statement.len(), " ");
    }
    if statements.is_empty() {
        return Some(left);
    }
    let left = trimmed(&left);
    let letters = left.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count();
    let says_something = left.split_whitespace().count() >= WORDS || letters >= UNSPACED;
    says_something.then(|| left.to_owned())
}

/// Removes punctuation and joining words at both ends.
fn trimmed(text: &str) -> &str {
    let is_joining = |word: &str| JOINING.split(' ').any(|joining| joining.eq_ignore_ascii_case(word));
    let mut text = text;
    loop {
        text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        text = text.trim_end_matches(|c: char| {
            c.is_whitespace() || matches!(c, ',' | ';' | ':' | '-' | '–' | '—' | '、')
        });
        let first = text.split_whitespace().next().filter(|word| is_joining(word));
        let last = text.split_whitespace().next_back().filter(|word| is_joining(word));
        text = match (first, last) {
            (Some(word), _) => &text[word.len()..],
            (None, Some(word)) => &text[..text.len() - word.len()],
            (None, None) => return text,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::rest;

    #[test]
    fn mp1_what_else_a_message_says_stays() {
        for (said, gone, left) in [
            (
                "I live in Dundee. The spare key is under the fern.",
                "I live in Dundee.",
                "The spare key is under the fern.",
            ),
            (
                "The boiler code is on the fridge and I live in Dundee",
                "I live in Dundee",
                "The boiler code is on the fridge",
            ),
            (
                "Ich wohne in Wismar, und freitags schwimme ich mit Greta",
                "Ich wohne in Wismar",
                "freitags schwimme ich mit Greta",
            ),
            (
                "函館に住んでいます。鍵は植木鉢の下にあります。",
                "函館に住んでいます。",
                "鍵は植木鉢の下にあります。",
            ),
        ] {
            assert_eq!(rest(said, &[gone]).as_deref(), Some(left), "{said}");
        }
        assert_eq!(rest("I live in Dundee, you know", &["I live in Dundee"]), None, "it says nothing else");
        assert_eq!(
            rest("I lived in Dundee, and on Fridays I swim", &["I live in Perth"]),
            None,
            "it is not in there"
        );
        let both = ["I live in Dundee", "I work as a baker"];
        assert_eq!(rest("I live in Dundee and I work as a baker", &both), None);
        assert_eq!(rest("and so on", &[] as &[&str]).as_deref(), Some("and so on"));
    }
}
