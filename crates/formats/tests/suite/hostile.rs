//! Hostile files end in a clear error (PF8, X11 to X13). The fuzz targets in `fuzz/` measure time and memory.

use greenroom_formats::{
    Asset, Folder, FormatError, Imported, Macros, Seed, detect, detect_folder, is_lossless,
};
use proptest::prelude::*;
use serde_json::json;

use crate::samples::{all, archives, card_v2, zipped};

/// Reads a file and runs all steps of an import.
fn everything(bytes: &[u8]) -> Result<(), FormatError> {
    let source = detect("file", bytes)?;
    for imported in Imported::all(source.clone()) {
        imported.character.to_markdown();
        imported.source.to_json();
    }
    is_lossless(source.clone()).map(drop)
}

#[test]
fn pf8_bombs_are_refused() {
    let deep = format!("{{\"name\":\"x\",\"first_mes\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(everything(deep.as_bytes()), Err(FormatError::TooDeep { .. })));
    let wide = format!("{{\"name\":\"x\",\"first_mes\":[{}1]}}", "1,".repeat(3_000_000));
    assert!(matches!(everything(wide.as_bytes()), Err(FormatError::TooLarge { .. })));
    let toml = format!("name = {}", "[".repeat(100_000));
    assert!(everything(toml.as_bytes()).is_err());
    let toml = format!("name = \"x\"\ndescription = \"y\"\nlist = [{}]\n", "1,".repeat(120_000));
    assert!(matches!(everything(toml.as_bytes()), Err(FormatError::TooLarge { .. })));
    let yaml = format!("---\nname: {}\n---\nx", "[".repeat(100_000));
    assert!(matches!(everything(yaml.as_bytes()), Err(FormatError::TooDeep { .. })));
    let maps = "{a: 1},".repeat(60_000);
    let yaml = format!("a:\n  role: r\n  goal: g\n  backstory: b\n  more: [{maps}]\n");
    assert!(matches!(everything(yaml.as_bytes()), Err(FormatError::TooLarge { .. })));
    let copies = "*m ,".repeat(40_000);
    let yaml = format!("m: &m {{a: 1}}\nb:\n  role: r\n  goal: g\n  backstory: b\n  more: [{copies}]\n");
    assert!(matches!(everything(yaml.as_bytes()), Err(FormatError::TooLarge { .. })));
    let zeros = vec![b' '; 20 << 20];
    let zip = zipped(&[("card.json", &zeros), ("SOUL.md", &zeros)]);
    assert!(matches!(everything(&zip), Err(FormatError::TooLarge { .. })));
    assert!(matches!(everything(&vec![b' '; 20 << 20]), Err(FormatError::TooLarge { .. })));
}

/// Each text is small enough, but together they unpack to gigabytes.
#[test]
fn pf8_many_packed_texts_of_pictures_are_refused() {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packer, &vec![b'A'; 8 << 20]).unwrap();
    let packed = packer.finish().unwrap();
    let chunk = |keyword: &[u8]| {
        let data = [keyword, b"\0\0", &packed].concat();
        [&(data.len() as u32).to_be_bytes()[..], b"zTXt", &data, &[0; 4]].concat()
    };
    let card = crate::samples::picture(&[("chara", &card_v2().to_string())]);
    let (begin, rest) = card.split_at(8);
    for keyword in [&b"chara"[..], b"comment"] {
        let picture = [begin, &chunk(keyword).repeat(200), rest].concat();
        let refused = everything(&picture);
        assert!(matches!(refused, Err(FormatError::TooLarge { .. })), "{refused:?}");
        // an archive of pictures with one text each
        let picture = [begin, &chunk(keyword), rest].concat();
        let names: Vec<String> = (0..200).map(|n| format!("{n}.png")).collect();
        let files = names.iter().map(|name| (&**name, &picture[..]));
        let files: Vec<(&str, &[u8])> = [("SOUL.md", &b"x"[..])].into_iter().chain(files).collect();
        let refused = everything(&zipped(&files));
        assert!(matches!(refused, Err(FormatError::TooLarge { .. })), "{refused:?}");
    }
}

