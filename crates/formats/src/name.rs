//! The name of a persona file: 1 to 64 of a-z, 0-9, `-` and `_`.

/// The first of the texts that has a letter or digit for a name, as a name; `persona` if none has.
pub fn file_name(texts: &[&str]) -> String {
    texts.iter().map(|text| slug(text)).find(|name| !name.is_empty()).unwrap_or_else(|| "persona".into())
}

fn slug(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        match plain(c) {
            "" if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            letters => name.push_str(letters),
        }
    }
    name.truncate(60);
    name.trim_end_matches('-').to_owned()
}

/// A letter in ASCII; nothing where it has no close one.
fn plain(c: char) -> &'static str {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
    if let Some(at) = LETTERS.find(c) {
        return &LETTERS[at..at + c.len_utf8()];
    }
    match c {
        'ä' | 'æ' => "ae",
        'à'..='å' => "a",
        'ç' => "c",
        'è'..='ë' => "e",
        'ì'..='ï' => "i",
        'ñ' => "n",
        'ò'..='õ' | 'ø' => "o",
        'ö' | 'œ' => "oe",
        'ù'..='û' => "u",
        'ü' => "ue",
        'ß' => "ss",
        'ý' | 'ÿ' => "y",
        _ => "",
    }
}

/// The name, or the name with the first number from 2 that is free.
pub fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    let mut number = 2u32;
    loop {
        let numbered = format!("{name}-{number}");
        if !is_taken(&numbered) {
            return numbered;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pf1_a_name_is_made_of_what_the_file_offers() {
        assert_eq!(file_name(&["Default-chan!", "x"]), "default-chan");
        assert_eq!(file_name(&["Zoë Müller", "x"]), "zoe-mueller");
        assert_eq!(file_name(&["初音ミク", "miku_v2"]), "miku-v2");
        assert_eq!(file_name(&["初音ミク", ""]), "persona");
        assert!(file_name(&[&"é".repeat(200)]).len() <= 64);
    }

    #[test]
    fn pf2_a_taken_name_gets_a_number() {
        assert_eq!(free_name("ada", |name| ["ada", "ada-2"].contains(&name)), "ada-3");
    }
}
