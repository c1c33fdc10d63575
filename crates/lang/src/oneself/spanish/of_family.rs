//! The Spanish patterns of clauses about family and pets. They are tried before the others.

pub(super) const OF_FAMILY: &[(&str, &str)] = &[
    ("#1? #2 #3? #4? name", "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 se llama|llaman {any}"),
    (
        "#1? #2 #3? #4? home",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 vive|viven|se mudo|residen|reside*1 en|con|cerca|a|enfrente|al {any}",
    ),
    (
        "#1? #2 #3? #4? work",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 trabaja|trabajan {any}*1 de|como|en|para|con {any}",
    ),
    (
        "#1? #2 #3? #4? studies",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 estudia|estudian|ensena|toca !{it}|la|mucho|poco|para",
    ),
    ("#1? #2 #3? #4? studies", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 toca la|el {any}"),
    ("#1? #2 #3? #4? work", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 es|son {very}*2 {job}"),
    ("#1? #2 #3? #4? #6", "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 es|son {state}"),
    ("#1? #2 #3? #4? state", "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 es|son {very}*2 {state}"),
    (
        "#1? #2 #3? #4? state",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 esta|estan {very}*2 embarazada|jubilado|jubilada|jubilados|divorciado|divorciada|casado|casada",
    ),
    (
        "#1? #2 #3? #4? age",
        "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 tiene|tienen {adv}*1 {num} {any}*2 anos|meses",
    ),
    (
        "#1? #2 #3? #4? work",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 tiene|tienen|tenia|tenian|lleva|llevan|regenta|regentan|dirige|monto|abrio|abrieron un|una {any}*1 {business}",
    ),
    ("#1? #2 #3? #4? work", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 era|eran|fue {very}*2 {job}"),
    (
        "#1? #2 #3? #4? work",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 se|esta|estan|acaba|acaban ha|de|han*1 jubilo|jubilado|jubilada|jubilados|prejubilado|jubilarse|jubilaron|prejubilo",
    ),
    ("#1? #2 #3? #4? work", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 esta|estan en|de paro|{job}|practicas|erte"),
    (
        "#1? #2 #3? #4? work",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 esta|estan|lleva|empezo|ha {any}*2 trabajando|trabajar|trabajado de|en|como|para|con {any}",
    ),
    (
        "#1? #2 #3? #4? work",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 se|curra|curran dedica|dedican|en|de|como|para|con {any}",
    ),
    ("#1? #2 #3? #4? work", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 ha|han sido {very}*1 {job}"),
    ("#1? #2 #3? #4? work", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 ha|han trabajado de|en|como|para"),
    (
        "#1? #2 #3? #4? work",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 vende|venden|cultiva|cultivan|cria|crian|fabrica|fabrican !{it}|el|la|los|las|un|una",
    ),
    (
        "#1? #2 #3? #4? state",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 y yo somos|estamos|nos gemelos|gemelas|mellizos|mellizas|casados|divorciados|separados|casamos|separamos|divorciamos",
    ),
    (
        "#1? #2 #3? #4? state",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 se divorciaron|separaron|casaron|caso|separo|divorcio|han|ha $|en|hace|el|cuando|este|divorciado|separado|casado|con",
    ),
    (
        "#1? #2 #3? #4? pregnant",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 esta|estan|espera|esperan|va|van|tendra esperando|a|un|una|mellizos|gemelos {any}*1 bebe|mellizos|gemelos|nino|nina|hijo|$",
    ),
    (
        "#1? #2 breed",
        "{mi} {adj}*2 {pet} {adj}*1 {name}*1 es|son un|una|unos {adj}*1 {pet}|mestizo|mestiza|siames|siamesa|persa|cruce|comun|callejero",
    ),
    (
        "#1? #2 #3? #4? origin",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 nacio|nacieron|es|son natural|nacido|nacida|oriundo|oriunda*1 en|de {name}!{not_an_origin}|{month}",
    ),
    ("#1? #2 name", "{mi} {adj}*2 {pet} {adj}*2 !es*5 se llama {any}"),
    ("#1? #2 #3? #4? origin", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 es|son|era|eran {very}*2 {nation}"),
    (
        "#1? #2 #3? #4? origin",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 es|son|era|eran|viene|vienen de {name}!{not_an_origin}",
    ),
    (
        "#1? #2 #3? #4? origin",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 es|son de|del origen|familia|norte|sur|un {any}",
    ),
    (
        "#1? #2 #3? #4? home",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 vive|viven|residen|reside {any}*3 a|en|con|cerca|al|sola|solo {any}*1",
    ),
    (
        "#1? #2 #3? #4? home",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 se|esta|vive|viven|lleva|llevan|sigue|siguen|continua|continuan|estan|residen {any}*3 vivir|viviendo|instalado|mudado|mudaron|mudo|instalo {any}*3 a|en|con|cerca|al {any}",
    ),
    (
        "#1? #2 #3? #4? school",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 esta|estan|va|van|empieza|pasa|entra|hace en|a|al|este*2 {ordinal}|infantil|parvulos|guarderia|instituto|bachillerato|universidad|uni|facultad|eso|bachiller {any}",
    ),
    (
        "#1? #2 #3? #4? studies",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 juega|juegan|practica|practican|hace|hacen|baila|canta a|al|judo|natacion|karate|ballet|gimnasia|danza|teatro|flamenco {any}",
    ),
    (
        "#1? #2 #3? #4? death",
        "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 ha|han muerto|fallecido $|en|hace|el|la|con|este|esta|joven|por",
    ),
    (
        "#1? #2 #3? #4? death",
        "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 se|nos*2 murio|murieron|fallecio|fallecieron|dejo $|en|hace|el|la|cuando|con|joven|este|por|un|a|antes|despues|durante|{digits}|repentinamente",
    ),
    (
        "#1? #2 #3? #4? death",
        "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 se|nos*2 murio|fallecio de|del un*1 cancer|infarto|viejo|vieja|covid|ictus|corazon|accidente",
    ),
    (
        "#1? #2 #3? #4? birthday",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 nacio {any}*1 el|en|un {digits}|{month}",
    ),
    ("#1? #2 #3? #4? state", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 esta|estan|es|son {any}*1 {state}"),
    (
        "#1? #2 #3? #4? allergy",
        "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 es|tiene {any}*3 alergica|alergico|alergia|celiaco|celiaca",
    ),
    (
        "#1? #2 #3? #4? diet",
        "{mi} {adj}*2 {kin} {adj}*2 {name}*1 no come|bebe|comen|toma !nada|bien|hoy|mucho|ni|casi",
    ),
    ("#1? #2 #3? #4? health", "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 tiene|padece {any}*1 {condition}"),
    (
        "#1? #2 #3? #4? age",
        "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 cumplio|ha|han|acaba|va cumplido|de|a*1 cumplir*1 {num} {any}*2 anos|meses",
    ),
    (
        "#1? #2 #3? #4? age",
        "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 cumplio|cumple {any}*1 {num} {any}*2 anos|meses $",
    ),
    (
        "#1? #2 #3? #4? name",
        "{mi} {adj}*2 {kin}|{pet} {adj}*2 {name}*1 ya? no se llama|llaman {any}*2 sino|es {any}",
    ),
    ("#1? #2 #3? #4? birthday", "{mi} {adj}*2 {kin} {adj}*2 {name}*1 cumple {any}*2 el|en {any}"),
];
