//! Unedited text files are exported byte for byte. Edits change only their own part (PF2).

use base64::{Engine, engine::general_purpose::STANDARD};
use greenroom_formats::{
    Asset, Character, Exporting, Imported, Play, Source, Target, detect, detect_folder, export,
};

use crate::samples::picture;

fn import(name: &str, text: &str) -> Vec<Imported> {
    Imported::all(detect(name, text.as_bytes()).unwrap())
}

fn exported(imported: &Imported, character: &Character) -> Vec<Asset> {
    let Imported { name, source, .. } = imported;
    // reads the source back as it is stored beside the persona
    let (assets, picture) = (source.assets.clone(), source.picture.clone());
    let source = &Source { assets, picture, ..Source::from_json(&source.to_json()).unwrap() };
    let persona = Exporting { name, character, play: &Play::default(), source: Some(source), books: &[] };
    export(Target::Original, &persona).unwrap().files
}

fn text(files: &[Asset]) -> String {
    String::from_utf8(files[0].content.clone()).unwrap()
}

const CREW: &str = "# das Team\nzoe:\n  role: Köchin  # kocht\n  goal: >\n    Gut kochen\n  backstory: no\n  max_rpm: 1.10\n  \
                    since: 2024-01-01\n  id: 12345678901234567890123\n  mask: 0x1F\n  verbose: on\nadam:\n  role: Kellner\n  goal: x\n  backstory: y\n";

#[test]
fn pf2_an_untouched_file_of_text_is_written_back_byte_for_byte() {
    for (name, text) in [
        ("agents.yaml", CREW),
        (
            "a.md",
            "---\nzebra: 1.10 # first\nname: ada\ndescription: no\nsince: 2024-01-01\n---\nYou are Ada.\n",
        ),
        (
            "b.md",
            "\u{feff}---\r\nname: bo\r\ndescription: |\r\n  Two\r\n  lines\r\n---\r\n\r\nYou are Bo.\r\n",
        ),
        ("c.md", "---\nname: cy\ndescription: **x**: y\n---\nYou are Cy.\n"),
        ("d.toml", "# who\nname = \"dee\"\n\n[more]\nb = 1\na = 1_000\n\n[[x]]\ny = 0x1F\n"),
        ("SOUL.md", "\u{feff}# Wer\r\n\r\nSei nett.\r\n"),
        ("note.TXT", "You are Norah.\n"),
    ] {
        for imported in import(name, text) {
            let files = exported(&imported, &imported.character);
            assert_eq!((files[0].path.as_str(), self::text(&files).as_str()), ("", text), "{name}");
            assert!(
                !imported.character.prompt.contains(['\r', '\u{feff}']),
                "{name}: {:?}",
                imported.character.prompt
            );
        }
    }
    let files = [("SOUL.md", "\u{feff}Sei nett.\r\n"), ("MEMORY.md", "\u{feff}Tee.\r\n\r\nBoot.\r\n")];
    let files: Vec<Asset> =
        files.map(|(path, text)| Asset { path: path.into(), content: text.as_bytes().to_vec() }).into();
    let mut found = files.clone();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let imported = Imported::all(detect_folder("x", files).unwrap()).remove(0);
    assert_eq!(exported(&imported, &imported.character), found);
    assert_eq!(imported.character.prompt, "Sei nett.");
    assert_eq!(imported.knowledge.iter().map(|it| &it.text[..]).collect::<Vec<_>>(), ["Tee.", "Boot."]);
}

/// Fields keep the file's order, also in the stored source, and new fields come last.
#[test]
fn pf2_json_is_written_back_in_its_order() {
    let card = "{\n  \"spec\": \"chara_card_v2\",\n  \"data\": {\n    \"name\": \"Nova\",\n    \"description\": \"d\",\n    \
                \"alternate_greetings\": [\n      \"b\",\n      \"a\"\n    ],\n    \"zz\": [\n      1,\n      {\n        \"y\": 1,\n        \
                \"x\": 2\n      }\n    ]\n  },\n  \"a\": null\n}\n";
    let eliza = "{\n  \"name\": \"Ada\",\n  \"bio\": \"x\",\n  \"adjectives\": []\n}\n";
    let world = "{\n  \"entries\": {\n    \"10\": {\n      \"key\": [\n        \"a\"\n      ],\n      \"content\": \"b\"\n    },\n    \"2\": {}\n  }\n}\n";
    for (name, text) in [("nova.json", card), ("ada.json", eliza), ("world.json", world)] {
        let imported = import(name, text).remove(0);
        assert_eq!(self::text(&exported(&imported, &imported.character)), text);
    }
    let imported = import("nova.json", card).remove(0);
    let now = Character { greeting: Some("Hi.".into()), ..imported.character.clone() };
    let written = text(&exported(&imported, &now));
    assert_eq!(
        written,
        card.replace("    ]\n  },\n  \"a\"", "    ],\n    \"first_mes\": \"Hi.\"\n  },\n  \"a\"")
    );
    let old = import("old.json", "{\"name\":\"Old\",\"first_mes\":\"Hi\",\"description\":\"d\"}").remove(0);
    let Imported { character, play, source, .. } = &old;
    let persona = Exporting { name: "old", character, play, source: Some(source), books: &[] };
    let written = text(&export(Target::CardV3, &persona).unwrap().files);
    let place = |field: &str| written.find(&format!("\"{field}\"")).unwrap();
    assert!(
        ["spec", "spec_version", "data", "name", "first_mes", "description", "tags"].map(place).is_sorted(),
        "{written}"
    );
}

