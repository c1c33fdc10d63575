//! Text around a fact: a condition, a question after it, a denial before it, other people.

use super::topics;

#[test]
fn jv2_what_holds_on_a_condition_is_no_fact() {
    for said in [
        "I live in Graz, unless the visa fails",
        "My dog is called Rex if we ever get one",
        "My wife is called Jane if she says yes",
        "Ich wohne in Wien, falls das Visum kommt",
        "Mein Hund heißt Rex, falls wir einen bekommen",
        "Ab Mai wohne ich in Kiel, sofern die Wohnung frei wird",
        "Vivo en Lugo, a menos que falle el contrato",
        "J'habite à Nantes, sauf si le visa est refusé",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
    for (said, topic) in [
        ("I live in Graz, if that helps", "home"),
        ("I live in Graz and I'll move if the visa fails", "home"),
        ("Ich wohne in Wien, falls du mal vorbeikommst", "home"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
}

#[test]
fn mp6_what_stands_before_a_question_or_without_a_subject_is_told_in_other_words() {
    for (said, topic) in [
        ("i'm a paramedic so i only get 20 mins for lunch, ideas?", "work"),
        ("just got hired at Brompton as a welder", "work"),
        ("Waffles, our greyhound, ate a whole stick of butter", "greyhound waffles name"),
        ("been in Ludlow nearly nine years now", "home"),
        ("big fan of Terry Pratchett", "like terry"),
        ("sind grad von Kassel nach Flensburg gezogen", "home"),
        ("bei uns daheim wurde kurdisch gesprochen", "language kurdisch"),
        ("nos acabamos de mudar de Huelva a Santander", "home"),
        ("el kiwi me llena de ronchas", "allergy kiwi"),
        ("me han cogido en Navantia de soldador", "work"),
        ("j'ai décroché le poste de soudeur chez Alstom", "work"),
        ("小麦アレルギーなんだけど何か焼けるものある？", "allergy 小麦"),
        ("京極夏彦の大ファンなんだけど次何読めばいい？", "like 京極夏彦"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
    for said in [
        "my colleague Derek is allergic to shellfish",
        "been in therapy for two years",
        "been in Marketing nine years now",
        "私って今どこに住んでるんだったっけ？",
        "同僚の田所さん甲殻類アレルギーなんだけど",
        "not Ripon any more btw, Thirsk",
        "sag nicht dass ich käse hasse",
        "je dis pas que je déteste le fromage",
        "laut horoskop liebe ich reisen",
        "歯医者と結婚しててドリル怖かったらウケるよね",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_how_one_is_answered_from_now_on_and_addressed() {
    for said in [
        "Künftig bitte nur kurze Antworten",
        "ab jetzt bitte ohne Emojis",
        "Duz mich bitte",
        "Sie dürfen mich ruhig duzen",
        "à l'avenir réponds-moi sans tableaux",
        "vous pouvez me dire tu",
        "de ahora en adelante respóndeme sin rodeos",
        "trátame de usted siempre",
        "puedes tutearme",
        "次から返事は短くしてくれると助かる",
        "Antworte mir ab jetzt immer auf Englisch",
        "Bitte halte deine Antworten künftig kurz",
        "Benutze bei mir keine Emojis",
        "No uses emojis cuando me contestes",
        "Sé breve en tus respuestas, siempre",
        "N'utilise pas d'émojis quand tu me réponds",
        "Fais toujours des réponses courtes",
        "これからは短く答えてください",
        "いつも英語で答えてください",
        "返事に絵文字は使わないでください",
    ] {
        assert_eq!(topics(said), ["answers"], "{said}");
    }
    for said in [
        "bitte nur kurze Antworten",
        "ab jetzt ist Schluss",
        "ab sofort bitte Schuhe ausziehen",
        "künftig bitte vorher anklopfen",
        "duz mich nicht voll",
        "in Zukunft wird alles besser",
        "à l'avenir on verra",
        "désormais utilise la porte du fond",
        "en adelante todo irá mejor",
        "puedes tratar el tema con calma",
        "次から気をつけます",
        "mes chaussures me serrent",
        "les voisins me détestent",
        "no uses el ascensor",
        "n'utilise pas la porte",
        "benutze keine Gabel",
        "halte die Antworten bereit",
        "英語で答えて",
        "タメ口で書いた手紙",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_a_state_of_the_moment_or_a_joke_is_no_fact() {
    for said in [
        "ich bin todmüde",
        "ich bin stinksauer",
        "ich arbeite gerade an einer Excel-Tabelle, die nicht rechnen will",
        "ich arbeite grad an der Steuererklärung, ätzend",
        "Ich habe nie gesagt, dass ich Veganer bin",
        "Ich bin mit meinem Job verheiratet, haha",
        "Ce n'est pas vrai que j'habite à Lille",
        "J'apprends plein de choses avec toi",
        "Je suis marié à mon boulot, haha",
        "Vivo por esta serie, en serio",
        "Estoy aprendiendo un montón contigo",
        "Estoy casado con mi trabajo, jaja",
        "I'm married to my job, haha",
        "I'm allergic to your jokes",
        "高速で渋滞にはまっています",
        "雪にはまって動けない",
        "二番目の文の方が好きです",
        "六時まで仕事です",
        "このチャットでたくさん学んでいます",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
    for (said, topic) in [
        ("ich bin taxifahrer", "work"),
        ("Ich bin Falknerin", "is falknerin"),
        ("Ich arbeite gerade als Bademeister in Kiel", "work"),
        ("Ich bin verheiratet", "married"),
        ("J'apprends le finnois", "studies finnois"),
        ("Home for me is a village outside Truro", "home"),
        ("I run a small bike repair shop", "work"),
        ("将棋にはまっています", "like 将棋"),
        ("渋滞が嫌いです", "like 渋滞"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
}
