//! Which vectors may be stored, and with which precision (L18, FG2). Pure, so that every store returns the same
//! numbers.

use greenroom_core::MessageId;
use half::{f16, slice::HalfFloatSliceExt, vec::HalfFloatVecExt};

use crate::{Embedded, ItemId, NewVector, Result, StoreError, VectorSpace};

/// The batch in its stored form.
///
/// # Errors
/// [`StoreError::BadVector`] names the first vector that must not be stored.
pub fn checked(space: &VectorSpace, vectors: Vec<NewVector>) -> Result<Vec<NewVector>> {
    vectors
        .into_iter()
        .map(|new| match unit(&new.vector, space.dimension) {
            Ok(vector) => Ok(NewVector { vector, ..new }),
            Err(reason) => Err(StoreError::BadVector { item: new.item, reason }),
        })
        .collect()
}

/// A vector in its stored form, for a write together with its text.
///
/// # Errors
/// As [`checked`].
pub fn checked_with(item: ItemId, new: Embedded) -> Result<Embedded> {
    match unit(&new.vector, new.space.dimension) {
        Ok(vector) => Ok(Embedded { vector, ..new }),
        Err(reason) => Err(StoreError::BadVector { item, reason }),
    }
}

/// Like [`checked_with`], for a message that has no id yet; an error names the id 0.
///
/// # Errors
/// As [`checked`].
pub fn checked_new(new: Embedded) -> Result<Embedded> {
    checked_with(ItemId::Message(MessageId(0)), new)
}

/// If the length differs from 1 by less than this, the vector is not scaled: a stored vector is unchanged when it is
/// stored again.
const UNIT: f64 = 1e-3;

/// The vector in its stored form: scaled to length 1, in half precision. This takes half the space and gives the same
/// ranking.
///
/// # Errors
/// The reason why the vector has no direction.
pub fn unit(vector: &[f32], dimension: usize) -> Result<Vec<f32>, &'static str> {
    if vector.len() != dimension {
        return Err("it has another dimension than its model");
    }
    if vector.iter().any(|number| !number.is_finite()) {
        return Err("a number in it is not finite");
    }
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(ZERO);
    }
    let length = if (length - 1.0).abs() < UNIT { 1.0 } else { length };
    let unit: Vec<f32> = vector.iter().map(|number| (f64::from(*number) / length) as f32).collect();
    Ok(Vec::<f16>::from_f32_slice(&unit).to_f32_vec())
}

const ZERO: &str = "it is zero";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fg2_only_a_direction_can_be_stored() {
        assert_eq!(unit(&[3.0, 4.0], 2), Ok(vec![0.600_097_66, 0.799_804_7]));
        assert_eq!(unit(&[1e30, 0.0], 2), Ok(vec![1.0, 0.0]));
        assert_eq!(unit(&[0.0, 0.0], 2), Err(ZERO));
        assert!(unit(&[f32::NAN, 1.0], 2).is_err());
        assert!(unit(&[f32::INFINITY, 1.0], 2).is_err());
        assert!(unit(&[1.0], 2).is_err());
    }
}
