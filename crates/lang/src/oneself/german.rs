//! German.

use std::sync::OnceLock;

use super::Tables;

pub(super) static TABLES: Tables = Tables {
    rules: RULES,
    lists: LISTS,
    openings: "und|aber|also|ach|ach ja|ja|nein|ne|ubrigens|hallo|hi|hey|na|nun|gut|okay|ok|eigentlich|ehrlich gesagt|bitte|naja|tja|\
        stimmt|genau|korrektur|sorry|moment|halt|achtung|weil|denn|dass|nur|mal|so|du weisst|jedenfalls|ps|zur info|einfach|doch|hm|\
        wie du weisst|nur damit du es weisst",
    supposing: "wenn falls ob als sobald bevor nachdem obwohl vielleicht angenommen hatte ware wurde sollte konnte",
    stories: "stell dir vor|stellt euch vor|angenommen|wenn|falls|sagt|sagte|meinte|als ob|im roman|in meinem roman|in meiner geschichte|im traum|im spiel|würde|würden|ich überlege",
    times: "heute|morgen fruh|morgen abend|heut|gerade eben|im moment|diese woche|dieses wochenende|ubermorgen|\
        heute abend|nachste woche|gleich|gerade an|gerade am|zum mittag",
    passing: "momentan nicht|am wochenende muss|vielleicht|wahrscheinlich|moglicherweise|ware|hatte gern|hatte gerne|\
        wenn|falls|als kind|fruher|damals|ausnahmsweise|diesmal|dieses mal|im spiel|sagt|sagte|zum abendessen gleich|\
        stell dir vor|tut mir leid|nicht sicher",
    joints: "und|aber|sondern|weil|denn|da|dass|doch|obwohl",
    subjects: "ich wir mein meine unser unsere mich mir nenn nennt",
    inverted: "ich wir",
    questions: &[
        ("home", "Zuhause Stadt Wohnort wo ich wohne"),
        ("name", "Name heißt"),
        ("work", "Arbeit Beruf"),
        ("age", "Alter wie alt"),
        ("birthday", "Geburtstag geboren"),
        ("origin", "Herkunft woher"),
    ],
    contracts: false,
    parsed: OnceLock::new(),
};

