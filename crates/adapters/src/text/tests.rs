//! Tests of splitting, formatting and neutralising.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::{Dialect, Faces, Rate};

fn limits(longest: usize, lines: bool, dialect: Dialect) -> Limits {
    let rate = Rate { burst: 1, every: Duration::from_secs(1) };
    Limits {
        longest,
        unit: Unit::Bytes,
        lines,
        dialect,
        per_chat: rate,
        in_all: rate,
        key_lives: None,
        faces: Faces::Own,
    }
}

fn by_chars(text: &str, longest: usize) -> Vec<String> {
    split(text, longest, |part| part.chars().count())
}

#[test]
fn ad1_a_long_text_is_split_between_paragraphs_then_sentences_then_words() {
    assert_eq!(by_chars("One. Two.\n\nThree. Four.", 15), ["One. Two.", "Three. Four."]);
    assert_eq!(by_chars("One two three. Four five.", 18), ["One two three.", "Four five."]);
    assert_eq!(by_chars("one two three four", 9), ["one two", "three", "four"]);
    assert_eq!(by_chars("aaaaaaaaaa", 4), ["aaaa", "aaaa", "aa"]);
    assert_eq!(by_chars("short", 100), ["short"]);
    assert!(by_chars(" \n ", 5).is_empty());
}

#[test]
fn ad1_a_fence_is_closed_and_opened_again() {
    let code = "Look:\n```rust\nlet a = 1;\n    let b = 2;\nlet c = 3;\n```\nDone.";
    let parts = by_chars(code, 40);
    assert_eq!(parts[0], "Look:\n```rust\nlet a = 1;\n```");
    assert_eq!(parts[1], "```rust\n    let b = 2;\nlet c = 3;\n```");
    assert_eq!(parts[2], "Done.");
}

#[test]
fn ad1_a_grapheme_is_never_broken() {
    let family = "👨‍👩‍👧‍👦";
    let parts = by_chars(&family.repeat(5), 16);
    assert!(parts.iter().all(|part| part.trim().replace(family, "").is_empty()), "{parts:?}");
    assert_eq!(split_line(&"é".repeat(10), 7, Unit::Bytes), ["ééé", "ééé", "ééé", "é"]);
    // except for a grapheme that could not be sent otherwise
    let zalgo = format!("a{}", "\u{301}".repeat(100));
    assert!(split_line(&zalgo, 20, Unit::Bytes).iter().all(|piece| piece.len() <= 20));
}

#[test]
fn ad1_markdown_becomes_what_the_platform_shows() {
    let text = "# Title\n\nSome **bold**, *thin*, ~~old~~ and `a<b` & [site](https://x.example/?a=1&b=2).\n\n\
                - one\n- two\n  - three\n\n1. first\n2. second\n\n> quoted\n> twice\n\n```rust\nlet a: Vec<u8>;\n```";
    assert_eq!(
        format(text, Dialect::Plain),
        "Title\n\nSome bold, thin, old and a<b & site (https://x.example/?a=1&b=2).\n\n- one\n- two\n  - three\n\n\
         1. first\n2. second\n\n> quoted\n> twice\n\nlet a: Vec<u8>;"
    );
    assert_eq!(
        format(text, Dialect::Slack),
        "*Title*\n\nSome *bold*, _thin_, ~old~ and `a&lt;b` &amp; <https://x.example/?a=1&amp;b=2|site>.\n\n\
         • one\n• two\n  • three\n\n1. first\n2. second\n\n> quoted\n> twice\n\n```\nlet a: Vec&lt;u8&gt;;\n```"
    );
    assert_eq!(
        format(text, Dialect::TelegramHtml),
        "<b>Title</b>\n\nSome <b>bold</b>, <i>thin</i>, <s>old</s> and <code>a&lt;b</code> &amp; \
         <a href=\"https://x.example/?a=1&amp;b=2\">site</a>.\n\n• one\n• two\n  • three\n\n1. first\n2. second\n\n\
         <blockquote>quoted\ntwice</blockquote>\n\n<pre><code class=\"language-rust\">let a: Vec&lt;u8&gt;;</code></pre>"
    );
    assert_eq!(
        format("a **b**\nc\n\n- d\n\n<script>x</script>", Dialect::MatrixHtml),
        "<p>a <b>b</b><br>c</p><ul><li>d</li></ul>&lt;script&gt;x&lt;/script&gt;"
    );
    assert_eq!(format("**as it is**", Dialect::Discord), "**as it is**");
}

#[test]
fn ad1_a_text_calls_nobody_but_those_it_should() {
    let calm = neutralise("@everyone @HERE @room @hereafter @ada mail@channel.example");
    assert_eq!(
        calm,
        "@\u{2060}everyone @\u{2060}HERE @\u{2060}room @hereafter @ada mail@\u{2060}channel.example"
    );
    assert_eq!(neutralise("a\r\nb\rc\u{2028}d\0\u{1}\u{202e}e\tf"), "a\nb\nc\nde\tf");
    assert_eq!(clean_line("a\r\nPRIVMSG #x :b"), "a PRIVMSG #x :b");
    assert_eq!(clean_name("Ann\u{200b}\n  [system]:\u{202e} ", "42"), "Ann [system]:");
    assert_eq!(clean_name(" \u{200b}\n", "42"), "42");
}

#[test]
fn ad1_a_protocol_of_lines_gets_lines() {
    let parts =
        parts("One.\n\nTwo three four.\n```\ncode\n```", &limits(18, false, Dialect::Plain), "<ada> ");
    assert_eq!(parts, ["<ada> One.", "<ada> Two three", "<ada> four.", "<ada> code"]);
    assert!(super::parts("\n \n", &limits(10, true, Dialect::Plain), "").is_empty());
}

proptest! {
    #[test]
    fn ad1_every_part_fits_and_nothing_is_lost(
        text in "([a-zé👍🏽 .\\n`*_]|```|\\[a\\]\\(b\\)){0,300}",
        longest in 120_usize..200,
        lines in any::<bool>(),
        dialect in prop_oneof![Just(Dialect::Plain), Just(Dialect::Slack), Just(Dialect::TelegramHtml), Just(Dialect::Discord)],
        unit in prop_oneof![Just(Unit::Bytes), Just(Unit::Utf16), Just(Unit::Chars)],
    ) {
        let limits = Limits { unit, ..limits(longest, lines, dialect) };
        for part in parts(&text, &limits, "> ") {
            prop_assert!(unit.len(&part) <= longest, "{:?} in {:?}", part, text);
        }
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let whole: String = split(&text, longest, |part| part.chars().count()).iter().map(|part| letters(part)).collect();
        // the opening line of a fence is repeated in each of its parts
        if !text.contains("```") {
            prop_assert_eq!(whole, letters(&text));
        }
    }
}
