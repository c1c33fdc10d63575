//! Splits a Markdown text into statements for the memory (PF6). A statement is recalled alone, so it carries the
//! headings above it and the date of its file.

use crate::Knowledge;

/// The most characters of one statement of knowledge.
const MAX_STATEMENT: usize = 1_500;
/// The most statements of one text.
const MAX_STATEMENTS: usize = 2_000;
/// The most characters of the headings before a statement.
const MAX_PREFIX: usize = 200;

/// Splits a text into statements: one per paragraph and per item of a list, with the headings above it and the line
/// that introduces the list. Longer ones are cut at the end of a sentence.
pub fn statements(place: &str, text: &str) -> Vec<Knowledge> {
    let file = place.rsplit('/').next().unwrap_or_default();
    let stem = file.strip_suffix(".md").unwrap_or(file);
    let date = stem.get(..10).filter(|date| is_date(date)).map(str::to_owned);
    let mut splitter = Splitter { stem: stem.to_lowercase(), date, ..Splitter::default() };
    text.lines().for_each(|line| splitter.line(line));
    splitter.close(false);
    let mut pieces = splitter.pieces;
    if pieces.is_empty() && !place.ends_with(".md") {
        // a field of a character that looks like a heading is no heading of a document
        splitter = Splitter { block: words(text), ..Splitter::default() };
        splitter.close(false);
        pieces = splitter.pieces;
    }
    match &pieces[..] {
        [one] => vec![Knowledge { place: place.to_owned(), text: one.clone() }],
        _ => pieces
            .into_iter()
            .enumerate()
            .map(|(n, text)| Knowledge { place: format!("{place}#{}", n + 1), text })
            .collect(),
    }
}

#[derive(Default)]
struct Splitter {
    /// The name of the file in lower case.
    stem: String,
    date: Option<String>,
    /// The headings above the line, with their levels.
    headings: Vec<(usize, String)>,
    /// The line that introduces the list: `Anna is allergic to:`.
    lead: String,
    /// The paragraph or the item so far.
    block: String,
    /// The indentation of the list, if the block is an item of one.
    item: Option<usize>,
    is_after_blank: bool,
    /// The mark that ends the code block.
    fence: Option<&'static str>,
    pieces: Vec<String>,
}

impl Splitter {
    fn line(&mut self, line: &str) {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        let fence = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        if self.fence.is_some() || fence.is_some() {
            self.fence = match self.fence {
                None => fence,
                open => open.filter(|_| open != fence),
            };
            self.push(text);
        } else if text.is_empty() {
            self.is_after_blank = true;
            return;
        } else if let Some((level, title)) = heading(text) {
            self.close(false);
            self.open_section(level, title);
        } else if let Some(level) = underline(text).filter(|_| self.is_paragraph()) {
            let title = std::mem::take(&mut self.block);
            self.open_section(level, &title);
        } else if is_line(text) {
            self.close(false);
        } else if let Some(item) = item(text) {
            if self.item.is_some_and(|outer| indent > outer) {
                self.push(text);
            } else {
                self.close(true);
                self.item = Some(indent);
                self.push(item);
            }
        } else {
            let is_within = self.item.is_some_and(|outer| indent > outer);
            if self.is_after_blank && !is_within {
                self.close(false);
            }
            self.push(text);
        }
        self.is_after_blank = false;
    }

    /// Whether the line before was text outside a list.
    fn is_paragraph(&self) -> bool {
        self.item.is_none() && !self.is_after_blank && !self.block.is_empty()
    }

    fn push(&mut self, text: &str) {
        if !self.block.is_empty() && !text.is_empty() {
            self.block.push(' ');
        }
        self.block.push_str(&words(text));
    }

    fn open_section(&mut self, level: usize, title: &str) {
        self.lead.clear();
        self.headings.retain(|(above, _)| *above < level);
        let title = self.date.as_ref().map_or_else(|| title.to_owned(), |date| title.replace(date, ""));
        let is_mark = |c: char| matches!(c, '#' | '*' | '_' | ':' | '-' | '–' | '—') || c.is_whitespace();
        let title = title.trim_matches(is_mark);
        let says_nothing = title.is_empty() || level == 1 && self.names_file(title);
        if !says_nothing {
            self.headings.push((level, title.to_owned()));
        }
    }

