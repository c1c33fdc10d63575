//! Small handwritten files, one for each way in which real files violate their specifications.

use serde_json::{Value, json};

/// The name and the bytes of a file.
pub type Sample = (&'static str, Vec<u8>);

fn of(name: &'static str, value: &Value) -> Sample {
    (name, value.to_string().into_bytes())
}

pub fn card_v2() -> Value {
    json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": "Nova", "description": "{{char}} flies a ship.", "personality": "brave", "scenario": "A dock.",
        "first_mes": "Hello, {{user}}.", "mes_example": "<START>\n{{user}}: Where to?\n{{char}}: Out.\n<start>\n{{char}}: Hm.",
        "creator_notes": "A captain\nfor tests", "system_prompt": "{{original}} Be brief.",
        "post_history_instructions": "Stay calm.", "alternate_greetings": ["Ahoy."], "tags": ["space"],
        "creator": "us", "character_version": "1", "extensions": {
            "talkativeness": "0.5", "depth_prompt": { "prompt": "Fuel is low.", "depth": 2, "role": "system" }, "other": { "x": [1, null] }
        },
        "character_book": { "name": "Ship", "extensions": {}, "entries": [
            { "keys": ["engine"], "content": "It hums.", "extensions": {}, "enabled": true, "insertion_order": 10 }
        ]},
        "unheard_of": { "kept": true }
    }})
}

/// All samples that import without an error.
pub fn all() -> Vec<Sample> {
    let v1 = json!({ "name": "Old", "description": "d", "personality": "", "scenario": "", "first_mes": "Hi", "mes_example": "", "metadata": { "tool": "x" } });
    let mut loose = card_v2();
    loose["data"]["alternate_greetings"] = "only one".into();
    loose["data"]["character_book"] = Value::Null;
    loose["data"]["tags"] = "".into();
    let mut newer = card_v2();
    newer["spec"] = "chara_card_v3".into();
    newer["spec_version"] = "3.7".into();
    newer["data"]["nickname"] = "Cap".into();
    newer["data"]["character_book"]["entries"][0]["insertion_order"] = "".into();
    let letta = json!({
        "agents": [
            { "id": "agent-0", "name": "clerk", "system": "You answer.", "block_ids": ["block-0", "block-1"], "secrets": { "KEY": "canary" }, "messages": [] },
            { "id": "agent-1", "name": "other", "system": "You too.", "block_ids": [] }
        ],
        "blocks": [
            { "id": "block-0", "label": "persona", "value": "I am kind.", "limit": 100 },
            { "id": "block-1", "label": "human", "value": "Mia likes tea.", "limit": 100 }
        ],
        "tools": [{ "id": "tool-0", "name": "run", "source_code": "import os" }], "files": [], "groups": []
    });
    vec![
        of("v1.json", &v1),
        of("ch_name.json", &json!({ "ch_name": "Ren", "description": "d", "first_mes": "Hi" })),
        of("nameless.json", &json!({ "spec": "chara_card_v2", "data": { "name": "", "description": "d" } })),
        of("v2.json", &card_v2()),
        of("loose.json", &loose),
        of("v3.json", &newer),
        of("eliza.json", &json!({
            "name": "Ada", "bio": "An engineer.", "lore": ["Born at sea."], "clients": ["x"], "modelProvider": "y",
            "messageExamples": [[{ "user": "{{user1}}", "content": { "text": "Hi {{user1}}", "action": "WAVE" } }, { "user": "Ada", "content": { "text": "Hello" } }]],
            "postExamples": [], "topics": ["boats"], "adjectives": ["calm"], "style": { "all": ["short"], "chat": [], "post": ["loud"] },
            "knowledge": ["Boats float.", { "path": "docs/boats.md" }, { "directory": "docs" }],
            "settings": { "secrets": { "TOKEN": "canary" }, "voice": { "model": "z" }, "API_KEY": "canary-canary" }, "secrets": {},
            "templates": { "x": "{{#each}}" }, "plugins": ["p"]
        })),
        of("eliza-odd.json", &json!({
            "name": "Cy", "bio": ["One.", "Two\n\nlines."], "lore": "Born at sea.", "system": "You are Cy.", "adjectives": [""],
            "topics": ["", "boats", "tea, cups"], "style": { "all": ["short", ""], "chat": ["warm", "friendly"], "post": [] }
        })),
        of("eliza-new.json", &json!({
            "name": "Bo", "bio": ["One.", "Two."], "system": "You are Bo.",
            "messageExamples": [{ "examples": [{ "name": "{{name1}}", "content": { "text": "Hi" } }, { "name": "Bo", "content": { "text": "Yo" } }] }]
        })),
        of("agent.af", &letta),
        of("twice.af", &Value::String(letta.to_string())),
        of("soul.json", &json!({ "specVersion": "0.5", "name": "brad", "displayName": "Brad", "description": "Direct.", "files": { "soul": "SOUL.md" } })),
        of("tree.json", &json!({
            "@context": {}, "standard": { "protocol": "AIEOS" }, "identity": { "names": { "first": "Elara", "last": "V" } },
            "psychology": { "traits": { "mbti": "INFJ" }, "core_values": ["peace"] }, "history": { "key_life_events": [{ "year": 2015, "event": "moved" }] }
        })),
        ("SOUL.md", b"Be kind.\n\n<!-- blank template -->\n".to_vec()),
        ("agent.md", b"---\nname: Code Reviewer\ndescription: \"Reads: code\"\ntools: Read, Write\ncolour: red\n---\n\nYou review.\n".to_vec()),
        ("broken.md", b"---\nname: planner\ndescription: **Plans** things: first\ntools: [a\n---\nYou plan.\n".to_vec()),
        ("nameless.md", b"---\ndescription: x\r\nmodel: inherit\r\n---\r\nYou do.\r\n".to_vec()),
        ("reviewer.toml", b"# a comment\nmodel = \"m\"\nsandbox_mode = \"read-only\"\ndeveloper_instructions = \"\"\"\nReview.\n\"\"\"\n".to_vec()),
        ("agents.yaml", b"researcher:\n  role: >\n    Senior researcher\n  goal: Find out\n  backstory: Curious.\nwriter:\n  role: Writer\n  goal: Write\n  backstory: Fast.\n".to_vec()),
        of("world.json", &json!({ "entries": { "0": { "uid": "x", "key": ["a"], "keysecondary": [], "content": "b", "order": 100, "disable": false } } })),
        of("list.json", &json!({ "name": "L", "entries": [{ "keys": ["a"], "content": "b", "position": "after_char" }] })),
        of("book.json", &json!({ "spec": "lorebook_v3", "data": { "entries": [] } })),
        ("controls.json", b"{\"name\":\"Ctl\",\"first_mes\":\"a\nb\tc\"}".to_vec()),
        of("novel.lorebook", &json!({ "lorebookVersion": 5, "categories": [{ "id": "c", "enabled": false }], "entries": [
            { "text": "b", "displayName": "A", "keys": ["a", "/c/i"], "contextConfig": { "prefix": "[", "suffix": "]", "budgetPriority": 400 }, "enabled": true, "forceActivation": false, "nonStoryActivatable": true, "category": "c" }
        ] })),
        of("memory.json", &json!({ "kind": "memory", "name": "M", "entries": [{ "name": "a", "entry": "b", "keywords": ["c"], "weight": 1, "priority": 2, "enabled": true, "secondaryKeys": ["d"], "selective": true }] })),
        of("risu.json", &json!({ "type": "risu", "ver": 1, "data": [{ "key": "a, /b{1,2}/", "comment": "c", "content": "@@probability 50\nd", "mode": "normal", "insertorder": 100, "alwaysActive": false, "secondkey": "e", "selective": true, "useRegex": true }] })),
        of("agnai.json", &json!({ "kind": "character", "name": "Og", "greeting": "Hi", "persona": { "kind": "wpp", "attributes": { "mind": ["calm", "kind"] } }, "sampleChat": "{{char}}: Yes.", "alternateGreetings": ["Yo"] })),
        ("bom.json", "\u{feff}{\"name\":\"Bom\",\"first_mes\":\"a\"}".as_bytes().to_vec()),
    ]
}

