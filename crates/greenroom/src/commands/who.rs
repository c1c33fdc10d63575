//! Reads the persona and the message from the arguments of `chat` and `context`.

use std::path::Path;

use greenroom_core::PersonaName;
use greenroom_persona::{Cast, Diagnostic, Persona};

use super::chat::slash::nearest;
use crate::term::one_line;

/// A persona and an optional message.
pub type Addressed = (PersonaName, Option<String>);

/// The names of the personas, and the problems of persona files.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The personas, each with its display name.
    pub known: Vec<(PersonaName, String)>,
    /// The problems of other files.
    pub problems: Vec<Diagnostic>,
    /// Files that are not read: the name in lower case, and the reason.
    pub unread: Vec<(String, String)>,
}

impl Names {
    /// The names of a cast.
    pub fn of(cast: &Cast) -> Self {
        let named = |persona: &Persona| (persona.name.clone(), persona.display_name.clone());
        Self {
            known: cast.personas.iter().map(named).collect(),
            problems: cast.persona_problems().to_vec(),
            unread: cast.unread_files().collect(),
        }
    }

    /// The persona of a name: the name of its file, or its display name.
    ///
    /// # Errors
    /// The problems of its file, or the names of the personas.
    pub fn find(&self, name: &str) -> Result<PersonaName, String> {
        existing(name, &self.known).map_err(|error| self.problems_of(name).unwrap_or(error))
    }

    /// The problems of the file of a name, or why it is not read.
    pub fn problems_of(&self, name: &str) -> Option<String> {
        let wanted = normalised(name);
        let is = |p: &&Diagnostic| Path::new(&p.file).file_stem().is_some_and(|stem| *stem == *wanted);
        let lines: Vec<String> = self.problems.iter().filter(is).map(Diagnostic::line).collect();
        if !lines.is_empty() {
            return Some(format!("{wanted} cannot play:\n  {}", lines.join("\n  ")));
        }
        let (_, reason) = self.unread.iter().find(|(name, _)| *name == wanted)?;
        Some(format!("there is no persona `{}`; {}", one_line(name, 64), one_line(reason, 300)))
    }
}

/// Reads `[PERSONA] [MESSAGE]`. A single argument that is no name is a message if it contains a space, and a mistyped
/// name otherwise. With `--persona`, a single argument is the message.
///
/// # Errors
/// What is wrong with the arguments.
pub fn addressed(
    named: Option<&str>,
    first: Option<&str>,
    second: Option<&str>,
    known: &Names,
    default: &PersonaName,
) -> Result<Addressed, String> {
    let message = |text: &str| match text.trim() {
        "" => Err("the message is empty; write one, or leave it out".to_owned()),
        _ => Ok(text.to_owned()),
    };
    if let Some(name) = named {
        let persona = known.find(name)?;
        return match (first, second) {
            (text, None) => Ok((persona, text.map(message).transpose()?)),
            (Some(first), Some(text)) if first == name => Ok((persona, Some(message(text)?))),
            _ => Err("--persona names who should answer; write the message as one argument".to_owned()),
        };
    }
    match (first, second) {
        (None, _) => Ok((known.find(default.as_str())?, None)),
        (Some(text), None) if text.trim().contains(char::is_whitespace) || text.trim().is_empty() => {
            Ok((known.find(default.as_str())?, Some(message(text)?)))
        }
        (Some(name), None) => {
            let hint = format!("; to say “{name}” to {default}, write: greenroom chat {default} \"{name}\"");
            let found = existing(name, &known.known);
            Ok((found.map_err(|error| known.problems_of(name).unwrap_or(error + &hint))?, None))
        }
        (Some(name), Some(text)) => Ok((known.find(name)?, Some(message(text)?))),
    }
}

/// A name in the form of a file name: `@Ada` becomes `ada`.
fn normalised(name: &str) -> String {
    name.trim().trim_start_matches('@').to_lowercase()
}

/// The persona of a name.
///
/// # Errors
/// The names of the personas.
pub fn existing(name: &str, known: &[(PersonaName, String)]) -> Result<PersonaName, String> {
    let wanted = normalised(name);
    if let Some((found, _)) = known.iter().find(|(known, _)| known.as_str() == wanted) {
        return Ok(found.clone());
    }
    let mut shown = known.iter().filter(|(_, shown)| shown.to_lowercase() == wanted);
    if let (Some((found, _)), None) = (shown.next(), shown.next()) {
        return Ok(found.clone());
    }
    let names = known.iter().map(|(name, _)| name.as_str());
    let near =
        nearest(&wanted, names.clone()).map(|near| format!("did you mean {near}? ")).unwrap_or_default();
    let names = names.collect::<Vec<_>>().join(", ");
    let there = if names.is_empty() {
        "there is none at all; `greenroom persona new NAME` writes one".to_owned()
    } else {
        format!("there are {names}")
    };
    Err(format!("there is no persona `{}`; {near}{there}", one_line(name, 64)))
}

#[cfg(test)]
mod tests {
    use greenroom_persona::Layers;

    use super::*;

