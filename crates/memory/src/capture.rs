//! Capture: finds statements in messages, replies, tool results and events, and remembers them without a tool call. The
//! runtime calls it before and after each reply.
//!
//! ```text
//! in front of the reply   Memory::capture_now     requests.rs      "remember that …" (AS13)
//!                                                 preferences.rs   "I prefer …" (JV2)
//!                                                 permissions.rs   "you may tell the others" (MP1)
//! behind it               Memory::capture_after   told.rs          what is told in other words (MP6)
//!                                                 tool_results.rs  what tools answered (JV4)
//!                                                 facts.rs         what a model finds (AS12)
//!                                                 sessions.rs      what the session is about (JV1)
//! from outside            Memory::ingest_event    events.rs        what happened (JV3)
//! ```
//! Every statement is compared with existing memories (decide.rs). A statement that was recalled into this very context
//! is not captured again, so that a persona that quotes its memory does not write it a second time. What was forgotten or
//! corrected between the reply and the capture is left out (taken_back.rs).

pub(crate) mod decide;
mod events;
mod facts;
pub(crate) mod home;
mod permissions;
mod preferences;
mod requests;
mod secret;
mod sessions;
mod speech;
mod statements;
mod taken_back;
mod told;
mod tool_results;

pub use decide::{Decision, IgnoreReason};
pub use events::{Event, Severity};
pub use permissions::Permitted;
pub use sessions::SummaryWorth;
pub use told::TOLD_FROM;
pub use tool_results::ToolResult;

use greenroom_core::{Author, Memory as Stored, Message, Scope, Tier, UserId, Viewer};
use greenroom_persona::{CaptureSettings, Follow, MemorySettings};
use greenroom_store::{ItemId, NewMemory, Sources, rules::summaries::session_summary_key};
use jiff::tz::TimeZone;

use crate::{
    Memory, MemoryError, Remember, Remembered, SmallModel,
    embed::{Embedding, one_line},
    remember::alike::SIMILAR_COSINE,
    searched::searched,
    words::words,
};
use decide::Choice;
use facts::{Proposed, is_said, is_said_anew};
use greenroom_lang::{Parts, Permission, asks_not_to_remember, may_retract};
use preferences::MOST;
pub(crate) use secret::tells_a_secret;
use sessions::{last_said, most_telling_sentence, session_summary};
use statements::{denials_of, learned, statements_of};

/// How many existing memories the model sees.
const SHOWN: usize = 10;

/// A burst and its answer, as they are captured after the reply.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The session of the person who was answered. `None`: no summary is kept.
    pub session: Option<i64>,
    /// The answered messages, oldest first, without messages for which memory is switched off.
    pub burst: Vec<Message>,
    /// The reply.
    pub reply: String,
    /// The tool results between the burst and the reply.
    pub tool_results: Vec<ToolResult>,
    /// The texts that were recalled into this context.
    pub recalled: Vec<String>,
    /// Which captures are switched on.
    pub settings: CaptureSettings,
    /// The scope of captured statements (MP1).
    pub follow: Follow,
    /// The model that finds facts. `None`: no facts are captured.
    pub model: Option<SmallModel>,
    /// The time zone, for the current day.
    pub zone: TimeZone,
    /// The items from which the exchange was made. Nothing is stored if one of them was erased meanwhile (GR10).
    pub sources: Sources,
}

/// The result of a capture.
#[derive(Debug, Default)]
pub struct CaptureReport {
    /// The statements that were written.
    pub remembered: Vec<Remembered>,
    /// The statements that were ignored, and why.
    pub ignored: Vec<(String, IgnoreReason)>,
    /// Changes of who may know a statement (MP1).
    pub permitted: Permitted,
    /// The statements that could not be stored, and why (BD12, X6).
    pub refused: Vec<(String, MemoryError)>,
}

impl CaptureReport {
    /// The notice for users, in one line; `None` if there is nothing to tell.
    pub fn notice(&self) -> Option<String> {
        let mut told: Vec<String> = self.remembered.iter().map(ToString::to_string).collect();
        told.extend(self.permitted.told());
        let beyond = self.ignored.iter().filter(|(_, why)| *why == IgnoreReason::TooMany).count();
        if beyond > 0 {
            told.push(format!("{beyond} more were left out: {MOST} are taken from one message"));
        }
        if self.ignored.iter().any(|(_, why)| *why == IgnoreReason::Unwanted) {
            told.push(
                "not remembered, as you ask; what was known before stays until it is forgotten".to_owned(),
            );
        }
        (!told.is_empty()).then(|| told.join("; "))
    }

