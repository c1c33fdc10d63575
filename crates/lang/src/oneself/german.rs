//! German.

mod words;

use std::sync::OnceLock;

use super::Tables;
use words::LISTS;

pub(super) static TABLES: Tables = Tables {
    rules: RULES,
    lists: LISTS,
    openings: "wie gesagt|danke dir|kleine bitte noch|achja|und|aber|also|ach|ach ja|ja|nein|ne|ubrigens|hallo|hi|hey|na|nun|gut|okay|ok|eigentlich|ehrlich gesagt|bitte|naja|tja|\
        stimmt|genau|korrektur|sorry|moment|halt|achtung|weil|denn|dass|nur|mal|so|du weisst|jedenfalls|ps|zur info|einfach|doch|hm|\
        wie du weisst|nur damit du es weisst",
    supposing: "wenn falls ob als sobald bevor nachdem obwohl vielleicht angenommen hatte ware wurde sollte konnte",
    stories: "stell dir vor|stellt euch vor|angenommen|wenn|falls|sagt|sagte|meinte|als ob|im roman|in meinem roman|in meiner geschichte|im traum|im spiel|würde|würden|ich überlege|tu so|tu mal so|tun wir so|denk dir|denkt euch|spielen wir|rollenspiel|\
        schreib einen|schreib eine|schreib mir|schreibe einen|schreibe eine|schreibe mir|erfinde|den satz|der satz|folgenden satz|\
        diesen satz|beispielsatz|hauptfigur|du bist|du wärst|ich wär|ich wäre|spiel einen|spiel eine|spiel den|spiel die|übersetze|übersetz",
    times: "heute|morgen fruh|morgen abend|heut|gerade eben|im moment|diese woche|dieses wochenende|ubermorgen|\
        heute abend|nachste woche|gleich|gerade an|gerade am|zum mittag",
    passing: "momentan nicht|am wochenende muss|vielleicht|wahrscheinlich|moglicherweise|ware|hatte gern|hatte gerne|\
        wenn|falls|als kind|fruher|damals|ausnahmsweise|diesmal|dieses mal|im spiel|sagt|sagte|zum abendessen gleich|\
        stell dir vor|tut mir leid|nicht sicher",
    joints: "und|aber|sondern|weil|denn|da|dass|doch|obwohl",
    subjects: "ich wir mein meine unser unsere mich mir nenn nennt du falls da deshalb deswegen daher drum darum also schreib \
        schreibe spiel spiele erklar such hast kannst gib",
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

const RULES: &[(&str, &str)] = &[
    ("name", "ich heisse|heiss {adv}*2 !{notname}|{it}|der|die"),
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
    ("home", "ich|wir {wohn} {any}*5 {in} !{nowhere}|{it} {any}*4"),
    (
        "home",
        "ich|wir {wohn} {any}*4 in|im|bei|auf|am|an|neben|uber|unter der|dem|den|einer|einem|meiner|meinem|unserer !{nowhere}|{it}",
    ),
    ("home", "ich|wir bin|sind {any}*4 nach|in|aufs {any}*4 gezogen|umgezogen|ubergesiedelt"),
    (
        "home",
        "mein|unser|meine|unsere neues|neue|neuer zuhause|heim|wohnort|adresse|stadt|heimat ist in? {name}",
    ),
    ("home", "ich|wir {wohn} {any}*2 nicht mehr in {any}"),
    (
        "home",
        "ich|wir bin|sind {adv}*2 seit {any}*2 jahren|jahr|monaten|{digits} in {name}!rente|pension|therapie|behandlung|elternzeit|teilzeit|~ung|~zeit|kurzarbeit|haft $",
    ),
    ("origin", "ich|wir komme|komm|kommen|stamme|stamm|stammen {adv}*3 aus !{backfrom}"),
    ("origin", "ich|wir komme|komm|kommen|stamme|stamm|stammen {adv}*3 aus der|dem !{backfrom}"),
    ("childhood", "ich|wir bin|sind {any}*5 aufgewachsen|grossgeworden"),
    ("childhood", "aufgewachsen bin|sind ich|wir in|auf|bei {any}"),
    ("birthplace", "ich|wir bin|wurde|sind {any}*2 in {any}*3 geboren"),
    ("birthday", "ich bin|wurde {adv}*2 am|im {any}*4 geboren"),
    ("origin", "ich bin|wir {adv}*1 sind? aus {name} $"),
    ("origin", "ich|wir? {bin} {very}*3 {nation}"),
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
    ("#1? #2 #3? work", "{mein} {adj}*2 {kin} {name}*1 ist|sind|war|waren {very}*2 {trade}*2 {job}"),
    (
        "#1? #2 #3? school",
        "{mein} {adj}*2 {kin} {name}*1 geht|gehen|kommt|kommen|besucht {any}*2 in|aufs|auf|zur {any}*3 ~klasse|klasse|kindergarten|gymnasium|schule|kita|~schule|uni|krippe",
    ),
    (
        "#1? #2 #3? age",
        "{mein} {adj}*2 {kin}|{pet} {name}*1 ist|sind|wird|werden|wurde {any}*3 {num} jahre|jahr|monate|$|alt",
    ),
    ("#1? #2 #3? birthday", "{mein} {adj}*2 {kin}|{pet} {name}*1 hat {any}*1 am|im {any}*4 geburtstag"),
    ("have #4", "ich|wir? {hab} {adv}*3 {count} {adj}*2 {family}|{pet} $|{behind}"),
    ("have #4", "ich|wir habe|hab|haben {adv}*3 {adj}*1 {family}|{pet} {any}*2 $"),
    (
        "married",
        "ich|wir? {bin} {any}*4 verheiratet|verlobt|geschieden|verwitwet|getrennt|ledig|alleinerziehend|single",
    ),
    ("pregnant", "ich|wir bin|sind {any}*4 schwanger"),
    (
        "parent",
        "ich bin {any}*3 mutter|vater|oma|opa|einzelkind|zwilling|mama|papa|tante|onkel|patin|pate|patentante|patenonkel|stiefmutter|stiefvater|pflegemutter|pflegevater von|eines|einer|zweier|dreier|$|geworden {any}*3",
    ),
    (
        "work",
        "ich|wir arbeite|arbeit|arbeiten|jobbe|jobb {any}*5 als|bei|beim|fur|in|im !{nowhere}|{it}|moment|garten|urlaub|homeoffice|ruhe|hause|ordnung|team|morgen|heute|montag|klausur|prufung",
    ),
    (
        "work",
        "ich|wir arbeite|arbeit|arbeiten|jobbe|jobb {any}*3 in|bei|auf|an|fur einer|einem|der|dem|eine|einen|die !{nowhere}|{it}|bericht|prasentation|nacht|regel|zeit",
    ),
    ("work", "ich|wir? {bin} {very}*4 {trade}*3 {job}"),
    ("work", "ich bin {any}*3 von beruf"),
    ("work", "von beruf bin ich {any}"),
    (
        "work",
        "ich bin {any}*4 rente|pension|selbststandig|arbeitslos|freiberuflich|berufstatig|arbeitssuchend|verbeamtet",
    ),
    (
        "work",
        "ich studiere|studier|unterrichte|unterricht|promoviere|promovier {adv}*3 !{it}|gerade|noch|die|den|das|mit",
    ),
    (
        "work",
        "ich|wir leite|leiten|fuhre|fuhren|betreibe|betreiben|habe|hab|haben ein|eine|einen {any}*1 ~laden|~geschaft|~praxis|~firma|laden|geschaft|praxis|firma|restaurant|cafe|backerei|hof|hotel|~hof|buchhandlung|werkstatt|kneipe",
    ),
    (
        "work",
        "ich mache|mach {any}*3 ausbildung|lehre|praktikum|referendariat|umschulung|weiterbildung|fsj|duales als|zum|zur|bei|in {any}",
    ),
    (
        "studies *",
        "ich lerne|lern {adv}*3 seit? {any}*2 !{it}|fur|klausur|prufung|heute|gerade|noch|die|den|das|mit|grad|gerade|auswendig|vokabeln|viel|schnell|langsam|besser $",
    ),
    ("diet", "ich|wir? {bin} {very}*5 {vegan}|laktoseintolerant|glutenintolerant|teetotaler|abstinent"),
    ("diet", "ich|wir ernahre|ernahr|ernahren mich|uns {any}"),
    (
        "diet",
        "ich|wir lebe|leb|leben|esse|ess|essen|koche|kochen {adv}*3 {very}*2 vegan|vegetarisch|koscher|halal|pflanzlich|glutenfrei|laktosefrei|~frei",
    ),
    (
        "diet *",
        "ich|wir {ess}|vertrage|vertrag|vertragen {any}*4 kein|keine|keinen|nie|niemals {adj}*1 !{it}|mal|wieder|hunger|lust",
    ),
    ("diet *", "ich|wir vertrage|vertrag|vertragen !{it}|keinen|keine|kein {any}*3 nicht"),
    ("diet *", "ich|wir darf|kann|mag {any}*3 kein|keine|keinen {any}*2 essen|trinken"),
    ("smoke", "ich rauche|rauch {any}*3 nicht|nie"),
    (
        "allergy *",
        "ich|wir bin|sind|reagiere|reagier {very}*4 allergisch|~allergisch gegen|auf !{it}|arbeit|dummheit",
    ),
    ("allergy *", "ich|wir bin|sind {adv}*3 gegen|auf !{it} {any}*4 allergisch|~allergisch"),
    ("allergy #3", "ich|wir? {hab} {any}*4 ~allergie|~intoleranz|~unvertraglichkeit"),
    ("allergy *", "ich habe|hab {any}*3 allergie gegen|auf {any}"),
    ("health #3", "ich habe|hab|leide|leid {any}*4 {condition}"),
    (
        "health",
        "ich? bin {very}*3 diabetiker|diabetikerin|asthmatiker|asthmatikerin|linkshander|linkshanderin|rechtshander|farbenblind|kurzsichtig|schwerhorig|taub|blind|autist|autistin|epileptiker",
    ),
    ("birthday", "ich|wir {hab} {adv}*1 am|im {any}*4 geburtstag"),
    (
        "birthday",
        "mein geburtstag {adv}*1 ist|fallt {adv}*1 am|im|auf|der? {any}*4 {month}|{digits}|~ten|~ter|~te",
    ),
    ("birthday", "am {any}*3 {month}|{digits} {any}*1 habe ich {any}*1 geburtstag"),
    ("age", "ich bin jahrgang {digits}"),
    (
        "age",
        "ich werde|werd {adv}*1 am|im|nachsten|nachste|nachstes|bald|demnachst|dieses*1 {any}*3 {num} $|jahre",
    ),
    ("age", "ich bin {adv}*2 {num} jahre|jahr|$|und|jung"),
    (
        "anniversary",
        "unser|mein hochzeitstag|jahrestag {adv}*1 ist|fallt {any}*5 {month}|{digits}|~ten|~ter|~te",
    ),
    ("anniversary", "wir haben {any}*5 geheiratet"),
    ("like *", "ich|wir {like} {adv}*3 kein|keine|keinen*1 !{it}|ihn|idee|gefuhl"),
    ("like *", "ich kann {adv}*2 !{it}|mir|mich {any}*3 nicht leiden|ausstehen|riechen"),
    ("like *", "ich {consume} {any}*6 gern|gerne|lieber|liebsten|ungern {any}*4"),
    (
        "like *",
        "am liebsten mag|trinke|esse|hore|lese|schaue|spiele|koche|reise|fahre|gehe|habe|trink|ess|hor|les|schau|spiel|koch|reis|fahr|geh|hab ich !{it}",
    ),
    ("#1", "mein|meine lieblings~ {any}*2 ist|sind|heisst|war !{it}|kaputt|weg|zu|leer"),
    ("fear *", "ich habe|hab {very}*3 angst|panik|flugangst|hohenangst vor !{it}|morgen"),
    ("fear", "ich habe|hab {very}*3 flugangst|hohenangst|platzangst"),
    ("like *", "ich bin {very}*4 fan|liebhaber|liebhaberin|anhanger|anhangerin von|vom|der {any}"),
    ("like *", "ich interessiere mich {any}*2 fur !{it}|diese|den|die"),
    ("name", "sag|sagt|sagen {adv}|ruhig|lieber|bitte|mir*3 sie? {name}!{idle} zu mir"),
    ("name", "alle|meine|die {any}*2 sagen|sagt|rufen {adv}*3 {name} zu? mir|mich"),
    ("name", "mein ~name {any}*1 schreibt sich {any}"),
    (
        "name",
        "ich? bin {adv}*2 der {name}!{job}|{idle}|{nation}|~er|~ung|~ist|~or|~e|~ling|~mann|~ant|~ent|~eur|grund|boss|chef|held|konig|star|typ $",
    ),
    (
        "name",
        "ich? bin {adv}*2 die {name}!{job}|{idle}|{nation}|~in|~ung|~frau|~keit|~heit|ruhe|erste|letzte|beste|dumme|neue|~ste|einzige|frau|person|liebe|hexe|chefin|falsche|richtige $",
    ),
    (
        "gender",
        "ich? bin {very}*3 ein|eine {adv}*1 frau|mann|madchen|junge|transfrau|transmann $|und|kein|keine",
    ),
    (
        "gender",
        "ich? bin {very}*3 nichtbinar|nonbinar|nonbinary|enby|trans|genderfluid|agender|queer|divers|inter",
    ),
    ("pronouns", "fur mich bitte|gern|gerne|lieber|am|besten*3 {any}*2 pronomen"),
    ("pronouns", "ich benutze|benutz|verwende|verwend|nutze|nutz|habe|hab|mag {any}*4 pronomen"),
    ("pronouns", "mein|meine pronomen {any}"),
    ("origin", "komme|komm|stamme|stamm {adv}*3 aus {name}!{backfrom} $"),
    (
        "origin",
        "ich|wir? {bin} {adv}*3 ein|eine? geburtiger|geburtige|waschechter|waschechte|eingefleischter {name}",
    ),
    ("origin", "meine|unsere wurzeln liegen|sind {any}*1 in {any}"),
    (
        "#1? #2 #3? origin",
        "{mein} {adj}*2 {kin}|familie|vorfahren {name}*1 kommt|kommen|stammt|stammen|ist|sind {adv}*3 aus {name}!{backfrom}|~ung",
    ),
    (
        "#1? #2 #3? origin",
        "{mein} {adj}*2 {kin}|familie|vorfahren {name}*1 kommt|kommen|stammt|stammen {adv}*3 aus der|dem|den {name}!{backfrom}|~ung|buro|~zimmer|~haus|~schule",
    ),
    ("#1? #2 #3? origin", "{mein} {adj}*2 {kin} {name}*1 ist|sind {very}*3 {nation}"),
    ("birthplace", "ich|wir bin|sind {any}*2 in {any}*3 zur welt gekommen"),
    ("birthplace", "geboren bin|wurde ich {any}*2 in {name}"),
    ("birthday", "geboren bin|wurde ich {any}*2 am|im|{digits}"),
    ("home", "zuhause bin|sind ich|wir {adv}*2 in|auf {name}"),
    ("home", "zu hause bin|sind ich|wir {adv}*2 in|auf {name}"),
    ("home", "ich|wir bin|sind {adv}*3 in|auf {name} {name}*1 zuhause|daheim"),
    ("home", "ich|wir bin|sind {adv}*3 in|auf {name} {name}*1 zu hause"),
    ("home", "wohne|wohn {any}*4 in|im|auf|am|an|bei !{nowhere}|{it}"),
    ("home", "lebe|leb {any}*4 in {name}!{nowhere}|angst|frieden"),
    ("home", "{mein} {adj}*2 {kin} {name}*1 und ich|wir {wohn} {any}*5 {in} !{nowhere}"),
    ("moving", "ich|wir ziehe|zieh|ziehen {any}*5 nach {name}!hause"),
    ("#1? #2 #3? death", "{mein} {adj}*2 {kin}|{pet} {name}*1 ist|sind {any}*6 gestorben|verstorben|tot"),
    (
        "#1? #2 #3? birthday",
        "{mein} {adj}*2 {kin}|{pet} {name}*1 ist|wurde {any}*2 am {any}*4 geboren|gestorben",
    ),
    ("#1? #2 #3? born", "{mein} {adj}*2 {kin}|{pet} {name}*1 wurde|wurden {any}*4 geboren"),
    (
        "#1? #2 #3? work",
        "{mein} {adj}*2 {kin} {name}*1 ist|sind|war|waren {very}*2 {trade}*2 {name}!{idle}|{it} bei|beim|in|im|an|am|auf|$|und|von",
    ),
    (
        "#1? #2 #3? school",
        "{mein} {adj}*2 {kin} {name}*1 ist|sind {any}*2 in der|die {any}*2 ~klasse|klasse|grundschule|kita|krippe|oberstufe",
    ),
    (
        "#1? #2 #3? studies",
        "{mein} {adj}*2 {kin} {name}*1 macht|machen {any}*3 abi|abitur|ausbildung|fsj|lehre|referendariat|matura|umschulung",
    ),
    (
        "#1? #2 #3? school",
        "{mein} {adj}*2 {kin} {name}*1 besucht|besuchen {any}*3 klasse|~klasse|gymnasium|realschule|grundschule|~schule|kita|kindergarten|~gymnasium",
    ),
    (
        "#1? #2 #3? diet",
        "{mein} {adj}*2 {kin} {name}*1 lebt|leben|isst|essen|ernahrt|ernahren {any}*3 {vegan}|halal|koscher|glutenfrei|laktosefrei|~frei",
    ),
    (
        "#1? #2 #3? diet *",
        "{mein} {adj}*2 {kin}|{pet} {name}*1 isst|essen|trinkt|trinken|vertragt|vertragen|darf|durfen {adv}*2 kein|keine|keinen|nie !{it}|mal|wieder|lust",
    ),
    (
        "#1? #2 #3? diet #6",
        "{mein} {adj}*2 {kin}|{pet} {name}*1 vertragt|vertragen {adv}*2 !{it}|{lead} {any}*2 nicht",
    ),
    ("#1? #2 #3? #6", "{mein} {adj}*2 {kin}|{pet} {name}*1 hat|haben {very}*3 {condition}"),
    (
        "#1? #2 #3? like *",
        "{mein} {adj}*2 {kin}|{pet} {name}*1 mag|mogen|liebt|lieben|hasst|hassen {adv}*3 kein|keine|keinen*1 !{it}|{lead}",
    ),
    (
        "#1? #2 #3? have #7",
        "{mein} {adj}*2 {kin} {name}*1 hat|haben {adv}*2 {count} {adj}*2 {family}|{pet} $|{behind}",
    ),
    (
        "#1? #2 #3? have #7",
        "{mein} {adj}*2 {kin} {name}*1 hat|haben {adv}*2 {count} {adj}*2 hof|laden|restaurant|firma|bauernhof|praxis|~laden|~betrieb|betrieb|backerei|hotel|pension|gasthof|weingut|~hof|~geschaft|cafe|kneipe|werkstatt|garten|schrebergarten|haus|boot",
    ),
    ("#1? #2 #3? married", "{mein} {adj}*2 {kin} {name}*1 heiratet|heiraten {any}"),
    (
        "#1? #2 #3? pregnant",
        "{mein} {adj}*2 {kin} {name}*1 erwartet|erwarten|bekommt|bekommen {any}*3 kind|baby|zwillinge|nachwuchs",
    ),
    (
        "#1? #2 #3? breed",
        "{mein} {adj}*2 {pet}|kater {name}*1 ist|sind|war {adv}*2 ein|eine? {adj}*1 {pet}|mischling|~mischling|rude|weibchen|mannchen|hundin|hengst|stute|kastrat|streuner",
    ),
    ("have #6", "ich|wir? {hab} seit {any}*3 {count} {adj}*2 {family}|{pet} $|{behind}"),
    ("have kater", "ich|wir? {hab} {adv}*3 {count} {adj} kater $|{behind}"),
    ("have kater", "ich|wir? {hab} {adv}*3 {count} kater namens|und|der|aus|mit|zu"),
    ("have #0", "{family}|{pet} {hab} ich|wir {adv}*3 {count}|nicht"),
    ("have #2", "{count} {adj}*2 {family}|{pet} {hab} ich|wir {adv}*3 $"),
    ("have #3", "ich|wir halte|halt|halten|zuchte|zuchten {any}*4 {pet}"),
    (
        "have #4",
        "ich|wir? {hab} {any}*3 haus|wohnung|ferienhaus|ferienwohnung|schrebergarten|kleingarten|hof|bauernhof|hausboot in|im|bei|am|an|auf {name}!aussicht|sicht|betracht|montag|ordnung",
    ),
    ("pregnant", "ich|wir erwarte|erwarten|bekommen|kriegen {any}*4 kind|baby|zwillinge|nachwuchs|drillinge"),
    (
        "parent",
        "ich? bin {very}*3 zweifache|zweifacher|dreifache|dreifacher|vierfache|vierfacher|frischgebackene|frischgebackener|werdende|werdender {any}",
    ),
    ("work", "{job} bin ich {adv}*3 $|seit|bei|in|im|am|an|von"),
    ("work", "ich? bin seit {any}*2 jahren|jahr|monaten|{digits} {any}*1 bei|beim {any}"),
    ("work", "ich? bin {any}*4 bei|beim {any}*1 bundeswehr|marine|luftwaffe|feuerwehr|thw|bund"),
    ("work", "ich? bin {any}*4 angestellt|beschaftigt|tatig"),
    ("work", "beruflich mache|mach|bin|arbeite|arbeit ich {any}"),
    ("work", "ich mache|mach|bin|arbeite beruflich {any}"),
    ("work", "ich verdiene|verdien mein {any}*2 mit|als {any}"),
    ("work", "arbeite|arbeit {any}*4 als|bei|beim !{nowhere}|{it}|moment"),
    ("work", "ich {hab} {adv}*2 {name}!~en {any}*3 studiert"),
    ("work", "ich {hab} {any}*2 {job} gelernt"),
    ("work", "ich {hab} {any}*3 bei {any}*2 gekundigt|angefangen"),
    (
        "work",
        "ich {hab} {any}*3 job|stelle|arbeit|arbeitsplatz|beruf {any}*2 gekundigt|verloren|gewechselt|aufgegeben|geschmissen",
    ),
    (
        "work",
        "ich|wir gehe|geh|gehen|bin|sind {any}*4 in rente|pension|altersteilzeit|elternzeit|mutterschutz|ruhestand",
    ),
    (
        "school",
        "ich gehe|geh|besuche|besuch {any}*4 klasse|~klasse|gymnasium|realschule|gesamtschule|berufsschule|waldorfschule|abendschule|abendgymnasium|oberstufe",
    ),
    (
        "studies",
        "ich schreibe|schreib {any}*3 doktorarbeit|bachelorarbeit|masterarbeit|dissertation|diplomarbeit|abschlussarbeit|habilitation|facharbeit",
    ),
    (
        "studies",
        "ich mache|mach|schreibe|schreib {any}*4 abi|abitur|matura|realschulabschluss|staatsexamen|bachelor|master|doktor",
    ),
    ("diet", "{vegan} bin|sind ich|wir {adv}*3 $|seit|geworden|nur|aus"),
    ("diet #0", "!{it}|{lead} {any}*1 vertrage|vertrag|vertragen ich|wir {any}*3 nicht|schlecht|kaum"),
    ("diet #0", "!{it}|{lead} {any}*1 {ess} ich|wir {any}*3 nicht|nie|kein|keins|keinen|keine|niemals"),
    (
        "diet #0",
        "!{it}|{lead} {any}*1 darf|kann|mag|soll|durfen|konnen ich|wir {any}*3 nicht|keine|keinen|kein {any}*2 essen|trinken",
    ),
    (
        "diet #0",
        "!{it}|{lead} {any}*1 kommt|kommen bei mir|uns {any}*5 nicht|nie|kein {any}*2 tisch|teller|haus",
    ),
    ("diet #4", "ich|wir verzichte|verzicht|verzichten {any}*3 auf !{it}|{lead}|details"),
    ("diet #4", "ich|wir muss|mussen {any}*3 auf !{it}|{lead} {any}*1 verzichten"),
    ("diet #3", "ich|wir lasse|lass|lassen {any}*2 !{it}|{lead} weg"),
    ("diet *", "esse|ess|trinke|trink|vertrage|vertrag kein|keine|keinen|nie !{it}|mal|wieder|lust"),
    ("health #2", "wegen meiner|meines|meinem {any}*1 {condition}"),
    ("allergy #3", "ich? bin {very}*3 allergiker|allergikerin|~allergiker|~allergikerin"),
    ("allergy #3", "ich|wir? {bin} {very}*4 allergisch|~allergisch gegen|auf !{it}|arbeit|dummheit"),
    (
        "allergy #1",
        "gegen|auf !{it}|{lead} {any}*3 bin|sind|reagiere|reagier|reagieren ich|wir {any}*3 allergisch|~allergisch|empfindlich",
    ),
    ("allergy #1", "gegen|auf !{it}|{lead} {any}*3 {hab} ich|wir {any}*2 allergie"),
    (
        "allergy #1",
        "von|bei|auf !{it}|{lead} {any}*2 bekomme|bekomm|krieg|kriege|kriegen ich|wir {any}*4 ausschlag|quaddeln|atemnot|pusteln|migrane|bauchweh|bauchschmerzen|blahungen|durchfall|luft",
    ),
    ("allergy #1", "von|bei|auf !{it}|{lead} {any}*2 schwillt|schwellen|juckt|jucken|bleibt mir {any}"),
    ("birthday", "geburtstag {hab}|feiere|feier ich|wir {any}*2 am|im|{digits}|an"),
    ("birthday", "am|im {digits}|{month}|~ten {any}*3 {hab}|feiere|feier ich {any}*2 geburtstag"),
    ("birthday", "ich feiere|feier {any}*1 am|im {any}*4 geburtstag"),
    (
        "#5? #6 #7? birthday",
        "am|im {digits}|{month}|~ten {any}*3 hat|feiert|haben {mein} {adj}*2 {kin}|{pet} {name}*1 {any}*2 geburtstag",
    ),
    (
        "#5? #6 #7? age",
        "am|im {digits}|{month}|~ten {any}*3 wird|werden {mein} {adj}*2 {kin}|{pet} {name}*1 {num}",
    ),
    (
        "#4",
        "am {digits}|~ten {any}*3 ist|jahrt {any}*1 todestag|geburtstag|namenstag|sterbetag von? meiner|meines|meinem|unserer|unseres|unserem",
    ),
    (
        "#4",
        "der todestag|geburtstag|sterbetag von? meiner|meines|meinem|unserer|unseres|unserem {any}*3 ist|jahrt {any}",
    ),
    (
        "anniversary",
        "am|im {digits}|{month}|~ten {any}*3 ist {mein} ~hochzeit|hochzeitstag|jahrestag|hochzeit",
    ),
    (
        "anniversary",
        "am|im {digits}|{month}|~ten {any}*3 {hab}|feiern|feiere|feier|begehen wir {any}*3 ~hochzeit|hochzeitstag|jahrestag|hochzeit|~jubilaum",
    ),
    (
        "anniversary",
        "wir {hab}|feiern|begehen {any}*1 am|im {digits}|{month}|~ten {any}*3 ~hochzeit|hochzeitstag|jahrestag|hochzeit",
    ),
    ("anniversary", "am|im {digits}|{month}|~ten {any}*3 {hab} wir {any}*3 geheiratet"),
    ("anniversary", "am|im {digits}|{month}|~ten {any}*3 heirate|heiraten ich|wir"),
    ("anniversary", "ich|wir heirate|heiraten {any}*3 am|im {any}"),
    ("like #0? #1?", "!{it}|{lead} {any}*2 {like} ich|wir $|{rather}"),
    ("like #0? #1?", "!{it}|{lead} {any}*1 find|finde|finden ich|wir {any}*3 {taste}"),
    (
        "like #3?",
        "ich|wir find|finde|finden {adv}*2 {name}!{it}|{lead}|frage|antwort|idee|vorschlag|sie {any}*1 {adv}*2 {taste}",
    ),
    (
        "like #1",
        "mit !{it}|{lead}|diesem|dieser|diesen|deinem {any}*1 kann|konnen ich|wir {any}*3 nichts|wenig anfangen",
    ),
    (
        "like #4",
        "ich kann {adv}*3 mit !{it}|{lead}|diesem|dieser|diesen|deinem {any}*3 nichts|wenig anfangen",
    ),
    ("like #1", "mit !{it}|{lead} {any}*1 kannst|kann du|man mich jagen"),
    (
        "like #0? #1?",
        "!{it}|{lead} {any}*1 interessiert|interessieren|begeistert|begeistern|fasziniert|faszinieren|langweilt|langweilen mich",
    ),
    ("like *", "ich interessiere|interessier mich {any}*2 fur !{it}|diese|den|die"),
    ("like #0? #1?", "!{it}|{lead} {any}*1 ist|sind|war {any}*3 meins $"),
    ("like #0? #1?", "!{it}|{lead} {any}*1 ist|sind {any}*3 nichts fur mich"),
    (
        "like #0? #1?",
        "!{it}|{lead} {any}*1 ist|sind {any}*3 mein|meine {adj}*1 ding|fall|welt|hobby|leidenschaft",
    ),
    ("like hobby", "mein|meine {any}*1 hobby|hobbys|leidenschaft ist|sind {any}"),
    (
        "like *",
        "ich|wir? steh|stehe|stehen {very}*3 auf !{it}|{lead}|schlauch|kriegsfuss|platz|rang|gleis|abruf|draht|seite|leiter|stufe|pause",
    ),
    ("like *", "ich schwarme|schwarm {very}*3 fur !{it}"),
    ("like *", "ich? bin {very}*3 verruckt|suchtig|versessen nach|auf !{it}"),
    ("like *", "ich {hab} {any}*4 faible|schwache|vorliebe fur !{it}"),
    (
        "like #0? #1?",
        "!{it}|{lead} {any}*1 krieg|kriege|bekomme|bring|bringe ich {any}*2 nicht runter|herunter",
    ),
    ("like #0? #1?", "!{it}|{lead} {any}*1 kann ich {any}*3 nicht leiden|ausstehen|riechen"),
    ("like #0? #1?", "!{it}|{lead} {any}*1 {consume} ich|wir {any}*3 gern|gerne|ungern"),
    (
        "like *",
        "ich|wir sammle|sammel|sammele|sammeln {adv}*3 !{it}|mich|punkte|ideen|infos|informationen|daten|noch",
    ),
    (
        "like *",
        "ich lese|les|hore|hor|trinke|trink|esse|ess {adv}*3 nur|ausschliesslich {adv}*2 !{it}|{lead}|schnell|kurz|mal|ein",
    ),
    ("like *", "mag|hasse {adv}*2 kein|keine|keinen|uberhaupt keine? !{it}"),
    ("work", "ich? bin {adv}*2 {name}!{idle} bei|in|an|am|von|im {any}"),
    ("is #3", "ich bin {adv}*2 {name}!{idle} $"),
];
