//! Detects Markdown: agents of coding tools, files of the SOUL.md family, and documents that are no persona.

use serde_json::{Map, Value};

use super::unknown;
use crate::{Format, FormatError, Source, front};

/// Names of project documents. In capitals they may be a part of a file name, otherwise they must be the whole name.
const DOCUMENTS: [&str; 10] = [
    "readme",
    "license",
    "licence",
    "copying",
    "changelog",
    "contributing",
    "contributors",
    "code_of_conduct",
    "third_party_notices",
    "release_notes",
];
/// Names of project documents that may also name a persona. They count only in capitals.
const CAPITALS: [&str; 11] = [
    "SECURITY",
    "SUPPORT",
    "AUTHORS",
    "NOTICE",
    "HISTORY",
    "CHANGES",
    "INSTALL",
    "TODO",
    "ROADMAP",
    "GOVERNANCE",
    "MAINTAINERS",
];
/// Sentences that occur only in licences.
const GRANTS: [&str; 5] = [
    "this is free and unencumbered software released into the public domain",
    "permission is hereby granted, free of charge",
    "redistribution and use in source and binary forms",
    "terms and conditions for use, reproduction, and distribution",
    "everyone is permitted to copy and distribute verbatim copies",
];
/// File name extensions of source code, markup and logs.
const CODE: [&str; 25] = [
    "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "rs", "go", "java", "c", "h", "cpp", "cs", "rb", "php",
    "sh", "html", "css", "xml", "svg", "csv", "tsv", "log", "lock",
];
/// File name extensions of containers, and their names. A text in one of them is the error page of a download.
const CONTAINERS: [(&str, &str); 10] = [
    ("png", "picture"),
    ("jpg", "picture"),
    ("jpeg", "picture"),
    ("webp", "picture"),
    ("zip", "archive"),
    ("charx", "archive"),
    ("byaf", "archive"),
    ("af", "agent file"),
    ("lorebook", "lorebook"),
    ("risum", "module"),
];
/// The most bytes that are searched for a title.
const HEAD: usize = 4_000;

pub(super) fn markdown(file: &str, text: &str) -> Result<Source, FormatError> {
    let document = front::document(text)?;
    let fields = document.front.as_object().filter(|front| !front.is_empty());
    let is_agent =
        fields.is_some_and(|front| front.contains_key("name") || front.contains_key("description"));
    if !is_agent && let Some(found) = no_persona(file, text) {
        return Err(found);
    }
    let Some(fields) = fields else {
        let path = if file.to_lowercase().ends_with(".md") { file } else { "SOUL.md" };
        let data = Map::from_iter([(path.to_owned(), Value::String(text.to_owned()))]);
        return Ok(Source::new(Format::Soul, file, data.into()));
    };
    if ["display_name", "limits", "room"].iter().any(|key| fields.contains_key(*key)) {
        return Err(unknown(
            "a persona file of Greenroom, which needs no import: copy it into the directory of personas",
        ));
    }
    let mut data = Map::new();
    if document.repaired.is_some() {
        // the fields are a guess, so the text of the front matter is kept for an export
        let end = text.len() - document.body.len();
        data.insert("front_text".into(), text[..end].into());
    }
    data.insert("body".into(), document.body.into());
    data.insert("front".into(), document.front);
    let changes = super::twice(&document.twice).collect();
    Ok(Source { changes, ..Source::new(Format::AgentMarkdown, file, data.into()) })
}

/// The error if a text is no persona, because its name and title are those of another project document.
fn no_persona(file: &str, text: &str) -> Option<FormatError> {
    let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
    let ending = ending.rsplit('.').next().unwrap_or_default().to_lowercase();
    if CODE.contains(&ending.as_str()) {
        let found =
            format!("a file of the kind .{ending}; a character within a program has to be saved as JSON");
        return Some(unknown(&found));
    }
    let begin = &text[..text.floor_char_boundary(HEAD)];
    let begin = begin.trim().chars().take(60).collect::<String>();
    if let Some((_, container)) = CONTAINERS.iter().find(|(known, _)| *known == ending) {
        return Some(FormatError::Damaged { container, message: format!("it is the text “{begin}”") });
    }
    if ["404: not found", "not found"].contains(&begin.to_lowercase().as_str()) {
        return Some(unknown("the error message of a failed download; download the file again"));
    }
    // collections of personas put the repository's name before the file's name
    let name = stem.rsplit("--").next().unwrap_or(stem);
    if ["soul", "identity", "agents"].contains(&name.to_lowercase().as_str()) {
        return None;
    }
    let title = text.lines().map(|line| line.trim_matches(['#', ' ', '*'])).find(|line| !line.is_empty());
    let title = title.unwrap_or_default();
    let head = text[..text.floor_char_boundary(HEAD)].to_lowercase();
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let what = match () {
        () if is_licence(title) || GRANTS.iter().any(|grant| head.contains(grant)) => "a licence",
        () if is_document(file, name)
            || DOCUMENTS.contains(&title.to_lowercase().replace(' ', "_").as_str()) =>
        {
            "a document about a project"
        }
        () => return None,
    };
    Some(FormatError::NoPersona { what })
}

/// Whether a title is that of a licence, as “The MIT License” or “Apache License”.
fn is_licence(title: &str) -> bool {
    const NAMES: [&str; 10] = [
        "mit",
        "apache",
        "gnu",
        "bsd",
        "mozilla",
        "isc",
        "creative commons",
        "sil open font",
        "boost",
        "zlib",
    ];
    let title = title.to_lowercase();
    let title = title.strip_prefix("the ").unwrap_or(&title);
    let is_short = title.chars().count() < 80;
    is_short
        && NAMES.iter().any(|name| title.starts_with(name))
        && (title.contains("license") || title.contains("licence"))
}

/// Whether a file name is that of a document: `readme.md`, `README_ru.md`, `LICENSE-MIT`, `llm.README.md`,
/// `SECURITY.md`.
fn is_document(file: &str, name: &str) -> bool {
    let in_capitals = |word: &str| !word.chars().any(char::is_lowercase);
    let is_known = |word: &str| DOCUMENTS.contains(&word.to_lowercase().as_str());
    let mut words = file.split(|c: char| !c.is_alphanumeric());
    is_known(name) || CAPITALS.contains(&name) || words.any(|word| in_capitals(word) && is_known(word))
}
