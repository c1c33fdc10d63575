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
