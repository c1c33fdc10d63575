//! The French patterns of clauses about family and pets. They are tried before the others.

pub(super) const OF_FAMILY: &[(&str, &str)] = &[
    ("#1? #2 #3? #4? name", "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 s'appelle|s'appellent {any}"),
    ("#1? #2 #3? #4? home", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 habite|habitent|vit|vivent {any}"),
    (
        "#1? #2 #3? #4? work",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 travaille|travaillent|bosse {any}*1 comme|chez|pour|dans|a|au|en|aux {any}",
    ),
    (
        "#1? #2 #3? #4? studies",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 etudie|etudient|enseigne|apprend|fait|font|joue|jouent|tient {any}*1 du|de|le|la|l'|les|au|des|un|une|etudes {any}",
    ),
    ("#1? #2 #3? #4? studies", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 etudie|enseigne|apprend !{it}"),
    ("#1? #2 #3? #4? work", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont {very}*2 {job}"),
    ("#1? #2 #3? #4? state", "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 est|sont {very}*2 {state}"),
    (
        "#1? #2 #3? #4? work",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 qui? tient|tiennent|gere|gerent|dirige|dirigent|possede|possedent|avait|ont|a un|une {any}*2 {business}",
    ),
    (
        "#1? #2 #3? #4? work",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 a|ont|vient {any}*1 monte|ouvert|repris|lance|cree|d'ouvrir un|une|sa|son|leur {any}*2 {business}",
    ),
    (
        "#1? #2 #3? #4? work",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 etait|etaient|fut|a|ont ete*1 {very}*2 {job}",
    ),
    (
        "#1? #2 #3? #4? work",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 vend|vendent|cultive|cultivent|eleve|elevent|fabrique|fabriquent du|des|de {any}",
    ),
    (
        "#1? #2 #3? #4? age",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 a|ont|vient|va eu|fete|d'avoir|avoir|feter ses*1 {num} {any}*2 ans|mois",
    ),
    (
        "#1? #2 #3? #4? name",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 ne s'appelle|s'appellent pas|plus {any}*2 mais {any}",
    ),
    ("#1? #2 #3? #4? studies", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 fait|etudie|commence {any}*1 {etudes}"),
    ("#1? #2 name", "{mon} {adj}*2 {pet} {adj}*1 !c'est*5 s'appelle {any}"),
    (
        "#1? #2 #3? #4? origin",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont ne|nee|nes|nees {any}*1 a|en|au|aux|dans|pres {name}",
    ),
    (
        "#1? #2 #3? #4? birthday",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 fete|fetent son|leur anniversaire le|en|au {any}",
    ),
    (
        "#1? #2 #3? #4? health",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 a|souffre|fait {any}*2 {condition}|alzheimer|parkinson",
    ),
    (
        "#1? #2 #3? #4? pregnant",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 attend|attendent {any}*1 bebe|enfant|jumeaux|jumelles",
    ),
    (
        "#1? #2 #3? #4? state",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 et moi sommes|nous|on*2 est*1 jumeaux|jumelles|maries|separes|divorces|pacses|fiances",
    ),
    (
        "#1? #2 #3? #4? state",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 ont|a|se|s'est|sont|viennent sont|de*1 divorce|divorcer|separes|separe|separee|marie|mariee|maries|remarie|remariee|remaries|fiance|fiancee|pacses",
    ),
    ("#1? #2 #3? #4? pregnant", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|va enceinte|accoucher"),
    ("#1? #2 #3? #4? name", "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 c'est {name}!{notname} $"),
    (
        "#2 breed",
        "{mon} {adj}*1 {pet} {adj}*1 {name}*1 est|sont un|une|des {adj}*1 {pet}|croise|croisee|siamois|siamoise|persan|batard|europeen",
    ),
    (
        "#1? #2 #3? #4? work",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont {any}*1 a|au|en|sans la? chomage|retraite|emploi|alternance|apprentissage|stage",
    ),
    (
        "#1? #2 #3? #4? origin",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont|etait|etaient {very}*2 {nation}",
    ),
    (
        "#1? #2 #3? #4? origin",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont|vient|viennent {any}*1 originaire|originaires|d'origine {any}",
    ),
    (
        "#1? #2 #3? #4? origin",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont|vient|viennent de|du|des {name}!{not_an_origin}",
    ),
    (
        "#1? #2 #3? #4? home",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 s'est|se|est|a|ont|vient|sont {any}*1 travailler|etudier|vivre|installe|installee|installes|demenage|emmenage|vivre|s'installer {any}*2 a|en|au|aux|dans|chez|pres {any}",
    ),
    (
        "#1? #2 #3? #4? death",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 est|sont {any}*1 mort|morte|morts|decede|decedee|decedes {gone}|$|a",
    ),
    (
        "#1? #2 #3? #4? death",
        "{mon} {adj}*2 {pet} {adj}*1 {name}*1 est|nous partie|parti|a*1 {any}*1 en|quitte|quittes|l'an|l'annee|l'ete|il {any}",
    ),
    (
        "#1? #2 #3? #4? death",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 nous|a|s'est a|quittes|eteint|eteinte*2 quittes|quitte|eteint|eteinte",
    ),
    ("#1? #2 #3? #4? state", "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont {any}*1 {state}"),
    (
        "#1? #2 #3? #4? allergy",
        "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 est|sont|fait {any}*3 allergique|allergiques|allergie",
    ),
    (
        "#1? #2 #3? #4? diet",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 ne mange|boit|mangent|boivent|supporte|digere pas|plus|jamais de|d'~|le|la|les {any}",
    ),
    (
        "#1? #2 #3? #4? birthday",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 fete|fetera|souffle|aura|feterons {any}*1 {num} {any}*2 ans|bougies|printemps le|en|au {any}",
    ),
    (
        "#1? #2 #3? #4? birthday",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|sont ne|nee|nes|nees le|en|un|au {digits}|{month}|premier",
    ),
    (
        "#1? #2 #3? #4? school",
        "{mon} {adj}*2 {kin} {adj}*1 {name}*1 est|entre|va|rentre en|au|a {any}*2 cp|ce1|ce2|cm1|cm2|sixieme|cinquieme|quatrieme|troisieme|seconde|terminale|maternelle|college|lycee|creche|primaire|fac",
    ),
    ("#1? #2 #3? #4? age", "{mon} {adj}*2 {kin}|{pet} {adj}*1 {name}*1 a|ont {num} {any}*2 ans|mois"),
];
