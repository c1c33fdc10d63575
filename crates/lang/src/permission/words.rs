//! The phrases of permissions and of their withdrawal. Words are in lower case and without accents.

/// Phrases of permissions, as sequences of words. `/` separates alternatives, `ALL` is one word of [`EVERYONE`], and
/// `_` is any number of words of [`BESIDE`] and [`EVERYONE`].
pub(super) const MAY_KNOW: &[&str] = &[
    "you may/can tell _ ALL",
    "you may/can tell _ ALL about it/this/that",
    "you may/can tell _ ALL all about it/this/that",
    "you may/can share",
    "you may/can pass _ on",
    "free/welcome/allowed to tell _ ALL",
    "free/welcome/allowed to share",
    "free/welcome/allowed to mention _ ALL",
    "no need to keep _ secret/private/quiet",
    "you have my permission to tell _ ALL",
    "you have my permission to share",
    "go ahead and tell _ ALL",
    "ALL _ may/can know",
    "ALL _ allowed to know",
    "no secret",
    "no longer a secret",
    "not a secret",
    "isn't a secret",
    "darf/darfst/durft/durfen/kann/kannst/konnt/konnen _ ALL _ sagen/erzahlen/weitersagen/weitererzahlen/verraten/mitteilen",
    "darf/darfst/durft/durfen/kann/kannst/konnt/konnen _ weitersagen/weitererzahlen/weitergeben",
    "darf/durfen/kann/konnen _ ALL _ wissen/erfahren",
    "ALL _ darf/durfen/kann/konnen _ wissen/erfahren",
    "kein geheimnis",
    "tu/vous peux/pouvez le/en/leur _ dire/parler/raconter/repeter/partager",
    "tu/vous peux/pouvez dire/raconter _ ALL",
    "ALL _ peut/peuvent _ savoir",
    "pas/plus un secret",
    "aucun secret",
    "puedes/podes/puede/podeis/pueden decirselo/contarselo",
    "puedes/podes/puede/podeis/pueden contarlo/decirlo/compartirlo",
    "puedes/podes/puede/podeis decirles/contarles",
    "puedes/podes/puede/podeis decir/contar _ ALL",
    "se lo puedes/podes/puede/podeis decir/contar",
    "lo puedes/podes/puede/podeis decir/contar/compartir",
    "ALL _ puede/pueden saberlo",
    "ALL _ puede/pueden saber",
    "no es secreto",
    "no es un secreto",
    "no es ningun secreto",
    "ya no es un secreto",
    "ya no es ningun secreto",
];

/// First words of questions, with or without a question mark: "darfst du es allen sagen". In a statement other words
/// come first.
pub(super) const ASKING: &str =
    "are is may can do does darf darfst durft durfen kann kannst konnt konnen puede pueden peut peuvent";

/// Words that open a sentence without a meaning of their own.
pub(super) const OPENINGS: &str =
    "and but so then also ok okay yes yeah well und aber dann also ja y pero si et mais oui";

/// Like [`MAY_KNOW`], for a language without spaces. The flag says whether the text must also name who may know; if no
/// phrase of [`STATED_UNSPACED`] follows then, it may be a question.
pub(super) const MAY_KNOW_UNSPACED: &[(&str, bool)] = &[
    ("話してもいい", true),
    ("話していい", true),
    ("言ってもいい", true),
    ("言っていい", true),
    ("伝えてもいい", true),
    ("伝えていい", true),
    ("教えてもいい", true),
    ("教えていい", true),
    ("知っていてもいい", true),
    ("知られてもいい", false),
    ("秘密じゃない", false),
    ("秘密ではない", false),
    ("内緒じゃない", false),
];

pub(super) const STATED_UNSPACED: &[&str] = &["よ", "です", "から"];

/// Endings that make it a question.
pub(super) const ASKED_UNSPACED: &[&str] = &["よね", "ですか", "ですね", "ですよね"];

pub(super) const TO_ALL_UNSPACED: &[&str] = &["みんな", "皆", "他の", "ほかの", "誰", "全員", "人に"];

