//! The German words for times; see [`Language`] for the meaning of each field.

use jiff::civil::Weekday::Sunday;

use crate::{
    calendar::{Edge, Part, Unit},
    language::{Built, Language, Order},
    token::Token::{self, *},
};

pub(crate) static GERMAN: Language = Language {
    code: "de",
    spaced: true,
    order: Order::DayFirst,
    ordinal_endings: &["te", "ten"],
    dotted_ordinals: true,
    article_days: false,
    elision: false,
    short_units: SHORT_UNITS,
    compound: |word| {
        let number = word.split_once("und").map(|(unit, tens)| (tens, unit));
        let end_of_day = word.find("tag").map(|at| at + 3).or_else(|| word.find("woch").map(|at| at + 4));
        number.or_else(|| word.split_at_checked(end_of_day?))
    },
    weekdays: "montag|montags dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
    short_weekdays: "mo di mi do fr sa",
    plural_weekdays: "",
    months: "januar|janner|jan februar|feber|feb marz|mrz april|apr mai juni|jun juli|jul august|aug \
        september|sep|sept oktober|okt november|nov dezember|dez",
    seasons: "fruhling|fruhjahr sommer|sommers herbst winter|winters",
    quarters: "q1 q2 q3 q4",
    units: "minute|minuten|min stunde|stunden|std tag|tage|tagen|tages woche|wochen - \
        wochenende|wochenenden|wochenendes monat|monate|monaten|monats \
        quartal|quartals|quartale|quartalen jahr|jahre|jahren|jahres",
    parts: "morgen|vormittag nachmittag|mittag abend nacht",
    edges: "anfang|beginn mitte ende erste_halfte|ersten_halfte zweite_halfte|zweiten_halfte",
    numbers: &[
        (
            1,
            1,
            "ein|eine|einen|einem|einer|eines zwei drei vier funf sechs sieben acht neun zehn elf \
            zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
        ),
        (30, 10, "dreissig vierzig funfzig sechzig siebzig achtzig neunzig"),
        (100, 1, "hundert|einhundert"),
    ],
    nths: &[
        (
            1,
            1,
            "ersten zweiten dritten vierten funften sechsten siebten achten neunten zehnten elften \
            zwolften dreizehnten vierzehnten funfzehnten sechzehnten siebzehnten achtzehnten neunzehnten \
            zwanzigsten",
        ),
        (30, 10, "dreissigsten"),
    ],
    phrases: PHRASES,
    questions: QUESTIONS,
    lists: LISTS,
    common: COMMON,
    leading: LEADING,
    asking: ASKING,
    built: &BUILT,
};

static BUILT: Built = Built::new();

const SHORT_UNITS: &[(&str, Unit)] =
    &[("h", Unit::Hour), ("std", Unit::Hour), ("d", Unit::Day), ("w", Unit::Week), ("j", Unit::Year)];

const PHRASES: &[(&str, &[Token])] = &[
    ("heute", &[Day(0)]),
    ("gestern", &[Day(-1)]),
    ("vorgestern", &[Day(-2)]),
    ("neulich|kurzlich|letztens|vor kurzem|in letzter zeit|unlangst", &[Recently]),
    ("heute fruh", &[Day(0), Part(Part::Morning)]),
    ("gestern fruh", &[Day(-1), Part(Part::Morning)]),
    ("am so", &[At, Weekday(Sunday)]),
    ("einer halben stunde", &[Number(30), Unit(Unit::Minute)]),
    ("weihnachten", &[Holiday(12, 24, 3)]),
    ("heiligabend", &[Holiday(12, 24, 1)]),
    ("silvester", &[Holiday(12, 31, 1)]),
    ("neujahr", &[Holiday(1, 1, 1)]),
    (
        "letzte|letzten|letzter|letztes|letztem|vergangene|vergangenen|vergangener|vergangenes|vorige|vorigen|\
         voriger|voriges",
        &[Last],
    ),
    ("in der vorigen|in der vergangenen", &[At, Last]), // the calendar unit
    ("vorletzte|vorletzten|vorletzter|vorletztes", &[BeforeLast]),
    ("diese|diesen|dieser|dieses|diesem", &[This]),
    (
        "nachste|nachsten|nachster|nachstes|kommende|kommenden|kommender|kommendes|jede|jeden|jeder|jedes|ubermorgen",
        &[NotPast],
    ),
    ("wochenanfang|wochenbeginn", &[Edge(Edge::Beginning), Of, Unit(Unit::Week)]),
    ("wochenmitte", &[Edge(Edge::Middle), Of, Unit(Unit::Week)]),
    ("monatsanfang|monatsbeginn", &[Edge(Edge::Beginning), Of, Unit(Unit::Month)]),
    ("monatsmitte", &[Edge(Edge::Middle), Of, Unit(Unit::Month)]),
    ("monatsende", &[Edge(Edge::End), Of, Unit(Unit::Month)]),
    ("jahresanfang|jahresbeginn", &[Edge(Edge::Beginning), Of, Unit(Unit::Year)]),
    ("jahresmitte", &[Edge(Edge::Middle), Of, Unit(Unit::Year)]),
    ("jahresende", &[Edge(Edge::End), Of, Unit(Unit::Year)]),
    ("anderthalb|eineinhalb", &[Number(1), AndHalf]),
    ("zweieinhalb", &[Number(2), AndHalf]),
    ("dreieinhalb", &[Number(3), AndHalf]),
    ("einem halben jahr", &[Number(6), Unit(Unit::Month)]),
    ("uhr", &[OClock]),
    ("ein paar|paar|einige|einigen|mehrere|mehreren|wenigen", &[Few]),
    ("vor|vor rund|vor etwa|vor ungefahr|vor circa|vor ca|vor gut|vor knapp", &[AgoOrBefore]),
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
    "habe|hab|haben|ham|hatten|hatte|hast|hattest wir|ich|du {any}*10 {said}",
    "? wir|ich|du {any}*6 {said} haben|ham|hatten|habe|hatte|hast|hattest",
    "erinnerst|erinnern du|sie dich|sich",
    "weisst|weiss|wissen du|sie noch",
    "erinnere|erinner mich",
    "{what} {any}*2 {spoke} wir|ich|du",
    "? wurde|war|ist {any}*5 {said}",
    "{know} {any}*3 {what} {any}*4 wir|ich|du {any}*8 {said} haben|habe|hast|hatten|hatte|hattest",
    "letztes|letzte mal {any}*3 {said}",
    "worum ging|geht|drehte",
    "wovon war {any}*4 rede",
    "was|alles ist|war {any}*4 passiert|geschehen|los",
    "was {any}*3 passiert|geschehen|los ist|war",
    "{what} {any}*2 war|waren {any}*4 {topic}",
    "{topic} {any}*3 gab|kamen|hatten",
    "fasse|fass {any}*6 zusammen",
    "ging|geht es {any}*4 {talk}",
    "was war|gab|gabs|lief es|so|denn|alles*3 neues? am|seit? {when}",
    "was|gibt gibt|gibts|es|s neues seit",
    "gibt es|was*2 neues seit",
    "? irgendwas|etwas neues seit",
    "? was|wo|wen habe|hab|haben|ham|hatten wir|ich {any}*3 {when} {any}*6 {done}",
    "? was|wo|wen habe|hab|haben|ham|hatten {any}*2 und ich|wir {any}*10 {said}",
];

