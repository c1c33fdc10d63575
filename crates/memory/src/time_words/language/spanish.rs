//! Spanish.

use jiff::civil::Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};

use super::{Language, Made, Order};
use crate::time_words::{
    calendar::{Edge, Part, Unit},
    tokens::Token::{self, *},
};

pub(super) static SPANISH: Language = Language {
    spaced: true,
    order: Order::DayFirst,
    ordinal_endings: &["o", "º", "ero"],
    dotted_ordinals: false,
    article_days: true,
    elision: false,
    short_units: SHORT_UNITS,
    compound: |word| Some(("veinte", word.strip_prefix("veinti")?)),
    phrases: PHRASES,
    questions: QUESTIONS,
    lists: LISTS,
    common: COMMON,
    leading: LEADING,
    asking: ASKING,
    made: &MADE,
};

static MADE: Made = Made::new();

const SHORT_UNITS: &[(&str, Unit)] = &[("h", Unit::Hour), ("d", Unit::Day), ("sem", Unit::Week)];

const PHRASES: &[(&str, &[Token])] = &[
    ("hoy", &[Day(0)]),
    ("ayer", &[Day(-1)]),
    ("anteayer|antier|antes de ayer", &[Day(-2)]),
    ("anoche", &[Last, Part(Part::Night)]),
    ("recientemente|ultimamente|hace poco", &[Recently]),
    ("el otro|la otra", &[Other]),
    ("lunes", &[Weekday(Monday)]),
    ("martes", &[Weekday(Tuesday)]),
    ("miercoles", &[Weekday(Wednesday)]),
    ("jueves", &[Weekday(Thursday)]),
    ("viernes", &[Weekday(Friday)]),
    ("sabado", &[Weekday(Saturday)]),
    ("domingo", &[Weekday(Sunday)]),
    ("lun", &[Weekday(Monday)]),
    ("mar", &[MaybeWeekday(Tuesday)]),
    ("mie", &[Weekday(Wednesday)]),
    ("jue", &[Weekday(Thursday)]),
    ("vie", &[Weekday(Friday)]),
    ("sab", &[Weekday(Saturday)]),
    ("dom", &[Weekday(Sunday)]),
    ("manana del|manana de", &[Part(Part::Morning), Of]),
    ("tarde del|tarde de", &[Part(Part::Afternoon), Of]),
    ("noche del|noche de", &[Part(Part::Night), Of]),
    ("madrugada del|madrugada de", &[Part(Part::Morning), Of]),
    ("por la manana|en la manana|a la manana|de la manana", &[Part(Part::Morning)]),
    ("por la tarde|en la tarde|a la tarde|de la tarde", &[Part(Part::Afternoon)]),
    ("por la noche|en la noche|a la noche|de la noche", &[Part(Part::Night)]),
    ("esta manana", &[This, Part(Part::Morning)]),
    ("esta tarde", &[This, Part(Part::Afternoon)]),
    ("esta noche", &[This, Part(Part::Night)]),
    ("minuto|minutos", &[Unit(Unit::Minute)]),
    ("hora|horas", &[Unit(Unit::Hour)]),
    ("media hora", &[Number(30), Unit(Unit::Minute)]),
    ("dia|dias", &[Unit(Unit::Day)]),
    ("semana|semanas", &[Unit(Unit::Week)]),
    ("quincena|quincenas", &[Unit(Unit::Fortnight)]),
    ("fin de semana|fines de semana|finde", &[Unit(Unit::Weekend)]),
    ("mes|meses", &[Unit(Unit::Month)]),
    ("trimestre|trimestres", &[Unit(Unit::Quarter)]),
    ("ano|anos", &[Unit(Unit::Year)]),
    ("enero|ene", &[Month(1)]),
    ("febrero|feb", &[Month(2)]),
    ("marzo", &[Month(3)]),
    ("abril|abr", &[Month(4)]),
    ("mayo", &[Month(5)]),
    ("junio|jun", &[Month(6)]),
    ("julio|jul", &[Month(7)]),
    ("agosto", &[Month(8)]),
    ("septiembre|setiembre|sep|sept", &[Month(9)]),
    ("octubre|oct", &[Month(10)]),
    ("noviembre|nov", &[Month(11)]),
    ("diciembre|dic", &[Month(12)]),
    ("primavera", &[Season(3)]),
    ("verano", &[Season(6)]),
    ("otono", &[Season(9)]),
    ("invierno", &[Season(12)]),
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
    ("a principios|principios|principio|comienzos|inicio|inicios", &[Edge(Edge::Beginning)]),
    ("a mediados|mediados", &[Edge(Edge::Middle)]),
    ("a finales|finales|final|fines", &[Edge(Edge::End)]),
    ("un|una|uno", &[Number(1)]),
    ("dos", &[Number(2)]),
    ("tres", &[Number(3)]),
    ("cuatro", &[Number(4)]),
    ("cinco", &[Number(5)]),
    ("seis", &[Number(6)]),
    ("siete", &[Number(7)]),
    ("ocho", &[Number(8)]),
    ("nueve", &[Number(9)]),
    ("diez", &[Number(10)]),
    ("once", &[Number(11)]),
    ("doce", &[Number(12)]),
    ("trece", &[Number(13)]),
    ("catorce", &[Number(14)]),
    ("quince", &[Number(15)]),
    ("dieciseis", &[Number(16)]),
    ("diecisiete", &[Number(17)]),
    ("dieciocho", &[Number(18)]),
    ("diecinueve", &[Number(19)]),
    ("veinte", &[Number(20)]),
    ("treinta", &[Number(30)]),
    ("cuarenta", &[Number(40)]),
    ("cincuenta", &[Number(50)]),
    ("sesenta", &[Number(60)]),
    ("setenta", &[Number(70)]),
    ("ochenta", &[Number(80)]),
    ("noventa", &[Number(90)]),
    ("cien|ciento", &[Number(100)]),
    ("y medio|y media", &[AndHalf]),
    ("mediodia", &[Clock(12, 0)]),
    ("medio ano", &[Number(6), Unit(Unit::Month)]),
    ("un par de|par de", &[Couple]),
    ("unos|unas|algunos|algunas|varios|varias|pocos|pocas", &[Few]),
    ("primero|primer|primera", &[Nth(1)]),
    ("segundo|segunda", &[Nth(2)]),
    ("tercer|tercero|tercera", &[Nth(3)]),
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
    "que|cuales temas|asuntos {any}*4",
    "{what} {any}*2 fue|fueron|era|eran {any}*4 tema|temas",
    "resume|resumeme {any}*4 {talk}",
    "de que iba|trataba|fue {any}*4 {talk}",
];

const LISTS: &[(&str, &str)] = &[
    ("what", "que cuando donde cual quien como"),
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
    discutiendo pregunte preguntaste comente comentaste propusiste explicaste hazme haz hacer lo resumen resumir estado comentando tratando charlando hablo discutio decidio comento tocamos nuestra nuestro";
