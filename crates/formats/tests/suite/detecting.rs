//! Detection of formats, and rejection of files that are not personas (PF1).

use greenroom_formats::{Format, FormatError, Imported, detect};

use crate::samples::{all, archives};

#[test]
fn pf1_the_content_decides_about_the_format_and_never_the_name() {
    use Format::*;
    let formats = [
        CardV1,
        CardV1,
        CardV2,
        CardV2,
        CardV2,
        CardV3,
        Eliza,
        Eliza,
        Eliza,
        Letta,
        Letta,
        SoulJson,
        Aieos,
        Soul,
        AgentMarkdown,
        AgentMarkdown,
        AgentMarkdown,
        AgentToml,
        CrewAi,
        Lorebook,
        Lorebook,
        Lorebook,
        CardV1,
        Lorebook,
        Lorebook,
        Lorebook,
        CardV1,
        CardV1,
        CardV3,
        Byaf,
        Soul,
    ];
    for ((name, bytes), format) in all().into_iter().chain(archives()).zip(formats) {
        assert_eq!(detect("misleading.txt", &bytes).unwrap().format, format, "{name}");
    }
}

#[test]
fn pf1_a_file_that_is_no_persona_is_refused_with_what_it_is() {
    let refused = |bytes: &[u8]| detect("x.json", bytes).unwrap_err().to_string();
    assert!(refused(b"").contains("an empty file"));
    assert!(refused(b"{\"a\":1}").contains("JSON with the fields a"));
    assert!(refused(b"[1]").contains("a JSON list"));
    assert!(refused(&[0xff, 0xfe, 0]).contains("bytes that are no text"));
    assert!(refused(b"---\ndisplay_name: Ada\n---\nx").contains("a persona file of Greenroom"));
    assert!(refused(b"{\"name\": \"x\",\n\"first_mes\": \"say \"no\"\"}").starts_with("2:"));
    assert!(refused(b"model = \n").contains("1:"));
}

#[test]
fn pf1_a_document_that_is_no_persona_is_refused_with_a_remedy() {
    let refused = |name: &str, text: &str| match detect(name, text.as_bytes()) {
        Ok(source) => panic!("{name} is read as {:?}", source.format),
        Err(error) => error.to_string(),
    };
    let grant = "Copyright (c) 2024 Ada\n\nPermission is hereby granted, free of\ncharge, to any person";
    for (name, text) in [
        ("LICENSE.md", "Be kind."),
        ("license", "Be kind."),
        ("LICENSE-APACHE", "Be kind."),
        ("stdin", "# The MIT License (MIT)\n\nCopyright"),
        ("stdin", grant),
        ("agent.md", grant),
        ("README.md", "# Nova\n\nA ship."),
        ("readme.de.md", "# Nova\n\nEin Schiff."),
        ("README_ru.md", "[English](README.md) | Русский"),
        ("README-zh-CN.md", "# 诺娃"),
        ("SECURITY.md", "Write to us."),
        ("ada--boats--README.md", "# Boats"),
        ("ada--boats.README.md", "# Boats"),
        ("ada--boats--security--license.md", "Be kind."),
        ("CODE_OF_CONDUCT.md", "Be kind."),
        ("stdin", "# Changelog\n\n## 1.0"),
        ("README.md", "---\nlicense: mit\ntags: [x]\n---\n# A model"),
    ] {
        let error = refused(name, text);
        assert!(error.contains("no persona") && error.contains("name it SOUL.md"), "{name}: {error}");
    }
    assert!(refused("character.ts", "export const character = {}").contains("saved as JSON"));
    for name in ["nova.png", "nova.json", "stdin"] {
        assert!(refused(name, "\n<!DOCTYPE html>\n<html>").contains("a page of the web"), "{name}");
        assert!(refused(name, "version https://git-lfs.github.com/spec/v1\noid x").contains("Git LFS"));
    }
    for (name, begin) in [("pyproject.toml", ""), ("stdin", "version = 4\n")] {
        let error = refused(name, &format!("{begin}[project]\nname = \"x\"\n"));
        assert!(error.contains("TOML with the fields project"), "{name}: {error}");
    }
    for manifest in [
        r#"{"name":"tdd","version":"1.0.0","description":"Tests first."}"#,
        r#"{"name":"tdd","version":"1.0.0","description":"Tests first.","license":"MIT","author":{}}"#,
        r#"{"name":"tdd","displayName":"TDD","version":"1.3.1","description":"Tests first.","author":{},"license":"MIT"}"#,
    ] {
        assert!(refused("plugin.json", manifest).contains("JSON with the fields"), "{manifest}");
    }
}

