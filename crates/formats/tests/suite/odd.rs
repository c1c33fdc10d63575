//! Files as other programs and systems save them (PF1), and errors that say where a slip is.

use greenroom_formats::{Asset, Fate, Format, Imported, detect, detect_folder, is_lossless};

use crate::samples::{card_v2, zipped};

fn import(name: &str, bytes: &[u8]) -> Imported {
    let source = detect(name, bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(is_lossless(&source), Ok(true), "{name}");
    Imported::all(source).remove(0)
}

fn error(name: &str, bytes: &[u8]) -> String {
    detect(name, bytes).unwrap_err().to_string()
}

fn utf16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes_of).collect()
}

#[test]
fn pf1_text_in_utf16_is_read_and_other_encodings_are_named() {
    let card = card_v2().to_string().replace("Nova", "Růžena 初音");
    for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
        let imported = import("nova.json", &utf16(&card, bytes_of));
        assert_eq!(imported.character.display_name, "Růžena 初音");
        assert!(imported.receipt.iter().any(|line| line.field == "(encoding)"));
        let soul = import("SOUL.md", &utf16("Sei nett.", bytes_of));
        assert_eq!(soul.character.prompt, "Sei nett.");
    }
    let file = |path: &str, content: &[u8]| Asset { path: path.into(), content: content.to_vec() };
    let wide = utf16("Be kind.", u16::to_le_bytes);
    let soul = Imported::all(detect_folder("x", vec![file("SOUL.md", &wide)]).unwrap()).remove(0);
    assert_eq!(soul.character.prompt, "Be kind.");
    // neither half a persona nor one with broken letters
    let latin = detect_folder("x", vec![file("SOUL.md", b"J\xf6rg")]).unwrap_err().to_string();
    assert!(latin.starts_with("SOUL.md: ") && latin.contains("save it as UTF-8"), "{latin}");
    let charx = error(
        "x.charx",
        &zipped(&[("card.json", b"{\"spec\":\"chara_card_v3\",\"data\":{\"name\":\"J\xf6rg\"}}")]),
    );
    assert!(charx.starts_with("card.json: "), "{charx}");
    let unmarked: Vec<u8> = "Be kind.".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(error("SOUL.md", &unmarked).contains("UTF-16"));
    assert!(error("x.webp", b"RIFF\x10\0\0\0WEBPVP8 \0\0").contains("no text"));
}

#[test]
fn pf1_archives_of_other_systems_and_programs_are_read() {
    let soul = import(
        "ada.zip",
        &zipped(&[("__MACOSX/._SOUL.md", b"\0"), ("ada/SOUL.md", b"Be."), ("ada/.DS_Store", b"\0")]),
    );
    assert_eq!(soul.character.prompt, "Be.");
    let hidden =
        soul.receipt.iter().filter(|line| line.fate == Fate::Refused && line.reason.contains("system"));
    assert_eq!(hidden.count(), 2);
    let card = card_v2().to_string();
    let behind = [b"\xff\xd8\xff\xe0JFIF", &zipped(&[("card.json", card.as_bytes())])[..]].concat();
    assert_eq!(import("nova.charx", &behind).character.display_name, "Nova");
    assert!(error("x.zip", &zipped(&[])).contains("it has: nothing"));
}

#[test]
fn pf1_an_error_within_an_archive_names_the_file() {
    let byaf = error("x.byaf", &zipped(&[("manifest.json", b"{}"), ("characters/a.json", b"{\n \"a\": x}")]));
    assert!(byaf.starts_with("characters/a.json: 2:7: no valid JSON"), "{byaf}");
    let soul = error("x.zip", &zipped(&[("soul.json", b"{\"name\": 1,}"), ("SOUL.md", b"Be.")]));
    assert!(soul.starts_with("soul.json: 1:12: "), "{soul}");
}

#[test]
fn pf1_a_card_that_does_not_say_its_version_is_read() {
    let mut card = card_v2();
    for spec in [serde_json::Value::Null, 2.into(), "CHARA_CARD_V2".into(), " chara_card_v2".into()] {
        card["spec"] = spec;
        assert_eq!(import("nova.json", card.to_string().as_bytes()).character.display_name, "Nova");
    }
    card.as_object_mut().unwrap().remove("spec");
    let imported = import("nova.json", card.to_string().as_bytes());
    assert_eq!((imported.source.format, imported.character.display_name.as_str()), (Format::CardV2, "Nova"));
    let within = error("x.json", serde_json::json!({ "character": card }).to_string().as_bytes());
    assert!(within.contains("in the field character, so save the value of that as a file"), "{within}");
    let list = error("x.json", serde_json::json!([card, card]).to_string().as_bytes());
    assert!(list.contains("a JSON list of personas; save each"), "{list}");
    let quoted = error("x.json", b"{\"name\": \"x\", \"first_mes\": \"say \"no\"\"}");
    assert!(quoted.contains("a quotation mark within a text needs"), "{quoted}");
}

#[test]
fn pf1_blank_lines_before_front_matter_and_settings_beside_agents_are_no_obstacle() {
    let agent = import("x.md", b"\n\n---\nname: zoe\ndescription: d\n---\nBe brief.\n");
    assert_eq!((agent.source.format, agent.character.prompt.as_str()), (Format::AgentMarkdown, "Be brief."));
    let crew =
        detect("agents.yaml", b"version: 1\nzoe:\n  role: Cook\n  goal: Cook well\nadam:\n  role: Waiter\n")
            .unwrap();
    assert_eq!(is_lossless(&crew), Ok(true));
    let names: Vec<String> = Imported::all(crew).into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["adam", "zoe"]);
}

#[test]
fn pf1_files_of_a_folder_may_have_small_letters() {
    let files = [("soul.md", "Be kind."), ("identity.md", "- **Name:** Low"), ("Memory.md", "Tea is hot.")];
    let files = files.map(|(path, text)| Asset { path: path.into(), content: text.as_bytes().to_vec() });
    let source = detect_folder("low", files.to_vec()).unwrap();
    assert_eq!(is_lossless(&source), Ok(true));
    let imported = Imported::all(source).remove(0);
    assert_eq!((imported.character.display_name.as_str(), imported.knowledge.len()), ("Low", 1));
    assert_eq!(imported.character.prompt, "Be kind.\n\n- **Name:** Low");
}
