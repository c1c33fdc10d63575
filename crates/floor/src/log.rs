//! Labelled logs of group chats, on which floor control is measured (RM6).

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::members::{Kind, Member, MemberId, Policy};
use crate::window::Message;

/// A participant must have sent this many messages to be asked whether it speaks.
const LEAST_MESSAGES: usize = 5;
/// How many labels at the end of a log are not asked, because their answers may be cut off.
const CUT_OFF: usize = 30;

/// A log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Log {
    /// Its name.
    pub id: String,
    /// What was said, in order.
    pub messages: Vec<Line>,
    /// What the labelled messages answer.
    pub labels: Vec<Label>,
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its number.
    pub n: u64,
    /// Seconds since the log began.
    pub at: i64,
    /// The speaker. Names that differ only in case are the same.
    pub speaker: String,
    /// Its text.
    pub text: String,
    /// Whether a member joined, left or changed its name, and nothing was said.
    #[serde(default)]
    pub system: bool,
}

/// The label of a message: what it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The number of its line.
    pub n: u64,
    /// The numbers of the lines it answers.
    pub replies_to: Vec<u64>,
}

impl Line {
    /// The id of the speaker.
    pub fn author(&self) -> MemberId {
        self.speaker.to_lowercase().into()
    }

    /// The speaker as a persona, because every speaker of a log is asked whether it answers.
    pub fn member(&self) -> Member {
        let names = vec![self.speaker.clone()];
        Member { id: self.author(), kind: Kind::Persona, names, policy: Policy::Addressed }
    }

    /// The message as a room gets it. The platform does not say what it replies to.
    pub fn message(&self) -> Message {
        Message { id: self.n, author: self.author(), text: self.text.clone(), reply_to: None, at: self.at }
    }
}

/// The labels of a log, indexed by the number of a line.
#[derive(Debug, Clone, Default)]
pub struct Truth {
    replies_to: HashMap<u64, Vec<u64>>,
    authors: HashMap<u64, MemberId>,
    answered_by: HashSet<(u64, MemberId)>,
    asked: HashSet<u64>,
    talkers: HashSet<MemberId>,
}

impl Truth {
    /// Indexes a log.
    pub fn of(log: &Log) -> Self {
        let mut truth = Self::default();
        let mut said: HashMap<MemberId, usize> = HashMap::new();
        for line in log.messages.iter().filter(|line| !line.system) {
            truth.authors.insert(line.n, line.author());
            *said.entry(line.author()).or_default() += 1;
        }
        truth.talkers = said.into_iter().filter(|(_, n)| *n >= LEAST_MESSAGES).map(|(id, _)| id).collect();
        truth.asked = log.labels[..log.labels.len().saturating_sub(CUT_OFF)].iter().map(|l| l.n).collect();
        for label in &log.labels {
            let Some(author) = truth.authors.get(&label.n) else { continue };
            truth.answered_by.extend(label.replies_to.iter().map(|to| (*to, author.clone())));
            truth.replies_to.insert(label.n, label.replies_to.clone());
        }
        truth
    }

    /// The lines that a labelled line answers.
    pub fn replies_to(&self, line: u64) -> Option<&[u64]> {
        self.replies_to.get(&line).map(Vec::as_slice)
    }

    /// The speakers that a line answers, its own author excepted (T1).
    pub fn addressees(&self, line: u64) -> Vec<&MemberId> {
        let author = self.authors.get(&line);
        let answered = self.replies_to(line).unwrap_or_default().iter().filter_map(|to| self.authors.get(to));
        answered.filter(|id| Some(*id) != author).collect()
    }

    /// Whether a member answers a line (T2); `None` if that is not asked.
    pub fn speaks(&self, line: u64, member: &MemberId) -> Option<bool> {
        let asked = self.asked.contains(&line) && self.talkers.contains(member);
        asked.then(|| self.answered_by.contains(&(line, member.clone())))
    }
}