/// A zip archive of these files.
pub fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, content) in files {
        archive.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Archives: `.charx`, `.byaf` and a packed folder.
pub fn archives() -> Vec<Sample> {
    let mut card = card_v2();
    card["spec"] = "chara_card_v3".into();
    card["data"]["assets"] =
        json!([{ "type": "icon", "uri": "embeded://assets/a.png", "name": "main", "ext": "png" }]);
    let card = card.to_string();
    let byaf = json!({ "author": {}, "characters": ["characters/c.json"], "scenarios": ["scenarios/s.json", "scenarios/t.json"] }).to_string();
    let character = json!({ "name": "B", "displayName": "Bee", "persona": "{character} buzzes at {user}.", "loreItems": [{ "key": "hive, wax", "value": "Home of {character}." }], "images": [] }).to_string();
    let scene = json!({ "narrative": "A garden.", "firstMessages": [{ "text": "Bzz {user}." }], "exampleMessages": [{ "text": "#{user}: hi" }, { "text": "#{character}: bzz" }] }).to_string();
    let other = json!({ "firstMessages": [{ "text": "Again." }] }).to_string();
    vec![
        (
            "nova.charx",
            zipped(&[
                ("card.json", card.as_bytes()),
                ("assets/a.png", b"\x89PNG\r\n\x1a\n"),
                ("assets/more.bin", &[0, 159]),
            ]),
        ),
        (
            "bee.byaf",
            zipped(&[
                ("manifest.json", byaf.as_bytes()),
                ("characters/c.json", character.as_bytes()),
                ("scenarios/s.json", scene.as_bytes()),
                ("scenarios/t.json", other.as_bytes()),
            ]),
        ),
        (
            "pack.zip",
            zipped(&[
                ("ada/SOUL.md", b"# Soul\n"),
                ("ada/IDENTITY.md", b"- **Name:** Ada\n"),
                ("ada/MEMORY.md", b"Boats float.\n\nTea is hot.\n"),
            ]),
        ),
    ]
}

/// A PNG picture without pixels, with these text chunks.
pub fn picture(texts: &[(&str, &str)]) -> Vec<u8> {
    let chunk =
        |kind: &[u8], data: &[u8]| [&(data.len() as u32).to_be_bytes()[..], kind, data, &[0; 4]].concat();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (keyword, text) in texts {
        bytes.extend(chunk(b"tEXt", &[keyword.as_bytes(), b"\0", text.as_bytes()].concat()));
    }
    bytes.extend(chunk(b"IEND", b""));
    bytes
}
