//! Precision and recall of own facts (MP6). The rules were written with `tuned.txt`. `held_out.txt` was written after them;
//! they were mended for it since, so it shows what breaks and not how the rules do on other sentences.

use super::own_facts;

/// The share of what is found that is a fact, the share of facts that is found, and the wrong lines.
fn measured(lines: &str) -> (f32, f32, Vec<String>) {
    let (mut right, mut found, mut there, mut wrong) = (0, 0, 0, Vec::new());
    for line in lines.lines() {
        let (sign, said) = line.split_at(2);
        let states = sign == "+ ";
        let facts = own_facts(said);
        there += usize::from(states);
        found += usize::from(!facts.is_empty());
        right += usize::from(states && !facts.is_empty());
        if states == facts.is_empty() {
            wrong.push(format!("{line}  {:?}", facts.first().map(|fact| &fact.topic)));
        }
    }
    (right as f32 / found as f32, right as f32 / there as f32, wrong)
}

#[test]
fn mp6_what_is_found_is_a_fact_and_most_facts_are_found() {
    for (name, lines) in
        [("tuned", include_str!("tests/tuned.txt")), ("held out", include_str!("tests/held_out.txt"))]
    {
        let (precision, recall, wrong) = measured(lines);
        println!("{name}: precision {precision:.3}, recall {recall:.3}\n{}", wrong.join("\n"));
        assert!(
            precision >= 0.95 && recall >= 0.8,
            "{name}: {precision} and {recall}:\n{}",
            wrong.join("\n")
        );
    }
}
