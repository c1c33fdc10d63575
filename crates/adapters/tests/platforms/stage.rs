//! A platform under test: a fake with a chat and a person in it, and the adapter's way in.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{
    Account, Adapter, Ended, Event, Face, Inlet, Message, Outcome, Place, Post, Request, testing::Recorder,
    text,
};
use greenroom_core::Platform;
use greenroom_persona::{AccountSettings, FaceSetting, Secret};
use greenroom_platform_fakes::{
    Discord, EventFault, Faults, Post as Posted, Slack, Telegram, discord, telegram,
};
use tokio::task::JoinHandle;

use crate::ingress::Listening;

/// How late something comes that comes late.
pub const LATE: Duration = Duration::from_millis(500);

/// A platform with one group chat, and a person in it.
pub trait Stage: Send + Sync + Sized + 'static {
    /// The cases of the conformance list that the platform cannot have, each with the reason.
    const CANNOT: &'static [(&'static str, &'static str)] = &[];
    /// Whether what was said during an absence of the adapter arrives afterwards.
    const REPLAYS: bool = true;
    /// Whether messages arrive in the order in which they were said.
    const ORDERED: bool = true;
    /// Sentences of a text that is too long for a message.
    const LONG: usize = 400;

    async fn open() -> Self;
    fn account(&self) -> Account;
    fn place(&self) -> Place;
    /// The person says something; returns what `edit` and `delete` name it by.
    fn say(&self, text: &str) -> String;
    /// Another bot says something.
    fn bot_says(&self, text: &str);
    /// Another person, who has the account's name where the platform permits that, says something.
    fn impostor_says(&self, text: &str);
    fn edit(&self, said: &str, text: &str);
    fn delete(&self, said: &str);
    /// What others have heard of the account, once it is so many messages.
    async fn heard(&self, count: usize) -> Vec<Posted>;
    /// The server dies. What was said before has reached it.
    async fn kill(&self);
    async fn restart(&self);
    /// Faults that can be ordered of a fake.
    fn orders(&self) -> Option<&Faults> {
        None
    }
    /// A part of the address of a call that sends, for such faults.
    fn send_call(&self) -> &'static str {
        ""
    }
    fn limit_rates(&self, _on: bool) {}
    /// The first thing that is said next arrives late.
    async fn slow(&self) {
        self.orders().expect("a fake").next_event(EventFault::Late(LATE));
    }
    /// From some message on the platform asks to wait.
    fn asks_to_wait(&self) {
        self.limit_rates(true);
    }
    /// Waits until an event was refused, because it was not stored.
    async fn refused(&self, recorder: &Recorder) {
        broken(recorder).await;
    }
    /// Requests that were refused because they came a second time as they were. Such a request never reaches the inlet.
    fn replayed(&self) -> usize {
        0
    }
    /// Tells the platform where to send requests, if it sends any.
    fn attach(&self, _adapter: &Arc<dyn Adapter>, _listener: Arc<dyn Listening>) {}
}

/// The settings of an account on a server of this machine.
pub fn settings(platform: Platform, url: String) -> AccountSettings {
    AccountSettings { name: "one".into(), platform, server: Some(url), ..AccountSettings::default() }
}

/// Discord with personas under the bot's name.
pub struct OnDiscord {
    pub fake: Discord,
    pub channel: discord::Id,
    pub person: discord::Id,
    bot: discord::Id,
    pub faces: FaceSetting,
}

impl OnDiscord {
    pub fn faults(&self) -> &Faults {
        self.fake.faults()
    }

    pub fn posts(&self) -> Vec<Posted> {
        self.fake.posts()
    }
}

impl Stage for OnDiscord {
    async fn open() -> Self {
        let fake = Discord::start().await.unwrap();
        let (channel, person, bot) = (fake.channel("stage"), fake.person("Jo"), fake.other_bot("Robot"));
        Self { fake, channel, person, bot, faces: FaceSetting::Prefix }
    }
    fn account(&self) -> Account {
        let settings = AccountSettings { faces: self.faces, ..settings(Platform::Discord, self.fake.url()) };
        Account { settings, token: Some(Secret::new(self.fake.token())), app_token: None }
    }
    fn place(&self) -> Place {
        Place::chat(self.channel.to_string())
    }
    fn say(&self, text: &str) -> String {
        self.fake.say(self.channel, self.person, text).to_string()
    }
    fn bot_says(&self, text: &str) {
        self.fake.say(self.channel, self.bot, text);
    }
    fn impostor_says(&self, text: &str) {
        let impostor = self.fake.person("Troupe");
        self.fake.say(self.channel, impostor, text);
    }
    fn edit(&self, said: &str, text: &str) {
        self.fake.edit(said.parse().unwrap(), text);
    }
    fn delete(&self, said: &str) {
        self.fake.delete(said.parse().unwrap());
    }
    fn orders(&self) -> Option<&Faults> {
        Some(self.fake.faults())
    }
    fn send_call(&self) -> &'static str {
        if self.faces == FaceSetting::Own { "POST /api/v10/webhooks" } else { "/messages" }
    }
    async fn heard(&self, _count: usize) -> Vec<Posted> {
        self.fake.posts()
    }
    fn limit_rates(&self, on: bool) {
        self.fake.limit_rates(on);
    }
    async fn kill(&self) {
        self.fake.kill().await;
    }
    async fn restart(&self) {
        self.fake.restart().await.unwrap();
    }
}

