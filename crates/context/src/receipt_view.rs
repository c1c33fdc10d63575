//! A receipt as plain text for a terminal: the share of each section in the window, then every item with its outcome
//! and the reason, at most 80 columns wide (GR3).

use greenroom_core::{Outcome, Receipt, ReceiptItem, Section, short_model_name};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const WIDTH: usize = 80;
/// Columns of the window's bar.
const BAR: usize = 48;
/// Tokens of an item with their commas.
const TOKENS: usize = 7;
/// The column of ids, and of the line below an item.
const SAID: usize = 2 + 7 + 1 + TOKENS + 2 + 4 + 2;
const ID: usize = 12;
const PREVIEW: usize = WIDTH - SAID - ID - 2;

/// Shows a receipt, for `greenroom context` and `/context`. Ends with a line break.
pub fn render_receipt(receipt: &Receipt) -> String {
    let budget = &receipt.budget;
    let counted = if receipt.exact { "counted" } else { "estimated" };
    let full = budget.total_tokens * 100 / receipt.window.max(1);
    let first = format!(
        "{}: {} of {} tokens ({full}%), {counted} by {}",
        short_model_name(&receipt.model),
        thousands(budget.total_tokens),
        thousands(receipt.window),
        receipt.counter
    );
    let mut lines = vec![clip(&first, WIDTH), String::new()];
    let free = receipt.window.saturating_sub(budget.total_tokens + receipt.reserve);
    let shares = [
        ("system", budget.system_tokens),
        ("tools", budget.tool_tokens),
        ("project", budget.project_tokens),
        ("memories", budget.memory_tokens),
        ("history", budget.history_tokens),
        ("kept for reply", receipt.reserve),
        ("free", free),
    ];
    lines.extend(shares.map(|(name, tokens)| share(name, tokens, receipt.window)));
    for (section, title) in [
        (Section::System, "System"),
        (Section::Tools, "Tools"),
        (Section::Project, "Project"),
        (Section::Memories, "Memories"),
        (Section::History, "History"),
    ] {
        let mut items = receipt.items.iter().filter(|item| item.section == section).peekable();
        if items.peek().is_some() {
            lines.extend([String::new(), title.to_owned()]);
            lines.extend(items.flat_map(rows));
        }
    }
    if !receipt.notes.is_empty() {
        lines.extend([String::new(), "Notes".to_owned()]);
    }
    for note in &receipt.notes {
        let wrapped = wrap(note.split_whitespace(), " ", WIDTH - 4);
        lines.extend(
            wrapped
                .iter()
                .enumerate()
                .map(|(n, line)| format!("  {} {line}", if n == 0 { '-' } else { ' ' })),
        );
    }
    lines.push(String::new());
    lines.join("\n")
}

/// One item: a row, and the reason in a line below. An item kept because it fits has no such line.
fn rows(item: &ReceiptItem) -> Vec<String> {
    let outcome = match item.outcome {
        Outcome::Kept => "kept",
        Outcome::Cut => "cut",
        Outcome::Dropped => "dropped",
    };
    let score = item.score.map(|score| format!("{score:.2}")).unwrap_or_default();
    let tokens = match item.tokens {
        millions @ 1_000_000.. => format!("{}M", millions / 1_000_000),
        tokens => thousands(tokens),
    };
    let row = format!(
        "  {outcome:<7} {tokens:>TOKENS$}  {score:<4}  {}  {}",
        fill(&item.id, ID),
        fill(&item.preview, PREVIEW),
    );
    let plain = item.outcome == Outcome::Kept && item.reason == "fits";
    let reasons = wrap(item.reason.split_whitespace().filter(|_| !plain), " ", WIDTH - SAID);
    let below = reasons.iter().map(|line| format!("{:SAID$}{line}", ""));
    std::iter::once(row.trim_end().to_owned()).chain(below).collect()
}

/// One part of the window: its name, its tokens, and a bar. A part that is not empty has at least the smallest bar.
fn share(name: &str, tokens: usize, window: usize) -> String {
    let cells = match tokens {
        0 => 0,
        _ => (tokens.min(window) * BAR / window.max(1)).max(1),
    };
    let row = format!("  {name:<14} {:>11}  {}", thousands(tokens), "#".repeat(cells));
    clip(row.trim_end(), WIDTH)
}

/// `12345` as `12,345`.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// At most `width` columns of a text, with an ellipsis if it is longer.
fn clip(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        out.push(c);
    }
    // some letters are wider together than apart
    while out.width() >= width && out.pop().is_some() {}
    out.push('…');
    out
}

