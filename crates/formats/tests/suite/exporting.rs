use greenroom_formats::{
    Asset, Character, Exporting, Fate, Imported, Play, Source, Target, detect, detect_folder, export,
};
use serde_json::Value;

use crate::samples::{all, archives, card_v2};

fn import(name: &str) -> Imported {
    let (_, bytes) = all().into_iter().chain(archives()).find(|(known, _)| *known == name).unwrap();
    Imported::all(detect(name, &bytes).unwrap()).remove(0)
}

fn write(target: Target, imported: &Imported, character: &Character) -> Vec<Asset> {
    let persona = Exporting {
        name: &imported.name,
        character,
        play: &imported.play,
        source: Some(&imported.source),
        books: &[],
    };
    export(target, &persona).unwrap().files
}

fn json_of(files: &[Asset]) -> Value {
    serde_json::from_slice(&files[0].content).unwrap()
}

#[test]
fn pf7_cards_go_between_versions_without_a_lost_field() {
    let card = import("v2.json");
    let v3 = json_of(&write(Target::CardV3, &card, &card.character));
    assert_eq!((&v3["spec"], &v3["spec_version"]), (&"chara_card_v3".into(), &"3.0".into()));
    for (key, value) in card_v2()["data"].as_object().unwrap() {
        if key != "character_book" {
            assert_eq!(&v3["data"][key], value, "{key}");
        }
    }
    assert_eq!(v3["data"]["character_book"]["entries"][0]["content"], "It hums.");
    assert_eq!(v3["data"]["group_only_greetings"], serde_json::json!([]));
    let v1 = import("v1.json");
    let v2 = json_of(&write(Target::CardV2, &v1, &v1.character));
    assert_eq!((v2["data"]["first_mes"].as_str(), &v2["metadata"]["tool"]), (Some("Hi"), &"x".into()));
}

#[test]
fn pf7_a_picture_carries_the_card_in_both_versions() {
    let card = import("v2.json");
    let png = &write(Target::Png, &card, &card.character)[0].content;
    let source = detect("x.png", png).unwrap();
    assert_eq!(source.data["spec"], "chara_card_v3");
    assert_eq!(source.beside.unwrap()["spec"], "chara_card_v2");
    assert_eq!(source.data["data"]["unheard_of"]["kept"], true);
}

#[test]
fn pf7_changes_of_the_persona_file_are_in_the_export_and_in_the_next_import() {
    for name in [
        "v1.json",
        "v2.json",
        "v3.json",
        "eliza.json",
        "eliza-new.json",
        "agent.md",
        "reviewer.toml",
        "SOUL.md",
    ] {
        let before = import(name);
        let mut now = before.character.clone();
        now.display_name = "Zoë".into();
        now.prompt = match now.prompt.split_once("\n\n") {
            Some((first, rest)) => format!("{first}\n\n{} And more.", rest.replace("calm", "wild")),
            None => format!("{} And more.", now.prompt),
        };
        let file = &write(Target::Original, &before, &now)[0].content;
        let again = Imported::all(detect(name, file).unwrap()).remove(0);
        assert_eq!(again.character.prompt, now.prompt, "{name}");
        if !name.starts_with("SOUL") {
            assert_eq!(again.character.display_name, "Zoë", "{name}");
        }
    }
}

#[test]
fn pf7_another_greeting_of_the_card_stays_another_greeting() {
    let card = import("v2.json");
    let now = Character { greeting: Some("Ahoy.".into()), ..card.character.clone() };
    assert_eq!(json_of(&write(Target::CardV2, &card, &now))["data"]["first_mes"], "Hello, {{user}}.");
    let now = Character { greeting: Some("New.".into()), ..now };
    assert_eq!(json_of(&write(Target::CardV2, &card, &now))["data"]["first_mes"], "New.");
}

