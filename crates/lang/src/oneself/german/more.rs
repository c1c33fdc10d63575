//! German patterns of rarer forms, each after its topic. They come between those of people and habits.

pub(super) const MORE: &[(&str, &str)] = &[
    // where someone lives, in a clause that only refers to the place
    (
        "home",
        "{any}*14 in|nach|bei|auf|aus|um|von|richtung|zuruck !{it}|{lead}|hause {any}*1 wo ich {any}*6 wohne|wohn|lebe|leb|zuhause|daheim $|bin",
    ),
    (
        "home",
        "{any}*14 in|nach|bei|auf|aus|um|von|richtung|zuruck !{it}|{lead}|hause {any}*1 wo wir {any}*6 wohnen|leben $",
    ),
    (
        "home",
        "{any}*14 in|nach|bei|auf|aus|um|von|richtung|zuruck !{it}|{lead}|hause {any}*1 da|dort {wohn} ich|wir",
    ),
    // "als Hebamme bin ich nachts unterwegs"
    ("work", "als {very}*1 {trade}*1 {job} {now} ich|wir"),
    ("diet", "als {very}*1 {vegan} {now} ich|wir"),
    ("origin", "als {very}*1 geburtiger|geburtige|echter|echte*1 {nation} {now} ich|wir"),
    ("parent", "als {very}*1 mutter|vater|mama|papa von {any}*3 {now} ich"),
    // states of health, each of its own
    ("health diabetes", "ich? bin {very}*3 {any}*2 diabetiker|diabetikerin|typ-1-diabetiker"),
    ("health diabetes", "als {very}*1 diabetiker|diabetikerin {now} ich"),
    ("health asthma", "ich? bin {very}*3 asthmatiker|asthmatikerin"),
    ("health asthma", "als asthmatiker|asthmatikerin {now} ich"),
    ("health epilepsie", "ich? bin {very}*3 epileptiker|epileptikerin"),
    (
        "health hand",
        "ich? bin {very}*3 linkshander|linkshanderin|rechtshander|rechtshanderin|beidhander|beidhanderin",
    ),
    ("health hand", "als linkshander|linkshanderin {now} ich"),
    ("health farbenblind", "ich? bin {very}*3 farbenblind|~blind"),
    ("health augen", "ich? bin {very}*3 kurzsichtig|weitsichtig|sehbehindert|brillentrager|brillentragerin"),
    ("health augen", "ich? trage|trag {any}*3 brille|kontaktlinsen|~brille"),
    ("health ohren", "ich? bin {any}*5 schwerhorig|gehorlos"),
    ("health ohren", "ich? bin {any}*6 taub $"),
    ("health ohren", "ich? trage|trag {any}*2 horgerate|horgerat"),
    ("health blind", "ich? bin {any}*6 blind $"),
    ("health autismus", "ich? bin {very}*3 autist|autistin|autistisch"),
    ("health legasthenie", "ich? bin {very}*3 legastheniker|legasthenikerin"),
    ("health bluter", "ich? bin {very}*3 bluter"),
    ("health dialyse", "ich? bin {any}*3 dialysepatient|dialysepatientin"),
    ("health dialyse", "ich muss {any}*4 zur dialyse"),
    ("health #3", "ich bin {very}*3 an {any}*1 {condition} erkrankt"),
    ("health insulin", "ich muss {any}*7 insulin {any}*3 spritzen|nehmen"),
    ("health insulin", "ich spritze|spritz|brauche|brauch {any}*5 insulin"),
    ("health insulin", "ich {hab}|trage|trag {any}*3 insulinpumpe|insulinpen"),
    (
        "health #6",
        "ich muss {any}*2 taglich|jeden|morgens|abends|lebenslang {any}*2 {name}!{idle} nehmen|schlucken|spritzen",
    ),
    ("health rollstuhl", "ich bin {any}*2 auf {any}*3 rollstuhl angewiesen"),
    ("health rollstuhl", "ich bin {any}*1 rollstuhlfahrer|rollstuhlfahrerin"),
    // diets and tastes
    ("diet alkohol", "ich lebe|leb|bin {any}*5 ohne alkohol"),
    ("diet alkohol", "ich trinke|trink {any}*4 kein|keinen tropfen alkohol"),
    ("diet", "{vegan} seit {any}"),
    ("diet", "ich {ess} {adv}*2 wieder fleisch|fisch|tierisches"),
    ("diet #0", "!{it}|{lead} {any}*1 {ess} ich|wir {adv}*3 kein|keine|keinen|nicht|nie"),
    ("diet #0", "!{it}|{lead} {any}*1 vertrage|vertrag|vertragen ich|wir {any}*4 nicht|schlecht|kaum"),
    ("allergy #1", "auf|gegen !{it}|{lead}|{jokes} reagiere|reagier ich|wir {any}*5 mit|allergisch"),
    ("allergy #0", "!{it}|{lead} {any}*1 sind|ist die|der holle|horror|tod fur mich"),
    ("like *", "nichts macht mich {adv}*2 glucklicher|froher als {any}"),
    (
        "like #0",
        "!{it}|{lead} {any}*3 ist|sind fur mich {any}*1 das|der|die {adv}*1 grosste|beste|schonste|schlimmste|himmel|hochste|wichtigste",
    ),
    ("like *", "es gibt|geht fur? mich? nichts besseres|schoneres|uber als? fur? mich? als? {any}"),
    ("like *", "ich kann|konnte {any}*4 stundenlang|ewig {any}"),
    ("like #0", "!{it}|{lead} kann|konnte ich {any}*2 den ganzen tag {any}"),
    (
        "fear #1",
        "vor !{it}|{lead}|{jokes}|prufung|klausur {any}*1 {hab} ich {any}*4 angst|panik|schiss|bammel|horror",
    ),
    ("fear #1", "vor !{it}|{lead}|{jokes}|prufung|klausur {any}*1 furchte|furcht|ekel|ekle ich mich"),
    // one drink takes the place of the other
    ("like drink", "ich trinke|trink {adv}*3 lieber !kein|keinen|keine|nicht|nichts|{it} {any}*2 $"),
    ("like drink", "ich trinke|trink {adv}*3 am liebsten !kein|keinen|keine|{it} {any}*2 $"),
    ("like drink", "am liebsten trinke|trink ich !kein|keinen|keine|{it} {any}*2 $"),
    // what is done every week
    ("like #3", "ich spiele|spiel {any}*3 {play} {any}*3 im|in|beim {any}"),
    ("like #3", "ich spiele|spiel {weekly} {any}*3 {play}|theater|karten|doppelkopf|skat|poker"),
    ("like #3", "ich gehe|geh {weekly} {any}*5 {hobby}"),
    (
        "like #4",
        "ich gehe|geh {any}*3 zum|zur|in {any}*1 ~training|training|chor|~chor|chorprobe|yoga|ballett {weekly}|$",
    ),
    ("like #3", "ich singe|sing|tanze|tanz {any}*4 im|in !{it}|auto|dusche|regen"),
    ("like #5", "{weekly} {any}*2 gehe|geh ich|wir {any}*3 {hobby}"),
    ("like #5", "{weekly} {any}*2 spiele|spiel|spielen ich|wir {any}*4 {play}"),
    (
        "is #4",
        "ich? bin {very}|eher*3 der|die? nachteule|lerche|langschlafer|langschlaferin|fruhaufsteher|~muffel|~mensch",
    ),
    ("household", "ich {wohn} {any}*4 allein|alleine|zusammen $|mit"),
    (
        "origin",
        "ich bin {any}*5 aus {name}!{backfrom}|{it} gekommen|geflohen|gefluchtet|eingewandert|hergezogen",
    ),
    ("fear *", "ich {hab} {adv}*2 {any}*1 angst|panik|schiss vorm !{it}|{jokes}|essen|zahnarzt"),
    ("origin", "ich|wir sprechen|reden|spreche|rede {adv}*1 daheim|zuhause|privat {any}*1 {name}"),
    ("answers", "fass|fasse dich mir? bitte? immer|stets|grundsatzlich|kunftig kurz"),
    // work and studies
    ("work", "von beruf {trade}*1 {job}"),
    ("studies *", "ich? bin? {adv}*2 im|ins {any} semester|studienjahr|fachsemester {field}"),
    ("studies", "ich bin {adv}*2 im {any} semester|studienjahr|fachsemester"),
    ("work", "ich? bin? {adv}*2 im {any} lehrjahr|ausbildungsjahr {any}*2 {job}|als|zum|zur"),
    ("studies *", "ich? studiere|studier {adv}*3 {field}"),
    (
        "work",
        "ich arbeite|arbeit {any}*2 nachtschicht|fruhschicht|spatschicht|schicht|nachts|vollzeit|teilzeit|ehrenamtlich",
    ),
    (
        "work",
        "ich? {hab} {any}*3 {name}!{idle} gewechselt|gekundigt {any}*2 bin|arbeite|arbeit jetzt|nun|inzwischen|mittlerweile bei|in|als",
    ),
    ("work", "ich? {hab} {any}*3 bei {any}*3 gekundigt"),
    (
        "#1? #2 #3? work",
        "{mein} {adj}*2 {kin} {any}*1 hat {any}*3 nen|einen|eine|ne|neue|neuen|den|die {any}*1 job|stelle|ausbildungsplatz|lehrstelle {any}*4 bekommen|gefunden|angefangen|gekriegt",
    ),
    // people and animals with their names
    ("#2 #4 #6 name", "{mein} {adj}*2 {kin}|{pet} namens {name} und {name}"),
    ("#2 name", "{mein} {adj}*2 {one} namens frau|herr*1 {name}!{job}|{nation}|{idle}|~ste"),
    ("#2 name", "{mein} {adj}*2 chef|chefin heisst {any}"),
    (
        "#1? #2 #4 name",
        "{mein} {adj}*2 {kin}|{pet} namens {name}!{job}|{nation}|{idle}|~ste|einzige|liebe|arme|gute",
    ),
    ("#6 name", "{any}*8 !{it}|{lead}|bild|foto|video|hintergrund das ist {mein} {adj}*2 {kin}|{pet}"),
    ("#1? #2 name", "{mein} {adj}*2 {kin}|{pet} hort auf {any}*2 {name}!wort|kommando|namen"),
    ("name", "ruf|ruft mich {adv}*2 {name}!{notname}|zuruck|an|{it} $"),
    (
        "name",
        "sie|du*1 kannst|darfst|konnt|durft|konnen mich {adv}*3 !{notname}|{it}|nicht {any}*1 nennen|rufen",
    ),
    ("name", "ich hor|hore {any}*1 auf {any}*2 {name}!wort|musik|rat"),
    (
        "name",
        "fur|bei|unter {any}*2 bin|heisse|heiss ich {any}*1 der|die {name}!{job}|{idle}|~ste|boss|chef $",
    ),
    ("married", "wir {hab} uns {any}*3 getrennt|verlobt|scheiden"),
    ("married", "ich {hab} mich {any}*1 von meinem|meiner {any}*3 getrennt"),
    ("origin", "zuhause|daheim reden|sprechen|sprech|red wir|ich {any}*2 {name}!{it}|nur|viel|wenig|oft"),
    ("origin", "zu hause reden|sprechen wir|ich {any}*2 {name}!{it}|nur|viel|wenig|oft"),
    // how the author wants to be answered
    (
        "answers",
        "antworte|antwort|schreib|schreibe|erklar|erklare|rede|sprich mir|mich|mit*2 bitte? immer|stets|grundsatzlich|kunftig|generell|prinzipiell {any}",
    ),
];
