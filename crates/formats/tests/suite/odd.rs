//! Files as other programs and systems save them (PF1), and errors that name the position of a mistake.

use base64::{Engine, engine::general_purpose::STANDARD};
use greenroom_formats::{
    Asset, Character, Exporting, Fate, Format, FormatError, Imported, LoreLine, Macros, Seed, Target,
    activate, detect, detect_folder, export, is_lossless,
};
use serde_json::json;

use crate::samples::{card_v2, zipped};

fn import(name: &str, bytes: &[u8]) -> Imported {
    let source = detect(name, bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(is_lossless(source.clone()), Ok(true), "{name}");
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
    // neither a partial persona nor one with replaced letters
    let latin = detect_folder("x", vec![file("SOUL.md", b"J\xf6rg")]).unwrap_err().to_string();
    assert!(latin.starts_with("SOUL.md: ") && latin.contains("save it as UTF-8"), "{latin}");
    let charx = error(
        "x.charx",
        &zipped(&[("card.json", b"{\"spec\":\"chara_card_v3\",\"data\":{\"name\":\"J\xf6rg\"}}")]),
    );
    assert!(charx.starts_with("card.json: "), "{charx}");
    let unmarked: Vec<u8> = "Be kind.".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(error("SOUL.md", &unmarked).contains("UTF-16"));
    assert!(error("x.webp", b"RIFF\x10\0\0\0WEBPVP8 \0\0").contains("no PNG"));
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
    assert!(error("x.zip", &zipped(&[])).contains("an empty folder or archive"));
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
    assert_eq!(is_lossless(crew.clone()), Ok(true));
    let names: Vec<String> = Imported::all(crew).into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["adam", "zoe"]);
}

#[test]
fn pf1_files_of_a_folder_may_have_small_letters() {
    let files = [("soul.md", "Be kind."), ("identity.md", "- **Name:** Low"), ("Memory.md", "Tea is hot.")];
    let files = files.map(|(path, text)| Asset { path: path.into(), content: text.as_bytes().to_vec() });
    let source = detect_folder("low", files.to_vec()).unwrap();
    assert_eq!(is_lossless(source.clone()), Ok(true));
    let imported = Imported::all(source).remove(0);
    assert_eq!((imported.character.display_name.as_str(), imported.knowledge.len()), ("Low", 1));
    assert_eq!(imported.character.prompt, "Be kind.\n\n- **Name:** Low");
}

/// In Agnai, `description` is for people, and `persona` is a list of attributes.
#[test]
fn pf1_a_character_of_agnai_speaks_as_its_persona_says() {
    let agnai = json!({
        "kind": "character", "name": "Ophélie", "description": "notes", "scenario": "Un bal.", "greeting": "Bonsoir…",
        "sampleChat": "{{char}}: Jamais.", "persona": { "kind": "boostyle", "attributes": { "mind": ["proud", "witty"] } },
        "systemPrompt": "In French.", "postHistoryInstructions": "Short.", "alternateGreetings": ["Encore vous."], "voice": { "x": 1 },
        "characterBook": { "kind": "memory", "name": "Bal", "entries": [{ "name": "bal", "entry": "En mai.", "keywords": ["bal"], "priority": 1, "weight": 1, "enabled": true }] }
    });
    let source = detect("o.json", agnai.to_string().as_bytes()).unwrap();
    assert_eq!(is_lossless(source.clone()), Ok(true));
    let imported = Imported::all(source).remove(0);
    let character = &imported.character;
    assert_eq!(character.prompt, "In French.\n\nmind: proud, witty\n\n## Scenario\n\nUn bal.");
    assert_eq!(character.description, "notes");
    assert_eq!(imported.play.greetings, ["Bonsoir…", "Encore vous."]);
    assert_eq!(imported.play.examples, ["{{char}}: Jamais."]);
    assert_eq!(imported.play.post_history.as_deref(), Some("Short."));
    assert_eq!(imported.play.books[0].entries[0].content, "En mai.");
    assert!(
        imported.receipt.iter().all(|line| !line.reason.contains("does not know")),
        "{:#?}",
        imported.receipt
    );

    let again = |target: Target, now: &Character| {
        let Imported { name, play, source, .. } = &imported;
        let persona = Exporting { name, character: now, play, source: Some(source), books: &[] };
        let written = export(target, &persona).unwrap().files.remove(0).content;
        Imported::all(detect("o.json", &written).unwrap()).remove(0)
    };
    let edited = Character {
        prompt: character.prompt.replace("mind: proud, witty", "Kind."),
        greeting: Some("Salut.".into()),
        ..character.clone()
    };
    for now in [character, &edited] {
        for target in [Target::Original, Target::CardV2, Target::CardV3] {
            let read = again(target, now);
            assert_eq!(&read.character, now, "{target:?}");
            assert_eq!(read.play.books, imported.play.books, "{target:?}");
        }
    }
    assert_eq!(again(Target::Original, &edited).source.data["description"], "notes");
}

#[test]
fn pf1_a_lorebook_of_novelai_within_a_picture_is_read() {
    let book = r#"{"lorebookVersion":6,"entries":[{"text":"She waits.","keys":["gate"],"enabled":true,"displayName":"Elara"}]}"#;
    let picture = crate::samples::picture(&[("naidata", &STANDARD.encode(book)), ("Comment", "x")]);
    let source = detect("book.png", &picture).unwrap();
    assert_eq!((source.format, is_lossless(source.clone())), (Format::Lorebook, Ok(true)));
    assert_eq!(Imported::all(source).remove(0).play.books[0].entries[0].content, "She waits.");
    let none = crate::samples::picture(&[("naidata", &STANDARD.encode("{\"a\":1}"))]);
    assert_eq!(detect("x.png", &none), Err(FormatError::NoCard));
}

