//! Names that are also common words: "we may win", "Will you come?", "the exam is in May". Tells in which sense a text
//! uses one.

use crate::members::Members;
use crate::text::Chunk;

const WORDS: &str = "amber april art august autumn basil bill bob brook bud buck carol chance chase chip cliff crystal daisy dash \
    dawn dean dot drew duke earl eve faith fern finn flora frank gale gene glen glory grace grant guy happy harmony hazel heather \
    holly hope hunter iris ivy jack jade jasmine jay jewel joy june king lance lark lily mark may mercy miles misty norm olive opal \
    pat patience pearl penny pierce poppy prince queenie ray reed rich river rob robin rod rose ruby rusty sage sandy scout sky sonny star \
    sterling storm sue summer sunny tab teddy trinity trip victor violet wade ward wick will willow winter wolf \
    alba blanca clara cruz dolores luz mar mercedes paz pilar pia rocío sol \
    blanche claire fleur marine ernst";

/// Those of them that are times.
const TIMES: &str = "april august autumn june may summer winter";

/// Words before a time.
const BEFORE_TIMES: &str = "in late early mid since until till during last next this every before after around through throughout come \
    im seit bis en desde hasta";

/// Words before a thing.
const ARTICLES: &str = "the a an this that every no";

/// Words that greet, before the name of a member who is spoken to, and other words that stand before such a name.
const GREETINGS: &str = "hi hey hello dear thanks thx morning afternoon evening hallo liebe lieber hola querida querido salut bonjour \
    chère cher";
const BEFORE_NAMES: &str = "thank night ok okay so well yes yeah no sorry please danke gracias merci";

/// Words between the names of several members who are spoken to.
const JOINING: &str = "and or & + / und oder y o e et ou";

fn is_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// Whether a word joins the names of several members who are spoken to.
pub(crate) fn joins(word: &str) -> bool {
    is_listed(JOINING, &word.to_lowercase())
}

/// Whether a word greets and does nothing else.
pub(crate) fn greets(word: &str) -> bool {
    is_listed(GREETINGS, &word.to_lowercase())
}

/// Whether the chunk at `at` uses a name as the common word that it also is. `begins` says whether nothing precedes it,
/// and `is_marked` whether the text after it sets it apart: "May, …".
///
/// In lower case it is the word, unless its member is spoken to: "hi may, …". With a capital it is the word if it
/// begins a sentence without a mark, or if it is a time.
pub(crate) fn is_word(
    chunks: &[Chunk<'_>],
    at: usize,
    (begins, is_marked): (bool, bool),
    members: &Members,
) -> bool {
    let chunk = chunks[at];
    let lower = chunk.bare.to_lowercase();
    if chunk.at || !is_listed(WORDS, &lower) {
        return false;
    }
    let before = at.checked_sub(1).map(|before| chunks[before].bare.to_lowercase()).unwrap_or_default();
    if is_listed(ARTICLES, &before) || is_listed(TIMES, &lower) && is_time(chunks, at) {
        return true;
    }
    match (lower == chunk.bare, begins) {
        (true, false) => {
            let greeted = greets(&before) || is_listed(BEFORE_NAMES, &before) || joins(&before);
            !(greeted && (is_marked || at + 1 == chunks.len()) || is_called(chunks, at, at))
        }
        (_, true) => !is_marked && !is_first_of_several(chunks, at, members),
        (false, false) => false,
    }
}

/// Whether a separate sign, such as a dash, follows a name: "Rose - hello".
pub(crate) fn is_set_apart(chunks: &[Chunk<'_>], at: usize) -> bool {
    chunks.get(at + 1).is_some_and(|next| next.core.is_empty() && !joins(next.bare))
}

/// Whether a text greets the name in these chunks, or ends with it after a comma: "hi ada", "how are you, ada?".
pub(crate) fn is_called(chunks: &[Chunk<'_>], from: usize, until: usize) -> bool {
    let Some(before) = from.checked_sub(1).map(|before| &chunks[before]) else { return false };
    let greeted = from <= 2 && greets(before.bare);
    until + 1 == chunks.len() && (greeted || before.mark)
        || greeted && chunks[from].bare.starts_with(char::is_uppercase)
}

/// Whether the word is a time: "in May", "5 May", "the 3rd of May", "May 2026".
fn is_time(chunks: &[Chunk<'_>], at: usize) -> bool {
    let word = |back: usize| at.checked_sub(back).map_or("", |at| chunks[at].bare);
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let (before, after) = (word(1).to_lowercase(), chunks.get(at + 1).map_or("", |after| after.bare));
    let is_day = is_number(&before) || before == "of" && is_number(word(2));
    is_listed(BEFORE_TIMES, &before) || is_day || is_number(after)
}

/// Whether the name is the first of several: "May and Rose, what do you say?"
fn is_first_of_several(chunks: &[Chunk<'_>], at: usize, members: &Members) -> bool {
    let [_, joint, next, ..] = &chunks[at..] else { return false };
    let mut is_name = false;
    if joins(joint.bare) && next.bare.starts_with(char::is_uppercase) {
        members.named_at(chunks, at + 2, |_| is_name = true);
    }
    is_name
}
