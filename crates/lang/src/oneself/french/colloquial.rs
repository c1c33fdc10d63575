//! The French patterns of everyday speech: what a clause is about stands first, or a relative clause tells of oneself. They
//! come after those of family and before the others.

pub(super) const COLLOQUIAL: &[(&str, &str)] = &[
    // relative clauses: "jusqu'à Brest où j'habite"
    (
        "home",
        "!{tells}*14 {Name}!{pronoun} c'est*1 la*1 ou j'habite|j'ai {any}*1 $|mon|ma|depuis|avec|et|maintenant|encore|toujours",
    ),
    (
        "home",
        "!{tells}*14 {Name}!{pronoun} c'est*1 la*1 ou je|on|nous vis|vit|habite|vivons|habitons|loge|crèche {any}*1 $|depuis|avec|et|maintenant",
    ),
    (
        "home",
        "!{tells}*14 jusqu'a|vers|pour|sur !{it}|{vague}|{pronoun}|l'~|~er|qui|savoir ou j'habite {any}*1 $|depuis|avec|et|maintenant",
    ),
    (
        "home",
        "!{tells}*14 jusqu'a|vers|pour|sur !{it}|{vague}|{pronoun}|l'~|~er|qui|savoir ou je|on vis|vit|habite {any}*1 $|depuis|avec|et",
    ),
    (
        "work",
        "!{tells}*14 {Name}!{pronoun} ou je|on bosse|travaille|travaillons|taffe $|depuis|comme|et|maintenant",
    ),
    // "que je sorte Réglisse, c'est ma chienne"
    (
        "#5 name",
        "!{tells}|non !{tells}*8 {Name}!{pronoun}|{notname} c'est {mon} {adj}*2 {kin}|{pet} $|et|qui|depuis|que",
    ),
    ("#3 name", "{Name}!{pronoun}|{notname} c'est {mon} {pet} $"),
    // "nos deux chats, Mila et Peluche", "ma cheffe, madame Oumarou"
    ("#1? #2 name", "{mon} {adj}*2 {kin}|{pet} {adj}*1 {Name}!{pronoun} {Name}*2 et {Name}!{pronoun}|moi"),
    (
        "#1? #2 name",
        "{mon} {adj}*2 {kin}|{boss} {adj}*2 monsieur|madame|mme|mr|m|mlle|maitre|docteur|dr {Name}",
    ),
    ("#1? #2 name", "{mon} {adj}*2 {boss} {Name}!{pronoun}|{notname} {any}"),
    ("#1? #2 name", "{mon} {adj}*2 {boss} {adj}*1 s'appelle {any}"),
    // names
    ("name", "c'est {Name}!{notname}|{pronoun} au fait $"),
    ("name", "c'est {Name}!{notname}|{pronoun} btw|mdr|hein $"),
    ("name", "je me fais appeler {any}"),
    // homes and people there
    ("home", "ca fait {any}*3 ans|mois que j'habite {at} {any}"),
    (
        "home",
        "ca fait {any}*3 ans|mois que|qu'on je|on|nous*1 vis|vit|habite|vivons|habitons|suis {at} {any}",
    ),
    ("home", "{mon} {adj}*2 {kin}|{pet} {Name}*1 et moi on|nous|j' habite|vit|habitons|vivons {any}"),
    ("have foyer", "on|nous est|sommes {num} a|chez la|nous*1 maison|$|{mon}|famille|et|avec"),
    ("have foyer", "on|nous est|sommes une famille de {num}"),
    (
        "languages",
        "on|nous parle|parlons|se {adv}*2 que|qu'en|en|parle*1 le|l'*1 {tongue} {any}*2 $|avec|chez|a|depuis|entre|et|avec",
    ),
    ("languages", "je parle {adv}*1 le*1 {tongue} avec|a {mon} {any}"),
    ("languages", "je parle {adv}*1 le*1 {tongue} a|chez la|moi|nous maison|$"),
    ("speaks #4", "je parle {adv}*1 le|l'*1 {tongue} $|et|couramment|depuis|tres|mais|bien"),
    ("languages", "ma langue maternelle est|c'est|ce le|l'*1 {tongue}"),
    // what is done every week
    (
        "weekly #1",
        "le|les|tous|chaque les*1 {weekday} {part}*2 je|on {any}*1 joue|danse|chante|nage|repete|peins|cours|jardine {any}",
    ),
    (
        "weekly #1",
        "le|les|tous|chaque {weekday} {part}*2 je|on vais|va|fais|fait a|au|du|de|en|un*1 la|l'*1 {weekly}",
    ),
    ("weekly #1", "le|les|tous|chaque {weekday} {part}*2 j'ai|on a*1 {any}*1 {weekly}"),
    ("plays *", "je joue {adv}*1 du|de|d'~ la|l'*1 {instrument}"),
    ("plays #3", "je|j'apprends joue|d'~ {adv}*1 {instrument}"),
    ("plays #4", "je joue {adv}*2 au|aux|a {sport}"),
    ("plays *", "je|on fais|pratique {adv}*1 du|de|le la|l'*1 {sport}"),
    ("plays #3", "je|on fais|pratique {adv}*1 {sport}"),
    // health
    ("health fauteuil", "je suis|me|circule|roule|vis deplace*1 en fauteuil"),
    ("health insuline", "je|j'ai dois|prends|m'injecte|suis|porte|me {any}*5 insuline"),
    ("health #4", "j'ai|je porte|mets un|une|des|mes {device}"),
    ("health #2", "j'ai de|du|trop*2 tension|cholesterol|hypertension $|et|donc|depuis|alors|mais"),
    ("health #5", "on m'a diagnostique {any}*1 un|une|du|de*1 {condition}"),
    ("health #4", "j'ai ete diagnostique|diagnostiquee {ill}"),
    ("health #4", "je suis sourd|sourde|malentendant|malentendante d'une|de oreille|l'oreille"),
    // diet
    (
        "diet",
        "ca fait {any}*3 ans|mois que je suis {very}*2 vegetarien|vegetarienne|vegan|vegane|vegetalien|vegetalienne|pescetarien|pescetarienne|flexitarien",
    ),
    ("diet *", "ca fait {any}*3 ans|mois que je ne*1 {drink} plus|pas de|d'~|le|la|les|du*1 !{it}"),
    (
        "work",
        "ca fait {any}*3 ans|mois que je suis|bosse|travaille {very}|comme|chez|a|au|dans|en*2 {job}|{any}",
    ),
    ("diet #1", "le|la {food} {mid}*3 interdit|interdite|interdits|banni|bannie pour|chez|$|depuis|a"),
    // allergies, fears and likes whose object stands first
    (
        "allergy #1 #2?",
        "le|la|les|aux|au !{vague}|{boss} !je|j'~|c'est|est|sont|moi*3 moi*1 j'y suis {very}*3 allergique|allergiques",
    ),
    ("allergy #0", "l'~ moi*1 j'y suis {very}*3 allergique"),
    (
        "diet #1 #2?",
        "le|la|les|aux|au !{vague} !je|j'~|c'est|est|sont|moi*2 moi*1 j'y suis {very}*3 intolerant|intolerante",
    ),
    (
        "diet #1 #2?",
        "le|la|les|du|de|des !{vague}|{boss}|{kin}|{job} !je|j'~|on|n'~|c'est|est|sont|me|moi*2 moi*1 je|on|j'en|n'en*2 ne*1 le|la|les|l'~|en*1 {drink} pas|plus|jamais|mal",
    ),
    ("diet #0", "l'~ moi*1 je|on|j'en*1 ne*1 le|la|l'~|en*1 {drink} pas|plus|jamais|mal"),
    (
        "fear #1 #2?",
        "le|la|les !{vague}|{boss}|{kin}|{job} !je|j'~|c'est|est|sont*2 moi*1 j'en ai {any}*2 peur|trouille|phobie|frousse|terreur",
    ),
    (
        "like #1 #2?",
        "le|la|les !{vague}|{boss}|{kin}|{job}|{seen} !je|j'~|c'est|est|sont|que*2 moi*1 j'aime|j'adore|j'execre {adv}*1 $|pas|ca|bien|beaucoup|trop|depuis",
    ),
    (
        "like #1 #2?",
        "le|la|les !{vague}|{boss}|{kin}|{job}|{seen} !je|j'~|c'est|est|sont|que*2 moi*1 je le|la|les*1 kiffe|deteste|hais $|ca|grave|depuis|trop|vraiment|tellement",
    ),
    (
        "like #1 #2?",
        "le|la|les !{vague}|{boss}|{kin}|{job}|{seen} !je|j'~|c'est|est|sont|que*2 moi*1 j'en raffole",
    ),
    (
        "like #1 #2?",
        "le|la|les !{vague}|{boss}|{kin}|{job}|{seen} !je|j'~|c'est|est|sont|que*2 moi*1 j'en|j'ai ai*1 horreur",
    ),
    (
        "like #1 #2?",
        "le|la|les !{vague}|{boss}|{kin}|{job}|{seen} !je|j'~|c'est|est|sont|que*2 moi*1 j'ecoute que|qu'~|tout|souvent",
    ),
    (
        "like #2",
        "c'est le|la|les|l'*1 !{it}|{vague}|{seen}|le|la|les|genre|truc|moment|partie|cote|jour|facon {any}*3 que j'aime|j'adore|j'ecoute {adv}*1 $|le|moi|surtout|plus|par|vraiment",
    ),
    (
        "like #2",
        "c'est le|la|les|l'*1 !{it}|{vague}|{seen}|le|la|les|genre|truc|moment|partie|cote|jour|facon {any}*3 que je prefere|kiffe {adv}*1 $|le|moi|surtout|plus|par|vraiment",
    ),
    (
        "like *",
        "ce que j'aime|j'adore|j'ecoute {adv}*3 c'est|ce sont*1 le|la|les|l'*1 !{it}|{vague}|le|la|les|quand|d'~",
    ),
    (
        "like *",
        "ce que je prefere|deteste|kiffe|supporte {adv}*3 pas*1 c'est|ce sont*1 le|la|les|l'*1 !{it}|{vague}|le|la|les|quand|d'~",
    ),
    // how the author wants to be answered
    ("answers", "reponds|repondez|ecris|parle|explique moi*1 toujours|uniquement|seulement|jamais {any}"),
    ("answers", "tutoie|vouvoie|tutoyez|vouvoyez moi {any}*2 $"),
    ("answers", "tu|vous peux|pouvez {any}*1 me tutoyer|vouvoyer"),
    ("answers", "a partir de maintenant reponds|ecris|parle|tutoie|vouvoie|explique moi*1 {any}*1"),
    (
        "answers",
        "je prefere que|qu'on tu|vous*1 me|m'~ reponde|reponds|repondes|tutoie|tutoies|vouvoie|vouvoies|ecrive|ecrives|expliques*1 {any}*1",
    ),
    // people
    (
        "married",
        "{Name}!{pronoun} et moi on|nous s'est|nous|a|sommes|avons sommes|avons*1 separes|quittes|divorce|rompu|maries|pacses|fiances",
    ),
    ("married", "j'ai|je romps|rompu|suis avec|separe|separee {mon}|de {kin}|{mon}"),
];
