//! The Spanish words for times; see [`Language`] for the meaning of each field.

use crate::{
    calendar::{Part, Unit},
    language::{Built, Language, Order},
    token::Token::{self, *},
};

pub(crate) static SPANISH: Language = Language {
    code: "es",
    spaced: true,
    order: Order::DayFirst,
    ordinal_endings: &["o", "º", "ero"],
    dotted_ordinals: false,
    article_days: true,
    elision: false,
    short_units: SHORT_UNITS,
    compound: |word| Some(("veinte", word.strip_prefix("veinti")?)),
    weekdays: "lunes|lun martes miercoles|mie jueves|jue viernes|vie sabado|sab domingo|dom",
    short_weekdays: "- mar",
    plural_weekdays: "",
    months: "enero|ene febrero|feb marzo abril|abr mayo junio|jun julio|jul agosto \
        septiembre|setiembre|sep|sept octubre|oct noviembre|nov diciembre|dic",
    seasons: "primavera verano otono invierno",
    quarters: "",
    units: "minuto|minutos hora|horas dia|dias semana|semanas quincena|quincenas \
        fin_de_semana|fines_de_semana|finde mes|meses trimestre|trimestres ano|anos",
    parts: "por_la_manana|en_la_manana|a_la_manana|de_la_manana \
        por_la_tarde|en_la_tarde|a_la_tarde|de_la_tarde - por_la_noche|en_la_noche|a_la_noche|de_la_noche",
    edges: "a_principios|principios|principio|comienzos|inicio|inicios a_mediados|mediados \
        a_finales|finales|final|fines",
    numbers: &[
        (
            1,
            1,
            "un|una|uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce \
            quince dieciseis diecisiete dieciocho diecinueve veinte",
        ),
        (30, 10, "treinta cuarenta cincuenta sesenta setenta ochenta noventa"),
        (100, 1, "cien|ciento"),
    ],
    nths: &[(1, 1, "primero|primer|primera segundo|segunda tercer|tercero|tercera")],
    phrases: PHRASES,
    questions: QUESTIONS,
    lists: LISTS,
    common: COMMON,
    leading: LEADING,
    asking: ASKING,
    built: &BUILT,
};

static BUILT: Built = Built::new();

const SHORT_UNITS: &[(&str, Unit)] = &[("h", Unit::Hour), ("d", Unit::Day), ("sem", Unit::Week)];

const PHRASES: &[(&str, &[Token])] = &[
    ("hoy", &[Day(0)]),
    ("ayer", &[Day(-1)]),
    ("anteayer|antier|antes de ayer", &[Day(-2)]),
    ("anoche", &[Last, Part(Part::Night)]),
    ("recientemente|ultimamente|hace poco", &[Recently]),
    ("el otro|la otra", &[Other]),
    ("manana del|manana de", &[Part(Part::Morning), Of]),
    ("tarde del|tarde de", &[Part(Part::Afternoon), Of]),
    ("noche del|noche de", &[Part(Part::Night), Of]),
    ("madrugada del|madrugada de", &[Part(Part::Morning), Of]),
    ("esta manana", &[This, Part(Part::Morning)]),
    ("esta tarde", &[This, Part(Part::Afternoon)]),
    ("esta noche", &[This, Part(Part::Night)]),
    ("media hora", &[Number(30), Unit(Unit::Minute)]),
    ("navidad|navidades", &[Holiday(12, 24, 3)]),
    ("nochebuena", &[Holiday(12, 24, 1)]),
    ("nochevieja", &[Holiday(12, 31, 1)]),
    ("ano nuevo", &[Holiday(1, 1, 1)]),
    ("pasado|pasada|anterior", &[Last]),
    ("antepasado|antepasada", &[BeforeLast]),
    ("ultimo|ultima|ultimos|ultimas", &[Past]),
    ("este|esta", &[This]),
    ("cada|todos los|todas las", &[NotPast]),
    ("proximo|proxima|que viene|siguiente", &[Coming]),
    ("y medio|y media", &[AndHalf]),
    ("mediodia", &[Clock(12, 0)]),
    ("medio ano", &[Number(6), Unit(Unit::Month)]),
    ("un par de|par de", &[Couple]),
    ("unos|unas|algunos|algunas|varios|varias|pocos|pocas", &[Few]),
    ("hace|hace mas o menos|hace como|hace alrededor de|hace casi", &[Ago]),
    ("desde|a partir del|a partir de", &[Since]),
    ("hasta", &[Until]),
    ("antes del|antes de", &[Before]),
    ("despues del|despues de", &[After]),
    ("entre", &[Between]),
    ("y", &[And]),
    ("o", &[Or]),
    ("de|del", &[Of]),
    ("en|durante|al|a", &[At]),
    ("el|la|los|las", &[The]),
];

