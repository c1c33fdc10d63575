//! Splits a message into sentences, without pasted and quoted text. The captures of this folder call it.

use crate::words::one_of;

/// A sentence in its original words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// The sentence as one line, with its final mark.
    pub(crate) text: String,
    /// Whether the sentence is at least partly in quotation marks, or a line of a song.
    pub(crate) quoted: bool,
}

impl Sentence {
    pub(crate) fn is_question(&self) -> bool {
        self.text.ends_with(['?', '？'])
    }
}

/// The sentences of a message, without code blocks and quoted lines (`> …`). A line without a final mark ends a
/// sentence if a blank line or a list follows.
pub(crate) fn sentences(message: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut code = false;
    let mut paragraph = String::new();
    for line in message.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            code = !code;
            split(&std::mem::take(&mut paragraph), &mut found);
        } else if code || line.starts_with('>') {
        } else if line.is_empty() || line.starts_with(['-', '*', '•', '#']) {
            split(&std::mem::take(&mut paragraph), &mut found);
            paragraph = line.trim_start_matches(['-', '*', '•', '#', ' ']).to_owned();
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line);
        }
    }
    split(&paragraph, &mut found);
    found
}

fn split(paragraph: &str, found: &mut Vec<Sentence>) {
    let (mut start, mut quoted, mut open) = (0, false, false);
    let mut chars = paragraph.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => open = !open,
            '\u{201c}' | '«' | '„' => open = true,
            '\u{201d}' | '»' => open = false,
            // a line of a song
            '🎶' | '🎵' | '♫' => quoted = true,
            _ => {}
        }
        quoted |= open;
        let last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends = matches!(c, '.' | '!' | '?' | '…') && last || matches!(c, '。' | '！' | '？');
        if ends && !is_short_form(&paragraph[start..at], &paragraph[at + c.len_utf8()..]) {
            push(&paragraph[start..at + c.len_utf8()], quoted, found);
            (start, quoted) = (at + c.len_utf8(), open);
        }
    }
    push(&paragraph[start..], quoted, found);
}

/// Opening words that do not belong to the sentence itself.
const OPENINGS: &str = "please also and but well hey hi hello oh ok okay so btw actually honestly generally \
    personally yes no then";
/// Greetings after which a name with any mark may follow.
const GREETINGS: &str = "hey hi hello";
/// Words with a comma that are no name.
const NO_NAME: &str = "remember note if when unless suppose imagine maybe perhaps whenever until once although would \
    should";

/// The text without its opening: "Ada, please …", "Hi Ada! …", "Yes, and …", "@ada …".
pub(crate) fn opened(text: &str) -> &str {
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '-' | '–'));
    let mut greeted = false;
    loop {
        let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let word = bare(first);
        let opening = one_of(OPENINGS, &word);
        let called =
            first.ends_with(',') || first.ends_with(':') && opening || greeted && first.ends_with('!');
        let name = called && !one_of(NO_NAME, &word);
        if !(name || opening || first.starts_with('@')) || after.is_empty() {
            return rest.trim();
        }
        greeted = one_of(GREETINGS, &word);
        rest = after.trim_start();
    }
}

