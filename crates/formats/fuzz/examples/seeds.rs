//! Writes the first inputs of each fuzz target to `corpus/TARGET`: the samples of the tests, and the files below DIR.
//! Run with `cargo run --example seeds -- [DIR]`.

#![allow(clippy::unwrap_used, reason = "a program for developers")]

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use base64::Engine;
use greenroom_formats::{Carrier, Format, detect};
use greenroom_formats_fuzz::packed;

#[path = "../../tests/suite/samples.rs"]
mod samples;

/// Longer inputs slow the runs down, and random damage rarely hits their relevant parts.
const MAX_SEED: usize = 16_000;

fn main() {
    let mut seeds: Vec<(String, Vec<u8>)> = samples::all()
        .into_iter()
        .chain(samples::archives())
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .collect();
    let card = samples::card_v2().to_string();
    seeds.push(("page.json".into(), card.clone().into_bytes()));
    seeds.extend(pictures(&card));
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

/// Pictures with a card in each kind of chunk: plain, base64, compressed, and in both versions.
fn pictures(card: &str) -> Vec<(String, Vec<u8>)> {
    let base64 = base64::engine::general_purpose::STANDARD.encode(card);
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(base64.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let small = r#"{"name":"Nova","first_mes":"Hi"}"#;
    let of = |kind: &[u8], head: &[u8], text: &[u8]| {
        let data = [head, text].concat();
        let chunk = [&(data.len() as u32).to_be_bytes()[..], kind, &data, &[0; 4]].concat();
        [b"\x89PNG\r\n\x1a\n", &chunk[..], &[0, 0, 0, 0], b"IEND", &[0; 4]].concat()
    };
    vec![
        ("plain.png".into(), samples::picture(&[("chara", small)])),
        ("base64.png".into(), samples::picture(&[("chara", &base64)])),
        ("both.png".into(), samples::picture(&[("chara", card), ("ccv3", small), ("Comment", "sk-canary")])),
        ("lorebook.png".into(), samples::picture(&[("naidata", r#"{"lorebookVersion":5,"entries":[{"keys":["a"],"text":"b"}]}"#)])),
        ("broken.png".into(), samples::picture(&[("ccv3", "!!!"), ("chara", small)])),
        ("packed.png".into(), of(b"zTXt", b"ccv3\0\0", &packed)),
        ("international.png".into(), of(b"iTXt", b"ccv3\0\x01\0en\0\0", &packed)),
    ]
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