    fn note(&mut self, remembered: Remembered) {
        match remembered.decision {
            Decision::Ignore(_, why) => self.ignored.push((remembered.memory.text, why)),
            _ => self.remembered.push(remembered),
        }
    }
}

impl Memory {
    /// Remembers at once what a message asks to remember and which preferences it states (AS13, JV2). This short local
    /// write is the only capture that runs before a reply. It calls no embedder: the vectors follow with the next
    /// [`Memory::index_pending`]. A request to remember is not captured a second time as a preference.
    ///
    /// The statements belong to the message's author, even if the viewer talks with another person. They are private if
    /// the viewer is one to one and the author does not let others know. A message that contains only a permission
    /// applies to the author's message before (MP1).
    ///
    /// # Errors
    /// Only a failing store is an error.
    pub async fn capture_now(
        &self,
        viewer: &Viewer,
        message: &Message,
        settings: &MemorySettings,
    ) -> Result<CaptureReport, MemoryError> {
        let mut report = CaptureReport::default();
        let Author::User { id, .. } = &message.author else { return Ok(report) };
        let viewer = &viewer.clone().with(id.clone());
        let text = self.shared.cast_names.without_addresses(&message.text).into_owned();
        let is_unwanted = asks_not_to_remember(&text);
        let permission = match self.permission_of(viewer, &text, message) {
            None | Some(Permission::PerhapsWithdrawn | Permission::Unclear)
                if (is_unwanted || may_retract(&text))
                    && self.has_allowed_lately(viewer, message).await? =>
            {
                Some(Permission::Withdrawn { names: false })
            }
            read => read,
        };
        if is_unwanted {
            report.ignored.push((text, IgnoreReason::Unwanted));
            self.store.take_back(message.id, "").await?;
            // "don't save that, keep it secret" also closes what was opened before
            if let Some(withdrawn @ (Permission::Withdrawn { .. } | Permission::PerhapsWithdrawn)) =
                permission
            {
                report.permitted = self.permit(viewer, message, &withdrawn, (&[], true)).await?;
            }
            return Ok(report);
        }
        let (open, private) = match &permission {
            Some(Permission::ToldHere(Parts { open, rest })) => (open.clone(), rest.clone()),
            // treated as a request, because "dass ich in Kiel wohne" is no clause about oneself
            Some(Permission::That(Parts { open, rest })) => (format!("remember that {open}"), rest.clone()),
            _ => (String::new(), text),
        };
        let (mut statements, mut denied) = (Vec::new(), Vec::new());
        let parts = [(open, viewer.clone().in_a_group()), (private, viewer.clone())];
        for (text, said_in) in parts.into_iter().filter(|(text, _)| !text.is_empty()) {
            let part = Message { text, ..message.clone() };
            let kept = (&said_in, settings.follow);
            statements.extend(statements_of(&part, &settings.capture, kept, &mut report));
            denied.extend(denials_of(&part, &settings.capture, kept));
        }
        for draft in self.drafts(viewer, statements, &mut report) {
            report.note(self.write(viewer, draft, None, None).await?);
        }
        for draft in self.drafts(viewer, denied, &mut report) {
            if let Some(corrected) = self.correct(viewer, draft).await? {
                report.note(corrected);
            }
        }
        if let Some(permission) = permission {
            let tells_nothing = report.remembered.is_empty() && report.ignored.is_empty();
            let learned = (report.remembered.as_slice(), tells_nothing);
            report.permitted = self.permit(viewer, message, &permission, learned).await?;
        }
        Ok(report)
    }

