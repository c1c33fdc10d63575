//! The order of a document's fields. `serde_json` sorts fields, but an export has to keep the order of the file (PF2).

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};
use serde_json::Value;

/// The order of the fields in a value; empty if it is alphabetical throughout. Stores hashes of the names, so that a
/// hostile file takes little memory (X12).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Order {
    /// The fields of an object, as hashes; empty if they are sorted.
    fields: Vec<u64>,
    /// The orders inside fields, without empty ones.
    within: Vec<(u64, Order)>,
    /// The orders inside the items of a list, without empty ones at the end.
    items: Vec<Order>,
}

impl Order {
    /// Adds the next field of an object.
    pub(crate) fn add(&mut self, key: &str, order: Self) {
        self.fields.push(hash(key));
        if !order.is_empty() {
            self.within.push((hash(key), order));
        }
    }

    /// The order of an object after all fields were added. `is_sorted`: whether they are in alphabetical order.
    pub(crate) fn of_object(mut self, is_sorted: bool) -> Self {
        if is_sorted {
            self.fields = Vec::new();
        }
        self.fields.shrink_to_fit();
        self.within.shrink_to_fit();
        self
    }

    /// The order of an object with these fields, which must be sorted.
    pub(crate) fn of_sorted(fields: impl IntoIterator<Item = (String, Self)>) -> Self {
        let mut order = Self::default();
        fields.into_iter().for_each(|(key, within)| order.add(&key, within));
        order.of_object(true)
    }

    /// The order of a list with these items. The last item's order must not be empty.
    pub(super) fn of_items(mut items: Vec<Self>) -> Self {
        items.shrink_to_fit();
        Self { items, ..Self::default() }
    }

    /// The order inside a field.
    pub(crate) fn field(&self, key: &str) -> &Self {
        let key = hash(key);
        self.within.iter().rev().find(|(name, _)| *name == key).map_or(NONE, |(_, order)| order)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.within.is_empty() && self.items.is_empty()
    }
}

const NONE: &Order = &Order { fields: Vec::new(), within: Vec::new(), items: Vec::new() };

fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// A value that is serialised in an order. Fields that the order does not contain come last.
pub(crate) struct Ordered<'a>(pub &'a Value, pub &'a Order);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if self.1.is_empty() => value.serialize(serializer),
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                let mut within: Vec<(u64, &Order)> =
                    self.1.within.iter().map(|(key, it)| (*key, it)).collect();
                within.sort_by_key(|(key, _)| *key);
                let mut write = |key: &str, value| {
                    let place = within.binary_search_by_key(&hash(key), |(key, _)| *key);
                    map.serialize_entry(key, &Ordered(value, place.map_or(NONE, |at| within[at].1)))
                };
                // each field with its position; a duplicate field has its first position
                let mut places: Vec<(u64, u32)> = self.1.fields.iter().copied().zip(0..).collect();
                places.sort_unstable();
                let place = |key: &str| {
                    let key = hash(key);
                    let first = places.partition_point(|(other, _)| *other < key);
                    places.get(first).filter(|(other, _)| *other == key).map_or(u32::MAX, |(_, place)| *place)
                };
                let mut sorted: Vec<(u32, (&String, &Value))> =
                    fields.iter().map(|field| (place(field.0), field)).collect();
                sorted.sort_by_key(|(place, _)| *place);
                sorted.into_iter().try_for_each(|(_, (key, value))| write(key, value))?;
                map.end()
            }
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for (n, item) in items.iter().enumerate() {
                    list.serialize_element(&Ordered(item, self.1.items.get(n).unwrap_or(NONE)))?;
                }
                list.end()
            }
            other => other.serialize(serializer),
        }
    }
}
