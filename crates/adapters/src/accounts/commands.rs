//! Commands of people in a chat, on every platform (AD6). A command is not stored as a message, and no persona sees it.

use std::sync::Arc;

use greenroom_core::{Author, ChannelKey, Platform, Timestamp, UserId, UserRef};
use greenroom_runtime::{MemberKind, RuntimeError};
use greenroom_store::{Erase, Quotes};

use super::{
    RunningAccount,
    command::{COMMANDS, Command},
    intake::Intake,
    quota::TOO_MUCH,
    settled::{has_run, note_command, note_erasure},
};
use crate::{AuthorKind, Message, NotTaken, Notice, Person, Place, Taken, text};

/// The number of messages in which `why` searches the last one of a person.
const EXPLAINED: usize = 30;
/// The most people that `who` names.
const NAMED: usize = 20;

/// The prefixes of typed commands on a platform. IRC clients use `/` for their own commands.
fn marks(platform: Platform) -> &'static [char] {
    match platform {
        Platform::Irc | Platform::Xmpp | Platform::Matrix | Platform::Slack => &['!'],
        _ => &['/', '!'],
    }
}

impl Intake {
    /// The line without its prefix, if the message is a command of a person or a misspelled one. The command of a bot is a
    /// message: two bots could answer each other's answers without end.
    pub(super) fn command_line(&self, message: &Message) -> Option<String> {
        if message.author.kind != AuthorKind::Person {
            return None;
        }
        let line = message.text.trim().strip_prefix(marks(self.account.adapter.platform()))?;
        let cuts_answers = self.cuts_answers(&message.place);
        let is_command = match Command::parse(line) {
            Some(Command::More(_)) => cuts_answers,
            Some(_) => true,
            None => Command::nearest_command(line).is_some_and(|(meant, _)| meant != "more" || cuts_answers),
        };
        (is_command && !line.contains('\n')).then(|| line.to_owned())
    }

    /// Runs the command of a message, once: the accounts of a room all get it, and a platform may deliver it again.
    pub(super) async fn run_once(
        &self,
        channel: &ChannelKey,
        message: &Message,
        line: &str,
    ) -> Result<Taken, NotTaken> {
        let RunningAccount { quota, store, runtime, commands, .. } = &*self.account;
        let (person, event_id) = (&message.author.person, &message.event_id);
        let Some(_running) = commands.begin(channel, event_id) else { return Ok(Taken::Ignored) };
        if has_run(&**store, channel, event_id, line).await? {
            return Ok(Taken::Ignored);
        }
        let now = tokio::time::Instant::now();
        if !quota.permits_message(&person.id, now) {
            return Ok(self.account.leave_out(channel.clone(), TOO_MUCH));
        }
        quota.count(&person.id, false, false, now);
        let (in_private, said_at) = (!message.group, message.said_at);
        let taken = self.command(&message.place, person, line, None, in_private, said_at).await?;
        note_command(&**store, channel, event_id, line, runtime.now()).await?;
        Ok(taken)
    }

    /// Runs a command and sends its result to the person.
    pub(super) async fn command(
        &self,
        place: &Place,
        person: &Person,
        line: &str,
        answer_to: Option<String>,
        in_private: bool,
        said_at: Option<Timestamp>,
    ) -> Result<Taken, NotTaken> {
        let Some(channel) = self.key(place) else { return Ok(Taken::Ignored) };
        let answer = match Command::parse(line) {
            None => self.hint(place, line),
            Some(command) => match self.run(command, place, &channel, person, in_private, said_at).await {
                Ok(answer) => answer,
                Err(RuntimeError::Stopped) => return Err(NotTaken::Stopped),
                Err(RuntimeError::Store(error)) => return Err(error.into()),
                Err(error) => error.to_string(),
            },
        };
        let notice = Notice {
            place: place.clone(),
            to: person.id.clone(),
            answer_to,
            text: text::neutralise(&answer),
        };
        let account = Arc::clone(&self.account);
        tokio::spawn(async move {
            let outcome = account.tell(notice).await;
            tracing::debug!(account = account.settings.name, ?outcome, "a command was answered");
        });
        Ok(Taken::Ignored)
    }