/// Exactly `width` columns.
fn fill(text: &str, width: usize) -> String {
    let text = clip(text, width);
    let gap = width.saturating_sub(text.width());
    format!("{text}{:gap$}", "")
}

/// Joins pieces with `gap` to lines of at most `width` columns; a piece too long for one is clipped.
fn wrap<'a>(pieces: impl Iterator<Item = &'a str>, gap: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if line.width() + gap.width() + piece.width() <= width => {
                line.push_str(gap);
                line.push_str(piece);
            }
            _ => lines.push(clip(piece, width)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use greenroom_core::ContextBudget;
    use proptest::prelude::*;

    use super::*;

    fn item(
        section: Section,
        id: &str,
        tokens: usize,
        outcome: Outcome,
        reason: &'static str,
    ) -> ReceiptItem {
        let preview = format!("What {id} says, in a line that is longer than its column");
        ReceiptItem { section, id: id.into(), preview, tokens, score: None, outcome, reason: reason.into() }
    }

    fn receipt() -> Receipt {
        let memory = item(Section::Memories, "m12", 14, Outcome::Kept, "fits");
        Receipt {
            model: "gpt-4o-mini".into(),
            window: 8_000,
            reserve: 1_024,
            counter: "o200k".into(),
            exact: true,
            budget: ContextBudget {
                total_tokens: 4_842,
                system_tokens: 310,
                tool_tokens: 120,
                project_tokens: 3_988,
                memory_tokens: 24,
                history_tokens: 400,
                history_messages: 2,
                exhausted: true,
            },
            items: vec![
                item(Section::System, "system", 310, Outcome::Kept, "always there"),
                item(Section::Tools, "remember", 60, Outcome::Kept, "on offer"),
                item(
                    Section::Project,
                    "crates/context/AGENTS.md",
                    3_970,
                    Outcome::Cut,
                    "cut to 120 of 300 lines: the project budget is 4000 tokens",
                ),
                ReceiptItem { score: Some(0.815), ..memory.clone() },
                item(Section::History, "msg:41", 390, Outcome::Kept, "fits"),
                ReceiptItem {
                    score: Some(0.4),
                    outcome: Outcome::Dropped,
                    id: "msg:7".into(),
                    preview: "短い答えが好きです、長い答えは読みません".into(),
                    reason: "already in the history".into(),
                    ..memory
                },
            ],
            notes: vec!["the embedder did not answer".into()],
            reusable_prefix: None,
        }
    }

    #[test]
    fn gr3_a_receipt_reads_like_a_bill() {
        insta::assert_snapshot!(render_receipt(&receipt()), @r"
        gpt-4o-mini: 4,842 of 8,000 tokens (60%), counted by o200k

          system                 310  #
          tools                  120  #
          project              3,988  #######################
          memories                24  #
          history                400  ##
          kept for reply       1,024  ######
          free                 2,134  ############

        System
          kept        310        system        What system says, in a line that is long…
                                 always there

        Tools
          kept         60        remember      What remember says, in a line that is lo…
                                 on offer

        Project
          cut       3,970        crates/cont…  What crates/context/AGENTS.md says, in a…
                                 cut to 120 of 300 lines: the project budget is 4000
                                 tokens

        Memories
          kept         14  0.81  m12           What m12 says, in a line that is longer …
          dropped      14  0.40  msg:7         短い答えが好きです、長い答えは読みません
                                 already in the history

        History
          kept        390        msg:41        What msg:41 says, in a line that is long…

        Notes
          - the embedder did not answer
        ");
    }

    #[test]
    fn gr3_numbers_have_their_commas() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    proptest! {
        #[test]
        fn gr3_no_line_is_wider_than_eighty_columns(
            text in "(\\PC| ){0,200}", id in "\\PC{0,40}", tokens in 0usize..100_000_000, window in 0usize..300_000,
        ) {
            let mut receipt = receipt();
            receipt.window = window;
            receipt.budget.history_tokens = tokens;
            receipt.model = text.clone();
            receipt.notes = vec![text.clone()];
            for item in &mut receipt.items {
                (item.id, item.preview, item.reason, item.tokens) = (id.clone(), text.clone(), text.clone().into(), tokens);
            }
            for line in render_receipt(&receipt).lines() {
                prop_assert!(line.width() <= WIDTH, "{}: {line}", line.width());
            }
        }
    }
}
