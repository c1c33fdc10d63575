//! Word lists with fast lookup, and the stop words of each language.

use std::{collections::HashMap, sync::OnceLock};

/// A list of words in lower case, with lookup by binary search.
#[derive(Debug)]
pub struct WordList {
    listed: &'static str,
    sorted: OnceLock<Vec<&'static str>>,
}

impl WordList {
    /// The words of a text, separated by spaces.
    pub const fn of(listed: &'static str) -> WordList {
        WordList { listed, sorted: OnceLock::new() }
    }

    /// Whether the list contains a word.
    pub fn has(&self, word: &str) -> bool {
        // sorted by length first, because comparing lengths rejects most words without comparing letters
        let sorted = || {
            let mut words: Vec<_> = self.listed.split_whitespace().collect();
            words.sort_unstable_by_key(|word| (word.len(), *word));
            words
        };
        let order = |listed: &&str| listed.len().cmp(&word.len()).then_with(|| (*listed).cmp(word));
        self.sorted.get_or_init(sorted).binary_search_by(order).is_ok()
    }
}

/// Words that occur in every English text.
static STOP_WORDS: WordList = WordList::of(
    "a about after again all also am an and any are as at be because been before being both but by \
     can could did do does doing done during each few for from further had has have having he her \
     here hers herself him himself his how i if in into is it its itself just let me more most my \
     myself no nor not now of off on once only or other our ours ourselves out over own same she \
     should so some such than that the their theirs them themselves then there these they this those \
     through to too under until up us very was we were what when where which while who whom whose why \
     will with would you your yours yourself",
);

/// Stop words of German, Spanish and French: the most frequent words of each. A stop word may have a meaning in another
/// language, so a list is used only for texts of its language, and words with a meaning in English ("war", "son") are
/// left out.
static OF_LANGUAGES: [WordList; 3] = [
    WordList::of(
        "aber als am an auch auf aus bei bin bist da das dass dein deine dem den der des dich dir doch du ein \
         eine einem einen einer er es für gibt hab habe haben hast hatte ich ihm ihn ihr im in ist ja kann mein \
         meine meinem meinen meiner mich mir mit nach nicht noch nur oder ob schon sich sie sind so um und uns \
         unser unsere vom von vor waren warum was welche welchen welcher welches wem wen wenn wer wie wir wird wo \
         wohin woher zu zum zur",
    ),
    WordList::of(
        "a al algo como con cual cuál cuáles cuando cuándo de del dónde donde el él ella en era eres es esa ese \
         eso esta está estaba estoy fue ha había hay he la las le lo los me mi mis mí muy nos nuestra nuestro o \
         para pero por porque que qué quien quién quiénes se ser si sí sobre soy su sus también te tengo ti tiene \
         tienes tu tus tú un una y ya yo",
    ),
    WordList::of(
        "à ai as au aux avait avec c ce ces cet cette comment d dans de des du elle en es est et étais était eu \
         il ils j je l la le les leur lui m ma mais me mes moi mon n ne nous on où ou par pas pourquoi qu quand \
         que quel quelle quelles quels qui quoi s sa se ses si sont suis sur t ta te tes toi tu un une vous y",
    ),
];

/// The pairs of kana that occur in every Japanese text.
static PAIRS: WordList = WordList::of(
    "です ます した して ます まし ませ せん って ない から まで では には との いる ある する れる られ んで んだ など ので のは とは でし \
     すか てい いま いて いた たち この その あの どの どこ こで こに 何の 何で 何を 何が 誰で 誰が 私の 私は 私が",
);

/// Whether a word in lower case is an English stop word.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.has(word)
}

/// The lists that contain a word: a bit for each of [`OF_LANGUAGES`], [`PAIRS`] and [`STOP_WORDS`].
fn lists_of(word: &str) -> u8 {
    static LISTS: OnceLock<HashMap<&'static str, u8>> = OnceLock::new();
    let lists = LISTS.get_or_init(|| {
        let mut lists = HashMap::new();
        for (bit, list) in OF_LANGUAGES.iter().chain([&PAIRS, &STOP_WORDS]).enumerate() {
            for word in list.listed.split_whitespace() {
                *lists.entry(word).or_default() |= 1 << bit;
            }
        }
        lists
    });
    lists.get(word).copied().unwrap_or(0)
}

/// The stop words of the language to which most of these words belong. `None` for English, whose stop words are never
/// terms.
pub fn stop_words_of<'a>(words: impl Iterator<Item = &'a str>) -> Option<&'static WordList> {
    let mut counts = [0; OF_LANGUAGES.len() + 2];
    for lists in words.map(lists_of) {
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += usize::from(lists >> bit & 1);
        }
    }
    let [others @ .., english] = counts;
    let lists = OF_LANGUAGES.iter().chain([&PAIRS]);
    let best = others.into_iter().zip(lists).max_by_key(|(count, _)| *count);
    best.filter(|(count, _)| *count > english).map(|(_, list)| list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_whatever_the_order_of_the_list() {
        static LIST: WordList = WordList::of("pear apple  fig");
        assert!(["apple", "fig", "pear"].into_iter().all(|word| LIST.has(word)));
        assert!(["", "app", "figs", "Fig"].into_iter().all(|word| !LIST.has(word)));
    }
}