const LISTS: &[(&str, &str)] = &[
    (
        "adv",
        "jetzt nun auch eigentlich leider inzwischen mittlerweile zurzeit aktuell ubrigens halt ja doch nur noch immer schon \
        wieder endlich ursprunglich gerade eher sehr total wirklich ganz besonders gar ubrigens lieber selbst beide von haus aus \
        grundsatzlich prinzipiell generell bitte einfach seit kurzem gern gerne meistens meist oft am abends morgens mittags",
    ),
    (
        "very",
        "sehr total wirklich stark schwer extrem ziemlich leicht etwas hoch streng strenge strenger uberzeugte uberzeugter \
        leider auch ubrigens schon seit jahren langem kurzem jetzt eine ein so ja noch doch nur immer halt ganz recht beide ein \
        eingefleischter grosser grosse riesiger riesige absolut",
    ),
    ("mein", "mein meine unser unsere"),
    (
        "kin",
        "frau mann partner partnerin freundin freund mutter vater mama papa eltern schwester schwestern bruder geschwister \
        sohn sohne tochter tochter kind kinder zwillinge onkel tante cousin cousine neffe nichte oma opa omi opi grossmutter \
        grossvater grosseltern chef chefin nachbar nachbarin mitbewohner mitbewohnerin kollege kollegin schwiegermutter \
        schwiegervater schwager schwagerin verlobter verlobte enkel enkelin ex patenkind kleine kleiner grosse grosser alteste \
        altester jungste jungster mami papi mutti vati hausarzt hausarztin zahnarzt zahnarztin vermieter vermieterin",
    ),
    (
        "family",
        "frau mann schwester schwestern bruder geschwister sohn sohne tochter kind kinder zwillinge neffen nichten enkel \
        enkelkinder enkelin cousins cousinen halbschwester halbbruder zwillingsbruder zwillingsschwester freundin freund",
    ),
    (
        "pet",
        "hund hunde hundin katze katzen kater pferd pferde hase hasen kaninchen hamster vogel vogel wellensittich \
        wellensittiche papagei schildkrote welpe welpen meerschweinchen pony fische kanarienvogel huhner dackel pudel labrador \
        schaferhund beagle terrier gecko schlange",
    ),
    (
        "adj",
        "kleine kleiner kleines kleinen grosse grosser grossen altere alterer alteren alterere jungere jungerer jungeren alte \
        alten alter neue neuen neuer beste bester besten beide beiden schwarze schwarzen weisse weissen junge jungen suesse \
        erwachsene erwachsenen alteste altester jungste jungster zwei drei",
    ),
    ("count", "ein eine einen zwei drei vier funf sechs sieben acht keine kein keinen mehrere {digits}"),
    ("in", "in im bei auf am an nahe mit zusammen allein alleine unter neben uber zur direkt"),
    (
        "nowhere",
        "chaos angst frieden furcht traum traumen moment vergangenheit zukunft wolke luge armut gefahr hoffnung sunde saus \
        der einer einem dem den meiner dieser dir mir ihm ihr ihnen euch",
    ),
    (
        "backfrom",
        "urlaub dusche arbeit schule badezimmer bett kino buro stadt haus wald garten keller supermarkt laden training \
        staunen dem der lachen",
    ),
    (
        "it",
        "das es dich euch sie ihn ihr dir dein deine deinen deiner diese diesen dieses dieser jetzt nichts alles etwas was wie wenn \
        dass hier da so mehr eure euren nicht daran darauf davon ihm ihnen mich mir uns nochmal zweite zweiten erste ersten letzte letzten andere anderen",
    ),
    (
        "notname",
        "verruckt altmodisch ruhig nicht spater zuruck an bitte das ein eine einen so wie du dumm naiv morgen heute \
        kleinlich spiessig was es sie faul bloss gerne mal",
    ),
    (
        "job",
        "~lehrer ~lehrerin ~arzt ~arztin ~ingenieur ~ingenieurin ~meister ~meisterin ~fahrer ~fahrerin ~verkaufer ~verkauferin \
        ~techniker ~technikerin ~entwickler ~entwicklerin ~wissenschaftler ~wissenschaftlerin ~student ~studentin ~berater \
        ~beraterin ~pfleger ~pflegerin ~schwester ~leiter ~leiterin ~kaufmann ~kauffrau ~anwalt ~anwaltin ~therapeut ~therapeutin \
        ~login ~loge ~historiker ~historikerin ~assistent ~assistentin ~manager ~managerin ~designer ~designerin ~mechaniker \
        ~mechanikerin ~macher ~macherin ~bauer ~bauerin ~warter ~warterin ~helfer ~helferin ~beamter ~beamtin lehrer lehrerin arzt \
        arztin ingenieur ingenieurin student studentin tischler tischlerin schreiner schreinerin backer backerin metzger koch \
        kochin kellner kellnerin friseur friseurin gartner gartnerin maler malerin elektriker elektrikerin klempner maurer \
        schlosser dachdecker polizist polizistin soldat soldatin pilot pilotin hebamme anwalt anwaltin richter richterin notar \
        notarin architekt architektin journalist journalistin autor autorin schriftsteller schriftstellerin ubersetzer \
        ubersetzerin dolmetscher dolmetscherin fotograf fotografin musiker musikerin schauspieler schauspielerin apotheker \
        apothekerin physiker physikerin chemiker chemikerin biologe biologin mathematiker mathematikerin informatiker \
        informatikerin programmierer programmiererin psychologe psychologin erzieher erzieherin rentner rentnerin schuler schulerin \
        azubi landwirt landwirtin winzer winzerin imker imkerin pfarrer pfarrerin hausmeister bibliothekar bibliothekarin buchhandler \
        buchhandlerin florist floristin goldschmied goldschmiedin optiker optikerin lokfuhrer lokfuhrerin feuerwehrmann sanitater \
        sanitaterin notfallsanitater krankenschwester krankenpfleger professor professorin freiberufler freiberuflerin hausfrau \
        hausmann steuerberater steuerberaterin tierarzt tierarztin zahnarzt zahnarztin busfahrer buchhalter buchhalterin sekretar \
        sekretarin grafiker grafikerin verkaufer verkauferin postbote taxifahrer referendar referendarin doktorand doktorandin",
    ),
    (
        "state",
        "allergisch vegan vegetarisch vegetarier vegetarierin veganer veganerin schwanger taub blind verheiratet geschieden \
        diabetiker diabetikerin pensioniert verlobt dement",
    ),
    (
        "condition",
        "diabetes asthma epilepsie zoliakie migrane adhs heuschnupfen neurodermitis rheuma arthrose tinnitus bluthochdruck \
        autismus legasthenie",
    ),
    (
        "month",
        "januar februar marz april mai juni juli august september oktober november dezember janner feber weihnachten \
        silvester heiligabend ostern",
    ),
    (
        "num",
        "achtzehn neunzehn zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig ~undzwanzig ~unddreissig ~undvierzig \
        ~undfunfzig ~undsechzig ~undsiebzig zwei drei vier funf sechs sieben acht neun zehn elf zwolf ~zehn {digits}",
    ),
    (
        "consume",
        "trinke esse hore lese schaue spiele koche mache reise gucke sehe fahre gehe wandere schwimme tanze backe male singe \
        trage nehme arbeite schlafe",
    ),
];

