//! Permissions: a person decides in a message who may know what they told one to one (MP1). `capture.rs` calls this
//! module.

use std::collections::BTreeSet;

use greenroom_core::{Author, Memory as Stored, Message, MessageId, Scope, Viewer};
use greenroom_lang::{Permission, asks_to_tell, fold, is_stop_word, permission};
use greenroom_store::MemoryFilter;

use crate::{Memory, MemoryError, Remembered, words::words};

/// How many messages of the chat before a retraction may hold the permission that it takes back.
const LATELY: usize = 6;
/// How many recent messages and memories are searched for the statements that a permission refers to.
const LOOK_BACK: usize = 20;

/// The changes that a person's permission made.
#[derive(Debug, Default)]
pub struct Permitted {
    /// Memories that others may now know.
    pub opened: Vec<Stored>,
    /// Memories that are private again.
    pub closed: Vec<Stored>,
    /// Why nothing changed, with a remedy.
    pub nothing: Option<String>,
}

const UNCLEAR: &str = "nothing was opened by this: it is not certain what the others may know. To open what you told last, \
    say only \"you may tell the others\"";
const NOTHING_TOLD: &str =
    "nothing was opened: your message before this one told nothing that is remembered in private";
const NOTHING_HERE: &str = "nothing was opened: this told nothing that is remembered";

impl Permitted {
    /// The notices for users.
    pub(super) fn told(&self) -> impl Iterator<Item = String> {
        let opened =
            self.opened.iter().map(|Stored { id, text, .. }| format!("others may know {id}: {text}"));
        let closed = self.closed.iter().map(|Stored { id, text, .. }| {
            format!("{id} is between us again, but for those who heard it: {text}")
        });
        opened.chain(closed).chain(self.nothing.clone())
    }
}

impl Memory {
    /// The permission that a message contains, if it was said one to one.
    ///
    /// The text with the names of the cast is tried too, because a persona may be called "May".
    pub(super) fn permission_of(
        &self,
        viewer: &Viewer,
        without_names: &str,
        message: &Message,
    ) -> Option<Permission> {
        if !viewer.is_one_to_one() {
            return None;
        }
        let whole = Some(&*message.text).filter(|whole| *whole != without_names);
        let mut read = std::iter::once(without_names).chain(whole).filter_map(permission);
        let first = read.next()?;
        match first {
            Permission::Unclear | Permission::PerhapsWithdrawn => Some(read.next().unwrap_or(first)),
            certain => Some(certain),
        }
    }

    /// Applies the author's permission. `learned` is what was captured from the message itself; it may contain nothing
    /// new.
    pub(super) async fn permit(
        &self,
        viewer: &Viewer,
        message: &Message,
        permission: &Permission,
        (learned, tells_nothing): (&[Remembered], bool),
    ) -> Result<Permitted, MemoryError> {
        let mut permitted = Permitted::default();
        match permission {
            Permission::ToldBefore => {
                let (told, asked) = self.told_before(viewer, message).await?;
                if asked {
                    permitted.nothing = Some(UNCLEAR.to_owned());
                    return Ok(permitted);
                }
                if let Some(last) = told {
                    let private = self.store.memories(viewer, &self.newest("private")).await?;
                    for memory in private.iter().filter(|memory| tells(&last, memory)) {
                        permitted.opened.extend(self.set_private(viewer, memory.id, false).await?);
                    }
                }
                permitted.nothing = permitted.opened.is_empty().then(|| NOTHING_TOLD.to_owned());
            }
            // "I was sacked, keep that secret" refers to this message, which is private anyway
            Permission::Withdrawn { .. } | Permission::PerhapsWithdrawn if !tells_nothing => {}
            Permission::Withdrawn { names } => {
                let opened = self.opened(viewer).await?;
                let messages = withdrawn(&opened, names.then_some(&message.text));
                for (_, memory) in opened.iter().filter(|(said, _)| messages.contains(said)) {
                    permitted.closed.extend(self.set_private(viewer, memory.id, true).await?);
                }
            }
            Permission::PerhapsWithdrawn => {
                let last = self.opened(viewer).await?.into_iter().next();
                permitted.nothing = last.map(|(_, Stored { id, text, .. })| {
                    format!("others may know {id}: {text}. To close it again, say only \"don't tell anyone\"")
                });
            }
            Permission::ToldHere(_) | Permission::That(_) if tells_nothing => {
                permitted.nothing = Some(NOTHING_HERE.to_owned());
            }
            Permission::ToldHere(_) | Permission::That(_) => {
                let open = learned.iter().map(|one| &one.memory);
                permitted.opened = open.filter(|one| matches!(one.scope, Scope::User(_))).cloned().collect();
            }
            Permission::Unclear => permitted.nothing = Some(UNCLEAR.to_owned()),
        }
        Ok(permitted)
    }

