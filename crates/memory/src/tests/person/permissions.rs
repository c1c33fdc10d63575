//! Permissions (MP1): a person lets others know what they told one to one, and takes that back.

use super::*;

#[tokio::test]
async fn mp1_a_person_lets_others_know_in_words() {
    let stage = stage().await;
    stage.jo_says(DM, "Remember that I am allergic to walnuts").await;
    stage.jo_says(DM, "Remember that I dislike Dee").await;
    let report = stage.jo_says(DM, "You may tell the others.").await;
    assert_eq!(report.notice().unwrap(), "others may know m2: I dislike Dee");
    assert_eq!(stage.known(&in_group()).await, ["I dislike Dee"], "of the last message alone");
    let report = stage.jo_says(DM, "Remember that I moved to Kiel, you can tell everyone").await;
    assert_eq!(report.remembered.len(), 1);
    assert_eq!(stage.known(&in_group()).await.len(), 2);
    stage.jo_says(DM, "Remember that I live in Voss").await;
    for other in [
        "you may tell the others that the party is on Friday",
        "You may tell Ebba that I am late",
        "The doctor said you may tell the others.",
    ] {
        stage.jo_says(DM, "Remember that I live in Voss").await;
        stage.jo_says(DM, other).await;
        assert_eq!(stage.known(&in_group()).await.len(), 2, "{other}");
    }
    // in the group it opens nothing
    stage.jo_says(GROUP, "You may tell the others.").await;
    assert_eq!(stage.known(&in_group()).await.len(), 2);
}

#[tokio::test]
async fn mp1_what_a_person_lets_others_know_is_what_they_name_and_is_taken_back_in_words() {
    let stage = stage().await;
    stage.jo_says(DM, "Remember that I am allergic to walnuts").await;
    let report = stage.jo_says(DM, "You may tell the others that I live in Voss").await;
    assert_eq!(report.remembered.len(), 1);
    assert_eq!(stage.known(&in_group()).await, ["I live in Voss"]);
    let report = stage.jo_says(DM, "No wait, don't tell anyone!").await;
    assert_eq!(
        report.notice().unwrap(),
        "m2 is between us again, but for those who heard it: I live in Voss"
    );
    assert_eq!(stage.known(&in_group()).await, Vec::<String>::new());
    assert_eq!(stage.jo_says(DM, "Keep that secret").await.notice(), None, "nothing is open");
    stage.jo_says(DM, "Remember that I dislike Dee").await;
    stage.jo_says(DM, "You may tell the others.").await;
    stage.jo_says(DM, "I prefer green tea, keep that between us").await;
    assert_eq!(stage.known(&in_group()).await, ["I dislike Dee"], "this text speaks of itself");
    stage.jo_says(DM, "Behalt das für dich").await;
    assert_eq!(stage.known(&in_group()).await, Vec::<String>::new(), "what was opened last");
    assert_eq!(stage.known(&alone()).await.len(), 4);
}

/// A person must know whether others know: a permission without effect is reported.
/// Right after a permission a doubt closes again, in whatever words; closing is the safe mistake.
#[tokio::test]
async fn mp1_a_permission_is_taken_back_by_what_may_mean_that() {
    for withdrawal in [
        "dont save that, keep it secret",
        "forget i said that",
        "hm rather not",
        "vergiss was ich gesagt hab, behalt es für dich",
        "besser doch noch nichts sagen",
        "mejor no digas nada todavía",
        "finalement ne dis rien pour l'instant",
        "さっきのことは忘れて、誰にも言わないで",
        "二人だけの秘密で",
    ] {
        let stage = stage().await;
        stage.jo_says(DM, "I'm allergic to nuts.").await;
        stage.jo_says(DM, "You may tell the others.").await;
        assert_eq!(stage.kept(&in_group()).await.len(), 1);
        stage.jo_says(DM, withdrawal).await;
        assert_eq!(stage.kept(&in_group()).await, [], "{withdrawal}");
        assert_eq!(stage.kept(&alone()).await.len(), 1, "{withdrawal}");
    }
}

/// The person may answer the persona's own question.
#[tokio::test]
async fn mp1_a_yes_to_another_question_of_the_persona_opens_nothing() {
    let stage = stage().await;
    stage.jo_says(DM, "I'm allergic to nuts.").await;
    stage.ada_says(DM, "Noted. Shall I tell the others that the quiz is at seven?").await;
    let report = stage.jo_says(DM, "Yes, you can tell them.").await;
    assert_eq!(stage.kept(&in_group()).await, []);
    assert!(report.notice().unwrap().contains("it is not certain"), "{report:?}");
}

