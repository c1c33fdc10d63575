//! The layout for models of a few hundred million parameters. They overlook a system message, but use a note right
//! before the question, if examples show them how.

use greenroom_core::{ChatMessage, Outcome, Role, Section};

use super::{
    AssembleError, Assembled, Assembly, Plan,
    account::{Account, context_full},
    character,
    costs::Costs,
    head::Head,
    room::Room,
    settle::{Settled, Shown, settle},
    standard::memory_limit,
};
use crate::{MemoryEntry, TokenCounter};

/// The text before the memory and before the question: SmolLM2-135M follows this wording (6 of 6 facts used;
/// `crates/models/examples/demonstration.rs`).
const FACT: &str = "Fact: ";
const QUESTION: &str = "Question: ";
/// How a fact is used: fact, question, answer.
const EXAMPLES: [[&str; 3]; 2] = [
    ["I play the violin.", "Which instrument do I play?", "You play the violin."],
    ["My sister lives in Oslo.", "Where does my sister live?", "Your sister lives in Oslo."],
];
/// Longest system message, in tokens.
const PROMPT_LIMIT: usize = 48;
/// Most messages of the conversation, including the one being answered. With a fact to use, only the question is
/// sent: earlier messages would distract the model.
const HISTORY_LIMIT: usize = 4;
/// The model repeats any fact that it gets, so a fact must be clearly related to the question. With the static embedder
/// the relevance of answers is mostly 0.45 and more, that of facts beside the question below 0.3.
const FACT_THRESHOLD: f32 = 0.45;
/// The average token of a prompt is never longer than this, in bytes. Text beyond is cut before counting.
const LONGEST_TOKEN: usize = 16;

/// The one memory that is used.
#[derive(Clone, Copy)]
struct Best {
    entry: usize,
    /// Tokens, including the examples.
    tokens: usize,
}

/// How the usable tokens are distributed.
struct Shares<'a> {
    /// The part of the prompt that the model gets.
    prompt: &'a str,
    head: Head,
    costs: Costs<'a>,
    /// Most messages of the conversation.
    most: usize,
    settled: Settled<Option<Best>>,
}

/// Distributes the usable tokens. Returns the required costs if they exceed them.
fn share<'a>(assembly: &Assembly<'a>, room: &Room) -> Result<Shares<'a>, Costs<'a>> {
    let counter = &*assembly.profile.counter;
    let prompt = beginning(counter, assembly.system.trim_end());
    let head = Head::new(counter, prompt);
    let costs = Costs::of(assembly, &head);
    let Some(free) = room.usable.checked_sub(costs.needed()) else { return Err(costs) };
    let best = best_memory(assembly, memory_limit(assembly).min(free));
    let most = if best.is_some() { 1 } else { HISTORY_LIMIT };
    let used = best.map_or(0, |best| best.tokens);
    let (shown, since) = Shown::since_the_trigger(assembly, costs.history, free - used, most);
    let settled = settle(assembly, costs.history, shown, free - since, most, 0, |_, _| (best, used));
    Ok(Shares { prompt, head, costs, most, settled })
}

pub(super) fn plan(assembly: &Assembly<'_>) -> Option<Plan> {
    let Shares { settled, .. } = share(assembly, &Room::of(assembly)).ok()?;
    Some(Plan::of(assembly, &settled, settled.memories.iter().map(|best| best.entry).collect()))
}

pub(super) fn assemble(assembly: &Assembly<'_>) -> Result<Assembled, AssembleError> {
    let counter = &*assembly.profile.counter;
    let room = Room::of(assembly);
    let Shares { prompt, head, costs, most, settled } = match share(assembly, &room) {
        Ok(shares) => shares,
        Err(costs) => return Err(context_full(assembly, room, &costs)),
    };
    let best = settled.memories;

    let mut account = Account::open(assembly, &costs);
    if prompt.len() < assembly.system.trim_end().len() {
        account.prompt_was_cut(format!(
            "cut to its first {} characters: this model is given at most {PROMPT_LIMIT} tokens of a prompt",
            prompt.chars().count()
        ));
    }
    for tool in assembly.tools {
        let (tokens, reason) = (counter.count_tool(tool), "this model knows no tools");
        account.add(Section::Tools, &tool.name, &tool.description, tokens, Outcome::Dropped, reason);
    }
    character::drop_all(&mut account, assembly, "this model is given neither lorebooks nor examples");
    for document in assembly.project {
        let tokens = counter.count(&document.text);
        let reason = "this model is given no project files";
        account.add(Section::Project, &document.path, &document.text, tokens, Outcome::Dropped, reason);
    }
    for (n, entry) in assembly.memories.entries.iter().enumerate() {
        let kept = best.is_some_and(|best| best.entry == n);
        let (outcome, reason) = if kept {
            (Outcome::Kept, "the best one, as a note in the last message")
        } else if settled.in_history[n] {
            (Outcome::Dropped, "already in the history")
        } else if !is_fact(entry) {
            (Outcome::Dropped, "no fact that clearly belongs to the question")
        } else if best.is_some() {
            (Outcome::Dropped, "this model uses only the best memory")
        } else {
            account.budget.exhausted = true;
            (Outcome::Dropped, "no room for a note and its examples")
        };
        let tokens = best.filter(|_| kept).map_or_else(|| counter.count(&entry.text), |best| best.tokens);
        account.add(Section::Memories, &entry.id, &entry.text, tokens, outcome, reason).score =
            Some(entry.score);
    }
    if let Some(summary) = assembly.summary() {
        let tokens = counter.count(summary);
        account.summary(summary, tokens, Outcome::Dropped, "this model is given only the newest messages");
    }
    account.budget.memory_tokens = best.map_or(0, |best| best.tokens);
    let all = assembly.history.len();
    let enough = settled.shown.count(all) >= most;
    account.budget.exhausted |= settled.shown.count(all) < all && !enough;
    let older = if enough { "this model is given only the newest messages" } else { "older than what fits" };
    account.history(assembly, &costs, settled.shown, older);
    let messages = lay_out(assembly, head.text, best, settled.shown);
    Ok(account.close(assembly, room, messages))
}

