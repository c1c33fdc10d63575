//! Slack's markup as plain text: `<@U1>`, `<#C1|general>`, `<!here>`, `<https://example.org|label>`.

/// A part of a text.
#[derive(Debug, PartialEq)]
enum Part<'a> {
    Text(&'a str),
    User(&'a str),
    Other(String),
}

/// The users that a text mentions by id only.
pub(super) fn users(text: &str) -> Vec<&str> {
    let users = parts(text).into_iter().filter_map(|part| match part {
        Part::User(id) => Some(id),
        _ => None,
    });
    users.collect()
}

/// Whether a text mentions a user.
pub(super) fn mentions(text: &str, user: &str) -> bool {
    text.split("<@")
        .skip(1)
        .any(|rest| rest.strip_prefix(user).is_some_and(|after| after.starts_with(['>', '|'])))
}

/// The text as people see it. `name` returns the name of a user.
pub(super) fn plain(text: &str, name: impl Fn(&str) -> String) -> String {
    let mut plain = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Text(text) => plain.push_str(&unescaped(text)),
            Part::User(id) => {
                plain.push('@');
                plain.push_str(&name(id));
            }
            Part::Other(text) => plain.push_str(&unescaped(&text)),
        }
    }
    plain
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once('<') {
        parts.push(Part::Text(before));
        let Some((inside, after)) = after.split_once('>') else {
            // `<` without `>`
            parts.push(Part::Text(&rest[before.len()..]));
            return parts;
        };
        parts.push(part(inside));
        rest = after;
    }
    parts.push(Part::Text(rest));
    parts
}

fn part(inside: &str) -> Part<'_> {
    let (target, label) =
        inside.split_once('|').map_or((inside, None), |(target, label)| (target, Some(label)));
    let label = label.filter(|label| !label.is_empty());
    Part::Other(match (target.chars().next(), label) {
        (Some('@'), None) => return Part::User(&target[1..]),
        (Some('@'), Some(name)) => format!("@{name}"),
        (Some('#'), label) => format!("#{}", label.unwrap_or(&target[1..])),
        (Some('!'), Some(label)) => label.to_owned(),
        (Some('!'), None) => format!("@{}", &target[1..]),
        (_, Some(label)) if label != target => format!("{label} ({target})"),
        _ => target.trim_start_matches("mailto:").to_owned(),
    })
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad2_slacks_markup_becomes_what_people_see() {
        let text = "<@U1> and <@U2|bo> in <#C1|tea>: <!here> <https://x.example|site> &lt;b&gt; <mailto:a@b.example>";
        assert_eq!(users(text), ["U1"]);
        let plain = plain(text, |id| format!("name of {id}"));
        assert_eq!(plain, "@name of U1 and @bo in #tea: @here site (https://x.example) <b> a@b.example");
    }

    #[test]
    fn ad6_a_mention_is_of_the_user_with_the_whole_id() {
        assert!(mentions("<@U1>", "U1") && mentions("<@U12> and <@U1|troupe>", "U1"));
        assert!(!mentions("<@U12> help, U1", "U1") && !mentions("<@U1", "U1"));
    }

    #[test]
    fn ad3_broken_markup_is_text() {
        for broken in ["<", "<@", "a <b", "<>", "<|>", "&lt", "<@|>"] {
            let _ = plain(broken, str::to_owned);
        }
        assert_eq!(plain("2 <3", str::to_owned), "2 <3");
    }
}
