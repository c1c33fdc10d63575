//! The macros of character cards: `{{char}}`, `{{user}}` and a few more (PF5). Nothing else in an imported text is
//! interpreted, and the value of a macro is not expanded again.

use crate::seed::Seed;

/// Bytes of one macro.
const MAX_MACRO: usize = 1_000;

/// What the macros stand for.
#[derive(Debug, Clone, Copy)]
pub struct Macros<'a> {
    /// `{{char}}` and `<BOT>`.
    pub char: &'a str,
    /// `{{user}}` and `<USER>`.
    pub user: &'a str,
    /// Decides `{{random}}` and `{{roll}}`; the same seed gives the same text.
    pub seed: Seed,
    /// Decides `{{pick}}`, which stays the same for a whole conversation.
    pub lasting: Seed,
}

impl Macros<'_> {
    /// The text with its macros expanded. Unknown macros stay as they are.
    pub fn expand(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut n = 0;
        while let Some(at) = rest.find(['{', '<']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some((value, length)) = self.at(rest, n) {
                out.push_str(&value);
                rest = &rest[length..];
                n += 1;
            } else {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        out.push_str(rest);
        out
    }

    /// The value of the macro at the beginning of `text`, and the macro's length.
    fn at(&self, text: &str, n: usize) -> Option<(String, usize)> {
        for (name, value) in [("<user>", self.user), ("<bot>", self.char), ("<char>", self.char)] {
            if text.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name)) {
                return Some((value.to_owned(), name.len()));
            }
        }
        let inner = text.strip_prefix("{{")?;
        // a search to the end of the text for each brace would take hours in a hostile card (X12)
        let end = inner[..inner.floor_char_boundary(MAX_MACRO)].find("}}")?;
        let value = self.value(&inner[..end], n)?;
        Some((value, end + 4))
    }

    fn value(&self, inner: &str, n: usize) -> Option<String> {
        let inner = inner.trim();
        if inner.starts_with("//") {
            return Some(String::new());
        }
        let (name, arguments) = inner.split_once(':').unwrap_or((inner, ""));
        match name.trim().to_ascii_lowercase().as_str() {
            "char" => Some(self.char.to_owned()),
            "user" => Some(self.user.to_owned()),
            "comment" | "hidden_key" | "noop" | "original" => Some(String::new()),
            "newline" => Some("\n".to_owned()),
            "reverse" => Some(arguments.chars().rev().collect()),
            "random" => choice(arguments, self.seed.roll(&format!("random {n} {arguments}"))),
            "pick" => choice(arguments, self.lasting.roll(&format!("pick {n} {arguments}"))),
            "roll" => {
                let sides = arguments.trim().trim_start_matches(['d', 'D', '1']);
                // `1d6` and `d6` and `6`
                let sides = sides.trim_start_matches(['d', 'D']);
                let sides: u64 =
                    if sides.is_empty() { "1" } else { sides }.parse().ok().filter(|sides| *sides > 0)?;
                Some((self.seed.roll(&format!("roll {n}")) % sides + 1).to_string())
            }
            _ => None,
        }
    }
}

/// One of `a,b,c` or `a::b::c`; `\,` is a comma within a choice.
fn choice(arguments: &str, roll: u64) -> Option<String> {
    let choices: Vec<String> = match arguments.trim_start_matches(':') {
        list if list.contains("::") => list.split("::").map(|one| one.trim().to_owned()).collect(),
        list => {
            let list = list.replace("\\,", "\u{0}");
            list.split(',').map(|one| one.trim().replace('\u{0}', ",")).collect()
        }
    };
    choices.get(usize::try_from(roll % choices.len().max(1) as u64).ok()?).cloned()
}

/// Macros of a text that are looked at for the receipt.
const MAX_LOOKED_AT: usize = 10_000;

/// The names of macros in a text that are not expanded, each once.
pub fn unknown_macros(text: &str) -> Vec<String> {
    let macros = Macros { char: "", user: "", seed: Seed::default(), lasting: Seed::default() };
    let mut found = Vec::new();
    for (at, _) in text.match_indices("{{").take(MAX_LOOKED_AT) {
        let name = text[at + 2..].split(['}', ':', '{', '\n']).next().unwrap_or_default().trim();
        if macros.at(&text[at..], 0).is_none() && !name.is_empty() && name.len() <= 40 && found.len() < 20 {
            found.push(name.to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> String {
        Macros { char: "Nova", user: "Mia {{char}}", seed: Seed::of(&[1]), lasting: Seed::of(&[2]) }
            .expand(text)
    }

    #[test]
    fn pf5_names_are_expanded_once_whatever_their_case() {
        assert_eq!(
            expand("{{CHAR}} greets <USER> and {{ user }} as <bot>."),
            "Nova greets Mia {{char}} and Mia {{char}} as Nova."
        );
        assert_eq!(expand("a{{// note }}b{{comment: x}}c{{reverse:abc}}{{newline}}"), "abccba\n");
        assert_eq!(expand("{{lore}} {char} {{ {{"), "{{lore}} {char} {{ {{");
    }

    #[test]
    fn pf5_a_random_choice_is_the_same_for_the_same_seed() {
        let text = "{{random:red,gr\\,een,blue}} {{pick::a::b::c}} {{roll:d20}} {{roll:1d6}}";
        assert_eq!(expand(text), expand(text));
        let words = expand(text);
        let [colour, pick, twenty, six] = words.split(' ').collect::<Vec<_>>()[..] else { panic!("{words}") };
        assert!(["red", "gr,een", "blue"].contains(&colour) && ["a", "b", "c"].contains(&pick), "{words}");
        assert!(
            (1..=20).contains(&twenty.parse().unwrap()) && (1..=6).contains(&six.parse().unwrap()),
            "{words}"
        );
    }

    #[test]
    fn pf3_macros_that_are_not_expanded_are_named() {
        assert_eq!(unknown_macros("{{char}} {{getvar::x}} {{time}} {{time}}"), ["getvar", "time"]);
    }
}
