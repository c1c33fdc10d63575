use greenroom_formats::{
    Fate, Folder, Format, FormatError, Imported, detect, is_lossless, read_documents, read_path, statements,
};

use crate::samples::{all, archives, card_v2};

fn import(name: &str) -> Imported {
    let (_, bytes) = all().into_iter().chain(archives()).find(|(known, _)| *known == name).unwrap();
    Imported::all(detect(name, &bytes).unwrap()).remove(0)
}

fn fate(imported: &Imported, field: &str) -> Fate {
    imported
        .receipt
        .iter()
        .find(|line| line.field == field)
        .unwrap_or_else(|| panic!("{field}: {:#?}", imported.receipt))
        .fate
}

#[test]
fn pf1_every_persona_has_a_name_and_a_prompt() {
    for (name, bytes) in all().into_iter().chain(archives()) {
        let source = detect(name, &bytes).unwrap();
        for imported in Imported::all(source.clone()).iter().filter(|_| source.format != Format::Lorebook) {
            assert!(
                !imported.character.prompt.trim().is_empty() && !imported.character.display_name.is_empty(),
                "{name}"
            );
            assert!(!imported.receipt.is_empty(), "{name}");
        }
    }
}

#[test]
fn pf5_a_card_becomes_prompt_greetings_examples_and_late_instructions() {
    let Imported { character, play, name, .. } = import("v2.json");
    assert_eq!(name, "nova");
    assert_eq!(
        character.prompt,
        "You are {{char}}, in a conversation with {{user}}. Write {{char}}'s next reply and stay in character. Be brief.\n\n\
         {{char}} flies a ship.\n\n## Personality\n\nbrave\n\n## Scenario\n\nA dock."
    );
    assert_eq!(character.description, "A captain");
    assert_eq!(play.greetings, ["Hello, {{user}}.", "Ahoy."]);
    assert_eq!(play.examples, ["{{user}}: Where to?\n{{char}}: Out.", "{{char}}: Hm."]);
    assert_eq!(play.post_history.as_deref(), Some("Stay calm."));
    assert_eq!(play.depth_prompt.unwrap().depth, 2);
    assert_eq!(play.books[0].entries.len(), 1);
    assert_eq!(import("v3.json").play.nickname.as_deref(), Some("Cap"));
    assert_eq!(import("loose.json").play.greetings, ["Hello, {{user}}.", "only one"]);
}

#[test]
fn pf3_every_field_has_one_of_three_fates() {
    let card = import("v2.json");
    assert_eq!(fate(&card, "description"), Fate::Effective);
    assert_eq!(fate(&card, "creator_notes"), Fate::Kept);
    assert_eq!(fate(&card, "unheard_of"), Fate::Kept);
    let eliza = import("eliza.json");
    for field in ["templates", "plugins", "settings.secrets", "settings.API_KEY"] {
        assert_eq!(fate(&eliza, field), Fate::Refused, "{field}");
    }
    assert!(!eliza.source.to_json().contains("canary"));
    let letta = import("agent.af");
    assert_eq!(fate(&letta, "tools.run"), Fate::Refused);
    assert_eq!(fate(&letta, "agents.secrets"), Fate::Refused);
    assert!(!letta.source.to_json().contains("canary"));
    let agent = import("agent.md");
    let colour = agent.receipt.iter().find(|line| line.field == "colour").unwrap();
    assert_eq!(colour.reason, "Greenroom does not know this field; did you mean `color`?");
}

#[test]
fn pf6_knowledge_blocks_and_memory_files_become_statements() {
    let statements = |imported: &Imported| -> Vec<(String, String)> {
        imported.knowledge.iter().map(|it| (it.place.clone(), it.text.clone())).collect()
    };
    assert_eq!(statements(&import("eliza.json")), [("knowledge[0]".into(), "Boats float.".into())]);
    assert_eq!(import("eliza.json").documents, ["docs/boats.md", "docs"]);
    assert_eq!(statements(&import("agent.af")), [("blocks.human".into(), "Mia likes tea.".into())]);
    assert!(import("agent.af").character.prompt.contains("I am kind."));
    let soul = import("pack.zip");
    assert_eq!(soul.character.display_name, "Ada");
    assert_eq!(statements(&soul).len(), 2);
}