#[test]
fn pf1_a_persona_is_none_the_less_one_for_a_word_in_its_name() {
    for (name, text) in [
        ("SOUL.md", "# README\n\nYou are Ada."),
        ("AGENTS.md", "# Contributing\n\nRun the tests."),
        ("security.md", "You look for holes."),
        ("history-teacher.md", "You teach history."),
        ("readme-writer.md", "You write."),
        (
            "license-checker.md",
            "---\nname: license-checker\ndescription: Checks the MIT License\n---\nYou check.",
        ),
        ("README.md", "---\nname: writer\ndescription: Writes\n---\nYou write."),
        ("nova.md", "[English](x.md) | [中文](y.md)\n\nYou are Nova."),
        ("nova.txt", "{{char}} is a captain."),
        ("stdin", "Be kind."),
    ] {
        let found = detect(name, text.as_bytes());
        assert!(found.is_ok(), "{name}: {found:?}");
    }
    for card in [
        r#"{"name":"Ada","description":"A woman."}"#,
        r#"{"name":"Ada","description":"A woman.","avatar":"none","tags":[],"age":30}"#,
    ] {
        assert_eq!(detect("ada.json", card.as_bytes()).unwrap().format, Format::CardV1);
    }
    let parts = r#"{"identity":{"names":{"first":"Nova"}},"linguistics":{}}"#;
    assert_eq!(detect("nova.json", parts.as_bytes()).unwrap().format, Format::Aieos);
}

#[test]
fn pf1_broken_files_are_errors_of_their_format_and_never_a_persona() {
    let anchored = b"researcher: &base\n  role: R\n  goal: G\n  backstory: B\n";
    for name in ["agents.yaml", "stdin"] {
        let source = detect(name, anchored).unwrap();
        assert_eq!(Imported::all(source.clone())[0].character.description, "R");
    }
    let refused = |name: &str, text: &str| detect(name, text.as_bytes()).unwrap_err().to_string();
    let open = "researcher:\n  role: \"R\n  goal: G\n  backstory: B\n";
    for name in ["agents.yaml", "agents.yml", "stdin"] {
        assert!(refused(name, open).contains("no valid YAML"), "{name}: {}", refused(name, open));
    }
    assert!(refused("x.yml", "name: Ada\nbio: x\n").contains("YAML with the fields bio, name"));
    for name in ["card.json", "stdin"] {
        let error = refused(name, "// c\n{\"spec\":\"chara_card_v2\",\"data\":{}}");
        assert!(error.starts_with("1:1: no valid JSON: a comment"), "{error}");
        for scalar in ["null", "5", " true\n"] {
            assert!(refused(name, scalar).contains("JSON without fields"), "{scalar}");
        }
    }
    assert!(refused("card.json", "Be kind.").starts_with("1:1: no valid JSON"));
    assert!(refused("agent.toml", "[agent]\nname = \n").contains("no valid TOML"));
    let wide: Vec<u8> = "{\"name\":\"x\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [&wide[..], b"{\"name\":\"Zo\xeb\",\"first_mes\":\"x\"}"] {
        assert!(detect("x.json", bytes).unwrap_err().to_string().contains("save it as UTF-8"));
    }
}

/// Logs and feeds have a field `entries` as well.
#[test]
fn pf1_what_has_entries_and_no_keys_is_no_lorebook() {
    for other in [
        r#"{"balance":5,"entries":[],"position":null}"#,
        r#"{"entries":[{"title":"a","url":"b","content":"c"}]}"#,
        r#"{"entries":{"a":1,"b":"x"}}"#,
    ] {
        assert!(matches!(detect("x.json", other.as_bytes()), Err(FormatError::Unknown { .. })), "{other}");
    }
    for book in [
        r#"{"entries":{}}"#,
        r#"{"name":"Empty","description":"","entries":[]}"#,
        r#"{"lorebookVersion":5,"entries":[],"settings":{}}"#,
        r#"{"entries":[{"content":"Always.","constant":true}]}"#,
        r#"{"entries":{"0":{"key":[],"content":""}},"unheard":1}"#,
    ] {
        assert_eq!(detect("x.json", book.as_bytes()).unwrap().format, Format::Lorebook, "{book}");
    }
}

