//! The estimate for models whose tokenizer is not in this process.
//!
//! Tokenizers of all families spend about the same on each kind of text, and very different amounts on different
//! kinds. A token holds four or five letters of prose, one to three digits, one or two signs of JSON, and less than
//! one character of many scripts. So the bytes are counted by kind. The usual weights are on the safe side of the
//! known families. Where a server counts tokens, its answers to a few samples give the weights of its model.

use super::TokenCounter;

/// Weights are in parts of this.
const UNIT: usize = 1_000;

/// Tokens of a thousand bytes of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// Letters of ASCII, and spaces.
    pub letters: usize,
    /// Digits.
    pub digits: usize,
    /// All other characters of ASCII.
    pub signs: usize,
    /// Bytes of everything beyond ASCII.
    pub others: usize,
}

/// No family of models is known to need more for prose, JSON and the common scripts.
const USUAL: Weights = Weights { letters: 290, digits: 1_000, signs: 700, others: 500 };

/// A text of each kind, for [`Weights::of_samples`].
pub const SAMPLES: [&str; 6] = [
    // letters
    "in the morning we walked along the harbour and looked at the boats that had come in during the night \
     while the others were still asleep and nobody had thought of breakfast or of the long way home that \
     was before us because the weather seemed so good",
    // digits
    "48213 907 2026 1123 55 71830 4 662 19 3307 8 2214 90 715 6021 33 480 17 2959 86 1054 7",
    // signs
    "{\"type\":\"function\",\"function\":{\"name\":\"add\",\"parameters\":{\"a\":[\"b\",\"c\"],\"d\":{\"e\":null}}}}\n\
     - [x] a/b, c_d; (e) <f> == \"g\"!\n## h: `i` -> {j}\n> k? l: m. n\n",
    // others, by script
    "今天早上我们沿着港口散步，看着夜里进来的船。",
    "Утром мы гуляли вдоль гавани и смотрели на лодки, которые пришли ночью.",
    "في الصباح مشينا على طول الميناء ونظرنا إلى القوارب 🚢🌊",
];

impl Weights {
    /// Weights measured on a tokenizer: `counted` are its tokens for the [`SAMPLES`], in their order. Each kind is
    /// weighed by a text that consists mostly of it, and scripts by the most expensive one.
    pub fn of_samples(counted: [usize; SAMPLES.len()]) -> Self {
        let weigh = |n: usize, of: fn(&Kinds) -> usize, known: &dyn Fn(&Kinds) -> usize| {
            let kinds = Kinds::of(SAMPLES[n]);
            let rest = (counted[n] * UNIT).saturating_sub(known(&kinds));
            rest.div_ceil(of(&kinds).max(1))
        };
        let letters = weigh(0, |kinds| kinds.letters, &|_| 0);
        let digits = weigh(1, |kinds| kinds.digits, &|kinds| kinds.letters * letters);
        let signs = weigh(2, |kinds| kinds.signs, &|kinds| kinds.letters * letters);
        let others =
            |n| weigh(n, |kinds| kinds.others, &|kinds| kinds.letters * letters + kinds.signs * signs);
        let others = (3..SAMPLES.len()).map(others).max().unwrap_or(USUAL.others);
        Self { letters, digits: digits.max(letters), signs: signs.max(letters), others }
    }

    /// The weights raised to `per_cent` per cent.
    pub fn raised(self, per_cent: usize) -> Self {
        let raise = |weight: usize| (weight * per_cent).div_ceil(100);
        let Self { letters, digits, signs, others } = self;
        Self { letters: raise(letters), digits: raise(digits), signs: raise(signs), others: raise(others) }
    }
}

/// How many bytes of each kind a text has.
struct Kinds {
    letters: usize,
    digits: usize,
    signs: usize,
    others: usize,
}

