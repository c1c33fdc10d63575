//! Problems of scenario files: what is wrong, where, and how to fix it.

use greenroom_sim::{Problem, Scenario, samples, scenario_schema, write_sample};

pub fn problems(text: &str) -> Vec<Problem> {
    Scenario::parse("s.toml", text).unwrap_err()
}

pub const GOOD: &str = r#"
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
        std::fs::remove_file(&file).unwrap();
        let again = write_sample(sample, directory.path());
        assert_eq!(again.is_err(), sample.name != "opinions" && sample.name != "feed", "{}", sample.name);
        let Err(again) = again else { continue };
        assert!(
            again.to_string().contains("exists, so nothing was written; name another directory"),
            "{again}"
        );
        assert!(!file.exists(), "{again}");
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
        ("say = \"It is noon.\"", "say = \" \"", (16, 7), "the text is empty; write what is said"),
        ("mind = \"m\"", "mind = \"m\"\nanswer = \"seldom\"", (10, 10), "relevant"),
        ("name = \"m\"", "name = \"model\"", (11, 8), "give the mind another name"),
        (
            "[\"Hello.\"]",
            "[\"x\"]\n[[mind.rule]]\nwhen = { hears = [\"\"] }\nsay = [\"y\"]",
            (15, 18),
            "an empty word",
        ),
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

/// Mistakes: text appended to a valid scenario, the problem's position relative to the end of that scenario, and the
/// message.
const ADDED: &[(&str, (isize, usize), &str)] = &[
    (
        "[stop]\ncalls = 0",
        (2, 9),
        "ends with its first call; write a number above 0, or remove it for no limit",
    ),
    ("[stop]\ncost = -1.0", (2, 8), "ends with its first call"),
    ("[stop]\ncost = nan", (2, 8), "ends with its first call"),
    ("[stop]\nsilence = \"0s\"", (2, 11), "each wait between two lines would be a silence"),
    ("[clock]\nend = \"0s\"", (2, 7), "the scenario ends when it begins; write a longer wait"),
    ("[clock]\nend = \"3651d\"", (2, 7), "longer than ten years; write at most 3650d"),
    ("[[topic]]\nname = \"t\"\nwords = []", (3, 9), "the topic `t` has no words"),
    ("[[topic]]\nname = \"t\"\nwords = [\"\"]", (3, 9), "an empty word is in no text"),
    ("[[probe]]\nname = \"p\"\nat = \"1m\"\nask = \"\"", (4, 7), "the probe `p` asks nothing"),
    (
        "[[probe]]\nname = \"p\"\nat = \"1m\"\nask = \"Well?\"\nchoices = [\"yes\"]",
        (5, 11),
        "`yes` is the only choice; add another choice",
    ),
    (
        "[[probe]]\nname = \"p\"\nat = \"1m\"\nask = \"Well?\"\nchoices = [\"yes\", \"no\", \"Yes\"]",
        (5, 11),
        "the choice `Yes` is named twice",
    ),
    (
        "[[probe]]\nname = \"p\"\nat = \"1m\"\nask = \"Well?\"\nchoices = [\"yes\", \"no\"]\n\
         [[measure]]\nname = \"m\"\nprobe = \"p\"\nmean = true",
        (9, 8),
        "a mean is that of the numbers that the answers to a probe choose",
    ),
    (
        "[[probe]]\nname = \"p\"\nat = \"1m\"\nask = \"Well?\"\nchoices = [\"yes\", \"no\"]\n\
         [[measure]]\nname = \"m\"\nprobe = \"p\"\nwords = [\"perhaps\"]",
        (9, 9),
        "`perhaps` is in none of the choices of the probe: yes, no; write one of them",
    ),
    ("[[measure]]\nname = \"x\"\npresent = \"caffe\"", (3, 11), "there is no place `caffe`; write `cafe`"),
    (
        "[[measure]]\nname = \"x\"\npresent = \"cafe\"\nwords = [\"a\"]",
        (3, 11),
        "either those who are in a place",
    ),
    (
        "[population]\nsize = 9\nsteps = 9\nrule = { kind = \"voter\", share = 0.5 }",
        (-11, 1),
        "one or the other",
    ),
    (
        "[[cast]]\nprompt = \"x {{ c }}\"\nat = \"cafe\"\nmind = \"m\"\ngenerate = { count = 3, name = \"p\", draw = { c = [] } }",
        (5, 50),
        "the column `c` has no values to draw from",
    ),
    (
        "[[cast]]\nprompt = \"x\"\nmind = \"m\"\nat = \"cafe\"\nrows = [\n{ name = \"bo\" },\n{ name = \"ada\" },\n]",
        (7, 10),
        "there are two agents `ada`",
    ),
    ("[[cast]]\nprompt = \"x\"\nmind = \"m\"\nrows = [{ name = \"bo\" }]", (4, 9), "`bo` begins in no place"),
    (
        "[clock]\nend = 14",
        (2, 7),
        "expected a text, found 14; write it in quotes, a wait with its unit: \"60s\"",
    ),
    (
        "[[agent]]\nname = \"kim\"\nprompt = [\"you\"]\nat = \"p\"",
        (3, 10),
        "write one text, without brackets",
    ),
    (
        "[stop]\ncalls = \"many\"",
        (2, 9),
        "expected a whole number from 0, found \"many\"; write digits without quotes",
    ),
    ("[stop]\ncalls = 1\ncalls = 2", (3, 1), "duplicate key; remove one of the two"),
    ("[stop", (1, 6), "close it"),
    ("[stop]\ncalls = 99999999999999999999", (2, 9), "write a smaller number"),
    ("[[topic]]\nname = \" \"\nwords = [\"a\"]", (2, 8), "this topic has an empty name"),
    ("[[measure]]\nname = \"said\"\nwords = [\"a\"]", (2, 8), "`said` is a curve that every report has"),
    (
        "[[topic]]\nname = \"news\"\nwords = [\"a\"]\n[[measure]]\nname = \"told of news\"\nwords = [\"a\"]",
        (5, 8),
        "give the measure another name",
    ),
    (
        "[encounter]\nevery = \"9m\"\nsay = \"x\"",
        (1, 1),
        "this is one table; write [[encounter]], once for each",
    ),
    ("[[evnet]]\nplace = \"cafe\"\nsay = \"x\"", (1, 3), "has no field `evnet`; write `event`"),
    (
        "[population]\nsize = 9\nsteps = 9\n[population.rule]\nshare = 0.5",
        (4, 1),
        "there is no `kind`; add it",
    ),
    (
        "[[agent]]\nname = \"bo\"\nat = \"cafe\"\nmind = \"m\"",
        (2, 8),
        "the agent `bo` has neither a `persona` nor a `prompt`",
    ),
];

