//! Asks the questions of probes. The agent answers from the context of a normal turn, and nothing of it is stored
//! (SM9).

use std::sync::Arc;

use futures::StreamExt;
use greenroom_core::{Envelope, SharedReceipt, Time, Timestamp, Usage};
use greenroom_models::{ChatModel, ChatRequest, ModelEvent};

use super::{Answer, CommandResult, LivePlace, Reply};
use crate::{
    error::SimError,
    mind::{self, CurrentEvent},
    scenario::{Probe, holds_word},
};

/// The most attempts if an answer names none of the choices.
const ASKED: usize = 2;

/// The question of a probe.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    ask: String,
    choices: Vec<String>,
}

impl Question {
    pub(crate) fn of(probe: &Probe) -> Self {
        Self { ask: probe.ask.clone(), choices: probe.choices.clone() }
    }

    /// The text of the question. Lists the choices, unless it is the first attempt and the question itself contains all
    /// of them.
    fn text(&self, again: bool) -> String {
        let ask = self.ask.to_lowercase();
        let is_named = |choice: &String| holds_word(&ask, &choice.to_lowercase());
        if !again && self.choices.iter().all(is_named) {
            return self.ask.clone();
        }
        format!("{}\nAnswer with one of these and nothing else: {}.", self.ask, self.choices.join(", "))
    }

    /// The choice that an answer names: the whole answer, or the only choice that it contains as a word. A number
    /// counts as a word only if no digit, sign or separator connects it to another: "-1", "0.5", "1,000" and "1:30"
    /// contain neither 1 nor 5.
    fn chosen(&self, answer: &str) -> Option<&String> {
        let text = answer.to_lowercase();
        let bare = text.trim().trim_matches(|c: char| c.is_ascii_punctuation() && !matches!(c, '+' | '-'));
        let mut named = self.choices.iter().filter(|choice| {
            let choice = choice.to_lowercase();
            match choice.parse::<f64>() {
                Ok(_) => holds_number(&text, &choice),
                Err(_) => holds_word(&text, &choice),
            }
        });
        let is_whole = |choice: &&String| choice.to_lowercase() == bare;
        let only = || named.next().filter(|_| named.next().is_none());
        self.choices.iter().find(is_whole).or_else(only)
    }
}

/// Whether a text contains a number that is not part of another one.
fn holds_number(text: &str, number: &str) -> bool {
    let is_sign = |c: char| matches!(c, '-' | '+' | '\u{2212}');
    let is_separator = |c: char| matches!(c, '.' | ',' | ':' | '/' | '\'' | '-' | '\u{2013}');
    text.match_indices(number).any(|(at, found)| {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        let (mut back, mut on) = (before.chars().rev(), after.chars());
        let (last, first) = (back.next(), on.next());
        // at the beginning of an answer, "- 5" is a negative number
        let negative = before.trim_end().ends_with(is_sign) && before.trim_end().chars().count() == 1;
        let joined_before = last.is_some_and(|c| c.is_alphanumeric() || is_sign(c))
            || last.is_some_and(is_separator) && back.next().is_some_and(|c| c.is_ascii_digit());
        let joined_after = first.is_some_and(char::is_alphanumeric)
            || first.is_some_and(is_separator) && on.next().is_some_and(|c| c.is_ascii_digit());
        !(negative || joined_before || joined_after)
    })
}

/// An agent's answer, its usage, and the receipt of its context.
type Answered = (Result<String, String>, Usage, SharedReceipt);

impl LivePlace {
    /// Asks an agent a question. Asks again if the answer names none of the choices.
    pub(super) async fn probe(
        &mut self,
        at: Timestamp,
        agent: usize,
        question: Question,
        current: CurrentEvent,
    ) -> Result<CommandResult, SimError> {
        self.begin(at, current);
        let mut spent = Usage::default();
        let mut reply = None;
        for again in 0..ASKED {
            let (said, usage, receipt) = self.answer(agent, &question.text(again > 0)).await?;
            spent = spent.plus(usage);
            let choice = said.as_ref().ok().and_then(|text| question.chosen(text)).cloned();
            let is_done = question.choices.is_empty() || choice.is_some() || said.is_err();
            reply = Some(Reply {
                agent,
                at: self.time.now(),
                answer: said.map_or_else(Answer::Failed, Answer::Said),
                choice,
                usage: spent,
                receipt: Some(receipt),
            });
            if is_done {
                break;
            }
        }
        let mut current = std::mem::take(&mut *self.state.current());
        if let Some(broken) = current.broken.take() {
            return Err(SimError::Broken(broken));
        }
        Ok(CommandResult {
            replies: reply.into_iter().collect(),
            calls: current.calls,
            usage: current.usage,
            until: self.time.now().0,
        })
    }