/// Discord with personas under their own names.
pub struct OnDiscordWithFaces(pub OnDiscord);

impl OnDiscordWithFaces {
    pub fn faults(&self) -> &Faults {
        self.0.faults()
    }

    pub fn posts(&self) -> Vec<Posted> {
        self.0.posts()
    }
}

impl Stage for OnDiscordWithFaces {
    async fn open() -> Self {
        Self(OnDiscord { faces: FaceSetting::Own, ..OnDiscord::open().await })
    }
    fn account(&self) -> Account {
        self.0.account()
    }
    fn place(&self) -> Place {
        self.0.place()
    }
    fn say(&self, text: &str) -> String {
        self.0.say(text)
    }
    fn bot_says(&self, text: &str) {
        self.0.bot_says(text);
    }
    fn impostor_says(&self, text: &str) {
        self.0.impostor_says(text);
    }
    fn edit(&self, said: &str, text: &str) {
        self.0.edit(said, text);
    }
    fn delete(&self, said: &str) {
        self.0.delete(said);
    }
    fn orders(&self) -> Option<&Faults> {
        self.0.orders()
    }
    fn send_call(&self) -> &'static str {
        self.0.send_call()
    }
    async fn heard(&self, count: usize) -> Vec<Posted> {
        self.0.heard(count).await
    }
    fn limit_rates(&self, on: bool) {
        self.0.limit_rates(on);
    }
    async fn kill(&self) {
        self.0.kill().await;
    }
    async fn restart(&self) {
        self.0.restart().await;
    }
}

pub struct OnTelegram {
    pub fake: Telegram,
    pub chat: telegram::Chat,
    pub person: telegram::User,
    bot: telegram::User,
}

impl OnTelegram {
    pub fn faults(&self) -> &Faults {
        self.fake.faults()
    }

    pub fn posts(&self) -> Vec<Posted> {
        self.fake.posts()
    }
}

impl Stage for OnTelegram {
    const CANNOT: &'static [(&'static str, &'static str)] =
        &[("ad3_a_deletion_names_its_message", "Telegram tells a bot of no deletion")];

    async fn open() -> Self {
        let fake = Telegram::start().await.unwrap();
        let (chat, person, bot) = (fake.group("stage"), fake.person("Jo"), fake.other_bot("Robot"));
        Self { fake, chat, person, bot }
    }
    fn account(&self) -> Account {
        let settings = settings(Platform::Telegram, self.fake.url());
        Account { settings, token: Some(Secret::new(self.fake.token())), app_token: None }
    }
    fn place(&self) -> Place {
        Place::chat(format!("one/{}", self.chat))
    }
    fn say(&self, text: &str) -> String {
        self.fake.say(self.chat, self.person, text).to_string()
    }
    fn bot_says(&self, text: &str) {
        self.fake.say(self.chat, self.bot, text);
    }
    fn impostor_says(&self, text: &str) {
        let impostor = self.fake.person("Troupe");
        self.fake.say(self.chat, impostor, text);
    }
    fn edit(&self, said: &str, text: &str) {
        self.fake.edit(self.chat, said.parse().unwrap(), text);
    }
    fn delete(&self, _said: &str) {
        unreachable!("Telegram tells a bot of no deletion");
    }
    fn orders(&self) -> Option<&Faults> {
        Some(self.fake.faults())
    }
    fn send_call(&self) -> &'static str {
        "sendMessage"
    }
    async fn heard(&self, _count: usize) -> Vec<Posted> {
        self.fake.posts()
    }
    fn limit_rates(&self, on: bool) {
        self.fake.limit_rates(on);
    }
    async fn kill(&self) {
        self.fake.kill().await;
    }
    async fn restart(&self) {
        self.fake.restart().await.unwrap();
    }
}

pub struct OnSlack {
    pub fake: Slack,
    pub channel: String,
    pub person: String,
    bot: String,
}

impl OnSlack {
    pub fn posts(&self) -> Vec<Posted> {
        self.fake.posts()
    }
}

