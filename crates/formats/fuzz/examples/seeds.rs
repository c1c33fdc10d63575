//! Writes the first inputs of each fuzz target to `corpus/TARGET`: the samples of the tests, and the files below DIR.
//! `cargo run --example seeds -- [DIR]`

#![allow(clippy::unwrap_used, reason = "a program for developers")]

use std::path::{Path, PathBuf};

use greenroom_formats::{Carrier, Format, detect};
use greenroom_formats_fuzz::packed;

#[path = "../../tests/suite/samples.rs"]
mod samples;

/// Longer inputs make the runs slow, and damage rarely hits what matters in them.
const MAX_SEED: usize = 16_000;

fn main() {
    let mut seeds: Vec<(String, Vec<u8>)> = samples::all()
        .into_iter()
        .chain(samples::archives())
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .collect();
    let card = samples::card_v2().to_string();
    seeds.push(("page.json".into(), card.into_bytes()));
    for directory in std::env::args().skip(1) {
        for file in below(Path::new(&directory)) {
            seeds.push((
                file.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read(file).unwrap(),
            ));
        }
    }
    for (name, bytes) in seeds {
        let Ok(source) = detect(&name, &bytes) else { continue };
        let target = match (source.format, source.carrier) {
            (_, Carrier::Png) => "picture",
            (Format::Byaf, _) => "byaf",
            (format, Carrier::Zip) if format.is_card() => "charx",
            (Format::Soul, _) => "soul",
            (Format::CardV1 | Format::CardV2 | Format::CardV3, _) => "card",
            (Format::Lorebook, _) => "lorebook",
            (Format::Eliza, _) => "eliza",
            (Format::Letta, _) => "letta",
            (Format::SoulJson, _) => "soul_json",
            (Format::Aieos, _) => "aieos",
            (Format::AgentMarkdown, _) => "agent_markdown",
            (Format::AgentToml, _) => "agent_toml",
            (Format::CrewAi, _) => "crewai",
        };
        let json = source.data.to_string();
        let texts: Vec<(&str, String)> = match source.data.as_object() {
            Some(files) if source.format == Format::Byaf => {
                files.iter().map(|(path, file)| (path.as_str(), file.to_string())).collect()
            }
            Some(files) if source.format == Format::Soul => files
                .iter()
                .map(|(path, file)| (path.as_str(), file.as_str().unwrap_or_default().to_owned()))
                .collect(),
            _ => vec![("card.json", json)],
        };
        let folder = packed(texts.iter().map(|(path, text)| (*path, text.as_bytes())));
        let unpacked = matches!(target, "byaf" | "charx" | "soul");
        write(target, &name, if unpacked { &folder } else { &bytes });
        if source.carrier == Carrier::Zip {
            write("archive", &name, &bytes);
        }
    }
}

fn write(target: &str, name: &str, bytes: &[u8]) {
    if bytes.len() <= MAX_SEED {
        let directory = Path::new("corpus").join(target);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join(name), bytes).unwrap();
    }
}

fn below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(below(&path)) } else { found.push(path) }
    }
    found
}
