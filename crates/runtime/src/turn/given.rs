//! A turn of given messages: the conversation comes with the request, nothing of it is stored, and the
//! persona recalls what it knows everywhere. It takes the way of every other turn; only where it
//! begins and how it ends are here.

use std::{future::pending, sync::Arc};

use greenroom_context::HistoryEntry;
use greenroom_core::{
    Author, ChannelKey, ChatEvent, ChatMessage, ErrorCode, Message, MessageId, Offered, ToolCall, TurnEvent,
    UserId,
};
use greenroom_persona::{Answer, BUILT_IN_TOOLS, Persona};
use tokio::sync::mpsc;
use tracing::{Instrument, Span};

use super::{
    Ending, EventSink, Failure, Interrupt, InterruptReason, LastRequest, Turn,
    ending::{NOBODY, count, started},
    progress::Progress,
};
use crate::{
    Completion, ConversationLine, RuntimeError, Saying, cue::Cue, directory::Open, metrics::End,
    services::Services,
};

/// The built-in tools that only read: there is no place to write to.
const READING: [&str; 1] = ["recall"];

/// What is given in place of what is stored.
pub(crate) struct Given {
    /// The conversation, oldest first; the last message is answered.
    pub(crate) said: Vec<Message>,
    /// The tools the persona called with each of them, with what came back.
    calls: Vec<Vec<(ToolCall, String)>>,
    /// What the persona said and what tools answered since.
    pub(crate) since: Vec<ChatMessage>,
    /// The tools of whoever asks.
    pub(crate) tools: Vec<Offered>,
    /// The person whose memories may be recalled.
    pub(crate) person: Option<UserId>,
}

impl Given {
    /// The conversation with what was called in it.
    pub(crate) fn with_calls(&self, mut history: Vec<HistoryEntry>) -> Vec<HistoryEntry> {
        for (entry, calls) in history.iter_mut().zip(&self.calls) {
            entry.calls.clone_from(calls);
        }
        history
    }

    /// The calls that are whoever asks' to make.
    pub(crate) fn handed_over(&self, calls: &[ToolCall]) -> Vec<ToolCall> {
        let theirs = |call: &&ToolCall| self.tools.iter().any(|tool| tool.name == call.name);
        calls.iter().filter(theirs).cloned().collect()
    }
}

/// Plays a turn of given messages in a task of its own. It is broken off when nobody listens any more,
/// since then it was for nothing.
pub(crate) fn complete(
    services: &Arc<Services>,
    completion: Completion,
    events: mpsc::Sender<Arc<TurnEvent>>,
    open: Open,
) -> Result<(), RuntimeError> {
    let nowhere = ChannelKey::nowhere();
    let name = completion.persona.clone();
    let answers = |persona: &Arc<Persona>| {
        persona.room.answer != Answer::Never && services.directory.may_play(&name, &nowhere)
    };
    let Some(persona) = services.persona(&name).filter(answers) else {
        let message = format!("{name} answers nobody now; start it again, or address somebody else");
        return Err(RuntimeError::Context { code: ErrorCode::PersonaStopped, message });
    };
    let mut persona = Arc::unwrap_or_clone(completion.wishes.applied_to(persona));
    persona.prompt = instructed(&persona.prompt, &completion.system);
    if !completion.own_tools {
        persona.mcp.clear();
    }
    persona.tools.retain(|tool| completion.own_tools && needs_no_place(tool));

    let given = given(services, completion.said, completion.asked, &completion.user, &persona);
    let Some(trigger) = given.last().map(|(message, _)| Arc::new(message.clone())) else { return Ok(()) };
    let (said, calls) = given.into_iter().unzip();
    let tools = completion.tools.into_iter().map(Offered::from).collect();
    let given = Given { said, calls, since: completion.since, tools, person: completion.person };
    let cue = Arc::new(Cue {
        turn: services.turn_id(),
        persona: name,
        message: trigger,
        begun: Some(std::time::Instant::now()),
        erased: services.followed(),
        why: format!("asked by {}", completion.user),
        project: None,
        disable_memory: completion.disable_memory,
        wishes: completion.wishes,
        span: Span::current(),
        events: events.clone(),
        _open: open,
    });
    let span = tracing::info_span!("turn", turn_id = %cue.turn, persona = %cue.persona, channel = %nowhere);
    let interrupt = Interrupt::default();
    let turn = Turn {
        services: services.clone(),
        persona: Arc::new(persona),
        burst: vec![cue.clone()],
        trigger: cue,
        interrupt: interrupt.clone(),
        last_request: LastRequest::default(),
        given: Some(given),
    };
    let closing = services.closing.clone();
    let task = async move {
        let broken_off = async {
            tokio::select! {
                () = events.closed() => {}
                () = closing.cancelled() => {}
            }
            interrupt.because(InterruptReason::Asked);
            pending::<()>().await;
        };
        tokio::select! {
            _ = turn.play() => {}
            () = broken_off => {}
        }
    };
    tokio::spawn(task.instrument(span));
    Ok(())
}

