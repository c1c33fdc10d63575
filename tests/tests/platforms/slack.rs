//! The program on Slack: by Socket Mode, and by requests that Slack sends to `/api/slack`.

use greenroom_platform_fakes::Slack;
use greenroom_tests::Answer;
use serde_json::json;
use tokio::task::block_in_place;

use crate::{Program, free_port, post, talk_through_kills};

const PATH: &str = "/api/slack/one";

fn secrets(fake: &Slack, second: String) -> Vec<(&'static str, String)> {
    vec![("SLACK_BOT_TOKEN", fake.bot_token()), ("SLACK_APP_TOKEN", second)]
}

#[tokio::test(flavor = "multi_thread")]
async fn ad3_slack_answers_once_through_kills() {
    let fake = Slack::start().await.unwrap();
    let (stage, jo) = (fake.channel("stage"), fake.person("Jo"));
    let secrets = vec![("SLACK_BOT_TOKEN", fake.bot_token()), ("SLACK_APP_TOKEN", fake.app_token())];
    let program = Program::new("slack", &fake.url(), secrets);
    let say = |text: &str| {
        fake.say(&stage, &jo, text);
    };
    let connected = async || fake.wait_for_connection().await;
    let restart = async || fake.restart().await.unwrap();
    let posts = async |n| fake.wait_for_posts(n).await;
    talk_through_kills(program, connected, say, posts, async || fake.kill().await, restart).await;
    assert_eq!(fake.posts()[0].face.name.as_deref(), Some("Ada"));
}

/// The status and the body of the answer to a request.
fn request(port: u16, headers: &[(&str, String)], body: &str) -> (u16, String) {
    let answer = block_in_place(|| post(port, PATH, headers, body));
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

/// Waits until the account is online: before that, Slack is told to come again.
async fn online(fake: &Slack, port: u16) {
    let challenge = json!({ "type": "url_verification", "challenge": "3eZbrw1a" }).to_string();
    loop {
        match request(port, &fake.signed(&challenge, 0), &challenge) {
            (0 | 503, _) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
            answer => return assert_eq!(answer, (200, json!({ "challenge": "3eZbrw1a" }).to_string())),
        }
    }
}

/// Slack sends its events to the program, and reads of its own histories find what it gave up.
#[tokio::test(flavor = "multi_thread")]
async fn ad3_slack_answers_once_through_kills_by_requests() {
    let fake = Slack::start().await.unwrap();
    let (stage, jo, port) = (fake.channel("stage"), fake.person("Jo"), free_port());
    let mut program = Program::new("slack", &fake.url(), secrets(&fake, fake.signing_secret()));
    program.listen = format!("127.0.0.1:{port}");
    fake.send_events_to(&format!("http://127.0.0.1:{port}/api/slack/one"));
    let say = |text: &str| {
        fake.say(&stage, &jo, text);
    };
    let connected = async || online(&fake, port).await;
    let restart = async || fake.restart().await.unwrap();
    let posts = async |n| fake.wait_for_posts(n).await;
    talk_through_kills(program, connected, say, posts, async || fake.kill().await, restart).await;
    assert_eq!(fake.lost(), 0);
}

/// vercel/chat#666, agno#10073: a retry may be the only copy, and may be one more copy.
#[tokio::test(flavor = "multi_thread")]
async fn x3_the_program_refuses_what_slack_did_not_sign_and_answers_a_retry_from_the_store() {
    let fake = Slack::start().await.unwrap();
    let (stage, jo, port) = (fake.channel("stage"), fake.person("Jo"), free_port());
    let mut program = Program::new("slack", &fake.url(), secrets(&fake, fake.signing_secret()));
    program.listen = format!("127.0.0.1:{port}");
    (0..2).for_each(|n| program.endpoint.push(Answer::text(&format!("answer {n}"))));
    block_in_place(|| program.start());
    online(&fake, port).await;
    let event = |ts: &str, text: &str| {
        let event = json!({ "type": "message", "ts": ts, "channel": stage, "user": jo, "text": text });
        json!({ "type": "event_callback", "event_id": format!("Ev{ts}"), "event": event }).to_string()
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let (first, second) = (format!("{now}.000100"), format!("{now}.000200"));
    let hello = event(&first, "Ada, hello");

    let mut forged = fake.signed(&hello, 0);
    forged[1].1 = forged[1].1.replace("v0=", "v0=0");
    let other = fake.signed("{}", 0);
    for (headers, status) in [(vec![], 401), (forged, 401), (other, 401), (fake.signed(&hello, 400), 401)] {
        let (refused, body) = request(port, &headers, &hello);
        assert_eq!(refused, status, "{body}");
    }
    for unreadable in ["{nonsense", ""] {
        assert_eq!(request(port, &fake.signed(unreadable, 0), unreadable).0, 400);
        assert_eq!(request(port, &[], unreadable).0, 401, "what is not signed is not read");
    }

    let signed = fake.signed(&hello, 1);
    assert_eq!(request(port, &signed, &hello), (200, "{}".to_owned()));
    assert_eq!(request(port, &signed, &hello).0, 409, "a replay");
    fake.wait_for_posts(1).await;
    let retry = |body: &str| {
        let mut headers = fake.signed(body, 0);
        headers.push(("X-Slack-Retry-Num", "1".to_owned()));
        request(port, &headers, body).0
    };
    assert_eq!(retry(&hello), 200, "one more copy");
    // the process dies: what is stored is known, and a retry that is the only copy is answered
    block_in_place(|| program.kill());
    block_in_place(|| program.start());
    online(&fake, port).await;
    assert_eq!((retry(&hello), retry(&event(&second, "Ada, and now?"))), (200, 200));
    let posts = fake.wait_for_posts(2).await;
    let texts: Vec<&str> = posts.iter().map(|post| post.text.as_str()).collect();
    assert_eq!(texts, ["answer 0", "answer 1"]);
    let said = block_in_place(|| program.kill());
    assert!(!said.contains(&fake.signing_secret()) && !said.contains(&fake.bot_token()), "{said}");
}