/// The statements of a file.
fn said(place: &str, text: &str) -> Vec<String> {
    statements(place, text).into_iter().map(|it| it.text).collect()
}

#[test]
fn pf6_a_statement_carries_its_headings_and_its_date() {
    let text = "# MEMORY.md - Long-term memory\r\n\r\n## **Mother**\r\n\r\nBorn in 1950\r\nin Graz.\r\n\r\nAllergic to nuts.\r\n\r\n\
                ## Father\r\n\r\n---\r\nWork\r\n====\r\n### Boss #\r\nAllergic to cats.\r\n";
    let family =
        ["Mother: Born in 1950 in Graz.", "Mother: Allergic to nuts.", "Work, Boss: Allergic to cats."];
    assert_eq!(said("MEMORY.md", text), family);
    assert_eq!(
        said("memory/2026-01-03-talk.md", "# 2026-01-03 – Talk\n\n## Work\nWe deployed.\n\nLunch."),
        ["2026-01-03, Work: We deployed.", "2026-01-03, Work: Lunch."]
    );
    assert_eq!(said("knowledge/boats.md", "# Boats\nThey float."), ["They float."]);
    assert_eq!(said("memory/2026-01.md", "It rained."), ["It rained."]);
    assert_eq!(said("knowledge[0]", "# 1 rule: no lies"), ["# 1 rule: no lies"]);
    assert_eq!(said("MEMORY.md", "# Memory\n## People\n"), Vec::<String>::new());
}

#[test]
fn pf6_an_item_of_a_list_is_a_statement_with_the_line_before_the_list() {
    let list = "## People\n- Anna, the sister of Mia:\n  - lives in Graz\n\n  She sails.\n- Bo\nis a cat.\n\nAnna is allergic to:\n\n1. nuts\n2) fish\n\n\
                Bye.\n```\n# no heading\n\n- no item\n```\n";
    assert_eq!(
        said("MEMORY.md", list),
        [
            "People: Anna, the sister of Mia: - lives in Graz She sails.",
            "People: Bo is a cat.",
            "People, Anna is allergic to: 1. nuts",
            "People, Anna is allergic to: 2) fish",
            "People: Bye. ``` # no heading - no item ```",
        ]
    );
}

#[test]
fn pf6_a_long_statement_is_cut_after_a_sentence() {
    let long = said("a", &format!("# Boats\n{}", "Boats float on water. ".repeat(100)));
    assert_eq!(long.len(), 2);
    assert!(
        long.iter().all(|it| it.starts_with("Boats: Boats float") && it.ends_with("on water.")),
        "{long:?}"
    );
    let most = long[0].chars().count();
    assert!((1_450..=1_500).contains(&most), "{most}");
    let word = said("a", &"é".repeat(3_100));
    assert_eq!(word.iter().map(|it| it.chars().count()).collect::<Vec<_>>(), [1_500, 1_500, 100]);
    let deep = said("a", &format!("# {}\n## Work\nWe met.", "x".repeat(5_000)));
    assert_eq!(deep, ["Work: We met."]);
}

#[test]
fn pf6_documents_are_read_and_stay_in_the_folder_of_their_file() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("docs")).unwrap();
    std::fs::write(home.path().join("docs/boats.md"), "Boats float.\n\nAnchors sink.").unwrap();
    std::fs::write(home.path().join("docs/run.sh"), "rm").unwrap();
    let paths = ["docs".into(), "./docs/boats.md".into(), "../secret.md".into(), "missing.md".into()];
    let (known, problems) = read_documents(home.path(), &paths);
    assert_eq!(known.len(), 4);
    assert_eq!(known[0].place, "docs/boats.md#1");
    assert!(problems[0].contains("../secret.md leaves"), "{problems:?}");
    assert_eq!(problems.len(), 2);
}

