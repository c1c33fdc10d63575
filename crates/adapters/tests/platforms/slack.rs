//! Tests of what only Slack has: acknowledgements, tickets, scopes, markup, threads identified by time.

use std::time::Duration;

use greenroom_adapters::{Account, Ended, Event, Faces, Notice, Outcome, Place, Request};

use greenroom_platform_fakes::CallFault;

use crate::stage::{Connected, OnSlack, Stage, face, messages, online, recorder, within};

#[tokio::test(start_paused = true)]
async fn ad3_an_envelope_is_acknowledged_only_after_its_event_is_stored() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    recorder.fail(true);
    stage.say("one");
    within(stage.fake.wait_for_disconnect()).await;
    assert_eq!(stage.fake.acknowledged(), 0);
    recorder.fail(false);
    within(stage.fake.wait_for_acknowledgements()).await;
    assert_eq!((stage.fake.acknowledged(), stage.fake.lost()), (1, 0));
    assert_eq!(recorder.texts(), ["one"]);
}

#[tokio::test(start_paused = true)]
async fn ad7_what_slack_gave_up_is_read_from_the_histories_with_its_threads() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let first = stage.say("first");
    within(recorder.until(|recorder| recorder.texts().len() == 1)).await;
    adapter.kill().await;
    stage.say("second");
    stage.fake.say_in(&stage.channel, &first, &stage.person, "in the thread");
    let direct = stage.fake.direct(&stage.person);
    stage.fake.say(&direct, &stage.person, "between us");
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(stage.fake.lost(), 3);
    let _adapter = Connected::start(&stage, &recorder);
    within(recorder.until(|recorder| recorder.texts().len() == 4)).await;
    within(recorder.until(|recorder| !recorder.looks_back().is_empty())).await;
    let messages = messages(&recorder);
    let thread = messages.iter().find(|message| message.text == "in the thread").unwrap();
    assert_eq!(thread.place, Place::thread(stage.place().chat, first));
    assert!(messages.iter().any(|message| message.text == "between us" && !message.group));
    assert!(recorder.looks_back()[0].complete);
}

/// Only the first page of channels and of a thread's answers was read, and the account counted as caught up.
#[tokio::test(start_paused = true)]
async fn ad7_every_channel_and_every_answer_of_a_thread_is_read() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    stage.limit_rates(false);
    let channels: Vec<String> = (0..250).map(|n| stage.fake.channel(&format!("c{n}"))).collect();
    let mut account = stage.account();
    account.settings.channels = vec![channels[249].clone()];
    let adapter = Connected::with(&account, &recorder);
    online(&recorder).await;
    let first = stage.fake.say(&channels[249], &stage.person, "first");
    within(recorder.until(|recorder| recorder.texts().len() == 1)).await;
    adapter.kill().await;
    for n in 0..261 {
        stage.fake.say_in(&channels[249], &first, &stage.person, &n.to_string());
    }
    tokio::time::sleep(Duration::from_secs(600)).await;
    let _adapter = Connected::with(&account, &recorder);
    within(recorder.until(|recorder| !recorder.looks_back().is_empty())).await;
    assert_eq!(recorder.texts().len(), 262);
    assert!(recorder.looks_back()[0].complete);
}

/// A thread that could not be read ended the connection, again and again.
#[tokio::test(start_paused = true)]
async fn ad7_a_thread_that_cannot_be_read_is_left_out() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let first = stage.say("first");
    within(recorder.until(|recorder| recorder.texts().len() == 1)).await;
    adapter.kill().await;
    stage.fake.say_in(&stage.channel, &first, &stage.person, "in the thread");
    stage.say("second");
    tokio::time::sleep(Duration::from_secs(600)).await;
    stage.fake.faults().next_call("conversations.replies", CallFault::Status(403));
    let _adapter = Connected::start(&stage, &recorder);
    within(recorder.until(|recorder| !recorder.looks_back().is_empty())).await;
    assert_eq!(recorder.texts(), ["first", "second"]);
    assert!(!recorder.looks_back()[0].complete);
}

#[tokio::test]
async fn ad2_connections_are_replaced_when_slack_asks_for_it() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    let _adapter = Connected::start(&stage, &recorder);
    for n in 0..3 {
        online(&recorder).await;
        within(stage.fake.wait_for_connection()).await;
        stage.fake.refresh();
        stage.say(&n.to_string());
        within(recorder.until(|recorder| recorder.texts().len() == n + 1)).await;
    }
    assert_eq!(recorder.texts(), ["0", "1", "2"]);
}

#[tokio::test]
async fn ad2_threads_mentions_files_and_people() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let (fake, channel, jo) = (&stage.fake, &stage.channel, &stage.person);
    let first = fake.say(channel, jo, &format!("<@{}> &lt;look&gt;, <@{jo}>", fake.bot_user()));
    fake.say_in(channel, &first, jo, "aside");
    fake.share(channel, jo, "a cat", &[("cat.png", "image/png")]);
    fake.presence(channel, jo, true);
    fake.presence(channel, jo, false);
    within(recorder.until(|recorder| recorder.events().len() == 5)).await;
    let messages = messages(&recorder);
    assert_eq!((messages[0].text.as_str(), messages[0].addressed), ("@troupe <look>, @Jo", true));
    assert_eq!(messages[0].author.person.name, "Jo");
    let aside = Place::thread(stage.place().chat, first.clone());
    assert_eq!(messages[1].place, aside);
    assert_eq!(messages[2].attachments[0].name, "cat.png");
    assert!(matches!(adapter.post(&aside, "*there*", "1").await, Outcome::Done { .. }));
    let posts = stage.posts();
    assert_eq!((posts[0].thread.as_ref(), posts[0].face.name.as_deref()), (Some(&first), Some("Ada")));

    fake.delete(channel, &first);
    within(recorder.until(|recorder| {
        matches!(recorder.events().last(), Some(Event::Deleted { event_id, .. }) if *event_id == first)
    }))
    .await;
    let delete = Request::Delete { place: aside, event_id: posts[0].id.clone(), face: Some(face("Ada")) };
    for _ in 0..2 {
        assert_eq!(adapter.adapter.perform(delete.clone()).await, Outcome::Done { event_id: None });
    }
    assert!(stage.posts()[0].deleted);
}

