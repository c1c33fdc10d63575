//! The messages of the platform that a reply becomes. Where each line is a message, as on IRC, a long answer would hold the
//! others of the account up for minutes: its first lines are said, and `!more` tells the others to the person who asks.
//! The whole answer is in the history.

use greenroom_core::{Author, ChannelKey, PersonaName};
use greenroom_store::StoreError;

use super::RunningAccount;
use crate::{Dialect, Face, Faces, Limits, Place, text};

/// Messages that `more` looks at.
const LOOKED_AT: usize = 30;
/// Lines that `more` tells at a time.
const TOLD: usize = 7;

impl RunningAccount {
    /// The messages that a reply becomes. A long one ends with a note where each line is a message.
    pub(super) fn parts(&self, reply: &str, limits: &Limits, face: &Face) -> Vec<String> {
        let prefix = self.prefix(limits, face);
        let mut parts = text::parts(reply, limits, &prefix);
        if let Some(said) = self.said_of(parts.len(), limits) {
            let note = more_lines(parts.len() - said, 1);
            parts.truncate(said);
            parts.push(format!("{prefix}{note}"));
        }
        parts
    }

    /// The lines of an answer that are said, where these are not all.
    fn said_of(&self, lines: usize, limits: &Limits) -> Option<usize> {
        let most = self.settings.lines_per_answer as usize;
        let is_bounded = !limits.lines && most > 0 && lines > most;
        is_bounded.then(|| most.saturating_sub(1).max(1))
    }

    /// The lines of the last long answer in a chat that were not said: those of a page, the first one is 1.
    pub(super) async fn more(&self, channel: &ChannelKey, page: usize) -> Result<String, StoreError> {
        let place = Place::of(channel);
        let limits = self.adapter.limits(&place);
        let rest = |persona: &PersonaName, reply: &str| {
            let mut lines = text::parts(reply, &limits, &self.prefix(&limits, &self.face(persona)));
            let said = self.said_of(lines.len(), &limits)?;
            Some(lines.split_off(said))
        };
        let history = self.store.history(channel, None, LOOKED_AT).await?;
        let rest = history.iter().rev().find_map(|said| match &said.author {
            Author::Persona { name } => rest(name, &said.text),
            Author::User { .. } => None,
        });
        let rest = rest.unwrap_or_default();
        let from = page.saturating_sub(1).saturating_mul(TOLD);
        let mut told: Vec<String> = rest.iter().skip(from).take(TOLD).cloned().collect();
        let left = rest.len().saturating_sub(from.saturating_add(told.len()));
        if told.is_empty() {
            told.push("No answer here has more lines.".into());
        } else if left > 0 {
            told.push(more_lines(left, page + 1));
        }
        Ok(told.join("\n"))
    }

    /// The beginning of each part, where the platform does not show who says it.
    fn prefix(&self, limits: &Limits, face: &Face) -> String {
        if limits.faces != Faces::Prefix || self.faces().len() < 2 {
            return String::new();
        }
        let name = text::clean_line(&face.name);
        match limits.dialect {
            Dialect::Plain => format!("<{name}> "),
            Dialect::TelegramHtml | Dialect::MatrixHtml => format!("<b>{}:</b> ", text::escape_html(&name)),
            Dialect::Slack => format!("*{name}:* "),
            Dialect::Discord | Dialect::Markdown => format!("**{name}:** "),
        }
    }
}

/// Says how many lines are left, and how to read them.
fn more_lines(left: usize, page: usize) -> String {
    let lines = if left == 1 { "line" } else { "lines" };
    let page = if page > 1 { format!(" {page}") } else { String::new() };
    format!("… ({left} more {lines}: !more{page})")
}
