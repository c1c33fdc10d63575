//! A program's standard error, read as it arrives.

use std::{
    io::{BufRead, BufReader},
    process::Child,
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::Duration,
};

/// How long a test waits for a line that must come.
const PATIENCE: Duration = Duration::from_secs(120);

/// Standard error of a child, collected by a thread. That thread may be late: a test that looks for a line
/// waits for it ([`Stderr::wait_for`]), and a test that looks for the absence of a line waits for the end of the
/// program ([`Stderr::all`]).
pub struct Stderr(Arc<(Mutex<Said>, Condvar)>);

#[derive(Default)]
struct Said {
    text: String,
    ended: bool,
}

impl Stderr {
    /// The standard error of a child, which must be piped.
    pub fn of(child: &mut Child) -> Self {
        let mut lines = BufReader::new(child.stderr.take().expect("standard error is piped"));
        let said = Arc::new((Mutex::new(Said::default()), Condvar::new()));
        let into = said.clone();
        thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                let ended = lines.read_until(b'\n', &mut line).unwrap_or(0) == 0;
                let mut said = into.0.lock().unwrap();
                said.text.push_str(&String::from_utf8_lossy(&line));
                said.ended = ended;
                into.1.notify_all();
                if ended {
                    break;
                }
            }
        });
        Self(said)
    }

    /// The text read so far.
    pub fn so_far(&self) -> String {
        self.0.0.lock().unwrap().text.clone()
    }

    /// Waits until the program writes this text, and returns everything read so far.
    pub fn wait_for(&self, text: &str) -> String {
        let said = self.wait(|said| said.ended || said.text.contains(text));
        assert!(said.text.contains(text), "{text:?} was not said: {}", said.text);
        said.text.clone()
    }

    /// Waits until the program has ended, and returns its whole output.
    pub fn all(&self) -> String {
        let said = self.wait(|said| said.ended);
        assert!(said.ended, "the program does not end: {}", said.text);
        said.text.clone()
    }

    /// Waits until a server reports its address, and returns it as HOST:PORT.
    pub fn listening(&self) -> String {
        let said = self.wait(|said| said.ended || address(&said.text).is_some());
        let address = address(&said.text);
        address.unwrap_or_else(|| panic!("the server does not start: {}", said.text)).to_owned()
    }

    /// The port of that.
    pub fn port(&self) -> u16 {
        let address = self.listening();
        address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
    }

    fn wait(&self, so: impl Fn(&Said) -> bool) -> MutexGuard<'_, Said> {
        let said = self.0.0.lock().unwrap();
        self.0.1.wait_timeout_while(said, PATIENCE, |said| !so(said)).unwrap().0
    }
}

/// The address in a complete line of a server's report.
fn address(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("listens on http://")?;
    rest.split_once('\n').map(|(address, _)| address.trim())
}
