//! Interprets raw data, one module per format. Reading never fails: fields that are not understood are kept (PF1, PF3).

pub(crate) mod agent;
pub(crate) mod agnai;
pub(crate) mod aieos;
pub(crate) mod byaf;
pub(crate) mod card;
pub(crate) mod eliza;
pub(crate) mod letta;
mod outline;
pub(crate) mod soul;
mod statements;

pub use self::statements::statements;
use crate::{Format, Knowledge, Lorebook, Source, character::Reading, lore::LorebookProgram, value::fields};

/// The prompt of a persona whose source has none.
pub(crate) const OWN_PROMPT: &str =
    "You are {{char}}, in a conversation with {{user}}. Write {{char}}'s next reply and stay in character.";

/// The most statements of one import.
pub(crate) const MAX_KNOWLEDGE: usize = 20_000;

/// Interprets a source.
pub(crate) fn read(source: &Source) -> Reading {
    let data = &source.data;
    match source.format {
        Format::CardV1 | Format::CardV2 | Format::CardV3 => card::read(data),
        Format::Lorebook => {
            let mut reading = Reading { name: source.stem().to_owned(), ..Reading::default() };
            reading.play.books.extend(Lorebook::read(data, "", &mut reading.ledger));
            let book = card::data_of(data);
            let own = LorebookProgram::of(book).map_or(&[][..], LorebookProgram::fields);
            reading.ledger.fields(book, "", &[own, card::BOOK].concat());
            let is_beside =
                |key: &str| !["data", "spec", "spec_version"].contains(&key) && !std::ptr::eq(book, data);
            for (key, _) in fields(data).filter(|(key, _)| is_beside(key)) {
                reading.ledger.kept(&format!("(root).{key}"), "beside the book's data, which counts");
            }
            reading
        }
        Format::Eliza => eliza::read(data),
        Format::Letta => letta::read(data, source.agent.as_deref()),
        Format::Soul => soul::read(data, &source.file),
        Format::SoulJson => soul::manifest(data),
        Format::Aieos => aieos::read(data),
        Format::AgentMarkdown => agent::markdown(data),
        Format::AgentToml => agent::toml(data),
        Format::Byaf => byaf::read(data),
        Format::CrewAi => agent::crew(data, source.agent.as_deref()),
    }
}

/// The agents of a source. One `None` if the source is a single persona.
pub(crate) fn agents(source: &Source) -> Vec<Option<String>> {
    let names: Vec<Option<String>> = match source.format {
        Format::CrewAi => fields(&source.data)
            .filter(|(_, value)| agent::is_crew_agent(value))
            .map(|(name, _)| Some(name.clone()))
            .collect(),
        Format::Letta => letta::agents(&source.data),
        _ => Vec::new(),
    };
    if names.is_empty() { vec![None] } else { names }
}

/// Adds the statements of a text, up to the limit (X12).
pub(crate) fn learn(known: &mut Vec<Knowledge>, place: &str, text: &str) {
    if known.len() < MAX_KNOWLEDGE {
        known.extend(statements(place, text));
        known.truncate(MAX_KNOWLEDGE);
    }
}
