//! A conversation that comes with the request. Nothing of it is stored. The persona recalls its global memories and
//! those about the person.

use std::{collections::HashSet, future::pending, sync::Arc};

use async_trait::async_trait;
use greenroom_context::HistoryEntry;
use greenroom_core::{
    Author, ChannelKey, ChatEvent, ChatMessage, Envelope, ErrorCode, Message, MessageId, Offered,
    PersonaName, Timestamp, ToolCall, UserId,
};
use greenroom_persona::{Answer, BUILT_IN_TOOLS, Persona};
use greenroom_store::{Past, Sources, StoreError};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::{
    Turn,
    conversation::{Conversation, ConversationQuery, ReadConversation, TurnEnd},
    ending::{Ending, NO_MODEL, count, started},
    event_sink::EventSink,
    failure::Failure,
    interrupt::{Interrupt, InterruptReason},
    last_request::LastRequest,
    options::with_options,
};
use crate::{
    Completion, ConversationLine, RuntimeError, TurnEvents, UserLine,
    cue::{Cue, ReplyTerms},
    directory::ShutdownToken,
    metrics::End,
    models::record_side_usage,
    services::Services,
};

/// The built-in tools that only read. Without a channel, the others have no place to write to.
const READING: [&str; 1] = ["recall"];

/// A conversation that is not stored.
struct GivenConversation {
    /// The messages, oldest first; the last one is answered.
    messages: Vec<Arc<Message>>,
    /// The tools that the persona called with each of them, with the results.
    calls: Vec<Vec<AnsweredCall>>,
    /// What the persona said and what tools answered after the last message.
    since: Vec<ChatMessage>,
    /// The tools of the client.
    tools: Vec<Offered>,
    /// The person whose memories may be recalled.
    person: Option<UserId>,
}

#[async_trait]
impl Conversation for GivenConversation {
    fn is_stored(&self) -> bool {
        false
    }

    fn seen(&self, burst: &[Arc<Cue>]) -> Sources {
        Sources { erased: burst.first().map_or(0, |cue| cue.erased), ..Sources::default() }
    }

    async fn begin(&self, _: &Services, _: &[Arc<Cue>]) -> Result<(), StoreError> {
        Ok(())
    }

    fn user<'a>(&'a self, _: &'a Message) -> Option<&'a UserId> {
        self.person.as_ref()
    }

    async fn read(&self, query: &ConversationQuery<'_>) -> Result<ReadConversation, Failure> {
        Ok(ReadConversation {
            past: Past { messages: self.messages.clone(), ..Past::default() },
            cut: false,
            labels: query.services.memory.no_labels(),
            // the messages are not stored: their ids mean nothing
            sources: Sources { erased: query.services.erasures.follow().await, ..Sources::default() },
        })
    }

    fn add_calls(&self, history: &mut [HistoryEntry]) {
        for (entry, calls) in history.iter_mut().zip(&self.calls) {
            entry.calls.clone_from(calls);
        }
    }

    fn since(&self) -> Vec<ChatMessage> {
        self.since.clone()
    }

    fn client_tools(&self) -> &[Offered] {
        &self.tools
    }

    /// Stores the usage of the turn, which counts for the hour (WB12), and publishes its end.
    async fn conclude(
        &self,
        services: &Services,
        trigger: &Cue,
        sink: &EventSink,
        end: TurnEnd,
    ) -> Option<Arc<Message>> {
        let TurnEnd { progress, ending, .. } = end;
        if !progress.started {
            sink.publish_unchecked(started(trigger, NO_MODEL));
        }
        let usage = progress.cost();
        record_side_usage(&services.store, &services.clock, &trigger.persona, usage).await;
        let counted = match &ending {
            Ending::Reply(_) => End::Done,
            Ending::Failed(_) => End::Failed,
            Ending::Cancelled | Ending::Left | Ending::Repeats => End::Cancelled,
        };
        count(services, trigger, counted, usage);
        let text = progress.said;
        let shown = sink.shown().get();
        if !shown.is_empty() {
            // no write checks the sources here, so erasures by other processes have to be followed
            services.erasures.follow().await;
        }
        match ending {
            Ending::Reply(finish) => {
                let done = ChatEvent::Done { text, message_id: MessageId::UNSTORED, finish, usage };
                sink.tell_end(done, shown, Failure::forgotten().into_event()).await;
            }
            Ending::Failed(failure) => {
                tracing::info!(code = failure.code.as_str(), "a turn without a channel failed");
                sink.publish_unchecked(failure.into_event());
            }
            Ending::Cancelled | Ending::Left | Ending::Repeats => {
                let silent = ChatEvent::Cancelled { text: String::new() };
                sink.tell_end(ChatEvent::Cancelled { text }, shown, silent).await;
            }
        }
        None
    }
}

/// How many people speak in a conversation.
fn speakers(messages: &[Arc<Message>]) -> usize {
    let people = messages.iter().filter_map(|message| match &message.author {
        Author::User { id, name } => Some((id, name)),
        Author::Persona { .. } => None,
    });
    people.collect::<HashSet<_>>().len()
}

