//! JSON into a value, with the fields that are in an object twice. The last one counts, as in other programs, and the others
//! are lost, which a receipt has to say (PF3).

use std::{cell::RefCell, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

/// Fields that are named; a hostile file has more than a person reads.
const MAX_NAMED: usize = 100;

/// Reads a document, and adds the paths of the fields that are there twice.
pub(super) fn read(text: &str, twice: &mut Vec<String>) -> serde_json::Result<Value> {
    let named = RefCell::new(std::mem::take(twice));
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Node { above: None, key: "", twice: &named }.deserialize(&mut reader);
    *twice = named.into_inner();
    let value = value?;
    reader.end()?;
    Ok(value)
}

/// A place in the document.
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
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) =
            list.next_element_seed(Node { above: Some(&self), key: "[]", twice: self.twice })?
        {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let value = object.next_value_seed(Node { above: Some(&self), key: &key, twice: self.twice })?;
            if fields.contains_key(&key) {
                self.name(&key);
            }
            fields.insert(key, value);
        }
        Ok(fields.into())
    }
}
