//! The platforms that send requests to us: a bridge, and Slack with its Events API.

use std::sync::Arc;

use greenroom_adapters::{Account, Adapter, Place, testing::Recorder};
use greenroom_core::Platform;
use greenroom_persona::Secret;
use greenroom_platform_fakes::{Bridge, CallFault, Faults, Post as Posted};

use crate::{
    ingress::{Ingress, Listening},
    stage::{OnSlack, Stage, settings},
};

const JO: (&str, &str) = ("jo", "Jo");

pub struct OnBridge {
    pub fake: Bridge,
    ingress: Ingress,
}

impl Stage for OnBridge {
    async fn open() -> Self {
        let (fake, ingress) = (
            Bridge::start().await.unwrap(),
            Ingress::start(["greenroom-timestamp", "greenroom-signature"]).await,
        );
        fake.send_events_to(&ingress.url);
        Self { fake, ingress }
    }
    fn account(&self) -> Account {
        let settings = settings(Platform::Bridge, self.fake.url());
        Account { settings, token: Some(Secret::new(self.fake.secret())), app_token: None }
    }
    fn place(&self) -> Place {
        Place::chat("one/stage")
    }
    fn say(&self, text: &str) -> String {
        self.fake.say("stage", JO, false, text)
    }
    fn bot_says(&self, text: &str) {
        self.fake.say("stage", ("robot", "Robot"), true, text);
    }
    fn impostor_says(&self, text: &str) {
        self.fake.say("stage", ("eve", "Ada"), false, text);
    }
    fn edit(&self, said: &str, text: &str) {
        self.fake.edit("stage", JO, said, text);
    }
    fn delete(&self, said: &str) {
        self.fake.delete("stage", said);
    }
    async fn heard(&self, _count: usize) -> Vec<Posted> {
        self.fake.posts()
    }
    async fn kill(&self) {
        self.fake.kill().await;
    }
    async fn restart(&self) {
        self.fake.restart().await.unwrap();
    }
    fn orders(&self) -> Option<&Faults> {
        Some(self.fake.faults())
    }
    fn send_call(&self) -> &'static str {
        "POST /"
    }
    fn asks_to_wait(&self) {
        self.fake.faults().next_call(self.send_call(), CallFault::Status(429));
    }
    async fn refused(&self, _recorder: &Recorder) {
        self.ingress.refused().await;
    }
    fn replayed(&self) -> usize {
        self.ingress.replayed()
    }
    fn attach(&self, adapter: &Arc<dyn Adapter>, listener: Arc<dyn Listening>) {
        self.ingress.attach(adapter, listener);
    }
}

/// Slack with its Events API in place of Socket Mode.
pub struct OnSlackEvents {
    pub slack: OnSlack,
    ingress: Ingress,
}

impl Stage for OnSlackEvents {
    const CANNOT: &'static [(&'static str, &'static str)] = &[(
        "ad3_what_is_not_stored_comes_again",
        "Slack waits for minutes: ad3_a_request_of_slack_that_was_not_stored_comes_again has virtual time",
    )];
    const ORDERED: bool = false;

    async fn open() -> Self {
        let slack = OnSlack::open().await;
        let ingress = Ingress::start(["x-slack-request-timestamp", "x-slack-signature"]).await;
        slack.fake.send_events_to(&ingress.url);
        Self { slack, ingress }
    }
    fn account(&self) -> Account {
        let secret = Secret::new(self.slack.fake.signing_secret());
        Account { app_token: Some(secret), ..self.slack.account() }
    }
    fn place(&self) -> Place {
        self.slack.place()
    }
    fn say(&self, text: &str) -> String {
        self.slack.say(text)
    }
    fn bot_says(&self, text: &str) {
        self.slack.bot_says(text);
    }
    fn impostor_says(&self, text: &str) {
        self.slack.impostor_says(text);
    }
    fn edit(&self, said: &str, text: &str) {
        self.slack.edit(said, text);
    }
    fn delete(&self, said: &str) {
        self.slack.delete(said);
    }
    async fn heard(&self, count: usize) -> Vec<Posted> {
        self.slack.heard(count).await
    }
    async fn kill(&self) {
        self.slack.kill().await;
    }
    async fn restart(&self) {
        self.slack.restart().await;
    }
    fn orders(&self) -> Option<&Faults> {
        self.slack.orders()
    }
    fn send_call(&self) -> &'static str {
        self.slack.send_call()
    }
    fn limit_rates(&self, on: bool) {
        self.slack.limit_rates(on);
    }
    fn attach(&self, adapter: &Arc<dyn Adapter>, listener: Arc<dyn Listening>) {
        self.ingress.attach(adapter, listener);
    }
}
