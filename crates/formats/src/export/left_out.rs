//! Lists what an export cannot contain, one line each (PF7).

use super::Exporting;
use crate::{Fate, read};

/// The most lines about fields of a source. A hostile file has more than a person reads.
const MAX_LINES: usize = 100;

/// Lists the parts of a persona that `format` cannot contain. `takes`: the parts that it can contain.
pub(super) fn left_out(persona: &Exporting<'_>, format: &str, takes: &[&str]) -> Vec<String> {
    let play = persona.play;
    let greeting = persona.character.greeting.as_ref();
    let others = play.greetings.iter().filter(|it| greeting != Some(*it)).count();
    let entries: usize = play.books.iter().map(|book| book.entries.len()).sum();
    let reading = persona.source.map(read::read).unwrap_or_default();
    let parts = [
        ("greeting", usize::from(greeting.is_some())),
        ("alternate_greetings", others),
        ("mes_example", play.examples.len()),
        ("post_history_instructions", usize::from(play.post_history.is_some())),
        ("depth_prompt", usize::from(play.depth_prompt.is_some())),
        ("lorebook entries", entries),
        ("knowledge", reading.knowledge.len()),
    ];
    let line = |field: &str| format!("{field}: left out, {format} has no place for it");
    let mut lines: Vec<String> = parts
        .into_iter()
        .filter(|(part, number)| *number > 0 && !takes.contains(part))
        .map(|(part, number)| line(&if number == 1 { part.to_owned() } else { format!("{part} ({number})") }))
        .collect();
    if !reading.documents.is_empty() {
        let number = reading.documents.len();
        lines.push(format!(
            "documents of knowledge ({number}): left out, they are files beside the imported one"
        ));
    }
    let own = persona.source.map_or(&[][..], |source| source.format.own_fields());
    let kept: Vec<String> = reading
        .ledger
        .close()
        .into_iter()
        .filter(|line| line.fate != Fate::Effective && !line.field.starts_with('('))
        .filter(|line| !own.contains(&line.field.as_str()))
        .map(|line| line.field)
        .collect();
    lines.extend(kept.iter().take(MAX_LINES).map(|field| line(field)));
    if let Some(more @ 1..) = kept.len().checked_sub(MAX_LINES) {
        lines.push(line(&format!("{more} more fields")));
    }
    lines
}
