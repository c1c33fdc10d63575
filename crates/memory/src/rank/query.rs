//! The query of a ranking: its vectors, words, authors, and the kind of answer that it asks for.

use greenroom_index::{Names, Term, terms};
use greenroom_lang::{asks_name, asks_when, pronouns};

/// The total weight of the words before the trigger, where each word of the trigger has weight 1.
const BEFORE: f32 = 0.3;

/// The query of a ranking.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Unit vectors; a row's cosine is that with the nearest of them. Empty: the ranking uses words alone.
    pub vectors: Vec<Vec<f32>>,
    /// Terms and their weights. Empty: the ranking uses meaning alone.
    pub(super) terms: Vec<(Term, f32)>,
    /// The terms that [`RankedRow::coverage`](super::RankedRow::coverage) counts.
    pub(super) covered: Vec<(Term, f32)>,
    /// The authors that the query names.
    pub(super) speakers: Vec<String>,
    /// The authors that are personas.
    pub(super) personas: Vec<String>,
    /// Whether the query asks for a time.
    pub(super) asks_when: bool,
    /// Whether the query asks for the name of a person or thing.
    pub(super) asks_name: bool,
}

impl Query {
    /// A query by meaning alone.
    pub fn of_vectors(vectors: Vec<Vec<f32>>) -> Self {
        Self { vectors, ..Self::default() }
    }

    /// Adds the words of the trigger and of the messages before it. `names` of `participants` select authors and are
    /// removed from the words. For memories the caller passes no participants, because a memory's text names its
    /// person.
    #[must_use]
    pub fn with_words<S: AsRef<str>>(
        mut self,
        trigger: &str,
        before: &str,
        (participants, names): (&[S], &Names),
    ) -> Self {
        let (asked, context) = (terms(trigger, names), terms(before, names));
        let share = match asked.len() {
            0 => BEFORE,
            asked => BEFORE * (asked as f32 / context.len() as f32).min(1.0),
        };
        let with = |terms: &[Term], factor| -> Vec<_> { terms.iter().map(|term| (*term, factor)).collect() };
        self.covered = with(if asked.is_empty() { &context } else { &asked }, 1.0);
        self.terms = with(&asked, 1.0);
        self.terms.extend(context.iter().map(|term| (*term, share)));
        let named = names.found_in(trigger);
        self.speakers =
            named.into_iter().filter_map(|at| Some(participants.get(at)?.as_ref().to_owned())).collect();
        self.asks_when = asks_when(trigger);
        self.asks_name = asks_name(trigger);
        self
    }

    /// Sets the authors that are personas: what a person said ranks before what a persona replied (MP2).
    #[must_use]
    pub fn with_personas(mut self, personas: &[String]) -> Self {
        self.personas = personas.to_vec();
        self
    }

    /// Adds the asker to the query's authors if the trigger contains "I" or "my", and the asked persona for "you" or
    /// "your". Both are names of authors.
    #[must_use]
    pub fn between(mut self, trigger: &str, asker: Option<&str>, asked: Option<&str>) -> Self {
        let (of_asker, of_asked) = pronouns(trigger);
        let meant = [asker.filter(|_| of_asker), asked.filter(|_| of_asked)];
        self.speakers.extend(meant.into_iter().flatten().map(str::to_owned));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Query {
        let participants = ["Ann", "Mary Ann"];
        Query::default().with_words(text, "", (&participants, &Names::new(participants)))
    }

    #[test]
    fn names_say_whose_words_are_meant_and_are_no_words() {
        let query = asked("What did Mary Ann's sister paint?");
        assert_eq!(query.speakers, ["Mary Ann"]);
        assert_eq!(query.terms, asked("sister paint").terms);
        assert!(asked("What did her sister paint?").speakers.is_empty());
    }

    #[test]
    fn i_is_who_asks_and_you_is_who_is_asked() {
        let between = |text| asked(text).between(text, Some("jo"), Some("ada")).speakers;
        assert_eq!(between("What do I prefer?"), ["jo"]);
        assert_eq!(between("What's your advice for my cat?"), ["jo", "ada"]);
        assert!(between("What does it mean?").is_empty());
        assert!(asked("my cat").between("my cat", None, None).speakers.is_empty());
    }

    #[test]
    fn wb6_what_was_said_before_counts_less_and_covers_nothing() {
        let nobody: (&[&str], &Names) = (&[], &Names::none());
        let query = Query::default().with_words("the lake?", "painting", nobody);
        assert_eq!(query.terms.iter().map(|term| term.1).collect::<Vec<_>>(), [1.0, BEFORE]);
        assert_eq!(query.covered.len(), 1);
        let talk = "a long talk of painting, canvas, brushes, frames, oil and light ".repeat(20);
        let long = Query::default().with_words("the lake?", &talk, nobody);
        let before: f32 = long.terms[1..].iter().map(|term| term.1).sum();
        assert!((before - BEFORE).abs() < 1e-3, "{before}");
        let and = Query::default().with_words("and then?", "painting", nobody);
        assert_eq!(and.covered.len(), 1, "a trigger without words of its own");
    }
}
