//! Tests of what only Telegram has: offsets, topics, markup, groups that change their id.

use std::time::Duration;

use greenroom_adapters::{Ended, Event, Outcome, Place, Post, Request};
use greenroom_platform_fakes::CallFault;

use crate::stage::{Connected, OnTelegram, Stage, broken, face, message, messages, online, recorder, within};

#[tokio::test]
async fn ad3_an_update_is_confirmed_only_after_it_is_stored() {
    let (stage, recorder) = (OnTelegram::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    recorder.fail(true);
    stage.say("one");
    broken(&recorder).await;
    assert_eq!(stage.fake.unconfirmed(), 1);
    recorder.fail(false);
    within(stage.fake.wait_for_confirmation()).await;
    assert_eq!(recorder.texts(), ["one"]);
    // the response with the update is lost, so Telegram sends the update again
    stage.faults().next_call("getUpdates", CallFault::LoseAnswer);
    stage.say("two");
    within(recorder.until(|recorder| recorder.texts().len() == 2)).await;
    adapter.kill().await;
}

#[tokio::test]
async fn ad5_a_second_program_with_the_same_token_is_named() {
    let (stage, recorder) = (OnTelegram::open().await, recorder());
    let adapter = stage.account().adapter().unwrap();
    let other = stage.account().adapter().unwrap();
    let run = tokio::spawn({
        let recorder = recorder.clone();
        async move { adapter.run(recorder.as_ref()).await }
    });
    online(&recorder).await;
    let second = tokio::spawn(async move { other.run(crate::stage::recorder().as_ref()).await });
    let Ended::Broken(why) = within(run).await.unwrap() else { panic!("not broken") };
    assert!(why.contains("another program gets the messages"), "{why}");
    second.abort();
}

#[tokio::test]
async fn ad2_topics_replies_photographs_and_people() {
    let (stage, recorder) = (OnTelegram::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let (fake, jo) = (&stage.fake, stage.person);
    let forum = fake.forum("Forum");
    let topic = fake.topic(forum, jo, "aside");
    fake.say_in(forum, topic, jo, "in the topic");
    let first = fake.say(stage.chat, jo, "first");
    fake.reply(stage.chat, jo, "@Troupe_bot look", first);
    fake.photo(stage.chat, jo, "a cat");
    fake.join(stage.chat, jo);
    fake.leave(stage.chat, jo);
    fake.say(jo, jo, "between us");
    within(recorder.until(|recorder| recorder.texts().len() == 5)).await;
    let messages = messages(&recorder);
    let aside = Place::thread(format!("one/{forum}"), topic.to_string());
    assert_eq!(messages[0].place, aside);
    assert_eq!((messages[2].reply_to.clone(), messages[2].addressed), (Some(first.to_string()), true));
    assert_eq!(messages[3].attachments[0].media_type.as_deref(), Some("image/jpeg"));
    assert!(messages[4].addressed && !messages[4].group);
    let come_and_gone = recorder
        .events()
        .into_iter()
        .filter(|event| matches!(event, Event::Joined { .. } | Event::Left { .. }));
    assert_eq!(come_and_gone.count(), 2);

    let post = Post { reply_to: Some(first.to_string()), ..message(&stage.place(), "<b>yes</b>", "1") };
    assert!(matches!(adapter.adapter.perform(Request::Post(post)).await, Outcome::Done { .. }));
    assert!(matches!(adapter.post(&aside, "there", "2").await, Outcome::Done { .. }));
    let typing = Request::Typing { place: stage.place(), face: face("Ada") };
    assert!(matches!(adapter.adapter.perform(typing).await, Outcome::Done { .. }));
    let posts = stage.posts();
    assert_eq!((posts[0].text.as_str(), posts[0].reply_to.clone()), ("yes", Some(first.to_string())));
    assert_eq!(posts[1].thread, Some(topic.to_string()));
    assert_eq!(fake.actions(), [(stage.chat, "typing".to_owned())]);
    let delete = Request::Delete { place: stage.place(), event_id: posts[0].id.clone(), face: None };
    for _ in 0..2 {
        assert_eq!(adapter.adapter.perform(delete.clone()).await, Outcome::Done { event_id: None });
    }
    assert_eq!(fake.commands(), ["who", "why", "quiet", "leave", "forget_me", "link", "unlink", "help"]);
}

#[tokio::test]
async fn ad2_a_group_that_moves_is_followed() {
    let (stage, recorder) = (OnTelegram::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    let to = stage.fake.migrate(stage.chat);
    assert!(matches!(adapter.post(&stage.place(), "hello", "1").await, Outcome::Done { .. }));
    assert_eq!(stage.posts()[0].chat, to.to_string());
}

#[tokio::test(start_paused = true)]
async fn ad2_telegrams_wait_is_told_and_a_block_is_final() {
    let (stage, recorder) = (OnTelegram::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    let place = stage.place();
    assert!(matches!(adapter.post(&place, "1", "1").await, Outcome::Done { .. }));
    assert_eq!(adapter.post(&place, "2", "2").await, Outcome::RetryAfter(Duration::from_secs(1)));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(matches!(adapter.post(&place, "2", "2").await, Outcome::Done { .. }));
    let direct = Place::chat(format!("one/{}", stage.person));
    stage.fake.close(stage.person);
    assert!(
        matches!(adapter.post(&direct, "3", "3").await, Outcome::Refused(why) if why.contains("blocked"))
    );
}

#[tokio::test]
async fn ad5_privacy_mode_is_found() {
    let (stage, recorder) = (OnTelegram::open().await, recorder());
    stage.fake.set_privacy(true);
    let adapter = Connected::start(&stage, &recorder);
    let findings = adapter.adapter.check().await;
    assert!(
        findings.iter().any(|finding| finding.remedy.is_some() && finding.text.contains("privacy mode")),
        "{findings:?}"
    );
    stage.fake.set_privacy(false);
    assert!(adapter.adapter.check().await.iter().all(|finding| finding.passed && finding.remedy.is_none()));
}

/// Regression: `connect` accepted a `--user` that is not the account of the token.
#[tokio::test]
async fn ad5_a_token_of_another_account_is_found() {
    let stage = OnTelegram::open().await;
    let found = async |user: String| {
        let mut account = stage.account();
        account.settings.user = Some(user);
        account.adapter().unwrap().check().await
    };
    let wrong = found("@somebody_bot".into()).await;
    let bad = wrong.iter().find(|finding| !finding.passed).unwrap();
    let text = bad.text.strip_prefix("the token is of ").unwrap();
    let (user, rest) = text.split_once(',').unwrap();
    assert_eq!(rest, " and `user` says @somebody_bot");
    assert!(bad.remedy.as_ref().unwrap().contains(user));
    for right in [user.to_owned(), user.to_uppercase(), user.trim_start_matches('@').to_owned()] {
        assert!(found(right).await.iter().all(|finding| finding.passed));
    }
}

#[tokio::test(start_paused = true)]
async fn ad7_it_says_how_far_back_it_looked() {
    let (stage, recorder) = (OnTelegram::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    adapter.kill().await;
    stage.say("meanwhile");
    let _adapter = Connected::start(&stage, &recorder);
    within(recorder.until(|recorder| recorder.texts() == ["meanwhile"])).await;
    let looked = recorder.looks_back();
    assert_eq!((looked.len(), looked[0].complete), (1, true));
}

#[tokio::test]
async fn ad5_an_account_takes_part_in_its_groups_and_in_private_chats() {
    let (stage, recorder) = (OnTelegram::open().await, recorder());
    let ours = stage.fake.group("ours");
    let mut account = stage.account();
    account.settings.channels = vec![ours.to_string()];
    let adapter = Connected::with(&account, &recorder);
    stage.say("elsewhere");
    stage.fake.say(ours, stage.person, "here");
    stage.fake.say(stage.person, stage.person, "between us");
    within(recorder.until(|recorder| recorder.texts().len() == 2)).await;
    assert_eq!(recorder.texts(), ["here", "between us"]);
    assert!(!adapter.adapter.serves(&stage.place()));
}

/// Regression: `connect` did not check the configured groups.
#[tokio::test]
async fn ad5_a_group_that_is_not_there_is_found() {
    let stage = OnTelegram::open().await;
    let mut account = stage.account();
    account.settings.channels = vec![stage.chat.to_string(), "-4".into()];
    let findings = account.adapter().unwrap().check().await;
    let bad: Vec<_> =
        findings.iter().filter(|finding| !finding.passed).map(|finding| finding.text.as_str()).collect();
    assert_eq!(bad.len(), 1, "{findings:?}");
    assert!(bad[0].starts_with("-4: ") && bad[0].contains("chat not found"), "{bad:?}");
}
