//! The output of a turn: the reply on stdout, everything else on stderr.

use std::{
    borrow::Cow,
    collections::HashMap,
    io::{self, Write},
};

use greenroom_core::{
    ChatEvent, ErrorCode, Finish, MemorySnippet, NoticeCode, Outcome, PersonaName, Receipt, Section,
    TurnEvent, Usage,
};
use greenroom_persona::Cast;
use serde_json::Value;

use crate::term::{Style, count, harmless, one_line};

/// A memory below this relevance is still recalled, but gets no line beside the reply.
const RELEVANT: f32 = 0.3;

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The persona replied.
    Replied,
    /// The turn failed.
    Failed(ErrorCode),
    /// The turn was stopped.
    Cancelled,
}

/// What is printed of a turn, and to which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Every event as a line of JSON on stdout.
    Json,
    /// The reply as it arrives. Only for a terminal: other output cannot be corrected after a restart of the reply
    /// (L6).
    Streamed,
    /// The reply when it is complete.
    Whole,
}

/// Renders the turns of one session.
pub struct Renderer<O, E> {
    show: Show,
    out: O,
    err: E,
    style: Style,
    /// Whether the budget line follows each reply.
    pub budget: bool,
    /// Whether each reply is headed by its speaker.
    pub headings: bool,
    /// The personas' display names, each with the index in the cast, which determines its colour.
    cast: HashMap<PersonaName, (usize, String)>,
    /// The display name of the persona whose turn is shown.
    speaker: String,
    /// Its index in the cast.
    place: usize,
    receipt: Option<Receipt>,
    /// The recalled memories of a context that is not assembled yet.
    recalled: Vec<MemorySnippet>,
    calls: HashMap<String, String>,
    /// The cursor's line contains text of the reply.
    open_line: bool,
    /// A line beside the reply has just been written.
    aside: bool,
    headed: bool,
    /// The reply's last character was a line break.
    line_ended: bool,
    /// The warning about a nearly full context was printed. It is printed once, because it would repeat with every
    /// turn.
    warned: bool,
}

impl<O: Write, E: Write> Renderer<O, E> {
    /// A renderer; `style` is for `err`.
    pub fn new(show: Show, out: O, err: E, style: Style) -> Self {
        Self {
            show,
            out,
            err,
            style,
            budget: false,
            headings: false,
            cast: HashMap::new(),
            speaker: String::new(),
            place: 0,
            receipt: None,
            recalled: Vec::new(),
            calls: HashMap::new(),
            open_line: false,
            aside: false,
            headed: false,
            line_ended: false,
            warned: false,
        }
    }

    /// Sets the display names of this cast.
    pub fn recast(&mut self, cast: &Cast) {
        let placed = cast.personas.iter().enumerate();
        self.cast = placed.map(|(at, p)| (p.name.clone(), (at, one_line(&p.display_name, 80)))).collect();
    }

    /// The display name of a persona.
    pub fn name(&self, persona: &PersonaName) -> String {
        self.cast.get(persona).map_or_else(|| persona.to_string(), |(_, name)| name.clone())
    }