#[test]
fn pf7_every_persona_goes_into_every_format_and_comes_back() {
    let targets = [Target::CardV2, Target::CardV3, Target::Png, Target::Eliza, Target::Soul, Target::Agent];
    for (name, bytes) in all().into_iter().chain(archives()) {
        for imported in Imported::all(detect(name, &bytes).unwrap()) {
            for target in targets {
                let mut files = write(target, &imported, &imported.character);
                let again = match target {
                    Target::Soul => detect_folder("folder", files).unwrap(),
                    _ => detect("file", &files.pop().unwrap().content).unwrap(),
                };
                let again = Imported::all(again.clone()).remove(0);
                assert!(again.receipt.iter().any(|line| line.fate == Fate::Effective), "{name} {target:?}");
            }
        }
    }
}

#[test]
fn pf7_a_persona_of_our_own_becomes_a_card_and_a_character() {
    let character = Character {
        display_name: "Ada".into(),
        description: "An engineer".into(),
        greeting: Some("Hi.".into()),
        prompt: "You are Ada.".into(),
    };
    let (_, world) = all().into_iter().find(|(name, _)| *name == "world.json").unwrap();
    let books = [detect("world.json", &world).unwrap()];
    let play = Play::default();
    let persona = Exporting { name: "ada", character: &character, play: &play, source: None, books: &books };
    let card = json_of(&export(Target::CardV3, &persona).unwrap().files);
    assert_eq!(
        (&card["data"]["name"], &card["data"]["description"]),
        (&"Ada".into(), &"You are Ada.".into())
    );
    assert_eq!(card["data"]["character_book"]["entries"][0]["keys"], serde_json::json!(["a"]));
    let eliza = json_of(&export(Target::Eliza, &persona).unwrap().files);
    assert_eq!((&eliza["bio"][0], &eliza["system"]), (&"An engineer".into(), &"You are Ada.".into()));
    assert!(export(Target::Original, &persona).is_err());
    let _: Option<Source> = None;
}

/// A persona that was not imported.
fn own(prompt: &str) -> Character {
    Character {
        display_name: "snake_case *Bot* 猫".into(),
        description: "An engineer: calm".into(),
        greeting: Some("Hi.\n\n- Tea?\n  Or not?".into()),
        prompt: prompt.into(),
    }
}

fn exported(target: Target, character: &Character, play: &Play, source: Option<&Source>) -> Imported {
    let persona = Exporting { name: "ada", character, play, source, books: &[] };
    let files = export(target, &persona).unwrap().files;
    let again = match target {
        Target::Soul => detect_folder("ada", files).unwrap(),
        _ => detect("ada", &files[0].content).unwrap(),
    };
    Imported::all(again.clone()).remove(0)
}

#[test]
fn pf7_names_of_older_tools_become_fields_of_newer_cards() {
    let card = serde_json::json!({ "char_name": "Momo", "name": "", "char_persona": "A cat.", "char_greeting": "Nya.",
        "world_scenario": "A roof.", "example_dialogue": "<START>\n{{char}}: Nya?", "mes_example": "" });
    let card = Imported::all(detect("p.json", card.to_string().as_bytes()).unwrap()).remove(0);
    for target in [Target::CardV2, Target::CardV3] {
        let written = json_of(&write(target, &card, &card.character));
        let data = &written["data"];
        for (key, value) in [
            ("name", "Momo"),
            ("description", "A cat."),
            ("first_mes", "Nya."),
            ("scenario", "A roof."),
            ("mes_example", "<START>\n{{char}}: Nya?"),
        ] {
            assert_eq!(data[key], value, "{key}: {written}");
        }
        assert!(!written.to_string().contains("char_persona"), "{written}");
    }
    let now = Character { greeting: Some("Miau.".into()), ..card.character.clone() };
    assert_eq!(json_of(&write(Target::Original, &card, &now))["char_greeting"], "Miau.");
}

