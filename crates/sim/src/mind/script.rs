//! The scripts of a scenario as minds: the first matching rule gives one of its texts.

use futures::future::BoxFuture;
use greenroom_core::{Role, Usage};
use minijinja::context;

use super::{Mind, MindAnswer, MindCall, MindError};
use crate::{
    draw::{below, mix, share},
    scenario::{Script, ScriptRule, When, filled, holds_word},
};

/// A script. It is stateless; the agent's state comes with the call.
pub(crate) struct ScriptMind(pub(crate) Script);

/// The message to answer, and the whole context, in lower case.
struct SearchText {
    last: String,
    all: String,
}

impl SearchText {
    fn of(call: &MindCall) -> Self {
        let messages = &call.request.messages;
        let last = messages.iter().rev().find(|message| message.role == Role::User);
        let last = last.map_or("", |message| message.content.as_str());
        let others: Vec<_> = messages.iter().filter(|message| message.role != Role::Assistant).collect();
        let all: String = others.iter().map(|message| format!("{}\n", message.content)).collect();
        Self { last: last.to_lowercase(), all: all.to_lowercase() }
    }
}

fn applies(when: &When, call: &MindCall, heard: &SearchText, chance: f64) -> bool {
    let any = |words: &[String], text: &str| {
        words.is_empty() || words.iter().any(|word| holds_word(text, &word.to_lowercase()))
    };
    any(&when.hears, &heard.last)
        && any(&when.remembers, &heard.all)
        && when.knows.as_ref().is_none_or(|topic| call.knows.contains(topic))
        && when.ignorant_of.as_ref().is_none_or(|topic| !call.knows.contains(topic))
        && when.state.as_ref().is_none_or(|state| call.state.as_ref() == Some(state))
        && (when.at.is_empty() || when.at.contains(&call.place))
        && when.chance.is_none_or(|limit| chance < limit)
}

impl ScriptMind {
    fn said(&self, call: &MindCall) -> Result<MindAnswer, MindError> {
        let heard = SearchText::of(call);
        let rules = self.0.rules.iter().zip(1..);
        let applies = |(rule, n): &(&ScriptRule, u64)| match &rule.when {
            None => true,
            Some(when) => applies(when, call, &heard, share(mix(call.draw ^ n))),
        };
        let Some((rule, _)) = rules.clone().find(applies) else {
            return Err(MindError(format!("no rule of the mind `{}` applies", self.0.name)));
        };
        let text = rule.say.get(below(call.draw, rule.say.len())).map_or("", String::as_str);
        let names = context! {
            me => call.me,
            others => call.others.join(", "),
            place => call.place,
            // a message of the scenario has no agent as its author, so another agent in the place stands in for the
            // speaker
            speaker => call.speaker.as_ref().or(call.others.first()).map_or("", String::as_str),
        };
        let text = filled(text, names).map_err(|error| MindError(error.to_string()))?;
        let usage = Usage {
            prompt_tokens: call.request.prompt_tokens,
            completion_tokens: text.len().div_ceil(4) as u64,
            estimated: true,
            cost_micros: 0,
        };
        Ok(MindAnswer {
            text,
            state: rule.state.clone().or_else(|| call.state.clone()),
            usage,
            ..MindAnswer::default()
        })
    }
}

impl Mind for ScriptMind {
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<MindAnswer, MindError>> {
        Box::pin(async move { self.said(call) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::executor::block_on;
    use greenroom_core::{ChatMessage, Timestamp};
    use greenroom_models::ChatRequest;
    use serde_json::Map;

    use super::*;

    fn call(text: &str) -> MindCall {
        let request = ChatRequest {
            model: "script".into(),
            messages: vec![
                ChatMessage::new(Role::System, "You are Wick. You remember: there is a party."),
                ChatMessage::new(Role::User, text),
            ],
            tools: Vec::new(),
            temperature: 0.0,
            max_output_tokens: 10,
            prompt_tokens: 1,
            extra: Map::new(),
        };
        MindCall {
            agent: "wick".into(),
            me: "Wick".into(),
            place: "parlour".into(),
            others: vec!["Ada".into()],
            speaker: Some("Ada".into()),
            knows: vec!["party".into()],
            state: None,
            now: Timestamp(0),
            request: Arc::new(request),
            draw: 3,
            probe: false,
        }
    }

    fn mind(rules: &str) -> ScriptMind {
        ScriptMind(toml::from_str(&format!("name = \"m\"\n{rules}")).unwrap())
    }

    #[test]
    fn sm6_the_first_rule_that_applies_speaks_and_leaves_its_state() {
        let mind = mind(
            r#"
            [[rule]]
            when = { hears = ["MILK"] }
            say = ["milk"]
            [[rule]]
            when = { hears = ["tea"], knows = "party", remembers = ["a party"] }
            say = ["To {{ speaker }}: yes, {{ others }}, says {{ me }} in the {{ place }}."]
            state = "told"
            [[rule]]
            say = ["no"]"#,
        );
        let said = block_on(mind.answer(&call("Ada: Tea?"))).unwrap();
        assert_eq!(said.text, "To Ada: yes, Ada, says Wick in the parlour.");
        assert_eq!(said.state.as_deref(), Some("told"));
        let stranger = MindCall { knows: Vec::new(), ..call("Ada: Tea?") };
        assert_eq!(block_on(mind.answer(&stranger)).unwrap().text, "no");
    }

    #[test]
    fn sm9_an_agent_that_is_alone_names_no_speaker() {
        let mind = mind("[[rule]]\nsay = [\"Yes{% if speaker %}, {{ speaker }}{% endif %}.{{ speaker }}\"]");
        let alone = MindCall { others: Vec::new(), speaker: None, probe: true, ..call("Probe: Yes?") };
        assert_eq!(block_on(mind.answer(&alone)).unwrap().text, "Yes.");
    }

    #[test]
    fn sm6_a_chance_is_that_of_the_call() {
        let mind = mind("[[rule]]\nwhen = { chance = 0.5 }\nsay = [\"a\"]\n[[rule]]\nsay = [\"b\"]");
        let said = |draw| block_on(mind.answer(&MindCall { draw, ..call("x") })).unwrap().text;
        let first = (0..1_000).filter(|n| said(mix(*n)) == "a").count();
        assert!((400..600).contains(&first), "{first}");
        assert_eq!(said(7), said(7));
    }
}