const QUESTIONS: &[&str] = &[
    "recuerdas|recuerda|acuerdas|acuerda|acordas",
    "recuerdame|recordame que|cuando|donde|cual|quien|como|lo",
    "{what} {any}*4 {said}",
    "? {said} {any}*2 algo|sobre|de",
    "{what} {any}*3 hemos|habiamos|he|habia|has|habias {part}",
    "? hemos|habiamos|he|has {part}",
    "{what} {any}*3 estuvimos|estabamos|estuve|estabas hablando|discutiendo|comentando|tratando|charlando",
    "{what} se hablo|dijo|discutio|decidio|comento|trato|acordo",
    "que {any}*2 paso|ocurrio|sucedio|pasado|ocurrido",
    "que|q hice|hicimos|hiciste|vi|vimos|celebre|celebramos {any}*3 {when}",
    "que|cuales temas|asuntos {any}*4",
    "{what} {any}*2 fue|fueron|era|eran {any}*4 tema|temas",
    "resume|resumeme {any}*4 {talk}",
    "resume|resumeme|repasa|repasame la|el|lo|esta|este|del|de*3 {when}",
    "que|algo hubo|hay|habia de? nuevo? desde",
    "que hubo de? nuevo? {when}|el|la|esta|este|en",
    "de que iba|trataba|fue {any}*4 {talk}",
];

const LISTS: &[(&str, &str)] = &[
    ("what", "que q cuando donde cual quien como"),
    (
        "said",
        "hablamos dijimos tocamos discutimos decidimos acordamos comentamos quedamos planeamos tratamos charlamos \
        conversamos dije dijiste conte contaste mencione mencionaste sugeriste recomendaste pregunte preguntaste hable hablaste \
        prometi prometiste comente comentaste propuse propusiste escribi escribiste explique explicaste decidiste",
    ),
    (
        "part",
        "hablado dicho discutido decidido acordado comentado contado mencionado tratado conversado quedado",
    ),
    (
        "when",
        "ayer anteayer anoche semana mes dia tarde manana lunes martes miercoles jueves viernes sabado domingo finde fin \
        navidad navidades nochebuena nochevieja enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre \
        diciembre",
    ),
    ("talk", "conversacion charla chat platica discusion"),
];

const COMMON: &str = "el la los las un una de del en que cuando donde cual quien como yo tu nosotros me te nos se lo \
    mi y o a al con por para sobre es era fue fueron hay he has hemos ha no si ya algo todo esto eso dime puedes \
    puede por favor muy mas pero porque hablamos dijimos dije";

const LEADING: &str = "resumir repasar me nos gustaria quiero quisiera querria necesito saber oir escuchar conocer puedes podrias puede podria \
    decirme decir contarme contar recordarme recordar repetirme dime cuentame di explicame explicar ensename muestrame \
    sabes por favor un poco curiosidad tengo interesa ver si vez otra";

const ASKING: &str = "hablamos dijimos discutimos decidimos acordamos comentamos quedamos planeamos tratamos charlamos \
    conversamos dije dijiste conte contaste mencione mencionaste recuerdas recuerda acuerdas recuerdame hablado dicho \
    discutido decidido conversacion charla chat resume resumeme hola gracias habiamos paso ocurrio sucedio \
    pasado tema temas asuntos conversado tratado charlado eran era estuvimos estabamos hablando \
    discutiendo pregunte preguntaste comente comentaste propusiste explicaste hazme haz hacer lo resumen resumir estado comentando tratando charlando hice hicimos hiciste y hablo discutio decidio comento tocamos nuestra nuestro";