    /// Whether a title says nothing besides the name of the file, as `# Boats` in `boats.md` or `# Long-term memory` in
    /// `MEMORY.md`.
    fn names_file(&self, title: &str) -> bool {
        let title = title.to_lowercase();
        let is_word = |word: &str| self.stem.split(|c: char| !c.is_alphanumeric()).any(|it| it == word);
        let mut words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        self.stem == "memory" && title.contains("memory") || words.all(is_word)
    }

    /// Ends the paragraph or the item. `before_item`: an item of a list follows.
    fn close(&mut self, before_item: bool) {
        let block = std::mem::take(&mut self.block);
        let was_item = self.item.take().is_some();
        if !was_item && !block.is_empty() {
            self.lead.clear();
            let lead = block.strip_suffix(':').filter(|lead| lead.chars().count() <= MAX_PREFIX);
            if let Some(lead) = lead.filter(|_| before_item) {
                lead.clone_into(&mut self.lead);
                return;
            }
        }
        let prefix = self.prefix(if was_item { &self.lead } else { "" });
        if !before_item {
            self.lead.clear();
        }
        // punctuation alone says nothing
        if !block.chars().any(char::is_alphanumeric) {
            return;
        }
        let mut rest = &*block;
        while !rest.is_empty() && self.pieces.len() < MAX_STATEMENTS {
            let (piece, after) = cut(rest, MAX_STATEMENT - prefix.chars().count());
            self.pieces.push(format!("{prefix}{piece}"));
            rest = after;
        }
    }

    /// The date and the headings before a statement. The outer headings are left out first.
    fn prefix(&self, lead: &str) -> String {
        let mut left = MAX_PREFIX;
        let inner = std::iter::once(lead).chain(self.headings.iter().rev().map(|(_, title)| &**title));
        let mut parts: Vec<&str> = inner
            .filter(|part| !part.is_empty())
            .take_while(|part| {
                let length = part.chars().count() + 2;
                let fits = length <= left;
                left = left.saturating_sub(length);
                fits
            })
            .collect();
        parts.extend(self.date.as_deref());
        parts.reverse();
        if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(", ")) }
    }
}

/// The text with single spaces.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The level and the title of a heading: `## Mother`.
fn heading(text: &str) -> Option<(usize, &str)> {
    let title = text.trim_start_matches('#');
    let level = text.len() - title.len();
    ((1..=6).contains(&level) && (title.is_empty() || title.starts_with([' ', '\t'])))
        .then_some((level, title))
}

/// The level of the heading whose title is the line above.
fn underline(text: &str) -> Option<usize> {
    let is_all = |mark| text.len() >= 3 && text.chars().all(|c| c == mark);
    if is_all('=') { Some(1) } else { is_all('-').then_some(2) }
}

/// Whether a text is a line across the page: `---` or `* * *`.
fn is_line(text: &str) -> bool {
    let marks: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
    marks.len() >= 3 && matches!(marks[0], '-' | '*' | '_') && marks.iter().all(|mark| *mark == marks[0])
}

/// The text of an item of a list. The number of an item is part of it.
fn item(text: &str) -> Option<&str> {
    if let Some(item) = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| text.strip_prefix(mark)) {
        return Some(item);
    }
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = (1..=3).contains(&(text.len() - after.len()));
    (is_numbered && (after.starts_with(". ") || after.starts_with(") "))).then_some(text)
}

/// Whether a text has the form `2026-01-03`.
fn is_date(text: &str) -> bool {
    text.chars().enumerate().all(|(n, c)| if n == 4 || n == 7 { c == '-' } else { c.is_ascii_digit() })
}

/// The first part of a text with at most `most` characters, and the rest: after a sentence, else after a word.
fn cut(text: &str, most: usize) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(most) else { return (text, "") };
    let head = &text[..end];
    let sentence = |(at, c): (usize, char)| {
        let next = at + c.len_utf8();
        let is_end =
            matches!(c, '。' | '！' | '？') || matches!(c, '.' | '!' | '?') && text[next..].starts_with(' ');
        is_end.then_some(next)
    };
    let at = head.char_indices().rev().find_map(sentence).or_else(|| head.rfind(' ')).unwrap_or(end);
    (text[..at].trim_end(), text[at..].trim_start())
}
