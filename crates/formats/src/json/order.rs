//! The order of the fields of a document. A value of `serde_json` sorts them; an export has the order of the file (PF2).

use std::collections::HashSet;

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};
use serde_json::Value;

/// The order in a value; empty where it is that of the alphabet throughout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Order {
    /// The fields of an object, with the orders in them.
    fields: Vec<(String, Order)>,
    /// The orders in the items of a list. Empty ones at its end are left out.
    items: Vec<Order>,
}

impl Order {
    /// The order of an object with these fields.
    pub(crate) fn of_fields(fields: Vec<(String, Self)>) -> Self {
        let is_sorted = fields.is_sorted_by(|one, other| one.0 < other.0);
        match is_sorted && fields.iter().all(|(_, order)| order.is_empty()) {
            true => Self::default(),
            false => Self { fields, items: Vec::new() },
        }
    }

    /// The order of a list with these items.
    pub(crate) fn of_items(mut items: Vec<Self>) -> Self {
        let filled = items.iter().rposition(|item| !item.is_empty()).map_or(0, |last| last + 1);
        items.truncate(filled);
        Self { fields: Vec::new(), items }
    }

    /// The order in a field.
    pub(crate) fn field(&self, key: &str) -> &Self {
        self.fields.iter().find(|(name, _)| name == key).map_or(NONE, |(_, order)| order)
    }

    fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.items.is_empty()
    }
}

const NONE: &Order = &Order { fields: Vec::new(), items: Vec::new() };

/// A value in an order; fields that the order does not name come last.
pub(super) struct Ordered<'a>(pub &'a Value, pub &'a Order);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if self.1.is_empty() => value.serialize(serializer),
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                // a field that was there twice has its first place
                let mut written = HashSet::new();
                for (key, order) in &self.1.fields {
                    if let Some(value) = fields.get(key).filter(|_| written.insert(key)) {
                        map.serialize_entry(key, &Ordered(value, order))?;
                    }
                }
                for (key, value) in fields.iter().filter(|(key, _)| !written.contains(key)) {
                    map.serialize_entry(key, value)?;
                }
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
