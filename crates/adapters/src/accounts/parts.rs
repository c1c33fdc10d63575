//! Splits a reply into messages of the platform. Where each line is a message, as on IRC, a long answer would block the
//! account's other replies for minutes. So only its first lines are sent, and `!more` shows the others to the person
//! who asks. The history contains the whole answer.

use greenroom_core::{Author, ChannelKey, PersonaName};
use greenroom_store::StoreError;

use super::RunningAccount;
use crate::{Dialect, Face, Faces, Limits, Place, text};

/// The number of newest messages in which `more` searches a long answer.
const LOOKED_AT: usize = 30;
/// Lines per page of `more`.
const TOLD: usize = 7;

impl RunningAccount {
    /// The messages of a reply. If the answer is cut, the last one tells how to read the rest.
    pub(super) fn parts(&self, reply: &str, limits: &Limits, face: &Face) -> Vec<String> {
        let prefix = self.prefix(limits, face);
        let mut parts = text::parts(reply, limits, &prefix);
        if let Some(said) = self.cut_at(parts.len(), limits) {
            let note = more_lines(parts.len() - said, 1);
            parts.truncate(said);
            parts.push(format!("{prefix}{note}"));
        }
        parts
    }

    /// The number of lines that are sent if the answer is cut. `None` if all lines are sent.
    fn cut_at(&self, lines: usize, limits: &Limits) -> Option<usize> {
        let most = self.settings.lines_per_answer as usize;
        let is_bounded = !limits.lines && most > 0 && lines > most;
        is_bounded.then(|| most.saturating_sub(1).max(1))
    }

    /// A page of the lines that the last long answer in a chat left out. The first page is 1.
    pub(super) async fn more(&self, channel: &ChannelKey, page: usize) -> Result<String, StoreError> {
        let place = Place::of(channel);
        let limits = self.adapter.limits(&place);
        let rest = |persona: &PersonaName, reply: &str| {
            let mut lines = text::parts(reply, &limits, &self.prefix(&limits, &self.face(persona)));
            let said = self.cut_at(lines.len(), &limits)?;
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

    /// The prefix of each part, on platforms that do not show which persona speaks.
    fn prefix(&self, limits: &Limits, face: &Face) -> String {
        let ours = self.faces();
        let is_guest = ours.iter().all(|own| own.persona != face.persona);
        let is_shown = match limits.faces {
            Faces::Own => true,
            // a guest speaks by the connection of another persona
            Faces::Connected => !is_guest,
            Faces::Prefix => !is_guest && ours.len() < 2,
        };
        if is_shown {
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

/// The line that tells how many lines are left and how to read them.
fn more_lines(left: usize, page: usize) -> String {
    let lines = if left == 1 { "line" } else { "lines" };
    let page = if page > 1 { format!(" {page}") } else { String::new() };
    format!("… ({left} more {lines}: !more{page})")
}
