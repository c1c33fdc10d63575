//! The whole program on chat platforms: a fake that enforces the platform's rules on one side, a model's endpoint on the
//! other, and SIGKILL in between (AD3).

// clippy knows the tests themselves, not the hands that help them
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bridge;
mod slack;

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Stdio},
};

use greenroom_platform_fakes::{CallFault, Discord, Post, Telegram};
use greenroom_tests::{Answer, Home, MockEndpoint, Stderr, greenroom};
use tokio::task::block_in_place;

/// The program in a home of its own, with one account.
struct Program {
    home: Home,
    endpoint: MockEndpoint,
    secrets: Vec<(&'static str, String)>,
    listen: String,
    running: Option<(Child, Stderr)>,
}

impl Program {
    fn new(platform: &str, url: &str, secrets: Vec<(&'static str, String)>) -> Self {
        let home = Home::new();
        home.write("personas/ada.md", "---\ndisplay_name: Ada\n---\nYou are Ada.\n");
        let app_token = if platform == "slack" { "app_token_env = \"SLACK_APP_TOKEN\"\n" } else { "" };
        let token = secrets[0].0;
        home.write(
            "greenroom.toml",
            &format!(
                "persona = \"ada\"\n[[accounts]]\nname = \"one\"\nplatform = \"{platform}\"\nserver = \"{url}\"\n\
                 token_env = \"{token}\"\n{app_token}personas = [\"ada\"]\n"
            ),
        );
        let listen = "127.0.0.1:0".to_owned();
        Self { home, endpoint: MockEndpoint::start(), secrets, listen, running: None }
    }

    fn start(&mut self) {
        let mut child = self
            .home
            .command(greenroom())
            .args(["serve", "--listen", &self.listen])
            .args(["--base-url", &self.endpoint.base_url(), "--model", "mock"])
            .envs(self.secrets.iter().map(|(name, value)| (name, value)))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = Stderr::of(&mut child);
        stderr.wait_for("http://127.0.0.1:");
        self.running = Some((child, stderr));
    }

    /// Ends without a goodbye. Returns what the program said.
    fn kill(&mut self) -> String {
        let (mut child, stderr) = self.running.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        stderr.all()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.running.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Posts a body to the program; returns the answer, which is empty where the program is not there.
fn post(port: u16, path: &str, headers: &[(&str, String)], body: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return String::new() };
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {length}\r\n\
         {headers}\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A person talks while the program is killed and the platform dies: each message is answered once.
async fn talk_through_kills(
    mut program: Program,
    connected: impl AsyncFn(),
    say: impl Fn(&str),
    posts: impl AsyncFn(usize) -> Vec<Post>,
    kill: impl AsyncFn(),
    restart: impl AsyncFn(),
) {
    for n in 0..5 {
        program.endpoint.push(Answer::text(&format!("answer {n}")));
    }
    block_in_place(|| program.start());
    // what was said before the account was there for the first time is none of its business
    connected().await;
    say("Ada, are you there?");
    posts(1).await;
    let mut said = block_in_place(|| program.kill());

    say("Ada, and now?");
    block_in_place(|| program.start());
    posts(2).await;

    kill().await;
    say("Ada, one more?");
    restart().await;
    let posts = posts(3).await;
    said += &block_in_place(|| program.kill());

    let texts: Vec<&str> = posts.iter().map(|post| post.text.as_str()).collect();
    let answers: Vec<&str> = texts.iter().map(|text| text.trim_start_matches("Ada: ")).collect();
    assert_eq!(answers, ["answer 0", "answer 1", "answer 2"], "{said}");
    for (name, secret) in &program.secrets {
        assert!(!said.contains(secret.as_str()), "{name} was shown: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ad3_telegram_answers_once_through_kills() {
    let fake = Telegram::start().await.unwrap();
    let jo = fake.person("Jo");
    let program = Program::new("telegram", &fake.url(), vec![("TELEGRAM_TOKEN", fake.token())]);
    let say = |text: &str| {
        fake.say(jo, jo, text);
    };
    let connected = async || fake.wait_for_poll().await;
    let restart = async || fake.restart().await.unwrap();
    let posts = async |n| fake.wait_for_posts(n).await;
    talk_through_kills(program, connected, say, posts, async || fake.kill().await, restart).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ad3_discord_answers_once_through_kills() {
    let fake = Discord::start().await.unwrap();
    let (stage, jo) = (fake.channel("stage"), fake.person("Jo"));
    let program = Program::new("discord", &fake.url(), vec![("DISCORD_TOKEN", fake.token())]);
    let say = |text: &str| {
        fake.say(stage, jo, text);
    };
    let connected = async || fake.wait_for_session().await;
    let restart = async || fake.restart().await.unwrap();
    let posts = async |n| fake.wait_for_posts(n).await;
    talk_through_kills(program, connected, say, posts, async || fake.kill().await, restart).await;
    assert_eq!(fake.posts()[0].face.name.as_deref(), Some("Ada"));
}

/// The library of WebSockets logs each frame at `trace`, and the first one to Discord contains the token.
#[tokio::test(flavor = "multi_thread")]
async fn x5_no_line_of_the_log_holds_the_token_of_an_account() {
    let fake = Discord::start().await.unwrap();
    let log = ("GREENROOM_LOG", "trace,tungstenite::protocol=trace".to_owned());
    let mut program = Program::new("discord", &fake.url(), vec![("DISCORD_TOKEN", fake.token()), log]);
    block_in_place(|| program.start());
    fake.wait_for_session().await;
    let said = block_in_place(|| program.kill());
    assert!(said.contains("TRACE"), "{said}");
    assert!(!said.contains(&fake.token()), "{said}");
}

/// openclaw#22780: a message whose answer was lost was posted again.
#[tokio::test(flavor = "multi_thread")]
async fn ad8_a_lost_answer_is_uncertain_and_is_not_sent_again() {
    let fake = Telegram::start().await.unwrap();
    let jo = fake.person("Jo");
    let mut program = Program::new("telegram", &fake.url(), vec![("TELEGRAM_TOKEN", fake.token())]);
    for text in ["first", "second"] {
        program.endpoint.push(Answer::text(text));
    }
    fake.faults().next_call("sendMessage", CallFault::LoseAnswer);
    block_in_place(|| program.start());
    fake.say(jo, jo, "Are you there?");
    fake.wait_for_posts(1).await;
    fake.say(jo, jo, "And now?");
    // the order within a chat: the first one is over when the second one is sent
    let posts = fake.wait_for_posts(2).await;
    let texts: Vec<_> = posts.iter().map(|post| post.text.trim_start_matches("Ada: ")).collect();
    assert_eq!(texts, ["first", "second"]);
    let accounts = block_in_place(|| program.home.command(greenroom()).arg("accounts").output().unwrap());
    let accounts = String::from_utf8(accounts.stdout).unwrap();
    assert!(accounts.contains("1 uncertain"), "{accounts}");
    block_in_place(|| program.kill());
}

/// PraisonAI#5154: two replicas answered.
#[tokio::test(flavor = "multi_thread")]
async fn ad1_of_two_processes_one_answers_and_the_other_takes_over() {
    let fake = Telegram::start().await.unwrap();
    let jo = fake.person("Jo");
    let secrets = vec![("TELEGRAM_TOKEN", fake.token())];
    let mut program = Program::new("telegram", &fake.url(), secrets);
    for n in 0..3 {
        program.endpoint.push(Answer::text(&format!("answer {n}")));
    }
    block_in_place(|| program.start());
    fake.wait_for_poll().await;
    let first = program.running.take().unwrap();
    // another one on the same data
    block_in_place(|| program.start());
    fake.say(jo, jo, "Ada, are you there?");
    fake.wait_for_posts(1).await;
    let (mut child, _) = first;
    block_in_place(|| {
        child.kill().unwrap();
        child.wait().unwrap();
    });
    fake.say(jo, jo, "Ada, and now?");
    let posts = fake.wait_for_posts(2).await;
    let texts: Vec<_> = posts.iter().map(|post| post.text.trim_start_matches("Ada: ")).collect();
    assert_eq!(texts, ["answer 0", "answer 1"]);
    block_in_place(|| program.kill());
}
