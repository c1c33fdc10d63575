//! InspIRCd, Synapse and Prosody as stages of the conformance list.

use std::collections::{HashMap, VecDeque};

use async_trait::async_trait;
use greenroom_adapters::{Account, Place};
use greenroom_core::Platform;
use greenroom_persona::{AccountSettings, Secret};
use greenroom_platform_fakes::Post as Posted;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    servers::{
        irc,
        matrix::{self, Synapse},
        prosody::{self, Prosody, TEA},
        stand_still,
    },
    stage::{LATE, Stage, settings},
    world::{People, Who, World},
};

/// Why real servers have no cases with faults.
const NO_FAULTS: &str = "a real server delivers once and in order; the fakes and \
    ad1_an_event_that_comes_again_is_answered_once have the rest";

fn post(text: &str) -> Posted {
    Posted { text: text.to_owned(), ..Posted::default() }
}

/// The methods of a stage that its world implements.
macro_rules! in_a_world {
    () => {
        fn say(&self, text: &str) -> String {
            self.world.say(Who::Person, text)
        }
        fn bot_says(&self, text: &str) {
            self.world.say(Who::Bot, text);
        }
        fn impostor_says(&self, text: &str) {
            self.world.say(Who::Impostor, text);
        }
        fn edit(&self, said: &str, text: &str) {
            self.world.edit(said, text);
        }
        fn delete(&self, said: &str) {
            self.world.delete(said);
        }
        async fn heard(&self, count: usize) -> Vec<Posted> {
            self.world.heard(count).await
        }
        async fn slow(&self) {
            self.world.slow().await;
        }
        async fn kill(&self) {
            self.world.kill().await;
        }
        async fn restart(&self) {
            self.world.restart().await;
        }
    };
}

pub struct OnIrc {
    world: World,
    settings: AccountSettings,
}

impl Stage for OnIrc {
    const CANNOT: &'static [(&'static str, &'static str)] = &[
        (
            "ad3_nothing_is_lost_when_the_process_dies",
            "a server without history keeps nothing for an absence",
        ),
        ("ad3_what_is_not_stored_comes_again", "IRC knows no acknowledgement of what a server sends"),
        ("ad3_events_that_are_repeated_or_swapped_arrive_once", NO_FAULTS),
        (
            "ad3_a_platform_that_asks_to_wait_is_obeyed",
            "IRC asks for nothing: a server reads slowly, and the adapter keeps to a pace",
        ),
        ("ad3_a_text_that_calls_everybody_notifies_nobody", "IRC has no call to everybody"),
        ("ad3_a_name_forges_no_author", "a nick is of one person at a time"),
        ("ad3_an_edit_keeps_the_id_of_its_message", "IRC has no edits"),
        ("ad3_a_deletion_names_its_message", "IRC has no deletions"),
    ];
    const REPLAYS: bool = false;
    const LONG: usize = 30;

    async fn open() -> Self {
        let server = irc::Server::start(irc::Kind::Inspircd).await;
        let address = format!("127.0.0.1:{}", server.port);
        let settings =
            AccountSettings { tls: false, channels: vec!["#tea".into()], ..settings(Platform::Irc, address) };
        let jo = irc::Person::enter(&server, "jo").await;
        let people =
            OnInspircd { server, jo: Some(jo), robot: None, backlog: VecDeque::new(), is_met: false };
        Self { world: World::of(people), settings }
    }
    fn account(&self) -> Account {
        Account { settings: self.settings.clone(), token: None, app_token: None }
    }
    fn place(&self) -> Place {
        Place::chat("one/#tea")
    }
    in_a_world!();
}

struct OnInspircd {
    server: irc::Server,
    jo: Option<irc::Person>,
    robot: Option<irc::Person>,
    /// Messages that arrived while the person waited for something else.
    backlog: VecDeque<Posted>,
    /// Whether the account is in the channel.
    is_met: bool,
}

impl OnInspircd {
    /// The person's next line. Messages of the account go to the backlog.
    async fn line(&mut self) -> String {
        let jo = self.jo.as_mut().expect("the server is there");
        let line = jo.lines.next_line().await.unwrap().expect("the server goes on");
        if let Some(token) = line.strip_prefix("PING ") {
            jo.send(&format!("PONG {token}")).await;
        }
        let said =
            line.to_lowercase().starts_with(":ada!").then(|| line.split_once(" PRIVMSG #tea :")).flatten();
        if let Some((_, text)) = said {
            self.backlog.push_back(post(text));
        }
        line
    }