#[test]
fn pf1_pictures_of_other_kinds_are_named() {
    for bytes in [&b"\xff\xd8\xff\xe1\0\0"[..], b"RIFF\0\x01\0\0WEBPVP8X\0", b"GIF89a\0\x80"] {
        let error = detect("card", bytes).unwrap_err().to_string();
        assert!(error.contains("no PNG"), "{error}");
    }
}

#[test]
fn pf6_documents_in_the_newest_shape_of_elizaos_are_found() {
    let text = r#"{"name":"E","bio":["x"],"knowledge":[{"item":{"case":"path","value":"docs/a.md"}},{"item":{"case":"directory","value":"docs"}}]}"#;
    let imported = Imported::all(detect("e.json", text.as_bytes()).unwrap()).remove(0);
    assert_eq!(imported.documents, ["docs/a.md", "docs"]);
}

/// A card of RisuAI says whether keys match only whole words.
#[test]
fn pf4_keys_of_a_card_of_risuai_may_be_parts_of_words() {
    let card = |whole: bool| {
        json!({ "spec": "chara_card_v3", "data": { "name": "R", "first_mes": "x", "character_book": {
            "extensions": { "risu_fullWordMatching": whole },
            "entries": [{ "keys": ["wolf"], "content": "w", "enabled": true, "insertion_order": 1, "extensions": {} }] } } })
    };
    let macros = Macros { char: "R", user: "Mia", seed: Seed::default(), lasting: Seed::default() };
    for whole in [true, false] {
        let imported = Imported::all(detect("r.json", card(whole).to_string().as_bytes()).unwrap()).remove(0);
        let said = [LoreLine { id: 1, text: "werewolf".into(), is_own: false }];
        assert_eq!(activate(&imported.play.books[0], &said, macros).len(), usize::from(!whole));
    }
}

#[test]
fn pf3_the_name_of_a_variable_is_no_secret() {
    let toml = "name = \"x\"\ninstructions = \"y\"\n[mcp_servers.docs]\nbearer_token_env_var = \"DOCS_TOKEN\"\nbearer_token = \"abcdefgh12345678\"\n";
    let source = detect("x.toml", toml.as_bytes()).unwrap();
    assert_eq!(source.data["mcp_servers"]["docs"]["bearer_token_env_var"], "DOCS_TOKEN");
    assert_eq!(source.removed, ["mcp_servers.docs.bearer_token"]);
}

#[test]
fn pf3_alternatives_that_are_no_list_are_not_effective() {
    let card =
        r#"{"spec":"chara_card_v2","data":{"name":"x","first_mes":"y","alternate_greetings":{"0":"a"}}}"#;
    let imported = Imported::all(detect("x.json", card.as_bytes()).unwrap()).remove(0);
    let line = imported.receipt.iter().find(|line| line.field == "alternate_greetings").unwrap();
    assert_eq!(line.fate, Fate::Kept);
}

#[test]
fn pf1_agents_of_crewai_share_fields_by_anchors() {
    let text = "x-base: &base\n  llm: local\n  verbose: true\n\nreader:\n  <<: *base\n  role: >\n    {topic} reader\n  goal: >-\n    Read\n    much\n  \
                backstory: |\n    Old.\nwriter: {<<: *base, role: Writer, goal: Write, backstory: Young}\n";
    let source = detect("agents.yaml", text.as_bytes()).unwrap();
    assert_eq!(source.data["writer"]["llm"], "local");
    let personas = Imported::all(source);
    assert_eq!(personas.len(), 2);
    assert_eq!(
        personas[0].character.prompt,
        "You are {topic} reader.\n\n## Goal\n\nRead much\n\n## Background\n\nOld."
    );
    assert_eq!(is_lossless(personas[0].source.clone()), Ok(true));
    assert_eq!(personas[0].source.text.as_deref(), Some(text));
}

/// Old characters have one list instead of the three lists in `style`.
#[test]
fn pf1_a_list_as_style_is_the_manner_of_speaking() {
    let data = json!({ "name": "Ada", "bio": ["Calm."], "style": ["be brief", "no slang"] });
    let imported = import("ada.json", data.to_string().as_bytes());
    assert!(imported.character.prompt.ends_with("## Manner of speaking\n\n- be brief\n- no slang"));
    let line = imported.receipt.iter().find(|line| line.field == "style").unwrap();
    assert!(line.fate == Fate::Effective && line.reason.contains("Manner of speaking"), "{line:?}");
    assert_eq!(is_lossless(imported.source), Ok(true));
}

/// A receipt has lines only for fields with values.
#[test]
fn pf3_an_agent_without_a_name_has_no_line_for_it() {
    let data =
        json!({ "agents": [{ "id": null, "name": null, "system": null }], "blocks": null, "tools": [] });
    let imported = import("quiet.af", data.to_string().as_bytes());
    assert!(imported.receipt.iter().all(|line| line.field != "agents.name"), "{:?}", imported.receipt);
    assert_eq!(imported.character.display_name, "quiet");
}