const LISTS: &[(&str, &str)] = &[
    (
        "said",
        "besprochen gesprochen gesagt geredet erzahlt diskutiert beschlossen entschieden ausgemacht vereinbart \
        geplant erwahnt gefragt geschrieben unterhalten abgemacht vorgeschlagen festgelegt versprochen beredet \
        angesprochen berichtet empfohlen geklart behandelt festgehalten geschildert thematisiert",
    ),
    (
        "spoke",
        "besprachen sprachen redeten diskutierten beschlossen entschieden vereinbarten sagte sagtest sagten \
        erzahlte erzahltest erwahnte erwahntest",
    ),
    ("what", "was woruber wovon wann wo wer wie warum welche welches welchen womit woran"),
    (
        "know",
        "wissen wusste sagen sag sage erzahl erzahle erzahlen horen erfahren verrat verrate verraten nennen interessiert \
        frage zeig zeige weiss",
    ),
    (
        "when",
        "gestern vorgestern letzte letzten letzter letztes vorige vorigen voriges vergangene vergangenen neulich montag \
        dienstag mittwoch donnerstag freitag samstag sonntag wochenende",
    ),
    ("topic", "thema themen gesprachsthema gesprachsthemen"),
    ("talk", "gesprach gesprachs unterhaltung chat besprechung diskussion"),
    (
        "done",
        "gemacht getan unternommen gefeiert gesehen gegessen gekocht besucht gekauft gelesen getroffen erlebt",
    ),
];

const COMMON: &str = "unser unsere mein meine dein deine der die das den dem des ein eine ich du er sie wir ihr mich dich mir dir uns euch was woruber \
    wovon wann wo wer wie warum ist sind war waren habe haben hast hat hatten nicht und oder mit auf fur von zu im am \
    um bei nach uber uns noch mal bitte sag sagst kannst kann alles denn also auch ja nein";

const LEADING: &str = "magst wurde mochte wollte will gern gerne wusste wissen horen erfahren sagen sag sage erzahl erzahle erzahlen \
    verrat verrate verraten nennen interessiert interessieren frage zeig zeige konntest konnten konnen kannst mir bitte \
    doch einmal mal weisst hast hatte lust ob kurz schnell gib gibst nochmals wieder";

const ASKING: &str = "besprochen gesprochen gesagt geredet erzahlt diskutiert beschlossen entschieden ausgemacht \
    vereinbart geplant erwahnt gefragt geschrieben unterhalten abgemacht vorgeschlagen festgelegt versprochen beredet \
    angesprochen berichtet empfohlen geklart behandelt festgehalten geschildert thematisiert hab hatte hatten hattest zusammenfassen daran erinnerst erinnere erinnern \
    weisst wissen besprachen sprachen redeten sagte sagtest erzahlte gesprach unterhaltung chat hallo danke so eigentlich \
    zusammen fasse fass ging es dass wurde letzte letzten letztes mal hey hi genau nochmal passiert geschehen los thema \
    themen gesprachsthema ham da \
    worum drehte rede welche welches unserem unseren unserer unterhielten";
