//! Fits the AGENTS.md files into their budget, from the deepest directory upwards, because the deepest file is
//! closest to the topic. The first that does not fit whole is cut at a line.

use super::{ProjectDocument, head::Head};
use crate::TokenCounter;

const TITLE: &str = "## Project Context\n";
/// The nearest file wins; the model does not know this rule.
const SEVERAL: &str = "Where these files disagree, the later one counts.\n";

/// The part of a file that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    Whole,
    Lines { shown: usize, of: usize },
    Nothing,
}

/// The files that fit.
pub(super) struct Fitted {
    /// The system message with the files.
    pub head: Head,
    /// Their tokens, title included.
    pub tokens: usize,
    /// The shown part of each file.
    pub shares: Vec<Share>,
    /// The tokens of each whole file.
    pub costs: Vec<usize>,
}

/// Puts as much of `documents` under `head` as `limit` tokens allow.
pub(super) fn fit(
    counter: &dyn TokenCounter,
    head: &Head,
    documents: &[ProjectDocument],
    limit: usize,
) -> Fitted {
    let costs: Vec<usize> = documents.iter().map(|document| counter.count(body(document))).collect();
    let mut allowance = limit;
    loop {
        let shares = share_out(counter, documents, &costs, allowance);
        let block = render(documents, &shares);
        if block.is_empty() {
            return Fitted { head: head.clone(), tokens: 0, shares, costs };
        }
        let grown = head.with(counter, &block);
        let tokens = grown.tokens.saturating_sub(head.tokens);
        match tokens.checked_sub(limit) {
            None | Some(0) => return Fitted { head: grown, tokens, shares, costs },
            // The parts cost more together than separately; the allowance shrinks until they fit.
            Some(over) => allowance = allowance.saturating_sub(over),
        }
    }
}

/// The parts of the documents that fit, estimated from separate counts.
fn share_out(
    counter: &dyn TokenCounter,
    documents: &[ProjectDocument],
    costs: &[usize],
    allowance: usize,
) -> Vec<Share> {
    let mut shares = vec![Share::Nothing; documents.len()];
    let Some(mut left) = allowance.checked_sub(counter.count(TITLE) + counter.count(SEVERAL)) else {
        return shares;
    };
    for ((share, document), cost) in shares.iter_mut().zip(documents).zip(costs).rev() {
        // A line break before the heading, one after it, one after the text.
        let heading = counter.count(&heading(document)) + 2;
        match left.checked_sub(heading + cost) {
            Some(rest) => {
                left = rest;
                *share = Share::Whole;
            }
            None => {
                let text = body(document);
                let of = text.lines().count();
                let marker = counter.count(&cut_marker(of, of)) + 1;
                let shown = lines_within(counter, text, left.saturating_sub(heading + marker));
                if shown > 0 {
                    *share = Share::Lines { shown, of };
                }
                break;
            }
        }
    }
    shares
}

/// How many lines of a text fit, from its beginning.
fn lines_within(counter: &dyn TokenCounter, text: &str, limit: usize) -> usize {
    let costs = text.split_inclusive('\n').map(|line| counter.count(line));
    costs
        .scan(0, |used, cost| {
            *used += cost;
            (*used <= limit).then_some(())
        })
        .count()
}

fn render(documents: &[ProjectDocument], shares: &[Share]) -> String {
    let shown: Vec<_> = documents.iter().zip(shares).filter(|(_, share)| **share != Share::Nothing).collect();
    if shown.is_empty() {
        return String::new();
    }
    let mut block = TITLE.to_owned();
    if shown.len() > 1 {
        block.push_str(SEVERAL);
    }
    for (document, share) in shown {
        block.push('\n');
        block.push_str(&heading(document));
        let text = body(document);
        match *share {
            Share::Lines { shown, of } => {
                block.extend(text.split_inclusive('\n').take(shown));
                if shown == of {
                    block.push('\n');
                }
                block.push_str(&cut_marker(shown, of));
            }
            Share::Whole | Share::Nothing => block.push_str(text),
        }
        block.push('\n');
    }
    block.truncate(block.trim_end().len());
    block
}

/// The text without blank lines around it.
pub(super) fn body(document: &ProjectDocument) -> &str {
    document.text.trim_start_matches(['\n', '\r']).trim_end()
}

fn heading(document: &ProjectDocument) -> String {
    format!("### {}\n\n", document.path)
}

fn cut_marker(shown: usize, of: usize) -> String {
    format!("[cut here: {shown} of {of} lines are shown]")
}
