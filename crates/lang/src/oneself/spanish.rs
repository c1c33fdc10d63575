//! Spanish.

use std::sync::OnceLock;

use super::Tables;

pub(super) static TABLES: Tables = Tables {
    rules: RULES,
    lists: LISTS,
    openings: "y|pero|pues|bueno|ay|ah|oh|hola|oye|mira|vale|perdon|por cierto|la verdad es que|en realidad|de hecho|ademas|porque|\
        como sabes|ya sabes|entonces|correccion|perdona|eh|uf|claro|a mi|tambien|ahora|actualmente|yo creo que|resulta que|no se si lo sabes pero|\
        por si acaso|te cuento que|te cuento|la semana pasada|el mes pasado|el ano pasado|ayer|hace poco|hace un mes|hace una semana|\
        este ano|recientemente",
    supposing: "si cuando aunque ojala quizas quiza talvez supongamos imagina mientras",
    stories: "imagina|imagínate|supongamos|si|dice|dijo|dijeron|ojalá|en la novela|como si",
    times: "hoy|esta noche|esta manana|esta tarde|esta semana|este fin|ahora mismo|de momento|por ahora|\
        pasado manana|la proxima semana",
    passing: "hasta que|por el momento|quizas|quiza|tal vez|a lo mejor|ojala|manana por|de nino|de nina|de pequeno|\
        de pequena|cuando era|antes vivia|seria|gustaria|querria|podria|esta vez|dice|dijo|en el juego|si fuera|\
        imaginate|broma",
    joints: "y|pero|sino|porque|aunque|e",
    subjects: "yo mi mis me nos nuestro nuestra soy vivo vivimos tengo tenemos trabajo no prefiero odio estoy naci llamame",
    inverted: "",
    questions: &[
        ("home", "casa ciudad dónde vivo"),
        ("name", "nombre llama"),
        ("work", "trabajo profesión"),
        ("age", "edad años"),
        ("birthday", "cumpleaños"),
        ("origin", "origen de dónde"),
    ],
    contracts: false,
    parsed: OnceLock::new(),
};

