//! The topic of a taste ("I like …") or a use ("use X for Y"), by the pattern of its sentence.

use super::habits::is_order;
use crate::words::{is_common, one_of};

/// Words between "I" and its verb.
const SHADES: &str = "really also usually generally strongly definitely just still absolutely do much actually genuinely totally honestly";

/// Objects that name nothing in particular: "I like that", "I like your idea", "I like how …".
const EMPTY_OBJECTS: &str = "it that this them these those you your him her his their its my our what how where why when who \
    him me us she he they both neither either all everything nothing something one to-day so ya too not if than is was \
    being yours";

/// Things for which people have settings or variants: "I like my steak medium rare".
const TAKEN: &str = "coffee tea steak eggs egg toast food water wine beer pizza burger burgers meat fish rice pasta salad \
    soup music news answers replies emails meetings meals drinks bread cereal room bed shower bath summaries \
    summary reports report lists list code notes letters messages texts explanations reminders breakfast lunch dinner";
/// What is done to people.
const DONE: &str = "called addressed interrupted woken contacted named phoned emailed texted reminded touched hugged rushed \
    watched photographed tickled alone outdoors outside";
/// Things shown or said a moment ago: "the second option", "the idea".
const AT_HAND: &str = "idea sound way look thought first second third fourth last next other new latest previous moment fact \
    part end ending result view feeling";
/// Words that refer to this moment or to the listener.
const HERE: &str = "this these those here today you your yours ya now tonight";

/// Things that an assistant sends and that people refuse for good: "I don't want notifications at night".
const SENT: &str = "notifications reminders emails e-mails calls messages texts alerts updates emojis links ads \
    newsletters invitations meetings jokes suggestions spoilers";

/// Verbs after "to" in idioms: "I like to think …", "I hate to say it".
const EMPTY_VERBS: &str = "think say see know hear believe bother ask admit be imagine break interrupt disappoint miss complain disturb agree disagree tell";

/// The topic of a taste: I (don't) prefer, like, love, hate, dislike, enjoy ….
pub(super) fn of_taste(words: &[&str]) -> Option<String> {
    let mut rest = match words {
        ["i'd" | "i", "would", rest @ ..] | ["i'd", rest @ ..] => {
            rest.first().filter(|w| **w == "prefer").map(|_| rest)?
        }
        ["i", rest @ ..] => rest,
        _ => return None,
    };
    while let [shade, after @ ..] = rest
        && (one_of(SHADES, shade) || matches!(*shade, "don't" | "dont" | "not"))
    {
        rest = after;
    }
    let denied = words.iter().any(|word| matches!(*word, "don't" | "dont" | "not"));
    if let ["want", what, ..] = rest
        && denied
        && one_of(SENT, what)
    {
        return topic_of(rest);
    }
    let [verb @ ("prefer" | "like" | "love" | "hate" | "dislike" | "enjoy"), object @ ..] = rest else {
        return None;
    };
    if let ["that", "you", order @ ..] | ["you", "to", order @ ..] = object
        && *verb == "prefer"
    {
        return topic_of(order).filter(|_| is_order(order));
    }
    let conditional = object.iter().any(|w| matches!(*w, "if" | "unless"));
    let empty = match object {
        [] => return None,
        ["to", verb, ..] => one_of(EMPTY_VERBS, verb) && *rest.first()? != "prefer",
        ["it", "when", _, ..] => false,
        ["my", what, _, ..] => !one_of(TAKEN, what),
        ["being", done, ..] => !one_of(DONE, done),
        ["the", which, ..] => one_of(AT_HAND, which),
        [first, ..] => one_of(EMPTY_OBJECTS, first),
    };
    // "it when you explain things step by step" does not refer to this moment
    let habit =
        |at: usize| object[at] == "you" && at > 0 && object[at - 1] == "when" && object.len() > at + 2;
    let here = object.iter().enumerate().any(|(at, word)| one_of(HERE, word) && !habit(at));
    let several = object[0] == "the" && object.iter().take(3).any(|word| one_of("options ones", word));
    let offered = several || object.iter().take(3).any(|word| one_of(OFFERED, word));
    if empty || conditional || here || offered {
        return None;
    }
    let thing = noun_chunk(object);
    let last = *thing.last()?;
    // an addition makes it another topic: tea with milk, tea with lemon
    let head = if *verb == "prefer" { last.to_owned() } else { thing.join(" ") };
    Some([head, addition(object)].join(" "))
}

