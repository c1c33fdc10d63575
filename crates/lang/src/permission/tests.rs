//! Sentences about who may know something, each in other words.

use super::{Parts, Permission::*, asks_to_tell, may_retract, permission};

#[test]
fn mp1_a_text_that_only_lets_others_know_speaks_of_what_was_told_before() {
    for text in [
        "You may tell the others.",
        "you can tell everyone",
        "Yes, you may tell them about it.",
        "OK, feel free to share that with the others!",
        "It's no secret.",
        "By the way: it's not a secret.",
        "Du darfst es den anderen sagen",
        "Das darfst du den anderen ruhig erzählen.",
        "das ist kein Geheimnis",
        "Das dürfen alle wissen.",
        "Tu peux le dire aux autres",
        "Ce n'est pas un secret.",
        "Puedes contárselo a los demás",
        "No es un secreto.",
        "みんなに話してもいいよ",
        "みんなに言っていいよ",
        "これは秘密じゃないです。",
        "それは秘密じゃないから、みんなに言っていいよ",
        // two at once
        "It's no secret, you can tell everyone",
        "That's not a secret, the others can know",
        "Das ist kein Geheimnis, das dürfen alle wissen",
        "Ce n'est pas un secret, tu peux le dire",
        "No es ningún secreto, puedes contarlo",
        "Das kannst du den anderen erzählen",
        "Du darfst das weitersagen",
        "Das darf jeder wissen.",
        "Vous pouvez en parler aux autres",
        "Tout le monde peut le savoir",
        "Puedes contárselo a todo el mundo",
        "Se lo puedes decir a los demás",
        "Sí, puedes contarlo",
        "Thanks. You may tell the others.",
        "Go ahead, you can tell everyone",
        "That isn't a secret. You may tell the others.",
        "You may tell the others. Thanks!",
        "はい、みんなに話していいです",
        "You have my permission to tell everyone",
        "That's not a secret, feel free to mention it to the others",
        "No need to keep that secret",
        "Go ahead and tell the others",
        "Everyone is allowed to know",
    ] {
        assert_eq!(permission(text), Some(ToldBefore), "{text}");
    }
}

#[test]
fn mp1_a_text_lets_others_know_what_it_tells_itself() {
    for (text, told) in [
        ("I'm allergic to nuts, and it's no secret", "I'm allergic to nuts"),
        ("I moved to Kiel and you can tell everyone", "I moved to Kiel"),
        ("I moved to Kiel. You may tell the others.", "I moved to Kiel"),
        ("I live in Ullapool - it's no secret, you can tell everyone", "I live in Ullapool"),
        ("My brother lives in Ullapool, that is no secret", "My brother lives in Ullapool"),
        ("Ich wohne in Kiel, das ist kein Geheimnis", "Ich wohne in Kiel"),
        ("J'habite à Lyon et tu peux le dire aux autres", "J'habite à Lyon"),
        ("Vivo en Vigo, puedes contárselo a todos", "Vivo en Vigo"),
        ("大阪に住んでいます。みんなに話してもいいよ", "大阪に住んでいます"),
    ] {
        let Some(ToldHere(Parts { open, rest })) = permission(text) else {
            panic!("{text}: {:?}", permission(text))
        };
        assert_eq!((&*open, &*rest), (told, ""), "{text}");
    }
}