#[tokio::test]
async fn mp1_a_permission_that_opens_nothing_says_so() {
    let stage = stage().await;
    stage.jo_says(DM, "Remember that I am allergic to walnuts").await;
    let report = stage.jo_says(DM, "If they ask, you may tell the others").await;
    assert!(report.notice().unwrap().starts_with("nothing was opened by this"));
    stage.jo_says(DM, "What a day").await;
    let report = stage.jo_says(DM, "You may tell the others").await;
    assert!(report.notice().unwrap().starts_with("nothing was opened"), "the message before told nothing");
    let report = stage.jo_says(DM, "The weather is fine, you may tell the others").await;
    assert!(report.notice().unwrap().starts_with("nothing was opened"), "nor does this");
    assert_eq!(stage.known(&in_group()).await, Vec::<String>::new());
    // the remedy in the notice works
    stage.jo_says(DM, "Remember that I dislike Dee").await;
    stage.jo_says(DM, "You may tell everyone whom I dislike").await;
    stage.jo_says(DM, "You may tell the others").await;
    assert_eq!(stage.known(&in_group()).await, ["I dislike Dee"]);
}

/// Opening a sentence opens no other sentence, and a withdrawal closes only what it names.
#[tokio::test]
async fn mp1_what_is_opened_and_closed_is_what_the_words_name() {
    let stage = stage().await;
    stage.jo_says(DM, "I live in Girvan, you can tell everyone. I prefer green tea.").await;
    assert_eq!(stage.known(&in_group()).await, ["I live in Girvan"]);
    assert_eq!(stage.known(&alone()).await.len(), 2);
    stage.jo_says(DM, "Remember that I am allergic to celery").await;
    stage.jo_says(DM, "You may tell the others").await;
    stage.jo_says(DM, "don't tell anyone that I live in Girvan").await;
    assert_eq!(stage.known(&in_group()).await, ["I am allergic to celery"]);
    let report = stage.jo_says(DM, "That is confidential").await;
    assert!(report.notice().unwrap().starts_with("others may know"), "{report:?}");
    stage.jo_says(DM, "don't tell anyone what I must not eat").await;
    assert_eq!(stage.known(&in_group()).await, Vec::<String>::new(), "in other words");
    assert_eq!(stage.jo_says(DM, "That is confidential").await.notice(), None, "nothing is open");
}

/// Repeated in another chat, it is the same fact.
#[tokio::test]
async fn mp1_a_permission_opens_what_was_told_before_it_where_that_was_known_already() {
    let stage = stage().await;
    stage.jo_says("discord:dm2", "I live in Girvan").await;
    stage.jo_says(DM, "I live in Girvan").await;
    let report = stage.jo_says(DM, "You may tell the others").await;
    assert_eq!(report.notice().unwrap(), "others may know m1: I live in Girvan");
    let report = stage.jo_says(DM, "I prefer green tea, it's no secret").await;
    assert_eq!(
        report.notice().unwrap(),
        "remembered as m2: I prefer green tea; others may know m2: I prefer green tea"
    );
    assert_eq!(stage.known(&in_group()).await.len(), 2);
}

/// An edit withdraws the permission.
#[tokio::test]
async fn mp1_a_permission_that_is_edited_away_opens_nothing_any_more() {
    let stage = stage().await;
    stage.jo_says(DM, "I live in Voss").await;
    stage.jo_says(DM, "You may tell the others").await;
    let said = stage.store.page(&DM.parse().unwrap(), None, 10).await.unwrap();
    stage.memory.revoke(&alone(), &said[0]).await.unwrap();
    assert_eq!(stage.known(&in_group()).await, ["I live in Voss"], "this message opened nothing");
    stage.memory.revoke(&alone(), &said[1]).await.unwrap();
    assert_eq!(stage.known(&in_group()).await, Vec::<String>::new());
    // what was said in the group stays known there
    stage.jo_says(GROUP, "I prefer green tea").await;
    stage.jo_says(DM, "I prefer green tea").await;
    stage.jo_says(DM, "You may tell the others").await;
    let said = stage.store.page(&DM.parse().unwrap(), None, 10).await.unwrap();
    stage.memory.revoke(&alone(), &said[3]).await.unwrap();
    assert_eq!(stage.known(&in_group()).await, ["I prefer green tea"]);
}