#[test]
fn pf1_a_file_with_several_agents_becomes_several_personas() {
    let names = |name: &str| -> Vec<String> {
        let (_, bytes) = all().into_iter().find(|(known, _)| *known == name).unwrap();
        Imported::all(detect(name, &bytes).unwrap()).into_iter().map(|it| it.name).collect()
    };
    assert_eq!(names("agents.yaml"), ["researcher", "writer"]);
    assert_eq!(names("agent.af"), ["clerk", "other"]);
}

#[test]
fn pf1_a_folder_has_the_name_in_its_identity_file() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("workspace");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("SOUL.md"), "Be kind.").unwrap();
    std::fs::write(folder.join("USER.md"), "- **Name:** Mia").unwrap();
    let name = || Imported::all(read_path(&folder).unwrap()).remove(0).name;
    assert_eq!(name(), "workspace");
    std::fs::write(folder.join("IDENTITY.md"), "# Who am I?\n\n- **Name:** Molty\n- **Vibe:** warm\n")
        .unwrap();
    assert_eq!(name(), "molty");
}

#[test]
fn pf1_the_picture_of_an_archive_is_its_main_icon() {
    let mut card = card_v2();
    card["spec"] = "chara_card_v3".into();
    card["data"]["assets"] = serde_json::json!([
        { "type": "background", "uri": "embeded://a.png", "name": "main", "ext": "png" },
        { "type": "icon", "uri": "embeded://b.png", "name": "sad", "ext": "png" },
        { "type": "icon", "uri": "embeded://c.png", "name": "main", "ext": "png" },
    ]);
    let png = |byte: u8| [b"\x89PNG\r\n\x1a\n", &[byte][..]].concat();
    let files = ["a.png", "b.png", "c.png"].map(|path| (path, png(path.as_bytes()[0])));
    let mut all = vec![("card.json", card.to_string().into_bytes())];
    all.extend(files);
    let all: Vec<(&str, &[u8])> = all.iter().map(|(path, content)| (*path, &content[..])).collect();
    assert_eq!(detect("nova.charx", crate::samples::zipped(&all)).unwrap().picture, Some(png(b'c')));
}

#[test]
fn pf1_a_backyard_archive_is_read_with_its_macros() {
    let Imported { character, play, .. } = import("bee.byaf");
    assert!(character.prompt.contains("{{char}} buzzes at {{user}}."));
    assert_eq!(play.greetings, ["Bzz {{user}}.", "Again."]);
    assert_eq!(play.examples, ["{{user}}: hi\n{{char}}: bzz"]);
    assert_eq!(play.books[0].entries[0].content, "Home of {{char}}.");
}

#[test]
fn pf2_no_file_is_overwritten_and_what_was_written_is_played() {
    let home = tempfile::tempdir().unwrap();
    let card = import("v2.json");
    let first = Folder::create(home.path(), &card, &[]).unwrap();
    let other = detect("v2.json", card_v2().to_string().replace("Stay calm.", "Run.").as_bytes()).unwrap();
    let second = Folder::create(home.path(), &Imported::all(other.clone()).remove(0), &[]).unwrap();
    assert_eq!((first.name.as_str(), first.is_numbered), ("nova", false));
    assert_eq!((second.name.as_str(), second.is_numbered), ("nova-2", true));
    let folder = Folder::of(&first.file);
    assert_eq!(folder.play().unwrap().unwrap(), card.play);
    assert!(folder.source().unwrap().unwrap().same_data(&card.source));
    assert_eq!(std::fs::read_to_string(&first.file).unwrap(), card.character.to_markdown());
    assert_eq!(Folder::of(&home.path().join("ada.md")).play().unwrap(), None);
}

