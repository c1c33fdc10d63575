//! French.

use std::sync::OnceLock;

use super::Tables;

pub(super) static TABLES: Tables = Tables {
    rules: RULES,
    lists: LISTS,
    openings: "et|mais|alors|bon|ben|ah|oh|oui|non|bonjour|salut|au fait|en fait|en realite|d'ailleurs|ecoute|tu sais|parce que|car|donc|\
        euh|enfin|pardon|correction|desole|desolee|moi|aussi|sinon|bref|a propos|pour info|honnetement|personnellement|puis|maintenant|\
        actuellement|comme tu sais|moi aussi|il se trouve que|la semaine derniere|le mois dernier|l'an dernier|l'annee derniere|hier|recemment|depuis peu|\
        cette annee",
    supposing: "si quand lorsque peut-etre imagine imaginons supposons quoique pourvu",
    stories: "imagine|imaginons|supposons|si|dit|disait|comme si|dans le roman",
    times: "aujourd'hui|demain|ce soir|ce matin|ce midi|cette semaine|cette nuit|cet apres|pour l'instant|\
        pour le moment|la semaine prochaine|apres demain|tout de suite|a midi",
    passing: "ce week|en ce moment meme|peut etre|sans doute|si j'etais|si je|quand j'etais|petit j'|petite j'|\
        autrefois|avant j'|je plaisante|j'aimerais|je voudrais|cette fois|dit|dans le jeu|imagine",
    joints: "et|mais|car|parce|que|donc",
    subjects: "je j'ai j'habite j'aime j'adore j'etudie j'enseigne j'apprends mon ma mes nous on notre nos appelle",
    inverted: "",
    questions: &[
        ("home", "maison ville où j'habite"),
        ("name", "nom s'appelle"),
        ("work", "travail métier"),
        ("age", "âge ans"),
        ("birthday", "anniversaire"),
        ("origin", "origine d'où"),
    ],
    contracts: false,
    parsed: OnceLock::new(),
};

