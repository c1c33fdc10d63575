//! Signals that end a reply or the program.

use std::io;

use crate::failure::Outcome;

/// The request that a signal stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Ctrl-C: stop the reply.
    Interrupt,
    /// SIGTERM or a closed terminal: shut down gracefully (S10).
    Terminate,
}

impl From<Stop> for Outcome {
    /// The outcome of a program that runs until it is told to end.
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Interrupt => Self::Interrupted,
            Stop::Terminate => Self::Done,
        }
    }
}

impl Stop {
    /// The outcome of a conversation that ends early. A person at a prompt is done. The message or the lines of a script
    /// are not, and this prints so.
    pub fn ends_conversation(self, person: bool) -> Outcome {
        if self == Self::Interrupt || person {
            return self.into();
        }
        stderr_line!("stopped");
        Outcome::Failed
    }
}

/// Receives signals. A signal that comes before the value exists ends the process.
#[cfg(unix)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Begins to receive signals.
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next signal. Dropping the future loses no signal.
    pub async fn next(&mut self) -> Stop {
        tokio::select! {
            _ = self.interrupt.recv() => Stop::Interrupt,
            _ = self.terminate.recv() => Stop::Terminate,
            _ = self.hangup.recv() => Stop::Terminate,
        }
    }
}

/// Receives signals. A signal that comes before the value exists ends the process.
#[cfg(windows)]
pub struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    close: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl Signals {
    /// Begins to receive signals.
    pub fn new() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_c, ctrl_close};
        Ok(Self { interrupt: ctrl_c()?, close: ctrl_close()? })
    }

    /// The next signal. Dropping the future loses no signal.
    pub async fn next(&mut self) -> Stop {
        tokio::select! {
            _ = self.interrupt.recv() => Stop::Interrupt,
            _ = self.close.recv() => Stop::Terminate,
        }
    }
}
