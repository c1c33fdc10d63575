//! How a model's name is shown to people.

/// A model's name for the screen. llama.cpp names a model by its path; of a path, this is the file's name without its
/// ending. Requests always carry the whole name.
///
/// ```
/// use greenroom_core::short_model_name;
/// assert_eq!(short_model_name("/srv/models/Qwen2.5-7B-Instruct-Q4_K_M.gguf"), "Qwen2.5-7B-Instruct-Q4_K_M");
/// assert_eq!(short_model_name("meta-llama/llama-3.1-8b-instruct"), "meta-llama/llama-3.1-8b-instruct");
/// ```
pub fn short_model_name(model: &str) -> &str {
    let stem = model.strip_suffix(".gguf").or_else(|| model.strip_suffix(".bin"));
    let absolute = model.starts_with(['/', '~', '.']) || model.contains('\\');
    if stem.is_none() && !absolute {
        return model;
    }
    let file = stem.unwrap_or(model).trim_end_matches(['/', '\\']);
    let short = file.rsplit(['/', '\\']).next().unwrap_or(file);
    if short.is_empty() { model } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a13_paths_are_shown_by_their_stem_and_names_as_they_are() {
        for (model, shown) in [
            ("/home/jo/.cache/a-long-way-down/SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2-135M-Instruct.Q4_1"),
            ("C:\\models\\phi-4.gguf", "phi-4"),
            ("models/phi-4.gguf", "phi-4"),
            ("phi-4.gguf", "phi-4"),
            ("/models/llama-3/", "llama-3"),
            ("llama3.2:3b", "llama3.2:3b"),
            ("openai/gpt-4o-mini", "openai/gpt-4o-mini"),
            ("gpt-4.1", "gpt-4.1"),
            ("/", "/"),
            ("", ""),
        ] {
            assert_eq!(short_model_name(model), shown);
        }
    }
}