const LISTS: &[(&str, &str)] = &[
    (
        "adv",
        "maintenant actuellement aussi toujours encore vraiment tres beaucoup plutot desormais bien surtout enormement particulierement \
        absolument deja depuis tout juste assez seulement plus tellement trop moi-meme",
    ),
    (
        "very",
        "tres vraiment assez plutot un une peu gravement fortement aussi strictement totalement depuis toujours legerement \
        extremement devenu devenue grand grande gros grosse severement super hyper tous deux desormais maintenant",
    ),
    ("mon", "mon ma mes notre nos"),
    (
        "kin",
        "femme mari epoux epouse compagnon compagne copain copine mere pere maman papa parents soeur soeurs frere freres fille \
        filles fils enfant enfants bebe jumeaux jumelles oncle tante cousin cousine cousins neveu niece grand-mere grand-pere mamie \
        papi papy grands-parents patron patronne chef voisin voisine colocataire coloc collegue ami amie belle beau mere-belle \
        fiance fiancee filleul filleule medecin dentiste proprietaire ado petit petite aine ainee cadet cadette benjamin",
    ),
    (
        "family",
        "soeur soeurs frere freres fille filles fils enfant enfants bebe jumeaux jumelles neveu neveux niece nieces \
        petit-fils petite-fille mari femme copain copine garcon garcons petits",
    ),
    (
        "pet",
        "chien chiens chienne chat chats chatte cheval chevaux lapin lapins hamster oiseau oiseaux perroquet tortue chiot chaton \
        chatons poney poisson poissons perruche canari cochon cochons poules jument labrador caniche teckel beagle",
    ),
    (
        "adj",
        "plus petit petite petits petites grand grande grands grandes vieux vieille nouveau nouvelle meilleur meilleure deux trois \
        jeune jeunes adorable aine ainee cadet cadette noir noire blanc blanche gros grosse mere pere soeur frere",
    ),
    ("count", "un une deux trois quatre cinq six sept huit plusieurs {digits}"),
    ("at", "a au aux en dans chez pres avec sur seul seule rue boulevard avenue place face sous loin non"),
    ("nowhere", "l'angoisse paix peur danger espoir le la les une un l'espoir l'instant cote"),
    ("notwork", "la le les un une mon ma l'aise fond plein cela ca ce moment cote nuit"),
    (
        "it",
        "ca ce c'est cette cet cela que qu'on quand si comment ton ta tes votre vos te vous tu ici rien tout ou mieux l'idee \
        celui celle premiere premier deuxieme second seconde troisieme derniere dernier autre option version la-dessus autant lui leur ceux y",
    ),
    (
        "job",
        "professeur professeure prof enseignant enseignante instituteur institutrice medecin infirmier infirmiere ingenieur ingenieure \
        avocat avocate architecte menuisier menuisiere plombier electricien electricienne boulanger boulangere cuisinier cuisiniere \
        serveur serveuse etudiant etudiante pilote ecrivain ecrivaine journaliste peintre musicien musicienne chanteur chanteuse acteur \
        actrice danseur danseuse photographe comptable pharmacien pharmacienne dentiste veterinaire scientifique physicien physicienne \
        chimiste biologiste mathematicien mathematicienne chercheur chercheuse policier policiere pompier pompiere soldat agriculteur \
        agricultrice jardinier jardiniere mecanicien mecanicienne chauffeur chauffeuse traducteur traductrice interprete consultant \
        consultante economiste secretaire vendeur vendeuse coiffeur coiffeuse psychologue chirurgien chirurgienne sage-femme sage \
        developpeur developpeuse informaticien informaticienne programmeur programmeuse graphiste designer bibliothecaire libraire juge \
        notaire retraite retraitee fonctionnaire independant independante entrepreneur entrepreneuse facteur factrice pecheur boucher \
        bouchere fleuriste apiculteur apicultrice historien historienne kine kinesitherapeute orthophoniste assistant assistante \
        aide-soignant aide-soignante aide ouvrier ouvriere macon caissier caissiere conducteur conductrice technicien technicienne guide \
        educateur educatrice stagiaire apprenti apprentie lyceen lyceenne directeur directrice chef gerant gerante vigneron vigneronne \
        patissier patissiere doctorant doctorante hotesse steward luthier opticien opticienne serrurier serruriere forgeron routier livreur livreuse ambulancier ambulanciere",
    ),
    (
        "state",
        "allergique vegetarien vegetarienne vegan vegane diabetique coeliaque sourd sourde aveugle intolerant intolerante enceinte \
        retraite retraitee marie mariee divorce divorcee asthmatique autiste",
    ),
    (
        "condition",
        "diabete asthme epilepsie migraines migraine arthrose autisme tdah dyslexie hypertension acouphenes eczema",
    ),
    ("month", "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre noel"),
    (
        "num",
        "dix-huit vingt trente quarante cinquante soixante quatre-vingt quatre-vingts dix deux trois quatre cinq six sept huit neuf \
        onze douze treize quatorze quinze seize quatre dix {digits}",
    ),
    (
        "nation",
        "francais francaise belge suisse quebecois quebecoise canadien canadienne breton bretonne parisien parisienne marocain \
        marocaine algerien algerienne tunisien tunisienne senegalais senegalaise allemand allemande italien italienne espagnol \
        espagnole portugais portugaise anglais anglaise luxembourgeois lyonnais lyonnaise marseillais alsacien alsacienne polonais \
        polonaise ivoirien ivoirienne camerounais",
    ),
    ("drink", "mange bois fume supporte digere consomme mangeons buvons tolere"),
];