/// An entry that a current SillyTavern writes has 60 values.
#[test]
fn pf4_a_lorebook_of_5_000_entries_with_all_fields_of_sillytavern_is_read() {
    let flags = [
        "constant",
        "vectorized",
        "disable",
        "ignoreBudget",
        "excludeRecursion",
        "preventRecursion",
        "matchPersonaDescription",
        "matchCharacterDescription",
        "matchCharacterPersonality",
        "matchCharacterDepthPrompt",
        "matchScenario",
        "matchCreatorNotes",
        "delayUntilRecursion",
        "groupOverride",
    ];
    let mut entry = json!({ "keysecondary": [], "comment": "A place", "content": "The mill grinds at night. ".repeat(40),
        "selective": true, "selectiveLogic": 0, "addMemo": true, "order": 100, "position": 0, "probability": 100,
        "useProbability": true, "depth": 4, "outletName": "", "group": "", "groupWeight": 100, "scanDepth": null,
        "caseSensitive": null, "matchWholeWords": null, "useGroupScoring": null, "automationId": "", "role": null,
        "sticky": 0, "cooldown": 0, "delay": 0, "triggers": [],
        "characterFilter": { "isExclude": false, "names": [], "tags": [] } });
    flags.iter().for_each(|flag| entry[flag] = false.into());
    let mut book = |count: usize| {
        let of = |n: usize| {
            entry["uid"] = n.into();
            entry["displayIndex"] = n.into();
            entry["key"] = json!([format!("mill {n}"), format!("wheel {n}")]);
            (n.to_string(), entry.clone())
        };
        json!({ "entries": (0..count).map(of).collect::<serde_json::Map<_, _>>() }).to_string()
    };
    let source = detect("world.json", book(5_000).as_bytes()).unwrap();
    let imported = Imported::all(source).remove(0);
    assert_eq!(imported.play.books[0].entries.len(), 5_000);
    assert!(matches!(detect("world.json", book(7_000).as_bytes()), Err(FormatError::TooLarge { .. })));
}

/// Each paragraph becomes a memory.
#[test]
fn pf8_an_import_learns_a_bounded_number_of_paragraphs_and_says_so() {
    let text = "The mill stands still.\n\n".repeat(2_000);
    let file = |n: usize| Asset { path: format!("memory/{n}.md"), content: text.clone().into_bytes() };
    let soul = Asset { path: "SOUL.md".into(), content: b"# Mia\n\nBe kind.".to_vec() };
    let source = detect_folder("mia", (0..11).map(file).chain([soul]).collect()).unwrap();
    let imported = Imported::all(source).remove(0);
    assert_eq!(imported.knowledge.len(), 20_000);
    assert!(imported.receipt.iter().any(|line| line.field == "(more knowledge)"));
}

/// The documents of an archive share the limits of one document.
#[test]
fn pf8_an_archive_of_many_documents_is_refused() {
    let document = format!("[{}0]", "{\"a\":{}},".repeat(15_000));
    let names: Vec<String> = (0..4).map(|n| format!("characters/{n}.json")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, document.as_bytes())).collect();
    let zip = zipped(&[&[("manifest.json", &b"{}"[..])], &files[..]].concat());
    assert!(matches!(everything(&zip), Err(FormatError::TooLarge { .. })));
}

/// Each agent of a file becomes a persona that stores the data of the whole file.
#[test]
fn pf8_a_file_of_many_agents_is_refused() {
    let crew = |agents: usize, text: &str| -> String {
        (0..agents).map(|n| format!("r{n}:\n  role: a\n  goal: b\n  backstory: {text}\n")).collect()
    };
    for (agents, text) in [(101, "c"), (9_000, "c"), (40, &*"c".repeat(11_000))] {
        let refused = everything(crew(agents, text).as_bytes());
        assert!(matches!(refused, Err(FormatError::TooLarge { .. })), "{agents}: {refused:?}");
    }
    assert_eq!(everything(crew(100, "c").as_bytes()), Ok(()));
}

#[test]
fn pf8_paths_out_of_an_archive_are_refused() {
    for path in ["../../etc/passwd", "/etc/passwd", "..\\x"] {
        let zip = zipped(&[("SOUL.md", b"x"), (path, b"x")]);
        assert!(matches!(detect("x.zip", &zip), Err(FormatError::Outside { .. })), "{path}");
    }
    assert!(detect_folder("x", Vec::new()).is_err());
}

#[test]
fn pf8_a_template_in_a_card_stays_text() {
    let mut card = card_v2();
    let hostile = format!("{}x{}", "{{".repeat(50_000), "}}".repeat(50_000));
    card["data"]["description"] = hostile.clone().into();
    let imported = Imported::all(detect("x", card.to_string().as_bytes()).unwrap()).remove(0);
    assert!(imported.character.prompt.contains(&hostile));
}

