//! The scope of a person's statement (MP1): the person, the person in private, or the channel.

use greenroom_core::{Scope, Viewer};
use greenroom_lang::reports_speech;
use greenroom_persona::Follow;

/// The scope of a statement by the viewer's person. In a group, a statement about a third person or the group gets the
/// channel's scope. All other statements belong to the person; they are private if nobody else listens.
pub fn scope_of_said(viewer: &Viewer, follow: Follow, of_themselves: impl FnOnce() -> bool) -> Scope {
    match viewer.user_ref() {
        Some(person) if follow == Follow::Person && viewer.is_one_to_one() => Scope::Private(person),
        Some(person) if follow == Follow::Person && of_themselves() => Scope::User(person),
        _ => Scope::Channel(viewer.channel().clone()),
    }
}

/// Whether a model's statement is about this person or "the user". It must begin with the person's name, and no verb of
/// reporting may follow, as in "Ann says that …".
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
    begins && !reports_speech(&next)
}

/// Words in lower case, split at apostrophes too.
fn words(text: &str) -> impl Iterator<Item = String> {
    let word = |word: &str| word.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(word)
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
    fn mp1_a_statement_of_a_model_is_about_the_person_it_names_first() {
        assert!(is_about("Ann prefers tea", "Ann Lee") && is_about("Ann's dog is called Rex", "Ann"));
        assert!(is_about("The user lives in Kiel", "Ann") && is_about("User prefers tea", "Ann"));
        assert!(!is_about("Bob prefers tea", "Ann") && !is_about("Ann says that Bob prefers tea", "Ann"));
        assert!(!is_about("The meeting is at five", "Ann") && !is_about("", "Ann") && !is_about("Ann", "\n"));
    }
}
