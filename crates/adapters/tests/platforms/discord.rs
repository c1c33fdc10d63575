//! What Discord alone has: sessions, webhooks, threads, interactions.

use std::time::Duration;

use greenroom_adapters::{
    ConnectionState, Ended, Event, Faces, Notice, Outcome, Person, Place, Post, Request,
};
use greenroom_platform_fakes::{CallFault, discord::intent};

use crate::stage::{
    Connected, OnDiscord, OnDiscordWithFaces, Stage, message, messages, online, recorder, within,
};

#[tokio::test]
async fn ad2_a_restart_resumes_the_session_and_identifies_once() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    for n in 0..3 {
        let adapter = Connected::start(&stage, &recorder);
        within(stage.fake.wait_for_session()).await;
        stage.say(&format!("{n}"));
        within(recorder.until(|recorder| recorder.texts().len() == n + 1)).await;
        adapter.kill().await;
        within(stage.fake.wait_for_disconnect()).await;
    }
    assert_eq!((stage.fake.identifies(), stage.fake.resumes()), (1, 2));
}

#[tokio::test]
async fn ad2_reconnects_are_followed_by_a_resume_and_invalid_sessions_by_a_look_back() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.limit_rates(false);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.say("one");
    within(recorder.until(|recorder| recorder.texts().len() == 1)).await;
    stage.fake.reconnect();
    within(stage.fake.wait_for_resumes(1)).await;
    stage.fake.invalidate(true);
    within(stage.fake.wait_for_resumes(2)).await;
    stage.fake.close(4000);
    within(stage.fake.wait_for_resumes(3)).await;
    assert_eq!(stage.fake.identifies(), 1);

    // the session is lost, and so are the events from after its end
    stage.kill().await;
    stage.fake.forget_sessions();
    stage.say("two");
    let direct = stage.fake.direct(stage.person);
    stage.fake.say(direct, stage.person, "unknown so far");
    stage.restart().await;
    within(recorder.until(|recorder| recorder.texts().len() == 2)).await;
    within(recorder.until(|recorder| !recorder.looks_back().is_empty())).await;
    assert_eq!(recorder.texts(), ["one", "two"]);
    let looked = recorder.looks_back();
    assert!(looked[0].complete && looked[0].since.is_some());
}

#[tokio::test]
async fn ad7_direct_messages_are_caught_up_with_as_well() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let direct = stage.fake.direct(stage.person);
    stage.fake.say(direct, stage.person, "one");
    within(recorder.until(|recorder| recorder.texts().len() == 1)).await;
    adapter.kill().await;
    stage.fake.forget_sessions();
    stage.fake.say(direct, stage.person, "two");
    let _adapter = Connected::start(&stage, &recorder);
    within(recorder.until(|recorder| recorder.texts().len() == 2)).await;
    let messages = messages(&recorder);
    assert!(messages.iter().all(|message| !message.group && message.addressed), "{messages:?}");
}

#[tokio::test]
async fn ad2_who_joins_and_leaves_a_guild_comes_to_its_channels_and_goes() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.limit_rates(false);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let den = stage.fake.channel("den");
    let ann = stage.fake.person("Ann");
    stage.fake.leave(ann);
    within(recorder.until(|recorder| recorder.events().len() == 4)).await;
    let person = Person { id: ann.to_string(), name: "Ann".into() };
    let places = [Place::chat(stage.channel.to_string()), Place::chat(den.to_string())];
    let joined = places.iter().map(|place| Event::Joined { place: place.clone(), person: person.clone() });
    let left = places.iter().map(|place| Event::Left { place: place.clone(), person: person.clone() });
    assert_eq!(recorder.events(), joined.chain(left).collect::<Vec<_>>());

    // after the bot is removed from a guild and added again, the adapter knows the guild's channels
    stage.fake.remove_and_add_bot();
    let bo = stage.fake.person("Bo");
    within(recorder.until(|recorder| recorder.events().len() == 6)).await;
    stage.fake.say(den, bo, "hello");
    within(recorder.until(|recorder| recorder.texts() == ["hello"])).await;
}

/// Discord closes the connection for good if the adapter requests an intent that is not enabled.
#[tokio::test]
async fn ad2_members_are_asked_for_where_the_owner_permits_it() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.fake.allow_intents(intent::MESSAGE_CONTENT);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let ann = stage.fake.person("Ann");
    stage.fake.say(stage.channel, ann, "hello");
    within(recorder.until(|recorder| recorder.texts() == ["hello"])).await;
    assert_eq!(recorder.events().len(), 1, "nothing is told of members");
}