#[test]
fn pf7_both_cards_of_a_picture_have_the_changes() {
    let png = write(Target::Png, &import("v2.json"), &import("v2.json").character).remove(0).content;
    let card = Imported::all(detect("nova.png", &png).unwrap()).remove(0);
    let now = Character { greeting: Some("Edited.".into()), ..card.character.clone() };
    for target in [Target::Png, Target::Original] {
        let source = detect("nova.png", &write(target, &card, &now)[0].content).unwrap();
        let older = source.beside.unwrap();
        assert_eq!(source.data["data"]["first_mes"], "Edited.");
        assert_eq!(
            (&older["spec"], &older["data"]["first_mes"]),
            (&"chara_card_v2".into(), &"Edited.".into())
        );
    }
}

#[test]
fn pf7_a_prompt_comes_back_from_a_card_as_it_was() {
    let own_sentence = import("nameless.json").character.prompt;
    let own_sentence = own_sentence.split("\n\n").next().unwrap();
    for prompt in [
        "You are Ada.",
        "One.\n\nTwo.\n\n## Personality\n\nCalm.",
        own_sentence,
        &format!("{own_sentence} More."),
        &format!("{own_sentence}\n\nMore."),
    ] {
        let character = own(prompt);
        for target in [Target::CardV2, Target::CardV3, Target::Png] {
            let again = exported(target, &character, &Play::default(), None);
            assert_eq!(again.character, character, "{target:?}");
            // an edit after the export is kept as well
            let now = Character { prompt: format!("{prompt}\n\nAnd so on."), ..character.clone() };
            let again = exported(target, &now, &again.play, Some(&again.source));
            assert_eq!(again.character.prompt, now.prompt, "{target:?}");
        }
    }
    for name in ["agent.af", "eliza.json", "agent.md", "bee.byaf", "agents.yaml"] {
        let before = import(name);
        let again = exported(Target::CardV3, &before.character, &before.play, Some(&before.source));
        assert_eq!(again.character.prompt, before.character.prompt, "{name}");
        assert_eq!(again.play.greetings, before.play.greetings, "{name}");
        let entries = |play: &Play| play.books.iter().map(|book| book.entries.len()).sum::<usize>();
        assert_eq!(entries(&again.play), entries(&before.play), "{name}");
    }
}

#[test]
fn pf7_a_folder_brings_name_description_greeting_and_prompt_back() {
    let character = own("You are Ada.\n\n## Rules\n\nBe brief.");
    let again = exported(Target::Soul, &character, &Play::default(), None);
    assert_eq!(again.character, character);
    let now = Character { greeting: Some("Hello.".into()), prompt: "You are Zoe.".into(), ..character };
    let again = exported(
        Target::Original,
        &now,
        &Play::default(),
        Some(&Source { file: "ada.zip".into(), carrier: greenroom_formats::Carrier::Zip, ..again.source }),
    );
    assert_eq!(again.character, now);
    let agent = exported(Target::Agent, &own("You are Ada."), &Play::default(), None);
    assert_eq!((agent.name.as_str(), &agent.character.display_name), ("ada", &own("").display_name));
}

#[test]
fn pf7_one_file_of_markdown_becomes_a_folder_that_can_be_imported() {
    let soul = detect("Marsstein--marsclaw--SOUL.md", b"Be kind.\n").unwrap();
    let soul = Imported::all(soul.clone()).remove(0);
    for prompt in ["Be kind.", "Be wild."] {
        let files =
            write(Target::Soul, &soul, &Character { prompt: prompt.into(), ..soul.character.clone() });
        assert_eq!(files[0].path, "SOUL.md");
        assert_eq!(Imported::all(detect_folder("x", files).unwrap())[0].character.prompt, prompt);
    }
}

