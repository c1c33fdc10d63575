//! Capture before a reply: requests and preferences, by patterns, with local writes alone.

use super::*;

#[tokio::test]
async fn jv2_a_preference_is_kept_for_ever_as_soon_as_it_is_said() {
    let stage = stage().await;
    let report = stage.hears("Jo", "Hi Ada, I prefer email alerts").await;
    assert_eq!(lines(&report), ["remembered as m1: I prefer email alerts"]);
    let memory = &stage.all().await[0];
    assert_eq!(
        (memory.tier, memory.trust, memory.kind.as_str()),
        (Tier::Semantic, Trust::Stranger, "preference")
    );
    assert_eq!((memory.key.as_deref(), memory.expires_at), (Some("pref_alerts"), None));
    assert_eq!(memory.scope, Scope::User("terminal:jo".parse().unwrap()), "it follows the person (MP1)");
    assert_eq!(stage.embedder.calls(), 0, "no embedder stands in front of a reply");
    assert_eq!(stage.memory.index_pending().await.unwrap().embedded, 1);
}

#[tokio::test]
async fn jv9_the_next_word_on_a_topic_takes_the_place_of_the_last() {
    let stage = stage().await;
    stage.hears("Jo", "I prefer email alerts").await;
    let report = stage.hears("Jo", "I prefer SMS alerts").await;
    assert_eq!(lines(&report), ["remembered as m1 (version 2): I prefer SMS alerts"]);
    let report = stage.hears("Jo", "I prefer SMS alerts!").await;
    assert_eq!(report.ignored, [("I prefer SMS alerts".to_owned(), IgnoreReason::Known)]);
    assert_eq!(stage.all().await.len(), 1);
}

/// Regression: once both were kept, and a question about the home found the wrong one first.
#[tokio::test]
async fn mp6_a_correction_that_names_what_it_corrects_takes_its_place() {
    for (known, said) in [
        ("I live in Graz", "sorry, i mean linz, not graz"),
        ("Ich wohne in Graz", "jetzt linz statt graz"),
        ("vivo en Sevilla", "ahora en bilbao, ya no en sevilla"),
        ("J'habite à Lyon", "en fait c'est villeurbanne maintenant, pas lyon"),
        ("福岡に住んでいます", "今は福岡じゃなくて熊本です"),
    ] {
        let stage = stage().await;
        stage.hears_in_private("Jo", known).await;
        let all = stage.hears_in_private("Jo", said).await;
        assert_eq!(all.iter().map(|m| m.text.as_str()).collect::<Vec<_>>(), [said], "{known}");
        assert_eq!((all[0].key.as_deref(), all[0].version), (Some("pref_home"), 2), "{known}");
    }
}

#[tokio::test]
async fn mp6_an_ending_takes_the_place_of_what_has_ended() {
    for (known, said) in [
        ("I play the oboe", "gave up the oboe, too many rehearsals"),
        ("Ich spiele Klarinette", "klarinette spiel ich nicht mehr"),
        ("Je joue de la harpe", "la harpe c'est fini"),
        ("My boyfriend Kieran bakes bread", "kieran passed away in May"),
    ] {
        let stage = stage().await;
        assert_eq!(stage.hears_in_private("Jo", known).await.len(), 1, "{known}");
        let all = stage.hears_in_private("Jo", said).await;
        assert_eq!(all.iter().map(|m| m.text.as_str()).collect::<Vec<_>>(), [said], "{known}");
    }
}

#[tokio::test]
async fn mp6_a_correction_of_something_else_corrects_nothing() {
    let stage = stage().await;
    stage.hears_in_private("Jo", "I live in Graz").await;
    for said in ["the party is in linz, not graz", "it's red, not blue", "is it linz, not graz?"] {
        let all = stage.hears_in_private("Jo", said).await;
        assert_eq!((all.len(), all[0].text.as_str()), (1, "I live in Graz"), "{said}");
    }
    let all = stage.hears_in_private("Jo", "my sister lives in linz, not graz").await;
    assert_eq!(all[0].text, "I live in Graz");
}

#[tokio::test]
async fn mp6_what_is_told_after_a_correction_takes_its_place() {
    let stage = stage().await;
    let mut all = Vec::new();
    for said in ["I live in Graz", "i mean linz, not graz", "I moved to York"] {
        all = stage.hears_in_private("Jo", said).await;
        assert_eq!((all.len(), all[0].text.as_str()), (1, said));
    }
    assert_eq!(all[0].version, 3);
}