/// A word in lower case without punctuation at its ends.
pub(crate) fn bare(word: &str) -> String {
    word.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// Abbreviations before a name or another word.
const TITLES: &str =
    "dr mr mrs ms prof st vs etc sr sra srta lic mme mlle mgr hr frl dipl ing bzw evtl ggf ca zzgl inkl";
/// Abbreviations that are also words. A word with a capital letter must follow them.
const TITLES_BEFORE_CAPITALS: &str = "m mm fr pr ste av avda bd mt ft rev gen col capt sgt lt dña";
/// Abbreviations before a number.
const BEFORE_NUMBERS: &str = "no nr num núm tel apt str";
/// Words that begin a sentence and no name; and others that do so after a letter: "that was plan B. We …".
const PRONOUNS: &str = "i i'm i've i'd we ich wir yo je j'ai";
const BEGINNINGS: &str = "you he she they it the this that my our what why how and but so is are do du er sie es der die das mein \
    meine was wie und aber el los mi que y pero on nous tu il elle les mon ma c'est et mais";

/// Whether the dot belongs to an abbreviation, as `e.g.` or `Dr.`, and does not end the sentence.
fn is_short_form(before: &str, after: &str) -> bool {
    let written = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let word = written.to_lowercase();
    let next = after.trim_start();
    let next_word = bare(next.split_whitespace().next().unwrap_or_default());
    let (names, is_number) =
        (next.starts_with(char::is_uppercase), next.starts_with(|c: char| c.is_ascii_digit()));
    let is_initial = written.chars().count() == 1 && written.starts_with(char::is_uppercase);
    let goes_on = one_of(TITLES, &word)
        || names && one_of(TITLES_BEFORE_CAPITALS, &word)
        || names && is_initial && !one_of(BEGINNINGS, &next_word)
        || is_number && (one_of(BEFORE_NUMBERS, &word) || word.ends_with("str"));
    word.contains('.') && word.len() <= 4
        || is_ordinal(before, &word, after)
        || goes_on && !one_of(PRONOUNS, &next_word)
}

/// German months, and words before a day of one.
const MONTHS: &str =
    "januar jänner februar märz april mai juni juli august september oktober november dezember";
const BEFORE_A_DAY: &str = "am der den dem vom zum bis im ab";

/// Whether the dot makes a number an ordinal, as in `am 9. März`.
fn is_ordinal(before: &str, word: &str, after: &str) -> bool {
    let number = word.len() <= 2 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let previous = before.split_whitespace().rev().nth(1).unwrap_or_default().to_lowercase();
    let next = after.split_whitespace().next().unwrap_or_default();
    number && (one_of(BEFORE_A_DAY, &previous) || one_of(MONTHS, &bare(next)))
}

fn push(text: &str, quoted: bool, found: &mut Vec<Sentence>) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().any(char::is_alphanumeric) {
        found.push(Sentence { text, quoted });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_quoted_lines_are_not_what_somebody_says() {
        let said =
            "I like Go.\n> I like Rust.\n```\nI like C.\n```\nDr. Who said: \"Never. I like tea.\" Right?";
        let texts: Vec<(String, bool)> = sentences(said).into_iter().map(|s| (s.text, s.quoted)).collect();
        let expected =
            [("I like Go.", false), ("Dr. Who said: \"Never.", true), ("I like tea.\" Right?", true)];
        assert_eq!(texts, expected.map(|(text, quoted)| (text.to_owned(), quoted)));
    }

    #[test]
    fn mp6_an_abbreviation_or_an_initial_ends_no_sentence() {
        for one in [
            "Avec le proprio, M. Ouedraogo, on parle anglais",
            "M. Le Goff est mon voisin",
            "Meine Ärztin heißt Fr. Dr. Meyer",
            "Ich komme aus St. Gallen",
            "Mi casera es la Sra. Pérez",
            "My boss is J. Smith",
            "Ich wohne in der Goethestr. 5",
            "Vivo en la Av. Libertad",
            "We met Prof. El Amrani",
        ] {
            let texts: Vec<String> = sentences(one).into_iter().map(|one| one.text).collect();
            assert_eq!(texts, [one]);
        }
        for two in [
            "She is a prof. I like her.",
            "That was plan B. We need another.",
            "I said no. Nobody heard it.",
            "Das war Plan B. Das reicht.",
            "Tea, jam, etc. I like it all.",
            "I live in Graz. i like tea",
        ] {
            assert_eq!(sentences(two).len(), 2, "{two}");
        }
    }

    #[test]
    fn jv2_a_line_of_a_song_is_quoted() {
        let quoted = |text: &str| sentences(text).iter().map(|sentence| sentence.quoted).collect::<Vec<_>>();
        assert_eq!(quoted("my name is Jonas, I'm carrying the wheel 🎶 But I like tea."), [true]);
        assert_eq!(quoted("I like tea. 🎵 Me gusta viajar"), [false, true]);
    }

    #[test]
    fn a_list_is_a_sentence_a_line() {
        let texts: Vec<String> =
            sentences("Rules:\n- Be brief\n- Never shout").into_iter().map(|s| s.text).collect();
        assert_eq!(texts, ["Rules:", "Be brief", "Never shout"]);
    }
}
