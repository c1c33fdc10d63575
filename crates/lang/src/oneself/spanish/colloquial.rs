//! The Spanish patterns of everyday speech: the object comes first, or a relative clause tells the fact. They are tried
//! after the patterns of family and before the others.

pub(super) const COLLOQUIAL: &[(&str, &str)] = &[
    // relative clauses: "hasta Gijón, que es donde vivo"
    ("home", "!{tells} !{tells}*13 {capital} que|y*1 es*1 donde|ahi|alli yo*1 vivo|vivimos|resido|residimos"),
    (
        "home",
        "!{tells} !{tells}*13 {capital} que|y*1 es*1 donde|ahi|alli yo*1 tengo|tenemos mi|la|nuestra|el casa|piso|familia|apartamento",
    ),
    (
        "home",
        "!{tells}*14 a|hasta|en|de|por|cerca !{it}|{not_a_home}|{vague}|~ar|~er|~ir que es donde vivo|vivimos|resido|residimos",
    ),
    (
        "home",
        "!{tells}*14 a|hasta !{it}|{not_a_home}|{vague}|~ar|~er|~ir donde vivo|vivimos|resido desde|con",
    ),
    (
        "work",
        "!{tells} !{tells}*13 {capital} que|y*1 es*1 donde trabajo|curro|estudio $|desde|de|como|hace|ahora",
    ),
    // "sacar a Canela, es mi galga", "Canela, que es mi perra"
    ("#6 name", "!{tells} !{tells}*8 {capital}!{notname} que*1 es {mi} {adj}*2 {kin}|{pet}"),
    ("#3 name", "{capital}!{notname} que*1 es {mi} {adj}*2 {pet} $"),
    // "nuestros dos gatos, Mila y Pelusa", "mi jefa, la señora Ortuño"
    ("#1? #2 name", "{mi} {adj}*2 {kin}|{pet} {adj}*2 {capital} {capital}*2 y|e {capital}!yo"),
    (
        "#1? #2 name",
        "{mi} {adj}*2 {kin}|{boss} {adj}*1 el|la*1 don|dona|senor|senora|doctor|doctora|senorita {capital}",
    ),
    ("#1? #2 name", "{mi} {adj}*2 {boss} {capital}!{notname}"),
    ("#1? #2 name", "{mi} {adj}*2 {boss} {adj}*1 se llama|llaman {any}"),
    // names
    ("name", "{yo}*1 soy el|la {capital}!{notname}|{not_a_nick}|{job}|{nation} $|el|del|de|la|y|q|que"),
    // homes and people there
    (
        "home",
        "{yo}*1 vivo|vivimos|resido en|con un|una|el|la|mi|mis !{not_a_home} en|de|con|y !{it}|{vague}|momento|serio|paz",
    ),
    ("have hogar", "{yo}*1 somos {num} en casa $|{mi}|dos|con|mas|mis|conmigo|y"),
    (
        "languages",
        "en mi|nuestra|la*1 casa {yo}*1 siempre|solo|todos*1 hablamos|hablo|se|hablan habla|siempre*1 {tongue}",
    ),
    (
        "languages",
        "en mi|nuestra|la*1 casa {yo}*1 siempre|solo|todos*1 hablamos|hablo|hablan|nos en*1 {tongue}",
    ),
    ("languages", "{yo}*1 hablo|hablamos {tongue} {any}*2 en casa"),
    ("languages", "{yo}*1 hablo|hablamos {tongue} con {mi} {any}"),
    ("speaks #2", "{yo}*1 hablo {tongue} $|y|desde|muy|pero|como|perfectamente|con"),
    ("languages", "mi lengua|idioma materna|materno|nativa|nativo es {any}*2 {tongue}"),
    // weekly habits
    (
        "weekly #1",
        "los|todos|cada los|{weekday} {weekday}*1 y*1 {weekday}*1 {part}*3 {yo}*1 toco|juego|canto|bailo|entreno|nado|corro|ensayo|pinto|practico {any}",
    ),
    (
        "weekly #1",
        "los|todos|cada los|{weekday} {weekday}*1 y*1 {weekday}*1 {part}*3 {yo}*1 voy|tengo|hago|doy|vamos|tenemos a*1 {any}*2 {weekly}",
    ),
    ("plays *", "{yo}*1 toco en? {any}*2 {instrument}"),
    ("plays #5", "{yo}*1 juego|jugamos {any}*2 al|a la*1 {sport}"),
    ("plays #5", "{yo}*1 hago|practico|entreno {any}*2 al|de|la|el*1 {sport}"),
    // health
    ("health ruedas", "{yo}*1 voy|estoy|uso|utilizo|necesito|ando|me {any}*2 silla de ruedas"),
    (
        "health insulina",
        "{yo}*1 me tengo|toca|debo*1 que*1 pincho|inyecto|pongo|chuto|pinchar|inyectar|poner|pinchan la*1 insulina",
    ),
    ("health insulina", "{yo}*1 tengo|debo que pincharme|inyectarme|ponerme|chutarme la*1 insulina"),
    (
        "health insulina",
        "{yo}*1 uso|llevo|necesito|dependo|tengo una|la|bomba|de*4 insulina $|desde|para|y|antes|porque|por",
    ),
    (
        "health #4",
        "{yo}*1 uso|utilizo|llevo {device_of}*1 {device} $|desde|para|y|porque|pero|siempre|con|en",
    ),
    (
        "health #3",
        "{yo}*1 tengo|padezco la*1 tension|colesterol|presion|tiroides {any}*1 alta|alto|baja|bajo|mal|descontrolada",
    ),
    ("health #3", "{yo}*1 tengo|padezco el|la*1 tension|colesterol|presion {any}*1 alta|alto|baja|bajo"),
    (
        "health #5",
        "{yo}*1 me|nos han*1 diagnosticaron|diagnosticado|detectaron|detectado un|una*1 {condition}",
    ),
    // diet
    (
        "diet",
        "{yo}*1 llevo|llevamos {any}*4 siendo {very}*2 vegetariano|vegetariana|vegetarianos|vegano|vegana|veganos|pescetariano|pescetariana|flexitariano|flexitariana|celiaco|celiaca|abstemio|abstemia",
    ),
    ("work", "{yo}*1 llevo|llevamos {any}*4 siendo {very}*1 {job}"),
    // allergies, fears and likes whose object comes first
    (
        "allergy #2 #3?",
        "a|al el|la|los|las*1 !{it}|{vague}|{boss}|{kin} !le|les|no|yo*2 yo*1 le|les tengo {any}*1 alergia|intolerancia",
    ),
    (
        "allergy #1 #2?",
        "el|la|los|las !{vague} !le|les|no|yo*4 yo*1 le|les tengo {any}*1 alergia|intolerancia",
    ),
    (
        "allergy #2 #3?",
        "a|al el|la|los|las*1 !{it}|{vague} !le|les|no|yo*2 soy {very}*2 alergico|alergica|intolerante",
    ),
    (
        "fear #2 #3?",
        "a|al el|la|los|las*1 !{it}|{vague}|{boss}|{kin}|{job} !le|les|no|yo*2 le|les tengo {any}*2 miedo|panico|fobia|terror|pavor|respeto|asco",
    ),
    (
        "fear #1 #2?",
        "el|la|los|las !{vague}|{boss} !me|le|les|no*2 le|les tengo {any}*2 miedo|panico|fobia|terror|pavor|asco",
    ),
    (
        "like #2 #3?",
        "a|al el|la|los|las*1 !{it}|{vague}|{boss}|{kin}|{job} !le|les|no|yo*2 le|les tengo {any}*1 mania|tirria|devocion",
    ),
    ("like #2", "el|la {food} {any}*1 me da|dan {any}*1 asco|repelus|nauseas"),
    (
        "like *",
        "lo que|unico de|mas|menos|realmente|verdad|que|siempre*3 me|nos gusta|encanta|apasiona|va|chifla|relaja es|son el|la|los|las*1 !{it}|{vague}|el|la|los|las|hacer",
    ),
    (
        "like *",
        "lo que mas|menos|realmente|de|verdad*2 disfruto|odio|detesto|adoro|escucho|aborrezco es|son el|la|los|las*1 !{it}|{vague}|el|la|los|las|hacer",
    ),
    ("like *", "si me gusta|gustan|encanta|encantan ahora*1 el|la|los|las*1 !{it}|{vague}|el|la|los|las"),
    // how the author wants to be answered
    (
        "answers",
        "contestame|respondeme|hablame|escribeme|explicame|tratame|responde|contesta siempre !que|cuando|si|igual|lo",
    ),
    ("answers", "siempre contestame|respondeme|hablame|escribeme|tratame {any}"),
    (
        "answers",
        "a partir de ahora {any}*1 contestame|respondeme|hablame|escribeme|tratame|responde|contesta {any}",
    ),
    (
        "answers",
        "de aqui|ahora|hoy en adelante {any}*1 contestame|respondeme|hablame|escribeme|explicame|tratame|responde|contesta {any}",
    ),
    (
        "answers",
        "no uses|utilices|pongas emojis|emoticonos|tecnicismos|anglicismos|rodeos $|conmigo|nunca|cuando|en|al|porfa",
    ),
    ("answers", "se breve|conciso|concisa {any}*6 siempre"),
    ("answers", "se siempre breve|conciso|concisa"),
    ("answers", "mejor? tratame|hablame|tuteame de usted|tu $|de|desde|siempre"),
    ("answers", "me puedes|podes|puede tutear|hablar|tratar de*1 tu|usted*1 $"),
    ("answers", "puedes|podes|puede tutearme $|sin|tranquilamente"),
    (
        "answers",
        "prefiero que me trates|hables|contestes|respondas|escribas|expliques de|en|con|brevemente|siempre {any}*1",
    ),
    // people
    ("married", "{capital} y yo lo hemos*1 dejado|dejamos $|hace|este|esta|por|definitivamente|despues|tras"),
    (
        "married",
        "{capital} y yo nos|hemos hemos*1 separado|divorciado|roto|separamos|divorciamos|casado|casamos|prometido $|hace|este|esta|el|en|por|despues|tras|hemos",
    ),
    ("married", "{yo}*1 lo he|hemos dejado con {mi} novio|novia|pareja|chico|chica|marido|mujer"),
    // what the family likes and does
    (
        "#0 like *",
        "{kin}|{pet} el|la|los|las|{adj}|{capital}*3 no*1 le|les gusta|gustan|encanta|encantan|chifla|chiflan|apasiona|apasionan {adv}*2 el|la|los|las*1 !{it}|{vague}|el|la|los|las|idea",
    ),
    (
        "#2 like *",
        "a {mi} {adj}*2 {kin}|{pet} el|la|los|las|{adj}|{capital}*3 no*1 le|les gusta|gustan|encanta|encantan|chifla|chiflan|apasiona|apasionan {adv}*2 el|la|los|las*1 !{it}|{vague}|el|la|los|las|idea",
    ),
    (
        "#1 like *",
        "{mi} {adj}*2 {kin}|{pet} {capital}*1 odia|adora|detesta|odian|adoran el|la|los|las*1 !{it}|{vague}|el|la|los|las|a",
    ),
    // more about work, studies and diet
    ("work", "{yo}*1 ejerzo de|como {any}"),
    ("work", "{yo}*1 me saque|he sacado*1 la|el|las carrera|titulo|oposicion|oposiciones {any}*3"),
    (
        "studies *",
        "{yo}*1 ando|sigo aprendiendo|estudiando a? tocar? el|la*1 !{it}|mucho|para|poco|un|una|mi",
    ),
    (
        "diet *",
        "{yo}*1 soy de los|las que no|nunca comen|beben|toman|fuman|prueban el|la|los|las*1 !{it}|nada|nunca",
    ),
    ("diet cafe", "{yo}*1 tomo|bebo|quiero el|mi cafe|te siempre*1 con|sin|solo|descafeinado"),
    ("diet #1", "el|mi cafe|te {adv}*1 siempre|para con|sin|solo|mi|descafeinado|cortado {any}*1"),
    ("diet", "leche de avena|soja|almendras {any}*3 siempre"),
    // times of being awake
    (
        "rhythm",
        "{yo}*1 soy {very}*2 madrugador|madrugadora|trasnochador|trasnochadora|nocturno|nocturna|noctambulo|noctambula",
    ),
    ("rhythm", "{yo}*1 soy un|una*1 ave|buho|lechuza nocturna|nocturno|$"),
    ("rhythm", "{yo}*1 soy {very}*1 mas*1 de*1 persona de mananas|noche|noches|tardes"),
    ("birthplace", "nacido|nacida y criado|criada en {any}"),
    ("origin", "{yo}*1 soy|somos nacido|nacida y|en criado|criada|{capital} {any}*2"),
    // facts about others and the author
    ("#5 health", "{yo}*1 tengo|tenemos a {mi} {adj}*1 {kin} {capital}*1 con {condition}|demencia"),
    (
        "#1 fear *",
        "a {mi} {adj}*1 {kin}|{pet} {capital}*1 le|les dan|da {any}*1 miedo|panico|terror el|la|los|las*1 {any}",
    ),
    ("#0 fear *", "{kin}|{pet} {capital}*1 le|les dan|da {any}*1 miedo|panico|terror el|la|los|las*1 {any}"),
    ("have children", "{yo}*1 somos padres|madres|abuelos de {any}"),
    ("weekly work", "los {weekday} {part}*3 {yo}*1 trabajo|curro de|como|en|con {any}"),
    ("weekly work", "{yo}*1 trabajo|curro solo*1 los {weekday} de|como|en|con {any}"),
    (
        "weekly #1",
        "todos|todas|cada los|las|{often} {often}*1 {yo}*1 corro|nado|camino|medito|entreno|practico|paseo|salgo {any}*1",
    ),
    ("rhythm", "{yo}*1 me levanto|acuesto|despierto {any}*6 todos|cada|siempre|diario|diariamente"),
    (
        "commute",
        "{yo}*1 voy|vengo {any}*2 al|a la*1 trabajo|curro|uni|universidad|oficina|cole|instituto|facultad siempre*1 en*1 andando|caminando|pie|bici|bicicleta|coche|moto|bus|autobus|metro|tren|tranvia|patinete",
    ),
    (
        "diet *",
        "siempre yo*1 desayuno|ceno|meriendo|almuerzo un|una|el|la*1 !{it}|fuera|tarde|pronto|mucho|poco",
    ),
    ("diet *", "{yo}*1 desayuno|ceno|meriendo siempre un|una|el|la*1 !{it}|fuera|tarde|pronto|mucho|poco"),
    ("diet alcohol", "{yo}*1 no bebo $|desde|ni|nunca|nada|alcohol"),
    ("diet alcohol", "{yo}*1 soy|estoy|llevo {any}*3 sobrio|sobria $|desde|y"),
    (
        "religion",
        "{yo}*1 soy|somos {very}*2 catolico|catolica|musulman|musulmana|judio|judia|ateo|atea|budista|evangelico|evangelica|protestante|agnostico|agnostica|ortodoxo|ortodoxa|hindu|creyente $|y|practicante|desde|no|pero|asi",
    ),
    ("height", "{yo}*1 mido {digits}|un|uno {any}*3 $|metro|metros|{num}|y|cm"),
    ("shoes", "{yo}*1 calzo un|el*1 {num}"),
    (
        "smoke",
        "{yo}*1 fumo $|desde|tabaco|como|medio|un|una|dos|tres paquete|$|desde|de|y|cajetilla|una|paquetes",
    ),
    ("have #3", "{yo}*1 no tengo carnet|coche|permiso"),
    ("like *", "{yo}*1 colecciono {any}"),
    (
        "like *",
        "{yo}*1 soy del|de la*1 betis|madrid|barca|atleti|atletico|athletic|sevilla|valencia|real|celta|depor|osasuna|sporting|boca|river $|desde|a|de|y",
    ),
    ("like *", "mi equipo favorito|de|futbol*2 es el|la*1 {any}"),
    (
        "like *",
        "{yo}*1 prefiero|elijo el|la|los|las*1 !{it}|{vague}|el|la|los|las|~ar|~er|~ir a|antes|al|que {any}",
    ),
    (
        "home",
        "{yo}*1 me*1 acabo|acabamos de comprar|comprarme|comprarnos|alquilar|alquilarme|mudarme un|una {any}*1 piso|casa|atico|apartamento|estudio|chalet|finca {any}*2 en|cerca {any}",
    ),
    ("home", "hace {any}*3 anos|meses que vivo|vivimos en|con {any}"),
    ("work", "hace {any}*3 anos|meses que trabajo|curro|soy de|en|como|para|{job}"),
    ("diet", "{yo}*1 soy {very}*2 intolerante a|al {any}"),
    (
        "health #4",
        "{yo}*1 me han*1 operado|operaron de|del la*1 corazon|rodilla|espalda|cadera {any}*5 llevo|uso",
    ),
    ("speaks", "{yo}*1 hablo {num}|varios|varias idiomas|lenguas"),
    (
        "origin",
        "{yo}*1 soy un|una*1 nativo|nativa|emigrante|inmigrante|expatriado|expatriada de|en|espanol|espanola {any}",
    ),
    // leisure
    ("plays *", "{yo}*1 canto en un|una|el|la coro|coral|grupo|orfeon|banda"),
    ("plays #2", "{yo}*1 bailo {dance}"),
    ("plays #2", "{yo}*1 pinto|dibujo|escribo|restauro|construyo|coso|tejo {craft}"),
    ("weekly #2", "{yo}*1 corro|nado|medito|entreno|camino todos|todas|cada los|las|{often} {often}*1"),
    ("plays #2", "{yo}*1 corro|hago maratones|triatlones"),
    // more about the body, work and family
    ("health #2", "me falta|faltan un|una|dos {part_of_body} $|desde|por|y|asi"),
    ("health #3", "{yo}*1 tengo un|una solo*1 {part_of_body} $|desde|y|solo"),
    (
        "health #8",
        "{yo}*1 tengo|tomo que*1 tomar*1 pastillas|medicacion|medicamentos|tratamiento para|por el|la|los*1 {condition}|tiroides|tension|corazon|colesterol|azucar|ansiedad|depresion|circulacion",
    ),
    ("fear", "me da|dan {very}*2 vertigo $|la|las|el|desde|y"),
    ("fear *", "{yo}*1 me dan|da {very}*2 pavor|grima|yuyu|repelus el|la|los|las*1 !{it}|la|el"),
    (
        "pregnant",
        "{yo}*1 espero|esperamos|estoy esperando*1 un|una|mi|nuestro|nuestra primer|segundo|tercer*1 bebe|hijo|gemelos|mellizos $|para|en|y",
    ),
    ("have #6", "{yo}*1 adopte|adoptamos|he|hemos adoptado*1 a un|una|dos|tres {adj}*1 {family}|{pet}"),
    (
        "#2 health",
        "{mi} {adj}*2 {kin}|{pet} {adj}*1 {capital}*1 esta|es|se ha*1 quedado*1 ciego|ciega|sordo|sorda|cojo|coja",
    ),
    ("age", "{yo}*1 tengo {digits} tacos|palos|primaveras"),
    ("childhood", "{yo}*1 creci|crie bilingue"),
    ("speaks #4", "{yo}*1 hablo {any}*2 de|algo de*1 {tongue}"),
    ("work", "{yo}*1 trabajo|curro a turnos|distancia"),
    (
        "work",
        "{yo}*1 me falta|faltan|queda|quedan {any}*3 para acabar|terminar la|el|mi carrera|grado|master|tesis",
    ),
    ("origin", "{yo}*1 vengo de una*1 familia de {any}"),
    ("answers", "tuteame|tuteadme siempre|$"),
    ("like #1", "el|la|las|los !{vague} no es|son lo mio"),
    ("work", "!{tells}|no*12 es mi trabajo|profesion|oficio|curro $|desde"),
    ("work", "{yo}*1 voy a la uni|universidad|facultad en|de {capital}"),
    ("birthplace", "!{tells} !{tells}*13 {capital} que|y*1 es*1 donde yo*1 naci|nacimos|creci"),
    ("health #2", "{yo}*1 tengo la|el|una|un {any} {any}*1 operado|operada|amputado|amputada"),
    (
        "#1? #2 state",
        "{mi} {adj}*2 {kin} son|somos trillizos|trillizas|mellizos|mellizas|gemelos|gemelas|adoptados|adoptadas",
    ),
    ("have children", "{yo}*1 ya*1 somos|soy padres|padre|madre|abuelos|abuelo|abuela"),
    ("home", "mi|nuestra|nuestro casa|piso|apartamento esta|queda {any}*6 {capital}"),
    ("work", "{yo}*1 tengo {count} trabajos|curros|empleos"),
    ("cannot #3", "{yo}*1 no se conducir|nadar|cocinar|esquiar|patinar|coser|ingles|frances|montar|silbar"),
    ("like *", "mi rollo|onda es|son el|la|los|las*1 !{it}|{vague}|el|la|los|las"),
    ("home", "{yo}*1 me|nos vine|vinimos|fui|fuimos de|desde {any}*2 a {capital}"),
    (
        "like #1",
        "el|la|los|las !{vague} ni olerlo|olerla|verlo|verla|probarlo|probarla|regalado|regalada|loco|loca",
    ),
    ("like #1", "el|la|los|las !{vague} ni en pintura|broma"),
    ("like #1", "el|la|los|las !{vague} es|son lo mio"),
    (
        "fear *",
        "{yo}*1 tengo mucho|un*1 pavor|terror|miedo a|al la|las|los*1 !{it}|la|las|los|que|perder|llegar",
    ),
    ("diet *", "{yo}*1 soy incapaz de comer|beber|tragar|probar el|la|los|las*1 !{it}|mas|nada"),
    ("health #3", "{yo}*1 somos todos*1 zurdos|zurdas|celiacos|asmaticos|diabeticos|miopes|daltonicos"),
    ("#1? #2 home", "{mi} {adj}*2 {kin} {capital}*1 vive|viven conmigo"),
    (
        "#2 health",
        "a {mi} {kin}|{pet} {capital}*1 le|les han*1 diagnosticado|diagnosticaron|detectado|detectaron {any}*2 {condition}",
    ),
    (
        "#0 health",
        "{kin}|{pet} {capital}*1 le|les han*1 diagnosticado|diagnosticaron|detectado|detectaron {any}*2 {condition}",
    ),
    ("languages #1", "mi {any} idioma|lengua es|son {any}*1 {tongue}"),
    ("birthday", "{yo}*1 cumplo el {digits}|uno|dos|tres de {month}"),
    ("origin", "{yo}*1 soy hijo|hija|nieto|nieta de {nations}|{nation} {any}*1"),
    ("#1? #2 origin", "{mi} {adj}*2 {kin} {capital}*1 son|eran {very}*1 {nations}"),
    ("have mascotas", "en mi|nuestra*1 casa tenemos|hay {count} {adj}*1 {pet} {any}*3"),
    ("married", "{yo}*1 llevo|llevamos {any}*3 juntos|juntas|casados|casadas desde|y|$"),
    ("like #2", "yo el|la|los|las !{vague} ni olerlo|olerla|verlo|verla|probarlo|probarla|regalado|regalada"),
    ("name", "todo el mundo-me llama|conoce como|por*1 {name}!{notname}|{it}"),
    ("name", "todo el mundo-me-dice {name}!{notname}|{it}"),
    ("like *", "lo unico que escucho|leo es|son el|la|los|las*1 !{it}|{vague}|el|la|los|las"),
    ("like *", "{yo}*1 solo|unicamente escucho|leo el|la|los|las*1 !{it}|{vague}|el|la|los|las"),
    (
        "like *",
        "lo que mas*1 feliz*1 me hace mas*1 feliz*1 es|son el|la|los|las*1 !{it}|{vague}|el|la|los|las",
    ),
    ("anniversary", "en {month} hacemos|hago|celebramos|cumplimos {num} anos de|desde|casados {any}*2"),
    ("birthday", "{any}*3 es mi cumple|cumpleanos el|dia*2 {digits} de {month}"),
    ("#6 name", "{any} {any}*6 es|son {capital}!{notname} {mi} {adj}*1 {pet}|{kin} $"),
    (
        "allergy *",
        "{yo}*1 le|les tengo {any}*1 alergia a|al el|la|los|las*1 !{it}|{vague}|{boss}|{kin}|el|la|los|las",
    ),
    (
        "fear *",
        "{yo}*1 le|les tengo {any}*2 miedo|panico|fobia|terror|pavor a|al el|la|los|las*1 !{it}|{vague}|{boss}|{kin}|{job}|el|la|los|las|mi|que",
    ),
    ("work", "{yo}*1 hago turno|turnos|noches {any}*3 en|como|de {any}"),
    (
        "like *",
        "{yo}*1 escucho sobre|mucho|principalmente|casi|mas todo|siempre*1 el|la|los|las*1 !{it}|{vague}|el|la|los|las|todo|a|tu",
    ),
    ("diet cafe", "siempre tomo|bebo|quiero el|mi|un cafe|te con|sin|solo|descafeinado|cortado"),
    ("health #3", "{yo}*1 necesito|camino|ando con*1 {device} {any}*1"),
    ("languages", "con {mi} {any} {yo}*1 hablo|hablamos en|siempre*2 {tongue}"),
    ("languages", "{yo}*1 hablo|hablamos en*1 {tongue} con {mi} {any}"),
    (
        "like *",
        "no hay nada que me guste|encante|apasione mas que el|la|los|las*1 !{it}|{vague}|el|la|los|las",
    ),
    ("health #1", "me mareo siempre|mucho*1 en|si|cuando el|los|un*1 {any}"),
    ("home", "{yo}*1 llevo|llevamos en {capital} desde|{num}|un|varios {any}"),
    ("#2 home", "{mi} {adj}*2 {kin} {adj}*1 {capital}*1 se ha|han|fue|fueron|va ido*1 a {any}*2 a vivir"),
    (
        "rhythm",
        "{yo}*1 rindo|trabajo|funciono|estudio mejor|mas por|de las|la|noche|madrugada manana|mananas|noche|noches|tarde|tardes|$",
    ),
    ("studies *", "{yo}*1 voy|vamos a clase|clases de !{it}|hoy"),
    ("answers", "contestame|respondeme|hablame|escribeme {any}*6 siempre $|porfa"),
    (
        "#2 anniversary",
        "{mi} {adj}*2 {kin} hacen|celebran|cumplen {any}*2 bodas|aniversario|anos {any}*3 el|en {digits}|{month}|uno",
    ),
    (
        "origin",
        "{yo}*1 soy|somos {adv}*1 de un|una*1 pueblecito|pueblito|aldea|villa|isla|aldeita de|del|en|cerca {any}",
    ),
    ("diet *", "{yo}*1 llevo desde {any}*3 sin comer|beber|probar|fumar|tomar {any}*2"),
    (
        "fear *",
        "{yo}*1 me aterra|aterran|aterroriza|aterrorizan|acojonan|acojona el|la|los|las*1 !{it}|{vague}|el|la|los|las|idea",
    ),
    ("like *", "lo que yo*1 escucho|leo {adv}*2 es|son el|la|los|las*1 !{it}|{vague}|el|la|los|las"),
    ("diet #1", "el|mi cafe|te yo*1 lo tomo|bebo siempre*1 sin|con|solo|descafeinado"),
    ("health #2", "no oigo|veo bien*1 de un|una|el|lejos|cerca {any}*1"),
    (
        "plays #4",
        "{yo}*1 entreno a un|una|los|las equipo|grupo|ninos|ninas|chavales|infantiles|alevines|benjamines",
    ),
    ("anniversary", "mi|nuestra boda fue|es|cae el {digits}|uno"),
    ("like *", "{yo}*1 no me mola|molan|convence|convencen nada? el|la|los|las !{it}|{vague}|idea"),
    ("like *", "{yo}*1 no trago|resisto el|la|los|las !{it}|{vague}|{boss}|idea"),
    ("like *", "{yo}*1 me muero por el|la|los|las !{it}|{vague}|idea"),
    (
        "like *",
        "{yo}*1 no soy {very}*2 fan|amigo|amiga|amante|forofo|aficionado|aficionada de|del|a|al el|la|los|las*1 !{it}|{vague}",
    ),
    ("habit *", "{yo}*1 suelo ~ar|~er|~ir"),
    ("habit *", "{yo}*1 tengo la|por costumbre de? ~ar|~er|~ir"),
    ("work", "{yo}*1 estoy estudiando|cursando {ordinal} de {any}"),
    (
        "like *",
        "la musica|comida|cosa que mas escucho|leo|como|me gusta*1 es|son el|la|los|las*1 !{it}|{vague}|el|la|los|las",
    ),
    ("#4 name", "el|la senor|senora|don|dona {capital} {mi} {boss}"),
    ("#5 name", "!{tells} !{tells}*6 {capital}!{notname} {mi} {adj}*1 {pet}"),
    ("work", "{yo}*1 soy|somos dueno|duena|propietario|propietaria|duenos de un|una|mi {any}*2 {business}"),
    ("like #1", "el|la|los|las !{vague}|{boss}|{kin}|{job} no lo|la|los|las trago|resisto"),
    ("work", "{yo}*1 hago guardias {any}*3 en|de {any}"),
    ("like *", "para mi no hay nada como|mejor que*1 el|la|los|las*1 !{it}|{vague}|el|la|los|las|que"),
    ("diet #1", "el|la|los|las|mi agua|{food} siempre con|sin|muy|poco {any}"),
    ("languages", "{mi} {kin} {capital}*1 y yo hablamos|nos en|hablamos*2 {tongue}"),
    ("fear *", "{yo}*1 me dan|da {very}*2 vertigo el|la|los|las !{it}|{vague}|el|la|los|las|idea"),
    ("health #2", "{yo}*1 tengo la|el|una*1 piel atopica|sensible"),
    ("weekly *", "{yo}*1 voy a|al la|el*1 {weekly} {any}*2 todos|cada|los los|{weekday} {weekday}*1"),
];