/// The decoded texts of a picture's chunks, without their keywords.
fn chunks(picture: &[u8]) -> Vec<String> {
    let mut rest = &picture[8..];
    let mut texts = Vec::new();
    while let Some((head, after)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if head.ends_with(b"tEXt") {
            let base64 = after[..length].rsplit(|byte| *byte == 0).next().unwrap();
            texts.push(String::from_utf8(STANDARD.decode(base64).unwrap()).unwrap());
        }
        rest = &after[length + 4..];
    }
    texts
}

#[test]
fn pf2_cards_within_a_picture_are_written_back_in_their_order() {
    let older = r#"{"spec":"chara_card_v2","data":{"name":"Nova","description":"d","first_mes":"Hi"},"b":1,"a":{"z":1,"y":2}}"#;
    let newer = r#"{"spec_version":"3.0","spec":"chara_card_v3","data":{"tags":[],"name":"Nova","first_mes":"Ahoy"}}"#;
    for texts in [vec![("chara", older)], vec![("ccv3", newer)], vec![("chara", older), ("ccv3", newer)]] {
        let imported = Imported::all(detect("nova.png", picture(&texts)).unwrap()).remove(0);
        let written = exported(&imported, &imported.character);
        let expected: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
        assert_eq!(chunks(&written[0].content), expected);
    }
    let imported = Imported::all(detect("nova.json", older.as_bytes()).unwrap()).remove(0);
    let Imported { character, play, source, .. } = &imported;
    let persona = Exporting { name: "nova", character, play, source: Some(source), books: &[] };
    for text in chunks(&export(Target::Png, &persona).unwrap().files[0].content) {
        let place = |field: &str| text.find(&format!("\"{field}\"")).unwrap();
        assert!(["spec", "name", "description", "first_mes", "b", "z", "y"].map(place).is_sorted(), "{text}");
    }
}

#[test]
fn pf2_a_file_with_a_secret_is_written_back_without_it() {
    let text = "---\nname: ada\ndescription: x # sk-canary-canary-canary\nkey: sk-canary-canary-canary\n---\nYou are Ada.\n";
    let imported = import("a.md", text).remove(0);
    assert!(!imported.source.to_json().contains("canary"), "{}", imported.source.to_json());
    assert!(!self::text(&exported(&imported, &imported.character)).contains("canary"));
}

#[test]
fn pf2_an_edit_leaves_the_rest_of_the_front_matter() {
    let text =
        "---\r\n# who\r\nzebra: 1.10 # first\r\nname: ada\r\ndescription: no\r\n---\r\n\r\nYou are Ada.\r\n";
    let imported = import("a.md", text).remove(0);
    let now = Character { description: "Kind: very".into(), ..imported.character.clone() };
    assert_eq!(
        self::text(&exported(&imported, &now)),
        text.replace("description: no", "description: \"Kind: very\"")
    );
    let now =
        Character { prompt: "You are\nBo.".into(), display_name: "Bo".into(), ..imported.character.clone() };
    let expected = text.replace("name: ada", "name: Bo").replace("You are Ada.", "You are\r\nBo.");
    assert_eq!(self::text(&exported(&imported, &now)), expected);
}

#[test]
fn pf2_an_edit_leaves_the_rest_of_a_toml_file() {
    let text = "# who\nname = \"dee\" # short\nsandbox_mode = \"read-only\"\ndeveloper_instructions = \"\"\"\nSei nett.\n\"\"\"\n\n[more]\nb = 1 # b\na = 1_000\n\n[[x]]\ny = 0x1F\n";
    let imported = import("d.toml", text).remove(0);
    let now = Character {
        display_name: "Dö".into(),
        description: "Eine neue.".into(),
        prompt: "Sei \"sehr\" nett.\n\nUnd knapp.".into(),
        ..imported.character.clone()
    };
    let written = self::text(&exported(&imported, &now));
    for line in [
        "# who\n",
        "name = \"Dö\" # short\n",
        "[more]\nb = 1 # b\na = 1_000\n\n[[x]]\ny = 0x1F\n",
        "Und knapp.",
    ] {
        assert!(written.contains(line), "{line}: {written}");
    }
    assert!(written.find("sandbox_mode").unwrap() < written.find("developer_instructions").unwrap());
    let again = import("d.toml", &written).remove(0);
    assert_eq!((again.character.prompt, again.character.display_name), (now.prompt, now.display_name));
}