    /// Remembers what an exchange contains, after its reply: results of tools (JV4), facts and decisions that a model
    /// finds (AS12), a summary of the session (JV1). If the model fails, its facts are skipped and the failure is
    /// logged.
    ///
    /// # Errors
    /// Only a failing store is an error.
    pub async fn capture_after(
        &self,
        viewer: &Viewer,
        exchange: &Exchange,
    ) -> Result<CaptureReport, MemoryError> {
        let mut report = CaptureReport::default();
        let by_person = |message: &&Message| matches!(message.author, Author::User { .. });
        if exchange.burst.iter().filter(by_person).any(|message| asks_not_to_remember(&message.text)) {
            return Ok(report);
        }
        let exchange = &*self.without_taken_back(exchange).await?;
        let mut sources = exchange.sources.clone();
        let told = self.told(viewer, exchange).await;
        let proposed = self.proposed(viewer, exchange, &mut sources).await?;
        self.capture_statements(viewer, exchange, (told, proposed.statements), &sources, &mut report).await?;
        if exchange.settings.sessions
            && let Some(session) = exchange.session
        {
            let last = last_said(exchange.burst.iter());
            let summary = proposed.summary.filter(|summary| !tells_a_secret(summary));
            if let Some(summary) = match summary {
                Some(summary) => Some(summary),
                None => self.summary_of(viewer, session, last, exchange).await?,
            } {
                let message = last.map(|message| message.id);
                report.note(self.capture_session(viewer, session, summary, message, sources).await?);
            }
        }
        Ok(report)
    }

    /// The summary made of this exchange alone; `None` if the existing summary contains more.
    async fn summary_of(
        &self,
        viewer: &Viewer,
        session: i64,
        last: Option<&Message>,
        exchange: &Exchange,
    ) -> Result<Option<String>, MemoryError> {
        let authors = exchange.burst.iter().map(|message| &message.author);
        let labels = self.labels(viewer.channel(), authors).await?;
        let speaker = last.map(|message| labels.label(&message.author)).unwrap_or_default();
        let said = last.map_or("", |message| message.text.as_str());
        let asked = most_telling_sentence(said);
        let Exchange { reply, recalled, .. } = exchange;
        match SummaryWorth::of_statement(asked.as_deref(), said, reply, recalled.iter().map(String::as_str)) {
            SummaryWorth::Nothing => Ok(None),
            SummaryWorth::Partial if self.summary_so_far(viewer, session).await?.is_some() => Ok(None),
            _ => {
                let persona = labels.label_of_persona(viewer.persona());
                Ok(Some(session_summary((&speaker, asked), (&persona, reply), recalled)))
            }
        }
    }

    async fn summary_so_far(&self, viewer: &Viewer, session: i64) -> Result<Option<Stored>, MemoryError> {
        let (scope, now) = (Scope::Channel(viewer.channel().clone()), self.clock.now());
        Ok(self.store.keyed(viewer, &scope, &session_summary_key(session), now).await?)
    }

    /// The model's proposals for the exchange, if there is a model and a person said something. The memories that the
    /// model sees are added to `sources`.
    async fn proposed(
        &self,
        viewer: &Viewer,
        exchange: &Exchange,
        sources: &mut Sources,
    ) -> Result<Proposed, MemoryError> {
        let said = said_by_people(&exchange.burst);
        let Some(model) = exchange.model.as_ref().filter(|_| exchange.settings.facts && !said.is_empty())
        else {
            return Ok(Proposed::default());
        };
        let now = self.clock.now();
        let hits = self.search(viewer, &said, SHOWN * 2).await?.hits;
        let known: Vec<decide::OlderMemory> = hits
            .into_iter()
            .filter_map(|hit| match hit.item {
                greenroom_store::Item::Memory(memory) if memory.tier == Tier::Semantic => {
                    Some(decide::OlderMemory { memory, is_near: false })
                }
                _ => None,
            })
            .take(SHOWN)
            .collect();
        let so_far = match exchange.session {
            Some(session) => self.summary_so_far(viewer, session).await?,
            None => None,
        };
        let shown = known.iter().map(|candidate| &candidate.memory).chain(&so_far);
        sources.items.extend(shown.map(|memory| ItemId::Memory(memory.id)));
        let so_far = so_far.as_ref().map(|memory| memory.text.as_str());
        let authors = exchange.burst.iter().map(|message| &message.author);
        let labels = self.labels(viewer.channel(), authors).await?;
        match facts::extract(model, exchange, &labels, &known, so_far, now).await {
            Ok(proposed) => Ok(proposed),
            Err(error) => {
                tracing::warn!(model = model.name, "no facts captured: {}", one_line(&error));
                Ok(Proposed::default())
            }
        }
    }