/// The work on a hostile text must grow linearly, not quadratically. Without the limit this test takes hours.
#[test]
fn pf8_a_text_of_braces_and_marks_ends() {
    let mut card = card_v2();
    card["data"]["description"] = "{{".repeat(300_000).into();
    card["data"]["mes_example"] = "<START>a".repeat(100_000).into();
    let imported = Imported::all(detect("x", card.to_string().as_bytes()).unwrap()).remove(0);
    assert_eq!(imported.play.examples.len(), 100);
    let (seed, char, user) = (Seed::default(), "Nova", "Mia");
    let macros = Macros { char, user, seed, lasting: seed };
    assert_eq!(macros.expand(&imported.character.prompt).matches('{').count(), 600_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Reading a damaged file never panics.
    #[test]
    fn pf8_a_damaged_file_never_panics(sample in any::<prop::sample::Index>(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..12)) {
        let samples: Vec<_> = all().into_iter().chain(archives()).collect();
        let mut bytes = sample.get(&samples).1.clone();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len().max(1));
            match how {
                0 if at < bytes.len() => bytes[at] = byte,
                1 => bytes.insert(at.min(bytes.len()), byte),
                2 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let _ = everything(&bytes);
    }

    #[test]
    fn pf8_any_text_is_read_or_refused(text in "\\PC{0,200}", start in "(\\{|---\n|\\+\\+\\+\n|a = |\\[|# |a:\n)?") {
        let _ = everything(format!("{start}{text}").as_bytes());
    }
}

/// Every imported persona can be loaded, because the import applies the limit of persona files.
#[test]
fn pf8_a_persona_that_is_too_large_to_be_played_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let card = |length: usize| {
        let mut card = card_v2();
        card["data"]["description"] = "words ".repeat(length / 6).into();
        card.to_string()
    };
    let refused = detect("x", card(1 << 20).as_bytes()).unwrap_err().to_string();
    assert!(refused.contains("prompt") && refused.contains("1 MB"), "{refused}");
    let big = Imported::all(detect("x", card((1 << 20) - 2_000).as_bytes()).unwrap()).remove(0);
    let written = Folder::create(home.path(), &big, &[]).unwrap();
    assert!(written.file.metadata().unwrap().len() <= greenroom_formats::MAX_PERSONA as u64);
    let soul = "Be kind. ".repeat(80_000);
    let files =
        ["SOUL.md", "STYLE.md"].map(|path| Asset { path: path.into(), content: soul.clone().into_bytes() });
    assert!(matches!(detect_folder("x", files.into()), Err(FormatError::TooLarge { .. })));
}

/// Indentation multiplies the length of a file, and the source of a persona contains two cards.
#[test]
fn pf8_the_largest_and_deepest_card_is_played_after_its_import() {
    let home = tempfile::tempdir().unwrap();
    let mut card = card_v2();
    let deep = (0..58).fold(json!([1]), |value, _| json!([value]));
    card["data"]["extensions"]["deep"] = deep;
    card["data"]["extensions"]["wide"] =
        (0..50).fold(json!(vec!["x".repeat(10); 40_000]), |value, _| json!([value]));
    let picture = crate::samples::picture(&[("chara", &card.to_string()), ("ccv3", &card.to_string())]);
    let big = Imported::all(detect("x.png", &picture).unwrap()).remove(0);
    let written = Folder::create(home.path(), &big, &[]).unwrap();
    assert!(Folder::of(&written.file).play().unwrap().is_some());
    assert_eq!(is_lossless(big.source.clone()), Ok(true));
}

/// Every credential is searched for in every text. With one search for each credential this test takes hours.
#[test]
fn pf8_many_credentials_are_removed_and_too_many_refused() {
    let card = |count: usize, joined: bool| {
        let texts: Vec<String> =
            (0..count).map(|n| format!("Use sk-canary-canary-{n:06} and hope.")).collect();
        let texts = if joined { json!(texts.join(" ")) } else { json!(texts) };
        json!({ "name": "x", "first_mes": "y", "texts": texts }).to_string()
    };
    for joined in [false, true] {
        let source = detect("x", card(5_000, joined).as_bytes()).unwrap();
        let kept = source.data.to_string();
        assert!(!kept.contains("canary") && kept.contains("Use [removed] and hope."));
        let refused = detect("x", card(20_000, joined).as_bytes());
        assert!(matches!(refused, Err(FormatError::TooLarge { .. })));
    }
}