/// Phrases that ask to tell no person; see [`MAY_KNOW`] for their form.
pub(super) const KEEP: &[&str] = &[
    "don't/dont/not/never/didn't tell/share/mention",
    "may/can no longer tell/share/mention/know",
    "must/should/may/can not know",
    "don't/dont/not/never pass/spread",
    "stop telling/sharing/mentioning",
    "tell nobody",
    "tell no one",
    "nobody/noone else may/should/must know",
    "nobody/noone may/should/must know",
    "no one else may/should/must know",
    "no one may/should/must know",
    "keep _ secret/private/confidential/quiet",
    "keep _ a secret",
    "keep _ to yourself",
    "keep _ between us/ourselves",
    "remain/remains/stay/stays secret/private/confidential",
    "remain/remains/stay/stays a secret",
    "treat _ as confidential/private/secret",
    "stays/remains between us",
    "between you and me",
    "forget that i said",
    "sag/sagt/erzahl/erzahle/erzahlt/verrat/verrate/verratet _ niemandem/niemand/niemanden/keinem",
    "sag/sagt/erzahl/erzahle/erzahlt/verrat/verrate/verratet _ nicht",
    "nicht _ weitersagen/weitererzahlen/verraten/sagen/erzahlen/wissen/erfahren",
    "niemandem _ sagen/erzahlen/weitersagen/verraten",
    "niemand _ wissen/erfahren",
    "behalt/behalte/behaltet _ fur dich/euch",
    "halt/halte/haltet _ geheim",
    "bleibt _ unter uns",
    "bleibt _ geheim",
    "geheim bleiben",
    "nicht mehr sagen/erzahlen/weitersagen",
    "dis/dites/raconte/racontez _ a personne",
    "parle/parlez _ a personne",
    "ne le dis/dites/repete/repetez",
    "ne peux/pouvez/dois/devez plus/pas _ dire/parler/raconter",
    "ne doit/doivent/devrait/devraient pas _ savoir",
    "personne _ sache/saura",
    "garde/gardez _ pour toi/vous",
    "reste/restera entre nous",
    "no se lo/les digas/cuentes/diga/cuente/digais",
    "no lo digas/cuentes/diga/cuente/compartas",
    "no puedes/podes/puede/deben/debe/pueden _ decirselo/contarselo/decirlo/contarlo/saberlo/decir/contar",
    "nadie _ sepa/sabra",
    "guarda/guardalo/guardame/mantenlo/manten/garde/gardez _ secreto/secret",
];

/// Like [`KEEP`], for texts that contain nothing else. "It's" is folded to "it".
pub(super) const KEEP_ALONE: &[&str] = &[
    "it a secret",
    "it private",
    "that a secret",
    "that private",
    "better not",
    "i changed my mind",
    "i have changed my mind",
    "mum the word",
    "das ist geheim",
    "es ist geheim",
    "c'est un secret",
    "es un secreto",
    "queda/quede entre nosotros",
];

pub(super) const KEEP_UNSPACED: &[&str] = &[
    "言わないで",
    "話さないで",
    "伝えないで",
    "教えないで",
    "内緒にして",
    "内緒だよ",
    "内緒です",
    "秘密にして",
    "秘密だよ",
    "ここだけの話",
    "言っちゃだめ",
];

/// Words for all people.
pub(super) const EVERYONE: &str = "others other everyone everybody anyone anybody all them they people group room rest folks \
    anderen andere allen alle jedem jeder ubrigen autres tous monde demas otros todos mundo";

/// Phrases of denials and conditions.
pub(super) const MAY_NOT: &[&str] = &[
    "don't",
    "dont",
    "do not",
    "only tell",
    "tell me",
    "tell nobody",
    "tell no one",
    "ne le dis pas",
    "no se lo",
    "たら",
    "なら",
    "それから",
];

/// The same as whole words with their accents. Spaces separate the words of this list and of the lists below.
pub(super) const MAY_NOT_WORDS: &str = "never nobody nicht nie niemand nadie nunca jamais sagt \
    if when once unless until after before wenn falls sobald bis nachdem bevor si cuando quand lorsque hasta jusqu'à";

/// Words that report another person's statement.
pub(super) const REPORTS: &str = "say says said told wrote writes asked asks thinks thought claims \
    sagte meint meinte schrieb dijo dice dit disait escribió écrit";

/// Words for the recipients, and words that do not change the meaning of a permission.
pub(super) const BESIDE: &str = "the with to of it this too now please is are for feel you're they're \
    es das dies davon ist ja auch den die gern gerne ruhig du sagen erzahlen weitersagen verraten hier doch bitte \
    le la les ca cela c'est ce ne n'est aux tout a au d'ailleurs aussi en leur \
    con lo los las se todo el tambien eso esto";

