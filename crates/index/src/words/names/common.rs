//! Words that are names and also something else, and words that tell the two apart.

use greenroom_lang::{WordList, is_stop_word};

/// Whether a word alone is never a name: a stop word, or a word of the calendar.
pub(super) fn is_function_word(word: &str) -> bool {
    static CALENDAR: WordList = WordList::of(
        "january february march april may june july august september october november \
        december monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday",
    );
    is_stop_word(word) || CALENDAR.has(word)
}

/// Whether a name of people or accounts also has another use in texts.
pub(super) fn is_common(word: &str) -> bool {
    static FIRST_NAMES: WordList = WordList::of(
        "amber angel art ash autumn basil bay bear bill brook candy carol chance chase \
        cherry chip clay cliff coral crystal daisy dale dawn dean destiny drew duke earl eve faith fern ford \
        forest fox frank gale gene ginger glen grace grant guy hazel heather holly honey hope hunter iris ivy \
        jade jasmine jewel joy king lance lane lily major mark marina mason melody mercy miles misty nick \
        olive opal page parker pat patience pearl penny pepper pierce poppy prince queen ray reed rich river \
        rob robin rock rocky rod roman rose ruby rusty sage sandy scarlet shepherd skip sky star stone storm \
        sue summer sunny tab trip victor violet wade ward will willow winter wood",
    );
    static ACCOUNTS: WordList = WordList::of(
        "account admin administrator agent ai alert api app assistant backend backup bank \
        book bot box branch bug build bus cache call car card cat cell channel chat chef client clock cloud \
        coach code coffee config contact core customer data database date deploy design desk dev developer \
        device disk docker doctor dog door driver echo editor email engine engineer error event expert file \
        friend frontend game gate github gold green guest guide guard helper history home host house image \
        index info job judge key kitchen lab lead leader library light link list local lock log login mail \
        manager map market master memory message mentor meeting mind mirror model moderator monitor music \
        name network news node note office online operator order owner parent partner password phone pilot \
        pipeline plan planner player plan port printer project proxy query radio reader red release report \
        reviewer robot role room root router run scout script search secret secretary security sense server \
        service session shadow shell shop signal site smith soul source spark speaker staff staging state \
        stage storage store student support system table task tea teacher team tech terminal test tester \
        thing ticket time token tool trainer travel user vault version video voice watch water web word work \
        worker world writer",
    );
    FIRST_NAMES.has(word) || ACCOUNTS.has(word)
}

/// Whether the word after this one is a thing and not a name.
pub(super) fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "my" | "your" | "this" | "that" | "our" | "their" | "some" | "any")
}

/// Whether the word after this one is a thing, also where it has a capital, as German nouns have.
pub(super) fn is_foreign_article(word: &str) -> bool {
    matches!(
        word,
        "der"
            | "die"
            | "das"
            | "den"
            | "dem"
            | "ein"
            | "eine"
            | "einen"
            | "el"
            | "la"
            | "un"
            | "una"
            | "le"
            | "une"
    )
}

/// Whether the subject of a question follows this word: "does rose work".
pub(super) fn is_auxiliary(word: &str) -> bool {
    matches!(word, "does" | "did" | "has" | "could" | "would" | "should" | "can" | "will" | "hat")
}

/// Whether a subject or a noun follows this word: "where is rose going", "what is rose".
pub(super) fn is_copula(word: &str) -> bool {
    matches!(word, "is" | "was")
}

/// Whether a short form of a name is also another word.
pub(super) fn is_common_form(word: &str) -> bool {
    static NICKNAMES: WordList = WordList::of(
        "ally ant asia buddy cam cat charity chuck costa dick dolly dot fan fer fina hal jack jay kit kitty lex mat mia \
        nan nat nora ola pip polly raf rosa sally tilde vale win wolf",
    );
    static SURNAMES: WordList = WordList::of(
        "baker ball banks barber bell berry best bird bishop black bond brown burns bush butler carpenter case \
        church cook cross day farmer field fields fish fisher flowers frost gardener golden gray green grey hall \
        hand hardy hart hill horn knight lamb law light little long love marsh miller moon moss noble pages park \
        parks peak pond pool pope potter power price rain rice rivers rush sharp short silver singer small snow \
        spring steel street summers swan sweet temple walker waters weaver wells west white wild winters wise \
        woods young real big old new mad crazy little tiny night",
    );
    NICKNAMES.has(word) || SURNAMES.has(word) || is_common(word)
}

/// Whether a word of a name never stands for the name.
pub(super) fn is_particle(word: &str) -> bool {
    matches!(
        word,
        "van"
            | "von"
            | "der"
            | "den"
            | "del"
            | "los"
            | "las"
            | "dos"
            | "das"
            | "bin"
            | "ibn"
            | "san"
            | "mrs"
            | "miss"
            | "herr"
            | "frau"
    ) || is_function_word(word)
}