const LISTS: &[(&str, &str)] = &[
    ("yo", "yo nosotros"),
    (
        "adv",
        "ahora ya tambien siempre todavia aun mucho muy bastante realmente actualmente mas solo tampoco nunca casi \
        originalmente demasiado especialmente sobre todo muchisimo bien totalmente por lo general",
    ),
    (
        "very",
        "muy bastante un una poco realmente totalmente algo tambien ya extremadamente gravemente desde hace anos \
        estrictamente super estricta estricto gran",
    ),
    ("mi", "mi mis nuestro nuestra nuestros nuestras"),
    (
        "kin",
        "mujer marido esposo esposa pareja novio novia madre padre mama papa padres hermana hermano hermanas hermanos hija hijo \
        hijas hijos nino nina ninos bebe gemelos gemelas mellizos tio tia primo prima primos sobrino sobrina abuela abuelo abuelos \
        nieto nieta jefe jefa vecino vecina companero companera amigo amiga suegra suegro cunado cunada prometido prometida \
        ahijado ahijada medico medica dentista casero casera",
    ),
    (
        "family",
        "hermana hermano hermanas hermanos hija hijo hijas hijos gemelos gemelas mellizos nieto nieta nietos sobrino sobrina \
        sobrinos novio novia marido mujer esposa esposo bebe",
    ),
    (
        "pet",
        "perro perra perros gato gata gatos caballo conejo conejos hamster pajaro pajaros loro tortuga tortugas cachorro gatito \
        yegua poni peces canario canarios periquito periquitos mascota gallinas labrador caniche galgo beagle",
    ),
    (
        "adj",
        "pequeno pequena pequenos pequenas mayor mayores menor menores gran viejo vieja nuevo nueva mejor gemela gemelo mediano \
        mediana negro negra blanco blanca",
    ),
    ("count", "un una dos tres cuatro cinco seis siete ocho {digits} varios varias"),
    (
        "nowhere",
        "paz miedo constante peligro armonia pecado el la un una las los mi nubes mentira pasado momento",
    ),
    (
        "notwork",
        "casa ello eso esto equipo silencio general noche serio mi el la un una ti exceso ella balde informe proyecto presentacion documento tesis libro articulo problema otra",
    ),
    (
        "it",
        "eso esto ello que tu tus su sus aqui asi como lo cuando donde nada todo algo mas esa ese esta este estas estos esos \
        esas hacerlo nadie si primera primer primero segunda segundo tercera tercero ultima ultimo otra otro opcion version",
    ),
    (
        "job",
        "profesor profesora maestro maestra medico medica enfermero enfermera ingeniero ingeniera abogado abogada arquitecto \
        arquitecta carpintero carpintera fontanero electricista panadero panadera cocinero cocinera camarero camarera estudiante \
        piloto escritor escritora periodista pintor pintora musico musica cantante actor actriz bailarin bailarina fotografo \
        fotografa contable farmaceutico farmaceutica dentista veterinario veterinaria cientifico cientifica fisico fisica quimico \
        quimica biologo biologa matematico matematica investigador investigadora policia bombero bombera soldado agricultor \
        agricultora jardinero jardinera mecanico mecanica conductor conductora taxista traductor traductora interprete consultor \
        consultora economista secretario secretaria dependiente dependienta peluquero peluquera psicologo psicologa cirujano cirujana \
        comadrona matrona programador programadora informatico informatica disenador disenadora desarrollador desarrolladora \
        bibliotecario bibliotecaria librero librera juez jueza notario notaria jubilado jubilada pensionista funcionario funcionaria \
        autonomo autonoma empresario empresaria vendedor vendedora cartero cartera pescador carnicero carnicera sastre costurera \
        apicultor apicultora historiador historiadora filosofo filosofa sociologo sociologa fisioterapeuta logopeda trabajador \
        trabajadora ama azafata camionero camionera marinero albanil administrativo administrativa auxiliar tecnico tecnica guia \
        entrenador entrenadora doctorando doctoranda becario becaria pastelero pastelera vigilante mecanografa celador celadora grabador ceramista alfarero alfarera soldador conserje portero portera terapeuta repartidor repartidora cajero cajera cerrajero cerrajera herrero herrera ganadero ganadera locutor locutora",
    ),
    (
        "state",
        "alergico alergica vegetariano vegetariana vegano vegana celiaco celiaca diabetico diabetica sordo sorda ciego ciega \
        intolerante asmatico asmatica autista",
    ),
    (
        "condition",
        "diabetes asma epilepsia migranas migrana artritis tdah autismo celiaquia dislexia hipertension",
    ),
    (
        "month",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre navidad",
    ),
    (
        "num",
        "dieciocho diecinueve veinte ~veinti veinti~ treinta cuarenta cincuenta sesenta setenta ochenta noventa dos tres cuatro cinco \
        seis siete ocho nueve diez once doce trece catorce quince {digits}",
    ),
    (
        "nation",
        "espanol espanola mexicano mexicana argentino argentina chileno chilena peruano peruana colombiano colombiana venezolano \
        venezolana cubano cubana uruguayo uruguaya boliviano boliviana gallego gallega catalan catalana vasco vasca andaluz andaluza \
        madrileno madrilena sevillano sevillana valenciano valenciana aleman alemana frances francesa italiano italiana ingles inglesa \
        portugues portuguesa ecuatoriano ecuatoriana asturiano asturiana canario aragones",
    ),
];

