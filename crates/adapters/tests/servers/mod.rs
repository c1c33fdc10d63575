//! Real servers of IRC, Matrix and XMPP with people at real clients, shared by the test programs.

#![allow(dead_code, reason = "each test program uses a part")]

pub mod irc;
pub mod matrix;
pub mod prosody;

/// A wait of this length means a defect, not a slow machine.
const TOO_LONG: std::time::Duration = std::time::Duration::from_secs(60);

pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(TOO_LONG, work).await.expect("this takes too long")
}

/// Suspends a server process for a moment. It loses nothing, but answers late.
pub fn stand_still(server: &Option<std::process::Child>, time: std::time::Duration) {
    let id = server.as_ref().expect("it runs").id().to_string();
    let signal = |name: &str, id: &str| {
        let sent = std::process::Command::new("kill").args([name, id]).status().unwrap();
        assert!(sent.success());
    };
    signal("-STOP", &id);
    std::thread::spawn(move || {
        std::thread::sleep(time);
        signal("-CONT", &id);
    });
}
