//! The words with which people let others know, or no longer. Words are in lower case and without accents.

/// How people say that others may know: words in order. `/` separates alternatives, `ALL` is one of [`EVERYONE`], and `_`
/// any words of [`BESIDE`].
pub(super) const MAY_KNOW: [&str; 36] = [
    "you may/can/could tell _ ALL",
    "you may/can/could share",
    "you may/can/could pass _ on",
    "free/welcome/allowed to tell _ ALL",
    "free/welcome/allowed to share",
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
    "puede/pueden saberlo _ ALL",
    "no es secreto",
    "no es un secreto",
    "no es ningun secreto",
    "ya no es un secreto",
    "ya no es ningun secreto",
];

/// The same in a language without spaces, and whether it must say who may know.
pub(super) const MAY_KNOW_UNSPACED: [(&str, bool); 13] = [
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

pub(super) const TO_ALL_UNSPACED: [&str; 7] = ["みんな", "皆", "他の", "ほかの", "誰", "全員", "人に"];

/// How people ask that nobody knows; see [`MAY_KNOW`].
pub(super) const KEEP: [&str; 30] = [
    "don't/dont/not/never tell/share/mention",
    "tell nobody",
    "tell no one",
    "nobody/noone _ may/should/must know",
    "no one may/should/must know",
    "keep _ secret/private/confidential",
    "keep _ a secret",
    "keep _ to yourself",
    "keep _ between us/ourselves",
    "stays/remains between us",
    "between you and me",
    "sag/sagt/erzahl/erzahle/erzahlt/verrat/verrate/verratet _ niemandem/niemand/niemanden/keinem",
    "sag/sagt/erzahl/erzahle/erzahlt/verrat/verrate/verratet _ nicht",
    "nicht _ weitersagen/weitererzahlen/verraten/sagen/erzahlen/wissen/erfahren",
    "niemandem _ sagen/erzahlen/weitersagen/verraten",
    "niemand _ wissen/erfahren",
    "behalt/behalte/behaltet _ fur dich/euch",
    "halt/halte/haltet _ geheim",
    "bleibt _ unter uns",
    "bleibt _ geheim",
    "dis/dites/raconte/racontez _ a personne",
    "parle/parlez _ a personne",
    "ne le dis/dites/repete/repetez",
    "garde/gardez _ pour toi/vous",
    "garde/gardez _ secret",
    "reste entre nous",
    "no se lo/les digas/cuentes/diga/cuente/digais",
    "no lo digas/cuentes/diga/cuente/compartas",
    "guarda/guardalo/guardame _ secreto",
    "queda/quede entre nosotros",
];

pub(super) const KEEP_UNSPACED: [&str; 8] = [
    "言わないで",
    "話さないで",
    "伝えないで",
    "教えないで",
    "内緒にして",
    "内緒だよ",
    "秘密にして",
    "秘密だよ",
];

/// Who is told when everyone may know. Each is in [`BESIDE`] too.
pub(super) const EVERYONE: &str = "others other everyone everybody anyone anybody all them they people group room rest folks \
    anderen andere allen alle jedem jeder ubrigen autres tous monde demas otros todos mundo";

/// How people say the opposite, ask, or quote; and what makes a permission depend on something.
pub(super) const MAY_NOT: [&str; 32] = [
    "don't",
    "dont",
    "do not",
    "only tell",
    "tell me",
    "tell nobody",
    "tell no one",
    "ne le dis pas",
    "no se lo",
    "?",
    "？",
    "\"",
    "“",
    "”",
    "„",
    "«",
    "»",
    "「",
    "たら",
    "なら",
    // quotations, code, what is struck out
    ">",
    "＞",
    "<",
    "`",
    "~~",
    "||",
    "//",
    "『",
    "』",
    "‹",
    "›",
    "♪",
];

/// The same by whole words with their accents. Spaces separate the words of this list and of those that follow.
pub(super) const MAY_NOT_WORDS: &str = "never nobody nicht nie niemand nadie nunca jamais sagt if when once unless until after before wenn falls sobald bis nachdem bevor \
    si cuando quand lorsque hasta jusqu'à";

/// Words that tell what another said.
pub(super) const REPORTS: &str = "say says said told wrote writes asked asks thinks thought claims \
    sagte meint meinte schrieb dijo dice dit disait escribió écrit";

/// To whom, and words that change nothing of what a permission means.
pub(super) const BESIDE: &str = "the other others everyone everybody anyone anybody all them they people group room rest folks \
    with to of it this about too also so then and but yes yeah ok okay sure course please by way well now is are for \
    you may can feel you're they're \
    es das dies davon ist ja auch den die anderen andere allen alle jedem jeder ubrigen gern gerne ruhig du sagen erzahlen \
    weitersagen verraten und aber nun eh hier doch bitte \
    le la les ca cela c'est ce n'est aux autres tous tout monde a au et mais oui d'ailleurs aussi en leur tu peux dire \
    lo los las se demas otros todos todo el mundo y pero si tambien eso esto puedes";

/// Words that begin what may be told: "you can tell everyone that …".
pub(super) const THAT: &str = "that dass que";

/// Words that join a sentence to the one before it.
pub(super) const AND: &str = "and but und aber et mais y pero";

/// Parts of a permission in a language without spaces.
pub(super) const BESIDE_UNSPACED: [&str; 16] = [
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
];

pub(super) const PARTICLES: &str = "はがをにもよねのと";
