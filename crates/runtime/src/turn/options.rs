//! The persona with the options of a request, within the limits of its file.

use std::sync::Arc;

use greenroom_core::ReplyOptions;
use greenroom_persona::Persona;

use crate::grant::Grant;

/// A copy of the persona with the options applied; the same persona if they change nothing. A request may ask for a
/// shorter reply than the file allows, never for a longer one.
pub(crate) fn with_options(persona: Arc<Persona>, options: &ReplyOptions) -> Arc<Persona> {
    if options.temperature.is_none() && options.max_output_tokens.is_none() {
        return persona;
    }
    let mut persona = Arc::unwrap_or_clone(persona);
    let model = &mut persona.model;
    model.temperature = options.temperature.unwrap_or(model.temperature);
    model.max_output_tokens = options.max_output_tokens.unwrap_or(u32::MAX).min(model.max_output_tokens);
    Arc::new(persona)
}

/// Limits the reply to half of the answer's grant, because the request and its reply share the grant (RM4).
pub(crate) fn limit_to_grant(persona: Arc<Persona>, grant: Option<&Grant>) -> Arc<Persona> {
    let half = |grant: &Grant| u32::try_from(grant.left(0) / 2).unwrap_or(u32::MAX).max(1);
    let half = grant.map_or(u32::MAX, half);
    if persona.model.max_output_tokens <= half {
        return persona;
    }
    let mut persona = Arc::unwrap_or_clone(persona);
    persona.model.max_output_tokens = half;
    Arc::new(persona)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_may_ask_for_less_than_a_persona_says_and_never_for_more() {
        let persona = Arc::new(Persona::new("ada".parse().unwrap(), ""));
        let limit = persona.model.max_output_tokens;
        let asked = |temperature, max_output_tokens| {
            let options = ReplyOptions { temperature, max_output_tokens, ..ReplyOptions::default() };
            let model = with_options(persona.clone(), &options).model.clone();
            (model.temperature, model.max_output_tokens)
        };
        let usual = persona.model.temperature;
        assert_eq!(asked(None, None), (usual, limit));
        assert_eq!(asked(Some(0.0), Some(7)), (0.0, 7));
        assert_eq!(asked(None, Some(limit + 1)), (usual, limit));
    }
}