/// Words without a meaning of their own before a permission, or in a separate sentence.
pub(super) const LEADING: &str = "so and yes yeah ok okay sure course of fine great good thanks thank you hi hello hey actually wait \
    sorry go ahead und danke hallo okay gut et oui merci salut y si gracias hola vale";

/// The same of several words.
pub(super) const LEADING_PHRASES: &[&str] = &["by the way", "no problem"];

/// Tag questions at the end of a text.
pub(super) const TAGS: &str = "ja ne eh oder gell right ok okay yeah yes no hmm hein verdad non si oui";

/// Denials, verbs of telling, and words for hearers. A sentence with all three asks to keep something from people.
/// Verbs of knowing count like verbs of telling, but only after the hearer.
pub(super) const DENYING: &str = "not no never nobody noone none don't dont can't cannot mustn't shouldn't won't aren't isn't didn't \
    couldn't nicht nie niemals niemand niemandem niemanden kein keinem keinen keiner pas plus personne rien jamais nadie nunca ni";
pub(super) const TELLING: &str = "tell telling share sharing mention say spread talk sagen sags erzahlen weitersagen verraten sprich \
    sprechen dire dis dites raconte raconter parle parler parles digas diga decir decirselo cuentes contar contarselo comentes";
pub(super) const KNOWING: &str = "know knows wissen erfahren savoir sache sachent saber saberlo sepa sepan";
pub(super) const HEARING: &str = "nobody noone niemand niemandem niemanden keinem keiner personne nadie";
pub(super) const DENYING_UNSPACED: &[&str] =
    &["ないで", "だめ", "ダメ", "駄目", "いけません", "いけない", "なくない", "たくない"];
pub(super) const TELLING_UNSPACED: &[&str] = &["言", "話", "知", "伝", "教", "口外"];

/// Words that allow. Together with words of telling and hearers they open nothing, but the user gets a notice.
pub(super) const ALLOWING: &str = "may can fine okay ok permission allow allowed objection free mention let erlaube ruhig darfst \
    droit hesite autorise permets permiso permito puedes";
pub(super) const ALLOWING_UNSPACED: &[&str] =
    &["構いません", "かまいません", "構わない", "かまわない", "大丈夫"];

/// Words of secrecy and of withdrawal, with which a text may withdraw a permission.
pub(super) const SECRET: &str = "secret secretly private privately confidential confidence withdraw revoke undo geheim geheimnis \
    privat vertraulich confidentiel prive privee privado privada confidencial secreto retiro";
pub(super) const SECRET_PHRASES: &[&str] = &[
    "between us",
    "between you and me",
    "take it back",
    "take that back",
    "under wraps",
    "not a word",
    "unter uns",
    "kein wort",
    "nehme das zuruck",
    "fur dich",
    "entre nous",
    "entre toi et moi",
    "pas un mot",
    "pour toi",
    "entre nosotros",
    "entre tu y yo",
    "ni una palabra",
    "para ti",
    "秘密",
    "内緒",
    "口外",
    "他言",
    "取り消",
    "二人だけ",
];

/// Words before the statement that may be told: "you can tell everyone that …".
pub(super) const THAT: &str = "that dass que";

/// Words that join a sentence to the one before it.
pub(super) const AND: &str = "and but und aber et mais y pero";

/// Parts of a permission in a language without spaces.
pub(super) const BESIDE_UNSPACED: &[&str] = &[
    "みんな",
    "皆さん",
    "皆",
    "全員",
    "他の人",
    "ほかの人",
    "人に",
    "誰",
    "これ",
    "それ",
    "この",
    "その",
    "こと",
    "から",
    "でも",
    "です",
    "はい",
];

pub(super) const PARTICLES: &str = "はがをにもよねのと";

/// Words with which a person takes back what they have just allowed, after an opening: "hm rather not".
pub(super) const RETRACTING: &str = "no not nope don't dont rather better wait stop undo scratch nevermind secret quiet hush private between \
    nicht nichts nein niemand niemandem lieber besser warte stopp geheim keinem unter \
    nada mejor espera nadie calla calles callate secreto entre \
    non ne rien pas plutot attends attendez personne finalement tais chut";
pub(super) const RETRACTING_UNSPACED: &[&str] = &[
    "やっぱ",
    "待って",
    "黙っ",
    "だまっ",
    "秘密",
    "内緒",
    "ないで",
    "やめ",
    "二人だけ",
    "ふたりだけ",
    "だめ",
    "ダメ",
];