    async fn asks(&mut self, line: &str, answer: &str) -> Vec<String> {
        self.jo.as_mut().expect("the server is there").send(line).await;
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.contains(answer)) {
            lines.push(self.line().await);
        }
        lines
    }

    /// Waits until the account is in the channel, because earlier messages do not reach it.
    async fn meet(&mut self) {
        while !self.is_met {
            let names = self.asks("NAMES #tea", " 366 ").await;
            self.is_met =
                names.iter().any(|line| line.contains(" 353 ") && line.to_lowercase().contains("ada"));
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

#[async_trait]
impl People for OnInspircd {
    async fn say(&mut self, who: Who, name: &str, text: &str) {
        self.meet().await;
        if who == Who::Bot {
            let mut robot = irc::Person::enter(&self.server, "robot").await;
            robot.send("MODE robot +B").await;
            robot.says("#tea", text).await;
            robot.send(&format!("PING {name}")).await;
            robot.until(|line| line.contains(" PONG ")).await;
            self.robot = Some(robot);
            return;
        }
        self.jo.as_mut().expect("the server is there").says("#tea", text).await;
        self.asks(&format!("PING :done-{name}"), &format!("done-{name}")).await;
    }
    async fn edit(&mut self, _name: &str, _text: &str) {}
    async fn delete(&mut self, _name: &str) {}
    async fn hear(&mut self) -> Posted {
        loop {
            if let Some(post) = self.backlog.pop_front() {
                return post;
            }
            self.line().await;
        }
    }
    async fn kill(&mut self) {
        (self.jo, self.robot, self.is_met) = (None, None, false);
        self.server.kill();
    }
    fn slow(&mut self) {
        stand_still(&self.server.child, LATE);
    }
    async fn restart(&mut self) {
        self.server.run().await;
        self.jo = Some(irc::Person::enter(&self.server, "jo").await);
    }
}

pub struct OnMatrix {
    world: World,
    settings: AccountSettings,
    token: String,
    room: String,
}

impl Stage for OnMatrix {
    const CANNOT: &'static [(&'static str, &'static str)] = &[
        ("ad3_events_that_are_repeated_or_swapped_arrive_once", NO_FAULTS),
        (
            "ad3_a_platform_that_asks_to_wait_is_obeyed",
            "its people have the same limits: ad3_a_homeserver_that_asks_to_wait_is_obeyed_on_synapse",
        ),
    ];

    async fn open() -> Self {
        let synapse = Synapse::start().await;
        let (bot, jo) = (synapse.person("bot").await, synapse.person("jo").await);
        let eve = synapse.person("eve").await;
        let body = json!({ "preset": "private_chat", "invite": ["@bot:test", "@eve:test"] });
        let room = jo.call(Method::POST, "/createRoom", body).await["room_id"].as_str().unwrap().to_owned();
        for invited in [&bot, &eve] {
            invited.call(Method::POST, &format!("/rooms/{room}/join"), json!({})).await;
        }
        eve.call(Method::PUT, "/profile/@eve:test/displayname", json!({ "displayname": "bot" })).await;
        let settings = AccountSettings { tls: false, ..settings(Platform::Matrix, synapse.url()) };
        let people =
            OnSynapse { synapse, jo, eve, room: room.clone(), ids: HashMap::new(), backlog: VecDeque::new() };
        Self { world: World::of(people), settings, token: bot.token, room }
    }
    fn account(&self) -> Account {
        let token = Some(Secret::new(&*self.token));
        Account { settings: self.settings.clone(), token, app_token: None }
    }
    fn place(&self) -> Place {
        Place::chat(&*self.room)
    }
    in_a_world!();
}

struct OnSynapse {
    synapse: Synapse,
    jo: matrix::Person,
    eve: matrix::Person,
    room: String,
    /// Event ids by the names of messages.
    ids: HashMap<String, String>,
    backlog: VecDeque<Posted>,
}

#[async_trait]
impl People for OnSynapse {
    async fn say(&mut self, who: Who, name: &str, text: &str) {
        let kind = if who == Who::Bot { "m.notice" } else { "m.text" };
        let person = if who == Who::Person { &mut self.jo } else { &mut self.eve };
        let id = person.sends(&self.room, json!({ "msgtype": kind, "body": text })).await;
        self.ids.insert(name.to_owned(), id);
    }
    async fn edit(&mut self, name: &str, text: &str) {
        let content = json!({
            "msgtype": "m.text", "body": format!("* {text}"), "m.new_content": { "msgtype": "m.text", "body": text },
            "m.relates_to": { "rel_type": "m.replace", "event_id": self.ids[name] },
        });
        self.jo.sends(&self.room, content).await;
    }
    async fn delete(&mut self, name: &str) {
        let path = format!("/rooms/{}/redact/{}/{name}", self.room, self.ids[name]);
        self.jo.call(Method::PUT, &path, json!({})).await;
    }
    async fn hear(&mut self) -> Posted {
        loop {
            if let Some(post) = self.backlog.pop_front() {
                return post;
            }
            let since = self.jo.since.as_ref().map(|since| format!("&since={since}")).unwrap_or_default();
            let synced = self.jo.call(Method::GET, &format!("/sync?timeout=1000{since}"), Value::Null).await;
            self.jo.since = synced["next_batch"].as_str().map(str::to_owned);
            let events = synced["rooms"]["join"][&self.room]["timeline"]["events"].as_array();
            for event in events.into_iter().flatten().filter(|event| event["sender"] == "@bot:test") {
                let Some(text) = event["content"]["body"].as_str() else { continue };
                let calls = event["content"]["m.mentions"]["room"] == true || text.contains("@room");
                let notifies = if calls { vec!["everyone".to_owned()] } else { Vec::new() };
                let id = event["event_id"].as_str().unwrap().to_owned();
                self.backlog.push_back(Posted { id, notifies, ..post(text) });
            }
        }
    }
    async fn kill(&mut self) {
        self.synapse.kill();
    }
    fn slow(&mut self) {
        stand_still(&self.synapse.child, LATE);
    }
    async fn restart(&mut self) {
        self.synapse.run().await;
    }
}

pub struct OnXmpp {
    world: World,
    settings: AccountSettings,
}

impl Stage for OnXmpp {
    const CANNOT: &'static [(&'static str, &'static str)] = &[
        ("ad3_events_that_are_repeated_or_swapped_arrive_once", NO_FAULTS),
        (
            "ad3_a_platform_that_asks_to_wait_is_obeyed",
            "Prosody asks for nothing: it reads slowly what is too much",
        ),
        ("ad3_a_text_that_calls_everybody_notifies_nobody", "XMPP has no call to everybody"),
        ("ad3_a_name_forges_no_author", "a room gives a nick to one person at a time"),
        (
            "ad3_bots_and_echoes_are_told_from_people",
            "a program is asked what it is after its first message: \
             ad3_a_bot_counts_against_the_limits_of_a_room_on_prosody",
        ),
    ];

    async fn open() -> Self {
        let server = Prosody::start(prosody::Kind::Rich).await;
        let settings = AccountSettings { name: "one".into(), personas: Vec::new(), ..server.settings() };
        let mut people =
            OnProsody { server, jo: None, robot: None, ids: HashMap::new(), backlog: VecDeque::new() };
        people.enter().await;
        Self { world: World::of(people), settings }
    }
    fn account(&self) -> Account {
        Account { settings: self.settings.clone(), token: Some(Secret::new("secret")), app_token: None }
    }
    fn place(&self) -> Place {
        Place::chat(TEA)
    }
    in_a_world!();
}