#[test]
fn sm1_what_cannot_be_meant_is_told_where_it_is() {
    let last = GOOD.matches('\n').count();
    let missed = ADDED.iter().filter_map(|(added, (line, column), says)| {
        let found = problems(&format!("{GOOD}{added}\n"));
        let texts: Vec<_> = found.iter().map(ToString::to_string).collect();
        let at = (last.saturating_add_signed(*line), *column);
        let is_told = found.iter().any(|problem| (problem.line, problem.column) == at)
            && texts.iter().any(|text| text.contains(says))
            && texts.iter().all(|text| !text.contains("sim new") && !text.contains("u64"));
        (!is_told).then_some((added, at, texts))
    });
    let missed: Vec<_> = missed.collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn sm1_sizes_that_no_machine_has_are_refused_before_anything_is_made() {
    let people = |count: u64| {
        format!(
            "{GOOD}[[cast]]\nprompt = \"x\"\nat = \"cafe\"\nmind = \"m\"\ngenerate = {{ count = {count}, name = \"p\" }}\n"
        )
    };
    let population = |size: u64, follows: u64| {
        format!(
            "name = \"n\"\n[population]\nsize = {size}\nsteps = 9\n[population.rule]\nkind = \"feed\"\nfollows = {follows}\n\
             posts = 0.1\nshare = 0.1\nfollow = 0.1\n"
        )
    };
    let every = |every: &str| {
        format!("{GOOD}[clock]\nend = \"14h\"\n[[encounter]]\nevery = \"{every}\"\nsay = \"You meet.\"\n")
    };
    for (text, at, says) in [
        (
            people(4_000_000_000),
            (21, 22),
            "4000000001 agents are too many: a scenario has at most 100000; take fewer, or a",
        ),
        (people(100_000), (21, 22), "too many"),
        (population(4_294_967_295, 1), (3, 8), "a population has at most 10000000; write 1000000"),
        (population(1_000_000, 1_000), (7, 11), "`follows` times `size` is at most 200000000"),
        (
            every("1ms"),
            (20, 9),
            "50400001 events and 1 of other entries are too many: a scenario plans at most 5000000; write a longer",
        ),
    ] {
        let found = problems(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].line, found[0].column), at, "{}", found[0]);
        assert!(found[0].to_string().contains(says), "{}", found[0]);
    }
    assert!(Scenario::parse("s.toml", &people(99_999)).is_ok());
    assert!(Scenario::parse("s.toml", &population(10_000_000, 20)).is_ok());
    assert!(Scenario::parse("s.toml", &every("11ms")).is_ok());
}

