//! Forms of English questions about what was said.

use super::is_recall_question;

#[test]
fn jv8_forms_of_recall_questions() {
    for text in [
        "Tell me what we discussed yesterday",
        "tell me everything you said about Rex",
        "Could you tell me again what I told you on Monday?",
        "Remind me what you suggested",
        "can you remind me of what we agreed",
        "What was it that we said about the roof?",
        "what was that book you mentioned?",
        "What was the name of the dentist I told you about?",
        "which of the plans did we settle on?",
        "Summarise what we talked about last week",
        "Can you summarize our conversation from Tuesday?",
        "recap our last chat",
        "What was decided on Monday?",
        "What was our conversation on Friday about?",
        "I forgot what we agreed on",
        "I can't remember what you said yesterday",
        "I don't recall what we decided",
        "What did you and I discuss last month?",
        "Show me what I said in March",
        "what have we discussed so far this week",
        "when did I last mention the harbour?",
        "where did we say we would meet?",
        "how did we decide to pay?",
        "why did you suggest Oslo?",
        "What has been agreed since Monday?",
        "Give me a list of the things we planned yesterday",
        "Do you recall our talk?",
        "refresh my memory: what happened with the boat?",
        "what else did I tell you on 11/17?",
        "who did we say was coming?",
    ] {
        assert!(is_recall_question(text), "{text}");
    }
    for text in [
        "Tell me a story about yesterday",
        "Tell me what to do on Monday",
        "Remind me to call Mia yesterday's client",
        "What was the weather like yesterday?",
        "What is on TV on Friday?",
        "I talked to my sister yesterday",
        "We agreed on Monday to meet again.",
        "Yesterday was great",
        "What happened in 1989?",
        "How do I get to the station?",
        "Say hello to Bob",
        "Which train leaves on Tuesday?",
        "Show me how to bake bread",
        "Did the train come on time yesterday?",
        "What will we discuss tomorrow?",
        "Was it raining last night?",
        "Let us talk about Monday",
        "My talk is on Friday",
        "Give me a recipe",
        "I remember last summer fondly.",
        "Write a chat message to Tom",
        "Plan my week",
        "Who was king in 1066?",
        "What does the meeting on Friday cost?",
        "They discussed it in March.",
    ] {
        assert!(!is_recall_question(text), "{text}");
    }
}

#[test]
fn jv8_questions_for_a_time_and_its_topics() {
    for text in [
        "Which topics came up yesterday?",
        "What were our topics last week?",
        "What happened on Friday?",
        "what happened last night",
        "What was the gist of our chat yesterday?",
        "what else came up on Monday?",
        "What happened two days ago?",
        "I was wondering what we decided",
        "I'd love to hear what you told me",
        "Any idea what we talked about?",
    ] {
        assert!(is_recall_question(text), "{text}");
    }
    for text in [
        "What happened in 1989?",
        "What happened to the boat?",
        "It came up on Monday.",
        "Our topics were dull last week.",
        "What is the point of a chatbot?",
        "Which train came on Friday?",
        "I wonder whether it rains on Friday",
    ] {
        assert!(!is_recall_question(text), "{text}");
    }
}

#[test]
fn jv8_what_was_at_a_time_and_what_is_new_since() {
    for text in [
        "What's new since Monday?",
        "what has changed since last week?",
        "Is there anything new since yesterday?",
        "Was war gestern?",
        "Was gab es gestern Neues?",
        "Was gibt's Neues seit Montag?",
        "Was war denn am Freitag?",
        "¿Qué hubo ayer?",
        "¿Qué hay de nuevo desde el lunes?",
        "Resume la semana pasada",
        "Résume la semaine dernière",
        "Récapitule-moi la journée d'hier",
        "Quoi de neuf depuis lundi ?",
        "Qu'y a-t-il eu hier ?",
        "月曜日から何か新しいことはありましたか",
        "先週を振り返って",
    ] {
        assert!(is_recall_question(text), "{text}");
    }
    for text in [
        "What's new in Rust?",
        "What has changed since 1989?",
        "Was war der Grund?",
        "Was war am 9. November 1989?",
        "Gestern war alles gut.",
        "¿Qué hay el lunes en la tele?",
        "¿Qué hay de comer?",
        "Résume ce texte",
        "Quoi de neuf ?",
        "Resume este artículo",
    ] {
        assert!(!is_recall_question(text), "{text}");
    }
}

#[test]
fn jv8_a_question_for_nothing_but_a_time_asks_what_was_said() {
    for text in [
        "und vorgestern?",
        "Und letzte Woche?",
        "Was war Mitte Oktober?",
        "Was war vor zehn Tagen?",
        "Was war am 3. November?",
        "worüber ham wir gestern geredet",
        "sonntag, was hab ich da erzählt?",
        "昨日は？",
        "先週の金曜は？",
        "今週どんな話が出た？",
    ] {
        assert!(is_recall_question(text), "{text}");
    }
    for text in [
        "und sonst?",
        "Und morgen?",
        "Und Montag ist Feiertag?",
        "Was war der Grund?",
        "Was war am 9. November 1989?",
        "明日は？",
        "昨日は雨だった？",
        "昨日は楽しかった。",
    ] {
        assert!(!is_recall_question(text), "{text}");
    }
}

/// A question that consists of a time alone needs no verb of saying.
#[test]
fn jv8_a_question_for_a_time_alone_asks_for_what_was_said_then() {
    for text in [
        "What was on Monday?",
        "what was on monday",
        "what was up last week?",
        "Anything from Sunday?",
        "and yesterday?",
        "and the day before yesterday?",
        "What was going on in August?",
        "what were we on about last week",
        "What about last Tuesday?",
        "what happened yesterday",
    ] {
        assert!(is_recall_question(text), "{text}");
    }
    for text in [
        "and tomorrow?",
        "what was on the menu?",
        "What happened in 1989?",
        "what about Monday's plan for the boat?",
        "and yesterday",
        "What was next week again?",
    ] {
        assert!(!is_recall_question(text), "{text}");
    }
}
