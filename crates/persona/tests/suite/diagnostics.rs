//! A bad file is reported with file, line, column, the offending text and the expected value. All problems are reported
//! at once, and the other files still load (issue: persona files).

use super::{check, files, problems_of};

const MANY: &str = "---
name: Ada
temperature: 0.5
model:
  temperature: hot
  max_output_tokens: 0
  retries: 2.5
  base_url: http://me:canary@host/v1
memory: { profile: defualt, window: 99, enabled: yes }
room:
  cooldown: 30
  answer: [mentioned]
limits: 12
tools: [remember, recal, 7]
---
";

#[test]
fn wb12_all_problems_of_a_yaml_file_are_reported_at_once() {
    insta::assert_snapshot!(problems_of("ada.md", MANY), @r"
    ada.md:2:7: name cannot be this (`Ada`): expected 1 to 64 of a-z, 0-9, `-` and `_`, beginning with a letter or a digit
    ada.md:3:1: unknown field `temperature`: expected one of `description`, `display_name`, `greeting`, `limits`, `mcp`, `memory`, `model`, `name`, `room`, `tools`; did you mean `model.temperature`?
    ada.md:5:16: model.temperature is text (`hot`): expected a number from 0 to 2
    ada.md:6:22: model.max_output_tokens is out of range (`0`): expected a whole number from 1 to 1000000
    ada.md:7:12: model.retries is a number (`2.5`): expected a whole number from 0 to 10
    ada.md:8:13: model.base_url cannot be this (`http://*********@host/v1`): expected an address as http://localhost:11434/v1, without credentials; credentials do not belong in an address; use model.api_key
    ada.md:9:20: memory.profile cannot be this (`defualt`): expected one of `default`, `recall-visible`, `assembler`, `knowledge`, `hyde`, `tiers`; did you mean `default`?
    ada.md:9:37: memory.window is out of range (`99`): expected a whole number from 1 to 50
    ada.md:9:50: memory.enabled is text (`yes`): expected true or false; without quotes, and not yes or no
    ada.md:11:13: room.cooldown is a number (`30`): expected a duration up to a day, as 30s, 500ms, 2m or 1h; did you mean `30s`?
    ada.md:12:11: room.answer is a list (`[mentioned]`): expected one of `mentioned`, `addressed`, `relevant`, `talkative`, `always`, `never`
    ada.md:13:9: limits is a number (`12`): expected a table
    ada.md:14:19: unknown tool `recal`: expected one of `remember`, `recall`, `forget`; did you mean `recall`?
    ada.md:14:26: tools is a number (`7`): expected text
    ada.md:15:1: there is no prompt (`---`): expected the system prompt below this line
    ");
}

#[test]
fn wb12_all_problems_of_a_toml_file_are_reported_at_once() {
    let text = "+++
name = \"bob\"
colour = \"red\"
[model]
temperature = 3.0
timeouts = { connect = \"5 s\", stall = \"0s\" }
[memory]
knowledge = { limit = -1, treshold = 0.5 }
[limits]
tool_rounds = 11
+++
You are Ada.
";
    insta::assert_snapshot!(problems_of("ada.md", text), @r#"
    ada.md:2:8: the name is not that of the file (`"bob"`): expected `ada`; change the name, or call the file bob.md
    ada.md:3:1: unknown field `colour`: expected one of `description`, `display_name`, `greeting`, `limits`, `mcp`, `memory`, `model`, `name`, `room`, `tools`
    ada.md:5:15: model.temperature is out of range (`3.0`): expected a number from 0 to 2
    ada.md:6:24: model.timeouts.connect cannot be this (`"5 s"`): expected a duration above zero and up to a day, as 30s, 500ms, 2m or 1h
    ada.md:6:39: model.timeouts.stall cannot be this (`"0s"`): expected a duration above zero and up to a day, as 30s, 500ms, 2m or 1h
    ada.md:8:23: memory.knowledge.limit is out of range (`-1`): expected a whole number from 0 to 100
    ada.md:8:27: unknown field `treshold` in memory.knowledge: expected one of `limit`, `threshold`; did you mean `threshold`?
    ada.md:10:15: limits.tool_rounds is out of range (`11`): expected a whole number from 0 to 10
    "#);
}

#[test]
fn several_syntax_errors_of_toml_are_reported_with_what_else_is_wrong() {
    let text = "+++\nname = ada\n[model\ntemperature = 9\nretries = = 1\n+++\n";
    insta::assert_snapshot!(problems_of("ada.md", text), @r"
    ada.md:2:8: string values must be quoted, expected literal string (`ada`): expected valid TOML
    ada.md:3:7: unclosed table, expected `]`: expected valid TOML
    ada.md:5:11: extra `=`, expected nothing: expected valid TOML
    ada.md:5:13: unexpected key or value, expected newline, `#`: expected valid TOML
    ada.md:6:1: there is no prompt (`+++`): expected the system prompt below this line
    ");
}

#[test]
fn a_syntax_error_of_yaml_has_its_place() {
    insta::assert_snapshot!(problems_of("ada.md", "---\nmodel: {name: x\nroom: 1\n---\nHello\n"), @"ada.md:3:5: while parsing a flow mapping, did not find expected ',' or '}': expected valid YAML");
    insta::assert_snapshot!(problems_of("ada.md", "---\nname: ada\nname: ada\n---\nHello\n"), @"ada.md:3:1: `name` stands here twice: expected each field once");
    insta::assert_snapshot!(problems_of("ada.md", "---\n- name\n---\nHello\n"), @"ada.md:2:1: all of it is a list (`- name`): expected a table");
}

#[test]
fn a_missing_fence_and_an_empty_body_are_named() {
    insta::assert_snapshot!(problems_of("ada.md", "You are Ada.\n"), @"ada.md:1:1: there is no front matter (`You are Ada.`): expected a first line of `---` (YAML) or `+++` (TOML)");
    insta::assert_snapshot!(problems_of("ada.md", "---\nname: ada\n\nYou are Ada.\n"), @"ada.md:1:1: the front matter is not closed (`---`): expected a line of `---` between the front matter and the prompt");
    insta::assert_snapshot!(problems_of("ada.md", "---\nname: ada\n---\n  \n"), @"ada.md:3:1: there is no prompt (`---`): expected the system prompt below this line");
    insta::assert_snapshot!(problems_of("ada.md", ""), @"ada.md:1:1: there is no front matter: expected a first line of `---` (YAML) or `+++` (TOML)");
}

#[test]
fn a_place_is_counted_in_lines_and_characters() {
    let text =
        "\u{feff}---\r\ngreeting: \"Grüße 🌧\"\r\nmodel: {fallback: é, temperature: 9}\r\n---\r\nHello\r\n";
    insta::assert_snapshot!(problems_of("ada.md", text), @"ada.md:3:35: model.temperature is out of range (`9`): expected a number from 0 to 2");
}

#[test]
fn wb12_a_name_is_that_of_its_file_and_unique() {
    let dir = files(&[
        ("ada.md", "---\nname: ada\n---\nYou are Ada.\n"),
        ("bob.md", "---\nname: ada\n---\nYou are Bob.\n"),
        ("cleo.md", "---\nname: cloe\n---\nYou are Cleo.\n"),
        ("Dan Smith.md", "---\nmodel: {}\n---\nYou are Dan.\n"),
    ]);
    let cast = check(dir.path());
    insta::assert_snapshot!(super::lines(&cast.problems, dir.path()), @r"
    Dan Smith.md:1:1: the file's name `Dan Smith` is no persona name: expected a name of 1 to 64 of a-z, 0-9, `-` and `_`, and `.md`
    bob.md:2:7: the name `ada` is taken by ada.md: expected `bob`
    cleo.md:2:7: the name is not that of the file (`cloe`): expected `cleo`; change the name, or call the file cloe.md
    ");
    assert_eq!(cast.personas.len(), 1, "the good one still loads");
}

#[test]
fn a_problem_is_drawn_with_its_lines_for_a_terminal() {
    let dir = files(&[("ada.md", "---\nmodel:\n  temprature: 0.5\n---\nYou are Ada.\n")]);
    let problem = check(dir.path()).problems.remove(0);
    let drawn = problem.fancy(false).replace(&dir.path().display().to_string(), "personas");
    insta::assert_snapshot!(drawn, @r"
     × unknown field `temprature` in model
      ╭─[personas/ada.md:3:3]
    2 │ model:
    3 │   temprature: 0.5
      ·   ─────┬────
      ·        ╰── expected one of `base_url`, `context_window`, `fallback`, `images`, `max_output_tokens`, `name`, `retries`, `temperature`, `timeouts`
    4 │ ---
      ╰────
     help: did you mean `temperature`?
    ");
}

#[test]
fn a_problem_is_json_with_everything_a_tool_needs() {
    let dir = files(&[("ada.md", "---\nroom: {answer: mentionned}\n---\nYou are Ada.\n")]);
    let mut json = serde_json::to_value(check(dir.path()).problems.remove(0)).unwrap();
    json["file"] = "ada.md".into();
    insta::assert_json_snapshot!(json, @r#"
    {
      "code": "bad_value",
      "column": 16,
      "expected": "one of `mentioned`, `addressed`, `relevant`, `talkative`, `always`, `never`",
      "file": "ada.md",
      "help": "did you mean `mentioned`?",
      "line": 2,
      "message": "room.answer cannot be this",
      "text": "mentionned"
    }
    "#);
}

#[test]
fn x5_no_key_shows_in_what_is_said_about_a_file() {
    for text in [
        "---\nmodel: {temperature: hot, api_key: sk-canary}\n---\nHello\n",
        "+++\n[model]\napi_key = sk-canary\ntemperature = 9\n+++\nHello\n",
        "+++\n[model]\napi_key = \"sk-canary\nbase_url = \"http://me:sk-canary@host\"\n+++\nHello\n",
    ] {
        let dir = files(&[("ada.md", text)]);
        let problems = check(dir.path()).problems;
        assert!(!problems.is_empty());
        for problem in problems {
            let shown = format!(
                "{problem} {problem:?} {} {}",
                problem.fancy(false),
                serde_json::to_string(&problem).unwrap()
            );
            assert!(!shown.contains("canary"), "{shown}");
        }
    }
}

#[test]
fn memory_settings_that_cannot_be_are_reported_with_what_to_do() {
    let text = "---
memory:
  strategy: hybird
  time_zone: Berlin
  hops: 4
  order: [notes, messages, notes]
  events: { limit: 101, threshold: 2 }
  render: template
  template: |
    {% for m in memories %}
    {{ m.text }
  hyde: { model: '', hypotheses: 11, base_url: http://me:canary@host/v1 }
  capture: { sessions: 1 }
---
You are Ada.
";
    insta::assert_snapshot!(problems_of("ada.md", text), @r"
    ada.md:3:13: memory.strategy cannot be this (`hybird`): expected one of `latest`, `window`, `hyde`, `hybrid`, `keyword`; did you mean `hybrid`?
    ada.md:4:14: memory.time_zone cannot be this (`Berlin`): expected the name of a time zone, as Europe/Berlin; did you mean `Europe/Berlin`?
    ada.md:5:9: memory.hops is out of range (`4`): expected a whole number from 0 to 3
    ada.md:6:28: memory.order names this twice (`notes`): expected each one once; take one of them out
    ada.md:7:20: memory.events.limit is out of range (`101`): expected a whole number from 0 to 100
    ada.md:7:36: memory.events.threshold is out of range (`2`): expected a number from -1 to 1
    ada.md:10:5: memory.template cannot be this (`{% for m in memories %}…`): expected a template, as {% for m in memories %}{{ m.text }} {% endfor %}; line 2 of it: `}` has no place in it, only for, if, names, comparisons and the filters capitalize, first, int, last, length, lower, round, title, trim, upper
    ada.md:12:18: memory.hyde.model is too short or too long (`''`): expected text of at most 200 characters
    ada.md:12:34: memory.hyde.hypotheses is out of range (`11`): expected a whole number from 1 to 10
    ada.md:12:48: memory.hyde.base_url cannot be this (`http://*********@host/v1`): expected an address as http://localhost:11434/v1, without credentials; credentials do not belong in an address; use model.api_key
    ada.md:13:24: memory.capture.sessions is a number (`1`): expected true or false
    ");
    let text = "+++
[memory]
time_zone = 'Atlantis/Poseidonis'
order = []
render = 'template'
template = ' '
+++
You are Ada.
";
    insta::assert_snapshot!(problems_of("ada.md", text), @r"
    ada.md:3:13: memory.time_zone cannot be this (`'Atlantis/Poseidonis'`): expected the name of a time zone, as Europe/Berlin; leave it out to use that of this machine
    ada.md:4:9: memory.order is empty (`[]`): expected a list, each one of `knowledge`, `notes`, `events`, `summaries`, `messages`
    ada.md:6:12: memory.template cannot be this (`' '`): expected a template, as {% for m in memories %}{{ m.text }} {% endfor %}; it is empty
    ");
}

#[test]
fn a_template_that_is_wanted_must_be_somewhere() {
    let ada = "---\nmemory: { render: template }\n---\nYou are Ada.\n";
    insta::assert_snapshot!(problems_of("ada.md", ada), @"ada.md:2:19: memory.render is `template` and there is no template: expected memory.template beside it; write one, or choose another format");
    let own = "---\nmemory: { render: template, template: '{{ memories | length }}' }\n---\nYou are Ada.\n";
    assert_eq!(problems_of("ada.md", own), "");
}

/// The report quotes the file, but the file cannot send control sequences to the terminal (B7).
#[test]
fn x14_a_problem_is_drawn_without_the_control_characters_of_the_file() {
    let escape = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\u{202e}";
    let texts = [
        format!("---\nname: ada\n# {escape}\nnope: 1 # {escape}\n---\nYou are Ada."),
        format!("---\nname: \"{escape}\"\n---\nYou are Ada."),
        format!("---\n\"no{escape}pe\": 1\n---\nYou are Ada."),
        format!(
            "---\nmemory: {{ template: '{escape}{{{{ x{escape} }}}}', render: template }}\n---\nYou are Ada."
        ),
        "---\nmemory:\n  template: \"{{ '\\e[2J' ~ \\e }}\"\n---\nYou are Ada.".to_owned(),
        "---\nmemory: { profile: \"\\e[2J\" }\nmodel: { base_url: \"\\e[2J\" }\n---\nYou are Ada.".to_owned(),
        format!("+++\nnope = '''{escape}'''\n+++\nYou are Ada."),
    ];
    for text in texts {
        let dir = files(&[("ada.md", &text)]);
        let problems = check(dir.path()).problems;
        assert!(!problems.is_empty(), "{text:?}");
        for problem in problems {
            let json = serde_json::to_value(&problem).unwrap();
            let fields = json.as_object().unwrap().values().filter_map(|value| value.as_str());
            let shown: String = [problem.fancy(false), problem.line(), problem.to_string()].concat();
            for said in fields.chain([shown.as_str()]) {
                let bad = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
                assert!(!said.contains(bad), "{said:?}");
            }
        }
    }
}

/// Replacing control characters does not shift the marked position of a problem behind them.
#[test]
fn x14_a_place_behind_control_characters_is_marked_where_it_is() {
    let dir =
        files(&[("ada.md", "---\nname: ada # \u{7}\u{7}\u{7}\n\"a\u{9b}\": { nope: 1 }\n---\nYou are Ada.")]);
    let problem = check(dir.path()).problems.remove(0);
    insta::assert_snapshot!(problem.fancy(false).replace(&*dir.path().to_string_lossy(), "~"), @r#"
    × unknown field `a…`
     ╭─[~/ada.md:3:1]
   2 │ name: ada # ␇␇␇
   3 │ "a�": { nope: 1 }
     · ──┬─
     ·   ╰── expected one of `description`, `display_name`, `greeting`, `limits`, `mcp`, `memory`, `model`, `name`, `room`, `tools`
   4 │ ---
     ╰────
    "#);
}

#[test]
fn pf8_a_name_that_reverses_the_text_is_refused() {
    let text = |name: &str| format!("---\ndisplay_name: \"{name}\"\n---\nYou are Ada.\n");
    let problems = problems_of("ada.md", &text("Ada\u{202e}nimda"));
    assert!(problems.contains("ada.md:2:") && problems.contains("reverses the direction"), "{problems}");
    // Arabic and Hebrew direction marks, and emoji with joiners, are permitted
    assert_eq!(problems_of("ada.md", &text("\u{200f}נועה 👩\u{200d}🚀")), "");
}
