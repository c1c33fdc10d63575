//! Spoken and chat Spanish and French (MP6): the object comes first, the negation is short, words are abbreviated.

use super::{super::denied_facts, measured, topics};

#[test]
fn mp6_spoken_spanish_and_french_tell_facts() {
    let (precision, recall, wrong) = measured(include_str!("spoken.txt"));
    assert!(precision >= 0.97 && recall >= 0.95, "{precision} and {recall}:\n{}", wrong.join("\n"));
}

#[test]
fn mp6_what_stands_first_is_what_the_fact_is_about() {
    for (said, topic) in [
        ("a los perros les tengo pánico", "fear perros"),
        ("al polen le tengo alergia", "allergy polen"),
        ("el ajo, no lo soporto", "diet ajo"),
        ("les fraises, j'y suis allergique", "allergy fraises"),
        ("l'arachide j'y suis allergique", "allergy arachide"),
        ("les serpents j'en ai une peur bleue", "fear serpents"),
        ("le lait, je le digère pas", "diet lait"),
        ("moi c'est l'opéra que j'aime", "like opera"),
        ("le jazz j'adore", "like jazz"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
    for said in [
        "a mi jefe le tengo miedo",
        "el jefe me da asco",
        "les gens je supporte pas",
        "les photos j'adore",
        "le chef je le déteste",
        "c'est le genre de film que j'aime",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_a_relative_clause_tells_where_one_lives() {
    for said in [
        "por fin de vuelta en Huesca, que es donde vivo",
        "una hora de tren hasta lugo, que es donde vivo desde mayo",
        "enfin de retour à Metz où j'habite",
        "encore une heure jusqu'à pau où j'habite depuis mai",
    ] {
        assert_eq!(topics(said), ["home"], "{said}");
    }
    for said in [
        "dile a Marta donde vivo",
        "Dime dónde vivo",
        "Demande où j'habite",
        "ella es de Soria, que es donde vive su madre",
        "demande à Marie où j'habite",
        "il a oublié où j'habite",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_a_reason_tells_a_fact() {
    for (said, topic) in [
        ("como soy panadera me acuesto pronto", "work"),
        ("no puedo comer pan ya que soy celíaca", "diet celiaca"),
        ("xq soy zurdo", "health zurdo"),
        ("comme je suis boulanger je me couche tôt", "work"),
        ("vu que je suis diabétique, pas de sucre", "health diabetique"),
        ("vivo en Lugo así que no conozco el mar", "home"),
        ("j'habite à Dole du coup pas de mer", "home"),
    ] {
        assert!(topics(said).contains(&topic.to_owned()), "{said} {:?}", topics(said));
    }
    for said in [
        "no sé cómo vivo en este caos",
        "me gusta cómo lo dices",
        "como no me llames me enfado",
        "comme je suis bête",
        "ils croient que j'habite à Paris",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_names_of_pets_and_of_the_author_in_passing() {
    for (said, topic) in [
        ("tengo que bañar a Bruno, es mi perro", "perro name"),
        ("Nuestras dos perras, Luna y Kira, ladran mucho", "dos perras name"),
        ("mi jefa, la señora Prieto, está de baja", "jefa name"),
        ("soy el Toño", "name"),
        ("faut que je lave Filou, c'est mon chien", "chien name"),
        ("Nos deux lapins, Panpan et Câlin, adorent le foin", "deux lapins name"),
        ("ma cheffe, madame Petit, est en vacances", "cheffe name"),
        ("tout le monde m'appelle Nono même si c'est Arnaud", "name"),
        ("moi c'est Sylvain au fait", "name"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
    for said in [
        "soy el mejor",
        "soy tonta",
        "soy la jefa",
        "llámame luego",
        "Pedro, es mi turno",
        "tengo que llamar a Pedro, es mi abogado",
        "mi jefa, la pobre, está cansada",
        "mon chef râle",
        "Paul, c'est mon tour",
        "Ayer mi perro estaba malo",
        "Hier mon chien était malade",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_what_one_does_every_week_and_how_one_is_answered() {
    for (said, topic) in [
        ("los martes toco el piano en un bar", "weekly martes"),
        ("le mardi soir je vais à la piscine", "weekly mardi"),
        ("contéstame siempre en español", "answers"),
        ("réponds-moi toujours en français", "answers"),
        ("En casa hablamos catalán", "languages"),
        ("À la maison on parle arabe", "languages"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
    for said in [
        "los martes hay mercado",
        "el martes toco el piano",
        "le lundi c'est nul",
        "lundi je joue au foot",
        "contéstame cuando puedas",
        "réponds-moi vite",
        "en casa hablamos de política",
        "à la maison on parle politique",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_one_illness_does_not_take_the_place_of_another() {
    for (first, then) in [
        ("Je suis diabétique", "Je suis gauchère"),
        ("je suis asthmatique", "je suis diabétique"),
        ("j'ai du diabète", "j'ai de l'asthme"),
        ("Soy diabético", "Soy zurdo"),
        ("soy asmática", "soy disléxica"),
        ("voy en silla de ruedas", "me pincho insulina antes de comer"),
    ] {
        assert!(!topics(first).is_empty() && !topics(then).is_empty(), "{first} {then}");
        assert!(!crate::replaces_fact(first, then), "{first} {then}");
    }
}

#[test]
fn mp6_jokes_about_allergies_origins_and_offices_are_no_facts() {
    for said in [
        "Soy alérgico a los lunes",
        "soy alérgica a madrugar",
        "Soy de Marte, evidentemente",
        "vivo en la oficina últimamente",
        "Je suis allergique aux lundis",
        "Je viens de Mars, évidemment",
        "j'habite au bureau en ce moment",
        "Tout le monde croit que je suis mariée mdr",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_a_short_negation_denies_or_ends() {
    for said in ["je suis pas végétarien", "je suis pas allergique aux noix"] {
        assert_eq!(topics(said), [""; 0], "{said}");
        assert_eq!(denied_facts(said).len(), 1, "{said}");
    }
    for (old, new) in [
        ("Je suis végétarienne", "je suis plus végétarienne"),
        ("je suis allergique aux noix", "finalement je suis pas allergique aux noix"),
        ("J'habite à Lyon", "j'habite plus à Lyon"),
        ("J'habite à Lyon", "j'ai déménagé de Lyon à Grenoble"),
        ("No me gustan las aceitunas", "ahora sí me gustan las aceitunas"),
        ("Trabajo en Siemens", "dejé Siemens, ahora trabajo en Bosch"),
    ] {
        assert!(crate::replaces_fact(old, new), "{old} {new}");
    }
    assert_eq!(topics("je suis plus grand que toi"), [""; 0]);
}

#[test]
fn mp6_the_verb_may_stand_last_and_the_family_has_tastes() {
    for (said, topic) in [
        ("de Lugo soy", "origin"),
        ("dos gatos tengo", "have gatos"),
        ("de Lille je suis", "origin"),
        ("trois enfants j'ai", "have enfants"),
        ("nous on habite à Redon", "home"),
        ("a mi hijo le encanta el balonmano", "hijo like balonmano"),
        ("mon fils adore le handball", "fils like handball"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
    for said in ["el más listo soy", "dime dónde vivo", "tu sais où je vis", "ma mère adore ton idée"] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_what_stands_around_the_verb_changes_no_fact() {
    for (said, topic) in [
        ("mi madre, que vive en Lugo, viene el viernes", "madre home"),
        ("ma mère, qui habite à Limoges, arrive vendredi", "mere home"),
        ("mi hermana y yo vivimos en Toro", "home"),
        ("mon copain et moi on habite à Sète", "home"),
        ("desde marzo vivo en Gijón", "home"),
        ("avec ma femme je vis à Colmar", "home"),
        ("como vegetariana que soy", "diet"),
        ("los findes trabajo de camarera", "weekly work"),
        ("le week-end je bosse dans un bar", "weekly work"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
    for (first, then) in [
        ("Estudio derecho en Granada", "Los findes trabajo de camarera"),
        ("J'étudie le droit à Rennes", "Le week-end je travaille dans un bar"),
    ] {
        assert!(!crate::replaces_fact(first, then), "{first} {then}");
    }
    for said in [
        "mi amiga, que vive en Lugo, viene el viernes",
        "en mi novela soy panadera",
        "dans mon rêve je suis boulanger",
        "à Noël je suis pompier",
        "pour Halloween je suis pompier",
        "estoy casi casada con este sofá",
    ] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_shortened_words_are_read_as_if_they_were_written_out() {
    for (short, long) in [
        ("jsuis végane", "je suis végane"),
        ("chui végane", "je suis végane"),
        ("jbosse à la mairie", "je bosse à la mairie"),
        ("jhabite à Caen", "j'habite à Caen"),
        ("vu qu'on habite à Caen", "vu que on habite à Caen"),
        ("xq soy zurdo", "porque soy zurdo"),
        ("tb toco el piano", "también toco el piano"),
    ] {
        assert!(!topics(short).is_empty(), "{short}");
        assert_eq!(topics(short), topics(long), "{short}");
    }
    // "llamó" is no "llamo"
    for said in ["me llamó Pedro ayer", "mi padre trabajó en la mina", "trabajó en la mina"] {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_a_reason_without_a_subject_is_the_authors_where_the_author_follows() {
    for (said, topic) in [
        ("al ser diabético tengo que mirar las etiquetas", "health diabetico"),
        ("étant diabétique je dois lire les étiquettes", "health diabetique"),
    ] {
        assert_eq!(topics(said), [topic], "{said}");
    }
    for said in ["al ser diabético mira las etiquetas", "étant diabétique elle doit lire les étiquettes"]
    {
        assert_eq!(topics(said), [""; 0], "{said}");
    }
}

#[test]
fn mp6_another_pet_does_not_take_the_place_of_the_first() {
    for (first, then) in [
        ("Mi gato se llama Mila", "Mi otro gato se llama Pelusa"),
        ("Mon chat s'appelle Mila", "Mon deuxième chat s'appelle Peluche"),
    ] {
        assert_ne!(topics(first), topics(then), "{first} {then}");
        assert_eq!(topics(then).len(), 1, "{then}");
    }
}
