//! Known models by their names: window and tokenizer (WB2, WB3).
//!
//! The windows are the smallest that the makers document for a family. They are limits of the model, not of a server:
//! Ollama serves 4,096 tokens unless its `num_ctx` is set, and silently cuts longer requests; llama.cpp serves the
//! value of `--ctx-size`. A window that a server reports takes precedence over this table.

use std::sync::Arc;

use crate::{EstimateCounter, Layout, ModelProfile, TokenCounter, cl100k, o200k};

/// The window of an unknown model, in tokens (WB2).
pub const DEFAULT_WINDOW: usize = 200_000;

#[derive(Clone, Copy)]
enum Tokenizer {
    O200k,
    Cl100k,
    Unknown,
}

use Tokenizer::{Cl100k, O200k, Unknown};

/// The beginning of the name, in the form of [`plain_name`]; the longest that matches counts.
const FAMILIES: &[(&str, usize, Tokenizer)] = &[
    ("chatgpt4o", 128_000, O200k),
    ("gpt4o", 128_000, O200k),
    ("gpt4.1", 1_047_576, O200k),
    ("gpt4.5", 128_000, O200k),
    // Of its 400,000 tokens 272,000 may be input.
    ("gpt5", 272_000, O200k),
    ("gpt5chat", 128_000, O200k),
    ("gptoss", 131_072, O200k),
    ("o1", 200_000, O200k),
    ("o1mini", 128_000, O200k),
    ("o1preview", 128_000, O200k),
    ("o3", 200_000, O200k),
    ("o4", 200_000, O200k),
    ("gpt4", 8_192, Cl100k),
    ("gpt432k", 32_768, Cl100k),
    ("gpt4turbo", 128_000, Cl100k),
    ("gpt41106", 128_000, Cl100k),
    ("gpt40125", 128_000, Cl100k),
    ("gpt3.5", 16_385, Cl100k),
    ("gpt3.5turboinstruct", 4_096, Cl100k),
    ("claude", 200_000, Unknown),
    ("gemini", 1_048_576, Unknown),
    ("llama2", 4_096, Unknown),
    ("llama3", 8_192, Unknown),
    ("llama3.1", 131_072, Unknown),
    ("llama3.2", 131_072, Unknown),
    ("llama3.3", 131_072, Unknown),
    ("llama4", 1_048_576, Unknown),
    ("qwen", 32_768, Unknown),
    ("qwq", 32_768, Unknown),
    ("mistral", 32_768, Unknown),
    ("mistrallarge", 131_072, Unknown),
    ("mistralnemo", 131_072, Unknown),
    ("ministral", 131_072, Unknown),
    ("mixtral", 32_768, Unknown),
    ("codestral", 32_768, Unknown),
    ("gemma", 8_192, Unknown),
    ("gemma3", 131_072, Unknown),
    ("gemma31b", 32_768, Unknown),
    ("gemma3n", 32_768, Unknown),
    ("deepseek", 65_536, Unknown),
    ("deepseekcoder", 16_384, Unknown),
    ("deepseekr1", 131_072, Unknown),
    ("phi", 2_048, Unknown),
    ("phi3mini4k", 4_096, Unknown),
    ("phi3", 131_072, Unknown),
    ("phi3.5", 131_072, Unknown),
    ("phi4", 16_384, Unknown),
    ("phi4mini", 131_072, Unknown),
    ("commandr", 131_072, Unknown),
    ("grok", 131_072, Unknown),
    ("smollm2", 8_192, Unknown),
];

/// The profile of the model called `model`. `window`, from a persona or the settings, replaces the known window.
/// Loads no tokenizer.
///
/// ```
/// let profile = greenroom_context::profile_for("openai/gpt-4o-mini", None);
/// assert_eq!((profile.window, profile.counter.name()), (128_000, "o200k"));
/// ```
pub fn profile_for(model: &str, window: Option<usize>) -> ModelProfile {
    let name = plain_name(model);
    let family = FAMILIES
        .iter()
        .filter(|(begins, ..)| name.starts_with(begins))
        .max_by_key(|(begins, ..)| begins.len());
    let (known, tokenizer) =
        family.map_or((DEFAULT_WINDOW, Unknown), |(_, window, tokenizer)| (*window, *tokenizer));
    let counter: Arc<dyn TokenCounter> = match tokenizer {
        O200k => o200k(),
        Cl100k => cl100k(),
        Unknown => Arc::new(EstimateCounter::default()),
    };
    ModelProfile { window: window.unwrap_or(known), counter, layout: Layout::Standard }
}