    /// The receipt of the last assembled context.
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_ref()
    }

    /// Prints one event. After the last event of a turn, returns how the turn ended. An error means that the reader of
    /// stdout has closed it.
    pub fn event(&mut self, event: &TurnEvent) -> io::Result<Option<Ended>> {
        if self.show == Show::Json {
            serde_json::to_writer(&mut self.out, event)?;
            self.out.write_all(b"\n")?;
            self.out.flush()?;
        }
        match &event.event {
            ChatEvent::TurnStarted { .. } => {
                self.headed = false;
                self.speaker = self.name(&event.persona);
                // a persona that left the cast gets the colour after the last one
                self.place = self.cast.get(&event.persona).map_or(self.cast.len(), |(at, _)| *at);
            }
            ChatEvent::MemoryContext { memories } => self.recalled = memories.to_vec(),
            ChatEvent::ContextAssembled { receipt } => {
                let used = used(std::mem::take(&mut self.recalled), receipt);
                self.receipt = Some((**receipt).clone());
                if !used.is_empty() {
                    self.aside(&recalled(&used))?;
                }
            }
            ChatEvent::TokenDelta { text } => self.delta(text)?,
            ChatEvent::ReplyDiscarded { reason } => {
                self.aside(&format!("the reply so far is void, it starts afresh: {reason}"))?;
                self.headed = false;
            }
            ChatEvent::ToolCall { id, name, arguments, .. } => {
                self.calls.insert(id.clone(), call(name, arguments));
            }
            ChatEvent::ToolResult { id, name, ok, content } => {
                let call = self.calls.remove(id).unwrap_or_else(|| name.clone());
                let mark = if *ok { "→" } else { "✗" };
                self.aside(&format!("{call} {mark} {content}"))?;
            }
            ChatEvent::Notice { code: NoticeCode::ContextWarning, .. }
                if std::mem::replace(&mut self.warned, true) => {}
            ChatEvent::Notice { message, .. } => self.say(self.style.yellow(one_line(message, 500)))?,
            ChatEvent::Done { text, finish, usage, .. } => {
                self.done(text, *finish, *usage)?;
                return Ok(Some(Ended::Replied));
            }
            ChatEvent::Failed { code, message } => {
                self.failed(*code, message)?;
                return Ok(Some(Ended::Failed(*code)));
            }
            ChatEvent::Cancelled { .. } => {
                let who = if self.headings {
                    format!("{}: stopped", self.name(&event.persona))
                } else {
                    "stopped".into()
                };
                self.aside(&who)?;
                return Ok(Some(Ended::Cancelled));
            }
        }
        Ok(None)
    }

    fn delta(&mut self, text: &str) -> io::Result<()> {
        if self.show != Show::Streamed {
            return Ok(());
        }
        // text after a tool call needs no blank line before it
        let text = if self.aside { text.trim_start_matches('\n') } else { text };
        if text.is_empty() {
            return Ok(());
        }
        self.aside = false;
        if !self.headed {
            self.headed = true;
            self.line_ended = false;
            if self.headings {
                write!(self.out, "{}: ", self.style.of_speaker(self.place, &self.speaker))?;
            }
        }
        let text = harmless(text);
        let shown = self.set_in(&text);
        self.out.write_all(shown.as_bytes())?;
        self.open_line = !text.ends_with('\n');
        self.out.flush()
    }

    /// A piece of a reply. With several speakers, all lines but the first are indented: only a line that begins with a
    /// speaker has no indentation (RM7).
    fn set_in<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if !self.headings || self.cast.len() < 2 {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if std::mem::replace(&mut self.line_ended, c == '\n') && c != '\n' {
                out.push_str("  ");
            }
            out.push(c);
        }
        Cow::Owned(out)
    }

    fn done(&mut self, text: &str, finish: Finish, usage: Usage) -> io::Result<()> {
        match self.show {
            Show::Json => {}
            Show::Streamed if self.headed => self.close_line()?,
            Show::Streamed => {
                self.delta(text)?;
                self.close_line()?;
            }
            Show::Whole => {
                if self.headings {
                    write!(self.out, "{}: ", self.speaker)?;
                }
                self.line_ended = false;
                let shown = self.set_in(text.trim_end());
                writeln!(self.out, "{shown}")?;
                self.out.flush()?;
            }
        }
        match finish {
            Finish::Stop | Finish::ToolCalls => {}
            Finish::Length => self.aside("cut off at model.max_output_tokens")?,
            Finish::Refused => self.aside("refused by the provider's filter")?,
            Finish::ToolLimit => self.aside("ended at the limit of tool rounds")?,
        }
        if self.budget
            && let Some(receipt) = &self.receipt
        {
            let line = budget_line(receipt, usage);
            self.aside(&line)?;
        }
        Ok(())
    }

    fn failed(&mut self, code: ErrorCode, message: &str) -> io::Result<()> {
        self.close_line()?;
        if self.show == Show::Json {
            return Ok(());
        }
        let message = harmless(message);
        let who = match self.headings && !self.speaker.is_empty() {
            true => format!("{}: ", self.speaker),
            false => String::new(),
        };
        writeln!(
            self.err,
            "{} {who}{message} {}",
            self.style.red("error:"),
            self.style.dim(format!("({})", code.as_str()))
        )
    }

    /// One dim line beside the reply.
    fn aside(&mut self, text: &str) -> io::Result<()> {
        self.say(self.style.dim(one_line(text, 300)))
    }

    fn say(&mut self, text: String) -> io::Result<()> {
        self.close_line()?;
        if self.show == Show::Json {
            return Ok(());
        }
        self.aside = true;
        writeln!(self.err, "{text}")
    }

    /// Ends the line a reply has left open.
    pub fn close_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open_line) {
            writeln!(self.out)?;
            self.out.flush()?;
        }
        Ok(())
    }
}

/// The relevant recalled memories that are in the request. Memories that the conversation already contains, or that did
/// not fit, appear only in the receipt.
fn used(recalled: Vec<MemorySnippet>, receipt: &Receipt) -> Vec<MemorySnippet> {
    let stands = |memory: &MemorySnippet| {
        let mut items = receipt.items.iter().filter(|item| item.section == Section::Memories);
        items.any(|item| item.id == memory.id && item.outcome != Outcome::Dropped)
    };
    recalled.into_iter().filter(|memory| memory.score >= RELEVANT && stands(memory)).collect()
}

/// A line with the recalled memories, their sources and similarities (BD5).
fn recalled(memories: &[MemorySnippet]) -> String {
    let one = |memory: &MemorySnippet| {
        format!(
            "“{}” ({}, {}, relevance {:.2})",
            one_line(&memory.text, 60),
            memory.category,
            memory.id,
            memory.score
        )
    };
    let shown: Vec<String> = memories.iter().take(3).map(one).collect();
    let more = memories.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more, /context shows all") } else { String::new() };
    format!("recalled {}{more}", shown.join(" · "))
}

fn call(name: &str, arguments: &Value) -> String {
    let arguments = match arguments {
        Value::Object(map) => {
            map.iter().map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    one_line(&format!("{name}({arguments})"), 160)
}

fn budget_line(receipt: &Receipt, usage: Usage) -> String {
    let budget = &receipt.budget;
    let about = if receipt.exact { "" } else { "about " };
    format!(
        "{about}{} of {} tokens: system {}, tools {}, project {}, memories {}, history {} ({}) · \
         used {} + {}{}",
        budget.total_tokens,
        receipt.window,
        budget.system_tokens,
        budget.tool_tokens,
        budget.project_tokens,
        budget.memory_tokens,
        budget.history_tokens,
        count(budget.history_messages, "message", "messages"),
        usage.prompt_tokens,
        usage.completion_tokens,
        if usage.estimated { " (estimated)" } else { "" },
    )
}

#[cfg(test)]
mod tests;