/// Puts the parts in order.
fn lay_out(assembly: &Assembly<'_>, head: String, best: Option<Best>, shown: Shown) -> Vec<ChatMessage> {
    let mut messages = Vec::new();
    if !head.is_empty() {
        messages.push(ChatMessage::new(Role::System, head));
    }
    if best.is_some() {
        messages.extend(examples());
    }
    messages.extend(shown.messages(assembly));
    // with a note, only the question is sent
    if let (Some(best), Some(last)) = (best, messages.last_mut()) {
        last.content = noted(&assembly.memories.entries[best.entry].text, &last.content);
    }
    messages.extend(assembly.rounds.iter().cloned());
    messages
}

/// Whether a memory may be put to the model as a fact.
fn is_fact(entry: &MemoryEntry) -> bool {
    !entry.reply && entry.score >= FACT_THRESHOLD
}

/// The most relevant fact, if it fits together with its examples and there is a question.
fn best_memory(assembly: &Assembly<'_>, limit: usize) -> Option<Best> {
    let counter = &*assembly.profile.counter;
    let question = assembly.history.get(assembly.trigger()).filter(|asked| asked.role == Role::User)?;
    let usable = |entry: &MemoryEntry| is_fact(entry) && entry.message != Some(question.id);
    let facts = assembly.memories.entries.iter().enumerate().filter(|(_, entry)| usable(entry));
    let (entry, _) = facts.rev().max_by(|(_, a), (_, b)| a.score.total_cmp(&b.score))?;
    let examples: usize = examples().iter().map(|message| counter.count_message(message)).sum();
    let with = counter.count(&noted(&assembly.memories.entries[entry].text, &question.content));
    let tokens = (examples + with).saturating_sub(counter.count(&question.content));
    (tokens <= limit).then_some(Best { entry, tokens })
}

fn examples() -> [ChatMessage; 4] {
    let [first, second] = EXAMPLES.map(|[note, question, answer]| {
        [ChatMessage::new(Role::User, noted(note, question)), ChatMessage::new(Role::Assistant, answer)]
    });
    let ([ask1, say1], [ask2, say2]) = (first, second);
    [ask1, say1, ask2, say2]
}

/// A question with a note before it.
fn noted(text: &str, question: &str) -> String {
    format!("{}\n{QUESTION}{question}", note(text))
}

/// A memory as the model gets it: one line, so that the note ends where its line ends.
pub(super) fn note(text: &str) -> String {
    let note = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let stop = if note.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{FACT}{note}{stop}")
}

/// The beginning of a prompt, short enough for a small model: up to the end of a sentence or a line, or of a word if
/// not even the first sentence fits.
fn beginning<'a>(counter: &dyn TokenCounter, prompt: &'a str) -> &'a str {
    let near = prompt.floor_char_boundary(PROMPT_LIMIT * LONGEST_TOKEN);
    let looked_at = &prompt[..near];
    if near == prompt.len() && counter.count(prompt) <= PROMPT_LIMIT {
        return prompt;
    }
    let longest = |ends: Vec<usize>| {
        let fitting = ends.partition_point(|end| counter.count(&looked_at[..*end]) <= PROMPT_LIMIT);
        fitting.checked_sub(1).map(|n| looked_at[..ends[n]].trim_end())
    };
    let gaps = || looked_at.match_indices(char::is_whitespace);
    let sentences = gaps().filter(|(at, gap)| *gap == "\n" || looked_at[..*at].ends_with(['.', '!', '?']));
    longest(sentences.map(|(at, _)| at).collect())
        .or_else(|| longest(gaps().map(|(at, _)| at).collect()))
        .unwrap_or_default()
}
