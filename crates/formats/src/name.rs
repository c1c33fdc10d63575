//! The name of a persona file: 1 to 64 of a-z, 0-9, `-` and `_`.

use unicode_normalization::UnicodeNormalization;

/// The first of the texts that has a letter or digit for a name, as a name; `persona` if none has.
pub fn file_name(texts: &[&str]) -> String {
    texts.iter().map(|text| slug(text)).find(|name| !name.is_empty()).unwrap_or_else(|| "persona".into())
}

fn slug(text: &str) -> String {
    let mut name = String::new();
    // an accent and its letter may be one character or two
    for c in seen(text).nfc().flat_map(char::to_lowercase) {
        match plain(c) {
            Some(letters) => name.push_str(&letters),
            None if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            None => {}
        }
    }
    name.truncate(60);
    name.trim_end_matches('-').to_owned()
}

/// A letter in ASCII, `ň` as `n`; nothing where it has no close one.
fn plain(c: char) -> Option<String> {
    let letters = match c {
        c if c.is_ascii_alphanumeric() => return Some(c.to_string()),
        'ä' | 'æ' => "ae",
        'ö' | 'œ' => "oe",
        'ü' => "ue",
        'å' => "a",
        'ß' => "ss",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ł' => "l",
        'þ' => "th",
        'ŧ' => "t",
        c if is_mark(c) => "",
        c => {
            let letters: String = c.to_string().nfkd().filter(|it| !is_mark(*it)).collect();
            let is_plain = !letters.is_empty() && letters.chars().all(|c| c.is_ascii_alphanumeric());
            return is_plain.then(|| letters.to_ascii_lowercase());
        }
    };
    Some(letters.to_owned())
}

/// An accent of the letter before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// The characters of a name that a reader sees: none that reverse the direction of writing, and no invisible ones, which
/// would make one name look like another. Those that join the parts of a letter or of an emoji stay.
pub(crate) fn seen(text: &str) -> String {
    let is_hidden = |c: char| {
        matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{ad}' | '\u{feff}' | '\u{180e}')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
    };
    text.chars().filter(|c| !is_hidden(*c) && (!c.is_control() || c.is_whitespace())).collect()
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
        assert_eq!(file_name(&["Růžena Kopečňa Žák"]), "ruzena-kopecna-zak");
        assert_eq!(file_name(&["Łukasz Nguyễn Ångström İnci"]), "lukasz-nguyen-angstroem-inci");
        assert_eq!(file_name(&["Zoe\u{308} Mu\u{308}ller ﬁn Ⅷ"]), "zoe-mueller-fin-viii");
        assert_eq!(file_name(&["初音ミク", "miku_v2"]), "miku-v2");
        assert_eq!(file_name(&["初音ミク", ""]), "persona");
        assert!(file_name(&[&"é".repeat(200)]).len() <= 64);
    }

    #[test]
    fn pf8_a_name_has_no_characters_that_nobody_sees() {
        assert_eq!(seen("Ada\u{202e}nimda\u{2066} \u{200b}B\u{e0041}o\u{7}"), "Adanimda Bo");
        for name in ["👩\u{200d}🚀 Ada", "می\u{200c}خواهم", "Růžena Žák", "初音ミク"] {
            assert_eq!(seen(name), name);
        }
    }

    #[test]
    fn pf2_a_taken_name_gets_a_number() {
        assert_eq!(free_name("ada", |name| ["ada", "ada-2"].contains(&name)), "ada-3");
    }
}
