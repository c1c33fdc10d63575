//! Credentials never reach the disk (PF3, X5).

use greenroom_formats::{detect, is_lossless};

use crate::samples::{card_v2, picture, zipped};

#[test]
fn pf3_files_of_folders_and_archives_are_searched_for_credentials() {
    let secret = "sk-canary-canary-canary";
    let settings = br#"{ "db": { "password": "canary-1234" }, "model": "small-model" }"#;
    let key = b"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiGcanary0123456789abcdefghijklmnop\n-----END PRIVATE KEY-----\n";
    let latin = [b"Caf\xe9 ".as_slice(), secret.as_bytes()].concat();
    let big = format!("{}{secret}", "log line\n".repeat(150_000));
    let card = card_v2().to_string();
    let archives = [
        (
            "a.zip",
            zipped(&[
                ("SOUL.md", &b"Be kind. My key is canary-1234."[..]),
                (".env", b"DB_PASSWORD=canary-5678\n"),
                ("notes/setup.md", secret.as_bytes()),
                ("config.json", settings),
                ("id.pem", key),
                ("latin.txt", &latin),
                ("big.log", big.as_bytes()),
            ]),
        ),
        (
            "a.charx",
            zipped(&[
                ("card.json", card.as_bytes()),
                ("assets/readme.txt", secret.as_bytes()),
                ("assets/k.pem", key),
            ]),
        ),
    ];
    for ((name, bytes), places) in archives.into_iter().zip([6, 2]) {
        let source = detect(name, &bytes).unwrap();
        assert_eq!(source.removed.len(), places, "{:?}", source.removed);
        let assets = source.assets.iter().map(|asset| String::from_utf8_lossy(&asset.content).into_owned());
        let all = assets.chain([source.to_json()]).collect::<Vec<_>>().concat();
        assert!(!all.contains("canary"), "{name}: {}", &all[all.find("canary").unwrap() - 20..]);
        assert!(name != "a.zip" || all.contains("small-model"));
        assert_eq!(is_lossless(source.clone()), Ok(true), "{name}");
    }
}

#[test]
fn pf3_the_texts_of_a_picture_are_searched_for_credentials() {
    let secret = "sk-canary-canary-canary";
    let card = card_v2().to_string();
    let picture =
        picture(&[("parameters", &format!("steps: 20, key {secret}")), ("Title", "Nova"), ("chara", &card)]);
    let source = detect("nova.png", &picture).unwrap();
    let kept = source.picture.clone().unwrap();
    let holds = |text: &str| kept.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("Title") && !holds("canary"));
    assert_eq!(source.removed, ["(picture)"]);
    assert_eq!(is_lossless(source.clone()), Ok(true));

    // a picture inside an archive, with its own card
    let mut other = card_v2();
    other["data"]["extensions"]["api_key"] = "canary-1234".into();
    let inner = self::picture(&[("chara", &other.to_string())]);
    let archive = zipped(&[("card.json", card.as_bytes()), ("assets/a.png", &inner)]);
    let source = detect("nova.charx", &archive).unwrap();
    assert_eq!(source.removed, ["assets/a.png", "(picture)"]);
    assert!(!String::from_utf8_lossy(&source.assets[0].content).contains("chara"));
}
