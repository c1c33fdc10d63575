//! The macros of character cards: `{{char}}`, `{{user}}` and a few more (PF5). Nothing else in an imported text is
//! interpreted. The value of a macro is not expanded again.

use std::collections::BTreeSet;

use crate::seed::Seed;

/// The most bytes of one macro.
const MAX_MACRO: usize = 1_000;
/// The deepest nesting of macros. Deeper ones stay text (A6).
const MAX_DEPTH: usize = 8;

/// The values of the macros.
#[derive(Debug, Clone, Copy)]
pub struct Macros<'a> {
    /// `{{char}}` and `<BOT>`.
    pub char: &'a str,
    /// `{{user}}` and `<USER>`.
    pub user: &'a str,
    /// The seed of `{{random}}` and `{{roll}}`. The same seed gives the same text.
    pub seed: Seed,
    /// The seed of `{{pick}}`. It stays the same for a whole conversation.
    pub lasting: Seed,
}

impl Macros<'_> {
    /// Expands the macros of a text, including nested ones. Unknown macros, and macros nested deeper than `MAX_DEPTH`
    /// levels, stay unchanged.
    pub fn expand(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end) in too_deep(text) {
            self.expand_into(&mut out, &text[from..start], 0);
            out.push_str(&text[start..end]);
            from = end;
        }
        self.expand_into(&mut out, &text[from..], 0);
        out
    }

    fn expand_into(&self, out: &mut String, text: &str, depth: usize) {
        let mut rest = text;
        let mut n = 0;
        while let Some(at) = rest.find(['{', '<']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some((value, length)) = self.at(rest, n, depth) {
                out.push_str(&value);
                rest = &rest[length..];
                n += 1;
            } else {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        out.push_str(rest);
    }

    /// The value of the macro at the beginning of `text`, and the macro's length.
    fn at(&self, text: &str, n: usize, depth: usize) -> Option<(String, usize)> {
        for (name, value) in [("<user>", self.user), ("<bot>", self.char), ("<char>", self.char)] {
            if text.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name)) {
                return Some((value.to_owned(), name.len()));
            }
        }
        let inner = text.strip_prefix("{{")?;
        // bounded: searching to the end of the text for each brace would take hours in a hostile card (X12)
        let end = end_of(&inner[..inner.floor_char_boundary(MAX_MACRO)])?;
        let value = self.value(&inner[..end], n, depth)?;
        Some((value, end + 4))
    }

    /// A part of a macro, with the macros in it expanded.
    fn part(&self, text: &str, depth: usize) -> String {
        let mut out = String::new();
        match depth < MAX_DEPTH {
            true => self.expand_into(&mut out, text, depth + 1),
            false => out.push_str(text),
        }
        out
    }

    fn value(&self, inner: &str, n: usize, depth: usize) -> Option<String> {
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
            "reverse" => Some(self.part(arguments, depth).chars().rev().collect()),
            "random" => {
                let chosen = choice(arguments, self.seed.roll(&format!("random {n} {arguments}")))?;
                Some(self.part(&chosen, depth))
            }
            "pick" => {
                let chosen = choice(arguments, self.lasting.roll(&format!("pick {n} {arguments}")))?;
                Some(self.part(&chosen, depth))
            }
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

/// Selects one of `a,b,c` or `a::b::c`. `\,` is a comma inside a choice. Separators inside a nested macro belong to
/// that macro.
fn choice(arguments: &str, roll: u64) -> Option<String> {
    let list = arguments.trim_start_matches(':');
    let choices = match parts(list, "::") {
        parts if parts.len() > 1 => parts,
        _ => parts(list, ","),
    };
    let chosen = choices.get(usize::try_from(roll % choices.len().max(1) as u64).ok()?)?;
    Some(chosen.trim().replace("\\,", ","))
}

/// Splits a list at the separators outside nested macros.
fn parts<'a>(list: &'a str, mark: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut from, mut depth, mut at) = (0, 0usize, 0);
    while let Some(rest) = list.get(at..).filter(|rest| !rest.is_empty()) {
        let step = match () {
            () if rest.starts_with("{{") || rest.starts_with("}}") => {
                depth = if rest.starts_with('{') { depth + 1 } else { depth.saturating_sub(1) };
                2
            }
            () if depth == 0 && rest.starts_with(mark) && !list[..at].ends_with('\\') => {
                parts.push(&list[from..at]);
                from = at + mark.len();
                mark.len()
            }
            () => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += step;
    }
    parts.push(&list[from..]);
    parts
}

