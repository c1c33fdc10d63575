//! Detection of secrets. Capture drops them; a password is stored only if its author explicitly asks to remember it
//! (X5).

use greenroom_lang::WordList;
use greenroom_persona::blot;

/// Words that name a secret on their own.
static SECRETS: WordList = WordList::of(
    "password passwords passwort passphrase passcode pin pins puk cvv cvc tan iban ssn token \
    tokens secret secrets credential credentials apikey otp 2fa kennwort pwd",
);
/// The first and second words of names with two words.
static PAIRS: [(WordList, WordList); 5] = [
    (
        WordList::of("api access secret private ssh license encryption security recovery"),
        WordList::of("key keys code codes phrase"),
    ),
    (WordList::of("credit debit bank"), WordList::of("card account")),
    (WordList::of("card account"), WordList::of("number")),
    (WordList::of("social"), WordList::of("security")),
    (WordList::of("my"), WordList::of("key")),
];

/// Words after which "secret" is a wish ("keep it secret"), unless it has an owner ("keep my secret").
static KEPT: WordList = WordList::of("keep keeping kept stay stays remain remains");
static OWNERS: WordList = WordList::of("my our the client app api shared");
/// "secret" is looked for among this many words behind such a word.
const WISH: usize = 4;

/// A run of at least this many digits, regardless of spaces and dashes, counts as the number of a card or an account.
const DIGITS: usize = 12;
/// A word of at least this many mixed letters and digits counts as a key.
const KEY: usize = 20;

/// Whether a text contains a secret or something that looks like one. False positives are accepted.
pub(crate) fn tells_a_secret(text: &str) -> bool {
    let low = text.to_lowercase();
    let words: Vec<&str> = low.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    // "the door is 4711, keep it secret" tells a code
    let has_digit = low.contains(|c: char| c.is_ascii_digit());
    let named = (0..words.len()).any(|at| SECRETS.has(words[at]) && (has_digit || !is_a_wish(&words[..=at])));
    let paired =
        words.windows(2).any(|w| PAIRS.iter().any(|(first, second)| second.has(w[1]) && first.has(w[0])));
    named || paired || has_a_long_number(&low) || low.split_whitespace().any(is_key) || blot(text) != text
}

/// Whether the last of these words is the "secret" of "keep it secret" or "that stays a secret".
fn is_a_wish(words: &[&str]) -> bool {
    let [before @ .., "secret"] = words else { return false };
    let owned = before.last().is_some_and(|word| OWNERS.has(word));
    !owned && before.iter().rev().take(WISH).any(|word| KEPT.has(word))
}

fn has_a_long_number(text: &str) -> bool {
    let mut digits = 0;
    text.chars().any(|c| {
        digits = match c {
            '0'..='9' => digits + 1,
            ' ' | '-' => digits,
            _ => 0,
        };
        digits >= DIGITS
    })
}

/// Detects keys as `DE89370400440532013000` or `a8f5f167f44f4964e6c998dee827110c`.
fn is_key(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let count = |of: fn(char) -> bool| word.chars().filter(|c| of(*c)).count();
    word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && word.len() >= KEY
        && count(|c| c.is_ascii_digit()) >= 4
        && count(|c| c.is_ascii_alphabetic()) >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x5_a_secret_is_known_by_its_name_or_its_look() {
        for secret in [
            "My password is hunter2-secret!",
            "My api key is sk-abc123",
            "My credit card is 4111 1111 1111 1111",
            "it is 4111-1111-1111-1111",
            "My pin is 4711",
            "My iban is DE89370400440532013000",
            "Jo's account: DE89370400440532013000.",
            "I use a8f5f167f44f4964e6c998dee827110c for that",
            "use http://me:canary@host for mails",
            "keep my secret: hunter",
            "my door is 4711, keep it secret",
        ] {
            assert!(tells_a_secret(secret), "{secret}");
        }
        for plain in [
            "I prefer email alerts",
            "My name is Jo",
            "the pinboard is red",
            "call me at 5 on 2026-11-21",
            "i live in Oslo now, keep it secret",
            "I'm pregnant, that stays a secret",
        ] {
            assert!(!tells_a_secret(plain), "{plain}");
        }
    }
}
