//! The Spanish rules for facts that people tell about themselves; see the parent module for the meaning of each field.

mod colloquial;
mod of_family;
mod rules;

use std::sync::OnceLock;

use colloquial::COLLOQUIAL;
use of_family::OF_FAMILY;
use rules::RULES;

use super::Tables;

pub(super) static TABLES: Tables = Tables {
    rules: &[OF_FAMILY, COLLOQUIAL, RULES],
    lists: LISTS,
    openings: "y|pero|pues|bueno|ay|ah|oh|hola|oye|mira|vale|perdon|por cierto|la verdad es que|en realidad|de hecho|ademas|\
        porque|como sabes|ya sabes|entonces|correccion|perdona|eh|uf|claro|a mi|tambien|ahora|actualmente|yo creo que|\
        resulta que|a nosotros|a nosotras|no se si lo sabes pero|por si acaso|te cuento que|te cuento|la semana pasada|el mes pasado|\
        el ano pasado|ayer|hace poco|sí|desde que|yo es que|acuerdate de que|recuerda que|acuerdate que|no olvides que|no te olvides de que|ten presente que|aqui|es que yo|ojo|ojo que|ojo con que|cuidado que|es que|lo que pasa es que|\
        la cosa es que|asi que|por eso|menos mal que|te aviso que|te aviso de que|aviso que|que sepas|mira que|que|\
        hace un mes|hace una semana|este ano|recientemente|eso si|ten en-cuenta que|de origen|por desgracia|por suerte|desgraciadamente|afortunadamente|de nacimiento|lamentablemente|\
        sinceramente|obviamente|evidentemente|logicamente|encima|\
        que sepas que|te recuerdo que|para que lo sepas|al final|por fin|que conste que|en fin|o sea|total|nada",
    supposing: "si cuando aunque ojala quizas quiza talvez supongamos imagina mientras",
    stories: "nunca dije que|no dije que|no es verdad que|no es cierto que|no digo que|no estoy diciendo que|imagina|imagínate|supongamos|si|dice|dijo|dijeron|ojalá|en la novela|como si|haz como|haz de|escribe que|\
        escribe un|di que|cuenta que|finge|decía|decían|contaba|cantaba|personaje|haz que|pon que|mete que|perfil falso|\
        vamos a jugar|haber",
    times: "hoy|esta noche|esta manana|esta tarde|esta semana|este fin|ahora mismo|de momento|por ahora|pasado manana|\
        la proxima semana",
    passing: "alergico a tus|alergica a tus|casado con mi trabajo|casada con mi trabajo|casado con el trabajo|casada con el trabajo|hasta que|por el momento|quizas|quiza|tal vez|a lo mejor|ojala|manana por|de nino|de nina|de pequeno|de pequena|\
        cuando era|antes vivia|seria|gustaria|querria|podria|esta vez|dice|dijo|en el juego|si fuera|en la serie|\
        en la pelicula|en mi novela|en el cuento|de broma|imaginate|broma|casi casada|casi casado",
    joints: "y|pero|sino|porque|aunque|e|como",
    subjects: "yo mi mis me nos nuestro nuestra soy vivo vivimos tengo tenemos trabajo no prefiero odio estoy naci llamame asi ella ellos todos \
        si ahora voy uso llevo toco juego curro estudio hablo hablamos padezco comparto ejerzo",
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
        "muy bastante un una poco realmente totalmente algo tambien ya extremadamente gravemente desde hace anos estrictamente \
        super estricta estricto gran",
    ),
    ("mi", "mi mis nuestro nuestra nuestros nuestras"),
    (
        "kin",
        "mujer marido esposo esposa pareja novio novia madre padre mama papa padres hermana hermano hermanas hermanos hija hijo \
        hijas hijos nino nina ninos bebe gemelos gemelas mellizos tio tia primo prima primos sobrino sobrina abuela abuelo \
        abuelos nieto nieta suegra suegro cunado cunada prometido \
        prometida ahijado ahijada padrino madrina yerno nuera suegros cunados cunadas tios tias sobrinos sobrinas nietos \
        nietas bisabuela bisabuelo bisabuelos abuelas ex crio cria crios peque peques chaval chavales exmarido exmujer exnovio \
        exnovia expareja chico chica hermanastro hermanastra padrastro madrastra abuelita abuelito yaya yayo \
        ",
    ),
    (
        "family",
        "hermana hermano hermanas hermanos hija hijo hijas hijos gemelos gemelas mellizos nieto nieta nietos sobrino sobrina \
        sobrinos novio novia marido mujer chico chica esposa esposo bebe trillizos nietas sobrinas primo prima primos primas nino nina \
        ninos ninas crios cria crio adolescente tio tia hermanastro hermanastra hermanastras hermanastros cunado cunada \
        cunados cunadas",
    ),
    (
        "pet",
        "perro perra perros gato gata gatos caballo conejo conejos hamster pajaro pajaros loro tortuga tortugas cachorro gatito \
        yegua poni peces canario canarios periquito periquitos mascota gallinas labrador caniche galgo galga podenca mastina caniches beagle gallina perras \
        gatas gatitos cachorros agaporni agapornis cobaya cobayas huron hurones rata ratas raton serpiente iguana gecko \
        camaleon loros cotorra conejas coneja burro burra burros cabra cabras oveja ovejas vaca vacas pato patos ocas cerdo \
        cerdos caballos yeguas ponis pez hamsters podenco mastin bulldog chihuahua husky border collie pastor golden bichon \
        yorkshire pinscher carlino teckel erizo erizos paloma palomas codornices tarantula hormigas rana ranas pavo pavos \
        jerbo chinchilla rottweiler doberman samoyedo akita shiba dalmata dogo bodeguero setter pointer terrier pitbull maltes corgi \
        abejas colmenas",
    ),
    (
        "adj",
        "dos tres cuatro pequeno pequena pequenos pequenas mayor mayores menor menores gran viejo vieja nuevo nueva mejor \
        gemela gemelo mediano mediana difunto difunta querido querida materno materna paterno paterna chico chica unico unica \
        negro negra blanco blanca otro otra otros otras segundo segunda tercer tercera",
    ),
    ("count", "un una dos tres cuatro cinco seis siete ocho {digits} varios varias"),
    (
        "not_a_home",
        "paz serio broma miedo constante peligro armonia pecado el la un una las los mi nubes mentira pasado momento oficina gimnasio \
        hospital trabajo curro coche bar sofa biblioteca aeropuerto luna parra inopia peli pelicula sueno novela burbuja esperanza ilusion duda idea angustia caos infierno cuento marte venus jupiter saturno narnia hogwarts",
    ),
    (
        "not_a_job",
        "casa ello eso esto equipo silencio general noche serio mi el la un una ti exceso ella balde informe proyecto \
        presentacion documento tesis capitulo capitulos texto guion version ensayo poema dibujo libro articulo problema otra",
    ),
    (
        "it",
        "eso esto ello que tu tus su sus aqui asi como cómo lo cuando donde nada todo algo mas esa ese esta este estas estos esos \
        esas hacerlo nadie si primera primer primero segunda segundo tercera tercero ultima ultimo otra otro opcion version",
    ),
    (
        "job",
        "tecnico tecnica profesor profesora maestro maestra medico medica enfermero enfermera ingeniero ingeniera abogado abogada arquitecto \
        arquitecta carpintero carpintera fontanero electricista panadero panadera cocinero cocinera camarero camarera \
        estudiante piloto escritor escritora periodista pintor pintora musico musica cantante actor actriz bailarin bailarina \
        fotografo fotografa contable farmaceutico farmaceutica dentista veterinario veterinaria cientifico cientifica fisico \
        fisica quimico quimica biologo biologa matematico matematica investigador investigadora policia bombero bombera \
        soldado agricultor agricultora jardinero jardinera mecanico mecanica conductor conductora taxista traductor traductora \
        interprete consultor consultora economista secretario secretaria dependiente dependienta peluquero peluquera psicologo \
        psicologa cirujano cirujana comadrona matrona programador programadora informatico informatica disenador disenadora \
        desarrollador desarrolladora bibliotecario bibliotecaria librero librera juez jueza notario notaria jubilado jubilada \
        pensionista funcionario funcionaria autonomo autonoma empresario empresaria vendedor vendedora cartero cartera \
        pescador carnicero carnicera sastre costurera apicultor apicultora historiador historiadora filosofo filosofa \
        sociologo sociologa fisioterapeuta logopeda trabajador trabajadora ama azafata camionero camionera marinero albanil \
        administrativo administrativa auxiliar tecnico tecnica guia entrenador entrenadora doctorando doctoranda becario \
        becaria pastelero pastelera vigilante mecanografa celador celadora grabador ceramista alfarero alfarera soldador \
        conserje portero portera terapeuta repartidor repartidora cajero cajera cerrajero cerrajera herrero herrera ganadero \
        ganadera locutor locutora ferroviario ferroviaria maquinista revisor revisora militar guardia gendarme bedel alcalde \
        alcaldesa concejal concejala diputado diputada geologo geologa arqueologo arqueologa astronomo astronoma antropologo \
        antropologa linguista estadistico estadistica actuario topografo topografa delineante aparejador aparejadora urbanista \
        paisajista podologo podologa osteopata nutricionista dietista optico optica optometrista pediatra cardiologo \
        cardiologa ginecologo ginecologa psiquiatra dermatologo dermatologa radiologo radiologa anestesista oncologo oncologa \
        neurologo neurologa odontologo odontologa higienista protesico cuidador cuidadora canguro ninera educador educadora \
        pedagogo pedagoga orientador orientadora director directora monitor monitora arbitro arbitra socorrista buzo escultor \
        escultora ilustrador ilustradora dibujante guionista cineasta montador montadora comico comica payaso editor editora \
        corrector correctora redactor redactora archivero archivera documentalista restaurador restauradora grafista tatuador \
        tatuadora barbero barbera esteticista modista joyero joyera relojero relojera encuadernador encuadernadora impresor \
        pescadero pescadera frutero frutera tendero tendera quiosquero quiosquera cafetero chocolatero sumiller barista chef \
        pinche cervecero hostelero hostelera recepcionista telefonista limpiador limpiadora lavandera carretillero mozo \
        almacenero transportista mensajero mensajera chofer gruista encofrador yesero tapicero tapicera ebanista vidriero \
        cristalero techador pocero minero minera marmolista tornero fresador calderero electronico electronica agronomo \
        agronoma viticultor viticultora enologo enologa labrador labradora granjero granjera pastor pastora lenador forestal \
        guardabosques florista viverista comercial representante agente gestor gestora asesor asesora auditor auditora \
        banquero banquera bancario bancaria inspector inspectora fiscal procurador procuradora registrador cura monja \
        sacerdote freelance fisio logo profe profes encargado encargada responsable teleoperador teleoperadora reponedor \
        reponedora asistenta residente interno alumno alumna universitario universitaria mineros maestros profesores medicos \
        agricultores ganaderos pescadores panaderos abogados funcionarios campesinos comerciante comerciantes labradores \
        pastores musicos obreros obrero obrera campesino campesina criador criadora estudiantes enfermeros militares \
        ingenieros arquitectos carpinteros tenderos soldadora pescadora domadora escaparatista maquillador maquilladora decorador decoradora taxidermista acomodador \
        acomodadora cuentacuentos titiritero titiritera malabarista mago maga bailaor bailaora cantaor cantaora costalero \
        carnicera panaderas informaticos enfermeras frigorista antenista mecanografo sastra sepulturero violinista pianista guitarrista bajista percusionista organista cantautor cantautora dj agente barrendero barrendera \
        zapatero zapatera charcutero charcutera churrero heladero heladera hortelano hortelana masajista sexologo sexologa doula \
        coach dev youtuber streamer estibador mariscador mariscadora controlador controladora tripulante feriante portuario \
        microbiologo microbiologa oceanografo oceanografa meteorologo meteorologa ecologo ecologa trombonista trompetista \
        teologo teologa opositor opositora interino interina",
    ),
    (
        "state",
        "alergico alergica vegetariano vegetariana vegano vegana celiaco celiaca diabetico diabetica sordo sorda ciego ciega \
        intolerante asmatico asmatica autista divorciados separados separado separada divorciado divorciada viudo viuda casado \
        casada casados jubilados jubilado jubilada pensionistas veganos vegetarianos celiacos alergicos dislexico dislexica \
        epileptico epileptica daltonico huerfano huerfana soltero soltera",
    ),
    (
        "condition",
        "diabetes asma epilepsia migranas migrana artritis tdah autismo celiaquia dislexia hipertension alzheimer parkinson \
        eczema hipotiroidismo endometriosis fibromialgia psoriasis crohn esclerosis anemia artrosis dermatitis narcolepsia",
    ),
    (
        "month",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre navidad",
    ),
    (
        "num",
        "dieciocho diecinueve veinte ~veinti veinti~ treinta cuarenta cincuenta sesenta setenta ochenta noventa dos tres cuatro \
        cinco seis siete ocho nueve diez once doce trece catorce quince {digits}",
    ),
    (
        "nation",
        "espanol espanola mexicano mexicana argentino argentina chileno chilena peruano peruana colombiano colombiana \
        venezolano venezolana cubano cubana uruguayo uruguaya boliviano boliviana gallego gallega catalan catalana vasco vasca \
        andaluz andaluza madrileno madrilena sevillano sevillana valenciano valenciana aleman alemana frances francesa \
        italiano italiana ingles inglesa portugues portuguesa ecuatoriano ecuatoriana asturiano asturiana canario aragones \
        aragonesa canaria gaditano gaditana malagueno malaguena granadino granadina cordobes cordobesa jienense onubense \
        almeriense murciano murciana alicantino alicantina castellonense barcelones barcelonesa leones leonesa burgales \
        burgalesa salmantino salmantina zamorano zamorana vallisoletano vallisoletana segoviano segoviana soriano soriana \
        palentino palentina abulense riojano riojana navarro navarra bilbaino bilbaina donostiarra vitoriano santanderino \
        cantabro cantabra extremeno extremena cacereno cacerena pacense toledano toledana manchego manchega conquense \
        alcarreno mallorquin mallorquina menorquin ibicenco ibicenca zaragozano zaragozana oscense turolense coruno coruna \
        vigues viguesa lucense ourensano castellano castellana dominicano dominicana puertorriqueno puertorriquena \
        guatemalteco guatemalteca hondureno hondurena salvadoreno salvadorena nicaraguense costarricense panameno panamena \
        paraguayo paraguaya brasileno brasilena estadounidense americano americana canadiense haitiano haitiana jamaicano \
        sirio siria libanes libanesa palestino palestina irani iraqui kurdo kurda senegales senegalesa nigeriano nigeriana egipcio \
        egipcia pakistani chino china japones japonesa coreano coreana vietnamita filipino filipina australiano australiana \
        porteno portena limeno limena bogotano bogotana paisa tapatio chilango belga holandes holandesa suizo suiza austriaco \
        austriaca irlandes irlandesa escoces escocesa gales galesa danes danesa sueco sueca noruego noruega finlandes \
        finlandesa polaco polaca checo checa hungaro hungara rumano rumana bulgaro bulgara griego griega turco turca ruso rusa \
        ucraniano ucraniana serbio croata bosnio albanes moldavo georgiano armenio armenia marroqui argelino argelina tunecino \
        tunecina egipcio egipcia senegales senegalesa nigeriano nigeriana ghanes ecuatoguineano camerunes saharaui etiope \
        keniano sudafricano sudafricana sirio siria libanes libanesa palestino palestina israeli irani iraqui afgano afgana \
        pakistani indio india bangladesi chino china japones japonesa coreano coreana vietnamita tailandes tailandesa filipino \
        filipina australiano australiana europeo gitano gitana",
    ),
    (
        "business",
        "tienda panaderia restaurante cafeteria empresa taller bar hotel clinica libreria farmacia peluqueria granja negocio \
        merceria ferreteria fruteria carniceria pescaderia floristeria zapateria molino bodega finca explotacion imprenta \
        academia gestoria agencia estudio pizzeria pasteleria heladeria chiringuito tasca taberna quiosco estanco autoescuela \
        guarderia galeria hostal posada camping huerto vinedo queseria cerveceria joyeria optica",
    ),
    (
        "vague",
        "titulo titulos sol oficina episodios resultado impresora vecinos vecinas obras jefes llave contrasena regalo deberes \
        puerta ordenador movil trabajo correo mensaje lista cama ultimas ultimos episodio ventana documento archivo cuenta \
        paquete pelicula libro reunion informe proyecto propuesta idea version segunda segundo primera primero tercera ultimo \
        ultima tema capitulo texto clase curso profesor profesora vecino vecina jefe jefa calor frio tiempo ruido serie \
        partido noticia noticias articulo escena final historia respuesta pregunta forma manera gente cosa cosas tipo tia tio \
        chica chico alcalde gobierno situacion lluvia viento tren autobus cancion resto mayoria problema cliente foto vestido \
        camiseta que de video videos peli pelis",
    ),
    (
        "field",
        "gestoria docencia ensenanza banca banco hosteleria oficina fabrica empresa hospital trabajo curro puesto empleo \
        ejercito policia ayuntamiento agencia consultora consultoria construccion obra restaurante bufete periodismo abogacia \
        medicina ingenieria carrera universidad facultad colegio comercio administracion taxi panaderia tienda taller",
    ),
    (
        "not_an_origin",
        "fiar vuelta guardia paso baja viaje vacaciones letras ciencias noche dia verdad acuerdo pie buen mal la los las el un \
        una lo esas esos esa ese otra otro aqui alli ahi cuidado risa llorar armas tomar mi tu su mercadona lidl ikea carrefour aldi marte jupiter saturno venus luna pluton hogwarts narnia gotham futuro pasado planeta ~arme ~erme ~irme ~arse",
    ),
    (
        "no_allergen",
        "lunes martes miercoles jueves viernes sabado sabados domingo domingos trabajo trabajar madrugar estudiar pensar gente \
        tonterias tonteria estupidez compromiso compromisos drama dramas excusas mentiras amor idiotas hipocresia despertador \
        deporte gimnasio manana mananas jefe jefes impuestos deberes examenes matematicas reuniones reunion ~arme ~erme ~irme ~arse limpiar \
        cocinar correr esperar cambios cambio responsabilidad responsabilidades dinero politica politicos exito",
    ),
    (
        "notname",
        "luego tarde manana pronto despues cuando anda esta loco loca ya hoy porfa si no a gracias claro perdon vale hola \
        adios bueno oye mira tio tia todos ella el yo tu usted nosotros ahora entonces siempre nunca mal bien",
    ),
    (
        "not_a_nick",
        "mejor peor ultimo ultima primero primera unico unica jefe jefa culpable responsable amo caos bomba leche monda mayor \
        menor que verdad rey reina",
    ),
    (
        "tells",
        "dice digo dile dije explicale cuentale recuerdale cuenta explica preguntale pregunto pregunta sueno sone imagino si no sabe saben sabes ni olvido cree",
    ),
    ("boss", "jefe jefa encargado encargada profe profesor profesora tutor tutora supervisor supervisora"),
    ("weekday", "lunes martes miercoles jueves viernes sabado sabados domingo domingos finde findes"),
    (
        "clinging",
        "pegado pegada enganchado enganchada pendiente esclavo esclava colgado colgada enamorado enamorada anclado anclada",
    ),
    (
        "dance",
        "flamenco salsa bachata tango swing lindy sevillanas ballet danza hiphop claque jotas muineira sardanas merengue kizomba",
    ),
    (
        "craft",
        "acuarela acuarelas cuadros oleo oleos miniaturas retratos comics manga poesia poemas novelas cuentos relatos canciones \
        guiones muebles maquetas jerseis bufandas ganchillo ropa vestidos",
    ),
    ("part_of_body", "rinon pulmon ojo dedo dedos pierna brazo bazo mano oreja"),
    (
        "nations",
        "gallegos gallegas andaluces andaluzas catalanes vascos marroquies argentinos colombianos venezolanos peruanos ecuatorianos \
        mexicanos chilenos cubanos uruguayos bolivianos rumanos portugueses italianos franceses alemanes ingleses rusos \
        ucranianos polacos chinos asturianos canarios extremenos murcianos valencianos aragoneses emigrantes",
    ),
    ("often", "dia dias manana mananas tarde tardes noche noches semana"),
    ("part", "por la las a tarde tardes manana mananas noche noches al mediodia siempre"),
    (
        "weekly",
        "clase clases coro yoga pilates piscina gimnasio coro ensayo entrenamiento entreno gym natacion ceramica terapia baile taller \
        partido karate judo academia conservatorio rocodromo futbol padel tenis rehabilitacion",
    ),
    (
        "instrument",
        "piano guitarra violin violonchelo chelo viola bajo bateria flauta clarinete saxofon saxo trompeta trombon tuba arpa \
        acordeon gaita oboe fagot contrabajo ukelele bandurria laud percusion cajon armonica organo teclado bombo dulzaina \
        banjo mandolina cello",
    ),
    (
        "sport",
        "ajedrez futbol baloncesto tenis padel rugby voleibol balonmano golf beisbol hockey waterpolo badminton petanca mus \
        escalada natacion yoga pilates judo karate boxeo surf ciclismo senderismo esgrima atletismo remo triatlon triatlones crossfit spinning zumba calistenia snowboard kitesurf parkour ceramica teatro ganchillo",
    ),
    ("device", "audifono audifonos marcapasos protesis baston implante muletas gafas lentillas ortodoncia"),
    ("device_of", "un una el la dos mis de"),
    (
        "tongue",
        "castellano espanol catalan gallego euskera vasco valenciano asturiano bable aragones portugues frances ingles italiano \
        aleman rumano arabe chino ruso ucraniano polaco bulgaro griego turco hebreo japones coreano hindi urdu wolof bereber \
        quechua guarani aimara nahuatl holandes neerlandes sueco noruego danes",
    ),
    (
        "food",
        "gluten lactosa carne cerdo sal azucar leche huevo huevos alcohol pescado mantequilla fruta frutas marisco cacahuetes \
        nueces avellanas soja trigo queso quesos cafe te cafeina vino lacteos ternera ajo cebolla tomate tomates fresas kiwi \
        pan picante pollo embutido jamon tabaco chocolate cerveza grasa harina harinas frutos mani gambas legumbres",
    ),
    ("ordinal", "primero segundo tercero cuarto quinto sexto primer tercer primaria {digits}"),
    (
        "study",
        "doctorado master grado carrera tesis oposicion oposiciones fp bachillerato bachiller selectividad mir residencia \
        practicas modulo ciclo ingenieria",
    ),
];
