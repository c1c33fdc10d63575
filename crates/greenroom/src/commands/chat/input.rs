//! Reads lines from a terminal or a pipe, one at a time and on request. Reading blocks, so a thread does it while the
//! session receives signals and changed persona files.

use std::{
    io::{self, BufRead},
    path::PathBuf,
    sync::mpsc as blocking,
    thread,
};

use rustyline::{
    Behavior, Cmd, ConditionalEventHandler, Config, DefaultEditor, Event, EventContext, EventHandler,
    ExternalPrinter, KeyEvent, Movement, RepeatCount, error::ReadlineError,
};
use tokio::sync::mpsc;

/// The bytes of a message (X14).
pub const MESSAGE_LIMIT: usize = 64 * 1024;
/// The lines of the history file.
const HISTORY: usize = 1_000;

/// A line, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub enum InputLine {
    /// A line without its end.
    Text(String),
    /// A line with more than [`MESSAGE_LIMIT`] bytes, which were dropped.
    TooLong,
    /// Ctrl-C at the empty prompt.
    Interrupted,
    /// The end of the input.
    End,
    /// The input cannot be read.
    Failed(String),
}

/// A source of lines.
pub struct Input {
    ask: blocking::SyncSender<()>,
    lines: mpsc::Receiver<InputLine>,
    waiting: bool,
    printer: Option<Box<dyn ExternalPrinter + Send>>,
    terminal: Option<Terminal>,
}

impl Input {
    /// A prompt with line editing and a history file.
    pub fn terminal(prompt: String, history: PathBuf) -> anyhow::Result<Self> {
        let config = Config::builder()
            .behavior(Behavior::PreferTerm)
            .max_history_size(HISTORY)?
            .history_ignore_dups(true)?
            .history_ignore_space(true)
            .auto_add_history(true)
            .build();
        let terminal = Terminal::now();
        let mut editor = DefaultEditor::with_config(config)?;
        let clear = EventHandler::Conditional(Box::new(ClearLine));
        editor.bind_sequence(KeyEvent::ctrl('C'), clear);
        // without a readable history file the history is empty
        let _ = editor.load_history(&history);
        let printer = editor.create_external_printer().ok();
        let mut input = Self::spawn(move || {
            let line = match editor.readline(&prompt) {
                Ok(text) if text.len() > MESSAGE_LIMIT => InputLine::TooLong,
                Ok(text) => InputLine::Text(text),
                Err(ReadlineError::Interrupted) => InputLine::Interrupted,
                Err(ReadlineError::Eof) => InputLine::End,
                Err(error) => InputLine::Failed(error.to_string()),
            };
            if let InputLine::Text(_) = line {
                let _ = editor.append_history(&history);
            }
            line
        })?;
        input.printer = printer.map(|printer| Box::new(printer) as _);
        input.terminal = terminal;
        Ok(input)
    }

    /// Standard input without a terminal.
    pub fn pipe() -> anyhow::Result<Self> {
        Self::spawn(|| match bounded_line(&mut io::stdin().lock(), MESSAGE_LIMIT) {
            Ok(line) => line,
            Err(error) => InputLine::Failed(error.to_string()),
        })
    }

    fn spawn(mut read: impl FnMut() -> InputLine + Send + 'static) -> anyhow::Result<Self> {
        let (ask, asked) = blocking::sync_channel(1);
        let (answer, lines) = mpsc::channel(1);
        thread::Builder::new().name("input".into()).spawn(move || {
            while asked.recv().is_ok() {
                if answer.blocking_send(read()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { ask, lines, waiting: false, printer: None, terminal: None })
    }

    /// The next line. If the future is dropped, the next call returns the line.
    pub async fn next(&mut self) -> InputLine {
        if !self.waiting {
            self.waiting = true;
            if self.ask.send(()).is_err() {
                return InputLine::End;
            }
        }
        let line = self.lines.recv().await.unwrap_or(InputLine::End);
        self.waiting = false;
        line
    }

    /// Prints a line above the prompt, or to stderr without one.
    pub fn print_above(&mut self, text: &str) {
        let above = match (&mut self.printer, self.waiting) {
            (Some(printer), true) => printer.print(format!("{text}\n")).is_ok(),
            _ => false,
        };
        if !above {
            stderr_line!("{text}");
        }
    }
}

impl Drop for Input {
    /// Restores the terminal when a prompt is left in the middle of a line, as on SIGTERM.
    fn drop(&mut self) {
        if let Some(terminal) = self.terminal.take().filter(|_| self.waiting) {
            terminal.restore();
        }
    }
}

/// Ctrl-C clears a line that has a text, and interrupts only at an empty one, so that no text is lost with the program.
struct ClearLine;

impl ConditionalEventHandler for ClearLine {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        (!context.line().is_empty()).then_some(Cmd::Kill(Movement::WholeBuffer))
    }
}

/// The modes of the terminal before the prompt changed them.
#[cfg(unix)]
struct Terminal(nix::sys::termios::Termios);

#[cfg(unix)]
impl Terminal {
    fn now() -> Option<Self> {
        nix::sys::termios::tcgetattr(io::stdin()).ok().map(Self)
    }
    fn restore(self) {
        use nix::sys::termios::{SetArg, tcsetattr};
        let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, &self.0);
        // ends bracketed paste, which the prompt had begun
        stderr_text!("\x1b[?2004l\r\n");
    }
}

/// Windows restores the console.
#[cfg(not(unix))]
struct Terminal;

#[cfg(not(unix))]
impl Terminal {
    fn now() -> Option<Self> {
        None
    }
    fn restore(self) {}
}

/// Reads a line in bounded memory: bytes over the limit are dropped.
fn bounded_line(reader: &mut impl BufRead, limit: usize) -> io::Result<InputLine> {
    let mut line = Vec::new();
    let mut length = 0;
    loop {
        let chunk = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() && length == 0 {
            return Ok(InputLine::End);
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        line.extend_from_slice(&part[..part.len().min((limit + 1).saturating_sub(line.len()))]);
        length += part.len() + usize::from(end.is_some());
        let (used, last) = (end.map_or(part.len(), |end| end + 1), end.is_some() || chunk.is_empty());
        reader.consume(used);
        if last {
            return Ok(if line.len() > limit {
                InputLine::TooLong
            } else {
                InputLine::Text(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], limit: usize) -> Vec<InputLine> {
        // a small buffer, so that lines come in pieces
        let mut reader = io::BufReader::with_capacity(3, text);
        std::iter::from_fn(|| match bounded_line(&mut reader, limit).unwrap() {
            InputLine::End => None,
            line => Some(line),
        })
        .collect()
    }

    #[test]
    fn lines_from_a_pipe_are_messages() {
        let text = |text: &str| InputLine::Text(text.to_owned());
        assert_eq!(lines(b"one\r\n\ntwo", 9), [text("one"), text(""), text("two")]);
        assert_eq!(lines(b"", 9), []);
        assert_eq!(lines(b"a\xffb\n", 9), [text("a\u{fffd}b")]);
    }

    #[test]
    fn x14_a_line_over_the_limit_is_refused_and_the_next_one_served() {
        let text = [b"x".repeat(100), b"\nnext\n".to_vec(), b"y".repeat(8)].concat();
        assert_eq!(
            lines(&text, 8),
            [InputLine::TooLong, InputLine::Text("next".into()), InputLine::Text("yyyyyyyy".into())]
        );
    }
}
