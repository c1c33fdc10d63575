//! Problems of scenarios are reported once, with a remedy that works, and together with all other problems.

use greenroom_sim::Scenario;

use crate::scenarios::{GOOD, checked, problems};

#[test]
fn sm1_one_mistake_is_told_once_and_its_remedy_can_be_followed() {
    let named = GOOD
        .replace("name = \"ada\"", "name = \"Ada\"")
        .replace("place = \"cafe\"\n", "place = \"cafe\"\nto = \"ada\"\n");
    let found: Vec<_> = problems(&named).iter().map(ToString::to_string).collect();
    assert_eq!(found, ["s.toml:6:8: `Ada` is no name; use small letters, digits, `-` and `_`"]);
    let set =
        "[[place]]\nname = \"bar\"\n[[place]]\nname = \"bar\"\n[[event]]\nplace = \"moon\"\nsay = \"x\"\n";
    let found = problems(&format!("{GOOD}{set}"));
    assert!(found[1].remedy == "there are: cafe, bar", "{found:?}");
    let row = "[[cast]]\nprompt = \"x\"\nat = \"cafe\"\nrows = [{ name = \"bo\", mind = \"moon\" }]\n";
    let found = problems(&format!("{GOOD}{row}"));
    assert!(found[0].remedy == "there are: m, model", "{found:?}");
}

#[test]
fn sm1_an_unknown_table_hides_nothing_else() {
    let text = GOOD
        .replace("at = \"cafe\"", "at = \"moon\"")
        .replace("say = \"It is noon.\"", "at = \"zz\"\nsay = \"x\"");
    let found: Vec<_> =
        problems(&format!("{text}[[mvoe]]\nat = \"1m\"\nto = \"cafe\"\n[clock]\nned = \"1h\"\n"));
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "s.toml:18:3: the scenario has no field `mvoe`; write `move`",
            "s.toml:22:1: clock has no field `ned`; write `end`",
            "s.toml:8:6: there is no place `moon`; there are: cafe",
            "s.toml:16:6: `zz` is no wait; write a number and a unit: 90s, 5m, 2h, 3d, or 4h30m",
        ]
    );
}

#[test]
fn sm1_a_file_that_is_not_utf_8_is_told_with_its_position() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("s.toml");
    std::fs::write(&file, b"name = \"n\"\nabout = \"caf\xe9\"\n").unwrap();
    let error = greenroom_sim::check(&file).unwrap_err().to_string();
    assert!(error.ends_with("s.toml:2:13: this is not UTF-8; save the file as UTF-8"), "{error}");
}

#[test]
fn sm1_a_feed_with_more_follows_than_agents_is_a_warning() {
    let feed = "name = \"n\"\n[population]\nsize = 10\nsteps = 9\n[population.rule]\nkind = \"feed\"\nfollows = 20\n\
                posts = 0.1\nshare = 0.1\nfollow = 0.1\n";
    let found = checked(&[("s.toml", feed)]);
    let says =
        "s.toml:7:11: warning: an agent follows 20 others, and there are 10 agents; write a smaller number";
    assert_eq!(found, [says]);
}

#[test]
fn sm1_a_text_that_cannot_be_filled_in_is_told_before_the_run() {
    let scenario = |text: &str| {
        format!(
            "name = \"n\"\n[[place]]\nname = \"a\"\n[[agent]]\nname = \"al\"\nprompt = \"x\"\nat = \"a\"\nmind = \"m\"\n\
             [[encounter]]\nevery = \"9m\"\nsay = \"{text}\"\n[[mind]]\nname = \"m\"\n[[mind.rule]]\nsay = [\"Hm.\"]\n"
        )
    };
    let found = checked(&[("s.toml", &scenario("{{ me.foo.bar }} x"))]);
    let says = "s.toml:11:7: a text cannot be filled in: undefined value; names are texts: write them as `{{ me }}`, \
                without fields";
    assert_eq!(found, [says]);
    let whole = scenario("{{ me | upper }}, it is {{ time }} for {{ others }}");
    assert_eq!(checked(&[("s.toml", &whole)]), [""; 0]);
}

/// The problems of the good scenario with something replaced or added.
fn found(from: &str, to: &str) -> Vec<String> {
    let text = GOOD.replacen(from, to, 1);
    assert_ne!(text, GOOD, "{from}");
    problems(&text).iter().map(ToString::to_string).collect()
}

/// A list that is left out is everybody, so that an empty one would be its opposite.
#[test]
fn sm1_an_empty_list_of_names_is_a_problem() {
    for (entry, line, says) in [
        (
            "[[move]]\nat = \"1m\"\nto = \"cafe\"\nwho = []",
            5,
            "an empty `who` names no agent; remove `who` for every agent",
        ),
        (
            "[[probe]]\nname = \"p\"\nat = \"1m\"\nask = \"Well?\"\nwho = []",
            6,
            "an empty `who` names no agent",
        ),
        ("[[encounter]]\nevery = \"1m\"\nsay = \"x\"\nplaces = []", 5, "an empty `places` names no place"),
        ("[[measure]]\nname = \"x\"\nwords = [\"a\"]\nwho = []", 5, "an empty `who` names no agent"),
        ("[[measure]]\nname = \"x\"\nwords = [\"a\"]\nplaces = []", 5, "an empty `places` names no place"),
    ] {
        let found = found("name = \"n\"", &format!("name = \"n\"\n{entry}"));
        assert!(matches!(&found[..], [only] if only.contains(says)), "{found:?}");
        assert!(found[0].starts_with(&format!("s.toml:{}:", line + 1)), "{found:?}");
    }
}

#[test]
fn sm1_an_event_has_a_speaker() {
    let long = "x".repeat(257);
    for from in ["", "  ", "a\\nb", &long] {
        let found = found("place = \"cafe\"\n", &format!("place = \"cafe\"\nfrom = \"{from}\"\n"));
        assert!(
            found[0].starts_with("s.toml:16:8: `") && found[0].contains("is no speaker; write a name"),
            "{found:?}"
        );
    }
    assert!(
        Scenario::parse(
            "s.toml",
            &GOOD.replacen("place = \"cafe\"\n", "place = \"cafe\"\nfrom = \"Ünï 王\"\n", 1)
        )
        .is_ok()
    );
}

#[test]
fn sm1_a_text_that_an_agent_cannot_say_is_a_problem() {
    for (say, says) in [
        ("", "the text is empty; write what is said"),
        (" ", "the text is empty"),
        ("I am {{ me.__class__ }}.", "a text cannot be filled in: undefined value; names are texts"),
        ("I am {{ me.name }}.", "a text cannot be filled in"),
    ] {
        let found = found("[\"Hello.\"]", &format!("[\"Hello.\", \"{say}\"]"));
        assert!(matches!(&found[..], [only] if only.contains(says)), "{found:?}");
    }
    let alone = "{% if others %}Hello, {{ others }}.{% else %}Alone at the {{ place }}.{% endif %}";
    assert!(Scenario::parse("s.toml", &GOOD.replacen("Hello.", alone, 1)).is_ok());
}