#[test]
fn pf2_an_edit_leaves_the_rest_of_a_crew() {
    let imported = import("agents.yaml", CREW).remove(1);
    assert_eq!(imported.name, "zoe");
    let now = Character {
        prompt: imported.character.prompt.replace("Köchin", "Bäckerin: süß"),
        ..imported.character.clone()
    };
    assert_eq!(
        self::text(&exported(&imported, &now)),
        CREW.replace("role: Köchin  # kocht", "role: \"Bäckerin: süß\"  # kocht")
    );
    let now = Character {
        prompt: imported.character.prompt.replace("Gut kochen", "Eins\n\nZwei: drei"),
        ..imported.character.clone()
    };
    assert_eq!(
        self::text(&exported(&imported, &now)),
        CREW.replace("goal: >\n    Gut kochen", "goal: |-\n    Eins\n\n    Zwei: drei")
    );
    let windows = CREW.replace('\n', "\r\n");
    let imported = import("agents.yaml", &windows).remove(0);
    let now =
        Character { prompt: "You are Kellner.\n\n## Background\n\nNeu".into(), ..imported.character.clone() };
    assert_eq!(
        self::text(&exported(&imported, &now)),
        windows.replace("goal: x", "goal: \"\"").replace("backstory: y", "backstory: Neu")
    );
}

/// Removing a secret removes its line and its occurrences in comments. The other lines stay.
#[test]
fn pf2_a_secret_takes_its_own_line_of_a_file_of_settings() {
    let toml = "name = \"dee\" # first\ninstructions = \"Hi.\"\n\n[mcp_servers.x]\n# was sk-canary-canary-canary\nargs = [\"-y\"]\nb = 1_000\n\n[mcp_servers.x.env]\nAPI_KEY = \"sk-canary-canary-canary\"\nHOME = \"/x\"\n";
    let yaml = "# team\nzoe:\n  role: Cook # best\n  goal: x\n  backstory: y\n  api_key: sk-canary-canary-canary # sk-canary-canary-canary\n  a: 1\n";
    for (name, text, lines) in [
        ("d.toml", toml, ["# first\n", "b = 1_000\n", "HOME = \"/x\"\n"]),
        ("agents.yaml", yaml, ["# team\n", "role: Cook # best\n", "  a: 1\n"]),
    ] {
        let imported = import(name, text).remove(0);
        assert!(!imported.source.to_json().contains("canary"));
        let written = self::text(&exported(&imported, &imported.character));
        assert!(lines.iter().all(|line| written.contains(line)), "{written}");
    }
}

/// A picture with cards in both versions. The older card has unknown values and values of wrong types.
#[test]
fn pf2_an_edit_changes_its_field_alone_in_the_older_card_of_a_picture() {
    let newer = serde_json::json!({ "spec": "chara_card_v3", "spec_version": "3.0",
        "data": { "name": "Nova", "description": "A robot.", "first_mes": "Hi.", "nickname": "No" } });
    let older = serde_json::json!({ "spec": "chara_card_v2", "spec_version": "2.0", "mood": 7,
        "data": { "name": "Nova", "description": "A robot.", "first_mes": "Hi.", "tags": "robot", "creator": null,
            "extensions": { "own": [1] }, "character_book": null, "old": true } });
    let bytes = picture(&[("ccv3", &newer.to_string()), ("chara", &older.to_string())]);
    let imported = Imported::all(detect("nova.png", &bytes).unwrap()).remove(0);
    let now = Character { greeting: Some("Hello.".into()), ..imported.character.clone() };
    let book =
        detect("world.json", r#"{"entries":{"0":{"key":["castle"],"content":"Old.","order":1}}}"#.as_bytes());
    let books = [book.unwrap()];
    for (target, books) in [(Target::Original, &[][..]), (Target::Png, &[]), (Target::Png, &books)] {
        let Imported { name, source, .. } = &imported;
        let persona =
            Exporting { name, character: &now, play: &Play::default(), source: Some(source), books };
        let written = export(target, &persona).unwrap().files.remove(0).content;
        let mut again = detect("nova.png", &written).unwrap().beside.unwrap();
        let book = again["data"]["character_book"].take();
        assert_eq!(book.is_object(), !books.is_empty(), "{book}");
        let mut wanted = older.clone();
        wanted["data"]["first_mes"] = "Hello.".into();
        assert_eq!(again, wanted, "{target:?}");
    }
    // a different older card keeps its own values
    let other = serde_json::json!({ "name": "Zoe", "description": "A cat.", "first_mes": "Meow.", "x": 1 });
    let bytes = picture(&[("ccv3", &newer.to_string()), ("chara", &other.to_string())]);
    let imported = Imported::all(detect("nova.png", &bytes).unwrap()).remove(0);
    let files = exported(&imported, &now);
    let again = detect("nova.png", &files[0].content).unwrap().beside.unwrap();
    let mut wanted = other;
    wanted["first_mes"] = "Hello.".into();
    assert_eq!(again, wanted);
}
