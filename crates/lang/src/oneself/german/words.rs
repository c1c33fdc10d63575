//! The word lists that the German patterns refer to.

pub(super) const LISTS: &[(&str, &str)] = &[
    (
        "adv",
        "jetzt nun auch eigentlich leider inzwischen mittlerweile zurzeit aktuell ubrigens halt ja doch nur noch immer schon \
        wieder endlich ursprunglich gerade eher sehr total wirklich ganz besonders gar ubrigens lieber selbst beide von haus aus \
        grundsatzlich prinzipiell generell bitte einfach seit kurzem gern gerne meistens meist oft am abends morgens mittags \
        grad grade selber selbst mal erst geburtig nebenbei hauptberuflich sogar tatsachlich bloss bald echt zugegeben zwar sowieso \
        normalerweise neuerdings seither seitdem weiterhin glaub hauptsachlich vorwiegend ausschliesslich zum gluck",
    ),
    (
        "very",
        "sehr also total wirklich stark schwer extrem ziemlich leicht etwas hoch streng strenge strenger uberzeugte uberzeugter \
        leider auch ubrigens schon seit jahren langem kurzem jetzt eine ein so ja noch doch nur immer halt ganz recht beide ein \
        eingefleischter grosser grosse riesiger riesige absolut \
        gar grad gerade inzwischen mittlerweile eigentlich zum gluck ubelst richtig echt nen ne neuerdings wieder grosses totaler \
        totale absoluter absolute strikt rein bekennende bekennender halbwegs wirklich momentan",
    ),
    ("mein", "mein meine unser unsere"),
    (
        "boss",
        "chef chefin boss vorgesetzter vorgesetzte teamleiter teamleiterin abteilungsleiter abteilungsleiterin",
    ),
    (
        "one",
        "frau mann partner partnerin freundin freund mutter vater mama papa mami papi mutti vati verlobter verlobte ehemann \
        ehefrau chef chefin boss vorgesetzter vorgesetzte teamleiter teamleiterin abteilungsleiter abteilungsleiterin",
    ),
    (
        "weekly",
        "meistens oft viel gern gerne montags dienstags mittwochs donnerstags freitags samstags sonntags jeden jede zweimal dreimal viermal einmal immer abends \
        regelmassig wochentlich di mi do fr sa",
    ),
    (
        "hobby",
        "klettern schwimmen joggen wandern laufen tanzen angeln reiten bouldern segeln surfen zelten kegeln bowlen turnen rudern tauchen \
        skifahren radfahren paddeln golfen yoga pilates chor fechten boxen judo karate ballett zumba topfern malen singen",
    ),
    (
        "jokes",
        "montag montage montags dienstage arbeit arbeiten dummheit dumme laune leute menschen mathe hausaufgaben aufstehen burokratie \
        meetings meeting smalltalk chef ex lugen stress unsinn blodsinn ironie politiker politik putzen hausarbeit sport termine",
    ),
    (
        "field",
        "jura medizin bwl vwl lehramt philosophie chemie physik mathe mathematik informatik geschichte kunst musik design pharmazie \
        theologie architektur psychologie germanistik anglistik romanistik soziale ~logie ~istik ~technik ~wissenschaft \
        ~wissenschaften ~kunde ~nomie ~grafie ~graphie ~bau ~wesen ~medizin ~informatik ~management ~recht ~padagogik",
    ),
    (
        "insult",
        "idiot zicke biest depp trottel gute guter liebe lieber arme armer kleine kleiner grosse grosser alte alter dumme verruckte \
        faulpelz held engel schatz monster ekel esel spinner nerd chaot chaotin hexe schlingel racker streber heulsuse beste bester \
        blonde blonder neue neuer arsch schlaumeier angsthase feigling stinker fratz frechdachs lausbub teufel narr",
    ),
    (
        "since",
        "seit von auf am geburt kindheit meiner einem dem der einen auge rechts links fast komplett vollstandig ganz beiden ohren \
        linken rechten ohr jahren jahr unfall {digits} leider auch gesetzlich halb nahezu beidseitig einseitig einer an",
    ),
    (
        "lang",
        "deutsch englisch franzosisch spanisch italienisch russisch turkisch polnisch arabisch chinesisch japanisch portugiesisch \
        ukrainisch niederlandisch danisch schwedisch koreanisch plattdeutsch ~deutsch kurdisch persisch vietnamesisch griechisch",
    ),
    (
        "pill",
        "~tabletten ~tablette tabletten tablette ~medikamente medikamente ~spray cortison kortison insulin ~hemmer ~verdunner metformin \
        antidepressiva ~senker ritalin",
    ),
    (
        "faith",
        "evangelisch katholisch muslim muslima moslem muslimisch jude judin judisch atheist atheistin buddhist buddhistin hindu orthodox \
        christ christin konfessionslos alevit alevitin freikirchlich protestant protestantin",
    ),
    (
        "past",
        "war hatte wurde ware wurden wollte konnte musste durfte sollte mochte kam ging waren hatten fand will gab",
    ),
    (
        "kin",
        "kater frau mann partner partnerin freundin freund mutter vater mama papa eltern schwester schwestern bruder geschwister \
        sohn sohne tochter tochter kind kinder zwillinge onkel tante cousin cousine neffe nichte oma opa omi opi grossmutter \
        grossvater grosseltern  mitbewohner mitbewohnerin  schwiegermutter \
        schwiegervater schwager schwagerin verlobter verlobte enkel enkelin ex patenkind kleine kleiner grosse grosser alteste \
        altester jungste jungster mami papi mutti vati   schwiegereltern schwiegersohn schwiegertochter stiefvater stiefmutter stiefsohn stieftochter stiefbruder \
        stiefschwester halbschwester halbbruder zwillingsbruder zwillingsschwester patenonkel patentante patensohn patentochter \
        pflegekind pflegesohn pflegetochter ehemann ehefrau gatte gattin lebensgefahrte lebensgefahrtin exmann exfrau exfreund \
        exfreundin neffen nichten tanten cousins cousinen enkelkind enkelkinder jungs madels zwilling urgrossmutter urgrossvater \
        uroma uropa halfte grosstante grossonkel sohnemann papi papis bub buben jungste mittlere mittlerer",
    ),
    (
        "family",
        "frau mann schwester schwestern bruder geschwister sohn sohne tochter kind kinder zwillinge neffen nichten enkel \
        enkelkinder enkelin cousins cousinen halbschwester halbbruder zwillingsbruder zwillingsschwester freundin freund \
        jungs madchen madels tochter sohnchen enkelkind enkelsohn enkeltochter stiefkinder stiefsohn stieftochter pflegekind \
        pflegekinder patenkind patenkinder adoptivsohn adoptivtochter zwillingstochter neffe nichte schwager schwagerin \
        urenkel cousin cousine kids teenager drillinge",
    ),
    (
        "pet",
        "hund hunde hundin katze katzen pferd pferde hase hasen kaninchen hamster vogel vogel wellensittich \
        wellensittiche papagei schildkrote welpe welpen meerschweinchen pony fische kanarienvogel huhner dackel pudel labrador \
        schaferhund beagle terrier gecko schlange \
        mops bulldogge collie retriever windhund dogge chihuahua mischling bienen schafe ziegen ganse enten esel alpaka alpakas \
        ratten rennmause frettchen leguan axolotl papageien schildkroten chinchilla chinchillas ponys katerchen katzchen \
        hahne hundchen mieze stute hengst wallach kuhe bartagame bartagamen nymphensittich ~fisch ~fische ~pferd ~vogel ~spinne ~schlange nymphensittiche ~hund \
        ~hundin ~katze ~katzen",
    ),
    (
        "adj",
        "kleine kleiner kleines kleinen grosse grosser grossen altere alterer alteren alterere jungere jungerer jungeren alte \
        alten alter neue neuen neuer beste bester besten beide beiden schwarze schwarzen weisse weissen junge jungen suesse \
        eigenes eigene eigenen eigener alten erwachsene erwachsenen alteste altester jungste jungster zwei drei \
        zweite zweiter zweites dritte dritter drittes bessere andere anderer anderes vier funf",
    ),
    (
        "behind",
        "namens und der die das zuhause mehr sowie plus oder hier seit daheim namen sie er beide allerdings gross",
    ),
    (
        "count",
        "ein eine einen zwei drei vier funf sechs sieben acht keine kein keinen mehrere nen ne einige neun zehn {digits}",
    ),
    ("in", "in im bei auf am an nahe mit zusammen allein alleine unter neben uber zur direkt"),
    (
        "not_a_home",
        "chaos angst frieden furcht traum traumen moment vergangenheit zukunft wolke luge armut gefahr hoffnung sunde saus \
        der einer einem dem den meiner dieser dir mir ihm ihr ihnen euch buro homeoffice badezimmer kinderzimmer hier jetzt stress zeit zug auto bahn",
    ),
    (
        "backfrom",
        "urlaub dusche arbeit schule badezimmer bett kino buro stadt haus wald garten keller supermarkt laden training \
        staunen dem der lachen \
        deckung reserve grubeln quark kur reha klinik krankenhaus kita kindergarten sitzung werkstatt kneipe haft gefangnis besprechung meeting \
        hause konzept ubung takt tritt mode haut spass versehen neugier interesse not \
        zukunft vergangenheit holle weltall himmel mars mond atlantis hogwarts mittelerde schokolade zauberwald u s badewanne sauna tram strassenbahn ubahn sbahn",
    ),
    (
        "it",
        "das es dich euch sie ihn ihr dir dein deine deinen deiner diese diesen dieses dieser jetzt nichts alles etwas was wie wenn \
        dass hier da so mehr eure euren nicht daran darauf davon ihm ihnen mich mir uns ihre ihren ihrem euer eurem nochmal zweite zweiten erste ersten letzte letzten andere anderen",
    ),
    (
        "notname",
        "verruckt altmodisch ruhig nicht spater zuruck an bitte das ein eine einen so wie du dumm naiv morgen heute \
        kleinlich spiessig was es sie faul bloss gerne mal",
    ),
    (
        "job",
        "~lehrer ~lehrerin ~arzt ~arztin ~ingenieur ~ingenieurin ~meister ~meisterin ~fahrer ~fahrerin ~verkaufer ~verkauferin \
        ~techniker ~technikerin ~entwickler ~entwicklerin ~wissenschaftler ~wissenschaftlerin ~student ~studentin ~berater \
        ~beraterin ~pfleger ~pflegerin ~sanitater ~sanitaterin ~schwester ~leiter ~leiterin ~kaufmann ~kauffrau ~anwalt ~anwaltin ~therapeut ~therapeutin \
        ~login ~loge ~historiker ~historikerin ~assistent ~assistentin ~manager ~managerin ~designer ~designerin ~mechaniker \
        ~mechanikerin ~macher ~macherin ~bauer ~bauerin ~warter ~warterin ~helfer ~helferin ~beamter ~beamtin lehrer lehrerin arzt \
        arztin ingenieur ingenieurin student studentin tischler tischlerin schreiner schreinerin backer backerin metzger koch \
        kochin kellner kellnerin friseur friseurin gartner gartnerin maler malerin elektriker elektrikerin klempner maurer \
        schlosser dachdecker polizist polizistin soldat soldatin pilot pilotin hebamme anwalt anwaltin richter richterin notar \
        notarin architekt architektin journalist journalistin autor autorin schriftsteller schriftstellerin ubersetzer \
        ubersetzerin dolmetscher dolmetscherin fotograf fotografin musiker musikerin schauspieler schauspielerin apotheker \
        apothekerin physiker physikerin chemiker chemikerin biologe biologin mathematiker mathematikerin informatiker \
        informatikerin programmierer programmiererin psychologe psychologin erzieher erzieherin rentner rentnerin schuler schulerin \
        azubi landwirt landwirtin winzer winzerin imker imkerin pfarrer pfarrerin hausmeister bibliothekar bibliothekarin buchhandler \
        buchhandlerin florist floristin goldschmied goldschmiedin optiker optikerin lokfuhrer lokfuhrerin feuerwehrmann sanitater \
        sanitaterin notfallsanitater krankenschwester krankenpfleger professor professorin freiberufler freiberuflerin hausfrau \
        hausmann steuerberater steuerberaterin tierarzt tierarztin zahnarzt zahnarztin busfahrer buchhalter buchhalterin sekretar \
        sekretarin grafiker grafikerin verkaufer verkauferin postbote taxifahrer referendar referendarin doktorand doktorandin \
        uhrmacher ~macher fluglotse lotse schornsteinfeger physiotherapeut zimmermann zimmerer spengler installateur spediteur \
        kraftfahrer trucker tierpfleger forster forsterin jager schafer schaferin zollner zollbeamter matrose kapitan stewardess \
        flugbegleiter flugbegleiterin reiseleiter kunstler kunstlerin bildhauer bildhauerin regisseur regisseurin redakteur \
        redakteurin lektor lektorin logopade logopadin chirurg chirurgin kinderarzt internist internistin statiker statikerin \
        geologe geologin jurist juristin okonom historiker archaologe archaologin mediengestalter mediengestalterin werkstudent \
        werkstudentin praktikant praktikantin vikar pastor pastorin imam trainer trainerin ~trainer ~trainerin ~forscher \
        ~forscherin ~bauerin ~arbeiter ~arbeiterin ~angestellte ~angestellter ~angestellter ~monteur monteur ~fuhrer ~fuhrerin \
        ~kellner ~berufler frisor bergmann kameramann kamerafrau seemann soldatin ~fachmann ~fachfrau arbeiter schmied ~schmied kassierer kassiererin \
        sachbearbeiter sachbearbeiterin mechatroniker mechatronikerin ~mechatroniker pfleger pflegerin fliesenleger putzfrau \
        reinigungskraft ~kraft pensionar pensionarin metzgerin klempnerin ~loter ~wirt ~wirtin wirt wirtin gastronom schneider \
        schneiderin rechtsanwalt psychotherapeut therapeut therapeutin hausarzt azubine vollzeitmama vollzeitpapa beamter beamtin berater beraterin entwickler entwicklerin designer designerin mechaniker \
        techniker therapeut verkaufer kaufmann kauffrau bauer bauerin fahrer ~rentner ~rentnerin ~pensionar ~pensionarin ~redakteurin \
        tagesmutter tagesvater ~betreuer ~betreuerin betreuer betreuerin ~verwalter ~verwalterin ~coach coach ~mediziner ~medizinerin \
        ~planer ~planerin ~polizist ~polizistin ~referent ~referentin disponent disponentin ~prufer ~pruferin ~gestalter ~gestalterin \
        ~zeichner ~zeichnerin ~schlosser ~installateur ~chemiker ~chemikerin ~physiker ~physikerin ~biologe ~biologin ~informatiker \
        ~informatikerin dozent dozentin barista barkeeper barkeeperin ~gartner ~gartnerin ~backer ~backerin ~maler ~malerin ~musiker \
        ~musikerin ~sanger ~sangerin ~tanzer ~tanzerin tanzer tanzerin sanger sangerin ~autor ~autorin ~offizier ~sachbearbeiter \
        ~sachbearbeiterin ~pilot ~pilotin ~makler ~maklerin",
    ),
    (
        "state",
        "allergisch getrennt verwitwet alleinerziehend single gehorlos autistisch tot verstorben gestorben arbeitslos selbststandig \
        nichtbinar trans schwul lesbisch bisexuell laktoseintolerant vegan vegetarisch vegetarier vegetarierin veganer veganerin schwanger taub blind verheiratet geschieden \
        diabetiker diabetikerin pensioniert verlobt dement",
    ),
    (
        "condition",
        "diabetes asthma epilepsie zoliakie migrane adhs heuschnupfen neurodermitis rheuma arthrose tinnitus bluthochdruck \
        autismus legasthenie \
        ads ~allergie ~intoleranz ~unvertraglichkeit reizdarm morbus parkinson demenz multiple endometriose laktoseintoleranz \
        hashimoto ms lipodem ptbs borderline schizophrenie arthritis colitis fibromyalgie bandscheibenvorfall lupus \
        narkolepsie tourette dyskalkulie mukoviszidose anamie glaukom sklerose herzfehler schuppenflechte skoliose gicht krebs depressionen",
    ),
    (
        "month",
        "januar februar marz april mai juni juli august september oktober november dezember janner feber weihnachten \
        silvester heiligabend ostern",
    ),
    (
        "num",
        "achtzehn neunzehn zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig ~undzwanzig ~unddreissig ~undvierzig \
        ~undfunfzig ~undsechzig ~undsiebzig zwei drei vier funf sechs sieben acht neun zehn elf zwolf ~zehn {digits}",
    ),
    (
        "consume",
        "trinke esse hore lese schaue spiele koche mache reise gucke sehe fahre gehe wandere schwimme tanze backe male singe \
        trage nehme arbeite schlafe trink ess hor les schau spiel koch mach reis guck seh fahr geh wander schwimm tanz back mal sing \
        nehm stricke strick nahe bastle bastel zeichne klettere jogge angle puzzle zocke zock laufe lauf gartnere fotografiere \
        rudere segle surfe reite reit",
    ),
    (
        "nation",
        "osterreicher osterreicherin schweizer schweizerin deutscher deutsche turke turkin pole polin italiener italienerin franzose \
        franzosin spanier spanierin grieche griechin kroate kroatin serbe serbin bosnier bosnierin russe russin ukrainer ukrainerin \
        syrer syrerin iraner iranerin afghane afghanin inder inderin chinese chinesin japaner japanerin koreaner koreanerin \
        vietnamese vietnamesin amerikaner amerikanerin brite britin englander englanderin ire irin schotte schottin schwede \
        schwedin dane danin norweger norwegerin finne finnin niederlander niederlanderin hollander hollanderin belgier belgierin \
        portugiese portugiesin brasilianer brasilianerin mexikaner mexikanerin tscheche tschechin slowake slowakin ungar ungarin \
        rumane rumanin bulgare bulgarin albaner albanerin marokkaner marokkanerin tunesier tunesierin agypter agypterin kurde \
        kurdin sudtiroler sudtirolerin tiroler tirolerin bayer bayerin schwabe schwabin sachse sachsin hesse hessin friese friesin \
        ostfriese ostfriesin rheinlander rheinlanderin westfale westfalin berliner berlinerin hamburger hamburgerin wiener \
        wienerin kolner kolnerin munchner munchnerin dresdner dresdnerin leipziger leipzigerin",
    ),
    (
        "trade",
        "gelernte gelernter studierte studierter ausgebildete ausgebildeter angehende angehender ehemalige ehemaliger pensionierte \
        pensionierter freiberufliche freiberuflicher selbststandige selbststandiger diplomierte promovierte promovierter freie \
        freier frischgebackene frischgebackener leidenschaftliche leidenschaftlicher hauptberuflich von beruf",
    ),
    (
        "idle",
        "ohr luft zeuge schuld pleite klasse spitze weltklasse banane sieger erster letzter zweiter dritter matsch gast patient \
        patientin kunde kundin feuer opfer teil gold gift zuhause hause besuch urlaub montag dienstag mittwoch donnerstag freitag \
        samstag sonntag heute morgen fan gastgeber moderator herr frau ende anfang mitte mitten weg schrott muss pflicht zucker hammer \
        bombe horror wahnsinn kult krank mude da fertig weg unterwegs sauer nett lieb super toll gut alt jung hier dabei zuruck online \
        einverstanden bereit raus los dran wach satt hungrig traurig glucklich froh genervt ratlos gespannt begeistert sicher schuldig \
        allergisch dafur dagegen draussen drin drinnen drauf profi laie anfanger ding ~ung scheisse mist team",
    ),
    (
        "lead",
        "der die den dem des ein eine einen einem einer dann heute gestern morgen nun leider vielleicht trotzdem deshalb daher deswegen \
        naturlich klar sowas solche solchen solcher darum dafur damit dabei seit immer manchmal oft sicher zum am im in an auf bei mit von \
        vom beim nach vor fur ohne gegen uber unter zur um aus ich wir du er man mein meine unser unsere meinen meinem meiner abends \
        morgens mittags nachts danach vorher spater sonst ansonsten eben gleich nachher seitdem seither inzwischen mittlerweile bald \
        endlich eigentlich ihre ihren ihrem seine seinen seinem warum wieso weshalb wo wer wen welche welchen welches wann woher wohin \
        ob damals fruher als sonntags samstags freitags montags wochentags variante version absatz kapitel punkt option teil seite folge zeile strophe satz \
        text antwort vorschlag idee kaum hoffentlich wir trotz wegen aber und sehr nur noch auch erst fast",
    ),
    (
        "done",
        "gesehen ~sehen getroffen ~troffen gefunden gehort gekauft gefuttert gestreichelt entdeckt beobachtet ~iert gemalt gezeichnet verloren \
        ofen topf kuhlschrank suppe verpasst erwischt gehalten angefasst bestellt gebacken gegessen gemacht gebaut bekommen gestanden gespielt",
    ),
    (
        "sport",
        "klettern schwimmen joggen wandern laufen tanzen angeln reiten bouldern segeln surfen zelten kegeln bowlen turnen rudern tauchen \
        skifahren radfahren paddeln golfen",
    ),
    (
        "role",
        "jetzt auch ubrigens eigentlich inzwischen mittlerweile halt ja nun seit kurzem nur noch wieder von beruf leider",
    ),
    (
        "venture",
        "~laden ~geschaft ~praxis ~firma laden geschaft praxis firma restaurant cafe backerei hof hotel ~hof buchhandlung \
        werkstatt kneipe kindergarten kita ~schule abteilung ~abteilung chor verein ~verein gasthof weingut imkerei agentur ~agentur \
        kanzlei studio ~studio atelier kiosk imbiss apotheke tankstelle betrieb ~betrieb salon ~salon unternehmen startup filiale \
        gasthaus pension weinberg schreinerei tischlerei konditorei brauerei metzgerei gartnerei druckerei ~stube ~heim ~garten",
    ),
    (
        "play",
        "geige klavier gitarre cello flote querflote blockflote saxophon saxofon trompete posaune orgel harfe schlagzeug bass akkordeon \
        klarinette ukulele horn bratsche keyboard fussball handball volleyball basketball tennis tischtennis badminton hockey \
        eishockey golf schach rugby squash",
    ),
    (
        "taste",
        "toll super klasse spitze furchtbar schrecklich ekelhaft eklig langweilig grossartig wunderbar doof blod widerlich grauenhaft \
        spannend lecker faszinierend unheimlich furchterlich scheusslich",
    ),
    (
        "rather",
        "nicht gar uberhaupt sehr total besonders einfach auch echt uberaus absolut wirklich leider nie kein keine keinen keins",
    ),
    (
        "vegan",
        "vegan veganer veganerin vegetarisch vegetarier vegetarierin pescetarier pescetarierin flexitarier flexitarierin",
    ),
    ("hab", "habe hab haben"),
    ("bin", "bin sind"),
    ("wohn", "wohne wohn wohnen lebe leb leben"),
    ("ess", "esse ess essen trinke trink trinken"),
    (
        "like",
        "mag mogen liebe lieb lieben hasse hass hassen verabscheue verabscheu bevorzuge bevorzug bevorzugen vergottere",
    ),
];
