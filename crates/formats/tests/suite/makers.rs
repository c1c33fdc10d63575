//! Lorebooks of NovelAI, Agnai and RisuAI: triggers of entries, round trips, and export into cards (PF4).

use greenroom_formats::{
    Exporting, Fate, Format, Imported, LoreLine, Lorebook, Macros, Seed, Source, Target, activate, detect,
    export, is_lossless,
};
use serde_json::{Value, json};

fn import(book: &Value) -> Imported {
    let source = detect("book.json", book.to_string().as_bytes()).unwrap();
    assert_eq!(source.format, Format::Lorebook);
    assert_eq!(is_lossless(source.clone()), Ok(true), "PF2");
    Imported::all(source).remove(0)
}

/// The contents of the entries that a conversation triggers.
fn found(book: &Lorebook, said: &[&str]) -> Vec<String> {
    let line =
        |(n, text): (usize, &&str)| LoreLine { id: n as u64, text: (*text).to_owned(), is_own: n % 2 == 1 };
    let said: Vec<LoreLine> = said.iter().enumerate().map(line).collect();
    let seed = Seed::of(&[1]);
    let macros = Macros { char: "Nova", user: "Mia", seed, lasting: seed };
    let mut found: Vec<String> =
        activate(book, &said, macros).iter().map(|it| it.entry.content.clone()).collect();
    found.sort();
    found
}

fn fate<'a>(imported: &'a Imported, field: &str) -> (Fate, &'a str) {
    let line = imported.receipt.iter().find(|line| line.field == field);
    let line = line.unwrap_or_else(|| panic!("{field}: {:#?}", imported.receipt));
    (line.fate, &line.reason)
}