#[tokio::test]
async fn ad5_what_stops_a_bot_for_good_says_how_to_mend_it() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.fake.allow_intents(0);
    let adapter = Connected::start(&stage, &recorder);
    let findings = adapter.adapter.check().await;
    let bad = findings.iter().find(|finding| !finding.passed).unwrap();
    assert!(bad.remedy.as_ref().unwrap().contains("/bot under Privileged Gateway Intents"), "{bad:?}");
    let Ended::Refused(why) = within(adapter.ended()).await else { panic!("not refused") };
    assert!(why.contains("Message Content Intent") && why.contains("4014"), "{why}");
    assert_eq!(stage.fake.identifies(), 0);
}

#[tokio::test(start_paused = true)]
async fn ad2_a_used_up_budget_of_sessions_is_waited_for() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.fake.set_identifies(0);
    let begun = tokio::time::Instant::now();
    let _adapter = Connected::start(&stage, &recorder);
    recorder
        .until(|recorder| matches!(recorder.reports().last(), Some(ConnectionState::Online { .. })))
        .await;
    assert!(begun.elapsed() >= Duration::from_hours(23), "after {:?}", begun.elapsed());
}

#[tokio::test]
async fn ad2_a_connection_that_answers_no_heartbeat_is_left() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.fake.set_heartbeat(Duration::from_millis(100));
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.fake.acknowledge_heartbeats(false);
    within(stage.fake.wait_for_resumes(1)).await;
    assert_eq!(stage.fake.identifies(), 1);
}

/// Reading the history of many channels takes longer than Discord waits for a heartbeat.
#[tokio::test]
async fn ad7_hearts_beat_during_a_long_look_back() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.limit_rates(false);
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.say("one");
    within(recorder.until(|recorder| recorder.texts().len() == 1)).await;
    adapter.kill().await;
    stage.fake.forget_sessions();
    stage.fake.set_heartbeat(Duration::from_millis(100));
    stage.say("two");
    stage.faults().next_call("/messages?", CallFault::Delay(Duration::from_secs(1)));
    let _adapter = Connected::start(&stage, &recorder);
    within(recorder.until(|recorder| recorder.texts().len() == 2)).await;
    assert_eq!((stage.fake.identifies(), stage.fake.resumes()), (2, 0), "the connection was lost meanwhile");
}

