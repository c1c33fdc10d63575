//! French.

use jiff::civil::Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};

use super::{Language, Made, Order};
use crate::time_words::{
    calendar::{Edge, Part, Unit},
    tokens::Token::{self, *},
};

pub(super) static FRENCH: Language = Language {
    spaced: true,
    order: Order::DayFirst,
    ordinal_endings: &["er", "e"],
    dotted_ordinals: false,
    article_days: true,
    elision: true,
    short_units: SHORT_UNITS,
    compound: |_| None,
    phrases: PHRASES,
    questions: QUESTIONS,
    lists: LISTS,
    common: COMMON,
    leading: LEADING,
    asking: ASKING,
    made: &MADE,
};

static MADE: Made = Made::new();

const SHORT_UNITS: &[(&str, Unit)] = &[("h", Unit::Hour), ("j", Unit::Day), ("sem", Unit::Week)];

const PHRASES: &[(&str, &[Token])] = &[
    ("aujourd'hui", &[Day(0)]),
    ("hier", &[Day(-1)]),
    ("avant hier|avanthier", &[Day(-2)]),
    ("recemment|dernierement|ces derniers temps|ces derniers jours", &[Recently]),
    ("autre", &[Other]),
    ("lundi", &[Weekday(Monday)]),
    ("mardi", &[Weekday(Tuesday)]),
    ("mercredi", &[Weekday(Wednesday)]),
    ("jeudi", &[Weekday(Thursday)]),
    ("vendredi", &[Weekday(Friday)]),
    ("samedi", &[Weekday(Saturday)]),
    ("dimanche", &[Weekday(Sunday)]),
    ("lun", &[MaybeWeekday(Monday)]),
    ("mar", &[MaybeWeekday(Tuesday)]),
    ("ven", &[MaybeWeekday(Friday)]),
    ("sam", &[MaybeWeekday(Saturday)]),
    ("dim", &[MaybeWeekday(Sunday)]),
    ("mer dernier|mer passe", &[Weekday(Wednesday), Last]),
    ("jeu dernier|jeu passe", &[Weekday(Thursday), Last]),
    ("matin|au matin|matinee", &[Part(Part::Morning)]),
    ("apres midi", &[Part(Part::Afternoon)]),
    ("soir|soiree|au soir", &[Part(Part::Evening)]),
    ("nuit", &[Part(Part::Night)]),
    ("minute|minutes", &[Unit(Unit::Minute)]),
    ("heure|heures|h", &[Unit(Unit::Hour)]),
    ("une demi heure", &[Number(30), Unit(Unit::Minute)]),
    ("jour|jours", &[Unit(Unit::Day)]),
    ("semaine|semaines|semaine ci", &[Unit(Unit::Week)]),
    ("quinzaine", &[Unit(Unit::Fortnight)]),
    ("quinze jours", &[Number(1), Unit(Unit::Fortnight)]),
    ("huit jours", &[Number(1), Unit(Unit::Week)]),
    ("week end|weekend|week ends", &[Unit(Unit::Weekend)]),
    ("mois|mois ci", &[Unit(Unit::Month)]),
    ("trimestre|trimestres", &[Unit(Unit::Quarter)]),
    ("an|ans|annee|annees|annee ci", &[Unit(Unit::Year)]),
    ("janvier|janv", &[Month(1)]),
    ("fevrier|fevr", &[Month(2)]),
    ("mars", &[Month(3)]),
    ("avril|avr", &[Month(4)]),
    ("mai", &[Month(5)]),
    ("juin", &[Month(6)]),
    ("juillet|juil", &[Month(7)]),
    ("aout", &[Month(8)]),
    ("septembre|sept", &[Month(9)]),
    ("octobre|oct", &[Month(10)]),
    ("novembre|nov", &[Month(11)]),
    ("decembre|dec", &[Month(12)]),
    ("printemps", &[Season(3)]),
    ("ete", &[Season(6)]),
    ("automne", &[Season(9)]),
    ("hiver", &[Season(12)]),
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
    ("debut", &[Edge(Edge::Beginning)]),
    ("milieu|mi", &[Edge(Edge::Middle)]),
    ("fin", &[Edge(Edge::End)]),
    ("premiere moitie", &[Edge(Edge::FirstHalf)]),
    ("deuxieme moitie|seconde moitie", &[Edge(Edge::SecondHalf)]),
    ("un|une", &[Number(1)]),
    ("deux", &[Number(2)]),
    ("trois", &[Number(3)]),
    ("quatre", &[Number(4)]),
    ("cinq", &[Number(5)]),
    ("six", &[Number(6)]),
    ("sept", &[Number(7)]),
    ("huit", &[Number(8)]),
    ("neuf", &[Number(9)]),
    ("dix", &[Number(10)]),
    ("onze", &[Number(11)]),
    ("douze", &[Number(12)]),
    ("treize", &[Number(13)]),
    ("quatorze", &[Number(14)]),
    ("quinze", &[Number(15)]),
    ("seize", &[Number(16)]),
    ("dix sept", &[Number(17)]),
    ("dix huit", &[Number(18)]),
    ("dix neuf", &[Number(19)]),
    ("vingt", &[Number(20)]),
    ("trente", &[Number(30)]),
    ("quarante", &[Number(40)]),
    ("cinquante", &[Number(50)]),
    ("soixante", &[Number(60)]),
    ("quatre vingt|quatre vingts", &[Number(80)]),
    ("cent", &[Number(100)]),
    ("midi", &[Clock(12, 0)]),
    ("et demi|et demie", &[AndHalf]),
    ("une quinzaine de", &[Number(15)]),
    ("quelques|plusieurs", &[Few]),
    ("premier|premiere", &[Nth(1)]),
    ("deuxieme|second|seconde", &[Nth(2)]),
    ("troisieme", &[Nth(3)]),
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
    "que|qu s'est|est {any}*2 passe|arrive",
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
    ("topic", "sujet sujets theme themes"),
    ("talk", "conversation discussion echange chat"),
];

const COMMON: &str = "le la les un une de du des que qui quoi quand ou comment je tu il nous vous on me te se ce cette \
    mon ma et a au aux avec pour sur dans est etait sont ai as avons avez pas ne oui non deja tout ca cela dis moi toi \
    peux pouvez s'il plait parle dit dont quel quelle quels quelles en avions qu'avons qu'est";

const LEADING: &str = "resumer recapituler je j'aimerais aimerais j'aimerai voudrais veux aimerions voudrions savoir dire redire rappeler raconter \
    peux-tu peux pouvez pourrais pourriez tu vous me moi nous bien encore s'il plait te dis dites raconte expliquer \
    explique montrer montre envie entendre apprendre sais interesse curieux un peu";

const ASKING: &str = "parle dit discute decide raconte mentionne convenu prevu evoque propose suggere rappelle souviens \
    souviens-toi rappelles conversation discussion resume fais faire bonjour merci salut j'ai t'ai vous \
    t nos notre s'est est-ce passe arrive sujet sujets theme themes parlions disions discutions parlait disait discutait a-t-on savoir dire etait etaient d l qu'a c'etait";
