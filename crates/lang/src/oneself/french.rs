//! The French rules for facts that people tell about themselves; see the parent module for the meaning of each field.

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
    openings: "et|mais|alors|bon|ben|ah|oh|oui|non|bonjour|salut|au fait|en fait|en realite|d'ailleurs|ecoute|tu sais|\
        parce que|car|donc|euh|enfin|pardon|correction|desole|desolee|moi|aussi|sinon|bref|a propos|pour info|\
        honnetement|personnellement|puis|maintenant|actuellement|comme tu sais|moi aussi|il se trouve que|\
        la semaine derniere|le mois dernier|l'an dernier|l'annee derniere|hier|recemment|depuis peu|cette annee|\
        finalement|chez nous|chez moi|a la maison|juste un truc|a present|pour tout dire|pour rappel|note que|perso|\
        sache que|attention|attention que|a la base|malheureusement|helas|par chance|par malheur|evidemment|forcement|franchement|de naissance|\
        d'origine|ici|de metier|de profession|de formation|ca y est|de base|a l'origine|au depart|heureusement que|heureusement|puisque|\
        c'est que|pour ma part|je te previens|je previens que|je precise que|je te rappelle que",
    supposing: "si quand lorsque peut-etre imagine imaginons supposons quoique pourvu",
    stories: "pas vrai que|c'est faux que|jamais dit que|jamais prétendu que|dis pas que|ai pas dit que|imagine|imaginons|supposons|admettons|si|a dit|m'a dit|t'a dit|nous a dit|dit que|dit qu'il|dit qu'elle|dit la|\
        dit le|il dit|elle dit|on dit|dirait|disait|il chante|elle chante|ils chantent|qui chante|personnage|jeu de rôle|écris que|écris un|dis que|\
        raconte que|fais comme|faisons comme|mettons que|fais semblant|prétends que|mets que|faux profil|\
        dans le roman|croit que|croient que|pense que je|pensent que|croyais que|croyait que|pensais que|pensait que|\
        paraît que|il parait que|rêve que|rêvé que|doute que|espère que|comme si",
    times: "aujourd'hui|demain|ce soir|ce matin|ce midi|cette semaine|cette nuit|cet apres|pour l'instant|pour le moment|\
        la semaine prochaine|apres demain|tout de suite|a midi",
    passing: "marie a mon travail|marie a mon boulot|mariee a mon travail|mariee a mon boulot|allergique a tes|ce week|en ce moment meme|peut etre|sans doute|si j'etais|si je|quand j'etais|petit j'|petite j'|autrefois|\
        avant j'|je plaisante|j'aimerais|je voudrais|cette fois|dit|dans le jeu|imagine|chat dans la gorge|\
        dans la serie|dans ton texte|dans ton histoire|dans le film|dans l'histoire|dans mon roman|pour la blague|\
        pour la journee|pour deux jours|jusqu'a recemment|jusqu'a l'an",
    joints: "et|mais|car|parce|que|donc|comme|puisque",
    subjects: "je j'ai j'habite j'aime j'adore j'etudie j'enseigne j'apprends mon ma mes nous on notre nos appelle alors donc si tout \
        j'ecoute j'evite j'eleve reponds",
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
        "maintenant actuellement aussi toujours encore vraiment tres beaucoup plutot desormais bien surtout enormement \
        particulierement absolument deja depuis tout juste assez seulement plus tellement trop moi-meme",
    ),
    (
        "very",
        "tres vraiment assez plutot un une peu gravement fortement aussi strictement totalement depuis toujours legerement \
        extremement devenu devenue raide grand grande gros grosse severement super hyper tous deux desormais maintenant",
    ),
    ("mon", "mon ma mes notre nos"),
    (
        "kin",
        "femme mari epoux epouse compagnon compagne copain copine mere pere maman papa parents soeur soeurs frere freres fille \
        filles fils enfant enfants bebe jumeaux jumelles oncle tante cousin cousine cousins neveu niece grand-mere grand-pere \
        mamie papi papy grands-parents belle beau \
        mere-belle fiance fiancee filleul filleule ado petit petite aine ainee cadet cadette \
        benjamin benjamine dernier derniere marraine parrain tantes oncles cousines nieces neveux ex conjoint conjointe gendre \
        bru garcon garcons mamy pepe meme papounet tata tonton petits jumeau jumelle beaux tuteur demi mec meuf nana cheri cherie",
    ),
    (
        "family",
        "soeur soeurs frere freres fille filles fils enfant enfants bebe jumeaux jumelles neveu neveux niece nieces petit-fils \
        petite-fille mari femme copain copine garcon garcons petits jumeau jumelle gendre cousin cousine cousins cousines \
        petits-enfants mec meuf nana ado ados beau-fils belle-fille filleul filleule oncle tante demi-frere demi-soeur",
    ),
    (
        "pet",
        "chien chiens chienne chat chats chatte cheval chevaux lapin lapins hamster oiseau oiseaux perroquet tortue chiot \
        chaton chatons poney poisson poissons perruche canari cochon cochons poules jument labrador caniche teckel beagle \
        levrier dalmatien setter furet furets gerbille gerbilles rat rats souris serpent serpents lezard gecko iguane tortues \
        anes ane anesse chevre chevres mouton moutons brebis poule canard canards oie oies perruches perroquets canaris lapine \
        chattes chiennes chiots hamsters poneys herisson herissons grenouille phasme phasmes mygale fourmis paon paons pigeon \
        pigeons tourterelle cailles dindon escargots axolotl chinchilla chinchillas rottweiler doberman samoyede akita shiba dogue caniches terrier pitbull bichon corgi whippet galgo octodon berger bouledogue cocker epagneul \
        golden husky border malinois lama lamas ruches abeilles",
    ),
    (
        "adj",
        "plus petit petite petits petites grand grande grands grandes vieux vieille nouveau nouvelle meilleur meilleure deux \
        trois jeune jeunes adorable aine ainee cadet cadette noir noire blanc blanche gros grosse rousse roux ex beaux belle \
        beau arriere demi mere pere soeur frere autre autres deuxieme second seconde troisieme",
    ),
    ("count", "un une deux trois quatre cinq six sept huit plusieurs {digits}"),
    ("at", "a au aux en dans chez pres avec sur seul seule rue boulevard avenue place face sous loin non"),
    (
        "not_a_home",
        "l'angoisse paix peur danger espoir le la les une un l'espoir l'instant cote bureau boulot taf hopital l'hopital l'attente narnia poudlard lune film reve bulle cauchemar chaos roman conte \
        voiture gare jour biblio bibliotheque salle",
    ),
    ("not_a_job", "la le les un une mon ma l'aise fond plein cela ca ce moment cote nuit"),
    (
        "it",
        "ca ce c'est cette cet cela que qu'on quand si comment ton ta tes votre vos te vous tu ici rien tout ou mieux l'idee \
        celui celle premiere premier deuxieme second seconde troisieme derniere dernier autre option version la-dessus autant \
        lui leur ceux y",
    ),
    (
        "job",
        "ambulancier ambulanciere professeur professeure prof enseignant enseignante instituteur institutrice medecin infirmier infirmiere ingenieur \
        ingenieure avocat avocate architecte menuisier menuisiere plombier electricien electricienne boulanger boulangere \
        cuisinier cuisiniere serveur serveuse etudiant etudiante pilote ecrivain ecrivaine journaliste peintre musicien \
        musicienne chanteur chanteuse acteur actrice danseur danseuse photographe comptable pharmacien pharmacienne dentiste \
        veterinaire scientifique physicien physicienne chimiste biologiste mathematicien mathematicienne chercheur chercheuse \
        policier policiere pompier pompiere soldat agriculteur agricultrice jardinier jardiniere mecanicien mecanicienne \
        chauffeur chauffeuse traducteur traductrice interprete consultant consultante economiste secretaire vendeur vendeuse \
        coiffeur coiffeuse psychologue chirurgien chirurgienne sage-femme sage developpeur developpeuse informaticien \
        informaticienne programmeur programmeuse graphiste designer bibliothecaire libraire juge notaire retraite retraitee \
        fonctionnaire independant independante entrepreneur entrepreneuse facteur factrice pecheur boucher bouchere fleuriste \
        apiculteur apicultrice historien historienne kine kinesitherapeute orthophoniste assistant assistante aide-soignant \
        aide-soignante aide ouvrier ouvriere macon caissier caissiere conducteur conductrice technicien technicienne guide \
        educateur educatrice stagiaire apprenti apprentie lyceen lyceenne directeur directrice chef gerant gerante vigneron \
        vigneronne patissier patissiere doctorant doctorante hotesse steward luthier opticien opticienne serrurier serruriere \
        forgeron gendarme charpentier charpentiere couvreur carreleur ebeniste paysagiste maraicher maraichere eleveur \
        eleveuse berger bergere paysan paysanne fermier fermiere cheminot cheminote douanier douaniere militaire marin matelot \
        capitaine urbaniste geometre geologue archeologue astronome sociologue philosophe linguiste statisticien \
        statisticienne actuaire banquier banquiere courtier courtiere huissier greffier greffiere magistrat magistrate avoue \
        maire elu elue animateur animatrice auxiliaire ergotherapeute dieteticien dieteticienne nutritionniste osteopathe \
        podologue cardiologue pediatre generaliste urgentiste anesthesiste radiologue dermatologue gynecologue psychiatre \
        puericultrice nounou nourrice atsem cpe proviseur proviseure principal formateur formatrice coach moniteur monitrice \
        arbitre sculpteur sculptrice potier potiere ceramiste tapissier tapissiere couturier couturiere styliste modeliste \
        estheticienne barbier tatoueur tatoueuse bijoutier bijoutiere joaillier horloger horlogere illustrateur illustratrice \
        dessinateur dessinatrice realisateur realisatrice scenariste monteur monteuse comedien comedienne clown humoriste \
        regisseur regisseuse editeur editrice correcteur correctrice redacteur redactrice documentaliste archiviste \
        conservateur conservatrice poissonnier poissonniere fromager fromagere chocolatier chocolatiere sommelier sommeliere \
        barman barmaid restaurateur restauratrice cuistot traiteur epicier epiciere caviste brasseur brasseuse hotelier \
        hoteliere receptionniste standardiste concierge gardien gardienne vigile plaquiste soudeur soudeuse tourneur \
        chaudronnier chaudronniere garagiste carrossier carrossiere taxi cariste magasinier magasiniere manutentionnaire \
        logisticien logisticienne acheteur acheteuse commercial commerciale negociateur negociatrice recruteur recruteuse drh \
        manager analyste auditeur auditrice controleur controleuse inspecteur inspectrice ramoneur plongeur forestier \
        forestiere bucheron prothesiste toiletteur toiletteuse intermittent intermittente interimaire thanatopracteur \
        imprimeur imprimeuse mineur mineurs agriculteurs paysans instituteurs enseignants professeurs profs medecins \
        infirmiers ouvriers commercants commercant commercante boulangers restaurateurs fonctionnaires avocats musiciens \
        fermiers vignerons eleveurs pecheurs interne externe alternant alternante saisonnier saisonniere benevole responsable \
        charge chargee cadre cheffe etudiants militaires gendarmes policiers dentistes pharmaciens freelance freelances \
        violoniste pianiste guitariste bassiste batteur batteuse percussionniste organiste dj agent agente instit veto surveillant \
        surveillante aesh platrier platriere zingueur mecano infographiste videaste youtubeur youtubeuse streamer doula sophrologue \
        naturopathe masseur masseuse audioprothesiste orthoptiste brancardier brancardiere codeur codeuse dev cordiste toubib \
        maitresse microbiologiste oceanographe meteorologue ecologue tromboniste trompettiste violoncelliste \
        relieur relieuse webmaster administrateur administratrice attache attachee gestionnaire operateur operatrice routier \
        livreur livreuse ambulancier ambulanciere",
    ),
    (
        "state",
        "allergique vegetarien vegetarienne vegan vegane diabetique coeliaque sourd sourde aveugle intolerant intolerante \
        enceinte retraite retraitee marie mariee divorce divorcee asthmatique autiste divorces separes separe separee \
        retraites maries pacses celibataire veuf veuve decedes decede decedee vegetariens vegans allergiques dyslexique \
        epileptique handicape handicapee daltonien malvoyant malvoyante orphelin orpheline",
    ),
    (
        "condition",
        "diabete endometriose hypothyroidie fibromyalgie psoriasis crohn sclerose anemie asthme epilepsie migraines migraine arthrose autisme tdah dyslexie hypertension acouphenes eczema",
    ),
    ("month", "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre noel"),
    (
        "num",
        "dix-huit vingt trente quarante cinquante soixante quatre-vingt quatre-vingts dix deux trois quatre cinq six sept huit \
        neuf onze douze treize quatorze quinze seize {digits}",
    ),
    (
        "nation",
        "francais francaise belge suisse quebecois quebecoise canadien canadienne breton bretonne parisien parisienne marocain \
        marocaine algerien algerienne tunisien tunisienne senegalais senegalaise allemand allemande italien italienne espagnol \
        espagnole portugais portugaise anglais anglaise luxembourgeois lyonnais lyonnaise marseillais alsacien alsacienne \
        polonais polonaise ivoirien ivoirienne camerounais camerounaise malien malienne beninois beninoise togolais togolaise \
        congolais congolaise guineen guineenne burkinabe mauritanien mauritanienne malgache mauricien mauricienne comorien \
        comorienne rwandais rwandaise gabonais gabonaise nigerian nigeriane ethiopien ethiopienne egyptien egyptienne libanais \
        libanaise syrien syrienne turc turque kurde iranien iranienne irakien irakienne israelien israelienne palestinien \
        palestinienne armenien armenienne georgien georgienne russe ukrainien ukrainienne roumain roumaine bulgare serbe \
        croate bosniaque albanais albanaise grec grecque hongrois hongroise tcheque slovaque autrichien autrichienne \
        neerlandais neerlandaise hollandais hollandaise danois danoise suedois suedoise norvegien norvegienne finlandais \
        finlandaise islandais islandaise irlandais irlandaise ecossais ecossaise gallois galloise americain americaine \
        mexicain mexicaine bresilien bresilienne argentin argentine chilien chilienne peruvien peruvienne colombien \
        colombienne venezuelien venezuelienne cubain cubaine haitien haitienne antillais antillaise guadeloupeen \
        guadeloupeenne martiniquais martiniquaise guyanais guyanaise reunionnais reunionnaise japonais japonaise chinois \
        chinoise coreen coreenne vietnamien vietnamienne cambodgien cambodgienne laotien laotienne thailandais thailandaise \
        philippin philippine indien indienne pakistanais pakistanaise australien australienne acadien acadienne kabyle berbere \
        corse basque normand normande picard picarde ch'ti ardennais ardennaise lorrain lorraine champenois bourguignon \
        bourguignonne jurassien savoyard savoyarde auvergnat auvergnate limousin perigourdin charentais charentaise vendeen \
        vendeenne nantais nantaise rennais rennaise bordelais bordelaise toulousain toulousaine marseillaise nicois nicoise \
        lillois lilloise strasbourgeois strasbourgeoise grenoblois grenobloise montpellierain montpellieraine catalan catalane \
        gascon provencal provencale bruxellois bruxelloise liegeois liegeoise wallon wallonne flamand flamande genevois \
        genevoise vaudois vaudoise montrealais montrealaise francilien banlieusard",
    ),
    (
        "business",
        "boulangerie magasin restaurant cafe entreprise boutique librairie ferme hotel atelier bar cabinet pharmacie salon gite \
        societe epicerie boucherie fromagerie patisserie pizzeria brasserie tabac garage exploitation vignoble domaine elevage \
        camping agence ecole galerie imprimerie cordonnerie chocolaterie auberge mercerie quincaillerie fleuristerie \
        auto-ecole creche boite start-up hebergement food-truck friperie bistrot creperie",
    ),
    (
        "food",
        "gluten lactose viande porc sel sucre lait oeuf oeufs alcool poisson poissons beurre produits fruits crustaces arachide \
        arachides noix noisettes soja ble fromage fromages cafe the cafeine vin laitages boeuf crudites ail oignon oignons \
        tomates fraises kiwi kiwis",
    ),
    (
        "vague",
        "titre titres soleil fins nuits bureau ordinateur imprimante logiciel dernier derniere premier premiere episode bruits \
        travaux voisines enfants film livre reunion rapport projet chapitre version texte dossier cours prof voisin voisine \
        voisins situation idee temps chaleur bruit suite fin chose choses gens gars fille type patron chef serie match article \
        scene fait facon maniere reponse question nouvelle nouvelles chanson gouvernement ministre president meteo pluie vent \
        canicule train bus histoire debut reste plupart probleme client",
    ),
    (
        "notname",
        "pareil parfait super bon bien genial cool nul top ok faux vrai fini trop tout rien different difficile facile drole \
        triste beau joli dommage mort cuit fichu clair logique normal bizarre elle lui moi toi eux nous vous iel non oui pire \
        mieux tard tot loin dur cher grave ~ique ~able ~ible ~ant ~eux ~if long moche marrant complique mignon chaud froid \
        noir gentil gentille sympa chouette bete idiot con nickel excellent sublime extra dingue fou ouf chiant galere propre \
        pret sur certain net flou vague leger lourd grand petit court rapide lent simple mou plein vide ouvert ferme cru frais \
        sec sale bas haut gratuit payant nouveau vieux jeune ancien urgent demain lundi mardi mercredi jeudi vendredi samedi \
        dimanche ici merveilleux adorable genre gagne rate perdu mal dedans dehors entendu parti evidemment exact juste vendu \
        enregistre note sympathique embetant reussi termine douteux louche mimi promis decide compris regle noel paques byzance versailles",
    ),
    (
        "field",
        "enseignement banque restauration armee police hopital usine mairie boite entreprise boulot travail job emploi metier \
        poste cabinet agence finance marketing compta education gendarmerie fac ecole lycee commerce hotellerie journalisme \
        assurance salariat",
    ),
    (
        "not_an_origin",
        "retour garde sortie service bonne mauvaise nuit jour permanence passage corvee repos astreinte mariage trop tout coeur \
        avis taille soir matin metier genre voyage meme parti cru coin bord monde fete toute ceux celles la le votre ton mon \
        quart carrefour leclerc auchan ikea lidl decathlon mars lune jupiter saturne venus pluton l'espace poudlard narnia gotham futur passe planete",
    ),
    (
        "no_allergen",
        "lundi lundis mardi mercredi jeudi vendredi samedi dimanche dimanches matin matins reveil reveils reunion reunions travail \
        boulot connerie conneries gens betise betises compromis drame drames excuses mensonges amour idiots cons hypocrisie \
        sport effort efforts menage vaisselle chefs maths impots devoirs engagement responsabilites politique administration \
        paperasse injustice mauvaise stupidite blabla ~er ~ir",
    ),
    (
        "tells",
        "dis dit dire sais sait savoir demande demander raconte montre explique oublie trouve reve imagine si qui comprends",
    ),
    (
        "pronoun",
        "moi toi lui elle eux je tu il on oui non salut merci attention pardon desole desolee tiens regarde ah oh bref",
    ),
    (
        "boss",
        "chef cheffe boss patron patronne manager responsable tuteur tutrice prof encadrante encadrant directrice directeur",
    ),
    (
        "weekday",
        "lundi mardi mercredi jeudi vendredi samedi dimanche lundis mardis mercredis jeudis vendredis samedis dimanches week",
    ),
    (
        "clinging",
        "colle collee accroche accrochee scotche scotchee branche branchee suspendu suspendue pendu pendue",
    ),
    (
        "dance",
        "tango salsa bachata rock swing lindy flamenco valse classique hip-hop claquettes contemporain bal kizomba zouk forro",
    ),
    (
        "craft",
        "aquarelle l'aquarelle l'huile romans roman nouvelles poemes poesie chansons bd mangas portraits miniatures maquettes \
        pulls echarpes vetements robes meubles paysages icones",
    ),
    ("race", "marathons marathon semi-marathons trails trail triathlons triathlon"),
    ("part_of_body", "rein poumon oeil doigt doigts jambe bras main oreille"),
    (
        "nations",
        "bretons bretonnes italiens italiennes algeriens algeriennes marocains marocaines espagnols espagnoles allemands allemandes \
        belges suisses polonais polonaises roumains roumaines russes turcs turques tunisiens senegalais portugais portugaises \
        libanais corses basques alsaciens normands vietnamiens chinois japonais bresiliens canadiens americains maliens \
        d'immigres",
    ),
    ("often", "jours matins soirs jour matin soir semaine semaines midis week"),
    (
        "taste",
        "the cafe chat chats chien chiens mer montagne sucre sale ville campagne biere vin foot rugby ete hiver",
    ),
    ("part", "soir soirs matin matins apres midi end ends"),
    (
        "weekly",
        "cours yoga pilates piscine gym chorale repetition repetitions repet entrainement entrainements poterie danse judo karate \
        theatre foot tennis conservatoire escalade natation kine muscu boxe orchestre catechisme equitation solfege",
    ),
    (
        "instrument",
        "piano guitare violon violoncelle alto basse batterie flute clarinette saxophone saxo trompette trombone tuba harpe \
        accordeon cornemuse hautbois basson contrebasse ukulele percussions harmonica orgue clavier banjo mandoline vielle \
        l'accordeon l'alto l'harmonica l'orgue bombarde biniou djembe cor",
    ),
    (
        "sport",
        "foot football basket tennis rugby volley handball hand golf badminton petanque echecs belote bridge escalade l'escalade \
        d'escalade natation yoga pilates judo karate boxe surf velo randonnee rando escrime l'escrime aviron l'aviron athletisme \
        l'athle triathlon poterie theatre couture tricot danse equitation l'equitation hockey ping plongee voile ski",
    ),
    (
        "device",
        "canne bequilles pacemaker prothese appareil appareils stimulateur implant lunettes lentilles",
    ),
    ("ill", "diabetique asthmatique epileptique autiste tdah dyslexique bipolaire coeliaque hpi"),
    ("mid", "c'est m'est est me pour moi sont strictement totalement completement il elle"),
    (
        "seen",
        "photo photos video videos robe look coupe couleur couleurs logo design blague blagues ambiance tenue deco chute style \
        concept resultat rendu choix cadeau surprise moment passage voix",
    ),
    (
        "tongue",
        "francais portugais arabe l'arabe anglais l'anglais espagnol l'espagnol allemand l'allemand italien l'italien breton basque occitan \
        corse alsacien creole kabyle berbere turc russe ukrainien polonais roumain bulgare grec hebreu chinois mandarin japonais \
        coreen vietnamien wolof lingala bambara neerlandais flamand suedois catalan tamoul persan armenien",
    ),
    (
        "gone",
        "en il le l'~ ce cet cette d'un d'une dans quand depuis avant recemment trop jeune subitement ca {month} lorsque apres \
        brutalement",
    ),
    ("ordinal", "premiere deuxieme seconde troisieme quatrieme cinquieme sixieme derniere 1re 1ere {digits}"),
    (
        "etudes",
        "medecine droit pharmacie lettres psycho sociologie histoire socio prepa chimie physique biologie archi informatique \
        kine maths philo langues sciences geographie eco economie staps theatre musique infographie veto pharma dentaire architecture journalisme histoire",
    ),
    ("drink", "mange bois fume supporte digere consomme mangeons buvons tolere"),
];
