//! Hostile files take at most 64 MB and one second, and end in a clear error (X12). The sizes are the largest that are
//! read. A reader that recurses as deep as the text, or expands aliases, does not survive them.

use greenroom_persona::{Cast, Layers};

use super::{check, files, lines, problems_of};
use proptest::prelude::*;

const FRONT: usize = 128 << 10;
const MB: usize = 1 << 20;

fn first(name: &str, text: &str) -> String {
    problems_of(name, text).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn x12_yaml_aliases_are_refused() {
    let bomb = "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\nHello\n";
    insta::assert_snapshot!(problems_of("ada.md", bomb), @"ada.md:3:8: a YAML alias (`*a`): expected the value itself; write the value out again; aliases are not read");
}

#[test]
fn x12_deep_nesting_is_refused() {
    let deep = FRONT - 100;
    let texts = [
        format!("---\na: {}\n---\nx", "[".repeat(deep)),
        format!("---\na: {}\n---\nx", "{a: ".repeat(deep / 4)),
        format!("---\n{}\n---\nx", "- ".repeat(deep / 2)),
        format!("+++\na = {}\n+++\nx", "[".repeat(deep)),
        format!("+++\na = {}\n+++\nx", "{a=".repeat(deep / 3)),
        format!("+++\n{}a = 1\n+++\nx", "a.".repeat(deep / 2)),
        format!("+++\n[{}a]\n+++\nx", "\",\".".repeat(deep / 4)),
    ];
    for text in texts {
        let shown = first("ada.md", &text);
        assert!(shown.contains("nested too deeply"), "{}: {shown}", &text[..20]);
    }
}

#[test]
fn x12_settings_and_templates_that_nest_without_end_are_refused() {
    let deep = FRONT - 100;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep / 2)),
        format!("memory.template = '{{{{ {}1 }}}}'", "-".repeat(9_900)),
        format!("memory.template = '{{{{ {}1 }}}}'", "-".repeat(deep - 100)),
    ] {
        let dir = files(&[("greenroom.toml", &text)]);
        let layers = Layers { config: Some(dir.path().join("greenroom.toml")), ..Layers::default() };
        let problems = Cast::check(dir.path(), &layers).problems;
        let said = lines(&problems, dir.path());
        let fault = ["nested too deeply", "a tag of more than 100", "it is longer than"];
        assert!(fault.iter().any(|fault| said.contains(fault)), "{}: {said}", &text[..20]);
    }
    let shown = first(
        "ada.md",
        &format!("---\nmemory:\n  render: template\n  template: '{{{{ {}1 }}}}'\n---\nx", "-".repeat(9_900)),
    );
    assert!(shown.starts_with("ada.md:4:13: memory.template cannot be this"), "{shown}");
}

#[test]
fn x12_a_file_of_mistakes_is_reported_in_bounds() {
    let yaml: String = (0..9_000).map(|n| format!("k{n}: 1\n")).collect();
    let toml: String = (0..9_000).map(|n| format!("k{n} = = 1\n")).collect();
    for text in [format!("---\n{yaml}---\nx"), format!("+++\n{toml}+++\nx")] {
        let count = problems_of("ada.md", &text).lines().count();
        assert!((1..=100).contains(&count), "{count}");
    }
}

#[test]
fn x12_a_long_prompt_is_read_and_a_long_front_matter_is_not() {
    let long = "x".repeat(MB - 100);
    assert_eq!(problems_of("ada.md", &format!("---\n---\n{long}")), "");
    for fence in ["---", "+++"] {
        let shown = problems_of("ada.md", &format!("{fence}\n# {long}\n{fence}\nx"));
        assert!(shown.starts_with("ada.md:2:1: the settings are too long"), "{shown}");
    }
}

#[test]
fn x12_a_problem_in_an_endless_line_is_not_drawn() {
    let dir = files(&[("ada.md", &format!("---\nnope: [{}]\n---\nx", "1,".repeat(50_000)))]);
    let problem = check(dir.path()).problems.remove(0);
    assert!(problem.fancy(false).len() < 1000, "{}", problem.fancy(false).len());
}

#[test]
fn x12_a_file_over_a_megabyte_is_not_read() {
    let shown = problems_of("ada.md", &format!("---\n---\n{}", "x".repeat(MB)));
    insta::assert_snapshot!(shown, @"ada.md: is too large: expected at most 1 MB");
}

proptest! {
    #[test]
    fn x12_no_front_matter_breaks_the_reader(
        fence in prop::sample::select(vec!["---", "+++"]),
        front in "[a-z:=\\[\\]{}\"'#&*!|>.,\\- \\n\\u{e9}\\u{1f600}]{0,200}",
    ) {
        let shown = problems_of("ada.md", &format!("{fence}\n{front}\n{fence}\nHello\n"));
        prop_assert!(shown.lines().all(|l| l.starts_with("ada.md:")), "{}", shown);
    }
}