struct OnProsody {
    server: Prosody,
    jo: Option<prosody::Person>,
    robot: Option<prosody::Person>,
    /// Each message's id from the client and id from the room, by the name of the message.
    ids: HashMap<String, (String, String)>,
    backlog: VecDeque<Posted>,
}

impl OnProsody {
    async fn enter(&mut self) {
        let mut jo = self.server.person("ann").await;
        jo.enters("jo").await;
        self.jo = Some(jo);
    }

    fn jo(&mut self) -> &mut prosody::Person {
        self.jo.as_mut().expect("the server is there")
    }

    /// The next report of the client. Messages of the account go to the backlog.
    async fn told(&mut self) -> Value {
        let line = self.jo().lines.next_line().await.unwrap().expect("the client goes on");
        let told: Value = serde_json::from_str(&line).unwrap();
        let is_said = told["event"] == "message" && told["by"] == format!("{TEA}/Ada");
        if let Some(text) = told["body"].as_str().filter(|text| is_said && !text.is_empty()) {
            let id = told["has"]["stanza-id"]["id"].as_str().unwrap_or_default().to_owned();
            self.backlog.push_back(Posted { id, ..post(text) });
        }
        told
    }
}

#[async_trait]
impl People for OnProsody {
    async fn say(&mut self, who: Who, name: &str, text: &str) {
        if who == Who::Bot {
            let mut robot = self.server.robot("eve").await;
            robot.enters("robot").await;
            robot.says(TEA, text).await;
            robot.hears(text).await;
            self.robot = Some(robot);
            return;
        }
        self.jo().does(json!(["say", TEA, "groupchat", text])).await;
        let mut given = String::new();
        loop {
            let told = self.told().await;
            if told["event"] == "said" {
                given = told["id"].as_str().unwrap().to_owned();
            }
            if told["event"] == "message" && told["by"] == format!("{TEA}/jo") && told["body"] == text {
                let id = told["has"]["stanza-id"]["id"].as_str().unwrap().to_owned();
                self.ids.insert(name.to_owned(), (given, id));
                return;
            }
        }
    }
    async fn edit(&mut self, name: &str, text: &str) {
        let given = self.ids[name].0.clone();
        self.jo().does(json!(["correct", TEA, "groupchat", given, text])).await;
    }
    async fn delete(&mut self, name: &str) {
        let id = self.ids[name].1.clone();
        self.jo().does(json!(["retract", TEA, "groupchat", id])).await;
    }
    async fn hear(&mut self) -> Posted {
        loop {
            if let Some(post) = self.backlog.pop_front() {
                return post;
            }
            self.told().await;
        }
    }
    async fn kill(&mut self) {
        self.server.kill();
        (self.jo, self.robot) = (None, None);
    }
    fn slow(&mut self) {
        stand_still(&self.server.child, LATE);
    }
    async fn restart(&mut self) {
        self.server.run().await;
        self.enter().await;
    }
}
