//! The SASL mechanisms SCRAM (RFC 5802, RFC 7677) and, on encrypted streams only, PLAIN.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// The most iterations that a server may ask for. A higher number would be a denial-of-service attack on us.
const ITERATIONS: u32 = 1_000_000;

/// The hash of a SCRAM mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Sha1,
    Sha256,
}

impl Hash {
    fn digest(self, data: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => Sha1::digest(data).to_vec(),
            Self::Sha256 => Sha256::digest(data).to_vec(),
        }
    }

    fn keyed(self, key: &[u8], data: &[&[u8]]) -> Vec<u8> {
        fn keyed<M: Mac + hmac::digest::KeyInit>(key: &[u8], data: &[&[u8]]) -> Vec<u8> {
            // HMAC accepts a key of any length
            let Ok(mut mac) = <M as Mac>::new_from_slice(key) else { return Vec::new() };
            data.iter().for_each(|part| mac.update(part));
            mac.finalize().into_bytes().to_vec()
        }
        match self {
            Self::Sha1 => keyed::<Hmac<Sha1>>(key, data),
            Self::Sha256 => keyed::<Hmac<Sha256>>(key, data),
        }
    }

    /// `Hi` of RFC 5802: PBKDF2 with one block.
    fn salted(self, password: &[u8], salt: &[u8], iterations: u32) -> Vec<u8> {
        let mut last = self.keyed(password, &[salt, &1_u32.to_be_bytes()]);
        let mut all = last.clone();
        for _ in 1..iterations {
            last = self.keyed(password, &[&last]);
            all.iter_mut().zip(&last).for_each(|(all, last)| *all ^= last);
        }
        all
    }
}

/// A SASL mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mechanism {
    Scram(Hash),
    Plain,
}

impl Mechanism {
    /// The best mechanism that a server offers.
    pub(super) fn best<'a>(offered: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let known = [Self::Scram(Hash::Sha256), Self::Scram(Hash::Sha1), Self::Plain];
        known.into_iter().find(|mechanism| offered.clone().any(|name| name == mechanism.name()))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Scram(Hash::Sha1) => "SCRAM-SHA-1",
            Self::Scram(Hash::Sha256) => "SCRAM-SHA-256",
            Self::Plain => "PLAIN",
        }
    }
}

/// The first message of PLAIN.
pub(super) fn plain(user: &str, password: &str) -> String {
    STANDARD.encode(format!("\0{user}\0{password}"))
}

/// A SCRAM exchange.
pub(super) struct Scram<'a> {
    hash: Hash,
    password: &'a str,
    first: String,
    nonce: String,
    server_signature: Vec<u8>,
}

impl<'a> Scram<'a> {
    pub(super) fn new(hash: Hash, user: &str, password: &'a str, nonce: String) -> Self {
        let user = user.replace('=', "=3D").replace(',', "=2C");
        Self { hash, password, first: format!("n={user},r={nonce}"), nonce, server_signature: Vec::new() }
    }

    /// The client's first message.
    pub(super) fn first(&self) -> String {
        STANDARD.encode(format!("n,,{}", self.first))
    }

    /// The client's last message, which answers the server's first one. `None` if the server violates the protocol.
    pub(super) fn last(&mut self, challenge: &str) -> Option<String> {
        let challenge = String::from_utf8(STANDARD.decode(challenge.trim()).ok()?).ok()?;
        let field = |name| challenge.split(',').find_map(|field| field.strip_prefix(name));
        let (nonce, salt) = (field("r=")?, STANDARD.decode(field("s=")?).ok()?);
        let iterations: u32 = field("i=")?.parse().ok()?;
        // the server's nonce must continue ours, so that old messages cannot be replayed
        if nonce.len() <= self.nonce.len()
            || !nonce.starts_with(&self.nonce)
            || !(1..=ITERATIONS).contains(&iterations)
        {
            return None;
        }
        let salted = self.hash.salted(self.password.as_bytes(), &salt, iterations);
        let client_key = self.hash.keyed(&salted, &[b"Client Key"]);
        let stored_key = self.hash.digest(&client_key);
        let unproven = format!("c=biws,r={nonce}");
        let message = format!("{},{challenge},{unproven}", self.first);
        let signature = self.hash.keyed(&stored_key, &[message.as_bytes()]);
        let proof: Vec<u8> = client_key.iter().zip(&signature).map(|(key, signed)| key ^ signed).collect();
        let server_key = self.hash.keyed(&salted, &[b"Server Key"]);
        self.server_signature = self.hash.keyed(&server_key, &[message.as_bytes()]);
        Some(STANDARD.encode(format!("{unproven},p={}", STANDARD.encode(proof))))
    }

    /// Whether the server proved that it also knows the password.
    pub(super) fn is_proven(&self, success: &str) -> bool {
        let text = STANDARD.decode(success.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let signature = text.as_deref().and_then(|text| text.split(',').find_map(|f| f.strip_prefix("v=")));
        let signature = signature.and_then(|signature| STANDARD.decode(signature).ok());
        !self.server_signature.is_empty() && signature.as_deref() == Some(&self.server_signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(hash: Hash, nonce: &str, challenge: &str, success: &str) -> (String, bool) {
        let mut scram = Scram::new(hash, "user", "pencil", nonce.into());
        let last = scram.last(&STANDARD.encode(challenge)).unwrap();
        let last = String::from_utf8(STANDARD.decode(last).unwrap()).unwrap();
        (last, scram.is_proven(&STANDARD.encode(success)))
    }

    /// The examples of RFC 5802, section 5, and RFC 7677, section 3.
    #[test]
    fn ad2_scram_is_that_of_the_rfcs() {
        let (last, proven) = exchange(
            Hash::Sha1,
            "fyko+d2lbbFgONRv9qkxdawL",
            "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
            "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
        );
        assert!(last.ends_with("p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=") && proven, "{last}");
        let (last, proven) = exchange(
            Hash::Sha256,
            "rOprNGfwEbeRWgbNEkqO",
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
            "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
        );
        assert!(last.ends_with("p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=") && proven, "{last}");
    }

    #[test]
    fn x5_a_server_that_does_not_know_the_password_is_found_out() {
        let challenge = "r=abcdef,s=QSXCR+Q6sek8bf92,i=1";
        assert!(!exchange(Hash::Sha1, "abc", challenge, "v=AAAA").1);
        let mut scram = Scram::new(Hash::Sha1, "user", "pencil", "abc".into());
        for wrong in ["r=abc,s=AAAA,i=1", "r=xyzabc,s=AAAA,i=1", "r=abcd,s=AAAA,i=900000000", "nonsense"] {
            assert_eq!(scram.last(&STANDARD.encode(wrong)), None, "{wrong}");
        }
        assert!(!scram.is_proven(""));
    }

    #[test]
    fn ad2_the_best_mechanism_is_chosen() {
        let best = |offered: &[&str]| Mechanism::best(offered.iter().copied());
        assert_eq!(best(&["PLAIN", "SCRAM-SHA-1"]), Some(Mechanism::Scram(Hash::Sha1)));
        assert_eq!(best(&["SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"]), Some(Mechanism::Scram(Hash::Sha256)));
        assert_eq!(best(&["X-OAUTH2"]), None);
    }
}