const RULES: &[(&str, &str)] = &[
    ("name", "ich heisse {adv}*1 !{notname}|{it}"),
    ("name", "mein|unser ~name|name {adv}*1 ist|lautet !{notname}|{it}|falsch|hase|programm"),
    (
        "name",
        "mein vor|nach|spitz|familien|kunstler|madchen*1 name|vorname|nachname|spitzname ist|lautet {any}",
    ),
    ("name", "nenn|nenne|nennt|nennen mich|sie mich? bitte|einfach|lieber|doch|ab|jetzt*4 !{notname}"),
    ("name", "du|ihr|sie kannst|darfst|konnt|durft|konnen|durfen mich {adv}*3 {any} {any}*1 nennen"),
    ("name", "alle|meine|die|man|viele {any}*2 nennen|nennt mich {adv}*2 !{notname}"),
    ("name", "ich werde {adv}*2 {any} genannt"),
    ("pronouns", "meine pronomen sind|lauten {any}"),
    ("pronouns", "ich benutze|verwende die? pronomen {any}"),
    ("home", "ich|wir wohne|wohnen|lebe|leben {any}*5 {in} !{nowhere}|{it} {any}*4"),
    (
        "home",
        "ich|wir wohne|wohnen|lebe|leben {any}*4 in|im|bei|auf|am|an|neben|uber|unter der|dem|den|einer|einem|meiner|meinem|unserer !{nowhere}|{it}",
    ),
    ("home", "ich|wir bin|sind {any}*4 nach|in|aufs {any}*4 gezogen|umgezogen|ubergesiedelt"),
    (
        "home",
        "mein|unser|meine|unsere neues|neue|neuer zuhause|heim|wohnort|adresse|stadt|heimat ist in? {name}",
    ),
    ("home", "ich|wir wohne|wohnen|lebe|leben {any}*2 nicht mehr in {any}"),
    (
        "home",
        "ich|wir bin|sind {adv}*2 seit {any}*2 jahren|jahr|monaten|{digits} in {name}!rente|pension|therapie|behandlung|elternzeit|teilzeit|~ung|~zeit|kurzarbeit|haft $",
    ),
    ("origin", "ich|wir komme|kommen|stamme|stammen {adv}*3 aus !{backfrom}"),
    ("origin", "ich|wir komme|kommen|stamme|stammen {adv}*3 aus der|dem !{backfrom}"),
    ("childhood", "ich|wir bin|sind {any}*5 aufgewachsen|grossgeworden"),
    ("childhood", "aufgewachsen bin|sind ich|wir in|auf|bei {any}"),
    ("birthplace", "ich|wir bin|wurde|sind {any}*2 in {any}*3 geboren"),
    ("birthday", "ich bin|wurde {adv}*2 am|im {any}*4 geboren"),
    ("origin", "ich bin|wir {adv}*1 sind? aus {name} $"),
    (
        "origin",
        "ich bin {adv}*2 osterreicher|osterreicherin|schweizer|schweizerin|deutscher|deutsche|turke|turkin|pole|polin|italiener|italienerin|franzose|franzosin|spanier|spanierin|berliner|berlinerin|hamburger|wiener|wienerin",
    ),
    ("#1? #2 #3? name", "{mein} {adj}*2 {kin}|{pet} {name}*1 heisst|heissen {any}"),
    (
        "#1? #2 #3? home",
        "{mein} {adj}*2 {kin} {name}*1 wohnt|wohnen|lebt|leben {any}*5 in|im|bei|auf|am|an|nebenan|neben {any}*1",
    ),
    (
        "#1? #2 #3? work",
        "{mein} {adj}*2 {kin} {name}*1 arbeitet|arbeiten {any}*3 als|bei|beim|fur|in|im|an|am|auf {any}",
    ),
    (
        "#1? #2 #3? studies",
        "{mein} {adj}*2 {kin} {name}*1 studiert|studieren|unterrichtet|lernt|spielt !{it}|mit|gerade",
    ),
    ("#1? #2 #3? #6", "{mein} {adj}*2 {kin}|{pet} {name}*1 ist|sind {very}*3 {state}"),
    ("#1? #2 #3? allergy", "{mein} {adj}*2 {kin}|{pet} {name}*1 ist|sind {any}*3 allergisch"),
    ("#1? #2 #3? work", "{mein} {adj}*2 {kin} {name}*1 ist|sind {very}*2 {job}"),
    (
        "#1? #2 #3? school",
        "{mein} {adj}*2 {kin} {name}*1 geht|gehen in|aufs|auf|zur {any}*3 ~klasse|klasse|kindergarten|gymnasium|schule|kita|~schule|uni|krippe",
    ),
    (
        "#1? #2 #3? age",
        "{mein} {adj}*2 {kin}|{pet} {name}*1 ist|sind|wird {adv}*2 {num} jahre|jahr|monate|$|alt",
    ),
    ("#1? #2 #3? birthday", "{mein} {adj}*2 {kin}|{pet} {name}*1 hat {any}*1 am|im {any}*4 geburtstag"),
    ("have #4", "ich|wir habe|hab|haben {adv}*3 {count} {adj}*2 {family}|{pet} {any}*3"),
    ("have #4", "ich|wir habe|hab|haben {adv}*3 {adj}*1 {family}|{pet} {any}*2 $"),
    (
        "married",
        "ich|wir bin|sind {any}*4 verheiratet|verlobt|geschieden|verwitwet|getrennt|ledig|alleinerziehend|single",
    ),
    ("pregnant", "ich|wir bin|sind {any}*4 schwanger"),
    (
        "parent",
        "ich bin {any}*3 mutter|vater|oma|opa|einzelkind|zwilling|mama|papa von|eines|einer|zweier|dreier|$|geworden {any}*3",
    ),
    (
        "work",
        "ich|wir arbeite|arbeiten {any}*5 als|bei|beim|fur|in|im !{nowhere}|{it}|moment|garten|urlaub|homeoffice|ruhe|hause|ordnung|team",
    ),
    (
        "work",
        "ich|wir arbeite|arbeiten {any}*3 in|bei|auf|an|fur einer|einem|der|dem|eine|einen|die !{nowhere}|{it}|bericht|prasentation|nacht|regel|zeit",
    ),
    ("work", "ich bin {very}*4 {job} {any}*6"),
    ("work", "ich bin {any}*3 von beruf"),
    ("work", "von beruf bin ich {any}"),
    (
        "work",
        "ich bin {any}*4 rente|pension|selbststandig|arbeitslos|freiberuflich|berufstatig|arbeitssuchend|verbeamtet",
    ),
    ("work", "ich studiere|unterrichte|promoviere {adv}*3 !{it}|gerade|noch|die|den|das|mit"),
    (
        "work",
        "ich leite|fuhre|betreibe|habe ein|eine|einen {any}*1 ~laden|~geschaft|~praxis|~firma|laden|geschaft|praxis|firma|restaurant|cafe|backerei|hof|hotel|~hof|buchhandlung|werkstatt|kneipe",
    ),
    ("work", "ich mache {any}*3 ausbildung|lehre|praktikum|referendariat als|zum|zur|bei|in {any}"),
    (
        "studies *",
        "ich lerne {adv}*3 seit? {any}*2 !{it}|fur|heute|gerade|noch|die|den|das|mit|vokabeln|viel|schnell|langsam|besser $",
    ),
    (
        "diet",
        "ich|wir bin|sind {very}*5 vegan|vegetarisch|veganer|veganerin|vegetarier|vegetarierin|pescetarier|pescetarierin|flexitarier|laktoseintolerant|glutenintolerant|teetotaler|abstinent",
    ),
    ("diet", "ich|wir ernahre|ernahren mich|uns {any}"),
    (
        "diet",
        "ich|wir lebe|leben|esse|essen {adv}*3 {very}*2 vegan|vegetarisch|koscher|halal|glutenfrei|laktosefrei|~frei",
    ),
    (
        "diet *",
        "ich|wir esse|essen|trinke|trinken|vertrage|vertragen {any}*4 kein|keine|keinen|nie|niemals {adj}*1 !{it}|mal|wieder|hunger|lust",
    ),
    ("diet *", "ich|wir vertrage|vertragen !{it}|keinen|keine|kein {any}*3 nicht"),
    ("diet *", "ich|wir darf|kann|mag {any}*3 kein|keine|keinen {any}*2 essen|trinken"),
    ("smoke", "ich rauche {any}*3 nicht|nie"),
    ("allergy *", "ich|wir bin|sind|reagiere {very}*4 allergisch gegen|auf !{it}|arbeit|dummheit"),
    ("allergy *", "ich|wir bin|sind gegen !{it} {any}*4 allergisch"),
    ("allergy #3", "ich|wir habe|hab {any}*4 ~allergie|~intoleranz|~unvertraglichkeit"),
    ("allergy *", "ich habe|hab {any}*3 allergie gegen|auf {any}"),
    ("health #3", "ich habe|hab|leide {any}*4 {condition}"),
    (
        "health",
        "ich bin {very}*3 diabetiker|diabetikerin|asthmatiker|asthmatikerin|linkshander|linkshanderin|rechtshander|farbenblind|kurzsichtig|schwerhorig|taub|blind|autist|autistin|epileptiker",
    ),
    ("birthday", "ich|wir habe|hab {adv}*1 am|im {any}*4 geburtstag"),
    (
        "birthday",
        "mein geburtstag {adv}*1 ist|fallt {adv}*1 am|im|auf|der? {any}*4 {month}|{digits}|~ten|~ter|~te",
    ),
    ("birthday", "am {any}*3 {month}|{digits} {any}*1 habe ich {any}*1 geburtstag"),
    ("age", "ich bin jahrgang {digits}"),
    (
        "age",
        "ich werde {adv}*1 am|im|nachsten|nachste|nachstes|bald|demnachst|dieses*1 {any}*3 {num} $|jahre",
    ),
    ("age", "ich bin {adv}*2 {num} jahre|jahr|$"),
    (
        "anniversary",
        "unser|mein hochzeitstag|jahrestag {adv}*1 ist|fallt {any}*5 {month}|{digits}|~ten|~ter|~te",
    ),
    ("anniversary", "wir haben {any}*5 geheiratet"),
    (
        "like *",
        "ich|wir mag|mogen|liebe|lieben|hasse|hassen|verabscheue|bevorzuge|bevorzugen {adv}*3 kein|keine|keinen*1 !{it}|ihn|idee|gefuhl",
    ),
    ("like *", "ich kann {adv}*2 !{it}|mir|mich {any}*3 nicht leiden|ausstehen|riechen"),
    ("like *", "ich {consume} {any}*6 gern|gerne|lieber|liebsten|ungern {any}*4"),
    ("like *", "am liebsten mag|trinke|esse|hore|lese|schaue|spiele|koche|reise|fahre|gehe|habe ich !{it}"),
    ("#1", "mein|meine lieblings~ {any}*2 ist|sind|heisst|war !{it}|kaputt|weg|zu|leer"),
    ("fear *", "ich habe|hab {very}*3 angst|panik|flugangst|hohenangst vor !{it}|morgen"),
    ("fear", "ich habe|hab {very}*3 flugangst|hohenangst|platzangst"),
    ("like *", "ich bin {very}*4 fan|liebhaber|liebhaberin|anhanger|anhangerin von|vom|der {any}"),
    ("like *", "ich interessiere mich {any}*2 fur !{it}|diese|den|die"),
    ("work", "ich bin {adv}*2 {name} bei|in|an|am|von|im {any}"),
    ("is #3", "ich bin {adv}*2 {name} $"),
];
