//! Memory follows the person (MP1), through the real program: what somebody tells a persona one to one is in the
//! requests of their other chats, and in nobody else's.

use serde_json::{Value, json};

use crate::served::Served;

/// What Bo tells, and what is asked.
const FACTS: [(&str, &str, &str); 10] = [
    ("Remember that I am allergic to walnuts", "allergic to walnuts", "What am I allergic to?"),
    (
        "Remember that my sister Clara keeps bees in Devon",
        "keeps bees in Devon",
        "Where does my sister keep bees?",
    ),
    (
        "Don't forget that my passport expires in March",
        "passport expires in March",
        "When does my passport expire?",
    ),
    ("I prefer window seats on trains", "window seats on trains", "Which seats do I prefer on trains?"),
    ("Remember that my dentist moved to Baker Street", "moved to Baker Street", "Where is my dentist?"),
    ("Remember that I lent the ladder to Henrik", "lent the ladder to Henrik", "Who has my ladder?"),
    ("Note that our anniversary is on the ninth of June", "ninth of June", "When is our anniversary?"),
    ("Remember that my boss is on leave until Easter", "leave until Easter", "How long is my boss on leave?"),
    ("please remember that I work nights on Tuesdays", "nights on Tuesdays", "When do I work nights?"),
    ("Remember that my son plays the cello", "son plays the cello", "What does my son play?"),
];

/// Says something; the request that the model was sent.
fn say(server: &Served, channel: &str, who: &str, text: &str) -> String {
    let body = json!({ "text": text, "persona": "ada", "user": who });
    let said = server.call("", "POST", &format!("/api/channels/{channel}/messages"), &body.to_string());
    assert_eq!(said.status, 200, "{}", said.body);
    server.endpoint.chats().pop().unwrap().to_string()
}

fn listed(server: &Served, place: &str) -> Vec<Value> {
    let list = server.call("", "GET", &format!("/api/personas/ada/memories?{place}"), "").json();
    list["memories"].as_array().unwrap().clone()
}

#[test]
fn mp1_what_bo_tells_one_to_one_is_known_in_all_of_bos_chats_and_nowhere_else() {
    let server = Served::start();
    for (said, ..) in FACTS {
        say(&server, "discord:bo", "bo", said);
    }
    say(&server, "discord:den", "cy", "hello all");
    for (_, fact, question) in FACTS {
        let asked = |channel: &str, who: &str| say(&server, channel, who, question).contains(fact);
        assert!(asked("discord:bo", "bo"), "{question}");
        assert!(asked("discord:phone", "bo"), "in another chat: {question}");
        assert!(!asked("discord:den", "bo"), "in a group: {question}");
        assert!(!asked("discord:cy", "cy"), "another person: {question}");
        assert!(!asked("irc:bo", "bo"), "another platform: {question}");
    }
    // the platform says that it is a group, before anybody else has spoken
    let (_, fact, question) = FACTS[0];
    let body = json!({ "text": question, "persona": "ada", "user": "bo", "group": true });
    server.call("", "POST", "/api/channels/discord:hall/messages", &body.to_string());
    assert!(!server.endpoint.chats().pop().unwrap().to_string().contains(fact));

    assert_eq!(listed(&server, "channel=discord:phone&user=bo").len(), 10);
    for elsewhere in
        ["channel=discord:den&user=bo", "channel=discord:hall&user=bo", "channel=discord:bo&user=cy"]
    {
        let private = listed(&server, elsewhere).into_iter().filter(|memory| memory["scope"] == "private");
        assert_eq!(private.count(), 0, "{elsewhere}");
        let search = format!("/api/personas/ada/memories/search?{elsewhere}&q=allergic+walnuts");
        let hits = server.call("", "GET", &search, "").json()["hits"].to_string();
        assert!(!hits.contains("\"private\""), "{hits}");
    }

    // Bo lets others know one of them
    let memories = listed(&server, "channel=discord:bo&user=bo");
    let allergy = memories.iter().find(|memory| memory["text"].to_string().contains(fact)).unwrap();
    let at =
        format!("/api/personas/ada/memories/{}?channel=discord:bo&user=bo", allergy["id"].as_str().unwrap());
    let shared = server.call("", "PATCH", &at, r#"{"private":false}"#).json();
    assert_eq!((&shared["scope"], &shared["trust"]), (&"user".into(), &"stranger".into()), "{shared}");
    assert!(say(&server, "discord:den", "bo", question).contains(fact));
    assert!(!say(&server, "discord:cy", "cy", question).contains(fact));
    server.call("", "PATCH", &at, r#"{"private":true}"#);
    assert!(!say(&server, "discord:hall", "bo", question).contains(fact));
}

/// A conversation that comes with a request is with the person whom it names, unless several speak in it.
#[test]
fn mp1_a_client_of_openai_is_recalled_what_its_user_told() {
    let server = Served::start();
    say(&server, "api:bo", "bo", "Remember that I am allergic to walnuts");
    let ask = |user: &str, messages: Value| {
        let body = json!({ "model": "ada", "user": user, "messages": messages });
        let answer = server.call("", "POST", "/v1/chat/completions", &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        server.endpoint.chats().pop().unwrap().to_string().contains("allergic to walnuts")
    };
    let question = |name: &str| json!({ "role": "user", "name": name, "content": "What am I allergic to?" });
    assert!(ask("bo", json!([{ "role": "user", "content": "What am I allergic to?" }])));
    assert!(!ask("cy", json!([{ "role": "user", "content": "What am I allergic to?" }])));
    let hello = json!({ "role": "user", "name": "Cy", "content": "hello" });
    assert!(!ask("bo", json!([hello, { "role": "assistant", "content": "hi" }, question("Bo")])));
}

#[test]
fn mp8_why_explains_an_expected_message_of_another_chat_and_only_to_its_person() {
    let server = Served::start();
    for n in 1..=12 {
        say(&server, "discord:bo", "bo", &format!("The market stall number {n} sold apples this morning"));
    }
    say(&server, "discord:bo", "bo", "The ladder leans behind the shed");
    let list = server.call("", "GET", "/api/channels/discord:bo/messages?limit=50", "").json();
    let mut messages = list["messages"].as_array().unwrap().iter();
    let ladder = messages.find(|message| message["text"].to_string().contains("ladder")).unwrap();
    let id = format!("msg:{}", ladder["id"]);
    let why = |place: &str, expect: &str| {
        let question = "q=Who+sold+apples+at+the+market";
        server.call(
            "",
            "GET",
            &format!("/api/personas/ada/memories/why?{place}&{question}&expect={expect}"),
            "",
        )
    };
    let missed = |place: &str| {
        let near = why(place, &id).json()["near"].as_array().unwrap().clone();
        near.into_iter().find(|near| near.to_string().contains("ladder leans"))
    };
    let near = missed("channel=discord:phone&user=bo").expect("it is explained, however far it is");
    assert_eq!(near["other_chat"], true, "{near}");
    assert!(near["why"].as_str().is_some_and(|why| !why.is_empty()), "{near}");
    assert_eq!(
        missed("channel=discord:bo&user=bo").map(|near| near["other_chat"].clone()),
        Some(false.into())
    );
    assert_eq!(missed("channel=discord:cy&user=cy"), None);
    let refused = why("channel=discord:bo&user=bo", "twelve");
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("expect"), "{}", refused.body);
}