#[tokio::test]
async fn ad4_personas_speak_under_their_names_and_a_lost_answer_is_looked_up() {
    let (stage, recorder) = (OnDiscordWithFaces::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    assert_eq!(adapter.adapter.limits(&stage.place()).faces, Faces::Own);
    stage.faults().next_call("POST /api/v10/webhooks", CallFault::LoseAnswer);
    let outcome = adapter.post(&stage.place(), "hello", "1").await;
    let posts = stage.posts();
    assert_eq!(outcome, Outcome::Done { event_id: Some(posts[0].id.clone()) });
    assert_eq!((posts.len(), posts[0].face.name.as_deref()), (1, Some("Ada")));
    assert_eq!(adapter.adapter.own_ids(&stage.place()).len(), 2, "the bot and its webhook");

    // a new process that has posted nothing can delete a post of the previous process
    adapter.kill().await;
    let adapter = Connected::start(&stage, &recorder);
    let delete = Request::Delete { place: stage.place(), event_id: posts[0].id.clone(), face: None };
    assert_eq!(adapter.adapter.perform(delete).await, Outcome::Done { event_id: None });
    assert!(stage.posts()[0].deleted);
}

#[tokio::test]
async fn ad4_a_name_that_discord_keeps_and_a_direct_message_get_a_prefix() {
    let (stage, recorder) = (OnDiscordWithFaces::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let mut post = message(&stage.place(), "hello", "1");
    post.face.name = "Clyde".to_owned();
    assert!(matches!(adapter.adapter.perform(Request::Post(post)).await, Outcome::Done { .. }));
    assert_eq!(stage.posts()[0].text, "**Clyde:** hello");
    let fake = &stage.0.fake;
    let direct = fake.direct(stage.0.person);
    fake.say(direct, stage.0.person, "hello");
    within(recorder.until(|recorder| recorder.texts().len() == 2)).await;
    let place = Place::chat(direct.to_string());
    assert_eq!(adapter.adapter.limits(&place).faces, Faces::Prefix);
    assert!(matches!(adapter.post(&place, "Ada: hi", "2").await, Outcome::Done { .. }));
}

/// A long part that had to be sent with a prefix was too long and given up.
#[tokio::test]
async fn ad4_a_part_of_full_length_has_room_for_its_prefix() {
    let (stage, recorder) = (OnDiscordWithFaces::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let text = "x".repeat(adapter.adapter.limits(&stage.place()).longest);
    for (n, name) in ["Clyde".to_owned(), format!("{:d<73}discord", "")].into_iter().enumerate() {
        let mut post = message(&stage.place(), &text, &n.to_string());
        post.face.name = name;
        let outcome = adapter.adapter.perform(Request::Post(post)).await;
        assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    }
    // the channel takes no webhooks from now on
    assert!(matches!(adapter.post(&stage.place(), "hello", "2").await, Outcome::Done { .. }));
    stage.0.fake.withdraw_webhooks();
    let outcome = adapter.post(&stage.place(), &text, "3").await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    assert_eq!(stage.posts().last().unwrap().text, format!("**Ada:** {text}"));
    assert_eq!(adapter.adapter.limits(&stage.place()).faces, Faces::Prefix);
}

#[tokio::test]
async fn ad2_threads_replies_mentions_and_files() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    let thread = stage.fake.thread(stage.channel, "aside");
    let first = stage.say("first");
    stage.fake.reply(
        stage.channel,
        stage.person,
        &format!("<@{}> look", stage.fake.bot()),
        first.parse().unwrap(),
    );
    stage.fake.say_more(thread, stage.person, "", None, &[("cat.png", "image/png")]);
    within(recorder.until(|recorder| recorder.texts().len() == 3)).await;
    let messages = messages(&recorder);
    assert_eq!((messages[1].reply_to.as_ref(), messages[1].addressed), (Some(&first), true));
    assert_eq!(messages[1].text, "@troupe look");
    let aside = Place::thread(stage.channel.to_string(), thread.to_string());
    assert_eq!(messages[2].place, aside);
    assert_eq!(messages[2].attachments[0].media_type.as_deref(), Some("image/png"));

    let post = Post { reply_to: Some(first.clone()), ..message(&stage.place(), "yes", "1") };
    assert!(matches!(adapter.adapter.perform(Request::Post(post)).await, Outcome::Done { .. }));
    assert!(matches!(adapter.post(&aside, "in the thread", "2").await, Outcome::Done { .. }));
    let typing = Request::Typing { place: aside.clone(), face: crate::stage::face("Ada") };
    assert!(matches!(adapter.adapter.perform(typing).await, Outcome::Done { .. }));
    let posts = stage.posts();
    assert_eq!((posts[0].reply_to.as_ref(), posts[1].chat.clone()), (Some(&first), thread.to_string()));
    assert_eq!(stage.fake.typed(), [thread]);

    stage.fake.delete(first.parse().unwrap());
    within(recorder.until(|recorder| matches!(recorder.events().last(), Some(Event::Deleted { .. })))).await;
}

#[tokio::test]
async fn ad6_slash_commands_are_registered_and_answered_to_their_user_alone() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    let adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.fake.invoke(stage.channel, stage.person, "quiet", Some("1h"));
    within(recorder.until(|recorder| !recorder.events().is_empty())).await;
    assert_eq!(
        stage.fake.commands(),
        ["who", "why", "quiet", "leave", "forget-me", "link", "unlink", "help"]
    );
    let Event::Command(call) = recorder.events().remove(0) else { panic!("no command") };
    assert_eq!(call.line, "quiet 1h");
    let notice =
        Notice { place: call.place, to: call.person.id, answer_to: call.answer_to, text: "done".into() };
    assert!(matches!(adapter.adapter.perform(Request::Notice(notice)).await, Outcome::Done { .. }));
    let answer = stage.posts().remove(0);
    assert!(answer.ephemeral && answer.text == "done");
    assert!(messages(&recorder).is_empty(), "an answer for one person is no message");
}

#[tokio::test]
async fn ad2_without_the_intent_for_content_direct_messages_arrive() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    stage.fake.allow_intents(intent::MESSAGE_CONTENT);
    let _adapter = Connected::start(&stage, &recorder);
    online(&recorder).await;
    stage.say("hello");
    within(recorder.until(|recorder| recorder.texts() == ["hello"])).await;
}

#[tokio::test]
async fn ad5_an_account_takes_part_in_its_channels_and_their_threads_and_in_direct_messages() {
    let (stage, recorder) = (OnDiscord::open().await, recorder());
    let ours = stage.fake.channel("ours");
    let mut account = stage.account();
    account.settings.channels = vec![ours.to_string()];
    let adapter = Connected::with(&account, &recorder);
    online(&recorder).await;
    stage.say("elsewhere");
    stage.fake.say(ours, stage.person, "here");
    stage.fake.say(stage.fake.thread(ours, "aside"), stage.person, "in a thread of it");
    stage.fake.say(stage.fake.direct(stage.person), stage.person, "between us");
    within(recorder.until(|recorder| recorder.texts().len() == 3)).await;
    assert_eq!(recorder.texts(), ["here", "in a thread of it", "between us"]);
    assert!(!adapter.adapter.serves(&stage.place()));
}