/// Things that one is offered to choose from.
const OFFERED: &str = "option one version variant approach solution suggestion choice draft";
/// Words of a comparison, after which the less liked thing follows.
const COMPARED: &str = "over than instead rather to because since but as";

/// The telling words after the object's first preposition or conjunction: `morning` in "coffee in the morning".
fn addition(object: &[&str]) -> String {
    let object = if let ["it", "when", rest @ ..] = object { rest } else { object };
    // "to swim in lakes": the first "to" is no comparison
    let first = usize::from(object.first() == Some(&"to"));
    let rest = object[first..].iter().skip_while(|w| !one_of(AFTER_NOUN, w));
    let added = rest.take_while(|w| !one_of(COMPARED, w));
    let article = |w: &str| matches!(w, "the" | "a" | "an");
    let telling =
        added.filter(|w| !is_common(w) && !article(w) && !one_of(AFTERTHOUGHTS, w) && !one_of(AFTER_NOUN, w));
    telling.take(4).copied().collect::<Vec<_>>().join(" ")
}

/// Words that end an object.
pub(super) const AFTER_NOUN: &str = "to over than in on with for of at when because and or from instead rather as by that who which \
    without during after before since but";
/// Words at the end of an object that do not belong to it.
const AFTERTHOUGHTS: &str = "too more much lot really most best please though lately now";

/// The words of the object up to its first preposition or conjunction, without articles.
fn noun_chunk<'a>(object: &[&'a str]) -> Vec<&'a str> {
    let telling = |word: &&&str| !matches!(**word, "the" | "a" | "an" | "my" | "some" | "it" | "very");
    let object = if let ["it", "when", rest @ ..] = object { rest } else { object };
    let object = if let ["to", rest @ ..] = object { rest } else { object };
    let mut chunk: Vec<&str> =
        object.iter().take_while(|w| !one_of(AFTER_NOUN, w)).filter(telling).copied().collect();
    while chunk.len() > 1 && chunk.last().is_some_and(|w| one_of(AFTERTHOUGHTS, w)) {
        chunk.pop();
    }
    chunk
}

/// The first four telling words.
pub(super) fn topic_of(object: &[&str]) -> Option<String> {
    let telling: Vec<&str> = object.iter().filter(|word| !is_common(word)).take(4).copied().collect();
    let telling: Vec<&str> =
        telling.into_iter().filter(|w| !matches!(*w, "the" | "a" | "an" | "please")).collect();
    (!telling.is_empty()).then(|| telling.join(" "))
}

/// Words that name neither a used thing nor a purpose: "use that for now".
const NO_USE: &str = "that this these those your yours my some both whatever whichever common any little it them these those now example instance me us one free ever sure both what which";

/// Words of a use that happens only once: "use the red pen for this".
const ONCE: &str = "sake once change while minute moment tomorrow today tonight above below next this that these those again \
    something anything everything nothing fun";

/// Use X for Y; the topic is Y.
pub(super) fn of_use(words: &[&str]) -> Option<String> {
    let rest = match words {
        ["i" | "we", "always", "use", rest @ ..] => rest,
        ["i" | "we", "use", rest @ ..] | ["use", rest @ ..] => rest,
        _ => return None,
    };
    let at = rest.iter().position(|word| *word == "for")?;
    let (tool, purpose) = (&rest[..at], &rest[at + 1..]);
    let first = |part: &[&str]| {
        part.iter().find(|w| !matches!(**w, "the" | "a" | "an" | "my")).map(|w| (*w).to_owned())
    };
    let purpose_of_all = matches!(purpose, ["everything", "you" | "i", _, ..]);
    let once = purpose.iter().skip(usize::from(purpose_of_all)).chain(tool).any(|word| one_of(ONCE, word));
    // "the formal address for customers" is a standing use, "the other file for comparison" is not
    let of_all = matches!(purpose, [things] if things.ends_with('s') && !things.ends_with("ss"))
        || matches!(purpose, ["all" | "every" | "each" | "any", _, ..]);
    let at_hand = tool.first() == Some(&"the") && (!of_all || tool.iter().any(|word| one_of(AT_HAND, word)));
    let (tool, first_of_purpose) = (first(tool)?, first(purpose)?);
    if once || at_hand || one_of(NO_USE, &tool) || one_of(NO_USE, &first_of_purpose) {
        return None;
    }
    let topic = noun_chunk(purpose).join(" ");
    (!topic.is_empty()).then(|| [topic, addition(purpose)].join(" "))
}
