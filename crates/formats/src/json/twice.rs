//! Parses JSON into a value. Keeps the order of fields, and collects duplicate fields of an object. As in other
//! programs, the last duplicate counts and the others are lost, so the receipt has to report them (PF3).

use std::{cell::RefCell, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use super::Order;

/// The most duplicate fields that are reported. A hostile file has more than a person reads.
const MAX_NAMED: usize = 100;

/// Parses a document. Adds the paths of its duplicate fields to `twice`.
pub(super) fn read(text: &str, twice: &mut Vec<String>) -> serde_json::Result<(Value, Order)> {
    let named = RefCell::new(std::mem::take(twice));
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Node { above: None, key: "", twice: &named }.deserialize(&mut reader);
    *twice = named.into_inner();
    let value = value?;
    reader.end()?;
    Ok(value)
}

/// A position in the document.
#[derive(Clone, Copy)]
struct Node<'a> {
    above: Option<&'a Node<'a>>,
    key: &'a str,
    twice: &'a RefCell<Vec<String>>,
}

impl Node<'_> {
    fn path(&self) -> String {
        match self.above.map(Node::path) {
            Some(above) if !above.is_empty() => format!("{above}.{}", self.key),
            _ => self.key.to_owned(),
        }
    }

    fn name(&self, key: &str) {
        let mut twice = self.twice.borrow_mut();
        if twice.len() < MAX_NAMED {
            twice.push(Node { above: Some(self), key, twice: self.twice }.path());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = (Value, Order);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = (Value, Order);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok((value.into(), Order::default()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok((value.into(), Order::default()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok((value.into(), Order::default()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok((value.into(), Order::default()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok((value.into(), Order::default()))
    }

    fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
        Ok((value.into(), Order::default()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok((Value::Null, Order::default()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (mut items, mut orders) = (Vec::new(), Vec::new());
        while let Some((item, order)) =
            list.next_element_seed(Node { above: Some(&self), key: "[]", twice: self.twice })?
        {
            // most lists contain no orders
            if !order.is_empty() {
                orders.resize_with(items.len(), Order::default);
                orders.push(order);
            }
            items.push(item);
        }
        items.shrink_to_fit();
        Ok((items.into(), Order::of_items(orders)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let (mut fields, mut order) = (Vec::<(String, Value)>::new(), Order::default());
        let mut is_sorted = true;
        while let Some(key) = object.next_key::<String>()? {
            let (value, within) =
                object.next_value_seed(Node { above: Some(&self), key: &key, twice: self.twice })?;
            is_sorted &= fields.last().is_none_or(|(last, _)| *last < key);
            order.add(&key, within);
            fields.push((key, value));
        }
        // building a map from sorted fields takes half the memory of inserting one by one
        if !is_sorted {
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            let twice = fields.windows(2).filter(|pair| pair[0].0 == pair[1].0);
            twice.for_each(|pair| self.name(&pair[0].0));
        }
        let fields: Map<String, Value> = fields.into_iter().collect();
        Ok((fields.into(), order.of_object(is_sorted)))
    }
}
