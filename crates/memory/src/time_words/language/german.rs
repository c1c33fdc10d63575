//! German.

use jiff::civil::Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};

use super::{Language, Made, Order};
use crate::time_words::{
    calendar::{Edge, Part, Unit},
    tokens::Token::{self, *},
};

pub(super) static GERMAN: Language = Language {
    spaced: true,
    order: Order::DayFirst,
    ordinal_endings: &["te", "ten"],
    dotted_ordinals: true,
    article_days: false,
    elision: false,
    phrases: PHRASES,
    questions: QUESTIONS,
    lists: LISTS,
    common: COMMON,
    asking: ASKING,
    made: &MADE,
};

static MADE: Made = Made::new();

const PHRASES: &[(&str, &[Token])] = &[
    ("heute", &[Day(0)]),
    ("gestern", &[Day(-1)]),
    ("vorgestern", &[Day(-2)]),
    ("neulich|kurzlich|letztens|vor kurzem|in letzter zeit|unlangst", &[Recently]),
    ("heute fruh", &[Day(0), Part(Part::Morning)]),
    ("gestern fruh", &[Day(-1), Part(Part::Morning)]),
    ("montag|montags", &[Weekday(Monday)]),
    ("dienstag", &[Weekday(Tuesday)]),
    ("mittwoch", &[Weekday(Wednesday)]),
    ("donnerstag", &[Weekday(Thursday)]),
    ("freitag", &[Weekday(Friday)]),
    ("samstag|sonnabend", &[Weekday(Saturday)]),
    ("sonntag", &[Weekday(Sunday)]),
    ("montagmorgen|montagvormittag", &[Weekday(Monday), Part(Part::Morning)]),
    ("montagnachmittag", &[Weekday(Monday), Part(Part::Afternoon)]),
    ("montagabend", &[Weekday(Monday), Part(Part::Evening)]),
    ("dienstagmorgen|dienstagvormittag", &[Weekday(Tuesday), Part(Part::Morning)]),
    ("dienstagnachmittag", &[Weekday(Tuesday), Part(Part::Afternoon)]),
    ("dienstagabend", &[Weekday(Tuesday), Part(Part::Evening)]),
    ("mittwochmorgen|mittwochvormittag", &[Weekday(Wednesday), Part(Part::Morning)]),
    ("mittwochnachmittag", &[Weekday(Wednesday), Part(Part::Afternoon)]),
    ("mittwochabend", &[Weekday(Wednesday), Part(Part::Evening)]),
    ("donnerstagmorgen|donnerstagvormittag", &[Weekday(Thursday), Part(Part::Morning)]),
    ("donnerstagnachmittag", &[Weekday(Thursday), Part(Part::Afternoon)]),
    ("donnerstagabend", &[Weekday(Thursday), Part(Part::Evening)]),
    ("freitagmorgen|freitagvormittag", &[Weekday(Friday), Part(Part::Morning)]),
    ("freitagnachmittag", &[Weekday(Friday), Part(Part::Afternoon)]),
    ("freitagabend", &[Weekday(Friday), Part(Part::Evening)]),
    ("samstagmorgen|samstagvormittag", &[Weekday(Saturday), Part(Part::Morning)]),
    ("samstagnachmittag", &[Weekday(Saturday), Part(Part::Afternoon)]),
    ("samstagabend", &[Weekday(Saturday), Part(Part::Evening)]),
    ("sonntagmorgen|sonntagvormittag", &[Weekday(Sunday), Part(Part::Morning)]),
    ("sonntagnachmittag", &[Weekday(Sunday), Part(Part::Afternoon)]),
    ("sonntagabend", &[Weekday(Sunday), Part(Part::Evening)]),
    ("morgen|vormittag", &[Part(Part::Morning)]),
    ("nachmittag|mittag", &[Part(Part::Afternoon)]),
    ("abend", &[Part(Part::Evening)]),
    ("nacht", &[Part(Part::Night)]),
    ("minute|minuten", &[Unit(Unit::Minute)]),
    ("stunde|stunden", &[Unit(Unit::Hour)]),
    ("einer halben stunde", &[Number(30), Unit(Unit::Minute)]),
    ("tag|tage|tagen|tages", &[Unit(Unit::Day)]),
    ("woche|wochen", &[Unit(Unit::Week)]),
    ("wochenende|wochenenden|wochenendes", &[Unit(Unit::Weekend)]),
    ("monat|monate|monaten|monats", &[Unit(Unit::Month)]),
    ("quartal|quartals|quartale|quartalen", &[Unit(Unit::Quarter)]),
    ("jahr|jahre|jahren|jahres", &[Unit(Unit::Year)]),
    ("q1", &[Quarter(1)]),
    ("q2", &[Quarter(2)]),
    ("q3", &[Quarter(3)]),
    ("q4", &[Quarter(4)]),
    ("januar|janner", &[Month(1)]),
    ("februar|feber", &[Month(2)]),
    ("marz", &[Month(3)]),
    ("april", &[Month(4)]),
    ("mai", &[Month(5)]),
    ("juni", &[Month(6)]),
    ("juli", &[Month(7)]),
    ("august", &[Month(8)]),
    ("september", &[Month(9)]),
    ("oktober", &[Month(10)]),
    ("november", &[Month(11)]),
    ("dezember", &[Month(12)]),
    ("fruhling|fruhjahr", &[Season(3)]),
    ("sommer|sommers", &[Season(6)]),
    ("herbst", &[Season(9)]),
    ("winter|winters", &[Season(12)]),
    ("weihnachten", &[Holiday(12, 24, 3)]),
    ("heiligabend", &[Holiday(12, 24, 1)]),
    ("silvester", &[Holiday(12, 31, 1)]),
    ("neujahr", &[Holiday(1, 1, 1)]),
    (
        "letzte|letzten|letzter|letztes|letztem|vergangene|vergangenen|vergangener|vergangenes|vorige|vorigen|\
         voriger|voriges",
        &[Last],
    ),
    ("vorletzte|vorletzten|vorletzter|vorletztes", &[BeforeLast]),
    ("diese|diesen|dieser|dieses|diesem", &[This]),
    (
        "nachste|nachsten|nachster|nachstes|kommende|kommenden|kommender|kommendes|jede|jeden|jeder|jedes|ubermorgen",
        &[NotPast],
    ),
    ("anfang|beginn", &[Edge(Edge::Beginning)]),
    ("mitte", &[Edge(Edge::Middle)]),
    ("ende", &[Edge(Edge::End)]),
    ("erste halfte|ersten halfte", &[Edge(Edge::FirstHalf)]),
    ("zweite halfte|zweiten halfte", &[Edge(Edge::SecondHalf)]),
    ("ein|eine|einen|einem|einer|eines", &[Number(1)]),
    ("zwei", &[Number(2)]),
    ("drei", &[Number(3)]),
    ("vier", &[Number(4)]),
    ("funf", &[Number(5)]),
    ("sechs", &[Number(6)]),
    ("sieben", &[Number(7)]),
    ("acht", &[Number(8)]),
    ("neun", &[Number(9)]),
    ("zehn", &[Number(10)]),
    ("elf", &[Number(11)]),
    ("zwolf", &[Number(12)]),
    ("vierzehn", &[Number(14)]),
    ("ein paar|paar|einige|einigen|mehrere|mehreren|wenigen", &[Few]),
    ("ersten", &[Nth(1)]),
    ("zweiten", &[Nth(2)]),
    ("dritten", &[Nth(3)]),
    ("vor", &[AgoOrBefore]),
    ("seit", &[Since]),
    ("bis", &[Until]),
    ("nach", &[After]),
    ("zwischen", &[Between]),
    ("und", &[And]),
    ("oder", &[Or]),
    ("von|vom", &[From]),
    ("am|im|in|an|um|wahrend|zu|zum|gegen|uber", &[At]),
    ("der|die|das|den|dem|des", &[The]),
];

