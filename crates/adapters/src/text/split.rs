//! Splits long texts: between paragraphs, else lines, else sentences, else words, never inside a grapheme. If a part
//! ends inside a code fence, the fence is closed there and opened again in the next part.

use unicode_segmentation::UnicodeSegmentation;

use super::fitting;
use crate::Unit;

/// Splits Markdown into parts whose `length` is at most `longest`. `length` returns the length of a part after
/// formatting and grows with the text. The parts contain every character of the text, except white space at their ends.
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
        // formatting can make a shorter text longer, for example if a mark loses its partner
        let end = Some(best_break(&rest, farthest)).filter(|end| fits(*end)).unwrap_or(farthest);
        let (part, after) = rest.split_at(end);
        let (mut part, fence) = (part.trim_end().to_owned(), open_fence(part.trim_end()));
        // keep the indentation of the next line of code
        let after = if fence.is_some() { after.trim_start_matches('\n') } else { after.trim_start() };
        let after = match &fence {
            Some(fence) => {
                part.push('\n');
                part.push_str(&fence.mark);
                format!("{}\n{after}", fence.line)
            }
            None => after.to_owned(),
        };
        // if the opening line of a fence does not fit, reopening it would loop forever
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
            // a single grapheme is longer than a piece: break it, because it could not be sent otherwise
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

/// The length of the longest beginning that fits. It ends between two graphemes and is not zero.
fn longest_fit(text: &str, fits: impl Fn(usize) -> bool) -> usize {
    let ends: Vec<usize> = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len()).collect();
    let (mut low, mut high) = (0, ends.len());
    while low < high {
        let middle = low.midpoint(high);
        if fits(ends[middle]) { low = middle + 1 } else { high = middle }
    }
    // formatting can make a longer text shorter; then the binary search ends a little too far
    while low > 0 && !fits(ends[low - 1]) {
        low -= 1;
    }
    match low {
        0 => text.chars().next().map_or(0, char::len_utf8),
        n => ends[n - 1],
    }
}

/// The best break position at or before `end`, in the second half of the text before `end`.
fn best_break(text: &str, end: usize) -> usize {
    let from = text.floor_char_boundary(end / 2);
    // white space directly after `end` is as good a break
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

/// A code fence.
struct Fence {
    /// The closing mark.
    mark: String,
    /// The opening line.
    line: String,
}

/// The code fence that is still open at the end of a text.
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