#[test]
fn mp1_what_may_mean_anything_else_opens_nothing() {
    for text in [
        "Don't tell the others",
        "you can tell the others?",
        "You may not share this. I mean it: do not",
        "I never said you can tell anybody",
        "Das darfst du den anderen nicht sagen",
        "You can tell me",
        "tell the others",
        "I prefer tea",
        // about something else
        "Tu peux parler",
        "You can tell.",
        "Can you repeat that for the others?",
        "You may tell Ebba that I am late",
        "you can tell Sam that lunch is ready",
        "you may tell the others I said hi",
        "You can share the recipe with the others",
        "feel free to tell the others where the key is",
        "you may tell them the train leaves at nine",
        "I live in Voss and you may tell the others that the party is on Friday",
        "I live in Voss. You may tell the others that the party is on Friday",
        "Ich wohne in Voss. Du darfst es den anderen sagen, wo der Schlüssel liegt",
        // reported, or with a condition
        "The doctor said you may tell the others.",
        "He wrote: \"you may tell the others\"",
        "> You can tell everyone",
        "`you can tell everyone`",
        "~~you can tell everyone~~",
        "『みんなに話してもいい』",
        "If they ask, you may tell the others that I am fine",
        "Once I am gone you may tell the others",
        "what if you may tell the others",
        "My boss thinks you can tell everyone",
        "Wenn ich weg bin, darfst du es allen sagen, das ist kein Geheimnis",
        "'you may tell the others'",
        "*you may tell the others*",
        "you could tell the others",
        "that's no secret to you",
        // questions without a question mark
        "darfst du das allen sagen",
        "kannst du es allen sagen",
        "Und dürfen die anderen das wissen",
        "darf das jeder wissen",
        "kannst du das weitersagen",
        "are the others allowed to know",
        "so is everyone allowed to know",
        "pueden saberlo los demás",
        "みんなに話していいの",
        "他の人に言ってもいいの",
        "みんなに話していいよね",
        "みんなに話していい",
        // brackets, quotes, songs, emoji, punctuation
        "[you may tell the others]",
        "(Das darfst du allen sagen)",
        "‚Das darfst du allen sagen‘",
        "【みんなに話していいよ】",
        "_you may tell the others_",
        "you may tell the others ❓",
        "you may tell the others 🙄",
        "🎵 you can tell everybody 🎵",
        "!you may tell the others",
        "you may tell the others...",
        "- you may tell the others",
        "you may tell the others;",
        "you may tell the others hello",
        "Puedes decir hola a los demás",
        "you may tell the others so",
        "you can tell everyone all about",
        "no you may tell the others",
        // for another time, incomplete, doubtful
        "you can tell everyone by then",
        "Then you may tell the others.",
        "それからみんなに話していいよ",
        "you can tell everyone but",
        "du darfst es allen sagen, aber",
        "du darfst es allen sagen, ne",
        "puedes contárselo a todos, eh",
        "yeah yeah, you can tell everybody",
        "sí, sí, puedes contárselo a todos",
        "You may tell the others. I am allergic to celery.",
        "you may tell the others that but not where I live",
    ] {
        let opened = permission(text);
        assert!(
            matches!(opened, None | Some(Unclear | Withdrawn { .. } | PerhapsWithdrawn)),
            "{text}: {opened:?}"
        );
    }
}

#[test]
fn mp1_a_text_lets_others_know_no_more_than_the_clause_that_it_names() {
    for (text, told) in [
        ("you can tell everyone that I moved away", "I moved away"),
        ("You may tell the others that I live in Voss.", "I live in Voss"),
        ("It's no secret that I love tea", "I love tea"),
        ("Du darfst allen sagen, dass ich in Kiel wohne", "ich in Kiel wohne"),
        ("Puedes decir a los demás que vivo en Vigo", "vivo en Vigo"),
        ("Tu peux dire aux autres que j'habite à Lyon", "j'habite à Lyon"),
        ("You may tell the others: I live in Ullapool", "I live in Ullapool"),
        ("OK. You may tell the others that the party is on Friday", "the party is on Friday"),
    ] {
        let Some(That(Parts { open, rest })) = permission(text) else {
            panic!("{text}: {:?}", permission(text))
        };
        assert_eq!((&*open, &*rest), (told, ""), "{text}");
    }
}

#[test]
fn mp1_a_permission_that_is_not_certain_says_so() {
    for text in [
        "You may tell everyone where I live",
        "feel free to tell the others where the key is",
        "The doctor said you may tell the others.",
        "If they ask, you may tell the others",
        "Du darfst allen sagen, wo ich wohne",
        "It's fine to tell the others",
        "Ich erlaube dir, es den anderen zu sagen",
        "Tienes permiso para contárselo a los demás",
        "他の人に話しても構いません",
        "…you may tell the others",
    ] {
        assert_eq!(permission(text), Some(Unclear), "{text}");
    }
    for text in
        ["You can tell me", "May I tell the others?", "you can tell Sam that lunch is ready", "I prefer tea"]
    {
        assert_eq!(permission(text), None, "{text}");
    }
}