    /// Makes private what a permission opened, before its message is edited or deleted. Only a failing store is an
    /// error.
    pub async fn revoke(&self, viewer: &Viewer, message: &Message) -> Result<(), MemoryError> {
        let Author::User { id, .. } = &message.author else { return Ok(()) };
        let viewer = &viewer.clone().with(id.clone());
        let text = self.shared.cast_names.without_addresses(&message.text);
        if self.permission_of(viewer, &text, message) == Some(Permission::ToldBefore) {
            let (Some(last), _) = self.told_before(viewer, message).await? else { return Ok(()) };
            for (_, memory) in self.opened(viewer).await?.iter().filter(|(_, memory)| tells(&last, memory)) {
                self.set_private(viewer, memory.id, true).await?;
            }
        }
        Ok(())
    }

    /// The author's previous message in the channel that is not itself a permission, and whether a persona has asked since
    /// then whether it may tell others something else: a "yes" may answer that question.
    async fn told_before(
        &self,
        viewer: &Viewer,
        message: &Message,
    ) -> Result<(Option<Message>, bool), MemoryError> {
        let before = self.store.page(viewer.channel(), Some(message.id), LOOK_BACK).await?;
        let speaks_of_it =
            |text: &str| matches!(permission(text), Some(Permission::ToldBefore | Permission::Unclear));
        let told = before.iter().rposition(|said| said.author == message.author && !speaks_of_it(&said.text));
        let since = &before[told.map_or(0, |at| at + 1)..];
        let of_persona = |said: &&Message| matches!(said.author, Author::Persona { .. });
        let asked = since.iter().filter(of_persona).any(|said| asks_to_tell(&said.text));
        Ok((told.map(|at| before[at].clone()), asked))
    }

    /// Whether one of the author's last messages in the channel allowed that others know something.
    pub(super) async fn has_allowed_lately(
        &self,
        viewer: &Viewer,
        message: &Message,
    ) -> Result<bool, MemoryError> {
        if !viewer.is_one_to_one() {
            return Ok(false);
        }
        let before = self.store.page(viewer.channel(), Some(message.id), LATELY).await?;
        let mut own = before.iter().filter(|said| said.author == message.author);
        Ok(own.any(|said| {
            let text = self.shared.cast_names.without_addresses(&said.text);
            let read = self.permission_of(viewer, &text, said);
            matches!(read, Some(Permission::ToldBefore | Permission::ToldHere(_) | Permission::That(_)))
        }))
    }

    /// The open memories that the person told one to one in any channel, with the messages they were learned from; last
    /// written first.
    async fn opened(&self, viewer: &Viewer) -> Result<Vec<(MessageId, Stored)>, MemoryError> {
        let mut opened = Vec::new();
        for memory in self.store.memories(viewer, &self.newest("user")).await? {
            let Some(learned_from) = memory.source.message else { continue };
            let Some(said) = self.store.message(learned_from).await? else { continue };
            if self.store.group_since(&said.channel).await?.is_none() {
                opened.push((learned_from, memory));
            }
        }
        Ok(opened)
    }

    /// A filter for the person's last written memories in a scope.
    fn newest(&self, scope: &'static str) -> MemoryFilter {
        let now = self.clock.now();
        MemoryFilter { now, scopes: vec![scope], ids: Vec::new(), about: None, limit: LOOK_BACK }
    }
}

/// Whether a memory was learned from this message, or its text is a part of the message.
fn tells(said: &Message, memory: &Stored) -> bool {
    memory.source.message == Some(said.id) || said.text.contains(&memory.text)
}

/// The messages whose memories become private: the last one, or those that the text names. If the text shares no words
/// with any of them, it names one in other words, so all of them are returned.
fn withdrawn(opened: &[(MessageId, Stored)], names: Option<&String>) -> BTreeSet<MessageId> {
    let Some(text) = names else { return opened.iter().take(1).map(|(said, _)| *said).collect() };
    let shared = |(_, memory): &&(MessageId, Stored)| shared_parts(&memory.text, text);
    let most = opened.iter().map(|one| shared(&one)).max().unwrap_or_default();
    opened.iter().filter(|one| shared(one) == most).map(|(said, _)| *said).collect()
}

/// How many telling words a fact shares with a text; in scripts without spaces, how many pairs of characters.
fn shared_parts(fact: &str, text: &str) -> usize {
    let (fact, text) = (fold(&fact.to_lowercase()), fold(&text.to_lowercase()));
    if fact.is_ascii() || fact.contains(' ') {
        let (said, known) = (words(&text), words(&fact));
        let tells = |word: &&String| word.chars().count() > 2 && !is_stop_word(word);
        return known.iter().filter(tells).filter(|word| said.contains(word)).count();
    }
    let is_kana = |c: &char| matches!(c, '\u{3040}'..='\u{309f}');
    let chars: Vec<char> = fact.chars().collect();
    let pairs = chars.windows(2).filter(|pair| !pair.iter().all(is_kana));
    pairs.filter(|pair| text.contains(&pair.iter().collect::<String>())).count()
}
