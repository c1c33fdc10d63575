//! Scenario files: what is wrong with one, where, and what to do.

use greenroom_sim::{Problem, Scenario, samples, scenario_schema, write_sample};

fn problems(text: &str) -> Vec<Problem> {
    Scenario::parse("s.toml", text).unwrap_err()
}

const GOOD: &str = r#"
name = "n"
[[place]]
name = "cafe"
[[agent]]
name = "ada"
prompt = "You are Ada."
at = "cafe"
mind = "m"
[[mind]]
name = "m"
[[mind.rule]]
say = ["Hello."]
[[event]]
place = "cafe"
say = "It is noon."
"#;

#[test]
fn sm1_every_sample_is_without_problems_and_overwrites_nothing() {
    for sample in samples() {
        let directory = tempfile::tempdir().unwrap();
        let file = write_sample(sample, directory.path()).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(Scenario::parse(sample.name, &text).is_ok(), "{}", sample.name);
        assert!(write_sample(sample, directory.path()).is_err());
    }
    assert!(Scenario::parse("s.toml", GOOD).is_ok());
}

#[test]
fn sm1_a_problem_has_a_place_and_a_remedy() {
    for (from, to, place, says) in [
        ("at = \"cafe\"", "at = \"caffe\"", (8, 6), "there is no place `caffe`; write `cafe`"),
        ("place = \"cafe\"", "place = \"park\"", (15, 9), "there is no place `park`"),
        ("mind = \"m\"", "mind = \"mm\"", (9, 8), "write `m`"),
        ("say = \"It is noon.\"", "sai = \"It is noon.\"", (16, 1), "write `say`"),
        ("say = \"It is noon.\"", "say = \"x\"\nevery = \"0s\"", (17, 9), "repeats without end"),
        ("say = \"It is noon.\"", "say = \"x\"\nat = \"soon\"", (17, 6), "write a number and a unit"),
        ("say = [\"Hello.\"]", "when = {}\nsay = [\"Hello.\"]", (12, 1), "end it with a rule without `when`"),
        ("say = [\"Hello.\"]", "say = [\"{{ me\"]", (13, 7), "names stand in {{ }}"),
        ("name = \"ada\"", "name = \"Ada Lovelace\"", (6, 8), "use small letters"),
        (
            "[\"Hello.\"]",
            "[\"I am {{ you }}.\"]",
            (13, 7),
            "nothing is called `{{ you }}` here; there are: me, others",
        ),
        ("place = \"cafe\"\n", "", (14, 1), "event has no `place`; add it: Where"),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        let found = problems(&text);
        let texts: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text.contains(says)), "{to}: {texts:?}");
        let at: Vec<_> = found.iter().map(|problem| (problem.line, problem.column)).collect();
        assert!(at.contains(&place), "{to}: {at:?} {texts:?}");
    }
}

#[test]
fn sm1_the_scenario_of_the_manual_is_without_problems() {
    // read when it runs: the image's build has no docs, and builds the tests
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/simulation.md");
    let manual = std::fs::read_to_string(manual).unwrap().replace("\r\n", "\n");
    let text = manual.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(Scenario::parse("manual", text).map(|scenario| scenario.name), Ok("Two at a bar".into()));
}

#[test]
fn sm1_two_problems_are_told_at_once() {
    let text = GOOD.replace("at = \"cafe\"", "at = \"x\"").replace("mind = \"m\"", "mind = \"y\"");
    assert_eq!(problems(&text).len(), 2);
}

#[test]
fn sm1_all_missing_and_unknown_fields_are_told_at_once() {
    let text = GOOD
        .replace("place = \"cafe\"\nsay", "sai")
        .replace("at = \"cafe\"\n", "")
        .replace("[[mind.rule]]\nsay", "[[mind.rule]]\nsays");
    let found: Vec<_> = problems(&text).iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "s.toml:5:1: agent has no `at`; add it: Where it begins",
            "s.toml:12:1: rule has no field `says`; write `say`",
            "s.toml:13:1: event has no `place`; add it: Where",
            "s.toml:14:1: event has no field `sai`; write `say`",
        ],
        "{found:#?}"
    );
}

#[test]
fn sm1_what_never_happens_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("s.toml");
    std::fs::write(&file, format!("{GOOD}at = \"2h\"\n")).unwrap();
    let found: Vec<_> = greenroom_sim::check(&file).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].line, found[0].column), (17, 6));
    assert!(found[0].message.contains("never happens: the scenario ends after 1h"), "{}", found[0]);
}

#[test]
fn sm1_the_schema_knows_every_field() {
    let schema = scenario_schema();
    for field in ["encounter", "known_by", "words_per_minute", "ignorant_of", "talkativeness", "population"] {
        assert!(schema.contains(field), "{field}");
    }
}
