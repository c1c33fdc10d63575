//! Lenient parsing of JSON: a field of an unexpected type counts as absent. It takes one pass and borrows where
//! possible.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

/// The expected type of a field; any other JSON is skipped.
pub(super) trait Kind<'de> {
    type Value: Default;

    fn text(_: Cow<'de, str>) -> Self::Value {
        Self::Value::default()
    }
    fn number(_: u64) -> Self::Value {
        Self::Value::default()
    }
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::Value::default())
    }
    fn object<A: MapAccess<'de>>(mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::Value::default())
    }
}

/// A string.
pub(super) struct Text;
/// A non-negative integer.
pub(super) struct Number;
/// A string, or the text parts of a list of parts.
pub(super) struct Words;
/// An object.
pub(super) struct Object<T>(PhantomData<T>);
/// A list of objects.
pub(super) struct List<T>(PhantomData<T>);

impl<'de> Kind<'de> for Text {
    type Value = Option<Cow<'de, str>>;

    fn text(text: Cow<'de, str>) -> Self::Value {
        Some(text)
    }
}

impl<'de> Kind<'de> for Number {
    type Value = Option<u64>;

    fn number(number: u64) -> Self::Value {
        Some(number)
    }
}

impl<'de> Kind<'de> for Words {
    type Value = Cow<'de, str>;

    fn text(text: Cow<'de, str>) -> Self::Value {
        text
    }
    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self::Value, A::Error> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Part<'a> {
            #[serde(borrow, deserialize_with = "read::<Text, _>")]
            text: Option<Cow<'a, str>>,
        }
        let parts = List::<Part<'_>>::list(list)?;
        Ok(parts.into_iter().filter_map(|part| part.text).collect::<String>().into())
    }
}

impl<'de, T: Deserialize<'de>> Kind<'de> for Object<T> {
    type Value = Option<T>;

    fn object<A: MapAccess<'de>>(object: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

impl<'de, T: Deserialize<'de>> Kind<'de> for List<T> {
    type Value = Vec<T>;

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = list.next_element_seed(As::<Object<T>>(PhantomData))? {
            out.extend(item);
        }
        Ok(out)
    }
}

/// Parses any JSON as a kind.
pub(super) fn read<'de, K: Kind<'de>, D: Deserializer<'de>>(json: D) -> Result<K::Value, D::Error> {
    As::<K>(PhantomData).deserialize(json)
}

struct As<K>(PhantomData<K>);

impl<'de, K: Kind<'de>> DeserializeSeed<'de> for As<K> {
    type Value = K::Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<K::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, K: Kind<'de>> Visitor<'de> for As<K> {
    type Value = K::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<K::Value, E> {
        Ok(K::Value::default())
    }
    fn visit_bool<E>(self, _: bool) -> Result<K::Value, E> {
        Ok(K::Value::default())
    }
    fn visit_i64<E>(self, _: i64) -> Result<K::Value, E> {
        Ok(K::Value::default())
    }
    fn visit_f64<E>(self, _: f64) -> Result<K::Value, E> {
        Ok(K::Value::default())
    }
    fn visit_u64<E>(self, number: u64) -> Result<K::Value, E> {
        Ok(K::number(number))
    }
    fn visit_str<E>(self, text: &str) -> Result<K::Value, E> {
        Ok(K::text(Cow::Owned(text.to_owned())))
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<K::Value, E> {
        Ok(K::text(Cow::Borrowed(text)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<K::Value, A::Error> {
        K::list(list)
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<K::Value, A::Error> {
        K::object(object)
    }
}
