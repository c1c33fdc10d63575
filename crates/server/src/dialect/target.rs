//! Determines the persona that answers, and the channel. Most front ends cannot set a header, so the model's name
//! (`ada@den`) or the base URL (`/v1/c/den`) may name the channel too.

use greenroom_core::{ChannelKey, IdError, PersonaName};

use super::{headers::RequestHeaders, request::ReplyRequest};
use crate::{ApiError, Services};

/// The persona that answers, and the channel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    /// The persona that answers.
    pub(crate) persona: PersonaName,
    /// The channel; without one nothing is stored.
    pub(crate) channel: Option<ChannelKey>,
}

impl Target {
    /// The persona and the channel of a request.
    ///
    /// # Errors
    /// 404 for an unknown persona, 400 for a text that is no channel, or for two channels.
    pub(crate) fn of(
        services: &Services,
        ask: &ReplyRequest,
        headers: &RequestHeaders,
    ) -> Result<Self, ApiError> {
        let (persona, suffix) = parted(&ask.model);
        let persona = persona_named(services, persona)?;
        let named = [
            (headers.header.as_deref(), "x-greenroom-channel"),
            (ask.channel.as_deref(), "metadata.channel"),
            (suffix, "model"),
            (headers.base.as_deref(), "base_url"),
        ];
        Ok(Self { persona, channel: one_channel(named)? })
    }
}

/// The channel that all of these fields name.
fn one_channel<'a>(
    named: impl IntoIterator<Item = (Option<&'a str>, &'static str)>,
) -> Result<Option<ChannelKey>, ApiError> {
    let mut chosen: Option<(ChannelKey, &'static str)> = None;
    for (name, param) in named {
        let Some(name) = name else { continue };
        let channel =
            channel_named(name).map_err(|error| ApiError::invalid(error.to_string()).about(param))?;
        match &chosen {
            Some((other, where_)) if *other != channel => {
                let message =
                    format!("{where_} names the channel {other} and {param} names {channel}: name one");
                return Err(ApiError::invalid(message).about(param));
            }
            Some(_) => {}
            None => chosen = Some((channel, param)),
        }
    }
    Ok(chosen.map(|(channel, _)| channel))
}

/// The channel of a short name: `den` is `api:den`, and a whole key is itself.
fn channel_named(name: &str) -> Result<ChannelKey, IdError> {
    if name.contains(':') { name.parse() } else { format!("api:{name}").parse() }
}

/// Splits a model's name into persona and channel. Removes the tag that Ollama's clients append, and the prefix of a
/// tuned model, `ft:BASE:`, which makes a name acceptable to clients that only know OpenAI's models.
fn parted(model: &str) -> (&str, Option<&str>) {
    let model = model.strip_suffix(":latest").unwrap_or(model);
    let tuned = model.strip_prefix("ft:").and_then(|rest| rest.split_once(':'));
    let model = tuned.map_or(model, |(_, persona)| persona);
    match model.split_once('@') {
        Some((persona, channel)) => (persona, Some(channel)),
        None => (model, None),
    }
}

/// The persona of a name.
///
/// # Errors
/// 404 with the names of all personas.
pub(crate) fn persona_named(services: &Services, name: &str) -> Result<PersonaName, ApiError> {
    let cast = services.runtime.cast();
    let known = |name: &PersonaName| cast.iter().any(|persona| &persona.name == name);
    name.parse().ok().filter(known).ok_or_else(|| {
        let names: Vec<&str> = cast.iter().map(|persona| persona.name.as_str()).collect();
        let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
        let message = format!(
            "there is no persona `{shown}`; there are: {}. A model's name is PERSONA or PERSONA@CHANNEL",
            names.join(", ")
        );
        ApiError::not_found("model_not_found", message).about("model")
    })
}

/// The persona of a model's name, with or without a channel.
///
/// # Errors
/// As [`persona_named`].
pub(crate) fn persona_of(services: &Services, model: &str) -> Result<PersonaName, ApiError> {
    persona_named(services, parted(model).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(named: &[(&'static str, Option<&str>)]) -> Result<Option<String>, String> {
        let chosen = one_channel(named.iter().map(|(param, name)| (*name, *param)))
            .map_err(|error| error.param.unwrap_or_default());
        chosen.map(|channel| channel.map(|channel| channel.to_string()))
    }

    #[test]
    fn e1_a_models_name_is_a_persona_and_perhaps_a_channel() {
        assert_eq!(parted("ada"), ("ada", None));
        assert_eq!(parted("ada@den"), ("ada", Some("den")));
        assert_eq!(parted("ada@api:den:7"), ("ada", Some("api:den:7")));
        assert_eq!(parted("ada:latest"), ("ada", None));
        assert_eq!(parted("ada@den:latest"), ("ada", Some("den")));
        assert_eq!(parted("ada@"), ("ada", Some("")));
        assert_eq!(parted("ft:gpt-4o-mini:ada@api:den"), ("ada", Some("api:den")));
        assert_eq!(parted("ft:ada"), ("ft:ada", None));
    }

    #[test]
    fn e1_a_short_name_is_a_channel_of_the_api_and_a_key_is_itself() {
        assert_eq!(chosen(&[("model", Some("den"))]), Ok(Some("api:den".into())));
        assert_eq!(chosen(&[("model", Some("api:den:7"))]), Ok(Some("api:den:7".into())));
        assert_eq!(chosen(&[("model", Some("terminal:den"))]), Ok(Some("terminal:den".into())));
        for wrong in ["", "a b", ":", "api:", "a\u{0}"] {
            assert_eq!(chosen(&[("model", Some(wrong))]), Err("model".into()), "{wrong:?}");
        }
        assert_eq!(chosen(&[]), Ok(None));
    }

    #[test]
    fn e1_two_channels_are_refused_and_the_same_twice_is_not() {
        assert_eq!(
            chosen(&[("model", Some("den")), ("base_url", Some("api:den"))]),
            Ok(Some("api:den".into()))
        );
        assert_eq!(chosen(&[("model", Some("den")), ("base_url", Some("attic"))]), Err("base_url".into()));
    }
}
