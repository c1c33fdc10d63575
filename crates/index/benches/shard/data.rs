//! Reproducible random data.

use greenroom_index::{Change, Names, Row, Words};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Nearly normal: twelve uniform numbers added.
    pub fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.uniform()).sum::<f32>() - 6.0
    }
}

/// A source of vectors.
pub trait Vectors {
    fn vector(&mut self) -> Vec<f32>;
}

/// Vectors distributed like text embeddings: in many clusters, of a few dozen dimensions, with some noise in all the
/// others.
pub struct Clustered {
    random: Random,
    centres: Vec<[f32; LATENT]>,
    directions: Vec<[f32; LATENT]>,
}

const LATENT: usize = 32;

impl Clustered {
    pub fn new(dimension: usize) -> Clustered {
        let mut random = Random(7);
        let mut latent = |count: usize| -> Vec<[f32; LATENT]> {
            (0..count).map(|_| std::array::from_fn(|_| random.normal())).collect()
        };
        let (centres, directions) = (latent(2_000), latent(dimension));
        Clustered { random, centres, directions }
    }
}

impl Vectors for Clustered {
    fn vector(&mut self) -> Vec<f32> {
        let at = self.random.next() as usize % self.centres.len();
        let point = self.centres[at].map(|centre| centre + 0.7 * self.random.normal());
        let random = &mut self.random;
        let place = |direction: &[f32; LATENT]| -> f32 {
            direction.iter().zip(&point).map(|(one, other)| one * other).sum::<f32>() + random.normal()
        };
        self.directions.iter().map(place).collect()
    }
}

/// The worst case: every direction is equally likely.
pub struct Isotropic(pub Random, pub usize);

impl Vectors for Isotropic {
    fn vector(&mut self) -> Vec<f32> {
        (0..self.1).map(|_| self.0.normal()).collect()
    }
}

/// A text of 14 words of a vocabulary of 30,000; word frequencies follow Zipf's law.
pub fn text(random: &mut Random) -> String {
    let mut word = || {
        let rank = 30_000f32.powf(random.uniform()) as u64;
        let mut letters = Random(rank);
        (0..2 + letters.next() % 3)
            .map(|_| ["ba", "ke", "lo", "mi", "tu", "ra"][letters.next() as usize % 6])
            .collect()
    };
    (0..14).map(|_| word()).collect::<Vec<String>>().join(" ")
}

pub fn row(id: i64, words: Words, vector: Option<Vec<f32>>) -> Change {
    Change::Put(Row {
        id,
        at: id,
        expires_at: i64::MAX,
        source: 0,
        author: Some("Jo".to_owned()),
        words,
        vector,
    })
}

pub fn words(random: &mut Random) -> Words {
    Words::of(&text(random), "7 May 2023", &Names::none())
}