impl Kinds {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        // simple loops without branches, which the compiler vectorises
        let count = |is: fn(u8) -> bool| bytes.iter().map(|byte| usize::from(is(*byte))).sum::<usize>();
        let others = count(|byte| byte >= 0x80);
        let digits = count(|byte| byte.wrapping_sub(b'0') < 10);
        let letters = count(|byte| (byte | 0x20).wrapping_sub(b'a') < 26) + count(|byte| byte == b' ');
        Self { letters, digits, signs: bytes.len() - others - digits - letters, others }
    }
}

/// Estimates tokens from the kinds of bytes.
#[derive(Debug, Clone)]
pub struct EstimateCounter {
    name: String,
    weights: Weights,
}

impl Default for EstimateCounter {
    fn default() -> Self {
        Self { name: "estimate".into(), weights: USUAL }
    }
}

impl EstimateCounter {
    /// An estimate with weights other than the usual ones. Caches of counts use the name as their key, so each set of
    /// weights needs its own name.
    pub fn new(name: impl Into<String>, weights: Weights) -> Self {
        Self { name: name.into(), weights }
    }
}

impl TokenCounter for EstimateCounter {
    fn name(&self) -> &str {
        &self.name
    }
    fn exact(&self) -> bool {
        false
    }
    fn count(&self, text: &str) -> usize {
        let Kinds { letters, digits, signs, others } = Kinds::of(text);
        let Weights { letters: l, digits: d, signs: s, others: o } = self.weights;
        (letters * l + digits * d + signs * s + others * o).div_ceil(UNIT)
    }
    /// Templates put six tokens around a message, ChatML's five and a line break.
    fn per_message(&self) -> usize {
        6
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cl100k, o200k};

    #[test]
    fn gr4_the_usual_estimate_is_not_below_known_tokenizers() {
        let texts = [
            "What did we decide about the release on 2026-11-23 at 17:45? I think we wanted to wait.",
            "Heute Morgen sind wir am Hafen entlanggegangen und haben die Boote angesehen, schön war's.",
            r#"{"name":"remember","description":"Keeps a statement","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}"#,
            "今天早上我们沿着港口散步，看着夜里进来的船。",
            "Утром мы гуляли вдоль гавани и смотрели на лодки.",
            "fn main() {\n    let x = vec![1, 2, 3];\n    println!(\"{x:?}\");\n}\n",
        ];
        for text in texts {
            let estimate = EstimateCounter::default().count(text);
            for known in [o200k(), cl100k()] {
                assert!(estimate >= known.count(text), "{estimate} by {}: {text}", known.name());
            }
        }
        assert_eq!(EstimateCounter::default().count(""), 0);
    }

    #[test]
    fn a13_samples_of_a_tokenizer_give_its_weights() {
        for (name, counter) in [("o200k", o200k()), ("cl100k", cl100k())] {
            let learned = Weights::of_samples(SAMPLES.map(|text| counter.count(text)));
            let estimate = EstimateCounter::new(name, learned);
            for text in SAMPLES {
                let (estimated, exact) = (estimate.count(text), counter.count(text));
                assert!(
                    estimated >= exact && estimated <= exact * 3,
                    "{name}: {estimated} of {exact}: {text}"
                );
            }
            let prose = "we looked at the boats and at the people who had come with them in the night";
            let (estimated, exact) = (estimate.count(prose), counter.count(prose));
            assert!(estimated * 10 >= exact * 8 && estimated * 10 <= exact * 14, "{estimated} of {exact}");
        }
    }

    #[test]
    fn a13_a_tokenizer_of_single_bytes_is_counted_byte_by_byte() {
        let learned = EstimateCounter::new("bytes", Weights::of_samples(SAMPLES.map(str::len)));
        for text in SAMPLES.into_iter().chain(["", "a", "1 2", "žluť"]) {
            assert_eq!(learned.count(text), text.len());
        }
        assert_eq!(EstimateCounter::new("twice", learned.weights.raised(200)).count("abc"), 6);
    }
}
