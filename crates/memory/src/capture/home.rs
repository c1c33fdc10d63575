//! Where what a person says is kept (MP1): with the person, in private where nobody else listened, or in the channel.

use greenroom_core::{Scope, Viewer};
use greenroom_persona::Follow;

/// Words by which people speak of themselves, in the languages whose requests are understood and a few more. Of
/// languages that leave the pronoun out the verbs with which people tell something of themselves.
const ONESELF: [&str; 45] = [
    "i", "me", "my", "mine", "myself", "im", "ive", // English
    "ich", "mich", "mir", "mein", "meine", "meinen", "meinem", "meiner", "meines", // German
    "je", "j", "moi", "mon", "ma", "mes", // French
    "yo", "mi", "mis", "mí", "conmigo", "soy", "tengo", "vivo", "prefiero", "trabajo",
    "estoy", // Spanish
    "io", "mio", "mia", "miei", "sono", "ho", // Italian
    "eu", "meu", "minha", "ik", "mijn", "mij", // Portuguese, Dutch
];

/// The same where words are not apart.
const ONESELF_UNSPACED: [&str; 8] = ["私", "僕", "俺", "わたし", "ぼく", "自分", "我", "저"];

/// Words with which somebody tells what they heard: what follows is of somebody else.
const TELLS: [&str; 10] =
    ["says", "said", "told", "tells", "thinks", "mentioned", "mentions", "reports", "asked", "asks"];

/// Where a statement of the viewer's person is kept. What somebody says of a third person or of the group in a group is
/// the group's; everything else is theirs, told in private where nobody else listens.
pub fn scope_of_said(viewer: &Viewer, follow: Follow, of_themselves: impl FnOnce() -> bool) -> Scope {
    match viewer.user_ref() {
        Some(person) if follow == Follow::Person && viewer.is_one_to_one() => Scope::Private(person),
        Some(person) if follow == Follow::Person && of_themselves() => Scope::User(person),
        _ => Scope::Channel(viewer.channel().clone()),
    }
}

/// Whether somebody speaks of themselves.
pub fn speaks_of_oneself(text: &str) -> bool {
    words(text).any(|word| ONESELF.contains(&word.as_str()))
        || ONESELF_UNSPACED.iter().any(|it| text.contains(it))
}

/// Whether a statement of a model is about this person, or about "the user": it begins with their name and does not go
/// on with what they say of others.
pub fn is_about(text: &str, name: &str) -> bool {
    let mut said = words(text);
    let mut named = words(name);
    let (first, mut next) = (said.next().unwrap_or_default(), said.next().unwrap_or_default());
    let begins = match first.as_str() {
        "the" if next == "user" => {
            next = said.next().unwrap_or_default();
            true
        }
        "user" => true,
        // "Ann's", "Ann Lee"
        first => named.next().is_some_and(|name| name == first),
    };
    begins && !TELLS.contains(&next.as_str())
}

/// Words in lower case, without apostrophes.
fn words(text: &str) -> impl Iterator<Item = String> {
    let word = |word: &str| word.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(word)
}

/// How people say that others may know, in the languages whose requests are understood.
const MAY_KNOW: [&str; 30] = [
    "you may tell",
    "you can tell",
    "feel free to tell",
    "feel free to share",
    "you may share",
    "you can share",
    "others may know",
    "everyone may know",
    "everybody may know",
    "no secret",
    "not a secret",
    "isn't a secret",
    "darfst es den anderen",
    "darfst du den anderen",
    "darfst es allen",
    "darfst du allen",
    "kein geheimnis",
    "dürfen die anderen wissen",
    "dürfen alle wissen",
    "tu peux le dire",
    "tu peux en parler",
    "pas un secret",
    "puedes decírselo",
    "puedes contárselo",
    "puedes contarlo",
    "no es un secreto",
    "no es ningún secreto",
    "話してもいい",
    "言ってもいい",
    "秘密じゃない",
];