const RULES: &[(&str, &str)] = &[
    ("name", "{yo}*1 me llamo {adv}*1 !{it}|la|mal"),
    ("name", "mi nombre completo|real|de|pila*3 es !{it}|lo|muy|dificil"),
    ("name", "llamame|llamadme|decidme|dime simplemente|solo*1 {name} $"),
    ("name", "puedes|podeis|pueden llamarme|decirme {name}"),
    ("name", "todos|mis|la|todo|en {any}*3 me llaman|llama|dicen|dice !{it}|loco|loca|la"),
    ("name", "me llaman|dicen {name}"),
    ("pronouns", "mis pronombres son {any}"),
    ("pronouns", "uso los? pronombres {any}"),
    (
        "home",
        "{yo}*1 vivo|vivimos|resido {any}*4 en|cerca|con|frente|junto|solo|sola|al|encima|a !{nowhere}|{it}|limite|dia|margen",
    ),
    (
        "home",
        "{yo}*1 vivo|vivimos|resido {any}*3 en|con|cerca|frente|a de? la|el|un|una|las|los|mi|mis|al !{nowhere}|{it}|luna",
    ),
    ("home", "{yo}*1 vivo|vivimos solo|sola|solos {any}*3 $"),
    ("home", "{yo}*1 me|nos mude|mudamos|he|hemos {any}*3 a|al {name}"),
    ("home", "{yo}*1 me|nos acabo|acabamos de mudar a|al {any}"),
    ("home", "{yo}*1 acabo|acabamos de mudarme|mudarnos a|al {any}"),
    ("home", "{yo}*1 llevo|llevamos {any}*2 anos|meses en {name}"),
    ("home", "{yo}*1 llevo|llevamos {any}*3 viviendo en {name}"),
    ("home", "mi|nuestro|nuestra nuevo|nueva hogar|casa|ciudad|direccion esta|es en? {name}"),
    ("home", "{yo}*1 ya no vivo|vivimos en {any}"),
    ("home", "{yo}*1 no vivo|vivimos ya en {any}"),
    ("origin", "{yo}*1 soy|somos {adv}*1 de {name}"),
    (
        "origin",
        "{yo}*1 soy|somos {adv}*1 de|del la|un|el|norte|sur|pueblo|este|oeste*3 pueblo|sur|norte|ciudad|barrio|costa|campo {any}*5",
    ),
    ("origin", "{yo}*1 vengo|venimos|provengo de {name}"),
    ("origin", "{yo}*1 soy|somos {adv}*2 {nation}"),
    ("birthday", "{yo}*1 naci el {any}*2 {month}|{digits}|de"),
    ("birthday", "{yo}*1 naci en {month}|{digits}"),
    ("birthplace", "{yo}*1 naci|naciste|nacimos {any}*1 en {any}"),
    ("childhood", "{yo}*1 creci|crecimos en {any}"),
    ("childhood", "{yo}*1 me|nos crie|criamos en|con {any}"),
    ("#1 #2? #3? name", "{mi} {kin}|{pet} {adj}*2 {name}*1 se llama|llaman {any}"),
    ("#1 name", "el|la nombre de mi {kin}|{pet} es {any}"),
    (
        "#1 #2? #3? home",
        "{mi} {kin} {adj}*2 {name}*1 vive|viven|se mudo|residen|reside*1 en|con|cerca|a|enfrente|al {any}",
    ),
    ("#1 #2? #3? work", "{mi} {kin} {adj}*2 {name}*1 trabaja|trabajan {any}*1 de|como|en|para|con {any}"),
    (
        "#1 #2? #3? studies",
        "{mi} {kin} {adj}*2 {name}*1 estudia|estudian|ensena|toca !{it}|la|mucho|poco|para",
    ),
    ("#1 #2? #3? studies", "{mi} {kin} {adj}*2 {name}*1 toca la|el {any}"),
    ("#1 #2? #3? work", "{mi} {kin} {adj}*2 {name}*1 es|son {very}*2 {job}"),
    ("#1 #2? #3? #5", "{mi} {kin}|{pet} {adj}*2 {name}*1 es|son {state}"),
    ("#1 #2? #3? state", "{mi} {kin}|{pet} {adj}*2 {name}*1 es|son {very}*2 {state}"),
    (
        "#1 #2? #3? state",
        "{mi} {kin} {adj}*2 {name}*1 esta|estan {very}*2 embarazada|jubilado|jubilada|jubilados|divorciado|divorciada|casado|casada",
    ),
    ("#1 #2? #3? age", "{mi} {kin}|{pet} {adj}*2 {name}*1 tiene|tienen {adv}*1 {num} {any}*2 anos|meses"),
    ("#1 #2? #3? birthday", "{mi} {kin} {adj}*2 {name}*1 cumple {any}*2 el|en {any}"),
    ("have #3", "{yo}*1 tengo|tenemos {count} {adj}*1 {family}|{pet} {any}*5"),
    ("have #4", "{yo}*1 no tengo|tenemos hijos|hermanos|mascotas|hijas|hermanas|pareja"),
    ("have #2", "{yo}*1 soy hijo|hija|madre|padre unico|unica|de|soltera|soltero {any}*3"),
    (
        "married",
        "{yo}*1 estoy|soy|estamos|somos {adv}*2 casado|casada|casados|casadas|divorciado|divorciada|divorciados|soltero|soltera|viudo|viuda|prometido|prometida|prometidos|comprometidos|comprometido|comprometida|separado|separada {any}*4",
    ),
    ("pregnant", "{yo}*1 estoy|estamos {any}*1 embarazada|embarazados {any}*4"),
    ("married", "{yo}*1 llevo|llevamos {any}*2 anos casado|casada|casados"),
    ("work", "{yo}*1 trabajo|trabajamos {adv}*1 de|como|en|para|con !{notwork}|{it}"),
    (
        "work",
        "{yo}*1 trabajo|trabajamos {adv}*1 de|en|para|con un|una|el|la|los|las !{notwork}|{it}|noche|manana|tarde|proyecto|cama",
    ),
    ("work", "{yo}*1 soy {very}*2 {job} {any}*6"),
    ("work", "{yo}*1 estudio|estudie !{it}|para|mucho|poco|en|con|por|la|bien|mejor|las|los|el"),
    ("work", "{yo}*1 doy clases|clase de|a|en {any}"),
    ("work", "{yo}*1 enseno {any}"),
    (
        "work",
        "{yo}*1 estoy {adv}*2 jubilado|jubilada|desempleado|desempleada|parado|parada|retirado|retirada",
    ),
    ("work", "{yo}*1 estoy en paro"),
    (
        "work",
        "{yo}*1 dirijo|regento|llevo|tengo un|una {any}*1 tienda|panaderia|restaurante|cafeteria|empresa|taller|bar|hotel|clinica|libreria|farmacia|peluqueria|granja|negocio",
    ),
    ("studies *", "{yo}*1 estoy|estamos aprendiendo|estudiando a? tocar? el|la*1 !{it}|mucho|para|poco"),
    ("studies *", "{yo}*1 aprendo a? tocar? !{it}|mucho|rapido|poco"),
    (
        "diet",
        "{yo}*1 soy|somos {very}*3 vegetariano|vegetariana|vegetarianos|vegano|vegana|veganos|celiaco|celiaca|intolerante|pescetariano|pescetariana|abstemio|abstemia",
    ),
    ("diet", "{yo}*1 sigo|hago|llevo una dieta {any}"),
    (
        "diet *",
        "{yo}*1 ya? no|nunca como|bebo|tomo|tolero|digiero|comemos|bebemos ni|la|el|las|los*1 !{it}|muy|bien|tanto|mucho|en|desde|de",
    ),
    ("diet #4", "{yo}*1 no como|bebo|tomo de? {any} de|ni|desde|nunca {any}"),
    ("diet *", "{yo}*1 no|nunca puedo|podemos comer|beber|tomar la|el|las|los*1 !{it}"),
    ("diet", "{yo}*1 como|comemos {adv}*1 vegano|vegetariano|halal|kosher"),
    ("smoke", "{yo}*1 ya? no fumo"),
    ("smoke", "{yo}*1 deje|he de|dejado de? fumar|beber"),
    ("diet *", "{yo}*1 deje|he dejado? de comer|beber|tomar {any}"),
    ("allergy *", "{yo}*1 soy|somos {very}*3 alergico|alergica|alergicos a|al !{it}|trabajo|trabajar"),
    ("allergy *", "{yo}*1 tengo {very}*2 alergia|intolerancia a|al {any}"),
    ("allergy *", "me dan|da alergia el|la|los|las {any}"),
    ("health #4", "{yo}*1 tengo|padezco|sufro {any}*1 de? {condition}"),
    (
        "health",
        "{yo}*1 soy {very}*2 diabetico|diabetica|asmatico|asmatica|zurdo|zurda|diestro|daltonico|daltonica|miope|sordo|sorda|ciego|ciega|autista|epileptico|epileptica|celiaco",
    ),
    ("birthday", "mi cumpleanos {adv}*1 es|cae {any}*4 {month}|{digits}"),
    ("birthday", "{yo}*1 cumplo anos el|en {any}"),
    ("birthday", "{yo}*1 cumplo {num} {any}*3 el|en {any}"),
    ("age", "{yo}*1 tengo {adv}*1 {num} {any}*2 anos"),
    ("anniversary", "nuestro|mi aniversario {any}*2 es|cae {any}*4 {month}|{digits}"),
    ("anniversary", "nos casamos {any}*1 el|en {any}"),
    (
        "like *",
        "{yo}*1 no? me gusta|gustan|encanta|encantan|apasiona|apasionan|fascina|fascinan|desagrada {adv}*3 nada? el|la|los|las*1 !{it}|la|idea|el|camiseta",
    ),
    ("like *", "{yo}*1 odio|detesto|adoro|prefiero|amo|aborrezco el|la|los|las*1 !{it}|la|el|idea|no|a"),
    ("like *", "{yo}*1 no soporto|aguanto el|la|los|las*1 !{it}|la|el"),
    (
        "#1 favourite",
        "mi|mis {any} favorito|favorita|favoritos|favoritas|preferido|preferida es|son !{it}|mejor",
    ),
    (
        "#1 favourite",
        "mi|mis {any} {any}*2 favorito|favorita|favoritos|favoritas|preferido|preferida es|son {any}",
    ),
    ("like *", "{yo}*1 soy {very}*3 fan|aficionado|aficionada|amante|forofo|hincha a|al|de|del !{it}"),
    ("fear *", "{yo}*1 me dan|da {very}*2 miedo|panico|terror|asco el|la|los|las*1 !{it}|la|el"),
    (
        "fear *",
        "{yo}*1 tengo {very}*2 miedo|panico|fobia a|al|de|del la|las|los*1 !{it}|llegar|perder|olvidar|equivocarme|fallar",
    ),
    ("work", "mi profesion|trabajo|oficio es|consiste {any}"),
    // a person who writes no capitals may say anything in one word, so the other rules come first
    ("name", "{yo}*1 soy {name} $"),
];
