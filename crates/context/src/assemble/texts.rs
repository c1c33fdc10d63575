//! The exact text of every item of a receipt, for views of a context. The texts are found afterwards, so that a context
//! that is never viewed carries none.

use std::collections::HashMap;

use greenroom_core::{ChatMessage, Outcome, ReceiptItem, Section};

use super::{Assembled, Assembly, account::round_text, demonstration::note, summary::section};
use crate::Layout;

/// The texts of the items of a receipt, in the order of its items: for a kept or cut item its text in the request,
/// for a dropped item the text it would have had. `assembled` must be made from `assembly`.
pub fn texts(assembly: &Assembly<'_>, assembled: &Assembled) -> Vec<String> {
    let all = by_id(assembly);
    let text = |item: &ReceiptItem| {
        let text = all.get(&(item.section, item.id.clone())).cloned().unwrap_or_default();
        match item.outcome {
            Outcome::Cut => standing(&text, &assembled.messages).to_owned(),
            Outcome::Kept | Outcome::Dropped => text,
        }
    };
    assembled.receipt.items.iter().map(text).collect()
}

fn by_id(assembly: &Assembly<'_>) -> HashMap<(Section, String), String> {
    let mut all = HashMap::from([((Section::System, "system".to_owned()), assembly.system.to_owned())]);
    let character = |it: &crate::CharacterText| ((Section::System, it.id.clone()), it.text.clone());
    all.extend(assembly.character.texts.iter().map(character));
    all.extend(assembly.tools.iter().map(|tool| {
        let text = format!("{}\n{}", tool.description, tool.parameters);
        ((Section::Tools, tool.name.clone()), text)
    }));
    let document = |d: &super::ProjectDocument| ((Section::Project, d.path.clone()), d.text.clone());
    all.extend(assembly.project.iter().map(document));
    let memory = |entry: &crate::MemoryEntry| {
        let text = match assembly.profile.layout {
            Layout::Standard => entry.line.clone(),
            Layout::Demonstration => note(&entry.text),
        };
        ((Section::Memories, entry.id.clone()), text)
    };
    all.extend(assembly.memories.entries.iter().map(memory));
    all.extend(assembly.summary().map(|text| ((Section::History, "summary".to_owned()), section(text))));
    let said =
        |entry: &super::HistoryEntry| ((Section::History, entry.id.to_string()), entry.content.clone());
    all.extend(assembly.history.iter().map(said));
    let rounds = assembly.rounds.iter().enumerate();
    all.extend(rounds.map(|(n, round)| ((Section::History, format!("round:{}", n + 1)), round_text(round))));
    all
}

/// The longest beginning of a text, up to the end of a word, that occurs in a request.
fn standing<'a>(text: &'a str, messages: &[ChatMessage]) -> &'a str {
    let text = text.trim();
    let gaps = text.match_indices(char::is_whitespace).map(|(at, _)| at);
    let ends: Vec<usize> = gaps.chain([text.len()]).collect();
    let stands = |end: &usize| messages.iter().any(|message| message.content.contains(&text[..*end]));
    let last = ends.partition_point(stands).checked_sub(1);
    last.map_or("", |last| text[..ends[last]].trim_end())
}

#[cfg(test)]
mod tests {
    use greenroom_core::Role;

    use super::*;

    #[test]
    fn what_stands_of_a_cut_text_is_its_longest_beginning() {
        let request = [ChatMessage::new(Role::System, "## Project\nUse tabs.\nNever\n[cut here]")];
        assert_eq!(standing("Use tabs.\nNever spaces.", &request), "Use tabs.\nNever");
        assert_eq!(standing("nothing of this", &request), "");
    }
}
