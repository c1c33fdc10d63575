//! The time that a question asks for: "what did we discuss yesterday" searches by time, whatever words were used then
//! (JV8). Recall and search call it; `greenroom_lang` parses the times.

use greenroom_core::Timestamp;
use greenroom_index::{Names, terms};
use greenroom_lang::{TimeRange, Utterance};

use crate::TimeZone;

/// Words of questions about what was said. They do not name the subject.
const ASKING: &str = "agenda agree already anything arise ask back bring brought came chat come content conversation \
    cover decide decided discuss discussion earlier essence ever everything exactly find first gist give going happen happened \
    hello hey hi idea know last list main mention message messages new occur ok okay outcome plan planned please point \
    recall recap recently remember remind repeat review rundown said say saying settle show something speak speaking spoke spoken \
    speed still subject suggest summarise summarize summary talk tell thanks theme thing things time told topic topics upshot";

/// A time that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedTime {
    /// The time.
    pub(crate) range: TimeRange,
    /// Whether the question asks for nothing but the time: "what did we discuss yesterday". The time then limits the
    /// search. Beside other words it may be the time of their subject, "the wedding in May", and is only preferred.
    pub(crate) only: bool,
    /// Whether the text is an explicit search. `only` then limits memories as well; a recall question limits only what
    /// was said.
    pub(crate) searched: bool,
}

/// The time that a recall question asks for; `None` if the text is no recall question.
pub(crate) fn asked_for(trigger: &str, now: Timestamp, zone: &TimeZone) -> Option<AskedTime> {
    let utterance = Utterance::of(trigger);
    if !utterance.is_recall_question() {
        return None;
    }
    let (range, only) = time_of(trigger, &utterance, now, zone)?;
    Some(AskedTime { range, only, searched: false })
}

/// The time in the query of an explicit search, which need not be a question.
pub(crate) fn spoken_of(query: &str, now: Timestamp, zone: &TimeZone) -> Option<AskedTime> {
    let (range, only) = time_of(query, &Utterance::of(query), now, zone)?;
    Some(AskedTime { range, only, searched: true })
}

/// The time in a text, and whether the text asks for nothing else.
fn time_of(
    text: &str,
    utterance: &Utterance<'_>,
    now: Timestamp,
    zone: &TimeZone,
) -> Option<(TimeRange, bool)> {
    let range = utterance.time_range(now, zone)?;
    let rest = text.replacen(&range.words, " ", 1);
    let only = if utterance.is_english() {
        let words = terms(ASKING, &Names::none());
        terms(&utterance.without_lead(&rest), &Names::none()).iter().all(|term| words.contains(term))
    } else {
        utterance.only_asks(&rest)
    };
    Some((range, only))
}