/// Families whose models accept images, in the form of [`plain_name`].
const WITH_VISION: &[&str] = &[
    "chatgpt4o",
    "gpt4o",
    "gpt4.1",
    "gpt4.5",
    "gpt4turbo",
    "gpt5",
    "o1",
    "o3",
    "o4",
    "claude",
    "gemini",
    "gemma3",
    "llama3.2vision",
    "llama4",
    "llava",
    "bakllava",
    "moondream",
    "minicpmv",
    "pixtral",
    "mistralsmall3",
    "internvl",
    "grok4",
];
/// Models of these families that do not.
const WITHOUT_VISION: &[&str] =
    &["o1mini", "o1preview", "o3mini", "gemma31b", "gemma3270m", "claude2", "claudeinstant"];

/// Whether the model called `model` is known to accept images (AD2).
///
/// ```
/// assert!(greenroom_context::accepts_images("openai/gpt-4o-mini"));
/// assert!(!greenroom_context::accepts_images("llama3.1:8b"));
/// ```
pub fn accepts_images(model: &str) -> bool {
    let name = plain_name(model);
    let begins = |families: &[&str]| families.iter().any(|family| name.starts_with(family));
    let says_so = ["vision", "vl"].iter().any(|mark| {
        model.to_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.ends_with(mark))
    });
    (begins(WITH_VISION) || says_so) && !begins(WITHOUT_VISION)
}

/// The name without its publisher, in lower case, without separators that differ between sources:
/// `meta-llama/Llama-3.1-8B` and `llama3.1:8b` become the same.
fn plain_name(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let name = name.strip_prefix("ft:").unwrap_or(&name);
    let name = name.strip_prefix("meta-").unwrap_or(name);
    name.chars().filter(|c| !matches!(c, '-' | '_' | ':' | ' ')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wb2_known_families_have_their_window_and_tokenizer() {
        for (model, window, counter) in [
            ("gpt-4o-mini", 128_000, "o200k"),
            ("openai/gpt-4.1-nano", 1_047_576, "o200k"),
            ("ft:gpt-4o-mini-2024-07-18:acme::x1", 128_000, "o200k"),
            ("gpt-5-mini", 272_000, "o200k"),
            ("o3-mini", 200_000, "o200k"),
            ("o1-mini", 128_000, "o200k"),
            ("gpt-4", 8_192, "cl100k"),
            ("gpt-4-turbo", 128_000, "cl100k"),
            ("gpt-4-1106-preview", 128_000, "cl100k"),
            ("gpt-3.5-turbo", 16_385, "cl100k"),
            ("claude-sonnet-4-5", 200_000, "estimate"),
            ("meta-llama/Meta-Llama-3.1-8B-Instruct", 131_072, "estimate"),
            ("llama3.2:3b", 131_072, "estimate"),
            ("llama3:8b", 8_192, "estimate"),
            ("gemma3:1b", 32_768, "estimate"),
            ("gemma-3-12b-it", 131_072, "estimate"),
            ("phi4", 16_384, "estimate"),
        ] {
            let profile = profile_for(model, None);
            assert_eq!((profile.window, profile.counter.name()), (window, counter), "{model}");
        }
    }

    #[test]
    fn wb2_an_unknown_model_has_200_000_tokens_unless_somebody_says_otherwise() {
        assert_eq!(profile_for("my-own-model", None).window, 200_000);
        assert_eq!(profile_for("my-own-model", Some(4_096)).window, 4_096);
        assert_eq!(profile_for("gpt-4o", Some(10_000)).window, 10_000);
    }

    #[test]
    fn ad2_models_that_accept_images_are_known_by_their_names() {
        for model in
            ["gpt-4o", "claude-sonnet-4-5", "qwen2.5-vl:7b", "qwen2.5vl", "llama3.2-vision:11b", "gemma3:12b"]
        {
            assert!(accepts_images(model), "{model}");
        }
        for model in ["gpt-3.5-turbo", "o3-mini", "llama3.1", "gemma3:1b", "mistral", "my-own-model", "gpt-4"]
        {
            assert!(!accepts_images(model), "{model}");
        }
    }

    #[test]
    fn wb2_no_family_stands_twice() {
        for (n, (name, ..)) in FAMILIES.iter().enumerate() {
            assert!(FAMILIES[n + 1..].iter().all(|(other, ..)| other != name), "{name}");
        }
    }
}