/// The lorebook after an export inside a card and an import of that card.
fn in_card(book: &Source) -> Lorebook {
    let persona = detect("p.json", br#"{"name":"P","first_mes":"Hi"}"#).unwrap();
    let Imported { name, character, play, source, .. } = &Imported::all(persona).remove(0);
    let persona =
        Exporting { name, character, play, source: Some(source), books: std::slice::from_ref(book) };
    let card = export(Target::CardV3, &persona).unwrap().files.remove(0).content;
    let mut read = Imported::all(detect("card.json", &card).unwrap()).remove(0);
    read.play.books.remove(0)
}

fn novel() -> Value {
    let config = |priority: i64| {
        json!({ "prefix": "[ ", "suffix": " ]\n", "tokenBudget": 2048, "reservedTokens": 0, "budgetPriority": priority,
            "trimDirection": "trimBottom", "insertionType": "newline", "maximumTrimType": "sentence", "insertionPosition": -1 })
    };
    let entry = |name: &str, text: &str, keys: Value, priority: i64| {
        json!({ "text": text, "contextConfig": config(priority), "lastUpdatedAt": 1_649_360_732_691_u64, "displayName": name,
            "id": name, "keys": keys, "searchRange": 1000, "enabled": true, "forceActivation": false, "keyRelative": false,
            "nonStoryActivatable": false, "category": "", "loreBiasGroups": [], "hidden": false })
    };
    let mut entries = vec![
        entry("Leuchtturm", "Der Leuchtturm brennt.", json!(["leuchtturm", "/Feuer|Glut/"]), 400),
        entry("Sturm", "Der Sturm weckt den Leuchtturm.", json!(["sturm"]), 500),
        entry("Kette", "Die Kette reagiert.", json!(["brennt"]), 10),
        entry("Immer", "Es ist Nacht.", json!([]), 0),
        entry("Aus", "Aus.", json!(["sturm"]), 0),
        entry("Zu", "Zu.", json!(["sturm"]), 0),
        entry("Falsch", "Falsch.", json!(["/(?=x)/"]), 0),
    ];
    entries[2]["nonStoryActivatable"] = true.into();
    entries[3]["forceActivation"] = true.into();
    entries[4]["enabled"] = false.into();
    entries[5]["category"] = "c1".into();
    json!({ "lorebookVersion": 5, "entries": entries, "settings": { "orderByKeyLocations": false },
        "categories": [{ "name": "Orte", "id": "c1", "enabled": false, "createSubcontext": false }] })
}

#[test]
fn pf4_a_lorebook_of_novelai_triggers_its_entries() {
    let imported = import(&novel());
    let book = &imported.play.books[0];
    let light = "[ Der Leuchtturm brennt. ]";
    let chain = "[ Die Kette reagiert. ]";
    let night = "[ Es ist Nacht. ]";
    assert_eq!(found(book, &["Der LEUCHTTURM!"]), [light, chain, night], "a cascade reads other entries");
    assert_eq!(found(book, &["Die Glut."]), [light, chain, night]);
    assert_eq!(found(book, &["die glut"]), [night], "an expression without a flag minds the case");
    assert_eq!(
        found(book, &["Ein Sturm."]),
        ["[ Der Sturm weckt den Leuchtturm. ]", night],
        "only a cascading entry is triggered by others"
    );
    assert!(book.entries[1].order > book.entries[0].order && book.entries[1].priority == 500);
    assert_eq!(fate(&imported, "entries[0]").0, Fate::Effective);
    assert_eq!(fate(&imported, "entries[4]"), (Fate::Kept, "the entry is switched off"));
    assert_eq!(fate(&imported, "entries[5]"), (Fate::Kept, "its category is switched off"));
    assert_eq!(fate(&imported, "entries[6]").0, Fate::Refused);
    assert_eq!(fate(&imported, "entries[].searchRange").0, Fate::Kept);
    assert!(
        imported.receipt.iter().all(|line| !line.reason.contains("does not know")),
        "{:#?}",
        imported.receipt
    );
    assert_eq!(found(&in_card(&imported.source), &["Die Glut."]), [light, chain, night]);
    assert_eq!(found(&in_card(&imported.source), &["Sturm"]).len(), 2, "what is off stays off");
}

#[test]
fn pf4_a_memory_book_of_agnai_triggers_its_entries() {
    let entry = |name: &str, text: &str, keys: Value, weight: i64, priority: i64| json!({ "name": name, "entry": text, "keywords": keys, "weight": weight, "priority": priority, "enabled": true });
    let mut entries = vec![
        entry("Port", "Le port est gelé.", json!(["port", "quai"]), 2, 9),
        entry("Gel", "Le gel vient du nord.", json!(["gelé"]), 1, 5),
        entry("Off", "Off.", json!(["port"]), 1, 1),
    ];
    entries[0]["selective"] = true.into();
    entries[0]["secondaryKeys"] = json!(["nuit"]);
    entries[2]["enabled"] = false.into();
    let imported =
        import(&json!({ "kind": "memory", "_id": "x", "name": "Port", "description": "d", "userId": "u",
        "entries": entries }));
    let book = &imported.play.books[0];
    assert_eq!(book.name, "Port");
    assert_eq!(found(book, &["la nuit", "oui", "non", "oui", "au QUAI"]), ["Le port est gelé."]);
    assert_eq!(found(book, &["au quai"]), Vec::<String>::new(), "its secondary key is not said");
    assert!(book.entries[0].order > book.entries[1].order && book.entries[0].priority == 9);
    assert!(
        imported.receipt.iter().all(|line| !line.reason.contains("does not know")),
        "{:#?}",
        imported.receipt
    );
    assert_eq!(found(&in_card(&imported.source), &["la nuit", "au quai"]), ["Le port est gelé."]);
}

/// In Agnai's `common/memory.ts`, `*` and `?` in a keyword are wildcards for letters.
#[test]
fn pf4_wildcards_in_keywords_of_agnai_stand_for_letters() {
    let entry = json!({ "name": "D", "entry": "Ein Drache.", "keywords": ["drache*", "w?rm", "C++"], "weight": 1,
        "priority": 1, "enabled": true });
    let imported = import(&json!({ "kind": "memory", "name": "B", "entries": [entry] }));
    for book in [&imported.play.books[0], &in_card(&imported.source)] {
        for (said, is_found) in
            [("die Drachen", true), ("ein Wurm", true), ("wärmer", false), ("Wurmloch", false), ("C++", true)]
        {
            assert_eq!(found(book, &[said]).len(), usize::from(is_found), "{said}");
        }
    }
}

/// Janitor AI and RisuAI's tools write only the list of entries, without a surrounding object.
#[test]
fn pf4_a_list_of_entries_is_a_lorebook() {
    let janitor = json!({ "activationMode": "standard", "activationScript": "", "case_sensitive": false,
        "category": "places", "constant": false, "content": "Il porto gela.", "enabled": true, "extensions": {},
        "groupWeight": 100, "id": "2e86", "inclusionGroupRaw": "", "insertion_order": 100, "key": ["porto", "molo"],
        "keyMatchPriority": true, "keysecondary": [], "keysRaw": "porto, molo", "keywordsRaw": "porto, molo",
        "matchWholeWords": true, "minMessages": 2, "name": "porto", "priority": 1, "probability": 100, "tags": ["a"] });
    let risu = json!({ "key": "porto, molo", "comment": "porto", "insertorder": 100, "mode": "normal",
        "alwaysActive": false, "selective": false, "secondkey": "", "content": "Il porto gela.", "useRegex": false });
    for entry in [janitor, risu] {
        let imported = import(&json!([entry, entry]));
        let said = ["sì", "al molo"];
        assert_eq!(found(&imported.play.books[0], &said).len(), 2, "{entry}");
        assert_eq!(found(&in_card(&imported.source), &said).len(), 2, "{entry}");
        let unknown = imported.receipt.iter().find(|line| line.reason.contains("does not know"));
        assert_eq!(unknown, None);
    }
    assert!(detect("x.json", json!([{ "key": "a", "value": "b" }]).to_string().as_bytes()).is_err());
}

#[test]
fn pf4_an_exported_lorebook_of_risuai_triggers_its_entries() {
    let entry = |name: &str, content: &str, key: &str| {
        json!({ "key": key, "comment": name, "content": content, "mode": "normal", "insertorder": 100, "alwaysActive": false,
            "secondkey": "", "selective": false, "useRegex": false, "extentions": { "risu_case_sensitive": false },
            "bookVersion": 2, "id": "1-2", "folder": "" })
    };
    let mut entries = vec![
        entry("항구", "항구는 얼어 있다.", "항구, harbour"),
        entry("밤", "밤에는 불이 켜진다.", "밤"),
        entry("패턴", "숫자를 안다.", "/[0-9]{2,3}호/, /방/"),
        entry("늘", "늘 있다.", ""),
        entry("폴더", "", "\u{f000}folder:1"),
        entry("드묾", "@@probability 0\n드물다.", "항구"),
        entry("뒤", "@@end\n@@match_full_word\n끝에.", "bay"),
        entry("제외", "@@exclude_keys_all 밤,낮\n하나만.", "항구"),
    ];
    entries[1]["selective"] = true.into();
    entries[1]["secondkey"] = "별, 달".into();
    entries[2]["useRegex"] = true.into();
    entries[3]["alwaysActive"] = true.into();
    entries[4]["mode"] = "folder".into();
    let imported = import(&json!({ "type": "risu", "ver": 1, "data": entries }));
    let book = &imported.play.books[0];
    let found = |said: &[&str]| found(book, said);
    assert_eq!(found(&["얼음항구에서"]), ["늘 있다.", "하나만.", "항구는 얼어 있다."]);
    assert_eq!(found(&["항구의 밤과 낮"]), ["늘 있다.", "항구는 얼어 있다."]);
    assert_eq!(found(&["밤하늘의 달"]), ["늘 있다.", "밤에는 불이 켜진다."]);
    assert_eq!(found(&["12호"]), ["늘 있다.", "숫자를 안다."]);
    assert_eq!(found(&["a bay"]), ["끝에.", "늘 있다."]);
    assert_eq!(found(&["a bayou"]), ["늘 있다."]);
    assert_eq!(fate(&imported, "data[0]").0, Fate::Effective);
    assert_eq!(fate(&imported, "data[4]"), (Fate::Kept, "a folder of the book"));
    assert_eq!(fate(&imported, "data[5]"), (Fate::Kept, "its probability is 0, so nothing triggers it"));
    assert!(
        imported.receipt.iter().all(|line| !line.reason.contains("does not know")),
        "{:#?}",
        imported.receipt
    );
    let card = in_card(&imported.source);
    assert_eq!(super::makers::found(&card, &["밤하늘의 달"]), ["늘 있다.", "밤에는 불이 켜진다."]);
}

/// Other exports of RisuAI have the same outer fields.
#[test]
fn pf1_what_is_no_lorebook_of_risuai_is_refused() {
    let preset =
        json!({ "type": "risu", "ver": 1, "data": { "name": "Memory", "settings": {} } }).to_string();
    assert!(detect("x.json", preset.as_bytes()).is_err());
}
