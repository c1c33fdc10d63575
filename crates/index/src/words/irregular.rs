//! Irregular English forms, which no rule about endings reduces to one word. People ask "where did she go?" and are
//! answered "I went to the lake".

/// The base form of an irregular form; any other word is returned unchanged.
pub(super) fn regular(word: &str) -> &str {
    let found = FORMS.binary_search_by_key(&word, |(form, _)| form).ok();
    found.and_then(|at| FORMS.get(at)).map_or(word, |(_, base)| base)
}

/// A form and its base form, sorted by form. Only everyday words. Forms that are more often another word ("rose",
/// "lives") are left out.
#[rustfmt::skip]
const FORMS: [(&str, &str); 120] = [
    ("ate", "eat"), ("became", "become"), ("began", "begin"), ("begun", "begin"), ("bitten", "bite"),
    ("blew", "blow"), ("blown", "blow"), ("bought", "buy"), ("broke", "break"), ("broken", "break"),
    ("brought", "bring"), ("built", "build"), ("came", "come"), ("caught", "catch"), ("children", "child"),
    ("chose", "choose"), ("chosen", "choose"), ("drank", "drink"), ("drawn", "draw"), ("dreamt", "dream"),
    ("drew", "draw"), ("driven", "drive"), ("drove", "drive"), ("drunk", "drink"), ("dug", "dig"),
    ("eaten", "eat"), ("fallen", "fall"), ("feet", "foot"), ("fell", "fall"), ("felt", "feel"),
    ("flew", "fly"), ("flown", "fly"), ("forgot", "forget"), ("forgotten", "forget"), ("fought", "fight"),
    ("found", "find"), ("froze", "freeze"), ("frozen", "freeze"), ("gave", "give"), ("given", "give"),
    ("goes", "go"), ("gone", "go"), ("got", "get"), ("gotten", "get"), ("grew", "grow"), ("grown", "grow"),
    ("heard", "hear"), ("held", "hold"), ("hid", "hide"), ("hidden", "hide"), ("hung", "hang"),
    ("kept", "keep"), ("knew", "know"), ("knives", "knife"), ("known", "know"), ("learnt", "learn"),
    ("led", "lead"), ("left", "leave"), ("lent", "lend"), ("lost", "lose"), ("made", "make"),
    ("men", "man"), ("met", "meet"), ("mice", "mouse"), ("paid", "pay"), ("people", "person"),
    ("ran", "run"), ("rang", "ring"), ("ridden", "ride"), ("risen", "rise"), ("rode", "ride"),
    ("rung", "ring"), ("said", "say"), ("sang", "sing"), ("sank", "sink"), ("sat", "sit"), ("saw", "see"),
    ("seen", "see"), ("sent", "send"), ("shaken", "shake"), ("shelves", "shelf"), ("shone", "shine"),
    ("shook", "shake"), ("shot", "shoot"), ("shown", "show"), ("slept", "sleep"), ("sold", "sell"),
    ("spent", "spend"), ("spoke", "speak"), ("spoken", "speak"), ("stole", "steal"), ("stolen", "steal"),
    ("stood", "stand"), ("struck", "strike"), ("stuck", "stick"), ("sung", "sing"), ("sunk", "sink"),
    ("swam", "swim"), ("swum", "swim"), ("taken", "take"), ("taught", "teach"), ("teeth", "tooth"),
    ("thought", "think"), ("threw", "throw"), ("thrown", "throw"), ("told", "tell"), ("took", "take"),
    ("tore", "tear"), ("torn", "tear"), ("understood", "understand"), ("went", "go"), ("wives", "wife"),
    ("woke", "wake"), ("woken", "wake"), ("women", "woman"), ("won", "win"), ("wore", "wear"),
    ("worn", "wear"), ("written", "write"), ("wrote", "write"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_are_sorted_and_each_has_one_word() {
        assert!(FORMS.is_sorted_by(|one, next| one.0 < next.0));
        assert!(FORMS.iter().all(|(_, base)| regular(base) == *base));
    }

    #[test]
    fn a_form_goes_with_its_word() {
        assert_eq!(["went", "gone", "children"].map(regular), ["go", "go", "child"]);
        assert_eq!(["go", "painted", ""].map(regular), ["go", "painted", ""]);
    }
}
