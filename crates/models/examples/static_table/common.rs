//! Pieces that occur in every text and so tell nothing about any.

/// English words without a meaning of their own, and the tokenizer's remains of contractions.
const WORDS: &str = "a about also am an and any are aren as at be because been being between both but by can \
    could d did didn do does doesn don down each few for from had has have he her hers herself \
    him himself his how i if in into is isn it its just ll m me more most my myself no not of \
    on or other our ours out over own re s same she should so some t than that the their them \
    themselves then there these they this those to too up us ve very was wasn we were weren \
    what when where which who whom whose why will with would you your yours yourself";

/// Whether a piece is such a word, or punctuation.
pub fn is_common(piece: &str) -> bool {
    let mut letters = piece.chars();
    let punctuation = matches!((letters.next(), letters.next()), (Some(one), None) if !one.is_alphanumeric());
    punctuation || WORDS.split(' ').any(|word| word == piece)
}
