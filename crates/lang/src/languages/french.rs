//! The French words for times; see [`Language`] for the meaning of each field.

use jiff::civil::Weekday::{Thursday, Wednesday};

use crate::{
    calendar::Unit,
    language::{Built, Language, Order},
    token::Token::{self, *},
};

pub(crate) static FRENCH: Language = Language {
    code: "fr",
    spaced: true,
    order: Order::DayFirst,
    ordinal_endings: &["er", "e"],
    dotted_ordinals: false,
    article_days: true,
    elision: true,
    short_units: SHORT_UNITS,
    compound: |_| None,
    weekdays: "lundi mardi mercredi jeudi vendredi samedi dimanche",
    short_weekdays: "lun mar - - ven sam dim",
    plural_weekdays: "",
    months: "janvier|janv fevrier|fevr mars avril|avr mai juin juillet|juil aout septembre|sept \
        octobre|oct novembre|nov decembre|dec",
    seasons: "printemps ete automne hiver",
    quarters: "",
    units: "minute|minutes heure|heures|h jour|jours semaine|semaines|semaine_ci quinzaine \
        week_end|weekend|week_ends mois|mois_ci trimestre|trimestres an|ans|annee|annees|annee_ci",
    parts: "matin|au_matin|matinee apres_midi soir|soiree|au_soir nuit",
    edges: "debut milieu|mi fin premiere_moitie deuxieme_moitie|seconde_moitie",
    numbers: &[
        (
            1,
            1,
            "un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze \
            quinze|une_quinzaine_de seize dix_sept dix_huit dix_neuf vingt",
        ),
        (30, 10, "trente quarante cinquante soixante - quatre_vingt|quatre_vingts"),
        (100, 1, "cent"),
    ],
    nths: &[(1, 1, "premier|premiere deuxieme|second|seconde troisieme")],
    phrases: PHRASES,
    questions: QUESTIONS,
    lists: LISTS,
    common: COMMON,
    leading: LEADING,
    asking: ASKING,
    built: &BUILT,
};

static BUILT: Built = Built::new();

const SHORT_UNITS: &[(&str, Unit)] = &[("h", Unit::Hour), ("j", Unit::Day), ("sem", Unit::Week)];

const PHRASES: &[(&str, &[Token])] = &[
    ("aujourd'hui", &[Day(0)]),
    ("hier", &[Day(-1)]),
    ("avant hier|avanthier", &[Day(-2)]),
    ("recemment|dernierement|ces derniers temps|ces derniers jours", &[Recently]),
    ("autre", &[Other]),
    ("mer dernier|mer passe", &[Weekday(Wednesday), Last]),
    ("jeu dernier|jeu passe", &[Weekday(Thursday), Last]),
    ("une demi heure", &[Number(30), Unit(Unit::Minute)]),
    ("quinze jours", &[Number(1), Unit(Unit::Fortnight)]),
    ("huit jours", &[Number(1), Unit(Unit::Week)]),
    ("noel", &[Holiday(12, 24, 3)]),
    ("nouvel an", &[Holiday(1, 1, 1)]),
    ("saint sylvestre", &[Holiday(12, 31, 1)]),
    ("dernier|derniere|passe|passee|precedent|precedente", &[Last]),
    ("avant dernier|avant derniere", &[BeforeLast]),
    ("derniers|dernieres", &[Past]),
    ("derniere semaine", &[Past, Unit(Unit::Week)]),
    ("dernier mois", &[Past, Unit(Unit::Month)]),
    ("derniere annee", &[Past, Unit(Unit::Year)]),
    ("ce|cet|cette|ces", &[This]),
    ("chaque|tous les|toutes les|demain", &[NotPast]),
    ("prochain|prochaine|suivant|suivante", &[Coming]),
    ("midi", &[Clock(12, 0)]),
    ("et demi|et demie", &[AndHalf]),
    ("quelques|plusieurs", &[Few]),
    ("il y a|ya|y a|il y a environ|il y a a peu pres|il y a presque", &[Ago]),
    ("depuis", &[Since]),
    ("jusqu'a|jusqu'au|jusque", &[Until]),
    ("avant", &[Before]),
    ("apres", &[After]),
    ("entre", &[Between]),
    ("et", &[And]),
    ("ou", &[Or]),
    ("au|a|aux", &[To]),
    ("du", &[From]),
    ("de|d|des", &[Of]),
    ("en|dans|pendant|durant|lors|vers|courant", &[At]),
    ("le|la|les|l", &[The]),
];

