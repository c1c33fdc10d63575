//! Parses Telegram's HTML: accepts its tags and rejects everything else.

use super::api::Refusal;

/// Tags that are accepted with any attributes.
const TAGS: [&str; 15] = [
    "b",
    "strong",
    "i",
    "em",
    "u",
    "ins",
    "s",
    "strike",
    "del",
    "code",
    "pre",
    "tg-spoiler",
    "a",
    "blockquote",
    "tg-emoji",
];

/// The visible text.
///
/// # Errors
/// Unknown tags, and tags that are not closed or are closed in the wrong order.
pub(super) fn text(html: &str) -> Result<String, Refusal> {
    let error = |reason: String| Refusal::bad(&format!("can't parse entities: {reason}"));
    let mut text = String::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = html;
    while let Some(next) = rest.find(['<', '&']) {
        text.push_str(&rest[..next]);
        rest = &rest[next..];
        let offset = html.len() - rest.len();
        if rest.starts_with('&') {
            let (character, length) = entity(rest).unwrap_or(('&', 1));
            text.push(character);
            rest = &rest[length..];
            continue;
        }
        let end =
            rest.find('>').ok_or_else(|| error(format!("Unclosed start tag at byte offset {offset}")))?;
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let name = name.trim().to_lowercase();
            match open.pop() {
                None => return Err(error(format!("Unexpected end tag at byte offset {offset}"))),
                Some(expected) if name != expected && !name.is_empty() => {
                    let reason =
                        format!("Unmatched end tag at byte offset {offset}, expected \"</{expected}>\"");
                    return Err(error(format!("{reason}, found \"</{name}>\"")));
                }
                Some(_) => {}
            }
        } else {
            let name = tag.split([' ', '\n']).next().unwrap_or_default().to_lowercase();
            let spoiler = name == "span" && tag.contains("class=\"tg-spoiler\"");
            if !spoiler && !TAGS.contains(&name.as_str()) {
                return Err(error(format!("Unsupported start tag \"{name}\" at byte offset {offset}")));
            }
            open.push(name);
        }
    }
    text.push_str(rest);
    match open.pop() {
        Some(name) => Err(error(format!("Can't find end tag corresponding to start tag \"{name}\""))),
        None => Ok(text),
    }
}

/// The character of an HTML entity at the beginning of `text`, and the entity's length in bytes.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.find(';')?;
    let character = match &text[1..end] {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        number => {
            let number = number.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((character, end + 1))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn markup_disappears_and_entities_are_read() {
        assert_eq!(text("<b>a</b> &lt;b&gt; &amp; &#65; R&D").ok().as_deref(), Some("a <b> & A R&D"));
        assert_eq!(text("<pre><code class=\"language-rust\">x</code></pre>").ok().as_deref(), Some("x"));
    }

    #[test]
    fn ad3_telegram_refuses_html_that_it_does_not_know() {
        for bad in ["1 < 2", "<h1>a</h1>", "<b>a", "a</b>", "<b><i>a</b></i>", "<p>a</p>", "<br>"] {
            assert!(text(bad).is_err(), "{bad} was accepted");
        }
    }
}