#[test]
fn mp1_a_permission_is_taken_back_in_words() {
    for text in [
        "Don't tell anyone",
        "No wait, please don’t tell the others after all.",
        "Keep that secret please",
        "Please keep this to yourself, okay?",
        "That stays between us",
        "Nobody must know.",
        "Sag das niemandem!",
        "I've changed my mind, keep it quiet",
        "Das darfst du nicht mehr sagen",
        "Bitte nicht weitersagen",
        "Erzähl es den anderen doch nicht",
        "Behalte das für dich",
        "Das bleibt unter uns.",
        "Ne le dis à personne",
        "Garde ça pour toi",
        "Ça reste entre nous",
        "No se lo digas a nadie",
        "No lo cuentes, por favor",
        "Guárdame el secreto",
        "you may no longer tell the others",
        "You may not tell the others any more",
        "the others must not know",
        "nobody else should know",
        "that should remain a secret",
        "please treat that as confidential",
        "stop telling people",
        "mum's the word",
        "It's a secret.",
        "actually, better not",
        "I changed my mind",
        "please forget that I said you may tell the others",
        "das ist geheim",
        "tu ne peux plus le dire aux autres",
        "c'est un secret",
        "les autres ne doivent pas le savoir",
        "que personne ne le sache",
        "ya no puedes decírselo a los demás",
        "mantenlo en secreto",
        "es un secreto",
        "los demás no deben saberlo",
        "ここだけの話にして",
        "you can't tell anyone",
        "You mustn't tell anyone",
        "don't let anyone know",
        "I don't want the others to know",
        "You aren't allowed to tell the others",
        "Du darfst es den anderen nicht mehr sagen",
        "Niemand darf das wissen",
        "Kein Wort, sags keinem",
        "N'en parle pas aux autres",
        "Personne ne doit le savoir",
        "Nadie debe saberlo",
        "No quiero que los demás lo sepan",
        "誰にも話してはだめです",
        "他の人に知られたくないです",
        "誰にも言わないで",
        "秘密にしてね",
    ] {
        assert!(matches!(permission(text), Some(Withdrawn { .. })), "{text}: {:?}", permission(text));
    }
    for text in [
        "Don't tell me what to do",
        "My boss said don't tell anyone",
        "I can keep a straight face",
        "Nicht schlecht, das Buch",
        "No se lo pierdas",
        "I don't know",
        "I changed my mind about the tea",
        "It's better not to fly",
        "No need to keep that secret",
        "No es un secreto",
        "I don't know anyone here",
        "Ich kenne niemanden",
        "Nobody came to the party",
        "You may tell the others, nobody minds",
    ] {
        assert!(!matches!(permission(text), Some(Withdrawn { .. })), "{text}");
    }
}

#[test]
fn mp1_a_permission_opens_its_own_sentence_or_the_one_before_it() {
    for (text, open, rest) in [
        (
            "I live in Girvan, you can tell everyone. My brother is in prison.",
            "I live in Girvan",
            "My brother is in prison",
        ),
        (
            "My brother is in prison. I live in Girvan. You may tell the others.",
            "I live in Girvan",
            "My brother is in prison",
        ),
        (
            "Ich wohne in Zwiesel, das darfst du allen sagen. Mein Bruder ist im Gefängnis.",
            "Ich wohne in Zwiesel",
            "Mein Bruder ist im Gefängnis",
        ),
        (
            "私は松江に住んでいます、みんなに話していいよ。そばアレルギーがあります。",
            "私は松江に住んでいます",
            "そばアレルギーがあります",
        ),
    ] {
        assert_eq!(
            permission(text),
            Some(ToldHere(Parts { open: open.into(), rest: rest.into() })),
            "{text}"
        );
    }
}

#[test]
fn mp1_what_speaks_of_secrets_may_take_something_back() {
    for text in [
        "That is confidential",
        "it must stay between us",
        "Das ist privat",
        "C'est privé",
        "Es confidencial",
        "これは秘密です",
        "I take it back",
    ] {
        let read = permission(text);
        assert!(matches!(read, Some(PerhapsWithdrawn | Withdrawn { .. })), "{text}: {read:?}");
    }
    for text in ["I prefer tea", "Wo wohne ich?", "Is that a secret?"] {
        assert_eq!(permission(text), None, "{text}");
    }
    assert_eq!(permission("don't tell anyone that I live in Girvan"), Some(Withdrawn { names: true }));
    assert_eq!(permission("please don't tell anyone"), Some(Withdrawn { names: false }));
}

/// Right after a permission these close again what it opened.
#[test]
fn mp1_a_short_doubt_may_take_back_what_was_just_allowed() {
    for text in [
        "hm rather not",
        "actually better not say anything yet",
        "on second thoughts dont",
        "no wait",
        "besser doch noch nichts sagen",
        "ach nein, lieber nicht",
        "mejor no digas nada todavía",
        "finalement ne dis rien pour l'instant",
        "やっぱりみんなには黙っといて",
        "二人だけの秘密で",
    ] {
        assert!(may_retract(text), "{text}");
    }
    for text in [
        "thanks",
        "and what about the weather in Voss?",
        "I do not think that it will rain on the day of the party, but bring a coat all the same",
        "ありがとう",
    ] {
        assert!(!may_retract(text), "{text}");
    }
    let doubted = "I have a limp, you may tell the others. hm rather not";
    assert_eq!(permission(doubted), Some(Unclear));
    assert_eq!(permission("You may tell the others. No problem."), Some(ToldBefore), "that is no doubt");
}

#[test]
fn mp1_a_question_whether_others_may_be_told_is_known() {
    for text in [
        "Good to know! Shall I tell the others that the quiz is at seven?",
        "Soll ich das den anderen sagen?",
        "¿Se lo digo a los demás, o quieres decir tú algo a todos?",
        "みんなに伝えましょうか？",
    ] {
        assert!(asks_to_tell(text), "{text}");
    }
    for text in ["How long have you had it?", "I will tell the others. Anything else?", "お元気ですか？"]
    {
        assert!(!asks_to_tell(text), "{text}");
    }
}
