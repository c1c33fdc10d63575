//! Times a trigger asks for: "what did we discuss yesterday" is looked for by its time, whatever
//! words were used then (JV8).

use greenroom_core::Timestamp;
use greenroom_index::{Names, terms};

use crate::{TimeRange, TimeZone, time_words::Asking};

/// Words of which a question for what was said is made; they do not say what it was about.
const ASKING: &str = "agree already anything ask back bring brought chat conversation cover decide decided \
    discuss discussion earlier ever everything exactly find first hello hey hi know last list mention message \
    messages new ok okay plan planned please recall recap recently remember remind review said say saying \
    settle show something speak speaking spoke spoken suggest summarise summarize summary talk tell thanks \
    thing things time told topic topics";

/// A time somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The time.
    pub(crate) range: TimeRange,
    /// Nothing else is asked for: "what did we discuss yesterday". Then it limits what is searched.
    /// Beside words it may as well be the time of what they speak of, "the wedding in May", and is but
    /// preferred.
    pub(crate) only: bool,
    /// Whoever asks searches, so that `only` limits memories as well; a recall question asks for what was said.
    pub(crate) searched: bool,
}

/// The time a recall question asks for. A time in any other sentence means nothing here.
pub(crate) fn asked_for(trigger: &str, now: Timestamp, zone: &TimeZone) -> Option<Asked> {
    let asking = Asking::of(trigger);
    if !asking.asks() {
        return None;
    }
    let (range, only) = time_of(trigger, &asking, now, zone)?;
    Some(Asked { range, only, searched: false })
}

/// The time a search speaks of: it is a question for what was said by itself.
pub(crate) fn spoken_of(query: &str, now: Timestamp, zone: &TimeZone) -> Option<Asked> {
    let (range, only) = time_of(query, &Asking::of(query), now, zone)?;
    Some(Asked { range, only, searched: true })
}

/// The time a text speaks of, and whether the text asks for nothing else.
fn time_of(text: &str, asking: &Asking<'_>, now: Timestamp, zone: &TimeZone) -> Option<(TimeRange, bool)> {
    let range = asking.time(now, zone)?;
    let rest = text.replacen(&range.words, " ", 1);
    let only = if asking.is_english() {
        let words = terms(ASKING, &Names::none());
        terms(&rest, &Names::none()).iter().all(|term| words.contains(term))
    } else {
        asking.only_asks(&rest)
    };
    Some((range, only))
}

/// What the receipt says of it.
pub(crate) fn understood(asked: &Asked, zone: &TimeZone) -> String {
    let Asked { range, only, .. } = asked;
    let done = if *only { "searched" } else { "preferred" };
    let first = day(range.from, zone);
    let last = day(Timestamp(range.until.0 - 1), zone);
    let words = range.words.split_whitespace().collect::<Vec<_>>().join(" ");
    if first == last {
        format!("{done} what was said on {first} (\"{words}\")")
    } else {
        format!("{done} what was said from {first} to {last} (\"{words}\")")
    }
}

fn day(at: Timestamp, zone: &TimeZone) -> String {
    jiff::Timestamp::from_microsecond(at.0).map_or_else(
        |_| "an unknown day".into(),
        |at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::given::NOW;

    #[test]
    fn jv8_a_recall_question_asks_for_a_time_and_a_plan_does_not() {
        let asked = asked_for("What did we discuss yesterday?", NOW, &TimeZone::UTC).unwrap();
        assert_eq!(
            understood(&asked, &TimeZone::UTC),
            "searched what was said on 2026-11-20 (\"yesterday\")"
        );
        let week = asked_for("Do you remember what we said last week?", NOW, &TimeZone::UTC).unwrap();
        assert_eq!(
            understood(&week, &TimeZone::UTC),
            "searched what was said from 2026-11-09 to 2026-11-15 (\"last week\")"
        );
        let march = asked_for("Do you remember who keeps the code we change in March?", NOW, &TimeZone::UTC);
        assert_eq!(
            understood(&march.unwrap(), &TimeZone::UTC),
            "preferred what was said from 2026-03-01 to 2026-03-31 (\"in March\")"
        );
        assert_eq!(asked_for("Yesterday I bought tea.", NOW, &TimeZone::UTC), None);
        assert_eq!(asked_for("Do you remember my name?", NOW, &TimeZone::UTC), None);
    }

    #[test]
    fn jv8_a_time_limits_only_where_nothing_else_is_asked_for() {
        let only = |text| spoken_of(text, NOW, &TimeZone::UTC).unwrap().only;
        for text in ["yesterday", "What did we talk about last week?", "Hey, remind me what I said on Monday"]
        {
            assert!(only(text), "{text}");
        }
        for text in ["the dentist on Friday", "What did we say about the roof yesterday?"] {
            assert!(!only(text), "{text}");
        }
    }

    #[test]
    fn jv8_a_time_limits_in_other_languages_too() {
        let asked = |text| asked_for(text, NOW, &TimeZone::UTC).unwrap_or_else(|| panic!("{text}"));
        for text in [
            "Was haben wir gestern besprochen?",
            "¿De qué hablamos ayer?",
            "De quoi avons-nous parlé hier ?",
            "昨日何を話しましたか？",
        ] {
            assert!(asked(text).only, "{text}");
        }
        for text in [
            "Was haben wir gestern über das Dach besprochen?",
            "¿Qué dijimos ayer sobre el tejado?",
            "Qu'avons-nous dit hier sur le toit ?",
            "昨日屋根について何を話しましたか？",
        ] {
            assert!(!asked(text).only, "{text}");
        }
    }
}
