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

fn topics(said: &str) -> Vec<String> {
    own_facts(said).into_iter().map(|fact| fact.topic).collect()
}

#[test]
fn mp6_a_fact_without_contractions_is_the_same_fact() {
    for (long, short) in [
        ("I am allergic to hazelnuts.", "I'm allergic to hazelnuts."),
        ("I am a vegetarian.", "I'm a vegetarian."),
        ("I am diabetic.", "I'm diabetic."),
        ("I am from Norway.", "I'm from Norway."),
        ("I am married to Tom.", "I'm married to Tom."),
        ("I am 41 years old", "I'm 41 years old"),
        ("i am a retired tram driver", "i'm a retired tram driver"),
        ("Actually, we are based in Ghent", "Actually, we're based in Ghent"),
        ("We are expecting", "We're expecting"),
        ("I have been vegan for years", "I've been vegan for years"),
        ("We have been married since 2001", "We've been married since 2001"),
        ("I do not smoke", "I don't smoke"),
        ("We do not have children", "We don't have children"),
        ("I can not bear liquorice", "I can't bear liquorice"),
        ("I cannot drink milk", "I can't drink milk"),
        ("I have asthma", "I've asthma"),
        ("I have a severe nut allergy", "I've a severe nut allergy"),
        ("My parrot is called Figaro", "My parrot's called Figaro"),
        ("My aunt is a florist", "My aunt's a florist"),
        ("My birthday is on the 9th of March", "My birthday's on the 9th of March"),
        ("My favourite colour is teal", "My favourite colour's teal"),
        ("I'm scared of wasps", "Im scared of wasps"),
        ("I don't have kids", "I dont have kids"),
    ] {
        assert!(!topics(long).is_empty(), "{long}");
        assert_eq!(topics(long), topics(short), "{long}");
    }
    assert_eq!(topics("I am allergic to hazelnuts and I work as a beekeeper"), ["allergy hazelnuts", "work"]);
}

#[test]
fn mp6_a_negation_is_no_fact_with_or_without_contraction() {
    for said in [
        "I am not vegan",
        "I'm not vegan",
        "I am not allergic to hazelnuts",
        "I am not from Norway",
        "I am not a nurse",
        "We are not married",
        "I am no longer a vegetarian",
        "I am not sure",
        "I do not know",
        "My dog's bed is red",
        "My sister's a mess",
        "I am tired",
        "I am in a meeting",
        "I have to go",
        "I am about to leave",
    ] {
        assert_eq!(topics(said), [] as [&str; 0], "{said}");
    }
}

#[test]
fn mp6_a_mention_before_or_after_a_fact_changes_nothing() {
    for (mentions, topic, text) in [
        ("@ada I live in Graz.", "home", "I live in Graz."),
        ("@ada I'm vegan", "diet", "I'm vegan"),
        ("@ada I'm allergic to hazelnuts.", "allergy hazelnuts", "I'm allergic to hazelnuts."),
        ("Hi @ada I was born in Split", "origin", "I was born in Split"),
        ("@ada @wick I teach chemistry", "work", "I teach chemistry"),
        ("@ada and @wick my wife is called Helga", "wife name", "my wife is called Helga"),
        ("ok @mary-ann we moved to Ghent", "home", "we moved to Ghent"),
        ("I can't drink milk @ada", "diet milk", "I can't drink milk"),
        ("call me Lottie, @ada!", "name", "call me Lottie!"),
        ("@ada ich wohne in Graz", "home", "ich wohne in Graz"),
        ("Hallo @ada meine Frau heißt Helga", "frau name", "meine Frau heißt Helga"),
        ("@ada vivo en Oviedo", "home", "vivo en Oviedo"),
        ("Hola @ada, soy vegana @wick", "diet", "soy vegana"),
        ("@ada j'habite à Lille", "home", "j'habite à Lille"),
        ("Bonjour @ada je suis allergique aux noix", "allergy noix", "je suis allergique aux noix"),
        ("@ada 私は大阪に住んでいます", "home", "私は大阪に住んでいます"),
        ("@ada猫を二匹飼っています", "have 猫", "猫を二匹飼っています"),
    ] {
        let facts: Vec<_> = own_facts(mentions).into_iter().map(|fact| (fact.topic, fact.text)).collect();
        assert_eq!(facts, [(topic.to_owned(), text.to_owned())], "{mentions}");
    }
    for said in ["@ada lives in Graz", "@ada is vegan", "Do I live in Graz @ada?", "@ada sie wohnt in Graz"] {
        assert!(own_facts(said).is_empty(), "{said}");
    }
}
