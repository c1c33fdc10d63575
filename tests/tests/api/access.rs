//! Who may come in (X1, X2, X4, X5).

use std::{fs, time::Duration};

use greenroom_tests::Home;

use crate::served::{Served, key, run, until};

const SESSION: &str = "/api/session";
const MEMORIES: &str = "/api/personas/ada/memories";

#[test]
fn x1_with_keys_every_route_but_healthz_needs_one() {
    let home = Home::new();
    let operator = key(&home, None);
    let server = Served::start_in(home, &[]);
    for path in [
        "/",
        "/docs",
        "/openapi.json",
        "/metrics",
        "/readyz",
        "/v1/models",
        "/mcp",
        "/nowhere",
        SESSION,
        MEMORIES,
    ] {
        let refused = server.request("GET", path, &[], "");
        assert_eq!((refused.status, refused.code().as_str()), (401, "no_key"), "{path}");
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        let wrong = server.call("gr_0000000000000000000000000000000000000000000", "GET", path, "");
        assert_eq!((wrong.status, wrong.code().as_str()), (401, "wrong_key"), "{path}");
        assert_ne!(server.call(&operator, "GET", path, "").status, 401, "{path}");
    }
    assert_ne!(server.request("GET", "/healthz", &[], "").status, 401);
    server.stderr.wait_for("Every request needs a key; there is 1.");
}