#[test]
fn pf2_the_same_file_again_is_recognised_and_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (name, bytes) = archives().remove(0);
    let card = || Imported::all(detect(name, &bytes).unwrap()).remove(0);
    assert!(card().source.picture.is_some());
    let first = Folder::create(home.path(), &card(), &[]).unwrap();
    std::fs::write(&first.file, "---\n---\nmine").unwrap();
    let again = Folder::create(home.path(), &card(), &[]).unwrap();
    assert_eq!((again.name.as_str(), again.was_there, again.is_numbered), ("nova", true, false));
    assert_eq!(std::fs::read_to_string(&first.file).unwrap(), "---\n---\nmine");
    // the same card without its picture counts as the same import, the card with another picture does not
    let mut bare = card();
    bare.source.picture = None;
    assert!(Folder::create(home.path(), &bare, &[]).unwrap().was_there);
    let mut other = card();
    other.source.picture = other.source.picture.map(|picture| [picture, vec![0]].concat());
    let other = Folder::create(home.path(), &other, &[]).unwrap();
    assert_eq!((other.name.as_str(), other.was_there), ("nova-2", false));
    // a persona that was removed leaves a gap in the numbers
    std::fs::remove_file(&first.file).unwrap();
    std::fs::remove_dir_all(first.file.with_extension("")).unwrap();
    assert_eq!(Folder::create(home.path(), &bare, &[]).unwrap().name, "nova-2");
}

#[test]
fn pf2_the_same_file_imported_at_the_same_time_makes_one_persona() {
    let home = tempfile::tempdir().unwrap();
    let imported = import("v2.json");
    let names: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Folder::create(home.path(), &imported, &[]).unwrap().name))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(names, vec!["nova"; 8]);
}

#[test]
fn pf2_an_update_replaces_an_import_and_never_an_edited_persona() {
    let home = tempfile::tempdir().unwrap();
    let written = Folder::create(home.path(), &import("v2.json"), &[]).unwrap();
    let mut newer = card_v2();
    newer["data"]["scenario"] = "A storm.".into();
    let newer = Imported::all(detect("v2.json", newer.to_string().as_bytes()).unwrap()).remove(0);
    let folder = Folder::of(&written.file);
    folder.update(&newer).unwrap();
    assert!(std::fs::read_to_string(&written.file).unwrap().contains("A storm."));
    assert!(folder.source().unwrap().unwrap().same_data(&newer.source));
    std::fs::write(&written.file, "---\n---\nmine").unwrap();
    assert!(matches!(folder.update(&newer), Err(FormatError::NotWritable { .. })));
    assert_eq!(std::fs::read_to_string(&written.file).unwrap(), "---\n---\nmine");
}

#[test]
fn pf5_a_chosen_greeting_is_no_edit_and_outlasts_an_update() {
    let read = |scenario: &str, alternates: &[&str]| {
        let mut card = card_v2();
        card["data"]["scenario"] = scenario.into();
        card["data"]["alternate_greetings"] = alternates.into();
        Imported::all(detect("v2.json", card.to_string().as_bytes()).unwrap()).remove(0)
    };
    let home = tempfile::tempdir().unwrap();
    let written = Folder::create(home.path(), &read("A dock.", &["Ahoy.", "Yo: \n\"hm\". "]), &[]).unwrap();
    let folder = Folder::of(&written.file);
    let text = || std::fs::read_to_string(&written.file).unwrap();
    folder.choose_greeting(3).unwrap();
    // the chosen greeting has another number in the newer file
    let newer = read("A storm.", &["Yo: \n\"hm\". ", "Ahoy."]);
    assert_eq!(folder.update(&newer).unwrap().note, None);
    assert!(text().contains("A storm.") && text().contains("greeting: \"Yo:"), "{}", text());
    // the newer file has another text at the chosen number
    let note = folder.update(&read("A calm.", &["Hey.", "Ahoy."])).unwrap().note.unwrap();
    assert!(note.starts_with("greeting 2,") && text().contains("Hey."), "{note} {}", text());
    // the newer file has no greeting with the chosen number
    let note = folder.update(&read("A reef.", &[])).unwrap().note.unwrap();
    assert!(note.contains("usual") && text().contains("Hello, {{user}}."), "{note} {}", text());
    // a choice that comes with the update takes precedence
    let mut chosen = read("A bay.", &["Ahoy.", "Yo."]);
    folder.update(&chosen).unwrap();
    folder.choose_greeting(2).unwrap();
    chosen.character.greeting = Some("Yo.".into());
    assert_eq!(folder.update(&chosen).unwrap().note, None);
    assert!(text().contains("Yo."));
    // a greeting that the user wrote counts as an edit
    std::fs::write(&written.file, text().replace("Yo.", "Mine.")).unwrap();
    assert!(matches!(folder.update(&chosen), Err(FormatError::NotWritable { .. })));
}

