//! The English words for times; see [`Language`] for the meaning of each field.

use crate::{
    calendar::{Part, Unit},
    language::{Built, Language, Order},
    token::Token::{self, *},
};

pub(crate) static ENGLISH: Language = Language {
    code: "en",
    spaced: true,
    order: Order::MonthFirst,
    ordinal_endings: &["st", "nd", "rd", "th"],
    dotted_ordinals: false,
    article_days: false,
    elision: false,
    short_units: SHORT_UNITS,
    compound: |_| None,
    weekdays: "monday tuesday|tue|tues wednesday|weds thursday|thu|thur|thurs friday|fri saturday \
        sunday",
    short_weekdays: "mon - wed - - sat sun",
    plural_weekdays: "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
    months: "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug \
        september|sep|sept october|oct november|nov december|dec",
    seasons: "spring|springtime summer|summertime autumn|fall winter|wintertime",
    quarters: "q1 q2 q3 q4",
    units: "minute|minutes|min|mins hour|hours|hr|hrs day|days week|weeks|wk|wks fortnight|fortnights \
        weekend|weekends|week_end month|months|mos quarter|quarters year|years|yr|yrs",
    parts: "morning|forenoon afternoon evening night",
    edges: "beginning|start|early middle|mid end|late first_half second_half",
    numbers: &[
        (
            1,
            1,
            "a|an|one two three four five six seven eight nine ten eleven twelve|a_dozen thirteen \
            fourteen fifteen sixteen seventeen eighteen nineteen twenty",
        ),
        (30, 10, "thirty forty fifty sixty seventy eighty ninety"),
        (100, 1, "hundred|a_hundred"),
    ],
    nths: &[
        (
            1,
            1,
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth \
            thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
        ),
        (30, 10, "thirtieth"),
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

const SHORT_UNITS: &[(&str, Unit)] = &[
    ("m", Unit::Minute),
    ("h", Unit::Hour),
    ("d", Unit::Day),
    ("w", Unit::Week),
    ("mo", Unit::Month),
    ("mos", Unit::Month),
    ("y", Unit::Year),
];

const PHRASES: &[(&str, &[Token])] = &[
    // days
    ("today", &[Day(0)]),
    ("yesterday|yday|yest", &[Day(-1)]),
    ("day before yesterday|day before last", &[Day(-2)]),
    ("tonight", &[This, Part(Part::Night)]),
    ("recently|lately", &[Recently]),
    ("the other", &[Other]),
    // parts of a day
    ("nights ago|nights back", &[Unit(Unit::Day), Ago]),
    // units
    ("half an hour|a half hour|half hour", &[Number(30), Unit(Unit::Minute)]),
    // months and seasons
    ("christmas|xmas", &[Holiday(12, 24, 3)]),
    ("christmas day", &[Holiday(12, 25, 1)]),
    ("christmas eve", &[Holiday(12, 24, 1)]),
    ("new year's eve|new year eve", &[Holiday(12, 31, 1)]),
    ("new year's day|new year day|new year's|new year", &[Holiday(1, 1, 1)]),
    ("halloween", &[Holiday(10, 31, 1)]),
    ("valentine's day|valentine day", &[Holiday(2, 14, 1)]),
    // which
    ("last|previous|preceding", &[Last]),
    ("in the previous|during the previous|over the previous", &[At, Last]), // the calendar unit
    ("past", &[Past]),
    ("this|current", &[This]),
    ("next|every|each|by|coming|upcoming|following|tomorrow", &[NotPast]),
    // how many
    ("and a half", &[AndHalf]),
    ("half a year", &[Number(6), Unit(Unit::Month)]),
    ("noon|midday", &[Clock(12, 0)]),
    ("o'clock|oclock", &[OClock]),
    ("a couple of|a couple|couple of|couple", &[Couple]),
    ("a few|few|several|some", &[Few]),
    // words that connect the parts of a time
    ("ago|back|earlier than today", &[Ago]),
    ("since|ever since", &[Since]),
    ("until|till|up to", &[Until]),
    ("before|prior to", &[Before]),
    ("after", &[After]),
    ("between", &[Between]),
    ("and", &[And]),
    ("or", &[Or]),
    ("from", &[From]),
    ("to|through|thru", &[To]),
    ("of", &[Of]),
    (
        "at about|at around|toward|towards|on|in|at|during|over|around|within|earlier|throughout|later|as of",
        &[At],
    ),
    ("the|that", &[The]),
];

const QUESTIONS: &[&str] = &[
    "do|don't|can|can't|could you still? remember|recall",
    "did|didn't i|we|you|us {fill}* {say}",
    "did|didn't you and i|me {fill}* {say}",
    "have|haven't|had|hadn't i|we|you {fill}* {said}",
    "have|haven't|had|hadn't i|we|you been {saying}",
    "were|weren't we|you {fill}* {saying}",
    "was i {fill}* {saying}",
    "last time we|i|you {spoke}",
    "remind me what|when|where|which|who|why|how|of|about",
    "refresh|jog my memory",
    "catch me up",
    "what'd we|i|you {fill}* {say}",
    "was|were anything|something {fill}* {said}",
    "summarise|summarize|recap this|the? last? {when}",
    "{ask} {any}*4 {when} {talk}",
    "{what} was|were {any}*2 {when} {topic}",
    "what {fill}* came up in|during {any}*2 {talk}",
    "what|anything|everything|topics else? {fill}* came? {happened} {fill}* on|at|over|since|during|this? the|this|last? {when}",
    "what|anything|everything|topics {fill}* {happened} {any}*3 ago",
    "what|anything|everything {fill}* {happened} {fill}* on the? {digits}",
    "recap|rundown of|for|from the|this|last|our? {when}",
    "bring|get me up to speed|date {any}*2 {what} {any}*2 i|we|you {fill}* {spoke}",
    "what {fill}* {happened} in|during our|the|this {any}*2 {talk}",
    "which|what {any}*2 {topic} {any}*2 {fill}* {happened}",
    "{what} was|were|is|are {any}*3 {topic} of|on|in|from|last|yesterday|this|today|discussed|covered|we|you|i",
    "{what} was|were the {gist} {any}*4 {talk}",
    "any idea|memory|recollection {any}*2 {what} i|we|you {fill}* {spoke}",
    "what's|what|whats|anything is|has|happened|there*2 new|news|changed {any}*1 since the|last? {when}",
    "what do|did you remember|recall|know about me|us",
    "{ask} {any}*4 {what} {any}*4 i|we|you {fill}* {spoke}",
    "{what} was|were it|that|this|those {any}*4 i|we|you {fill}* {spoke}",
    "{what} was|were the {any}*6 i|we|you {fill}* {spoke}",
    "i forgot|forget|can't|cannot|don't|didn't {any}*2 {what} {any}*2 i|we|you {fill}* {spoke}",
    "{what} was|were|got|been {fill}* {said}",
    "{what} has|have been {fill}* {said}",
    "{what} was|were|is {any}*3 {talk} {any}*4 about",
    "{sum} {any}*4 {talk}",
    "{ask} {any}*5 {talk} from|of|on|in|about|we|last|yesterday",
    "{sum} {any}*2 what|everything {any}*2 i|we|you {fill}* {spoke}",
    "? what|where|who did i|we|you {fill}* {do} {any}*8 {when}",
    "? what|where|who have|had i|we|you {fill}* {done} {any}*8 {when}",
    "? what|which|when|where|why {any}*1 did {any}*2 and i|me {fill}* {say}",
    "? what|which|when|where|why {any}*1 did i|we and {any}*2 {fill}* {say}",
];

const LISTS: &[(&str, &str)] = &[
    (
        "fill",
        "ever last just already once actually also previously exactly recently first again even both really \
        all not still then",
    ),
    (
        "say",
        "ask agree chat cover decide discuss mention plan say settle speak suggest talk tell conclude promise \
        bring review resolve propose recommend write go",
    ),
    (
        "said",
        "asked agreed chatted covered decided discussed mentioned planned said settled spoken suggested talked \
        told concluded promised brought reviewed resolved proposed recommended written gone",
    ),
    (
        "saying",
        "asking chatting covering deciding discussing mentioning planning saying speaking suggesting talking \
        telling reviewing proposing",
    ),
    (
        "spoke",
        "asked agreed chatted covered decided discussed mentioned planned said settled spoke suggested talked \
        told concluded promised brought reviewed resolved proposed recommended wrote went",
    ),
    (
        "ask",
        "tell remind show give list repeat recall say name know recap summarise summarize explain find \
        hear learn wonder wondering curious interested telling summary gist over",
    ),
    ("what", "what which when where who why how whatever everything anything all things thing stuff topics"),
    ("happened", "happened occurred up came arose"),
    ("topic", "topic topics subject subjects theme themes agenda"),
    ("gist", "gist point essence upshot outcome result summary substance topic subject content contents"),
    (
        "when",
        "yesterday today tonight lately earlier week weekend month last monday tuesday wednesday thursday friday \
        saturday sunday mon tue tues wed thu thurs fri sat sun weekend january february march april june july \
        august september october november december jan feb apr aug sep sept oct nov dec morning afternoon evening \
        night",
    ),
    (
        "talk",
        "conversation conversations chat chats discussion discussions talk talks exchange messages session",
    ),
    ("sum", "summarise summarize recap review revisit resume"),
    ("do", "do watch see eat cook celebrate visit play buy make read meet"),
    ("done", "done watched seen eaten cooked celebrated visited played bought made read met been"),
];

/// None of these is a word of another language, so that they identify English.
const COMMON: &str = "the i you we he she it they my your our what when where which who why how did do does don't \
    didn't is are were was have has had been about with that this and or not to for of from me us can could would \
    please tell remind remember said say talk talked discuss discussed know told think want need like on at between \
    since there any some get";

const LEADING: &str = "i i'd i'm i've mind telling go over summary gist again be of in we we'd you would will could can like love want wanted need wish curious wondering \
    wonder interested hear learn see let get just really quite so well also quickly kindly possible possibly help any idea \
    clue chance tell give me if whether out find sure not be is it";

const ASKING: &str = "";
