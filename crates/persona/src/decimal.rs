//! Serialises `f32` settings in their short decimal form: 0.7, not 0.699999988079071.

use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(value: &f32, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_f64(shortest(*value))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f32, D::Error> {
    f32::deserialize(d)
}

/// The `f64` with the same shortest decimal form.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// The same for an optional value.
pub(crate) mod option {
    use super::{Deserialize, Deserializer, Serializer, shortest};

    pub(crate) fn serialize<S: Serializer>(value: &Option<f32>, s: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(v) => s.serialize_some(&shortest(*v)),
            None => s.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f32>, D::Error> {
        Option::deserialize(d)
    }
}
