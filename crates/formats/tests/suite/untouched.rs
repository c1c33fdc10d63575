//! Files of text come back as they were; edits leave the rest of them alone (PF2).

use greenroom_formats::{
    Asset, Character, Exporting, Imported, Play, Source, Target, detect, detect_folder, export,
};

fn import(name: &str, text: &str) -> Vec<Imported> {
    Imported::all(detect(name, text.as_bytes()).unwrap())
}

fn exported(imported: &Imported, character: &Character) -> Vec<Asset> {
    let Imported { name, source, .. } = imported;
    // as it is kept beside the persona
    let source = &Source { assets: source.assets.clone(), ..Source::from_json(&source.to_json()).unwrap() };
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
    ] {
        for imported in import(name, text) {
            assert_eq!(self::text(&exported(&imported, &imported.character)), text, "{name}");
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

/// Fields are in the order of the file, also within the kept source, and new ones come last.
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