/// The positions of braces that open or close macros.
fn braces(text: &str) -> impl Iterator<Item = (usize, bool)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += text.get(at..)?.find(['{', '}'])?;
            let here = at;
            match &text[at..] {
                rest if rest.starts_with("{{") => at += 2,
                rest if rest.starts_with("}}") => at += 2,
                _ => {
                    at += 1;
                    continue;
                }
            }
            return Some((here, text[here..].starts_with('{')));
        }
    })
}

/// The end of the macro whose content `text` begins with. `None` if it nests too deep.
fn end_of(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, opens) in braces(text) {
        match opens {
            true if depth == MAX_DEPTH => return None,
            true => depth += 1,
            false if depth == 0 => return Some(at),
            false => depth -= 1,
        }
    }
    None
}

/// The ranges of macros that nest too deep, from the first to the last brace.
pub(crate) fn too_deep(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut open, mut deepest) = (Vec::new(), 0);
    for (at, opens) in braces(text) {
        if opens {
            open.push(at);
            deepest = deepest.max(open.len());
        } else if let Some(start) = open.pop()
            && open.is_empty()
        {
            if deepest > MAX_DEPTH {
                found.push((start, at + 2));
            }
            deepest = 0;
        }
    }
    found
}

/// The most macros of a text that are checked for the receipt.
const MAX_LOOKED_AT: usize = 10_000;

/// The most names of macros that are collected (X12).
const MAX_NAMES: usize = 1_000;

/// Adds the names of macros that are not expanded.
pub fn unknown_macros(text: &str, found: &mut BTreeSet<String>) {
    let macros = Macros { char: "", user: "", seed: Seed::default(), lasting: Seed::default() };
    for (at, _) in text.match_indices("{{").take(MAX_LOOKED_AT) {
        let name = text[at + 2..].split(['}', ':', '{', '\n']).next().unwrap_or_default().trim();
        let is_new = !name.is_empty() && name.len() <= 40 && !found.contains(name);
        if is_new && found.len() < MAX_NAMES && macros.at(&text[at..], 0, 0).is_none() {
            found.insert(name.to_owned());
        }
    }
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
    fn pf5_macros_within_macros_are_expanded_and_a_value_is_not() {
        assert_eq!(
            expand("{{random:{{char}}}} {{reverse:{{char}}}} {{pick::{{random:a,a}}::a}}"),
            "Nova avoN a"
        );
        let text = "{{random:{{random:x,y,x}} smiles\\, {{char}},{{char}} frowns}}!";
        let words = expand(text);
        assert!(["x smiles, Nova!", "y smiles, Nova!", "Nova frowns!"].contains(&&*words), "{words}");
        // the person's name contains a macro
        assert_eq!(expand("{{random:{{user}}}}"), "Mia {{char}}");
    }

    /// A6: nesting is counted before anything is parsed.
    #[test]
    fn pf8_macros_that_nest_without_end_stay_text() {
        let nested = |depth: usize| format!("{}a{}", "{{random:".repeat(depth), "}}".repeat(depth));
        assert_eq!(expand(&nested(MAX_DEPTH)), "a");
        for depth in [MAX_DEPTH + 1, 20, 200, 100_000] {
            let text = format!("{{{{char}}}} {} {{{{char}}}}", nested(depth));
            assert_eq!(expand(&text), text.replace("{{char}}", "Nova"));
            assert_eq!(too_deep(&text).len(), 1);
        }
        let open = "{{random:".repeat(100_000);
        assert_eq!(expand(&open), open);
        assert_eq!(expand(&format!("{}{{{{char}}}}", "{{".repeat(20))), format!("{}Nova", "{{".repeat(20)));
    }

    #[test]
    fn pf3_macros_that_are_not_expanded_are_named() {
        let mut found = BTreeSet::new();
        unknown_macros("{{char}} {{getvar::x}} {{time}} {{time}}", &mut found);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["getvar", "time"]);
    }
}