#[tokio::test]
async fn ad6_a_slash_command_is_answered_to_its_user_alone() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let name = stage.fake.command(&stage.channel, &stage.person, "/greenroom", "quiet 1h");
    within(recorder.until(|recorder| !recorder.events().is_empty())).await;
    let Event::Command(call) = recorder.events().remove(0) else { panic!("no command") };
    assert_eq!((call.line.as_str(), &call.place), ("quiet 1h", &stage.place()));
    let notice =
        Notice { place: call.place, to: call.person.id, answer_to: call.answer_to, text: "done".into() };
    assert!(matches!(adapter.adapter.perform(Request::Notice(notice.clone())).await, Outcome::Done { .. }));
    assert!(within(stage.fake.wait_for_response(&name)).await.ephemeral);
    // the answer to a command that was typed as a message
    let notice = Notice { answer_to: None, ..notice };
    assert!(matches!(adapter.adapter.perform(Request::Notice(notice)).await, Outcome::Done { .. }));
    assert!(stage.posts()[0].ephemeral);
}

#[tokio::test]
async fn ad4_without_the_scope_personas_get_a_prefix() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    stage.fake.remove_scope("chat:write.customize");
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    assert_eq!(adapter.adapter.limits(&stage.place()).faces, Faces::Prefix);
    assert!(matches!(adapter.post(&stage.place(), "Ada: hi", "1").await, Outcome::Done { .. }));
    let findings = adapter.adapter.check().await;
    assert!(findings.iter().any(|finding| finding.passed && finding.text.contains("chat:write.customize")));
    stage.fake.remove_scope("channels:history");
    let findings = adapter.adapter.check().await;
    assert!(findings.iter().any(|finding| !finding.passed && finding.text.contains("channels:history")));
}

#[tokio::test(start_paused = true)]
async fn ad2_slacks_wait_is_told_and_a_removal_is_final() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    let place = stage.place();
    assert!(matches!(adapter.post(&place, "1", "1").await, Outcome::Done { .. }));
    assert_eq!(adapter.post(&place, "2", "2").await, Outcome::RetryAfter(Duration::from_secs(1)));
    stage.fake.remove_bot(&stage.channel);
    assert!(matches!(adapter.post(&place, "2", "2").await, Outcome::Refused(why) if why.contains("/invite")));
}

#[tokio::test]
async fn ad5_swapped_tokens_are_named() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    let account = stage.account();
    let swapped = Account { token: account.app_token, app_token: account.token, ..stage.account() };
    assert!(swapped.adapter().err().unwrap().to_string().contains("begins with xapp-"));
    // both tokens have the prefixes that their fields expect, but each is the other one's token
    stage.fake.set_tokens(&stage.fake.app_token(), &stage.fake.bot_token());
    let account = {
        let mut account = stage.account();
        std::mem::swap(&mut account.token, &mut account.app_token);
        account
    };
    let adapter = Connected::with(&account, &recorder);
    let findings = adapter.adapter.check().await;
    let remedy = findings.iter().find(|finding| !finding.passed).and_then(|finding| finding.remedy.clone());
    assert!(remedy.unwrap().contains("may be swapped"), "{findings:?}");
    assert!(matches!(within(adapter.ended()).await, Ended::Refused(_)));
}

#[tokio::test]
async fn ad5_an_account_takes_part_in_its_channels_and_in_direct_messages() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    let ours = stage.fake.channel("ours");
    let mut account = stage.account();
    account.settings.channels = vec![ours.clone()];
    let adapter = Connected::with(&account, &recorder);
    online(&recorder).await;
    stage.say("elsewhere");
    stage.fake.say(&ours, &stage.person, "here");
    stage.fake.say(&stage.fake.direct(&stage.person), &stage.person, "between us");
    within(recorder.until(|recorder| recorder.texts().len() == 2)).await;
    assert_eq!(recorder.texts(), ["here", "between us"]);
    assert!(!adapter.adapter.serves(&stage.place()));
    assert!(!adapter.adapter.serves(&Place::chat("another/C1")));
}

/// Regression: `connect` did not check the configured channels.
#[tokio::test]
async fn ad5_a_channel_that_is_not_there_or_that_the_bot_is_not_in_is_found() {
    let (stage, recorder) = (OnSlack::open().await, recorder());
    let (ours, left) = (stage.fake.channel("ours"), stage.fake.channel("left"));
    stage.fake.remove_bot(&left);
    let mut account = stage.account();
    account.settings.channels = vec![ours, left, "C0NOWHERE".into()];
    let findings = Connected::with(&account, &recorder).adapter.check().await;
    let told = |text: &str| {
        findings.iter().find(|finding| finding.text.contains(text)).map(|finding| finding.passed)
    };
    assert_eq!(told("the bot is in #ours"), Some(true), "{findings:?}");
    assert_eq!(told("the bot is not in #left"), Some(false), "{findings:?}");
    assert_eq!(told("C0NOWHERE: Slack says channel_not_found"), Some(false), "{findings:?}");
}