/// How people say the opposite, or ask.
const MAY_NOT: [&str; 14] = [
    "don't",
    "dont",
    "do not",
    "never",
    "only tell",
    "tell me",
    "tell nobody",
    "tell no one",
    "nicht",
    "niemand",
    "ne le dis pas",
    "no se lo",
    "nadie",
    "?",
];

/// Whether somebody allows to tell others: "you may tell the others". Not where anything could mean the opposite.
pub(crate) fn lets_others_know(text: &str) -> bool {
    let low = text.to_lowercase().replace('\u{2019}', "'");
    MAY_KNOW.iter().any(|it| low.contains(it))
        && !MAY_NOT.iter().any(|it| low.contains(it))
        && !low.contains('？')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewer(user: Option<&str>) -> Viewer {
        let user = user.map(|id| id.parse().unwrap());
        Viewer::new("ada".parse().unwrap(), "discord:42".parse().unwrap(), user)
    }

    #[test]
    fn mp1_what_a_person_says_is_kept_with_them() {
        let bo = || "discord:bo".parse().unwrap();
        let here = Scope::Channel("discord:42".parse().unwrap());
        let scope = |viewer: &Viewer, follow, of_themselves| scope_of_said(viewer, follow, || of_themselves);
        let group = viewer(Some("bo"));
        let alone = group.clone().one_to_one();
        for of_themselves in [true, false] {
            assert_eq!(scope(&alone, Follow::Person, of_themselves), Scope::Private(bo()));
            assert_eq!(scope(&alone, Follow::Channel, of_themselves), here);
            assert_eq!(scope(&viewer(None), Follow::Person, of_themselves), here);
        }
        assert_eq!(scope(&group, Follow::Person, true), Scope::User(bo()));
        assert_eq!(scope(&group, Follow::Person, false), here, "of a third person, or of the group");
        assert_eq!(scope(&group, Follow::Channel, true), here);
    }

    #[test]
    fn mp1_it_is_known_of_whom_somebody_speaks() {
        for own in [
            "I'm allergic to nuts",
            "my dog is called Rex",
            "Ich wohne in Kiel",
            "meine Schwester heißt Ute",
            "j'habite à Lyon",
            "prefiero el té",
            "mi hermana vive en Vigo",
            "私は大阪に住んでいます",
        ] {
            assert!(speaks_of_oneself(own), "{own}");
        }
        for others in
            ["Bob is allergic to nuts", "the meeting is at five", "Ute wohnt in Kiel", "会議は五時です"]
        {
            assert!(!speaks_of_oneself(others), "{others}");
        }
        assert!(is_about("Ann prefers tea", "Ann Lee") && is_about("Ann's dog is called Rex", "Ann"));
        assert!(is_about("The user lives in Kiel", "Ann") && is_about("User prefers tea", "Ann"));
        assert!(!is_about("Bob prefers tea", "Ann") && !is_about("Ann says that Bob prefers tea", "Ann"));
        assert!(!is_about("The meeting is at five", "Ann") && !is_about("", "Ann") && !is_about("Ann", "\n"));
    }

    #[test]
    fn mp1_people_let_others_know_in_words() {
        for allows in [
            "You may tell the others.",
            "I'm allergic to nuts, and it's no secret",
            "you can tell everyone that I moved",
            "Du darfst es den anderen sagen",
            "das ist kein Geheimnis",
            "Tu peux le dire aux autres",
            "Puedes contárselo a los demás",
            "みんなに話してもいいよ",
        ] {
            assert!(lets_others_know(allows), "{allows}");
        }
        for hides in [
            "Don't tell the others",
            "you can tell the others?",
            "You may not share this. I mean it: do not",
            "I never said you can tell anybody",
            "Das darfst du den anderen nicht sagen",
            "You can tell me",
            "tell the others",
            "I prefer tea",
        ] {
            assert!(!lets_others_know(hides), "{hides}");
        }
    }
}
