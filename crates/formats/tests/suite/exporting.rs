use greenroom_formats::{
    Asset, Character, Exporting, Fate, Imported, Play, Source, Target, detect, detect_folder, export,
};
use serde_json::Value;

use crate::samples::{all, archives, card_v2};

fn import(name: &str) -> Imported {
    let (_, bytes) = all().into_iter().chain(archives()).find(|(known, _)| *known == name).unwrap();
    Imported::all(&detect(name, &bytes).unwrap()).remove(0)
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
        let again = Imported::all(&detect(name, file).unwrap()).remove(0);
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
        for imported in Imported::all(&detect(name, &bytes).unwrap()) {
            for target in targets {
                let mut files = write(target, &imported, &imported.character);
                let again = match target {
                    Target::Soul => detect_folder("folder", files).unwrap(),
                    _ => detect("file", &files.pop().unwrap().content).unwrap(),
                };
                let again = Imported::all(&again).remove(0);
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