#[test]
fn pf7_notes_of_a_cards_creator_reach_no_prompt_and_what_is_left_out_is_said() {
    let card = import("v2.json");
    for target in [Target::Eliza, Target::Soul, Target::Agent] {
        let persona = Exporting {
            name: "nova",
            character: &card.character,
            play: &card.play,
            source: Some(&card.source),
            books: &[],
        };
        let written = export(target, &persona).unwrap();
        for file in &written.files {
            assert!(!String::from_utf8_lossy(&file.content).contains("A captain"), "{target:?}");
        }
        for part in [
            "alternate_greetings",
            "post_history_instructions",
            "depth_prompt",
            "lorebook entries",
            "creator_notes",
            "tags",
            "creator",
            "character_version",
            "unheard_of",
            "extensions.other",
        ] {
            assert!(
                written.notes.iter().any(|note| note.starts_with(&format!("{part}:"))),
                "{target:?} {part}: {:#?}",
                written.notes
            );
        }
        let examples = written.notes.iter().any(|note| note.starts_with("mes_example (2):"));
        assert_eq!(examples, target != Target::Eliza);
    }
}

/// Exports an edited persona and imports it again. Returns that import, the edited character and the notes.
fn edited(name: &str, edit: impl Fn(&mut Character)) -> (Imported, Character, Vec<String>) {
    let before = import(name);
    let mut now = before.character.clone();
    edit(&mut now);
    let Imported { name: persona, play, source, .. } = &before;
    let persona = Exporting { name: persona, character: &now, play, source: Some(source), books: &[] };
    let written = export(Target::Original, &persona).unwrap();
    let again = Imported::all(detect(name, &written.files[0].content).unwrap()).remove(0);
    (again, now, written.notes)
}

#[test]
fn pf7_changes_are_in_the_export_of_formats_that_only_their_own_programs_write() {
    let edit = |now: &mut Character| {
        now.prompt = now
            .prompt
            .replace("Find out", "Frag nach")
            .replace("Curious", "Neugierig")
            .replace("Senior", "Alte")
            .replace("I am kind", "Ich bin nett")
            .replace("You answer", "Du hilfst")
            .replace("buzzes", "summt {{user}} zu")
            .replace("A garden", "Ein Garten");
    };
    for name in ["agents.yaml", "agent.af", "bee.byaf"] {
        let (again, now, _) = edited(name, edit);
        assert_ne!(now, import(name).character, "{name}");
        // the role of a CrewAI agent also serves as its description
        let description = if name == "agents.yaml" { &again.character.description } else { &now.description };
        assert_eq!(again.character, Character { description: description.clone(), ..now }, "{name}");
    }
    let rename = |now: &mut Character| now.display_name = "Zoë".into();
    for name in ["agent.af", "bee.byaf", "tree.json", "soul.json"] {
        let (again, _, notes) = edited(name, rename);
        assert_eq!((again.character.display_name.as_str(), notes.len()), ("Zoë", 0), "{name}: {notes:?}");
    }
    let (again, now, _) = edited("bee.byaf", |now| {
        now.greeting = Some("Summ, {{user}}!".into());
        now.prompt = format!("Sprich Deutsch.\n\n{}", now.prompt.split_once("\n\n").unwrap().1);
    });
    assert_eq!(again.character, now);
    // the other greetings stay
    assert_eq!(again.play.greetings, ["Summ, {{user}}!", "Again."]);
    assert_eq!(again.source.data["characters/c.json"]["persona"], "{character} buzzes at {user}.");
}

#[test]
fn pf7_changes_that_a_format_has_no_place_for_are_said() {
    let edit = |now: &mut Character| {
        *now = Character {
            display_name: now.display_name.clone(),
            description: "Else".into(),
            greeting: Some("Hi".into()),
            prompt: "Else.".into(),
        };
    };
    for (name, fields) in [
        ("agents.yaml", &["description", "greeting"][..]),
        ("agent.af", &["greeting"]),
        ("bee.byaf", &["description"]),
        ("tree.json", &["description", "greeting", "prompt"]),
        ("eliza.json", &["description", "greeting"]),
    ] {
        let (_, _, notes) = edited(name, edit);
        for field in fields {
            assert!(
                notes.iter().any(|note| note.starts_with(&format!("{field}:"))),
                "{name} {field}: {notes:#?}"
            );
        }
    }
}