#[test]
fn pf4_a_lorebook_is_added_to_a_persona() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("ada.md"), "---\nname: ada\n---\nYou are Ada.\n").unwrap();
    let folder = Folder::of(&home.path().join("ada.md"));
    let (name, bytes) = all().into_iter().find(|(name, _)| *name == "world.json").unwrap();
    let book = detect(name, &bytes).unwrap();
    assert!(folder.add_book(&book).unwrap().file.ends_with("ada/lorebook.json"));
    let same = folder.add_book(&book).unwrap();
    assert!(same.was_there && same.file.ends_with("ada/lorebook.json"), "{same:?}");
    let other = detect("x.json", br#"{"entries":[{"keys":["tea"],"content":"Green."}]}"#).unwrap();
    assert!(folder.add_book(&other).unwrap().file.ends_with("ada/lorebook-2.json"));
    assert_eq!(folder.play().unwrap().unwrap().books.len(), 2);
}

#[test]
fn pf1_a_folder_is_read_with_its_files_and_without_links() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("brad");
    std::fs::create_dir_all(folder.join("memory")).unwrap();
    std::fs::write(folder.join("SOUL.md"), "Be direct.").unwrap();
    std::fs::write(folder.join("memory/2026.md"), "Met Jo.").unwrap();
    std::fs::write(home.path().join("secret.md"), "canary").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.path().join("secret.md"), folder.join("USER.md")).unwrap();
    let imported = Imported::all(read_path(&folder).unwrap()).remove(0);
    assert_eq!((imported.name.as_str(), imported.character.prompt.as_str()), ("brad", "Be direct."));
    assert_eq!(imported.knowledge[0].text, "Met Jo.");
    assert!(!imported.source.to_json().contains("canary"));
    #[cfg(unix)]
    assert!(imported.receipt.iter().any(|it| it.field == "USER.md" && it.reason.starts_with("a link")));
}

#[test]
fn pf1_marks_within_a_name_belong_to_it() {
    let named = |line: &str| {
        let files = vec![greenroom_formats::Asset {
            path: "IDENTITY.md".into(),
            content: format!("# Who\n\n{line}\n").into_bytes(),
        }];
        Imported::all(greenroom_formats::detect_folder("x", files).unwrap()).remove(0).character.display_name
    };
    for line in [
        "- **Name:** snake_case *Bot* 猫",
        "**Name**: snake_case *Bot* 猫",
        "Name: snake_case *Bot* 猫",
        "* __Name:__ snake_case *Bot* 猫",
    ] {
        assert_eq!(named(line), "snake_case *Bot* 猫", "{line}");
    }
    assert_eq!(named("- Name: `memgpt_agent`"), "memgpt_agent");
    assert_eq!(named("- **Name: Ada**"), "Ada");
}

#[test]
fn pf1_a_folder_with_files_of_other_programs_is_imported_without_the_largest() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("brad");
    for (path, size) in [("logs/a.log", 2 << 20), ("video/b.bin", 25 << 20), ("zz/c.md", 10)] {
        std::fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
        std::fs::write(folder.join(path), vec![b'x'; size]).unwrap();
    }
    std::fs::create_dir_all(folder.join("memory")).unwrap();
    std::fs::write(folder.join("SOUL.md"), "Be direct.").unwrap();
    std::fs::write(folder.join("memory/2026.md"), "Met Jo.").unwrap();
    for n in 0..600 {
        std::fs::write(folder.join(format!("zz/{n}.md")), "x").unwrap();
    }
    let source = read_path(&folder).unwrap();
    assert_eq!(is_lossless(source.clone()), Ok(true));
    let imported = Imported::all(source.clone()).remove(0);
    assert_eq!((imported.character.prompt.as_str(), imported.knowledge.len()), ("Be direct.", 1));
    let reason = |field: &str| {
        let line = imported.receipt.iter().find(|line| line.field == field);
        line.unwrap_or_else(|| panic!("{field}")).reason.clone()
    };
    assert!(reason("(104 more files)").contains("more than 500 files"));
    assert!(reason("video/b.bin").contains("larger than 24 MB"));
    assert_eq!(fate(&imported, "logs/a.log"), Fate::Kept);
}