    /// Compares tool results, what people tell about themselves, and a model's statements with what was recalled.
    /// Writes the new ones.
    async fn capture_statements(
        &self,
        viewer: &Viewer,
        exchange: &Exchange,
        (told, statements): (Vec<Remember>, Vec<facts::Statement>),
        sources: &Sources,
        report: &mut CaptureReport,
    ) -> Result<(), MemoryError> {
        let mut wanted: Vec<(Remember, Option<Choice>)> = told.into_iter().map(|told| (told, None)).collect();
        if exchange.settings.tool_results {
            let now = self.clock.now();
            let facts = exchange
                .tool_results
                .iter()
                .filter_map(|result| tool_results::fact_of(result, viewer, now, &exchange.zone));
            wanted.extend(facts.map(|fact| (fact, None)));
        }
        for statement in statements {
            let why = match &statement.text {
                text if tells_a_secret(text) => Some(IgnoreReason::Secret),
                text if !is_said(text, exchange) => Some(IgnoreReason::Unsaid),
                _ => None,
            };
            if let Some(why) = why {
                report.ignored.push((statement.text, why));
                continue;
            }
            let choice = statement.choice;
            let learned = learned(statement, viewer, exchange);
            wanted.push((learned, choice.or(Some(Choice::Add))));
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let (statements, choices): (Vec<_>, Vec<_>) = wanted.into_iter().unzip();
        // one at a time, since a refused statement would shift the choices
        let mut drafts: Vec<(NewMemory, Option<Choice>)> = Vec::new();
        for (statement, choice) in statements.into_iter().zip(choices) {
            drafts.extend(self.drafts(viewer, vec![statement], report).into_iter().map(|d| (d, choice)));
        }
        let new = drafts.iter().map(|(draft, _)| searched(&draft.scope, &draft.text).into_owned());
        let texts: Vec<String> = new.chain(exchange.recalled.iter().cloned()).collect();
        let embeddings = self.embedded(&texts).await;
        let (own, recalled) = embeddings.split_at(embeddings.len().min(drafts.len()));
        for (n, (mut draft, choice)) in drafts.into_iter().enumerate() {
            draft.sources = sources.clone();
            let embedding = own.get(n).cloned();
            if is_recalled(&draft.text, embedding.as_ref(), exchange, recalled) {
                report.ignored.push((draft.text, IgnoreReason::Recalled));
                continue;
            }
            let viewer = &speaking(viewer, draft.source.user.as_ref());
            report.note(self.write(viewer, draft, embedding, choice).await?);
        }
        Ok(())
    }

    /// Returns the statements as they would be stored. Refused ones go to the report.
    fn drafts(
        &self,
        viewer: &Viewer,
        statements: Vec<Remember>,
        report: &mut CaptureReport,
    ) -> Vec<NewMemory> {
        let mut drafts = Vec::new();
        for statement in statements {
            let text = statement.text.clone();
            match self.checked(&speaking(viewer, statement.source.user.as_ref()), statement) {
                Ok(draft) => drafts.push(draft),
                Err(error) => report.refused.push((text, error)),
            }
        }
        drafts
    }
}

/// The viewer, with the author of the statement as its user.
fn speaking(viewer: &Viewer, user: Option<&UserId>) -> Viewer {
    let viewer = viewer.clone();
    user.map_or(viewer.clone(), |user| viewer.with(user.clone()))
}

fn said_by_people(burst: &[Message]) -> String {
    let people = burst.iter().filter(|m| matches!(m.author, Author::User { .. }));
    people.map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Whether a statement only repeats what was recalled into its context, in the same words or nearly the same meaning.
/// It does not if the burst states it again with a difference.
fn is_recalled(
    text: &str,
    embedding: Option<&Embedding>,
    exchange: &Exchange,
    recalled: &[Embedding],
) -> bool {
    exchange.recalled.iter().enumerate().any(|(n, old)| {
        let same = words(text) == words(old);
        let alike = match (embedding, recalled.get(n)) {
            (Some(Embedding::Vector(a)), Some(Embedding::Vector(b))) => {
                a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>() > SIMILAR_COSINE
            }
            _ => false,
        };
        same || alike && !is_said_anew(text, old, &exchange.burst)
    })
}