#[test]
fn x1_a_server_that_others_can_reach_does_not_start_without_a_key() {
    let home = Home::new();
    let refused = run(&home, &["serve", "--listen", "0.0.0.0:0"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("there is no key; make one with `greenroom key create --role operator`"), "{said}");
    key(&home, None);
    let server = Served::start_at("0.0.0.0:0", home, &[]);
    let answer = server.request("GET", SESSION, &[("host", "greenroom.lan:80")], "");
    assert_eq!(answer.code(), "no_key", "any name will do there");
}

#[test]
fn on_this_machine_alone_no_key_is_needed_and_that_is_said() {
    let server = Served::start();
    server.stderr.wait_for("No key is needed");
    let me = server.call("whatever-a-client-sends", "GET", SESSION, "").json();
    assert_eq!((&me["role"], &me["key_needed"]), (&"operator".into(), &false.into()));
}

#[test]
fn x1_keys_made_and_revoked_in_another_process_hold_within_a_second() {
    let server = Served::start();
    let operator = key(&server.home, None);
    assert_eq!(server.call(&operator, "GET", SESSION, "").status, 200);
    let within = until("the first key is needed", || server.request("GET", SESSION, &[], "").status == 401);
    assert!(within < Duration::from_secs(1), "{within:?}");

    let ann = key(&server.home, Some("ann"));
    let me = server.call(&ann, "GET", SESSION, "").json();
    assert_eq!((&me["role"], &me["user"]), (&"user".into(), &"ann".into()), "it lets in at once");
    assert!(server.beside(&["key", "revoke", "2"]).status.success());
    let within = until("the key is out", || server.call(&ann, "GET", SESSION, "").status == 401);
    assert!(within < Duration::from_secs(1), "{within:?}");
    assert_eq!(server.call(&operator, "GET", SESSION, "").status, 200);

    assert!(server.beside(&["key", "revoke", "1"]).status.success());
    until("the last key is out", || server.call(&operator, "GET", SESSION, "").status == 401);
    assert_eq!(server.request("GET", SESSION, &[], "").status, 401, "nobody is let in without one again");
    assert_eq!(server.beside(&["key", "revoke", "9"]).status.code(), Some(1));
}

#[test]
fn keys_are_listed_and_never_shown_again() {
    let home = Home::new();
    let ann = key(&home, Some("ann"));
    run(&home, &["key", "create", "--role", "operator", "--label", "Ann's phone", "--json"]);
    run(&home, &["key", "revoke", "1"]);
    let list = String::from_utf8(run(&home, &["key", "list"]).stdout).unwrap();
    assert!(list.contains("operator") && list.contains("Ann's phone") && !list.contains(&ann), "{list}");
    let json: serde_json::Value =
        serde_json::from_slice(&run(&home, &["key", "list", "--json"]).stdout).unwrap();
    assert!(json[0]["revoked_at"].is_i64() && json[1]["revoked_at"].is_null(), "{json}");
    assert!(json[0].get("hash").is_none(), "{json}");
    for wrong in [
        &["--role", "user"][..],
        &["--role", "user", "--user", "Ann Lee"],
        &["--role", "user", "--user", "host"],
        &["--role", "guest"],
    ] {
        assert_eq!(run(&home, &[&["key", "create"], wrong].concat()).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn x2_a_user_key_on_an_operator_route_is_403() {
    let home = Home::new();
    let (_, ann) = (key(&home, None), key(&home, Some("ann")));
    let server = Served::start_in(home, &[]);
    let event = r#"{"type":"disk_full","severity":"critical","message":"full"}"#;
    for (method, path, body) in [
        ("GET", "/api/personas/ada/memories/export", ""),
        ("POST", "/api/personas/ada/memories/import", "{}"),
        ("POST", "/api/events", event),
        ("GET", "/api/dead-letters", ""),
        ("POST", "/api/dead-letters/1/ada/retry", ""),
        ("POST", "/api/dead-letters/1/ada/dismiss", ""),
        ("POST", "/api/personas/ada/memories/forget", r#"{"channel":"api:ann"}"#),
        ("POST", "/api/personas/ada/memories/forget", r#"{"before":1}"#),
        ("POST", "/api/personas/ada/memories/forget", r#"{"person":"bob"}"#),
        ("POST", "/api/personas/ada/memories", r#"{"text":"x","scope":"global"}"#),
        ("GET", "/api/personas/ada/memories?channel=api:bob", ""),
        ("GET", "/api/personas/ada/memories?user=bob", ""),
    ] {
        let refused = server.call(&ann, method, path, body);
        assert_eq!(refused.status, 403, "{method} {path} {body}: {}", refused.body);
        assert_eq!(refused.json()["error"]["type"], "permission_error");
    }
}

#[test]
fn x14_who_signs_in_may_send_a_key_and_no_more_and_not_without_end() {
    let home = Home::new();
    key(&home, None);
    let server = Served::start_in(home, &[]);
    assert_eq!(server.request("PUT", SESSION, &[], "{}").status, 401, "nobody signs in like that");
    let long = format!(r#"{{"key":"{}"}}"#, "x".repeat(1024));
    let answers: Vec<_> = (0..70)
        .map(|_| server.request("POST", SESSION, &[], &long))
        .map(|answer| (answer.status, answer.code()))
        .collect();
    assert_eq!(answers[0], (413, "too_large".to_owned()));
    assert_eq!(answers[69], (429, "rate_limited".to_owned()));
}

/// A request without a key guesses none: wrong ones of an address keep its browsers from nothing.
#[test]
fn x14_wrong_keys_of_an_address_are_limited_and_do_not_shut_the_page() {
    let home = Home::new();
    key(&home, None);
    let server = Served::start_in(home, &[]);
    let wrong = || server.call("gr_0000000000000000000000000000000000000000000", "GET", MEMORIES, "").status;
    let answers: Vec<_> = (0..70).map(|_| wrong()).collect();
    assert_eq!((answers[0], answers[69]), (401, 429));
    for _ in 0..70 {
        assert_eq!(server.request("GET", "/", &[], "").status, 401);
    }
}

#[test]
fn a_persons_preview_does_not_show_the_personas_own_prompt_and_tools() {
    let home = Home::new();
    let (operator, ann) = (key(&home, None), key(&home, Some("ann")));
    home.write("personas/ada.md", "---\nname: ada\n---\nYou are Ada, and the word is plover.");
    let server = Served::start_in(home, &[]);
    let look = |key: &str| {
        let body = r#"{"text":"Hello","persona":"ada"}"#;
        server.call(key, "POST", "/api/channels/api:ann/preview", body)
    };
    assert!(look(&operator).body.contains("plover"));
    let seen = look(&ann);
    assert_eq!(seen.status, 200, "{seen:?}");
    assert!(!seen.body.contains("plover") && seen.body.contains("msg:new"), "{seen:?}");
    assert_eq!(
        (&seen.json()["messages"], &seen.json()["tools"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
}

/// B7: the beginning of the prompt stood in every receipt a person's key was shown.
#[test]
fn b7_a_persons_receipts_do_not_show_the_personas_own_prompt_and_tools() {
    let home = Home::new();
    let (operator, ann) = (key(&home, None), key(&home, Some("ann")));
    home.write("personas/ada.md", "---\nname: ada\n---\nYou are Ada, and the word is plover.");
    let server = Served::start_in(home, &[]);
    let body = r#"{"text":"Hello","persona":"ada"}"#;
    let answer = server.call(&ann, "POST", "/api/channels/api:ann/messages", body);
    assert_eq!(answer.status, 200, "{answer:?}");
    let turn = answer.json()["turns"][0]["turn_id"].as_str().unwrap().to_owned();
    let events = [("authorization", &*format!("Bearer {ann}")), ("accept", "text/event-stream")];
    let again = server.request("POST", "/api/channels/api:ann/messages", &events, body);
    let stored = server.call(&ann, "GET", &format!("/api/turns/{turn}"), "");
    let replayed = server.call(&ann, "GET", &format!("/api/turns/{turn}/events"), "");
    for seen in [&answer, &again, &stored, &replayed] {
        assert_eq!(seen.status, 200, "{seen:?}");
        assert!(seen.body.contains("receipt") && !seen.body.contains("plover"), "{seen:?}");
        assert!(!seen.body.contains(r#""section":"tools""#), "{seen:?}");
    }
    assert!(server.call(&operator, "GET", &format!("/api/turns/{turn}"), "").body.contains("plover"));
}

#[test]
fn x4_a_foreign_host_or_origin_does_not_come_in() {
    let home = Home::new();
    home.write(
        "greenroom.toml",
        "[server]\nhosts = ['greenroom.example']\norigins = ['https://app.example']\n",
    );
    let operator = key(&home, None);
    let server = Served::start_in(home, &[]);
    let bearer = format!("Bearer {operator}");
    let local = format!("localhost:{}", server.port);
    let own = format!("http://{local}");
    for (host, origin, code) in [
        (&*local, None, ""),
        (&*local, Some(&*own), ""),
        (&*local, Some("https://app.example"), ""),
        ("greenroom.example", Some("https://greenroom.example"), ""),
        ("evil.example", None, "foreign_host"),
        ("evil.example", Some("http://evil.example"), "foreign_host"),
        (&*local, Some("https://evil.example"), "foreign_origin"),
        (&*local, Some("null"), "foreign_origin"),
    ] {
        let key = Some(("authorization", &*bearer));
        let headers = [Some(("host", host)), origin.map(|origin| ("origin", origin)), key];
        let headers: Vec<_> = headers.into_iter().flatten().collect();
        for path in [SESSION, MEMORIES] {
            let answer = server.request("GET", path, &headers, "");
            assert_eq!(
                (answer.code(), answer.status == 200),
                (code.to_owned(), code.is_empty()),
                "{headers:?}"
            );
        }
    }
}

#[test]
fn b7_whoever_comes_through_a_proxy_is_no_operator() {
    let home = Home::new();
    home.write("greenroom.toml", "[server]\nhosts = ['greenroom.example']\n");
    let refused = run(&home, &["serve", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("server.hosts names greenroom.example") && said.contains("key create"), "{said}");
    let server = Served::start();
    for header in ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "X-Real-IP", "Via", "CF-Connecting-IP"]
    {
        let proxied = server.request("GET", SESSION, &[(header, "192.0.2.7")], "");
        assert_eq!((proxied.status, proxied.code()), (403, "proxied_without_key".to_owned()), "{header}");
    }
    assert_eq!(server.request("GET", SESSION, &[], "").status, 200);
}

#[test]
fn b7_no_other_site_s_page_draws_in_an_answer() {
    let answer = Served::start().request("GET", SESSION, &[], "");
    assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
}

#[test]
fn x4_a_browser_hands_in_its_key_and_its_cookie_acts_for_our_own_pages_alone() {
    let home = Home::new();
    let ann = key(&home, Some("ann"));
    let server = Served::start_in(home, &[]);
    let page = server.request("GET", "/", &[("accept", "text/html,*/*;q=0.8")], "");
    assert_eq!(page.status, 401);
    assert!(
        page.body.contains("<form>") && page.header("content-security-policy").is_some(),
        "{}",
        page.body
    );

    let sign_in = |key: &str| server.request("POST", SESSION, &[], &format!(r#"{{"key":"{key}"}}"#));
    assert_eq!(sign_in("gr_wrong").status, 401);
    let signed_in = sign_in(&ann);
    assert_eq!((signed_in.status, &signed_in.json()["user"]), (200, &"ann".into()));
    let cookie = signed_in.header("set-cookie").unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    // B7: the browser sends it to every port of this host
    assert!(!cookie.contains(&ann) && cookie.contains(&format!("_{}=", server.port)), "{cookie}");
    let token = cookie.split_once('=').unwrap().1;
    assert_eq!(server.call(token, "GET", SESSION, "").code(), "wrong_key");

    let own = format!("http://127.0.0.1:{}", server.port);
    assert_eq!(server.request("GET", SESSION, &[("cookie", cookie)], "").status, 200);
    let note = r#"{"text":"Ann drinks tea"}"#;
    let add = |headers: &[(&str, &str)]| server.request("POST", MEMORIES, headers, note);
    assert_eq!(add(&[("cookie", cookie)]).code(), "no_origin");
    assert_eq!(add(&[("cookie", cookie), ("origin", "http://127.0.0.1:1")]).code(), "foreign_origin");
    assert_eq!(add(&[("cookie", cookie), ("origin", &own)]).status, 201);
    let socket = [("cookie", cookie), ("upgrade", "websocket"), ("connection", "upgrade")];
    assert_eq!(server.request("GET", SESSION, &socket, "").code(), "no_origin");

    let signed_out = server.request("DELETE", SESSION, &[("cookie", cookie), ("origin", &own)], "");
    assert_eq!(signed_out.status, 204);
    let emptied = format!("greenroom_session_{}=; ", server.port);
    assert!(signed_out.header("set-cookie").unwrap().contains(&emptied), "{}", signed_out.head);
    assert_eq!(
        server.request("GET", SESSION, &[("cookie", cookie)], "").status,
        401,
        "it has ended here, too"
    );
}

#[test]
fn x5_a_key_stands_in_no_log_no_answer_and_no_file() {
    let home = Home::new();
    let ann = key(&home, Some("ann"));
    let mut server = Served::start_in(home, &["--log", "trace"]);
    let secret = ann.trim_start_matches("gr_");
    let cookie = format!("greenroom_session_{}={ann}", server.port);
    let answers = [
        server.call(&ann, "GET", SESSION, ""),
        server.call(&ann, "GET", "/nowhere", ""),
        server.call(&ann, "POST", MEMORIES, "{"),
        server.call(&ann, "GET", "/api/personas/nobody/memories", ""),
        server.call(&format!("{ann}x"), "GET", SESSION, ""),
        server.request("GET", SESSION, &[("cookie", &cookie), ("origin", "http://evil.example")], ""),
        server.request("POST", SESSION, &[], &format!("\"{ann}\"")),
        server.request("POST", SESSION, &[], &format!(r#"{{"{ann}": 1}}"#)),
    ];
    for answer in &answers {
        assert!(!format!("{answer:?}").contains(secret), "{answer:?}");
    }
    assert_eq!(
        answers.iter().map(|answer| answer.status).collect::<Vec<_>>(),
        [200, 404, 400, 404, 401, 403, 400, 400]
    );
    let said = server.killed();
    assert!(!said.contains(secret), "{said}");
    for file in fs::read_dir(server.home.data()).unwrap() {
        let path = file.unwrap().path();
        let bytes = if path.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{}", path.display());
    }
}
