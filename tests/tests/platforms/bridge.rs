//! The example of a bridge, `examples/bridge.py`, between the program and a person at a terminal.

use std::{
    io::Write,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
};

use greenroom_tests::{Answer, Stderr};
use tokio::task::block_in_place;

use crate::{Program, free_port, post};

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// The bridge; what it prints is together with what it says on stderr.
struct Bridge {
    child: Child,
    stdin: ChildStdin,
    said: Stderr,
}

impl Bridge {
    fn start(greenroom: &str, port: u16) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/bridge.py");
        let url = format!("http://{greenroom}/api/bridge/one");
        let mut child = Command::new("sh")
            .args(["-c", "exec python3 \"$0\" \"$@\" >&2"])
            .arg(script)
            .args([url, port.to_string()])
            .env("BRIDGE_SECRET", SECRET)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, said) = (child.stdin.take().unwrap(), Stderr::of(&mut child));
        said.wait_for("listening at");
        Self { child, stdin, said }
    }

    fn hears(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.said.all()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ad2_the_example_of_a_bridge_talks_through_kills() {
    block_in_place(|| {
        let (ours, theirs) = (free_port(), free_port());
        let url = format!("http://127.0.0.1:{theirs}");
        let mut program = Program::new("bridge", &url, vec![("BRIDGE_SECRET", SECRET.to_owned())]);
        program.listen = format!("127.0.0.1:{ours}");
        for n in 0..4 {
            program.endpoint.push(Answer::text(&format!("answer {n}")));
        }
        program.start();
        let mut bridge = Bridge::start(&program.listen, theirs);
        bridge.hears("ann: Ada, are you there?");
        bridge.said.wait_for("Ada: answer 0");
        bridge.hears("ann: !who");
        bridge.said.wait_for("(to ann) Personas: Ada");

        let mut log = program.kill();
        bridge.hears("ann: Ada, and now?");
        bridge.said.wait_for("trying again");
        program.start();
        bridge.said.wait_for("Ada: answer 1");
        // in its order: when this one comes, the bridge has taken the one before
        bridge.hears("ann: Ada, once more?");
        bridge.said.wait_for("Ada: answer 2");

        let mut said = bridge.kill();
        let mut bridge = Bridge::start(&program.listen, theirs);
        bridge.hears("ann: Ada, one more?");
        bridge.said.wait_for("Ada: answer 3");
        said += &bridge.kill();
        log += &program.kill();
        // the bridge may have died before it took answer 2: then it had it again, with the same key
        for n in [0, 1, 3] {
            assert_eq!(said.matches(&format!("answer {n}")).count(), 1, "{said}");
        }
        assert!(!log.contains(SECRET), "{log}");
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn x3_what_is_not_signed_is_refused_whatever_it_says() {
    let mut program =
        Program::new("bridge", "http://127.0.0.1:9", vec![("BRIDGE_SECRET", SECRET.to_owned())]);
    let port = block_in_place(|| {
        program.start();
        program.running.as_ref().unwrap().1.port()
    });
    for account in ["one", "unknown", "%2e%2e"] {
        for body in ["{nonsense", "{}", ""] {
            let signed =
                [("Greenroom-Timestamp", "1764000000".into()), ("Greenroom-Signature", "v1=00".into())];
            let answer = block_in_place(|| post(port, &format!("/api/bridge/{account}"), &signed, body));
            assert!(answer.starts_with("HTTP/1.1 401 "), "{account} {body}: {answer}");
        }
    }
    block_in_place(|| program.kill());
}