/// Runs a turn with a given conversation in a task. The turn is interrupted when its reader leaves, because the reply
/// is for nobody else.
pub(crate) fn complete(
    services: &Arc<Services>,
    completion: Completion,
    token: ShutdownToken,
) -> Result<TurnEvents, RuntimeError> {
    let nowhere = ChannelKey::nowhere();
    let name = completion.persona.clone();
    let answers = |persona: &Arc<Persona>| {
        persona.room.answer != Answer::Never && services.directory.may_answer(&name, &nowhere)
    };
    let Some(persona) = services.cast.persona(&name).filter(answers) else {
        let message = format!("{name} answers nobody now; start it again, or address somebody else");
        return Err(RuntimeError::Context { code: ErrorCode::PersonaStopped, message });
    };
    let mut persona = Arc::unwrap_or_clone(with_options(persona, &completion.reply_options));
    persona.prompt = instructed(&persona.prompt, &completion.system);
    if !completion.own_tools {
        persona.mcp.clear();
    }
    persona.tools.retain(|tool| completion.own_tools && needs_no_channel(tool));

    let why = format!("asked by {}", completion.user);
    let now = services.now();
    let (mut messages, mut calls) = messages(completion.history, &completion.user, &name, now);
    let UserLine { name: speaker_name, text } = completion.asked;
    let author = speaker(speaker_name, &completion.user);
    let asked = Message { at: now, ..Message::new(nowhere.clone(), "", author, text) };
    messages.push(Arc::new(asked.clone()));
    calls.push(Vec::new());
    let envelope = Envelope {
        group: speakers(&messages) > 1,
        disable_memory: completion.disable_memory,
        reply_options: completion.reply_options,
        ..Envelope::new(asked)
    };
    let cue = Arc::new(Cue {
        turn: services.turn_id(),
        persona: name,
        envelope: Arc::new(envelope),
        begun: true,
        erased: services.erasures.followed(),
        why,
        terms: ReplyTerms::default(),
        span: Span::current(),
        token,
    });
    let reader_left = CancellationToken::new();
    let events = TurnEvents::of(&services.store, &services.hub, &nowhere, std::iter::once(cue.turn))
        .with_guard(reader_left.clone().drop_guard());
    let span = tracing::info_span!("turn", turn_id = %cue.turn, persona = %cue.persona, channel = %nowhere);
    let turn = Turn {
        services: services.clone(),
        persona: Arc::new(persona),
        burst: vec![cue.clone()],
        trigger: cue,
        interrupt: Interrupt::default(),
        last_request: LastRequest::default(),
        conversation: Box::new(GivenConversation {
            messages,
            calls,
            since: completion.since,
            tools: completion.tools.into_iter().map(Offered::from).collect(),
            person: completion.person,
        }),
    };
    tokio::spawn(run_until(turn, reader_left, services.closing.clone()).instrument(span));
    Ok(events)
}

/// Runs a turn. Interrupts it when its reader leaves or the runtime stops.
async fn run_until(turn: Turn, reader_left: CancellationToken, closing: CancellationToken) {
    let interrupt = turn.interrupt.clone();
    let break_off = async {
        tokio::select! {
            () = reader_left.cancelled() => {}
            () = closing.cancelled() => {}
        }
        interrupt.trigger(InterruptReason::Asked);
        pending::<()>().await;
    };
    tokio::select! {
        _ = turn.run() => {}
        () = break_off => {}
    }
}

/// Whether a tool works without a channel: one that only reads, or one of an MCP server.
fn needs_no_channel(tool: &str) -> bool {
    READING.contains(&tool) || !BUILT_IN_TOOLS.contains(&tool)
}

/// The persona's prompt, followed by the instructions of the request.
fn instructed(prompt: &str, system: &[String]) -> String {
    let parts = std::iter::once(prompt).chain(system.iter().map(String::as_str)).map(str::trim_end);
    parts.filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A tool call with its result.
type AnsweredCall = (ToolCall, String);

/// The conversation as messages, and the tool calls of each.
fn messages(
    history: Vec<ConversationLine>,
    user: &UserId,
    persona: &PersonaName,
    at: Timestamp,
) -> (Vec<Arc<Message>>, Vec<Vec<AnsweredCall>>) {
    let count = history.len() as i64;
    let lines = history.into_iter().zip(-count..).map(|(line, id)| {
        let (author, text, calls) = match line {
            ConversationLine::User(UserLine { name, text }) => (speaker(name, user), text, Vec::new()),
            ConversationLine::Persona { text, calls } => {
                (Author::Persona { name: persona.clone() }, text, calls)
            }
        };
        // negative ids: those of the store are positive
        let message =
            Message { id: MessageId(id), at, ..Message::new(ChannelKey::nowhere(), "", author, text) };
        (Arc::new(message), calls)
    });
    lines.unzip()
}

/// The author of a line. If the name is no valid id, the author is the user of the request.
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
        tools.retain(|tool| needs_no_channel(tool));
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
