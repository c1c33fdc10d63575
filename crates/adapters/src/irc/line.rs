//! Parses IRC lines: `@tags :prefix COMMAND param :last param` (RFC 1459, IRCv3 message tags).

use std::collections::HashMap;

/// The longest line that a server relays, in bytes, with CR and LF but without tags.
pub(super) const LONGEST: usize = 512;

/// A line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) tags: HashMap<String, String>,
    /// The sender: a server, or `nick!user@host`.
    pub(super) prefix: Option<String>,
    /// The command in capitals, or a three-digit numeric.
    pub(super) command: String,
    pub(super) params: Vec<String>,
}

impl Line {
    /// Parses a line without its line end. `None` if it contains no command.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim_end_matches(['\r', '\n']);
        let mut line = Self::default();
        if let Some(tagged) = rest.strip_prefix('@') {
            let (tags, after) = tagged.split_once(' ')?;
            for tag in tags.split(';').filter(|tag| !tag.is_empty()) {
                let (key, value) = tag.split_once('=').unwrap_or((tag, ""));
                line.tags.insert(key.to_owned(), unescaped(value));
            }
            rest = after.trim_start_matches(' ');
        }
        if let Some(prefixed) = rest.strip_prefix(':') {
            let (prefix, after) = prefixed.split_once(' ')?;
            line.prefix = Some(prefix.to_owned());
            rest = after.trim_start_matches(' ');
        }
        let (command, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        line.command = command.to_ascii_uppercase();
        loop {
            rest = rest.trim_start_matches(' ');
            if let Some(last) = rest.strip_prefix(':') {
                line.params.push(last.to_owned());
                break;
            }
            if rest.is_empty() {
                break;
            }
            let (param, after) = rest.split_once(' ').unwrap_or((rest, ""));
            line.params.push(param.to_owned());
            rest = after;
        }
        (!line.command.is_empty()).then_some(line)
    }

    /// A parameter; empty if the line has fewer.
    pub(super) fn param(&self, n: usize) -> &str {
        self.params.get(n).map_or("", String::as_str)
    }

    /// The nick of the sender.
    pub(super) fn nick(&self) -> &str {
        let prefix = self.prefix.as_deref().unwrap_or_default();
        prefix.split(['!', '@']).next().unwrap_or_default()
    }

    /// The value of a tag, unless it is empty.
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// Decodes the escapes in the value of a tag.
fn unescaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(':') => out.push(';'),
                Some('s') => out.push(' '),
                Some('r') => out.push('\r'),
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

/// A name in the form in which servers compare names: `{}|~` are the small letters of `[]\^`.
pub(super) fn folded(name: &str) -> String {
    let fold = |c: char| match c {
        '[' => '{',
        ']' => '}',
        '\\' => '|',
        '^' => '~',
        c => c.to_ascii_lowercase(),
    };
    name.chars().map(fold).collect()
}

/// Whether a target is a channel and not a person.
pub(super) fn is_channel(target: &str) -> bool {
    target.starts_with(['#', '&', '+', '!'])
}

/// A text without the colours and other formatting codes of IRC clients.
pub(super) fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // a colour code: one or two digits, optionally a comma and one or two more
            '\u{3}' => {
                let digits = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
                    for _ in 0..2 {
                        chars.next_if(char::is_ascii_digit);
                    }
                };
                digits(&mut chars);
                let mut ahead = chars.clone();
                if ahead.next() == Some(',') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
                    chars.next();
                    digits(&mut chars);
                }
            }
            c if c.is_control() && c != '\t' => {}
            c => out.push(c),
        }
    }
    out
}

/// Makes a valid nick of a name.
pub(super) fn nick_of(name: &str) -> String {
    let permitted = |c: &char| c.is_ascii_alphanumeric() || "-_[]{}\\|^`".contains(*c);
    let nick: String = name.chars().filter(permitted).collect();
    let nick = nick.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').to_owned();
    if nick.is_empty() { "greenroom".into() } else { nick }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ad2_a_line_of_irc_is_read() {
        let line = Line::parse(
            "@time=2026-11-24T15:00:00.123Z;msgid=a\\:b\\sc;+x :ann!a@host PRIVMSG #tea :Hi : all\r\n",
        )
        .unwrap();
        assert_eq!((line.nick(), line.command.as_str()), ("ann", "PRIVMSG"));
        assert_eq!(line.params, ["#tea", "Hi : all"]);
        assert_eq!(
            (line.tag("msgid"), line.tag("+x"), line.tag("time")),
            (Some("a;b c"), None, Some("2026-11-24T15:00:00.123Z"))
        );
        let line = Line::parse("ping  token").unwrap();
        assert_eq!((line.command.as_str(), line.param(0), line.param(1)), ("PING", "token", ""));
        assert_eq!(Line::parse("JOIN :").unwrap().params, [""]);
        assert!(Line::parse("").is_none() && Line::parse("@a=b").is_none() && Line::parse(":only").is_none());
    }

    #[test]
    fn ad2_names_are_compared_as_servers_do() {
        assert_eq!(folded("Ann[X]\\^"), "ann{x}|~");
        assert_eq!(
            without_marks("\u{2}bold\u{2} \u{3}04,12red\u{3}, \u{3}1,x \u{1d}a\u{f}"),
            "bold red, ,x a"
        );
        assert_eq!(
            (nick_of("Ada L. Byron").as_str(), nick_of("7of9").as_str(), nick_of("é").as_str()),
            ("AdaLByron", "of9", "greenroom")
        );
    }

    proptest! {
        #[test]
        fn ad2_no_line_breaks_the_parser(text in "\\PC{0,80}|[@:; a-z=\\\\]{0,60}") {
            let _ = Line::parse(&text);
        }
    }
}
