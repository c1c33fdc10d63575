//! Stages for the tests: a platform with a chat and a person in it, and the adapter that connects to it.

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

/// The delay of a late event.
pub const LATE: Duration = Duration::from_millis(500);

/// A platform with one group chat and one person in it.
pub trait Stage: Send + Sync + Sized + 'static {
    /// The cases of the conformance list that the platform cannot have, each with the reason.
    const CANNOT: &'static [(&'static str, &'static str)] = &[];
    /// Whether messages sent while the adapter was offline arrive afterwards.
    const REPLAYS: bool = true;
    /// Whether messages arrive in the order in which they were sent.
    const ORDERED: bool = true;
    /// How many repetitions of a sentence exceed the limit of one message.
    const LONG: usize = 400;

    async fn open() -> Self;
    fn account(&self) -> Account;
    fn place(&self) -> Place;
    /// The person sends a message. Returns the name of the message for `edit` and `delete`.
    fn say(&self, text: &str) -> String;
    /// Another bot sends a message.
    fn bot_says(&self, text: &str);
    /// Another person sends a message, under the account's name where the platform permits that.
    fn impostor_says(&self, text: &str);
    fn edit(&self, said: &str, text: &str);
    fn delete(&self, said: &str);
    /// The account's posts as others see them, once there are at least `count`.
    async fn heard(&self, count: usize) -> Vec<Posted>;
    /// Kills the server after it has received all earlier messages.
    async fn kill(&self);
    async fn restart(&self);
    /// The faults of a fake; `None` for a real server.
    fn orders(&self) -> Option<&Faults> {
        None
    }
    /// A part of the path of the call that sends a message. Faults select the call by it.
    fn send_call(&self) -> &'static str {
        ""
    }
    fn limit_rates(&self, _on: bool) {}
    /// Delays the next message.
    async fn slow(&self) {
        self.orders().expect("a fake").next_event(EventFault::Late(LATE));
    }
    /// From one of the next posts on, the platform asks the adapter to wait.
    fn asks_to_wait(&self) {
        self.limit_rates(true);
    }
    /// Waits until an event has been rejected because it was not stored.
    async fn refused(&self, recorder: &Recorder) {
        broken(recorder).await;
    }
    /// The number of refused requests that repeated an earlier one unchanged. Such requests never reach the inlet.
    fn replayed(&self) -> usize {
        0
    }
    /// Starts passing the platform's requests to the adapter, on platforms that send requests.
    fn attach(&self, _adapter: &Arc<dyn Adapter>, _listener: Arc<dyn Listening>) {}
}

/// The settings of an account on a local server.
pub fn settings(platform: Platform, url: String) -> AccountSettings {
    AccountSettings { name: "one".into(), platform, server: Some(url), ..AccountSettings::default() }
}

/// Discord, where all personas post under the bot's name.
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

/// Discord, where each persona posts under its own name.
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

/// An inlet that outlives adapters.
pub fn recorder() -> Arc<Recorder> {
    Arc::new(Recorder::new(vec![face("Ada")]))
}

/// An adapter that reconnects after each disconnection, as the accounts do it.
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

    /// Ends without an orderly disconnection, as a killed process does.
    pub async fn kill(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Waits until the adapter ends for good, and returns how.
    pub async fn ended(mut self) -> Ended {
        (&mut self.task).await.unwrap()
    }

    /// Posts one message of Ada, as the outbox does.
    pub async fn post(&self, place: &Place, text: &str, key: &str) -> Outcome {
        self.adapter.perform(Request::Post(message(place, text, key))).await
    }

    /// Posts a whole reply in parts and returns their number. Waits where the platform asks for it.
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

/// The messages that the inlet stored.
pub fn messages(recorder: &Recorder) -> Vec<Message> {
    let message = |event| match event {
        Event::Message(message) => Some(message),
        _ => None,
    };
    recorder.events().into_iter().filter_map(message).collect()
}

/// Fails the test after a minute instead of waiting forever.
pub async fn within<T>(wait: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), wait).await.expect("what was waited for did not happen")
}
