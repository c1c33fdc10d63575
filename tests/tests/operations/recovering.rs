//! S1: a start after a crash.

use greenroom_tests::Answer;

use crate::support::Server;

#[test]
fn s1_a_start_after_a_crash_ends_what_ran_and_says_so() {
    let mut server = Server::start();
    server.endpoint.push(Answer::text("Hello there").stall_after(1));
    let _running = server.begin_to_say("Hello");
    server.endpoint.wait_for(1);
    server.crash_and_start();
    // nobody speaks there again
    let channel = server.get("/api/channels/api:test/messages").json();
    assert_eq!(channel["messages"][0]["text"], "Hello");
    let turn = &channel["turns"][0];
    assert_eq!((&turn["state"], &turn["code"]), (&"failed".into(), &"interrupted".into()), "{channel}");
    let said = server.said();
    assert!(said.contains("in the middle of 1 turn in 1 channel: marked as interrupted"), "{said}");
    server.crash_and_start();
    assert!(!server.said().contains("interrupted"), "{}", server.said());
    assert_eq!(server.say("And now?").json()["turns"][0]["state"], "done");
}