impl Stage for OnSlack {
    async fn open() -> Self {
        let fake = Slack::start().await.unwrap();
        let (channel, person, bot) = (fake.channel("stage"), fake.person("Jo"), fake.other_bot("Robot"));
        Self { fake, channel, person, bot }
    }
    fn account(&self) -> Account {
        let settings = settings(Platform::Slack, self.fake.url());
        let (token, app) = (Secret::new(self.fake.bot_token()), Secret::new(self.fake.app_token()));
        Account { settings, token: Some(token), app_token: Some(app) }
    }
    fn place(&self) -> Place {
        Place::chat(format!("one/{}", self.channel))
    }
    fn say(&self, text: &str) -> String {
        self.fake.say(&self.channel, &self.person, text)
    }
    fn bot_says(&self, text: &str) {
        self.fake.say(&self.channel, &self.bot, text);
    }
    fn impostor_says(&self, text: &str) {
        let impostor = self.fake.person("troupe");
        self.fake.say(&self.channel, &impostor, text);
    }
    fn edit(&self, said: &str, text: &str) {
        self.fake.edit(&self.channel, said, text);
    }
    fn delete(&self, said: &str) {
        self.fake.delete(&self.channel, said);
    }
    fn orders(&self) -> Option<&Faults> {
        Some(self.fake.faults())
    }
    fn send_call(&self) -> &'static str {
        "chat.postMessage"
    }
    async fn heard(&self, _count: usize) -> Vec<Posted> {
        self.fake.posts()
    }
    fn limit_rates(&self, on: bool) {
        self.fake.limit_rates(on);
    }
    async fn kill(&self) {
        self.fake.kill().await;
    }
    async fn restart(&self) {
        self.fake.restart().await.unwrap();
    }
}

pub fn face(name: &str) -> Face {
    Face { persona: name.to_lowercase().parse().unwrap(), name: name.to_owned() }
}

/// A store that outlives adapters.
pub fn recorder() -> Arc<Recorder> {
    Arc::new(Recorder::new(vec![face("Ada")]))
}

/// An adapter that is kept connected, as the accounts keep it.
pub struct Connected {
    pub adapter: Arc<dyn Adapter>,
    task: JoinHandle<Ended>,
}

impl Connected {
    pub fn start(stage: &impl Stage, recorder: &Arc<Recorder>) -> Self {
        let connected = Self::with(&stage.account(), recorder);
        stage.attach(&connected.adapter, recorder.clone());
        connected
    }

    pub fn with(account: &Account, recorder: &Arc<Recorder>) -> Self {
        let adapter = account.adapter().unwrap();
        let task = tokio::spawn({
            let (adapter, recorder) = (adapter.clone(), recorder.clone());
            async move {
                loop {
                    match adapter.run(recorder.as_ref() as &dyn Inlet).await {
                        Ended::Broken(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                        Ended::Reconnect => {}
                        ended => return ended,
                    }
                }
            }
        });
        Self { adapter, task }
    }

    /// Ends without a goodbye, as a killed process does.
    pub async fn kill(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// How it ended, when it ends by itself.
    pub async fn ended(mut self) -> Ended {
        (&mut self.task).await.unwrap()
    }

    /// Posts one message of Ada's, as the outbox does.
    pub async fn post(&self, place: &Place, text: &str, key: &str) -> Outcome {
        self.adapter.perform(Request::Post(message(place, text, key))).await
    }

    /// Posts a whole reply in its parts, and returns their number; waits where the platform asks for it.
    pub async fn post_all(&self, place: &Place, text: &str) -> usize {
        let parts = text::parts(text, &self.adapter.limits(place), "");
        let count = parts.len();
        for (number, part) in parts.into_iter().enumerate() {
            let key = format!("{number:024x}");
            loop {
                match self.post(place, &part, &key).await {
                    Outcome::Done { .. } => break,
                    Outcome::RetryAfter(wait) => tokio::time::sleep(wait).await,
                    outcome => panic!("{outcome:?}"),
                }
            }
        }
        count
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub fn message(place: &Place, text: &str, key: &str) -> Post {
    let (place, text, key) = (place.clone(), text.to_owned(), key.to_owned());
    Post { place, reply_to: None, text, face: face("Ada"), key }
}

/// Waits until the adapter is online.
pub async fn online(recorder: &Recorder) {
    use greenroom_adapters::ConnectionState::Online;
    within(recorder.until(|recorder| matches!(recorder.reports().last(), Some(Online { .. })))).await;
}

/// Waits until the connection of an adapter that was online has ended.
pub async fn broken(recorder: &Recorder) {
    use greenroom_adapters::ConnectionState::Connecting;
    within(recorder.until(|recorder| matches!(recorder.reports().last(), Some(Connecting)))).await;
}

/// The messages that were taken in.
pub fn messages(recorder: &Recorder) -> Vec<Message> {
    let message = |event| match event {
        Event::Message(message) => Some(message),
        _ => None,
    };
    recorder.events().into_iter().filter_map(message).collect()
}

/// Fails a test that would wait for ever.
pub async fn within<T>(wait: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), wait).await.expect("what was waited for did not happen")
}