    /// Asks an agent for an answer to a text.
    async fn answer(&mut self, agent: usize, ask: &str) -> Result<Answered, SimError> {
        let id = format!("probe:{}", self.state.current().event);
        let message = self.message(&id, "Probe", ask)?;
        let envelope =
            Envelope { to: Some(self.state.name(agent).clone()), group: true, ..Envelope::new(message) };
        let preview = self.runtime.preview_of(self.state.name(agent), envelope).await?;
        let (mind, model) = self.minds.of(agent).ok_or(SimError::Ended)?;
        let request = ChatRequest {
            model: mind.model,
            messages: preview.messages,
            tools: Vec::new(),
            temperature: self.shared.agents[agent].persona.model.temperature,
            max_output_tokens: u32::try_from(preview.receipt.reserve).unwrap_or(u32::MAX),
            prompt_tokens: preview.receipt.budget.total_tokens as u64,
            extra: Default::default(),
        };
        let mut said = Err("it did not answer".to_owned());
        let mut usage = Usage::default();
        let mut text = String::new();
        let mut events = model.stream(Arc::new(request));
        while let Some(event) = events.next().await {
            match event {
                Ok(ModelEvent::Delta(piece)) => text.push_str(&piece),
                Ok(ModelEvent::Finished { usage: cost, .. }) => {
                    usage = cost;
                    said = Ok(std::mem::take(&mut text));
                }
                Ok(_) => {}
                Err(error) => said = Err(mind::reason(error.to_string())),
            }
        }
        Ok((said, usage, preview.receipt.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(ask: &str, choices: &[&str]) -> Question {
        Question { ask: ask.into(), choices: choices.iter().map(ToString::to_string).collect() }
    }

    #[test]
    fn sm9_an_answer_chooses_what_it_names_and_nothing_where_it_names_several() {
        let vote = question("Whom do you vote for?", &["Ada", "Bo", "nobody"]);
        for (answer, choice) in [
            ("Ada", Some("Ada")),
            (" ada. ", Some("Ada")),
            ("I vote for Bo, of course!", Some("Bo")),
            ("**nobody**", Some("nobody")),
            ("Ada or Bo, I cannot tell.", None),
            ("Adam", None),
            ("", None),
        ] {
            assert_eq!(vote.chosen(answer).map(String::as_str), choice, "{answer}");
        }
        let five = question("From 1 to 5?", &["1", "2", "3", "4", "5"]);
        for (answer, choice) in [
            ("4", Some("4")),
            ("4.", Some("4")),
            ("(2)", Some("2")),
            ("#1", Some("1")),
            ("I would say 3!", Some("3")),
            ("3: it was fine", Some("3")),
            ("-1", None),
            ("- 5", None),
            ("0.5", None),
            ("5,0", None),
            ("1,000", None),
            ("1:30", None),
            ("4-5", None),
            ("3/5", None),
            ("5th", None),
            ("10", None),
        ] {
            assert_eq!(five.chosen(answer).map(String::as_str), choice, "{answer}");
        }
        let mood = question("From 1 to 12?", &["-1", "1", "12"]);
        assert_eq!(mood.chosen("12").map(String::as_str), Some("12"));
        assert_eq!(mood.chosen("-1").map(String::as_str), Some("-1"));
        let either = question("Tea?", &["yes", "yes, please"]);
        assert_eq!(either.chosen("Yes, please.").map(String::as_str), Some("yes, please"));
    }

    #[test]
    fn sm9_a_question_that_names_its_choices_is_asked_as_it_is_written() {
        let named = question("Tea or coffee?", &["tea", "coffee"]);
        assert_eq!(named.text(false), "Tea or coffee?");
        assert!(named.text(true).ends_with("\nAnswer with one of these and nothing else: tea, coffee."));
        assert!(question("What do you drink?", &["tea", "coffee"]).text(false).contains("tea, coffee"));
        assert_eq!(question("What do you drink?", &[]).text(false), "What do you drink?");
    }
}