/// A file without an extension that is not JSON must not count as a plain prompt.
#[test]
fn pf1_modes_of_roo_code_are_named() {
    let yaml = "customModes:\n  - slug: reviewer\n    name: Reviewer\n    roleDefinition: You review.\n";
    let json = r#"{"customModes":[{"slug":"reviewer","name":"Reviewer","roleDefinition":"You review."}]}"#;
    for (name, text) in [(".roomodes", yaml), ("modes.yaml", yaml), (".roomodes", json), ("modes.json", json)]
    {
        let error = detect(name, text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("Roo Code") && error.contains("Markdown"), "{name}: {error}");
    }
}

#[test]
fn pf1_the_unlicense_and_a_table_are_no_personas() {
    let text = "This is free and unencumbered software released into the public domain.\n\nAnyone is free to copy it.\n";
    for (name, text) in
        [("UNLICENSE.txt", text), ("notes.md", text), ("people.tsv", "name\tage\nNova\t31\nMia\t30\n")]
    {
        assert!(greenroom_formats::detect(name, text.as_bytes()).is_err(), "{name}");
    }
}

/// A tokenizer's vocabulary contains all field names of personas, and the schema of a format contains the format's
/// field names.
#[test]
fn pf1_a_vocabulary_and_a_schema_are_no_personas_and_none_is_said_to_be_in_them() {
    let words = r#"{"!":0,"name":1,"description":2,"bio":3,"lore":4,"entries":5,"first_mes":6,"system":7,"identity":8,"data":9}"#;
    let tokenizer =
        format!(r#"{{"version":"1.0","model":{{"type":"BPE","vocab":{words}}},"vocab":{words}}}"#);
    let schema =
        r#"{"type":"object","properties":{"name":{"type":"string"},"bio":{"type":"array"},"first_mes":{}}}"#;
    for (text, said) in [
        (words, "JSON with the fields !, bio, data"),
        (&tokenizer, "JSON with the fields model, version, vocab;"),
        (schema, "JSON with the fields properties, type;"),
    ] {
        let error = detect("x.json", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(said) && !error.contains("a persona is in"), "{error}");
    }
    // an unusual value beside a name does not prevent detection
    for odd in [r#"{"name":"Ada","bio":null,"lore":7}"#, r#"{"name":"Ada","first_mes":{"a":"b"}}"#] {
        assert!(detect("x.json", odd.as_bytes()).is_ok(), "{odd}");
    }
}

#[test]
fn pf8_a_packed_file_and_utf_32_are_named() {
    let wide: Vec<u8> =
        "\u{feff}{\"name\":\"Ada\"}".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let tar = [&b"ada.json\0"[..], &[0; 248], b"ustar\0"].concat();
    for (bytes, said) in [
        (&b"\x1f\x8b\x08\0\xff\xff"[..], "a packed file; unpack it"),
        (b"7z\xbc\xaf\x27\x1c\xff\xff", "a packed file; unpack it"),
        (&tar, "a packed file; unpack it"),
        (&wide, "perhaps in UTF-32; save it as UTF-8"),
    ] {
        let error = detect("ada", bytes).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(detect("ada.md", b"BZhou is a cook.").is_ok(), "a text may begin as a packed file does");
}

#[test]
fn pf1_a_failed_download_is_no_persona() {
    for name in ["nova.png", "nova.AF", "x.byaf", "x.lorebook", "x.zip", "nova.charx"] {
        let error = detect(name, b"404: Not Found").unwrap_err().to_string();
        assert!(
            error.contains("it is the text “404: Not Found”; download the file again"),
            "{name}: {error}"
        );
    }
    for name in ["nova.md", "nova"] {
        let error = detect(name, b"404: Not Found\n").unwrap_err().to_string();
        assert!(error.contains("a failed download"), "{name}: {error}");
    }
    // the content decides where it says what it is
    assert!(detect("nova.png", br#"{"name":"Nova","first_mes":"Hi"}"#).is_ok());
    assert!(detect("nova.af", b"---\nname: nova\ndescription: Flies\n---\nYou fly.").is_ok());
}
