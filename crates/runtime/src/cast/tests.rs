//! Which personas a text mentions, and which belong to a channel.

use super::*;

fn cast(of: &[(&str, &str, Answer, Option<&[&str]>)]) -> CurrentCast {
    let one = |(name, display, answer, channels): &(&str, &str, Answer, Option<&[&str]>)| {
        let mut p = Persona::new(name.parse().unwrap(), "");
        p.display_name = (*display).to_owned();
        p.room.answer = *answer;
        p.room.channels = channels.unwrap_or_default().iter().map(|key| (*key).to_owned()).collect();
        p
    };
    CurrentCast::new(of.iter().map(one).map(Arc::new).collect())
}

fn names(names: Vec<PersonaName>) -> Vec<String> {
    names.into_iter().map(|name| name.to_string()).collect()
}

#[test]
fn wb12_mentions_count_in_any_case_by_either_name_in_their_order() {
    let cast = cast(&[
        ("ada", "Countess Ada", Answer::Mentioned, None),
        ("bob", "Bob", Answer::Mentioned, None),
        ("mute", "Mute", Answer::Never, None),
    ]);
    assert_eq!(names(cast.mentioned("@BOB, ask @countess ADA!")), ["bob", "ada"]);
    assert_eq!(names(cast.mentioned("@Ada and again @ada")), ["ada"]);
    assert_eq!(names(cast.mentioned("@mute")), [""; 0], "it answers nobody");
}

#[test]
fn wb12_a_mention_is_a_whole_word() {
    let cast = cast(&[
        ("ada", "Ada", Answer::Mentioned, None),
        ("ada-two", "Ada Two", Answer::Mentioned, None),
        ("eve", "Ève", Answer::Mentioned, None),
    ]);
    for nobody in ["@adam", "mail@ada", "ada", "@", "@ ada", "@ada_x"] {
        assert_eq!(names(cast.mentioned(nobody)), [""; 0], "{nobody}");
    }
    for (text, who) in [("@ada-two", "ada-two"), ("@ada two", "ada-two"), ("(@ada)", "ada"), ("@ÈVE?", "eve")]
    {
        assert_eq!(names(cast.mentioned(text)), [who], "{text}");
    }
    assert_eq!(names(cast.mentioned("@ada - come")), ["ada"]);
}

#[test]
fn rm1_a_file_says_where_a_persona_belongs() {
    let cast = cast(&[
        ("ada", "Ada", Answer::Mentioned, None),
        ("bob", "Bob", Answer::Always, Some(&["*"])),
        ("all", "All", Answer::Always, None),
        ("kit", "Kit", Answer::Always, Some(&["api:tea"])),
        ("wick", "Wick", Answer::Mentioned, Some(&["discord:*", "api:tea:42"])),
    ]);
    let belonging = |key: &str| names(cast.belonging(&key.parse().unwrap()));
    assert_eq!(belonging("api:tea"), ["bob", "kit"]);
    assert_eq!(belonging("api:tea:42"), ["bob", "kit", "wick"], "a chat stands for its threads");
    assert_eq!(belonging("discord:1"), ["bob", "wick"]);
    assert_eq!(belonging("terminal:default"), ["bob"]);
}