const QUESTIONS: &[&str] = &[
    "souviens|souvenez tu|vous|toi",
    "te|t souviens|rappelles|souvient",
    "rappelles tu|toi|vous",
    "rappelle|rappelez moi",
    "avons|avions|ai|as|a|qu'a|avait nous|je|tu|on|t|il {any}*4 {said}",
    "{what} {any}*2 nous|on|je|j'ai|tu|j'avais|t'ai avons|a|ai|as|avions|avait|avais|t'ai {any}*3 {said}",
    "{what} {any}*2 j'ai|j'avais|t'ai|qu'on|m'as {any}*3 {said}",
    "? {what} {any}*3 {said}",
    "{what} parlions|disions|discutions|parlait|disait|discutait nous|on",
    "{what} on|je|tu parlait|disait|discutait|disais|parlais",
    "? a|avons|ai|as {said} {any}*1 quoi",
    "resume {any}*4 {talk}",
    "resume|resumez|recapitule|recapitulez moi? la|le|l|notre|nos|cette|ce|de|d*3 {when}",
    "quoi de neuf depuis|hier|cette|la",
    "du|rien|quelque de|chose*2 nouveau|neuf depuis",
    "qu'y|qu|y y|a*2 t? il|eu eu? hier|avant|{when}",
    "que|qu s'est|est {any}*2 passe|arrive",
    "? c'etait|etait quoi|comment le|la|ce|cette|l*1 {when}",
    "ce|que|quoi|qu qu'on|on|nous|tu a|avons|as fait|vu|fete {any}*3 {when}",
    "ce|que|quoi|qu que|qu*1 j'ai|t'as fait|vu|fete {any}*3 {when}",
    "? j'ai|t'as|a|avons|as|ai fait|vu|fete|eu quoi {any}*2 {when}",
    "? s'est|est passe quoi {any}*3 {when}",
    "qu'avons|qu'avions|qu'ai|qu'as nous|je|tu fait|vu|fete|mange|achete|visite {any}*4 {when}",
    "quel|quels|quelle etait|etaient|fut|furent|est|sont {any}*4 {topic}",
    "quel|quels|de {topic}",
];

const LISTS: &[(&str, &str)] = &[
    ("what", "quoi que qu ce dont quand ou comment qui quel quelle de"),
    (
        "said",
        "parle dit discute decide raconte mentionne convenu prevu evoque demande propose suggere promis aborde \
        explique ecrit",
    ),
    (
        "when",
        "hier semaine journee mois soiree matinee lundi mardi mercredi jeudi vendredi samedi dimanche weekend week avant-hier \
        noel janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    ),
    ("topic", "sujet sujets theme themes"),
    ("talk", "conversation discussion echange chat"),
];

const COMMON: &str = "le la les un une de du des que qui quoi quand ou comment je tu il nous vous on me te se ce cette \
    mon ma et hier a au aux avec pour sur dans est etait sont ai as avons avez pas ne oui non deja tout ca cela dis moi toi \
    peux pouvez s'il plait parle dit dont quel quelle quels quelles en avions qu'avons qu'est";

const LEADING: &str = "resumer recapituler je j'aimerais aimerais j'aimerai voudrais veux aimerions voudrions savoir dire redire rappeler raconter \
    peux-tu peux pouvez pourrais pourriez tu vous me moi nous bien encore s'il plait te dis dites raconte expliquer \
    explique montrer montre envie entendre apprendre sais interesse curieux un peu";

const ASKING: &str = "parle dit discute decide raconte mentionne convenu prevu evoque propose suggere rappelle souviens \
    souviens-toi rappelles conversation discussion resume fais faire bonjour merci salut j'ai t'ai vous \
    t nos notre s'est est-ce passe arrive sujet sujets theme themes parlions disions discutions parlait disait discutait a-t-on savoir dire etait etaient d l qu'a c'etait";
