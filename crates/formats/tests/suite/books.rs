//! Lorebooks within exported cards (PF4, PF7).

use greenroom_formats::{Exporting, Imported, Lorebook, Source, Target, detect, export};
use serde_json::{Value, json};

use crate::samples::{all, archives, card_v2};

fn import(bytes: &[u8]) -> Imported {
    Imported::all(detect("x.json", bytes).unwrap()).remove(0)
}

/// Exports a persona with added lorebooks as a card.
fn card(persona: &Imported, books: &[Source], target: Target) -> Value {
    let Imported { name, character, play, source, .. } = persona;
    let persona = Exporting { name, character, play, source: Some(source), books };
    serde_json::from_slice(&export(target, &persona).unwrap().files[0].content).unwrap()
}

fn books(card: &Value) -> Vec<Lorebook> {
    import(card.to_string().as_bytes()).play.books
}

#[test]
fn pf4_an_entry_of_a_world_info_file_has_the_names_of_a_card_in_an_exported_card() {
    let full = json!({
        "uid": 7, "key": ["Hafen", "/pier(s)?/i"], "keysecondary": ["Nacht"], "comment": "Der Hafen", "content": "Nebel.", "order": 40,
        "disable": false, "constant": false, "selective": true, "selectiveLogic": 3, "position": 4, "depth": 2, "role": 1,
        "probability": 30, "useProbability": true, "sticky": 2, "cooldown": 3, "delay": 1, "group": "Orte", "groupWeight": 50,
        "groupOverride": true, "excludeRecursion": true, "preventRecursion": true, "delayUntilRecursion": 1, "scanDepth": 9,
        "caseSensitive": true, "matchWholeWords": false, "vectorized": false, "addMemo": true, "unheard": { "of": 1 }
    });
    // World Info files have other defaults than cards
    let bare = json!({ "uid": 8, "key": ["tea"], "keysecondary": ["milk"], "content": "Hot." });
    let off = json!({ "uid": 9, "key": "a, b", "content": "Off.", "disable": true, "position": 1 });
    let world = json!({ "entries": { "7": full, "8": bare, "9": off } }).to_string();
    let world = detect("world.json", world.as_bytes()).unwrap();
    let read = Imported::all(world.clone()).remove(0).play.books;
    let persona = import(&json!({ "name": "P", "first_mes": "Hi" }).to_string().into_bytes());
    for target in [Target::CardV2, Target::CardV3] {
        let card = card(&persona, std::slice::from_ref(&world), target);
        let entry = &card["data"]["character_book"]["entries"][0];
        for (name, value) in [
            ("selectiveLogic", json!(3)),
            ("probability", json!(30)),
            ("useProbability", json!(true)),
            ("depth", json!(2)),
            ("role", json!(1)),
            ("sticky", json!(2)),
            ("cooldown", json!(3)),
            ("delay", json!(1)),
            ("group", json!("Orte")),
            ("group_weight", json!(50)),
            ("group_override", json!(true)),
            ("position", json!(4)),
            ("exclude_recursion", json!(true)),
            ("prevent_recursion", json!(true)),
            ("delay_until_recursion", json!(1)),
            ("scan_depth", json!(9)),
            ("case_sensitive", json!(true)),
            ("match_whole_words", json!(false)),
            ("vectorized", json!(false)),
        ] {
            assert_eq!(entry["extensions"][name], value, "{name}");
        }
        let left: Vec<&String> = entry.as_object().unwrap().keys().collect();
        let kept = [
            "addMemo",
            "comment",
            "constant",
            "content",
            "enabled",
            "extensions",
            "id",
            "insertion_order",
            "keys",
            "position",
            "secondary_keys",
            "selective",
            "unheard",
            "use_regex",
        ];
        assert_eq!(
            left,
            kept.into_iter().filter(|it| *it != "use_regex" || target == Target::CardV3).collect::<Vec<_>>()
        );
        assert_eq!(card["data"]["character_book"]["entries"][2]["enabled"], false);
        assert_eq!(books(&card)[0].entries, read[0].entries);
    }
}

#[test]
fn pf4_entries_of_an_added_book_have_ids_of_their_own() {
    let mut first = card_v2();
    first["data"]["character_book"]["entries"][0]["id"] = 4.into();
    let persona = import(first.to_string().as_bytes());
    let (name, world) = all().into_iter().find(|(name, _)| *name == "world.json").unwrap();
    let card = card(&persona, &[detect(name, &world).unwrap()], Target::CardV2);
    let ids: Vec<&Value> = card["data"]["character_book"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["id"])
        .collect();
    assert_eq!(ids, [4, 5]);
}

#[test]
fn pf4_keys_of_backyard_lore_are_keys_of_their_own_in_a_card() {
    let (name, bytes) = archives().into_iter().find(|(name, _)| *name == "bee.byaf").unwrap();
    let bee = Imported::all(detect(name, &bytes).unwrap()).remove(0);
    let card = card(&bee, &[], Target::CardV2);
    assert_eq!(card["data"]["character_book"]["entries"][0]["keys"], json!(["hive", "wax"]));
    assert_eq!(books(&card)[0].entries, bee.play.books[0].entries);
}