/// An edited line of the outline goes to its field. Another edit stores the whole prompt apart, and a note says so.
#[test]
fn pf7_an_edited_prompt_of_aieos_is_in_its_fields() {
    let (again, now, notes) = edited("tree.json", |now| {
        now.prompt = now
            .prompt
            .replace("- mbti: INFJ", "- mbti: ENTP")
            .replace("core values: peace", "core values: peace, tea")
            .replace("moved, 2015", "moved away, 2016");
    });
    assert_eq!((&again.character.prompt, notes), (&now.prompt, Vec::<String>::new()));
    let data = &again.source.data;
    assert_eq!(
        data["psychology"],
        serde_json::json!({ "traits": { "mbti": "ENTP" }, "core_values": ["peace", "tea"] })
    );
    assert_eq!(data["history"]["key_life_events"][0]["year"], 2016, "{data}");
    assert!(data.get("extensions").is_none());
    let (again, now, notes) =
        edited("tree.json", |now| now.prompt = now.prompt.replace("- core values: peace\n", ""));
    assert_eq!((&again.character.prompt, notes.len()), (&now.prompt, 0));
    for edit in ["Else.", "{} More.", "Speak first.\n\n{}", "{}\n\n## Rules\n\nBe brief."] {
        let (again, now, notes) = edited("tree.json", |now| now.prompt = edit.replace("{}", &now.prompt));
        assert_eq!(again.character.prompt, now.prompt);
        let is_field = again.source.data.get("extensions").is_some();
        assert_eq!(notes.iter().any(|note| note.starts_with("prompt:")), is_field, "{notes:?}");
        // an edit back to the outline
        let back = import("tree.json").character;
        let persona = Exporting {
            name: "x",
            character: &back,
            play: &again.play,
            source: Some(&again.source),
            books: &[],
        };
        let written = export(Target::Original, &persona).unwrap();
        assert!(!json_of(&written.files).to_string().contains("Speak first"));
    }
}

#[test]
fn pf7_an_edited_prompt_of_a_soul_json_is_a_file_beside_it() {
    let before = import("soul.json");
    let now = Character {
        prompt: "You are kind.".into(),
        greeting: Some("Hi.".into()),
        display_name: "Bo".into(),
        ..before.character.clone()
    };
    let files = write(Target::Original, &before, &now);
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["soul.json", "SOUL.md", "IDENTITY.md"]);
    let again = Imported::all(detect_folder("brad", files).unwrap()).remove(0);
    assert_eq!(again.character, now);
}

#[test]
fn pf7_an_edit_of_an_elizaos_prompt_changes_its_field_alone() {
    let before = import("eliza-odd.json");
    let edit = |from: &str, to: &str| {
        let (again, now, notes) = edited("eliza-odd.json", |now| now.prompt = now.prompt.replace(from, to));
        assert_eq!((&again.character.prompt, notes), (&now.prompt, Vec::new()));
        again.source.data
    };
    for (from, to, place) in [
        ("One.", "Uno.", "/bio/0"),
        ("Born", "Raised", "/lore"),
        ("short", "brief", "/style/all/0"),
        ("friendly", "kind", "/style/chat/1"),
        ("boats", "ships", "/topics/1"),
        ("You are Cy.", "Be Cy.", "/system"),
    ] {
        let mut after = edit(from, to);
        let field = after.pointer_mut(place).unwrap();
        assert_ne!(Some(&*field), before.source.data.pointer(place));
        *field = before.source.data.pointer(place).unwrap().clone();
        assert_eq!(after, before.source.data, "{place}");
    }
    for (from, to) in
        [("## Topics", "## Topics\n\n## Character\n\nx"), ("- friendly", "- friendly\n\n## About\n\nTwice.")]
    {
        let (_, _, notes) = edited("eliza-odd.json", |now| now.prompt = now.prompt.replace(from, to));
        assert!(notes[0].starts_with("the prompt has the form"), "{notes:?}");
    }
}
