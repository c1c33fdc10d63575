//! One piece of a streamed answer, or a whole answer in its place, as endpoints send it.
//!
//! It is parsed once, directly from its bytes, and leniently: a field of an unexpected type counts as absent. Only
//! invalid JSON is an error (L9).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::lenient::{List, Number, Object, Text, Words, read};

/// A piece.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, deserialize_with = "read::<Text, _>")]
    object: Option<Cow<'a, str>>,
    error: Value,
    /// The tokens of the call so far.
    #[serde(deserialize_with = "read::<Object<Tokens>, _>")]
    pub(super) usage: Option<Tokens>,
    #[serde(deserialize_with = "read::<List<Choice<'a>>, _>")]
    choices: Vec<Choice<'a>>,
}

/// Tokens of a call, as the endpoint counts them.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    #[serde(deserialize_with = "read::<Number, _>")]
    pub(super) prompt_tokens: Option<u64>,
    #[serde(deserialize_with = "read::<Number, _>")]
    pub(super) completion_tokens: Option<u64>,
}

/// One of several answers that a request may ask for; Greenroom asks for one.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    #[serde(deserialize_with = "read::<Number, _>")]
    index: Option<u64>,
    error: Value,
    /// The addition to the answer.
    #[serde(borrow, deserialize_with = "read::<Object<Delta<'a>>, _>")]
    pub(super) delta: Option<Delta<'a>>,
    /// The whole answer, if the endpoint sends no additions.
    #[serde(borrow, deserialize_with = "read::<Object<Delta<'a>>, _>")]
    pub(super) message: Option<Delta<'a>>,
    #[serde(borrow, deserialize_with = "read::<Text, _>")]
    pub(super) finish_reason: Option<Cow<'a, str>>,
}

/// A piece of the model's output.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    /// Text, or the text parts of a list of parts.
    #[serde(borrow, deserialize_with = "read::<Words, _>")]
    pub(super) content: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "read::<Words, _>")]
    pub(super) refusal: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "read::<Text, _>")]
    reasoning_content: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "read::<Text, _>")]
    reasoning: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "read::<List<CallPart<'a>>, _>")]
    pub(super) tool_calls: Vec<CallPart<'a>>,
}

/// A tool call or a part of one.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CallPart<'a> {
    #[serde(deserialize_with = "read::<Number, _>")]
    pub(super) index: Option<u64>,
    #[serde(borrow, deserialize_with = "read::<Text, _>")]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "read::<Object<Function<'a>>, _>")]
    pub(super) function: Option<Function<'a>>,
}

/// The called function.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Function<'a> {
    #[serde(borrow, deserialize_with = "read::<Text, _>")]
    pub(super) name: Option<Cow<'a, str>>,
    /// A text that is JSON or a part of it; some servers send the JSON value itself.
    pub(super) arguments: Value,
}

impl<'a> Chunk<'a> {
    /// Parses a piece. The error describes the fault and quotes nothing of the piece.
    pub(super) fn read(json: &'a [u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(json).map_err(|_| "a piece of it is not UTF-8".to_owned())?;
        let mut json = serde_json::Deserializer::from_str(text);
        let chunk = read::<Object<Self>, _>(&mut json).and_then(|chunk| json.end().map(|()| chunk));
        // the error names line and column
        chunk.map(Option::unwrap_or_default).map_err(|error| format!("a piece of it is no JSON: {error}"))
    }

    /// Whether the piece is an error (L8).
    pub(super) fn is_error(&self) -> bool {
        !self.error.is_null() || self.object.as_deref() == Some("error")
    }

    /// The text of a piece that contains only text, if the JSON does not escape it.
    pub(super) fn plain_text(&self) -> Option<&'a str> {
        let [Choice { index, error: Value::Null, delta: Some(delta), message: None, finish_reason: None }] =
            &self.choices[..]
        else {
            return None;
        };
        let first = index.unwrap_or(0) == 0 && self.usage.is_none() && !self.is_error();
        let nothing_else = delta.refusal.is_empty() && delta.tool_calls.is_empty() && !delta.thinks();
        match delta.content {
            Cow::Borrowed(text) if first && nothing_else && !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The first choice; chunks without any are skipped (L10).
    pub(super) fn choice(self) -> Option<Choice<'a>> {
        self.choices.into_iter().find(|choice| choice.index.unwrap_or(0) == 0)
    }
}

impl Choice<'_> {
    /// Whether the choice is an error (L8).
    pub(super) fn is_error(&self) -> bool {
        !self.error.is_null()
    }
}

impl Delta<'_> {
    /// Whether the piece is reasoning: activity, but no text of the answer.
    pub(super) fn thinks(&self) -> bool {
        [&self.reasoning_content, &self.reasoning].into_iter().flatten().any(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l9_what_is_no_json_or_no_utf8_is_an_error_that_quotes_nothing() {
        for bytes in [
            &b"{\"key\": sk-canary}"[..],
            b"{\"a\":\"\xff\"}",
            b"{\"a",
            b"{} sk-canary",
            b"{\"object\":\"sk-canary\",\"object\":\"sk-canary\"}",
        ] {
            let error = Chunk::read(bytes).err().unwrap();
            assert!(!error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn x12_a_piece_that_nests_without_end_is_an_error() {
        for open in
            ["[", "{\"choices\":", "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":["]
        {
            let error = Chunk::read(open.repeat(50_000).as_bytes()).err().unwrap();
            assert!(error.contains("is no JSON"), "{error}");
        }
    }

    #[test]
    fn a_field_of_another_kind_is_as_good_as_absent() {
        for odd in ["null", "true", "-1", "1.5", "[[1], {\"a\": null}]", "\"odd\"", "7", "{\"odd\": {}}"] {
            let names = ["object", "usage", "choices"];
            let fields: Vec<_> = names.iter().map(|name| format!("\"{name}\": {odd}")).collect();
            assert!(
                !Chunk::read(format!("{{{}}}", fields.join(",")).as_bytes()).unwrap().is_error(),
                "{odd}"
            );
            assert!(Chunk::read(odd.as_bytes()).unwrap().choice().is_none(), "{odd}");
            let names = ["delta", "message", "finish_reason", "logprobs"];
            let fields: Vec<_> = names.iter().map(|name| format!("\"{name}\": {odd}")).collect();
            let chunk = format!("{{\"choices\": [{{{}}}]}}", fields.join(","));
            let choice = Chunk::read(chunk.as_bytes()).unwrap().choice().unwrap();
            assert!(choice.delta.is_none_or(|delta| delta.content.is_empty() && !delta.thinks()), "{odd}");
        }
    }

    #[test]
    fn text_may_come_in_parts_and_with_escapes() {
        let parts =
            br#"{"choices": [{"delta": {"content": [{"text": "a\n"}, 1, {"text": "b"}, {"url": "c"}]}}]}"#;
        let delta = Chunk::read(parts).unwrap().choice().unwrap().delta.unwrap();
        assert_eq!(delta.content, "a\nb");
        let whole =
            "{\"choices\": [{\"delta\": {\"content\": \"Gr\\u00fc\u{df}e\", \"reasoning\": \"hm\"}}]}";
        let delta = Chunk::read(whole.as_bytes()).unwrap().choice().unwrap().delta.unwrap();
        assert_eq!((&*delta.content, delta.thinks()), ("Grüße", true));
    }
}