#[test]
fn pf3_a_field_without_effect_is_not_called_effective() {
    let greetings: Vec<String> = (0..1_500).map(|n| format!("Hi {n}.")).collect();
    let card = serde_json::json!({ "spec": "chara_card_v2", "data": { "name": "N", "first_mes": ["hi", "ho"], "description": ["a", "b"],
        "personality": { "a": 1 }, "scenario": "", "world_scenario": "A roof.", "alternate_greetings": greetings, "char_name": "M" } });
    let card = Imported::all(detect("n.json", card.to_string().as_bytes()).unwrap()).remove(0);
    for field in ["first_mes", "description", "personality", "char_name"] {
        assert_eq!(fate(&card, field), Fate::Kept, "{field}");
    }
    assert_eq!(fate(&card, "world_scenario"), Fate::Effective);
    let line = card.receipt.iter().find(|line| line.field == "(alternate_greetings)").unwrap();
    assert!(line.reason.starts_with("the first 100 of 1500 first messages"), "{line:?}");
    let eliza = serde_json::json!({ "name": "E", "bio": { "a": 1 }, "lore": ["x"], "knowledge": [{ "path": "../x.md" }] });
    let eliza = Imported::all(detect("e.json", eliza.to_string().as_bytes()).unwrap()).remove(0);
    assert_eq!(fate(&eliza, "bio"), Fate::Kept);
    assert_eq!(fate(&eliza, "knowledge[0]"), Fate::Refused);
    assert!(eliza.documents.is_empty());
    let agent = Imported::all(
        detect("a.toml", b"name = \"a\"\nprompt = \"One.\"\ninstructions = \"Two.\"\n").unwrap(),
    )
    .remove(0);
    assert_eq!((fate(&agent, "prompt"), agent.character.prompt.as_str()), (Fate::Kept, "Two."));
}

#[test]
fn pf6_knowledge_with_its_text_in_the_file_needs_no_document() {
    let eliza = serde_json::json!({ "name": "E", "bio": "b", "knowledge": [{ "id": "1", "path": "docs/x.md", "content": "Tea is hot." }] });
    let eliza = Imported::all(detect("e.json", eliza.to_string().as_bytes()).unwrap()).remove(0);
    assert_eq!((eliza.knowledge[0].text.as_str(), eliza.documents.len()), ("Tea is hot.", 0));
    assert_eq!(fate(&eliza, "knowledge[0]"), Fate::Effective);
}

#[test]
fn pf1_agents_of_a_file_with_the_same_id_or_none_are_each_a_persona() {
    let agents = serde_json::json!([{ "name": "A" }, { "name": "B" }, { "id": "agent-0", "name": "C" }, { "id": "agent-0", "name": "D" }]);
    let file = serde_json::json!({ "agents": agents, "blocks": [] }).to_string();
    let names: Vec<String> = Imported::all(detect("x.af", file.as_bytes()).unwrap())
        .into_iter()
        .map(|it| it.character.display_name)
        .collect();
    assert_eq!(names, ["A", "B", "C", "D"]);
}

#[test]
fn pf1_a_map_of_yaml_in_one_line_is_no_broken_json() {
    let crew = detect("agents.yaml", b"{a: {role: x, goal: y, backstory: z}}\n").unwrap();
    assert_eq!(crew.format, Format::CrewAi);
}