    fn cast() -> Names {
        let known = [("ada", "Ada"), ("bo", "Bo"), ("clio", "The Muse")];
        let known = known.map(|(name, shown)| (name.parse().unwrap(), shown.to_owned())).to_vec();
        Names { known, ..Names::default() }
    }

    fn read(first: Option<&str>, second: Option<&str>) -> Result<(String, Option<String>), String> {
        read_with(None, first, second)
    }

    fn read_with(
        named: Option<&str>,
        first: Option<&str>,
        second: Option<&str>,
    ) -> Result<(String, Option<String>), String> {
        let (persona, message) = addressed(named, first, second, &cast(), &"ada".parse().unwrap())?;
        Ok((persona.to_string(), message))
    }

    #[test]
    fn a_persona_may_be_named_by_a_flag_as_for_its_memory() {
        let says = |who: &str, what: Option<&str>| Ok((who.to_owned(), what.map(str::to_owned)));
        assert_eq!(read_with(Some("bo"), None, None), says("bo", None));
        assert_eq!(read_with(Some("bo"), Some("hello"), None), says("bo", Some("hello")));
        assert_eq!(read_with(Some("bo"), Some("bo"), Some("hello")), says("bo", Some("hello")));
        assert!(read_with(Some("bo"), Some("ada"), Some("hello")).unwrap_err().contains("one argument"));
        assert!(read_with(Some("bo"), Some(" "), None).unwrap_err().contains("empty"));
        assert!(read_with(Some("nobody"), Some("hello"), None).unwrap_err().contains("there are ada"));
    }

    #[test]
    fn a_name_is_a_persona_and_a_sentence_a_message() {
        let says = |who: &str, what: Option<&str>| Ok((who.to_owned(), what.map(str::to_owned)));
        assert_eq!(read(None, None), says("ada", None));
        assert_eq!(read(Some("bo"), None), says("bo", None));
        assert_eq!(read(Some("Bo"), None), says("bo", None));
        assert_eq!(read(Some("bo"), Some("hello")), says("bo", Some("hello")));
        assert_eq!(read(Some("How are you?"), None), says("ada", Some("How are you?")));
    }

    #[test]
    fn a_mistyped_name_is_told_whom_it_was_meant_for() {
        let error = read(Some("cleo"), None).unwrap_err();
        assert_eq!(
            error,
            "there is no persona `cleo`; did you mean clio? there are ada, bo, clio; to say “cleo” to ada, \
             write: greenroom chat ada \"cleo\""
        );
        assert!(read(Some("nobody"), Some("hello")).unwrap_err().contains("there are ada, bo, clio"));
    }

    #[test]
    fn a_persona_may_be_named_by_the_name_that_is_shown() {
        let clio = |name: &str| cast().find(name).unwrap().to_string();
        assert_eq!(clio("The Muse"), "clio");
        assert_eq!(clio("@the muse"), "clio");
    }

    #[test]
    fn a_persona_whose_file_is_broken_is_told_of_with_the_problems_of_the_file() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("bad.md"), "---\nmodel: [\n---\n").unwrap();
        let layers = Layers { personas: Some(directory.path().to_owned()), ..Layers::default() };
        let names = Names { known: cast().known, ..Names::of(&Cast::load(&layers)) };
        for name in ["bad", "@Bad", " @bad "] {
            let error = names.find(name).unwrap_err();
            assert!(error.starts_with("bad cannot play"), "{name}: {error}");
        }
    }

    #[test]
    fn pf1_a_card_in_the_directory_of_personas_is_told_to_be_imported() {
        let directory = tempfile::tempdir().unwrap();
        for file in ["nova.png", "MAX.MD", "ada.png", "ada.md", "notes.txt", "x.schema.json"] {
            std::fs::write(directory.path().join(file), "---\n---\nYou are Ada.").unwrap();
        }
        let layers = Layers { personas: Some(directory.path().to_owned()), ..Layers::default() };
        let names = Names::of(&Cast::load(&layers));
        assert!(names.find("Nova").unwrap_err().contains("import it: greenroom persona import"));
        assert!(names.find("max").unwrap_err().contains("MAX.MD is not read; rename it to max.md"));
        assert!(names.find("notes").unwrap_err().contains("there are ada"));
        let unread: Vec<&str> = names.unread.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(unread, ["max", "nova"], "neither a picture beside a persona nor a schema");
    }

    #[test]
    fn two_personas_of_one_shown_name_are_told_apart_by_their_files() {
        let mut cast = cast();
        cast.known[1].1 = "The Muse".into();
        assert!(cast.find("The Muse").unwrap_err().contains("there are ada, bo, clio"));
    }

    #[test]
    fn an_empty_message_is_no_message() {
        assert!(read(Some("bo"), Some("  ")).unwrap_err().contains("empty"));
        assert!(read(Some(""), None).unwrap_err().contains("empty"));
    }

    #[test]
    fn without_a_cast_it_says_how_to_make_one() {
        let error = addressed(None, None, None, &Names::default(), &"ada".parse().unwrap()).unwrap_err();
        assert!(error.contains("greenroom persona new"), "{error}");
    }
}
