//! Parses a persona file: front matter between two fences, and the prompt below it.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use figment::value::Dict;
use greenroom_core::PersonaName;

use crate::{
    Diagnostic, Origin, Persona,
    base::{Base, drifted},
    check::{check_document, did_you_mean, shorten},
    diagnostic::SourceFile,
    layers::Layer,
    mcp::check_servers,
    memory::checks::missing_template,
    node::{Node, Problem, Tree},
    persona::FrontMatter,
    schema, syntax,
};

/// The context in which a file is checked.
pub(crate) struct Surroundings<'a> {
    /// The layers below and above the layer of the file.
    pub base: &'a Base,
    /// The available tools.
    pub tools: &'a [String],
    /// The file stems of the directory, which are the names of its personas.
    pub stems: &'a BTreeSet<String>,
}

/// Parses a file. Returns the persona with the origins of its settings, or all problems of the file.
pub(crate) fn parse(
    path: &Path,
    text: &str,
    around: &Surroundings<'_>,
) -> Result<(Persona, Vec<Origin>), Vec<Diagnostic>> {
    let source = Arc::new(SourceFile::new(path.display().to_string(), text));
    let stem = stem(path);
    let mut problems = Vec::new();
    let name: Option<PersonaName> = stem.parse().ok();
    if name.is_none() {
        problems.push(Problem::new(
            "bad_name",
            0..0,
            format!("the file's name `{}` is no persona name", shorten(&stem)),
            "a name of 1 to 64 of a-z, 0-9, `-` and `_`, and `.md`",
        ));
    }
    let (node, values, prompt) = match split(text) {
        Err(problem) => {
            problems.push(problem);
            (None, Dict::new(), String::new())
        }
        Ok(parts) => {
            let (node, mut wrong) = parts.read(text);
            let values = check_document(&source, &node, &schema::FRONT_MATTER, &mut wrong);
            problems.append(&mut wrong);
            check_name(&node, &stem, around.stems, &mut problems);
            check_shown(&node, &mut problems);
            check_tools(&node, around.tools, &mut problems);
            check_servers(&node, &mut problems);
            problems.extend(missing_template(&node, around.base.settings.memory.template.is_some()));
            let prompt = text[parts.body.clone()].trim();
            if prompt.is_empty() {
                problems.push(Problem::new(
                    "empty_body",
                    parts.fence.clone(),
                    "there is no prompt",
                    "the system prompt below this line",
                ));
            }
            (Some(node), values, prompt.to_owned())
        }
    };
    problems.sort_by_key(|p| p.span.start);
    let (Some(name), Some(node), true) = (name, node, problems.is_empty()) else {
        return Err(problems.into_iter().map(|p| source.diagnose(p)).collect());
    };
    let layer = Layer::of_file(&source, &node, values);
    let merged = around.base.persona(&layer);
    let front: FrontMatter = merged.extract().map_err(|e| vec![drifted(&source.name, &e)])?;
    let origins = merged.origins(&schema::FRONT_MATTER);
    Ok((Persona::from_parts(name, front, prompt, PathBuf::from(path)), origins))
}

/// A file's name without its extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The parts of a file.
#[derive(Debug, PartialEq)]
struct Parts {
    toml: bool,
    front: Range<usize>,
    /// The closing fence.
    fence: Range<usize>,
    body: Range<usize>,
}

impl Parts {
    fn read(&self, text: &str) -> (Node, Vec<Problem>) {
        let front = &text[self.front.clone()];
        let read = if self.toml { syntax::toml::read } else { syntax::yaml::read };
        read(front, self.front.start)
    }
}

/// Finds the fences: `+++` for TOML or `---` for YAML, alone on the first line and again below.
fn split(text: &str) -> Result<Parts, Problem> {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    let fence = first.trim_end();
    if fence != "+++" && fence != "---" {
        let expected = "a first line of `---` (YAML) or `+++` (TOML)";
        return Err(Problem::new("missing_fence", 0..fence.len(), "there is no front matter", expected));
    }
    let mut at = first.len();
    for line in text[at..].split_inclusive('\n') {
        if line.trim_end() == fence {
            let body = at + line.len()..text.len();
            let closing = at..at + fence.len();
            return Ok(Parts { toml: fence == "+++", front: first.len()..at, fence: closing, body });
        }
        at += line.len();
    }
    let expected = format!("a line of `{fence}` between the front matter and the prompt");
    Err(Problem::new("missing_fence", 0..3, "the front matter is not closed", expected))
}

/// Checks that the name equals the stem of the file, so that it is unique in its directory (WB12).
fn check_name(node: &Node, stem: &str, stems: &BTreeSet<String>, problems: &mut Vec<Problem>) {
    let Some(Node { value: Tree::Text(name), span }) = node.field("name") else { return };
    if name == stem || name.parse::<PersonaName>().is_err() {
        return;
    }
    problems.push(if stems.contains(name) {
        Problem::new(
            "duplicate",
            span.clone(),
            format!("the name `{name}` is taken by {name}.md"),
            format!("`{stem}`"),
        )
    } else {
        Problem::new("bad_name", span.clone(), "the name is not that of the file", format!("`{stem}`"))
            .help(format!("change the name, or call the file {name}.md"))
    });
}

/// Checks for characters that reverse the direction of writing. They could make a name look like another one.
fn check_shown(node: &Node, problems: &mut Vec<Problem>) {
    let reverses = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    for field in ["display_name", "description"] {
        let Some(Node { value: Tree::Text(text), span }) = node.field(field) else { continue };
        if text.contains(reverses) {
            let message = format!("{field} has a character that reverses the direction of writing");
            let problem = Problem::new("bad_text", span.clone(), message, "a text without such characters");
            problems.push(problem.help("write the text again by hand"));
        }
    }
}

/// Checks the names of tools. Skips the check if the file has MCP servers: their tools are unknown until the servers
/// answer.
fn check_tools(node: &Node, known: &[String], problems: &mut Vec<Problem>) {
    if node.field("mcp").is_some() {
        return;
    }
    let Some(Node { value: Tree::List(tools), .. }) = node.field("tools") else { return };
    let words: Vec<&str> = known.iter().map(String::as_str).collect();
    for tool in tools.iter().take(crate::check::MAX_PROBLEMS) {
        if let Tree::Text(name) = &tool.value
            && !known.contains(name)
        {
            let expected = format!("one of `{}`", words.join("`, `"));
            let problem = Problem::new(
                "unknown_tool",
                tool.span.clone(),
                format!("unknown tool `{}`", shorten(name)),
                expected,
            );
            problems.push(match did_you_mean(name, &words) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem,
            });
        }
    }
}