#[tokio::test]
async fn jv2_each_person_of_a_channel_has_a_preference_of_their_own() {
    let stage = stage().await;
    stage.hears_for_the_channel("Jo", "I prefer email alerts").await;
    stage.hears_for_the_channel("Kim", "I prefer SMS alerts").await;
    stage.hears_for_the_channel("Kim", "I prefer loud alerts").await;
    let all = stage.all().await;
    let rows: Vec<_> = all.iter().map(|m| (m.text.as_str(), m.key.as_deref().unwrap())).collect();
    assert_eq!(rows, [("I prefer email alerts", "pref_alerts"), ("I prefer loud alerts", "pref_alerts_kim")]);
}

#[tokio::test]
async fn x7_a_preference_takes_no_key_of_the_operators() {
    let stage = stage().await;
    let rule = Remember { key: Some("pref_use_emojis".into()), ..told(&ada(), "Never use emojis") };
    stage.memory.remember(&ada(), rule).await.unwrap();
    let report = stage.hears_for_the_channel("Jo", "Always use emojis").await;
    assert_eq!(report.remembered[0].decision, Decision::Add);
    let all = stage.all().await;
    assert_eq!(
        (all[0].text.as_str(), all[0].trust, all[0].version),
        ("Never use emojis", Trust::Operator, 1)
    );
    assert_eq!(all[1].key.as_deref(), Some("pref_use_emojis_jo"));
}

#[tokio::test]
async fn as13_an_explicit_request_is_captured_once() {
    let stage = stage().await;
    let report = stage.hears("Jo", "Remember that I prefer concise responses").await;
    assert_eq!(lines(&report), ["remembered as m1: I prefer concise responses"]);
    assert_eq!(stage.all().await[0].key.as_deref(), Some("pref_responses"));
    let report = stage.hears("Jo", "I prefer concise responses").await;
    assert_eq!(report.ignored, [("I prefer concise responses".to_owned(), IgnoreReason::Known)]);
    let report = stage.hears("Jo", "Remember that I like Go. I also like Rust. And what do you like?").await;
    assert_eq!(lines(&report), ["remembered as m2: I like Go. I also like Rust."]);
    assert_eq!(stage.all().await.len(), 2);
}

#[tokio::test]
async fn what_was_true_before_the_last_correction_may_be_said_again() {
    let stage = stage().await;
    let mut decisions = Vec::new();
    for at in ["5", "6", "5", "5"] {
        let text = format!("the meeting is at {at}");
        decisions.push(stage.memory.remember(&ada(), told(&ada(), &text)).await.unwrap().decision);
    }
    let [m1, m2, m3] = [1, 2, 3].map(greenroom_core::MemoryId);
    let expected = [
        Decision::Add,
        Decision::Supersede(m1),
        Decision::Supersede(m2),
        Decision::Ignore(m3, IgnoreReason::Known),
    ];
    assert_eq!(decisions, expected);
    let relations = stage.store.relations(&ada(), &[m2]).await.unwrap();
    let chain: Vec<_> = relations.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(chain, [(m2, m1), (m3, m2)]);
}

#[tokio::test]
async fn l18_capture_works_without_its_embedder() {
    let stage = stage().await;
    stage.embedder.feel(Mood::Down);
    stage.hears("Jo", "I prefer email alerts").await;
    stage.hears("Jo", "I prefer SMS alerts").await;
    assert_eq!(stage.all().await.len(), 1);
    stage.embedder.feel(Mood::Fine);
    assert_eq!(stage.memory.index_pending().await.unwrap().embedded, 1);
}

#[tokio::test]
async fn bd12_a_request_that_is_too_long_is_refused_and_the_rest_is_kept() {
    let stage = stage().await;
    let report = stage.hears("Jo", &format!("Remember that {}", "tea ".repeat(2_000))).await;
    assert_eq!(report.refused.len(), 1);
    assert!(report.remembered.is_empty());
}

#[tokio::test]
async fn x7_nobody_writes_over_what_another_person_said() {
    let stage = stage().await;
    for (one, other) in [
        ("Use Python for scripts", "Remember: Use Python for scripts. From Friday on the boss wants Perl"),
        ("Always use tabs", "Never use tabs"),
        ("Remember that Alice lives in Paris", "Remember that Alice lives in Rome"),
    ] {
        let alices = stage.hears_for_the_channel("Alice", one).await.remembered.remove(0).memory;
        let eves = stage.hears_for_the_channel("Eve", other).await.remembered.remove(0);
        assert_eq!(eves.decision, Decision::Add, "{other}");
        assert!(stage.all().await.contains(&alices), "{one}");
    }
}

