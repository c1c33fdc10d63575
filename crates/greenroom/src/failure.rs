//! Exit codes, and the report of an error.

use std::{fmt, io, process::ExitCode};

use greenroom_memory::MemoryError;
use greenroom_runtime::RuntimeError;
use greenroom_server::ServeError;
use greenroom_store::StoreError;

use crate::{lock::LockError, term::Style};

/// The result of a command without an error. `greenroom --help` lists the exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Done.
    Done,
    /// The command failed, and has reported why.
    Failed,
    /// The store failed, and the command has reported it.
    StoreFailed,
    /// Stopped with Ctrl-C.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::Failed => ExitCode::from(1),
            Outcome::StoreFailed => ExitCode::from(3),
            Outcome::Interrupted => ExitCode::from(130),
        }
    }
}

/// The command line or the settings are wrong; exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A [`Usage`] error of this text.
pub fn usage(text: impl Into<String>) -> anyhow::Error {
    Usage(text.into()).into()
}

/// Prints an error and returns its exit code. A closed pipe is no error.
pub fn report(error: &anyhow::Error, style: Style) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    stderr_line!("{} {}", style.red("error:"), crate::term::harmless(&format!("{error:#}")));
    ExitCode::from(code(error))
}

/// Whether the reader of the output has closed it.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn code(error: &anyhow::Error) -> u8 {
    let mut code = 1;
    for cause in error.chain() {
        if cause.downcast_ref().is_some_and(StoreError::is_refusal) {
            // a refusal: the store works and rejected its input
        } else if cause.is::<StoreError>()
            || matches!(cause.downcast_ref(), Some(RuntimeError::Store(_)))
            || matches!(cause.downcast_ref(), Some(MemoryError::Store(_)))
            || matches!(cause.downcast_ref(), Some(ServeError::Store(_)))
        {
            code = 3;
        } else if matches!(cause.downcast_ref(), Some(LockError::Owned { .. })) {
            code = 4;
        } else if cause.is::<Usage>() || matches!(cause.downcast_ref(), Some(ServeError::NoKey { .. })) {
            code = 2;
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn every_kind_of_failure_has_its_exit_code() {
        assert_eq!(code(&anyhow::anyhow!("anything")), 1);
        assert_eq!(code(&usage("no such persona")), 2);
        assert_eq!(code(&StoreError::Full.into()), 3);
        assert_eq!(code(&StoreError::Invalid("no such memory".into()).into()), 1);
        assert_eq!(code(&RuntimeError::Store(StoreError::Full).into()), 3);
        assert_eq!(code(&MemoryError::Store(StoreError::Full).into()), 3);
        assert_eq!(code(&ServeError::Store(StoreError::Full).into()), 3);
        let open = ServeError::NoKey { address: ([0, 0, 0, 0], 7420).into() };
        assert_eq!(code(&open.into()), 2);
        let owned = LockError::Owned { channel: "a:b".parse().unwrap(), owner: Some(7) };
        assert_eq!(code(&owned.into()), 4);
        let wrapped = Err::<(), _>(StoreError::Full).context("while looking").unwrap_err();
        assert_eq!(code(&wrapped), 3);
    }

    #[test]
    fn a_closed_pipe_is_seen_through_what_wraps_it() {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(is_closed_pipe(&anyhow::Error::from(closed()).context("while printing")));
        assert!(!is_closed_pipe(&anyhow::anyhow!("anything")));
    }
}