/// The receipt's note about the time.
pub(crate) fn understood(asked: &AskedTime, zone: &TimeZone) -> String {
    let AskedTime { range, only, .. } = asked;
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

    /// Asserts how each text is understood: `Some(true)` as searched, `Some(false)` as preferred, `None` as no time.
    fn understood_as(expected: Option<bool>, texts: &[&str]) {
        let found = |text: &&&str| {
            let asked = asked_for(text, NOW, &TimeZone::UTC);
            asked.map(|asked| asked.only) != expected
        };
        let wrong: Vec<_> = texts.iter().filter(found).collect();
        assert!(wrong.is_empty(), "not {expected:?}: {wrong:#?}");
    }

    #[test]
    fn jv8_what_leads_to_a_question_does_not_say_what_it_is_about() {
        understood_as(
            Some(true),
            &[
                "I'd like to know what we discussed yesterday",
                "I want to know what we talked about yesterday",
                "I would love to hear what we decided last week",
                "I was wondering what we talked about on Monday",
                "Could you please tell me what we discussed yesterday?",
                "Let me know what we said last week",
                "Do you know what we talked about yesterday?",
                "Any idea what we discussed yesterday?",
                "Yesterday, what did we talk about?",
                "Can you quickly summarise what we covered last week?",
                "What did we discuss yesterday at 3pm?",
                "What did we discuss at 3pm yesterday?",
                "What did we discuss yesterday at about 3pm?",
                "What did we discuss yesterday between 3 and 5pm?",
                "Hey Ada, what did we discuss yesterday?",
                "Would you mind telling me what we discussed on Tuesday?",
                "I'd be interested in what we said two days ago",
                "I'd like a summary of what we discussed yesterday",
                "Can we go over what we discussed yesterday?",
                "Hallo Ada, was haben wir gestern besprochen?",
                "Magst du mir sagen, was wir gestern besprochen haben?",
                "Dime de qué estuvimos hablando ayer",
                "¿De qué se habló ayer?",
                "¿Puedes resumir lo que hablamos ayer?",
                "De quoi parlions-nous hier ?",
                "On a parlé de quoi hier ?",
                "Erzähl mir, was wir gestern besprochen haben",
                "Kannst du mir sagen, worüber wir gestern gesprochen haben?",
                "Ich möchte wissen, was wir gestern besprochen haben",
                "Ich wüsste gern, worüber wir letzte Woche geredet haben",
                "Könntest du mir bitte sagen, was wir am Montag beschlossen haben?",
                "Verrat mir, was du gestern gesagt hast",
                "¿Puedes decirme de qué hablamos ayer?",
                "Quiero saber de qué hablamos ayer",
                "Me gustaría saber qué decidimos la semana pasada",
                "¿Podrías contarme de qué hablamos el lunes?",
                "¿Me puedes recordar qué dijimos ayer?",
                "Peux-tu me dire de quoi on a parlé hier ?",
                "De quoi a-t-on parlé hier ?",
                "J'aimerais savoir de quoi nous avons parlé hier",
                "Pourrais-tu me rappeler ce que nous avons décidé la semaine dernière ?",
                "Je voudrais savoir ce qu'on a dit lundi",
                "De quoi on a discuté hier ?",
                "先週の火曜、何の話をしましたか？",
                "昨日何について話したか教えてください",
                "昨日は何の話をしていましたか？",
                "先週何を相談しましたか？",
            ],
        );
    }

    /// Questions from a second reviewer, which earlier versions missed or only preferred.
    #[test]
    fn jv8_other_forms_of_questions_for_a_time() {
        understood_as(
            Some(true),
            &[
                "Give me a recap of last Wednesday",
                "Bring me up to speed on what we said last Friday",
                "What happened in our chat on Thursday?",
                "What happened on 11/17?",
                "Do you still know what I said two days ago?",
                "Please repeat what you told me yesterday evening",
                "What did we discuss towards the end of last week?",
                "Fass zusammen, was wir am Mittwoch beredet haben.",
                "Kannst du zusammenfassen, worüber wir letzte Woche geredet haben?",
                "Was hatte ich dir am 9. November erzählt?",
                "Was haben wir zwischen dem 3. und dem 5. Oktober besprochen?",
                "Erinnere mich daran, was wir vorgestern besprochen haben",
                "¿Qué te comenté el 9 de noviembre?",
                "¿Qué me preguntaste hace unos días?",
                "Hazme un resumen de lo que hablamos la semana pasada",
                "De quoi avons-nous parlé ces cinq derniers jours ?",
                "Qu'a-t-on dit au début de la semaine dernière ?",
                "Fais-moi un résumé de ce qu'on a dit la semaine dernière",
                "水曜日に話したことをまとめて",
                "昨日の午後3時ごろ何を話しましたか",
                "月曜日から水曜日まで何を話しましたか",
            ],
        );
    }

    #[test]
    fn jv8_questions_for_the_topics_of_a_time() {
        understood_as(
            Some(true),
            &[
                "Which topics came up yesterday?",
                "What were our topics last week?",
                "What happened on Friday?",
                "What was the gist of our chat yesterday?",
                "What came up yesterday?",
                "What came up in our chat last Tuesday?",
                "Was anything decided on Monday?",
                "Tell me about yesterday's conversation",
                "Give me the gist of yesterday's chat",
                "What was last week's topic?",
                "Summarize yesterday",
                "Recap last week",
                "Worum ging es gestern?",
                "Wovon war gestern die Rede?",
                "¿Qué temas tocamos la semana pasada?",
                "What happened last week?",
                "What were the main topics of our conversation last week?",
                "What was our topic on Monday?",
                "What happened three days ago?",
                "Which subjects did we cover yesterday?",
                "Was war gestern unser Thema?",
                "Was ist gestern passiert?",
                "¿Qué pasó ayer?",
                "¿Qué temas tratamos ayer?",
                "Quels étaient nos sujets hier ?",
                "Que s'est-il passé hier ?",
                "昨日の話題は何でしたか？",
                "昨日何がありましたか？",
            ],
        );
    }

    #[test]
    fn jv8_what_a_question_is_about_is_preferred_however_it_begins() {
        understood_as(
            Some(false),
            &[
                "I'd like to know what we said about the roof yesterday",
                "Tell me what we discussed yesterday about love",
                "What happened on Friday with the boat?",
                "Kannst du mir sagen, was wir gestern über das Dach besprochen haben?",
                "¿Puedes decirme qué dijimos ayer del tejado?",
                "Peux-tu me dire ce qu'on a dit hier sur le toit ?",
                "先週の火曜、屋根について何の話をしましたか？",
            ],
        );
    }

    #[test]
    fn jv8_plans_and_statements_ask_for_no_time() {
        understood_as(
            None,
            &[
                "I will go there yesterday's way",
                "Let us meet on Friday",
                "I'd like to know whether the shop was open yesterday",
                "Tell me a story about yesterday",
                "I want to sleep like last week",
                "What happened in 1989?",
                "What was the weather like yesterday?",
                "It happened on Friday.",
                "Nothing came up yesterday.",
                "Which trains came yesterday?",
                "The gist of it was clear on Monday.",
                "Ich möchte am Freitag ins Kino",
                "Gestern war ich im Kino.",
                "Sag Mia, dass ich gestern da war",
                "Treffen wir uns am Freitag",
                "Quiero ir al cine el viernes",
                "Ayer fui al cine.",
                "Nos vemos el lunes",
                "Je voudrais un café lundi",
                "Hier je suis allé au cinéma.",
                "Voyons-nous vendredi",
                "金曜日に会いましょう",
                "昨日は映画を見ました。",
            ],
        );
    }
}