    fn mark(&self) -> &'static str {
        if marks(self.account.adapter.platform()).contains(&'/') { "/" } else { "!" }
    }

    /// The answer to a line that is no command.
    fn hint(&self, place: &Place, line: &str) -> String {
        let mark = self.mark();
        match Command::nearest_command(line) {
            Some((_, form)) => {
                format!("Did you mean {}? {mark}help lists the commands.", form.replace('!', mark))
            }
            None => self.help(place),
        }
    }

    /// Whether the chat cuts long answers, so that `more` exists there. This is so where each line is a message.
    fn cuts_answers(&self, place: &Place) -> bool {
        !self.account.adapter.limits(place).lines
    }

    fn help(&self, place: &Place) -> String {
        let cuts_answers = self.cuts_answers(place);
        let shown = COMMANDS.iter().filter(|(name, _)| *name != "help" && (cuts_answers || *name != "more"));
        let forms: Vec<_> = shown.map(|(_, form)| *form).collect();
        forms.join("; ").replace('!', self.mark())
    }

    async fn run(
        &self,
        command: Command,
        place: &Place,
        channel: &ChannelKey,
        person: &Person,
        in_private: bool,
        said_at: Option<Timestamp>,
    ) -> Result<String, RuntimeError> {
        let runtime = &self.account.runtime;
        match command {
            Command::Help => Ok(self.help(place)),
            Command::More(page) => Ok(self.account.more(channel, page).await?),
            Command::Who => self.who(channel, person).await,
            Command::Why => self.why(channel).await,
            Command::Quiet(time) => {
                runtime.quiet(channel, time).await?;
                Ok(format!("No persona answers here now; {}quiet off lifts it.", self.mark()))
            }
            Command::Loud => {
                runtime.lift_quiet(channel).await?;
                Ok("Personas may answer here again.".into())
            }
            Command::Leave(name) => {
                let faces = self.account.faces();
                let face = faces.iter().find(|face| {
                    face.persona.as_str().eq_ignore_ascii_case(&name) || face.name.eq_ignore_ascii_case(&name)
                });
                let Some(face) = face else {
                    return Ok(format!("There is no persona {}.", text::clean_line(&name)));
                };
                runtime.leave(channel, &face.persona).await?;
                Ok(format!("{} has left. It comes back when it is addressed.", face.name))
            }
            Command::ForgetMe { sure: false } => Ok(format!(
                "This erases what you said to personas on this platform, the replies, and what was learned from it. \
                 To do so: {}forget-me yes",
                self.mark()
            )),
            Command::ForgetMe { sure: true } => self.forget(channel, person, said_at).await,
            Command::Link(code) => self.link(code, channel, person, in_private).await,
            Command::Unlink => {
                let Ok(user) = person.id.parse::<UserId>() else { return Ok(NO_ID.into()) };
                let was = self.account.store.unlink(&UserRef::new(channel, &user)).await?;
                Ok(if was { "This account is linked with none any more." } else { "It is linked with none." }
                    .into())
            }
        }
    }

    /// `said_at`: when the platform says that the person asked for it.
    async fn forget(
        &self,
        channel: &ChannelKey,
        person: &Person,
        said_at: Option<Timestamp>,
    ) -> Result<String, RuntimeError> {
        let user = person.id.parse::<UserId>();
        let Ok(user) = user else { return Ok(NO_ID.into()) };
        let erase = Erase::Person(UserRef::new(channel, &user));
        let RunningAccount { store, runtime, early, .. } = &*self.account;
        let now = runtime.now();
        note_erasure(&**store, &erase, said_at, now).await?;
        let erased = store.erase(&erase, Quotes::Go).await?;
        early.sweep(&**store, now).await?;
        runtime.follow_erasures().await;
        Ok(format!(
            "Forgotten: {} messages with their replies, {} memories. What the platform itself keeps is yours to delete.",
            erased.messages, erased.memories
        ))
    }

    /// Without a code: makes one. With a code: links the person's account with the account of the code (MP1).
    async fn link(
        &self,
        code: Option<(String, bool)>,
        channel: &ChannelKey,
        person: &Person,
        in_private: bool,
    ) -> Result<String, RuntimeError> {
        let (codes, now) = (&self.account.codes, tokio::time::Instant::now());
        if !in_private {
            // other people have read the code
            code.iter().for_each(|(code, _)| codes.void(code));
            return Ok("Ask for this in a private chat; a code that others have read is void.".into());
        }
        if !Person::is_proven(self.account.adapter.platform(), &person.id) {
            return Ok("Nothing here proves who you are: sign on to an account of the network first.".into());
        }
        let Ok(user) = person.id.parse::<UserId>() else { return Ok(NO_ID.into()) };
        let (own, mark) = (UserRef::new(channel, &user), self.mark());
        let Some((code, sure)) = code else {
            return Ok(match codes.make(&own, now) {
                Some(code) => format!(
                    "Your code is {code}, for ten minutes. In a private chat with personas on your other platform, say \
                     !link {code} (on some platforms /link). Give it to no other person."
                ),
                None => "There are too many codes now; try again in some minutes.".into(),
            });
        };
        match codes.account(&code, &own, now) {
            None => Ok(format!("This code is not good; {mark}link on the other platform gives a new one.")),
            Some(other) if other == own => Ok("This is the account that asked for the code.".into()),
            Some(other) if !sure => Ok(format!(
                "This makes you and {other} one person: what either told personas is recalled for both, also what was told in \
                 private. Do not go on if another person gave you the code. To do so: {mark}link {code} yes"
            )),
            Some(other) => {
                codes.void(&code);
                self.account.store.link(&own, &other).await?;
                Ok(format!("You and {other} are one person for personas now; {mark}unlink ends it."))
            }
        }
    }

    async fn who(&self, channel: &ChannelKey, asker: &Person) -> Result<String, RuntimeError> {
        let view = self.account.runtime.room(channel).await?;
        let named = |kind: MemberKind| {
            view.members.iter().filter(move |member| member.kind == kind).map(|member| member.name.clone())
        };
        let bots: Vec<_> = named(MemberKind::Bot).collect();
        // Where the platform reports who is present, the list is complete. Elsewhere, people are known by their
        // messages.
        let mut people: Vec<String> = match self.account.present.get(channel) {
            Some(there) => there.values().filter(|name| !bots.contains(name)).cloned().collect(),
            None => named(MemberKind::Person).collect(),
        };
        // a command is no message, so the asker may be missing in the list
        let name = text::clean_name(&asker.name, &asker.id);
        if people.iter().chain(&bots).all(|known| *known != name) {
            people.push(name);
        }
        let list = |names: Vec<String>| match names.len() {
            0 => "none".to_owned(),
            n if n > NAMED => format!("{} and {} more", names[..NAMED].join(", "), n - NAMED),
            _ => names.join(", "),
        };
        let mut lines = vec![
            format!("Personas: {}", list(named(MemberKind::Persona).collect())),
            format!("People: {}", list(people)),
        ];
        if !bots.is_empty() {
            lines.push(format!("Bots: {}", list(bots)));
        }
        if view.quiet_until.is_some_and(|until| until > self.account.runtime.now()) {
            lines.push("The room is quiet.".into());
        }
        Ok(lines.join("\n"))
    }

    /// Explains why the last message of a person was answered or not.
    async fn why(&self, channel: &ChannelKey) -> Result<String, RuntimeError> {
        if let Some(why) = self.account.left_out.why(channel) {
            return Ok(why.into());
        }
        let history = self.account.store.history(channel, None, EXPLAINED).await?;
        let Some(last) = history.iter().rfind(|said| matches!(said.author, Author::User { .. })) else {
            return Ok("Nothing was said here yet.".into());
        };
        let decision = self.account.runtime.decision(last.id).await?;
        let mut lines: Vec<String> = Vec::new();
        for round in &decision.rounds {
            lines.extend(round.problem.clone());
            lines.extend(round.verdicts.iter().map(|verdict| verdict.text.clone()));
        }
        lines.extend(decision.stopped);
        if lines.is_empty() {
            lines.extend(decision.answers.iter().map(|answer| {
                let silent = answer.problem.as_ref().map(|why| format!("; it said nothing: {why}"));
                let name = self.account.face(&answer.persona).name;
                format!("There was nothing to decide: it was for {name} alone{}.", silent.unwrap_or_default())
            }));
        }
        if lines.is_empty() {
            lines.push("No persona is here that could answer.".into());
        }
        Ok(lines.join("\n"))
    }
}

const NO_ID: &str = "You have no id here that is known.";