const QUESTIONS: &[&str] = &[
    "habe|haben|hatten|hatte|hast|hattest wir|ich|du {any}*6 {said}",
    "? wir|ich|du {any}*6 {said} haben|hatten|habe|hatte|hast|hattest",
    "erinnerst|erinnern du|sie dich|sich",
    "weisst|weiss|wissen du|sie noch",
    "erinnere|erinner mich",
    "{what} {any}*2 {spoke} wir|ich|du",
    "? wurde|war|ist {any}*5 {said}",
    "letztes|letzte mal {any}*3 {said}",
    "fasse|fass {any}*6 zusammen",
    "ging|geht es {any}*4 {talk}",
];

const LISTS: &[(&str, &str)] = &[
    (
        "said",
        "besprochen gesprochen gesagt geredet erzahlt diskutiert beschlossen entschieden ausgemacht vereinbart \
        geplant erwahnt gefragt geschrieben unterhalten abgemacht vorgeschlagen festgelegt versprochen",
    ),
    (
        "spoke",
        "besprachen sprachen redeten diskutierten beschlossen entschieden vereinbarten sagte sagtest sagten \
        erzahlte erzahltest erwahnte erwahntest",
    ),
    ("what", "was woruber wovon wann wo wer wie warum welche welches welchen womit woran"),
    ("talk", "gesprach gesprachs unterhaltung chat besprechung diskussion"),
];

const COMMON: &str = "unser unsere mein meine dein deine der die das den dem des ein eine ich du er sie wir ihr mich dich mir dir uns euch was woruber \
    wovon wann wo wer wie warum ist sind war waren habe haben hast hat hatten nicht und oder mit auf fur von zu im am \
    um bei nach uber uns noch mal bitte sag sagst kannst kann alles denn also auch ja nein";

const ASKING: &str = "besprochen gesprochen gesagt geredet erzahlt diskutiert beschlossen entschieden ausgemacht \
    vereinbart geplant erwahnt gefragt geschrieben unterhalten abgemacht vorgeschlagen erinnerst erinnere erinnern \
    weisst wissen besprachen sprachen redeten sagte sagtest erzahlte gesprach unterhaltung chat hallo danke so eigentlich \
    zusammen fasse fass ging es dass wurde letzte letzten letztes mal hey hi genau nochmal";