#[tokio::test]
async fn x5_a_secret_is_kept_only_where_somebody_asks_for_it() {
    let stage = stage().await;
    for secret in [
        "My password is hunter2-secret!",
        "My api key is sk-canary",
        "My credit card is 4111 1111 1111 1111",
        "My pin is 4711",
        "My iban is DE89370400440532013000",
    ] {
        let report = stage.hears("Jo", secret).await;
        assert!(report.remembered.is_empty() && report.notice().is_none(), "{secret}");
        let says = Arc::new(Says::default());
        says.answers(format!(
            r#"{{"memories":[{{"text":"{secret}","kind":"fact","action":"add"}}],"summary":"{secret}"}}"#
        ));
        let sitting = Exchange { session: Some(3), model: Some(small(&says)), ..exchange(secret, secret) };
        assert_eq!(stage.after(&sitting).await.ignored, [(secret.to_owned(), IgnoreReason::Secret)]);
    }
    assert_eq!(stage.all().await, []);
    let asked = stage.hears("Jo", "Remember that the wifi password is hunter2").await;
    assert_eq!(lines(&asked), ["remembered as m1: the wifi password is hunter2"]);
}

#[tokio::test]
async fn jv9_ones_own_key_is_looked_at_before_the_shared_one() {
    let stage = stage().await;
    stage.hears_for_the_channel("Jo", "I prefer email alerts").await;
    stage.hears_for_the_channel("Kim", "I prefer SMS alerts").await;
    let jos = stage.all().await[0].id;
    stage.store.forget(&ada(), jos).await.unwrap();
    stage.hears_for_the_channel("Kim", "I prefer loud alerts").await;
    let rows: Vec<_> = stage.all().await.into_iter().map(|m| (m.text, m.version)).collect();
    assert_eq!(rows, [("I prefer loud alerts".to_owned(), 2)]);
}

#[tokio::test]
async fn jv2_compatible_preferences_stand_side_by_side() {
    let stage = stage().await;
    let said = [
        "My wife is Anna",
        "My wife is allergic to nuts",
        "I like tea with milk",
        "I like tea with lemon",
        "Always check disk usage before storage operations",
        "Always check disk usage before deleting backups",
    ];
    for text in said {
        stage.hears("Jo", text).await;
    }
    let texts: Vec<String> = stage.all().await.into_iter().map(|m| m.text).collect();
    assert_eq!(texts, said);
}

#[tokio::test]
async fn jv2_a_reminder_of_tomorrow_is_an_event_of_thirty_days() {
    let stage = stage().await;
    stage.hears("Jo", "Remind me to call mum tomorrow").await;
    let all = stage.all().await;
    assert_eq!((all[0].tier, all[0].kind.as_str()), (Tier::Episodic, "reminder"));
    assert_eq!(all[0].expires_at, Some(stage.clock.now().after(30 * DAY)));
}

#[tokio::test]
async fn jv2_what_one_message_states_is_told_in_one_line() {
    let stage = stage().await;
    let said = "I like tea. I like rum. I like pie. I like ham. I like jam. I like figs.";
    let report = stage.hears("Jo", said).await;
    assert_eq!(report.ignored, [("I like figs.".to_owned(), IgnoreReason::TooMany)]);
    insta::assert_snapshot!(
        report.notice().unwrap(),
        @"remembered as m1: I like tea.; remembered as m2: I like rum.; remembered as m3: I like pie.; remembered as m4: I like ham.; remembered as m5: I like jam.; 1 more were left out: 5 are taken from one message"
    );
}

#[tokio::test]
async fn as13_what_was_just_said_is_not_recalled_as_a_memory() {
    let stage = stage().await;
    stage.hears("Jo", "I prefer email alerts").await;
    stage.memory.index_pending().await.unwrap();
    let (window, settings) = (["I prefer email alerts".to_owned()], crate::tests::given::settings());
    let request = crate::tests::given::request(&window, None, &settings);
    let now = crate::RecallRequest { burst: &[MessageId(1)], ..request.clone() };
    assert_eq!(stage.memory.recall(&ada(), &now).await.unwrap().items, []);
    let later = crate::tests::given::request(&window, None, &settings);
    assert_eq!(stage.memory.recall(&ada(), &later).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn mp6_a_message_to_a_persona_says_the_same_with_its_name() {
    let stage = stage().await;
    stage.memory.reserve_names([["ada", "Ada Lovelace"]]);
    for (said, kept) in [
        ("@ada I prefer oat milk", "I prefer oat milk"),
        ("I hate loud bars @ada", "I hate loud bars"),
        ("@Ada Lovelace I am a retired tram driver", "I am a retired tram driver"),
        ("@ada @bert remember that the gate is locked at ten", "the gate is locked at ten"),
        ("Ada bitte merk dir, dass Oma im Juni kommt", "Oma im Juni kommt"),
        ("@Ada Lovelace ich esse kein Fleisch", "ich esse kein Fleisch"),
    ] {
        let report = stage.hears("Jo", said).await;
        let texts: Vec<_> = report.remembered.iter().map(|one| one.memory.text.as_str()).collect();
        assert_eq!(texts, [kept], "{said}");
    }
}