/// Ends such a turn. What it used counts for the hour (WB12).
pub(crate) async fn close(
    services: &Services,
    trigger: &Cue,
    sink: &EventSink,
    progress: Progress,
    ending: Ending,
) {
    if !progress.started {
        sink.tell_bare(started(trigger, NOBODY)).await;
    }
    let usage = progress.cost();
    if let Err(error) = services.store.use_aside(&trigger.persona, services.now(), usage).await {
        tracing::warn!(%error, "what a turn of given messages used could not be noted");
    }
    let end = match &ending {
        Ending::Reply(_) => End::Done,
        Ending::Failed(_) => End::Failed,
        Ending::Cancelled => End::Cancelled,
    };
    count(services, trigger, end, usage);
    let text = progress.said;
    let shown = sink.shown().get();
    if !shown.is_empty() {
        // nothing is stored that would be checked: what another process erased is to be known here
        services.follow_erasures().await;
    }
    match ending {
        Ending::Reply(finish) => {
            let done = ChatEvent::Done { text, message_id: MessageId::UNSTORED, finish, usage };
            sink.tell_end(done, shown, Failure::forgotten().told()).await;
        }
        Ending::Failed(failure) => {
            tracing::info!(code = failure.code.as_str(), "a turn of given messages failed");
            sink.tell_bare(failure.told()).await;
        }
        Ending::Cancelled => {
            let silent = ChatEvent::Cancelled { text: String::new() };
            sink.tell_end(ChatEvent::Cancelled { text }, shown, silent).await;
        }
    }
}

/// Whether a tool is of use without a channel: what only reads, and what is an MCP server's.
fn needs_no_place(tool: &str) -> bool {
    READING.contains(&tool) || !BUILT_IN_TOOLS.contains(&tool)
}

/// The persona's prompt, and after it what whoever asks has to say to that.
fn instructed(prompt: &str, system: &[String]) -> String {
    let parts = std::iter::once(prompt).chain(system.iter().map(String::as_str)).map(str::trim_end);
    parts.filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The conversation as messages. Their ids are no message's of the store: none is negative there.
fn given(
    services: &Services,
    said: Vec<ConversationLine>,
    asked: Saying,
    user: &UserId,
    persona: &Persona,
) -> Vec<(Message, Vec<(ToolCall, String)>)> {
    let now = services.now();
    let before = said.len() as i64;
    let lines = said.into_iter().chain([ConversationLine::User(asked)]).enumerate();
    let line = |(n, line)| {
        let (author, text, calls) = match line {
            ConversationLine::User(Saying { name, text }) => (speaker(name, user), text, Vec::new()),
            ConversationLine::Persona { text, calls } => {
                (Author::Persona { name: persona.name.clone() }, text, calls)
            }
        };
        let id = n as i64 - before;
        let id = if id == 0 { MessageId::UNSTORED } else { MessageId(id) };
        let (channel, event_id) = (ChannelKey::nowhere(), String::new());
        (Message { id, channel, event_id, author, text, at: now, turn_id: None }, calls)
    };
    lines.map(line).collect()
}

/// Who said it: a name that is no id cannot stand for anybody else.
fn speaker(name: Option<String>, user: &UserId) -> Author {
    let named = name.and_then(|name| Some((name.parse().ok()?, name)));
    let (id, name) = named.unwrap_or_else(|| (user.clone(), user.to_string()));
    Author::User { id, name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_whoever_asks_says_stands_after_the_prompt() {
        let system = ["Be brief.\n".to_owned(), "  ".to_owned(), "Speak French.".to_owned()];
        assert_eq!(instructed("You are Ada.\n", &system), "You are Ada.\n\nBe brief.\n\nSpeak French.");
        assert_eq!(instructed("", &system[..1]), "Be brief.");
    }

    #[test]
    fn without_a_channel_a_persona_keeps_what_reads_and_the_tools_of_servers() {
        let mut tools = vec!["remember", "recall", "forget", "echo"];
        tools.retain(|tool| needs_no_place(tool));
        assert_eq!(tools, ["recall", "echo"]);
    }

    #[test]
    fn a_speaker_without_a_usable_name_is_whoever_asks() {
        let user: UserId = "mo".parse().unwrap();
        assert_eq!(speaker(Some("Mia".into()), &user).name(), "Mia");
        assert_eq!(speaker(None, &user).name(), "mo");
        assert_eq!(speaker(Some("\n".into()), &user).name(), "mo");
    }
}