const RULES: &[(&str, &str)] = &[
    ("name", "je m'appelle {adv}*1 !{it}|pas|mal"),
    ("name", "mon nom|prenom|surnom complet? est|c'est !{it}|pas|difficile|sur|dans|trop|tres|souvent"),
    ("name", "moi c'est {name} $"),
    ("name", "c'est {name} $"),
    ("name", "appelle|appelez moi simplement|juste|plutot*1 {name} $"),
    ("name", "tu|vous peux|pouvez m'appeler {name}"),
    ("name", "tout|mes|tous|on|les {any}*3 m'appelle|m'appellent|me surnomme|surnomment*1 {name}"),
    ("pronouns", "mes pronoms sont|c'est {any}"),
    ("pronouns", "j'utilise les? pronoms {any}"),
    ("home", "j'habite|j'habitais {any}*4 {at} !{nowhere}|{it}"),
    ("home", "j'habite {any}*3 {at} de|du? le|la|les|un|une|l'|mon|mes !{nowhere}|{it}"),
    ("home", "j'habite {name}"),
    ("home", "je|nous|on vis|vivons|vit|habite|habitons|loge {any}*4 {at} !{nowhere}|{it}"),
    (
        "home",
        "je|nous|on vis|vivons|vit|habitons|habite {any}*3 {at} le|la|les|un|une|mon|mes !{nowhere}|{it}|passe|lune|present|peur",
    ),
    (
        "home",
        "mon|ma|notre nouvelle|nouveau|nouvel maison|ville|logement|adresse|chez est|moi|c'est*2 a? {name}",
    ),
    ("home", "je|nous|on n'habite|n'habitons|vis|n' plus {any}"),
    ("home", "je|nous|on suis|sommes|est {adv}*1 a|en {name} depuis {any}*2 ans|an|mois|{digits}"),
    ("home", "j'ai|nous|on avons|a*1 demenage|emmenage {adv}*2 a|en|au|aux|dans|chez {any}"),
    (
        "home",
        "je|nous|on viens|venons|vient de? demenager|emmenager|d'emmenager {any}*2 a|en|au|aux|dans|chez {any}",
    ),
    (
        "home",
        "je|nous|on me|nous|s'est suis|sommes*1 installe|installee|installes {any}*2 a|en|au|aux|dans {any}",
    ),
    ("origin", "je|nous viens|venons {adv}*1 de|du|des*1 la|l'*1 {name}"),
    (
        "origin",
        "je|nous viens|venons {adv}*1 d'un|d'une|de|du|des un|une|la*1 {any}*2 village|ville|campagne|nord|sud|est|ouest|region|famille|montagne {any}*3",
    ),
    ("origin", "je suis {adv}*1 originaire|natif|native|d'origine {any}"),
    ("birthday", "je suis ne|nee le {any}"),
    ("birthday", "je suis ne|nee en {month}|{digits}"),
    ("birthplace", "je suis ne|nee {any}*2 a|en|au|aux|dans|pres {any}"),
    ("childhood", "j'ai|nous|on avons|a*1 grandi {any}"),
    ("origin", "je|nous suis|sommes {adv}*2 {nation}"),
    ("#1? #2 #3? #4? name", "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 s'appelle|s'appellent {any}"),
    ("#1? #2 #3? #4? home", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 habite|habitent|vit|vivent {any}"),
    (
        "#1? #2 #3? #4? work",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 travaille|travaillent|bosse {any}*1 comme|chez|pour|dans|a|au|en|aux {any}",
    ),
    (
        "#1? #2 #3? #4? studies",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 etudie|etudient|enseigne|apprend|fait|joue|tient {any}*1 du|de|le|la|l'|les|au|des|un|une|etudes {any}",
    ),
    ("#1? #2 #3? #4? studies", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 etudie|enseigne|apprend !{it}"),
    ("#1? #2 #3? #4? work", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont {very}*2 {job}"),
    ("#1? #2 #3? #4? state", "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 est|sont {very}*2 {state}"),
    (
        "#1? #2 #3? #4? school",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|entre|va|rentre en|au|a {any}*2 cp|ce1|ce2|cm1|cm2|sixieme|cinquieme|quatrieme|troisieme|seconde|terminale|maternelle|college|lycee|creche|primaire|fac",
    ),
    ("#1? #2 #3? #4? age", "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 a|ont {num} {any}*2 ans|mois"),
    ("have #2", "j'ai {count} {adj}*2 {family}|{pet} {any}*6"),
    ("have #3", "j'ai {count} {adj}*2 {family}|{pet}"),
    ("have #4", "nous|on avons|a {count} {adj}*2 {family}|{pet} {any}*5"),
    ("have children", "je n'ai pas d'enfants|d'enfant|d'animaux|de"),
    ("have children", "je suis papa|maman|pere|mere|enfant|fille|fils de|d'|unique {any}*3"),
    (
        "married",
        "je|nous|on suis|sommes|est {adv}*2 {very}*1 marie|mariee|maries|divorce|divorcee|divorces|celibataire|veuf|veuve|fiance|fiancee|fiances|pacse|pacsee|pacses|separe|separee {any}*5",
    ),
    ("pregnant", "je suis {any}*2 enceinte"),
    (
        "work",
        "je|nous|on travaille|bosse|travaillons {any}*2 comme|chez|pour|dans|a|au|en|aux !{notwork}|{it}|maison",
    ),
    (
        "work",
        "je|nous|on travaille|bosse|travaillons {any}*2 pour|dans|a|chez la|le|un|une|les|l' !{notwork}|{it}|maison|main|nuit|projet|chaine|dossier",
    ),
    ("work", "je suis {very}*3 {job} {any}*6"),
    ("work", "j'enseigne {any}"),
    (
        "work",
        "j'etudie le|la|les|l'*1 !{it}|beaucoup|pour|la|le|les|question|questions|dossier|probleme|possibilite|sujet|logs",
    ),
    (
        "work",
        "je fais des|mes|un|une etudes|master|doctorat|these|licence|stage|apprentissage|cap|bts de|d'|en|a|chez|sur {any}",
    ),
    ("work", "je suis au|a|en|sans la? chomage|retraite|emploi|recherche"),
    (
        "work",
        "je dirige|tiens|gere|possede un|une|ma|mon {any}*1 boulangerie|magasin|restaurant|cafe|entreprise|boutique|librairie|ferme|hotel|atelier|bar|cabinet|pharmacie|salon|gite|societe",
    ),
    ("studies *", "j'apprends le|la|l'|a*1 !{it}|beaucoup|vite|encore|jouer"),
    ("studies *", "j'apprends a jouer du|de|le|la|l'*2 {any}"),
    (
        "diet",
        "je|nous|on suis|sommes|est {very}*3 vegetarien|vegetarienne|vegetariens|vegan|vegane|vegans|vegetalien|vegetalienne|intolerant|intolerante|coeliaque|pescetarien|pescetarienne|flexitarien|flexitarienne|abstinent",
    ),
    ("diet", "je|nous|on suis|fais|mange|mangeons {any}*1 regime|casher|halal|vegan|vegetarien|bio"),
    (
        "diet *",
        "je|nous|on ne {drink} pas|jamais|plus|aucun|aucune {adv}*1 de|du|des|d'|le|la|les*1 !{it}|la|assez|grand-chose",
    ),
    ("diet *", "je|on {drink} pas|jamais|plus|aucun|aucune de|du|des|d'|le|la|les*1 !{it}|la|assez"),
    ("diet *", "je ne|peux peux|pas*2 manger|boire de|du|des|d'|le|la|les*1 !{it}"),
    ("smoke", "je ne? fume pas|plus"),
    ("diet *", "j'ai arrete de? fumer|manger|boire|l'alcool|le {any}*2"),
    (
        "allergy *",
        "je|nous|on suis|sommes|est {very}*3 allergique|allergiques a|au|aux la|l'|le*1 !{it}|connerie|travail",
    ),
    ("allergy *", "j'ai {any}*2 allergie|allergies|intolerance a|au|aux la? {any}"),
    ("health", "j'ai|je souffre|fais*1 du|de|d'|des|un|le*1 {condition}"),
    (
        "health",
        "je suis {very}*2 diabetique|asthmatique|gaucher|gauchere|droitier|droitiere|daltonien|daltonienne|myope|sourd|sourde|aveugle|malvoyant|malvoyante|autiste|epileptique|dyslexique",
    ),
    ("birthday", "mon anniversaire {adv}*1 est|tombe|c'est {any}*5 {month}|{digits}"),
    ("birthday", "je fete mon anniversaire le|en {any}"),
    ("age", "j'ai {adv}*1 {num} {any}*2 ans"),
    ("age", "je vais|fete avoir|mes {num} ans le|en|au {any}"),
    ("anniversary", "notre anniversaire {any}*3 est|tombe|c'est {any}*4 {month}|{digits}"),
    ("anniversary", "nous|on nous|s'est sommes*1 maries {any}*1 le|en|au|a {any}"),
    ("like *", "j'aime|j'adore {adv}*3 le|la|les|l'*1 !{it}|bien|la|les|le|idee"),
    ("like *", "j'aime bien|beaucoup le|la|les|l'|les*1 !{it}|la|le|les|idee"),
    (
        "like *",
        "je deteste|hais|prefere|n'aime|n'apprecie|raffole {adv}*2 pas|plus|du|tout|trop|de*3 le|la|les|l'*1 !{it}|la|le|les|idee|de|pas|ne",
    ),
    ("like *", "j'aime pas|plus du|tout|trop*2 le|la|les|l'*1 !{it}|la|le|les|idee"),
    ("like *", "je ne? supporte pas le|la|les|l'*1 !{it}|la|le|les"),
    ("like *", "j'ai horreur de|du|des|d' {any}"),
    (
        "#1 favourite",
        "mon|ma|mes {any} {any}*2 prefere|preferee|preferes|preferees|favori|favorite|favoris est|sont|c'est|reste !{it}|casse|cassee|perdu|perdue|sale|vide|ferme|fermee",
    ),
    (
        "like *",
        "je suis {very}*3 fan|amateur|amatrice|passionne|passionnee|accro de|du|des|d'|par|a|au|aux {any}",
    ),
    ("fear *", "j'ai {very}*3 peur|horreur|phobie de|du|des|d'|en le|la|les*1 !{it}|oublier|rater|perdre|me"),
    ("fear", "j'ai le vertige"),
    ("work", "mon metier|travail|boulot est|c'est|consiste {any}"),
];
