//! Looking at channels, histories, sittings, personas, turns and contexts.

use greenroom_tests::Answer;
use serde_json::{Value, json};

use crate::{
    client::{Frame, ask, kinds},
    server::{Server, messages},
};

fn texts(page: &Value) -> Vec<&str> {
    page["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap()).collect()
}

#[test]
fn a_history_is_read_backwards_page_by_page() {
    let server = Server::start();
    for n in 0..3 {
        server.say("api:ann", &format!("message {n}"));
    }
    let path = messages("api:ann");
    let newest = server.get(&format!("{path}?limit=4")).body;
    assert_eq!(texts(&newest), ["message 1", "ok", "message 2", "ok"]);
    let before = server.get(&format!("{path}?limit=4&before={}", newest["before"])).body;
    assert_eq!(texts(&before), ["message 0", "ok"]);
    assert_eq!(before.get("before"), None, "that was all");
    assert_eq!(server.get(&messages("api:nobody")).body, json!({ "messages": [], "turns": [] }));
}

#[test]
fn gr6_a_history_says_which_message_another_replies_to() {
    let server = Server::start();
    let say = |body: Value| server.post(&messages("api:ann"), &body);
    say(json!({ "text": "where are the keys?", "event_id": "first" }));
    say(json!({ "text": "I mean those of the boat", "event_id": "second", "reply_to": "first" }));
    let page = server.get(&messages("api:ann")).body;
    let reply_to = |n: usize| page["messages"][n].get("reply_to");
    assert_eq!((reply_to(0), reply_to(2)), (None, Some(&json!("first"))), "{page}");
    let refused = say(json!({ "text": "and?", "reply_to": "\u{0}" }));
    assert_eq!(
        (refused.status, &refused.body["error"]["param"]),
        (400, &json!("reply_to")),
        "{}",
        refused.body
    );
}

/// What a program has just sent or heard can be replied to, without a look at the history.
#[test]
fn gr6_an_answer_says_what_a_message_and_its_reply_are_known_by() {
    let server = Server::start();
    let first = server.post(&messages("api:ann"), &json!({ "text": "where are the keys?" })).body;
    let (said, reply) = (&first["event_id"], &first["turns"][0]["event_id"]);
    for event in [said, reply] {
        let sent = server.post(&messages("api:ann"), &json!({ "text": "I mean this", "reply_to": event }));
        assert_eq!(sent.status, 200, "{}", sent.body);
    }
    let page = server.get(&messages("api:ann")).body;
    let replied = |n: usize| &page["messages"][n]["reply_to"];
    assert_eq!((replied(2), replied(4)), (said, reply), "{page}");
}

#[test]
fn a_page_of_long_messages_is_a_short_one() {
    let server = Server::with(|home| {
        home.write(
            "personas/ada.md",
            "---\nname: ada\nmemory: { enabled: false }\nmodel: { max_output_tokens: 50000 }\n\
             limits: { tokens_per_hour: 0 }\n---\nYou are Ada.\n",
        );
    });
    let long = format!("{} ", "x".repeat(4_000)).repeat(100);
    for n in 0..4 {
        server.endpoint.push(Answer::text(&format!("{n} {long}")));
        server.say("api:ann", &format!("{n}"));
    }
    let (mut path, mut seen, mut pages) = (messages("api:ann"), Vec::new(), Vec::new());
    loop {
        let page = server.get(&path).body;
        let texts = texts(&page);
        pages.push(texts.len());
        seen.splice(0..0, texts.iter().map(|text| text[..1].to_owned()));
        if page["before"].is_null() {
            break;
        }
        path = format!("{}?before={}", messages("api:ann"), page["before"]);
    }
    assert_eq!((seen.concat().as_str(), pages), ("00112233", [4, 4].into()));
}

#[test]
fn channels_and_sittings_are_listed() {
    let server = Server::start();
    for channel in ["api:ann", "api:ben", "api:ann:work"] {
        server.say(channel, "Hello");
    }
    let names = |page: &Value| -> Vec<String> {
        page["channels"].as_array().unwrap().iter().map(|c| c["channel"].as_str().unwrap().into()).collect()
    };
    let first = server.get("/api/channels?limit=2").body;
    assert_eq!(names(&first), ["api:ann:work", "api:ben"]);
    let second = server.get(&format!("/api/channels?limit=2&before={}", first["before"])).body;
    assert_eq!((names(&second), second.get("before")), (vec!["api:ann".to_owned()], None));
    let sessions = server.get("/api/channels/api:ann/sessions").body;
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(sessions["sessions"][0]["user"], "host");
}

#[test]
fn the_list_of_channels_tells_of_new_rooms_and_of_erasures() {
    let server = Server::start();
    server.say("api:ann", "Hello");
    server.post("/api/channels/api:room-1/members", &json!({ "persona": "ada" }));
    let listed = server.get("/api/channels").body;
    assert_eq!(
        (&listed["empty"], &listed["channels"][0]["channel"]),
        (&json!(["api:room-1"]), &json!("api:ann"))
    );
    assert_eq!(server.get("/api/channels?before=9").body.get("empty"), None);
    let newest = listed["erased"]["newest"].as_i64().unwrap();
    let since =
        |newest: i64| server.get(&format!("/api/channels?erased_after={newest}")).body["erased"].clone();
    assert_eq!(since(newest), json!({ "newest": newest }));
    server.say("api:ann", "Remember that my pass is number 77");
    server.command(&["memory", "forget", "--person", "host", "--channel", "api:ann", "--yes"]);
    let erased = since(newest);
    assert!(erased["newest"].as_i64().unwrap() > newest, "{erased}");
    assert!(erased["anywhere"] == true || erased["channels"] == json!(["api:ann"]), "{erased}");
    assert_eq!(server.get("/api/personas").body["default"], "ada");
}

#[test]
fn personas_are_shown_as_they_are_now() {
    let server = Server::start();
    let all = server.get("/api/personas").body;
    let names: Vec<_> = all["personas"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(names, ["ada", "bo", "vesper", "wick"], "the samples are there, too");
    let ada = server.get("/api/personas/ada").body;
    assert_eq!(ada, all["personas"][0]);
    assert_eq!((&ada["display_name"], &ada["prompt"]), (&json!("Ada"), &json!("You are Ada.")));
    assert_eq!(ada["tools"], json!(["remember", "recall"]));
    assert_eq!(ada["memory"]["profile"], "default");
    assert_eq!(ada["limits"]["tokens_per_hour"], 100_000);
}

#[test]
fn gr3_a_stored_receipt_says_that_a_memory_was_edited_since() {
    let server = Server::start();
    server.command(&["memory", "add", "The user's boat is called Petrel", "--channel", "api:ann"]);
    let answered = server.say("api:ann", "What is my boat called?").body;
    let id = answered["turns"][0]["turn_id"].as_str().unwrap();
    let reason = || {
        let turn = server.get(&format!("/api/turns/{id}")).body;
        let items = turn["receipt"]["items"].as_array().unwrap().clone();
        items.iter().find(|item| item["id"] == "m1").unwrap()["reason"].as_str().unwrap().to_owned()
    };
    assert!(!reason().contains("edited"), "{}", reason());
    let edit = json!({ "text": "The user's boat is called Plover" });
    let edited = server.patch("/api/personas/ada/memories/m1?channel=api:ann", &edit);
    assert_eq!(edited.status, 200, "{}", edited.body);
    assert!(reason().ends_with("; the memory was edited since"), "{}", reason());
}

#[test]
fn gr3_a_turn_shows_its_receipt_and_the_exact_text_of_every_item() {
    let server = Server::start();
    server.command(&["memory", "add", "The user's boat is called Petrel", "--channel", "api:ann"]);
    let long = "We went out on Sunday and it rained the whole day, so we stayed in and played cards. By the way, what is \
                my boat called? I want to paint the name on the new fender before the season begins.";
    let answered = server.say("api:ann", long).body;
    let id = answered["turns"][0]["turn_id"].as_str().unwrap();
    let turn = server.get(&format!("/api/turns/{id}")).body;
    assert_eq!((&turn["state"], &turn["text"]), (&json!("done"), &json!("ok")));
    assert!(turn["receipt"]["items"].as_array().unwrap().len() > 2);

    let context = server.get(&format!("/api/turns/{id}/context")).body;
    assert_eq!(context["receipt"], answered["turns"][0]["receipt"]);
    assert_eq!(context["messages"], sent(&server), "what went to the model, to the letter");
    let text = |id: &str| {
        let items = context["items"].as_array().unwrap();
        items.iter().find(|item| item["id"] == id).unwrap()["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(text("system"), "You are Ada.");
    assert!(text("m1").contains("The user's boat is called Petrel"));
    assert!(text("msg:1").contains(long), "not its beginning alone");
    assert!(text("remember").contains("\"type\":\"object\""), "a tool with its parameters");

    let forget = json!({ "query": "boat called Petrel" });
    let gone = server.post("/api/personas/ada/memories/forget?channel=api:ann", &forget).body;
    assert_eq!(gone["memories"][0]["id"], "m1", "{gone}");
    let context = server.get(&format!("/api/turns/{id}/context"));
    assert_eq!((context.status, &context.body["error"]["code"]), (404, &json!("unknown_context")), "GR10");
}

#[test]
fn gr10_what_was_corrected_is_not_told_again_where_it_may_have_been_shown() {
    let server = Server::start();
    server.command(&["memory", "add", "The user's boat is called Petrel", "--channel", "api:ann"]);
    let (here, elsewhere) = (asked(&server, "api:ann"), asked(&server, "api:ben"));
    assert!(here.iter().any(|frame| frame.kind == "memory_context"));

    let change = json!({ "text": "The boat is called Gull" }).to_string();
    let edit = "/api/personas/ada/memories/m1?channel=api:ann";
    let json = [("Content-Type", "application/json")];
    let edited = ask(server.address, "PATCH", edit, &json, Some(change.as_bytes())).reply();
    assert_eq!(edited.status, 200, "{edited:?}");
    assert_eq!(server.listen(&events("api:ann"), here[0].id.as_deref()).frame().unwrap().kind, "resync");
    assert_eq!(context(&server, &here), 404);
    let replayed = server.listen(&events("api:ben"), elsewhere[0].id.as_deref()).frame().unwrap();
    assert_eq!(replayed, elsewhere[1], "it was never shown there");
    assert_eq!(context(&server, &elsewhere), 200);
}

#[test]
fn gr10_what_a_persona_forgot_itself_is_not_told_again() {
    let server = Server::with(|home| {
        home.write("personas/ada.md", "---\nname: ada\ntools: [remember, forget]\n---\nYou are Ada.\n");
    });
    let learned = json!({ "content": "The user's boat is called Petrel" });
    server.endpoint.push(Answer::tool_call("remember", &learned));
    server.say("api:ann", "Hello");
    server.endpoint.push(Answer::tool_call("forget", &json!({ "id": "m1" })));
    server.endpoint.push(Answer::text("It is forgotten."));
    let mut listener = server.listen(&events("api:ann"), None);
    let turn = asked(&server, "api:ann");
    let told = |kind: &str| turn.iter().find(|frame| frame.kind == kind).unwrap().data.to_string();
    assert!(told("memory_context").contains("Petrel"), "{turn:?}");
    assert!(told("tool_result").contains("Forgot m1"), "{turn:?}");
    assert_eq!(listener.frame_of("done"), *turn.last().unwrap(), "nobody who listens is cut");

    assert_eq!(context(&server, &turn), 404);
    assert_eq!(server.listen(&events("api:ann"), turn[0].id.as_deref()).frame().unwrap().kind, "resync");
    let id = turn[0].data["turn_id"].as_str().unwrap();
    let stored = server.listen(&format!("/api/turns/{id}/events"), None).frames();
    assert_eq!(kinds(&stored), ["turn_started", "context_assembled", "done"]);
    let stored = server.get(&format!("/api/turns/{id}")).body.to_string();
    assert!(stored.contains("m1") && !stored.contains("Petrel"), "{stored}");
}

/// What is told when somebody asks for what was remembered.
fn asked(server: &Server, channel: &str) -> Vec<Frame> {
    server.saying(channel, "What is my boat called?").frames()
}

fn events(channel: &str) -> String {
    format!("/api/channels/{channel}/events")
}

/// The status of the whole context of a turn.
fn context(server: &Server, turn: &[Frame]) -> u16 {
    server.get(&format!("/api/turns/{}/context", turn[0].data["turn_id"].as_str().unwrap())).status
}

/// The messages of the newest request, with the fields a request leaves out.
fn sent(server: &Server) -> Value {
    let mut messages = server.endpoint.chats().last().unwrap()["messages"].clone();
    for message in messages.as_array_mut().unwrap() {
        let object = message.as_object_mut().unwrap();
        object.retain(|field, _| ["role", "content"].contains(&field.as_str()));
    }
    messages
}

#[test]
fn a_preview_shows_what_would_be_sent_and_stores_nothing() {
    let server = Server::start();
    server.command(&["memory", "add", "The user's boat is called Petrel", "--channel", "api:ann"]);
    let asked = json!({ "text": "What is my boat called?", "persona": "ada" });
    let preview = server.post("/api/channels/api:ann/preview", &asked);
    assert_eq!(preview.status, 200, "{preview:?}");
    assert_eq!(preview.body["memories"][0]["text"], "The user's boat is called Petrel");
    let items = preview.body["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["id"] == "msg:new" && item["text"] == "What is my boat called?"));
    assert!(items.iter().all(|item| item["text"].is_string()));
    assert_eq!(server.endpoint.chats().len(), 0);
    assert_eq!(server.get(&messages("api:ann")).body["messages"], json!([]));
    server.post(&messages("api:ann"), &asked);
    assert_eq!(preview.body["messages"], sent(&server), "the same as is sent then");
}

#[test]
fn the_description_names_every_route_and_the_page_needs_no_network() {
    let server = Server::start();
    let description = server.get("/openapi.json").body;
    assert!(description["openapi"].as_str().unwrap().starts_with("3.1"));
    assert_eq!(description["components"]["securitySchemes"]["key"]["scheme"], "bearer");
    let paths = description["paths"].as_object().unwrap();
    for path in [
        "/api/channels/{channel}/messages",
        "/api/channels/{channel}/preview",
        "/api/channels/{channel}/cancel",
        "/api/channels/{channel}/events",
        "/api/channels/{channel}/ws",
        "/api/channels/{channel}/personas/{name}/reset",
        "/api/channels/{channel}/sessions",
        "/api/channels",
        "/api/turns/{id}",
        "/api/turns/{id}/events",
        "/api/turns/{id}/context",
        "/api/personas/{name}/restart",
        "/api/personas/{name}/ws",
        "/api/actors",
        "/api/actors/start",
        "/api/actors/stop",
    ] {
        assert!(paths.contains_key(path), "{path} is not described");
    }
    let page = server.get("/docs/");
    let html = page.body.as_str().unwrap();
    assert!(page.status == 200 && html.contains("swagger-ui"), "{html}");
    assert!(!html.contains("https://"), "nothing of elsewhere: {html}");
}