/// The problems and warnings of a scenario that consists of these files.
pub fn checked(files: &[(&str, &str)]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = directory.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let found = greenroom_sim::check(&directory.path().join("s.toml")).unwrap();
    let home = format!("{}/", directory.path().display());
    found.iter().map(|problem| problem.to_string().replace(&home, "")).collect()
}

#[test]
fn sm1_a_column_that_a_row_lacks_is_told_at_the_row() {
    let scenario = |template: &str| {
        format!(
            "name = \"n\"\n[[place]]\nname = \"cafe\"\n[[cast]]\n{template}\nat = \"cafe\"\nrows = [\n\
             {{ name = \"sif\", display_name = \"Sif\", work = \"smith\" }},\n\
             {{ name = \"odd\", display_name = \"Odd\" }},\n{{ name = \"liv\", wrok = \"cook\", display_name = \"Liv\" }},\n\
             {{ name = \"tor\", work = \"smuggler\" }},\n]\n"
        )
    };
    let file = "---\ndisplay_name: \"{{ display_name }}\"\n---\nYou are {{ display_name }}, a {{ work }}.\n";
    let found = checked(&[("s.toml", &scenario("template = \"folk.md\"")), ("folk.md", file)]);
    assert_eq!(
        found,
        [
            "s.toml:9:1: the row of `odd` has no `work`, which the template uses; \
             add work = \"…\", or write {{ work | default(\"…\") }} in the template",
            "s.toml:10:1: the row of `liv` has no `work`, which the template uses; write `work` for `wrok`",
            "s.toml:11:1: the row of `tor` has no `display_name`, which the template uses; \
             add display_name = \"…\", or write {{ display_name | default(\"…\") }} in the template",
        ]
    );
    let found = checked(&[("s.toml", &scenario("prompt = \"You are a {{ work }}.\""))]);
    assert!(
        found.len() == 2 && found[0].starts_with("s.toml:9:1: the row of `odd` has no `work`"),
        "{found:?}"
    );
    // a template must test for values that may be absent
    let optional =
        "prompt = \"A {{ work | default('guest') }}{% if display_name %}, {{ display_name }}{% endif %}.\"";
    assert_eq!(checked(&[("s.toml", &scenario(optional))]), [""; 0]);
}

#[test]
fn sm1_what_is_wrong_with_a_file_is_told_where_the_scenario_names_it() {
    let scenario =
        |persona: &str| GOOD.replace("prompt = \"You are Ada.\"", &format!("persona = \"{persona}\""));
    for (persona, says) in [
        ("people/adda.md", "s.toml:7:11: `people/adda.md` cannot be read: "),
        ("people", "s.toml:7:11: `people` is a directory, and no file; "),
        ("people/bo.md", "s.toml:7:11: the persona of this file is called `bo`, and the agent `ada`; "),
    ] {
        let text = scenario(persona);
        let found = checked(&[
            ("s.toml", &text),
            ("people/ada.md", "---\n---\nYou are Ada."),
            ("people/bo.md", "---\n---\nYou are Bo."),
        ]);
        assert!(found.len() == 1 && found[0].starts_with(says), "{found:?}");
    }
    let world = |program: &str| format!("{GOOD}[world]\ncommand = [\"{program}\"]\nevery = \"9m\"\n");
    for program in ["./nope", "no-such-program-anywhere"] {
        let found = checked(&[("s.toml", &world(program))]);
        let says = format!("s.toml:18:12: there is no program `{program}`; ");
        assert!(found.len() == 1 && found[0].starts_with(&says), "{found:?}");
    }
    assert_eq!(checked(&[("s.toml", &world("./world.sh")), ("world.sh", "")]), [""; 0]);
    let script = format!("{GOOD}[world]\ncommand = [\"sh\", \"nosuch.sh\"]\nevery = \"9m\"\n");
    let found = checked(&[("s.toml", &script)]);
    assert!(
        found.len() == 1 && found[0].starts_with("s.toml:18:18: there is no file `nosuch.sh`"),
        "{found:?}"
    );
    assert_eq!(checked(&[("s.toml", &script), ("nosuch.sh", "")]), [""; 0]);
    // a problem in a file that a template generates is reported for the template
    let cast = "name = \"n\"\n[[place]]\nname = \"p\"\n[[cast]]\nat = \"p\"\ntemplate = \"t.md\"\nrows = [{ name = \"a\" }, { name = \"b\" }]\n";
    let found = checked(&[("s.toml", cast), ("t.md", "---\ntools: [fly]\n---\nYou are {{ name }}.\n")]);
    assert!(found.len() == 1 && found[0].starts_with("t.md:2:"), "{found:?}");
}

