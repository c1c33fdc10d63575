//! The French patterns of everyday speech: the object comes first, or a relative clause tells the fact. They are tried
//! after the patterns of family and before the others.

pub(super) const COLLOQUIAL: &[(&str, &str)] = &[
    // relative clauses: "jusqu'à Brest où j'habite"
    (
        "home",
        "!{tells} !{tells}*13 {capital}!{pronoun} c'est*1 la*1 ou|qu'~ j'habite|j'ai $|mon|ma|depuis|avec|et|maintenant|encore|toujours|il|on|ca|y|c'est",
    ),
    (
        "home",
        "!{tells} !{tells}*13 {capital}!{pronoun} c'est*1 la*1 ou je|on|nous vis|vit|habite|vivons|habitons|loge|reside|residons",
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
        "!{tells} !{tells}*13 {capital}!{pronoun} ou je|on bosse|travaille|travaillons|taffe $|depuis|comme|et|maintenant",
    ),
    // "que je sorte Réglisse, c'est ma chienne"
    (
        "#5 name",
        "!{tells}|non !{tells}*8 {capital}!{pronoun}|{notname} c'est {mon} {adj}*2 {kin}|{pet} $|et|qui|depuis|que",
    ),
    ("#3 name", "{capital}!{pronoun}|{notname} c'est {mon} {pet} $"),
    // "nos deux chats, Mila et Peluche", "ma cheffe, madame Oumarou"
    (
        "#1? #2 name",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {capital}!{pronoun} {capital}*2 et {capital}!{pronoun}|moi",
    ),
    (
        "#1? #2 name",
        "{mon} {adj}*2 {kin}|{boss} {adj}*2 monsieur|madame|mme|mr|m|mlle|maitre|docteur|dr {capital}",
    ),
    ("#1? #2 name", "{mon} {adj}*2 {boss} {capital}!{pronoun}|{notname}"),
    ("#1? #2 name", "{mon} {adj}*2 {boss} {adj}*1 s'appelle {any}"),
    // names
    ("name", "c'est {capital}!{notname}|{pronoun} au fait $"),
    ("name", "c'est {capital}!{notname}|{pronoun} btw|mdr|hein $"),
    ("name", "je me fais appeler {any}"),
    // homes and people there
    ("home", "{mon} {adj}*2 {kin}|{pet} {capital}*1 et moi on|nous|j' habite|vit|habitons|vivons {any}"),
    ("have foyer", "on|nous est|sommes {num} a|chez|dans la*1 maison|nous|famille"),
    ("have foyer", "on|nous est|sommes une famille de {num}"),
    (
        "languages",
        "on|nous parle|parlons|se {adv}*2 que|qu'en|en|parle*1 le|l'*1 {tongue} $|avec|chez|depuis|entre|et {mon}|nous|toujours|$",
    ),
    ("languages", "on|nous parle|parlons {adv}*2 le|l'*1 {tongue} a la maison"),
    ("languages", "je parle {adv}*1 le*1 {tongue} avec|a {mon} {any}"),
    ("languages", "je parle {adv}*1 le*1 {tongue} a|chez la|moi|nous maison|$"),
    ("speaks #4", "je parle {adv}*1 le|l'*1 {tongue} $|et|couramment|depuis|tres|mais|bien"),
    ("languages", "ma langue maternelle est|c'est|ce le|l'*1 {tongue}"),
    // weekly habits
    (
        "weekly #2",
        "le|les|tous|chaque les*1 {weekday} {part}*2 je|on {any}*1 joue|danse|chante|nage|repete|peins|cours|jardine {any}",
    ),
    (
        "weekly #1",
        "le|les|tous|chaque {weekday} {part}*2 je|on vais|va|fais|fait a|au|du|de|en|un*1 la|l'*1 {weekly}",
    ),
    ("weekly #2", "le|les|tous|chaque les*1 {weekday} {part}*2 j'ai|on a*1 {any}*1 {weekly}"),
    ("plays *", "je joue {adv}*1 du|de|d'~ la|l'*1 {instrument}"),
    ("plays #3", "je|j'apprends joue|d'~ {adv}*1 {instrument}"),
    ("plays #4", "je joue {adv}*2 au|aux|a {sport}"),
    ("plays *", "je|on fais|pratique {adv}*1 du|de|le la|l'*1 {sport}"),
    ("plays #3", "je|on fais|pratique {adv}*1 {sport}"),
    // health
    ("health fauteuil", "je suis|me|circule|roule|vis deplace*1 en fauteuil"),
    ("health insuline", "je|j'ai dois me|m'~*1 piquer|injecter|m'injecter|me*2 a|de*1 l'insuline"),
    (
        "health insuline",
        "je prends|m'injecte|porte|me|fais pique|injecte*1 a|de|une|pompe*3 insuline $|avant|depuis|a|et|donc|tous|chaque|deux|trois|quatre|matin",
    ),
    ("health insuline", "je suis sous|a insuline|pompe"),
    (
        "health #4",
        "j'ai|je porte|mets*1 un|une|des|mes {device} $|depuis|pour|et|parce|auditif|auditifs|dentaire|cardiaque|toujours|mais",
    ),
    ("health #2", "j'ai de|du|trop*2 tension|cholesterol|hypertension $|et|donc|depuis|alors|mais"),
    ("health #5", "on m'a diagnostique|trouve|detecte|decouvert {any}*1 un|une|du|de*1 {condition}"),
    ("health #4", "j'ai ete diagnostique|diagnostiquee {ill}"),
    ("health #4", "je suis sourd|sourde|malentendant|malentendante d'une|de oreille|l'oreille"),
    // diet
    ("diet #1", "le|la {food} {mid}*3 interdit|interdite|interdits|banni|bannie pour|chez moi"),
    // allergies, fears and likes whose object comes first
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
    (
        "answers",
        "reponds|repondez|ecris|parle|explique moi*1 toujours|desormais|dorenavant !pas|quand|si|tu|vous|je|lui|leur",
    ),
    (
        "answers",
        "n'utilise|n'utilisez|n'emploie|mets pas|jamais d'emojis|d'emoji|d'emoticones|d'anglicismes|d'abreviations $|avec|quand|dans|en|s'il",
    ),
    ("answers", "fais|faites|donne|donnez moi*1 toujours|desormais des reponses {any}"),
    ("answers", "tutoie|vouvoie|tutoyez|vouvoyez moi {any}*2 $"),
    ("answers", "tu|vous peux|pouvez {any}*1 me tutoyer|vouvoyer"),
    ("answers", "a l'avenir reponds|repondez|ecris|ecrivez|parle|parlez|explique|expliquez moi*1 {any}"),
    ("answers", "desormais|dorenavant reponds|ecris|parle|explique moi*1 {any}"),
    ("answers", "tu|vous peux|pouvez me dire tu|vous {any}*1 $"),
    ("answers", "a partir de maintenant reponds|ecris|parle|tutoie|vouvoie|explique moi*1 {any}*1"),
    (
        "answers",
        "je prefere que|qu'on tu|vous*1 me|m'~ reponde|reponds|repondes|tutoie|tutoies|vouvoie|vouvoies|ecrive|ecrives|expliques*1 en|par|de|avec|brievement|$",
    ),
    // people
    (
        "married",
        "{capital}!{pronoun} et moi on|nous s'est|nous|a|sommes|avons sommes|avons*1 separes|divorce|rompu|maries|pacses|fiances",
    ),
    ("married", "j'ai rompu avec {mon} {kin}"),
    ("married", "je suis separe|separee de {mon} {kin}"),
    // what the family likes and does
    (
        "#2 like *",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {capital}*1 adore|deteste|adorent|detestent|kiffe|raffole|raffolent de|du|des|d'~*1 le|la|les|l'*1 !{it}|{vague}|{seen}|le|la|les|de|du|des|mon|ma",
    ),
    (
        "#2 like *",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {capital}*1 est|sont {very}*2 fan|passionne|passionnee|fans|dingue|accro de|du|des|d'~|par|a|au|aux le|la|les*1 {any}",
    ),
    (
        "work",
        "avec {mon} {adj}*1 {kin} {capital}*1 on|nous a|avons|tient|tenons|gere|gerons|monte ouvert|monte|repris*1 un|une|la|notre {any}*2 {business}",
    ),
    ("work", "on|nous tient|tenons|gere|gerons|dirigeons un|une|la|notre {any}*2 {business}"),
    (
        "home",
        "avec {mon} {adj}*1 {kin} {capital}*1 on|nous|j'~ habite|vit|vivons|habitons {any}*2 {at} !{it}|{not_a_home}",
    ),
    ("#4 name", "{any} !{tells}*8 {capital}!{pronoun}|{notname} {mon} {pet} qui|$"),
    // more about home and diet
    ("home", "j'habite a cote de {name}"),
    ("home", "je|on|nous vis|vit|vivons|habite|habitons a cote de {name}"),
    ("diet #1 #2?", "le|la|les|au|aux !{vague} !je|j'~|c'est|est|sont*2 moi*1 j'y|y touche pas|plus|jamais"),
    ("diet #2", "mon|le cafe|the je le|la prends|bois toujours|sans|avec|noir {any}*1"),
    ("diet #1", "mon|le|du cafe|the c'est*1 toujours sans|avec|noir"),
    ("diet #4", "je|on|nous prends|bois|prend {adv}*1 mon|le cafe|the {adv}*1 sans|avec|noir {any}*1"),
    // times of being awake
    ("rhythm", "je suis {very}*2 leve|couche tot|tard"),
    ("rhythm", "je suis {very}*2 du|de|quelqu'un matin|soir $|et|moi|plutot"),
    ("rhythm", "je suis {very}*2 oiseau de nuit"),
    ("rhythm", "je suis {very}*2 noctambule|insomniaque|matinal|matinale"),
    ("birthplace", "ne|nee et eleve|elevee|grandi a|en|au|dans {any}"),
    // facts about others and the author
    (
        "#2 fear *",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {capital}*1 a {any}*1 peur|phobie du|des|de|d'~ la|le|l'*1 !{it}|toi|moi|lui|elle|la|le|l'|tout|mon|ma",
    ),
    ("have children", "on|nous est|sommes parents|grands de|d'~|parents {any}"),
    ("weekly work", "le|les {weekday} {part}*3 je|on bosse|travaille comme|dans|chez|a|au|en|sur {any}"),
    ("weekly #2", "tous|toutes les {often} je|on cours|nage|marche|medite|fais|vais|jardine|dessine {any}*1"),
    ("weekly #1", "chaque {often} je|on cours|nage|marche|medite|jardine|dessine {any}*1"),
    ("rhythm", "je me leve|couche|reveille {any}*6 tous|chaque|toujours"),
    (
        "commute",
        "je vais|viens {any}*2 au|a|en la*1 travail|boulot|taf|bureau|fac|lycee|cours en|a pied|velo|voiture|bus|train|metro|tram|moto|trottinette|bagnole|scooter",
    ),
    ("diet *", "je mange|prends|bois toujours du|de|des|un|une|le|la !{it}|temps|la|mon"),
    ("diet alcohol", "je ne? bois pas|plus|jamais $|depuis|du|et|d'alcool"),
    (
        "religion",
        "je suis {very}*2 catholique|musulman|musulmane|juif|juive|athee|bouddhiste|protestant|protestante|agnostique|orthodoxe|hindou|croyant|croyante $|et|pratiquant|pratiquante|depuis|non|mais|donc",
    ),
    ("height", "je mesure {digits} $|m|metre|metres|cm|et"),
    ("height", "je fais 1m~|2m~"),
    ("shoes", "je chausse du {num}"),
    (
        "smoke",
        "je fume $|un|une|deux|depuis|comme|{num} $|paquet|paquets|clopes|cigarettes|{num}|un|clope|cigarette",
    ),
    ("have permis", "j'ai|je pas|n'ai*1 pas*1 le permis"),
    ("have voiture", "j'ai|je pas|n'ai*1 pas*1 de|d'~ voiture|bagnole"),
    (
        "like *",
        "je supporte l'om|le|l'ol|l'asse|les|lens|bordeaux|nantes|rennes psg|losc|bleus|stade|racing|$|depuis",
    ),
    ("like *", "je suis {very}*1 supporter|supportrice de|du|des|d'~ {any}*1"),
    (
        "like *",
        "je suis {very}*4 fan|dingue|fou|folle|mordu|mordue|feru|ferue|amateur|passionne|passionnee d'~",
    ),
    ("like *", "je suis {very}*1 plus|plutot {taste} que"),
    ("like #0", "l'~ moi*1 j'aime|j'adore|j'execre|j'en {adv}*1 $|pas|ca|bien|beaucoup|trop|depuis|raffole"),
    ("fear #0", "l'~ moi*1 j'en ai {any}*2 peur|trouille|phobie|frousse|terreur"),
    (
        "like *",
        "ce que on aime|adore|prefere|deteste {adv}*3 c'est|ce sont*1 le|la|les|l'*1 !{it}|{vague}|le|la|les|quand|d'~",
    ),
    ("work", "{job} que je suis"),
    (
        "home",
        "je|on|nous viens|vient|venons d'acheter|acheter|louer un|une {any}*1 maison|appart|appartement|studio|ferme {any}*2 a|en|au|aux|dans|pres {any}",
    ),
    (
        "work",
        "je|on fais|prepare|suis un|une|mes licence|master|doctorat|these|bts|cap|dut|but|etudes|diplome d'~",
    ),
    ("fear", "je suis {very}*2 claustro|agora"),
    ("speaks", "je parle {num}|plusieurs langues"),
    // leisure
    ("plays *", "je chante dans|avec un|une|le|la*1 chorale|choeur|groupe|ensemble"),
    ("plays #3", "je danse le|la|du*1 {dance}"),
    (
        "plays #3",
        "je|j'ecris peins|dessine|couds|tricote|construis|fabrique*1 des|de|la|le|a|du|une*1 {craft}",
    ),
    ("weekly #2", "je cours|nage|marche|medite|jardine tous|toutes|chaque les*1 {often}"),
    ("plays #3", "je cours|fais des {race}"),
    // more about the body, work and family
    ("health #4", "j'ai|je n'ai*1 plus*1 que|qu'un|qu'une|un|une seul|seule {part_of_body}"),
    ("health #4", "il me manque un|une|deux {part_of_body}"),
    (
        "health #5",
        "je prends|suis un|des|du|sous traitement|medicaments|cachets|comprimes pour|contre la|le|les|l'*1 {condition}|thyroide|tension|coeur|cholesterol|diabete|anxiete|l'anxiete|depression|circulation",
    ),
    ("health #3", "j'ai la maladie coeliaque|de {any}*1"),
    ("health #2", "j'ai une|la|un|de {condition}"),
    ("health #3", "je souffre de|d'~ {condition}"),
    (
        "pregnant",
        "j'attends|on|nous attend|attendons*1 un|une|notre|mon {any}*1 bebe|enfant|jumeaux $|pour|en|et|premier",
    ),
    ("age", "j'ai {digits} balais|piges|berges"),
    ("speaks #5", "je parle un|bien|couramment peu|petit*1 peu*1 {tongue}"),
    ("work", "je taffe comme|chez|pour|dans|a|au|en|aux {any}"),
    (
        "work",
        "je bosse|travaille a|au|en|de|sur horaires*1 decales|nuit|3x8|2x8|postes|decalee|decale $|depuis|et|comme|dans|a",
    ),
    ("work", "je bosse|travaille en horaires|equipe|intermittence|freelance|alternance {any}*1"),
    ("home", "je suis|vis en coloc|colocation avec {any}"),
    ("diet", "je suis {very}*2 flexi|vege|pesco"),
    (
        "work",
        "il me reste|manque {any}*3 pour finir|terminer|valider mon|ma|le|la licence|master|diplome|these|bts|bachelor",
    ),
    ("work", "je|j'ai tiens|gere*1 un|une|ma|mon {any}*1 {business}"),
    (
        "work",
        "je suis en terminale|premiere|seconde|prepa|these|alternance|bts|l1|l2|l3|m1|m2|internat $|et|cette|a",
    ),
    ("work", "!pas|non*12 c'est mon metier|boulot|travail|taf|job $|depuis"),
    (
        "home",
        "je|on suis|est venu|venue|venus|parti|partie|partis|alle|allee vivre|habiter|m'installer|s'installer a|au|en|aux|dans {any}",
    ),
    (
        "#2 like *",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {capital}*1 ne|n'aime|aime aime*1 pas|bien|beaucoup|trop du*1 tout*1 le|la|les|l'*1 !{it}|{vague}|{seen}|le|la|les|mon|ma",
    ),
    ("origin", "je suis {adv}*1 de|du {capital}!{not_an_origin}|{month} meme|centre|ville|direct"),
    ("health #2", "j'ai le|la|un|une|l'~ {any} opere|operee|ampute|amputee"),
    (
        "#1? #2 state",
        "{mon} {adj}*2 {kin} sont|est des|adoptes|adoptees|adopte|adoptee triples|triplees|jumeaux|jumelles|$",
    ),
    (
        "have children",
        "on|nous|je est|sommes|suis parents|grands|papa|maman|papi|mamie parents|$|depuis|et|pour|je|donc",
    ),
    ("home", "ma|notre|mon maison|appart|appartement est|se {any}*6 {capital}"),
    ("work", "j'ai {count} boulots|jobs|emplois|tafs|metiers"),
    ("cannot #4", "je ne? sais pas conduire|nager|cuisiner|skier|nager|coudre|siffler $|et|mais|ni|donc|du"),
    (
        "like *",
        "mon truc|dada|kif|delire a? moi? c'est|est le|la|les|l'*1 !{it}|{vague}|{seen}|le|la|les|quand",
    ),
    (
        "#1? #2 #3? #4? work",
        "{mon} {adj}*2 {kin} {adj}*1 {capital}*1 travaille|travaillent|bosse|taffe {any}*1 sur|de|avec|comme|chez {any}",
    ),
    ("age", "j'ai eu {num} {any}*1 ans $|le|en|hier|il|lundi|mardi"),
    ("origin", "je suis {adv}*1 de|du {capital}!{not_an_origin}|{month} depuis"),
    ("home", "je|on suis|est arrive|arrivee|venu|venue|partis|parti|partie de|du {any}*2 a|en {capital}"),
    ("married", "on|nous est|sommes|sort|sortons ensemble $|depuis"),
    ("health #3", "on est tous|tous|toutes*2 gauchers|gaucheres|diabetiques|asthmatiques|myopes|daltoniens"),
    ("diet", "on|nous est|sommes tous|toutes|tous*1 veganes|vegetariennes|vegans|vegetariens|coeliaques"),
    ("like #1", "la|le|les !{vague} meme pas en {any}"),
    (
        "diet *",
        "je suis incapable de|d'~ manger|boire|avaler|toucher*1 du|de|des|la|le|les|un*1 !{it}|plus|autant",
    ),
    ("languages #1", "ma {any} langue c'est|est le|l'*1 {tongue}"),
    ("#1? #2 origin", "{mon} {adj}*2 {kin} {capital}*1 sont|etaient {very}*1 {nations}"),
    ("origin", "je suis fille|fils|petite|petit fille|fils*1 d'~|de {nations}|immigres {any}*1"),
    ("allergy #2", "a la !{vague} moi*1 j'y suis {very}*3 allergique"),
    ("allergy #1", "a l'~ moi*1 j'y suis {very}*3 allergique"),
    ("like #1", "le|la|les !{vague}|{boss}|{kin}|{job}|{seen} moi*1 je ne? peux pas|plus $|du|ca"),
    (
        "like *",
        "j'ecoute que|seulement|uniquement|surtout du|de|des|le|la|les|l'*1 !{it}|du|de|des|le|la|les|d'~|toi|moi|elle",
    ),
    ("like *", "je ne*1 lis|regarde que du|de|des|le|la|les !{it}"),
    ("fear #1", "le|la|les !{vague} me donne|donnent|file|filent le*1 vertige"),
    (
        "like *",
        "ce qui me rend {any}*2 heureux|heureuse c'est de*1 le|la|les|l'*1 !{it}|{vague}|le|la|les|quand|de|d'~",
    ),
    ("home", "!{tells} !{tells}*13 {capital}!{pronoun} c'est la que j'habite|je vis|habite|$"),
    ("home", "!{tells} !{tells}*13 {capital}!{pronoun} c'est la que on|nous vit|habite|vivons|habitons"),
    ("birthplace", "!{tells} !{tells}*13 {capital}!{pronoun} c'est la que je suis ne|nee"),
    ("#5 name", "{any} {any}*6 c'est {capital}!{pronoun} {mon} {pet}|{kin} $"),
    ("diet #1", "le|la|les !{vague} ne? me reussit|reussissent|convient|conviennent pas|mal"),
    (
        "work",
        "je|on fais|prepare|passe un|une|mon|ma cap|bts|licence|master|dut|bac|bep|doctorat|these|mba {any}",
    ),
    ("health #5", "je marche|me deplace*1 avec des|une|ma|mes {device}|bequilles|canne|deambulateur"),
    ("like *", "rien ne*1 me|m'~ plait plus*1 plus|autant que|qu'~ le|la|les|de*1 !{it}"),
    ("like *", "rien ne*1 me plait plus|autant que le|la|les|de*1 !{it}|le|la|les|de"),
    ("health mal", "j'ai le mal de mer|l'air|montagne|voiture|transports"),
    ("health mal", "j'ai le mal des transports"),
    ("health mal", "je suis malade en voiture|bateau|bus|avion $|depuis|et|donc"),
    (
        "home",
        "je|on|nous suis|sommes|est {adv}*1 a|en {capital} depuis le|l'~|la|cet|cette|{month}|{digits}|toujours|quelques",
    ),
    (
        "rhythm",
        "je suis|bosse|travaille {any}*1 plus|mieux efficace|productif|productive|en*1 le|la matin|soir|nuit",
    ),
    ("rhythm", "je bosse|travaille|dors mieux le|la matin|soir|nuit"),
    ("answers", "reponds|ecris|parle moi {any}*6 toujours $|stp"),
    (
        "#2 anniversary",
        "{mon} {adj}*2 {kin} fetent|ont {any}*1 noces|anniversaire|{num} {any}*4 le|en|au {digits}|{month}|premier",
    ),
    ("languages", "avec {mon} {any} je|on|nous parle|parlons en*1 le*1 {tongue}"),
    ("languages", "avec {mon} grands parents|mere|pere je|on|nous parle|parlons en*1 le*1 {tongue}"),
    ("health #3", "j'entends|je vois*1 mal|pas|plus d'une|d'un|de oreille|oeil|loin|pres|l'oreille|l'oeil"),
    ("plays #2", "j'entraine une|un|des|les equipe|groupe|petits|enfants|jeunes|poussins|benjamins"),
    ("anniversary", "notre|mon mariage c'etait|etait|est|c'est|ca le*1 le|en {digits}|{month}"),
    ("like *", "je ne? suis pas {adv}*2 fan|adepte|amateur|amatrice de|du|des !{it}|de|du|des"),
    ("like #5", "je ne? suis pas {adv}*2 fan|adepte|amateur|amatrice d'~"),
    ("habit *", "j'ai l'habitude de|d'~ ~er|~ir|~re"),
    (
        "like #1",
        "le|la|les !{vague}|{boss}|{kin}|{job}|{seen} je ne? peux pas le|la|les voir|sentir|blairer|supporter|manger",
    ),
    ("name", "au|a|en|dans {any}*3 tout|on le*1 monde*1 m'appelle {capital}!{notname}"),
    ("name", "on me dit {capital}!{notname}|{pronoun} $"),
    ("like *", "la|le {any} que j'ecoute|j'aime le plus c'est|est le|la|les|l'*1 !{it}|{vague}|le|la|les"),
    ("#3 name", "monsieur|madame|mme {capital} {mon} {boss}"),
    ("#4 name", "!{tells} !{tells}*6 {capital}!{pronoun}|{notname} {mon} {pet}"),
    ("work", "je|on suis|est proprietaire|patron|patronne d'un|d'une {any}*2 {business}"),
    ("home", "!{tells} !{tells}*13 {capital}!{pronoun} c'est*1 la*1 ou|que on a notre|une maison|appart"),
    ("diet *", "je|on touche plus|pas|jamais a|au|aux la|l'*1 {food}|l'alcool|drogue|tabac|viande"),
    ("work", "je|on fais|fait des*1 gardes|nuits {any}*3 en|a|au|aux|dans|comme {any}"),
    (
        "like *",
        "pour moi y|il*1 n'y*1 a rien de|comme mieux*1 que*1 le|la|les|l'*1 !{it}|{vague}|le|la|les|que",
    ),
    ("diet #0", "l'eau toujours sans|avec {any}"),
    (
        "like *",
        "ce qui me|m'~ detend|passionne|plait|apaise|fait|repose vibrer|plaisir*1 le*1 plus*1 c'est le|la|les|l'*1 !{it}|{vague}|le|la|les|quand|de",
    ),
    ("like *", "ce qui m'apaise|m'amuse le*1 plus*1 c'est le|la|les|l'*1 !{it}|{vague}|le|la|les|quand|de"),
    ("health #3", "j'ai la peau atopique|sensible|seche"),
    ("weekly *", "je vais a|au|en la|l'*1 {weekly} tous|toutes|chaque|le les*1 {weekday}"),
];
