//! Splits long texts: between paragraphs, else lines, else sentences, else words, never inside a grapheme. A fence of
//! code that a part ends in is closed there and opened again in the next one.

use unicode_segmentation::UnicodeSegmentation;

use super::fitting;
use crate::Unit;

/// Splits Markdown into parts whose `length` is at most `longest`. `length` grows with the text: it tells how long a part
/// is when it is formatted. Every character of the text is in one part, but white space at the ends of parts.
pub fn split(text: &str, longest: usize, length: impl Fn(&str) -> usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim_end().to_owned();
    while !rest.trim().is_empty() {
        if length(&rest) <= longest {
            parts.push(rest);
            break;
        }
        let fits = |end: usize| {
            let part = rest[..end].trim_end();
            match open_fence(part) {
                Some(fence) => length(&format!("{part}\n{}", fence.mark)) <= longest,
                None => length(part) <= longest,
            }
        };
        let farthest = longest_fit(&rest, fits);
        // formatting makes some shorter texts longer, as where a mark loses its pair
        let end = Some(best_break(&rest, farthest)).filter(|end| fits(*end)).unwrap_or(farthest);
        let (part, after) = rest.split_at(end);
        let (mut part, fence) = (part.trim_end().to_owned(), open_fence(part.trim_end()));
        // indentation of the next line of code stays
        let after = if fence.is_some() { after.trim_start_matches('\n') } else { after.trim_start() };
        let after = match &fence {
            Some(fence) => {
                part.push('\n');
                part.push_str(&fence.mark);
                format!("{}\n{after}", fence.line)
            }
            None => after.to_owned(),
        };
        // a fence whose line alone does not fit would be opened for ever
        rest = if after.len() < rest.len() { after } else { rest.split_off(end) };
        parts.push(part);
    }
    parts
}

/// Splits a line of plain text at words, into pieces of at most `longest`.
pub fn split_line(line: &str, longest: usize, unit: Unit) -> Vec<String> {
    let (mut pieces, mut rest) = (Vec::new(), line);
    while unit.len(rest) > longest {
        let mut head = fitting(rest, longest, unit);
        if head.is_empty() {
            // one grapheme is longer than a piece: it is broken, because it could not be sent otherwise
            head = rest.char_indices().nth(1).map_or(rest, |(at, _)| &rest[..at]);
        } else if !rest[head.len()..].starts_with(' ')
            && let Some(space) = head.rfind(' ').filter(|space| *space > head.len() / 2)
        {
            head = &head[..space];
        }
        pieces.push(head.trim_end().to_owned());
        rest = rest[head.len()..].trim_start();
    }
    pieces.push(rest.to_owned());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The longest beginning that fits, which ends between two graphemes and is not empty.
fn longest_fit(text: &str, fits: impl Fn(usize) -> bool) -> usize {
    let ends: Vec<usize> = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len()).collect();
    let (mut low, mut high) = (0, ends.len());
    while low < high {
        let middle = low.midpoint(high);
        if fits(ends[middle]) { low = middle + 1 } else { high = middle }
    }
    // formatting makes some longer texts shorter: then the found end is a little too far
    while low > 0 && !fits(ends[low - 1]) {
        low -= 1;
    }
    match low {
        0 => text.chars().next().map_or(0, char::len_utf8),
        n => ends[n - 1],
    }
}

/// The best place for a break at or before `end`, in its second half.
fn best_break(text: &str, end: usize) -> usize {
    let from = text.floor_char_boundary(end / 2);
    // a break that follows at once is as good
    let until = text[end..]
        .chars()
        .next()
        .map_or(end, |next| if next.is_whitespace() { end + next.len_utf8() } else { end });
    let window = &text[from..until];
    let after = |mark: &str| window.rfind(mark).map(|at| from + at + mark.len());
    let sentence = [". ", "! ", "? ", "。", "！", "？", "… "].into_iter().filter_map(after).max();
    let found = after("\n\n").or_else(|| after("\n")).or(sentence).or_else(|| after(" "));
    found.filter(|at| *at > 0).map_or(end, |at| at.min(until))
}

/// A fence of code.
struct Fence {
    /// What closes it.
    mark: String,
    /// The line that opened it.
    line: String,
}

/// The fence that is open at the end of a text.
fn open_fence(text: &str) -> Option<Fence> {
    let mut open: Option<Fence> = None;
    for line in text.split('\n') {
        let bare = line.trim_start_matches(' ');
        if line.len() - bare.len() > 3 {
            continue;
        }
        let first = bare.chars().next().filter(|c| matches!(c, '`' | '~'));
        let Some(first) = first else { continue };
        let marks = bare.chars().take_while(|c| *c == first).count();
        if marks < 3 {
            continue;
        }
        let info = &bare[marks..];
        match &open {
            Some(fence) => {
                if fence.mark.starts_with(first) && marks >= fence.mark.len() && info.trim().is_empty() {
                    open = None;
                }
            }
            None if first == '`' && info.contains('`') => {}
            None => {
                let info: String = info.trim().chars().take(32).collect();
                let mark: String = std::iter::repeat_n(first, marks).collect();
                open = Some(Fence { line: format!("{mark}{info}"), mark });
            }
        }
    }
    open
}