#[test]
fn sm1_what_is_hardly_meant_is_a_warning() {
    for (from, to, says) in [
        (
            "say = [\"Hello.\"]",
            "say = [\"Hello.\"]\n[[mind.rule]]\nsay = [\"x\"]",
            "12:1: warning: no rule of the mind `m` after this one applies",
        ),
        (
            "say = [\"Hello.\"]",
            "when = { state = \"tolled\" }\nsay = [\"a\"]\n[[mind.rule]]\nstate = \"told\"\nsay = [\"b\"]",
            "13:18: warning: this rule never applies: no rule of `m` sets the state `tolled`; write `told`",
        ),
        (
            "[[event]]",
            "[[encounter]]\nevery = \"10m\"\njitter = \"10h\"\nsay = \"x\"\n[[event]]",
            "16:10: warning: with a jitter above `every`",
        ),
        (
            "[[event]]",
            "[[mind]]\nname = \"empty\"\n[[event]]",
            "15:8: warning: no agent has the mind `empty`",
        ),
        ("[[event]]", "[[measure]]\nname = \"all\"\n[[event]]", "15:8: warning: `all` counts every line"),
        (
            "[[event]]",
            "[[encounter]]\nevery = \"10m\"\nchance = 0.0\nsay = \"x\"\n[[event]]",
            "16:10: warning: this encounter never happens",
        ),
        ("name = \"cafe\"", "name = \"cafe\"\nchain = 0", "5:9: warning: nobody answers anything here"),
        (
            "mind = \"m\"",
            "mind = \"m\"\ntalkativeness = 0.5",
            "10:17: warning: this has no effect; add answer = \"talkative\"",
        ),
        (
            "say = \"It is noon.\"",
            "say = \"Hello, {{ others }}.\"",
            "16:7: warning: no names are filled into the `say` of events",
        ),
        ("[[mind.rule]]\nsay = [\"Hello.\"]\n", "", "11:8: warning: the mind `m` has no rules"),
    ] {
        let found = checked(&[("s.toml", &GOOD.replace(from, to))]);
        assert!(found.len() == 1 && found[0].starts_with(&format!("s.toml:{says}")), "{found:?}");
    }
    let alone = "say = [\"{% if others %}Hello, {{ others }}.{% else %}It is quiet.{% endif %}\"]";
    assert_eq!(checked(&[("s.toml", &GOOD.replace("say = [\"Hello.\"]", alone))]), [""; 0]);
}

#[test]
fn sm1_the_scenario_of_the_manual_is_without_problems() {
    // read at run time, because the build of the image compiles the tests but has no docs
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
fn sm1_an_event_for_an_agent_that_is_elsewhere_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("s.toml");
    let found = |more: &str| {
        let elsewhere = "[[place]]\nname = \"hall\"\n[[event]]\nat = \"10m\"\nplace = \"hall\"\nto = \"ada\"\nsay = \"Ada?\"\n";
        std::fs::write(&file, format!("{GOOD}{elsewhere}{more}")).unwrap();
        greenroom_sim::check(&file).unwrap()
    };
    let told = found("");
    assert_eq!(told.iter().map(|problem| (problem.line, problem.column)).collect::<Vec<_>>(), [(22, 6)]);
    assert!(told[0].message.contains("`ada` is not at `hall`"), "{}", told[0]);
    assert_eq!(found("[[move]]\nat = \"10m\"\nto = \"hall\"\n"), [], "everybody goes there");
    let too_late = "[[move]]\nat = \"11m\"\nwho = [\"ada\"]\nto = \"hall\"\n";
    assert_eq!(found(too_late).len(), 1);
    assert_eq!(found("[world]\ncommand = [\"true\"]\nevery = \"5m\"\n"), [], "the world may bring it there");
}

#[test]
fn sm1_the_schema_knows_every_field() {
    let schema = scenario_schema();
    for field in ["encounter", "known_by", "words_per_minute", "ignorant_of", "talkativeness", "population"] {
        assert!(schema.contains(field), "{field}");
    }
}
