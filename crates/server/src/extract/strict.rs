//! A strict reading of JSON. serde's derived readers accept a list for a struct, by the order of its fields, and report
//! a number in place of a name as a syntax error.

use std::fmt;

use serde::{
    Deserialize,
    de::{
        DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected, VariantAccess,
        Visitor,
        value::{MapAccessDeserializer, StrDeserializer},
    },
};

/// A value whose structs must be JSON objects, at every depth. Untagged enums are read as serde reads them.
#[derive(Debug)]
pub(super) struct Strict<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Strict<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(Checked(deserializer)).map(Self)
    }
}

/// A deserializer, or an access to a part of its value, that checks what it reads.
struct Checked<D>(D);

/// Delegates a method, with a visitor that checks the parts of the value.
macro_rules! pass_on {
    ($($method:ident $(($($argument:ident: $kind:ty),+))?;)+) => { $(
        fn $method<V: Visitor<'de>>(self, $($($argument: $kind,)+)? visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($($argument,)+)? Parts(visitor))
        }
    )+ };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Checked<D> {
    type Error = D::Error;

    pass_on! {
        deserialize_any;
        deserialize_bool;
        deserialize_i8;
        deserialize_i16;
        deserialize_i32;
        deserialize_i64;
        deserialize_i128;
        deserialize_u8;
        deserialize_u16;
        deserialize_u32;
        deserialize_u64;
        deserialize_u128;
        deserialize_f32;
        deserialize_f64;
        deserialize_char;
        deserialize_str;
        deserialize_string;
        deserialize_bytes;
        deserialize_byte_buf;
        deserialize_option;
        deserialize_unit;
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq;
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map;
        deserialize_identifier;
        deserialize_ignored_any;
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct(name, fields, Object(Parts(visitor)))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        // serde_json's own method would report a number as invalid JSON
        self.0.deserialize_any(Name { names, visitor })
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

/// A visitor that checks the parts of a value.
struct Parts<V>(V);

/// Delegates the visit of a scalar.
macro_rules! scalars {
    ($($method:ident: $kind:ty;)+) => { $(
        fn $method<E: Error>(self, value: $kind) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )+ };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Parts<V> {
    type Value = V::Value;

    scalars! {
        visit_bool: bool;
        visit_i64: i64;
        visit_i128: i128;
        visit_u64: u64;
        visit_u128: u128;
        visit_f64: f64;
        visit_str: &str;
        visit_borrowed_str: &'de str;
        visit_string: String;
        visit_bytes: &[u8];
        visit_borrowed_bytes: &'de [u8];
        visit_byte_buf: Vec<u8>;
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Checked(value))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Checked(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Checked(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Checked(fields))
    }
}

/// A visitor of a struct, which accepts only an object.
struct Object<V>(Parts<V>);

impl<'de, V: Visitor<'de>> Visitor<'de> for Object<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<V::Value, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Other("list"), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(fields)
    }
}

/// A visitor of an enum: a name, or an object with the name as its key.
struct Name<V> {
    names: &'static [&'static str],
    visitor: V,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Name<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        write!(f, "one of {}", names.join(", "))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        self.visitor.visit_enum(StrDeserializer::new(name))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_enum(Checked(MapAccessDeserializer::new(fields)))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Checked<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Checked(value))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Checked<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Checked(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Checked<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Checked(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Checked<A> {
    type Error = A::Error;
    type Variant = Checked<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        self.0.variant_seed(seed).map(|(name, variant)| (name, Checked(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Checked<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Checked(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, Parts(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Object(Parts(visitor)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "read alone")]
    struct Body {
        role: Kind,
        #[serde(default)]
        inner: Option<Vec<Inner>>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "read alone")]
    struct Inner {
        text: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code, reason = "read alone")]
    enum Kind {
        User,
        Other(Inner),
    }

    fn read(json: &str) -> Result<Body, String> {
        serde_json::from_str::<Strict<Body>>(json).map(|Strict(body)| body).map_err(|error| error.to_string())
    }

    /// `["text"]` was once read as `{"query": "text"}`, and the memories that contain this text were forgotten.
    #[test]
    fn gr10_a_list_is_no_object_at_any_depth() {
        for good in [
            r#"{"role": "user"}"#,
            r#"{"role": {"other": {"text": "a"}}, "inner": [{"text": "b"}], "more": [1]}"#,
            r#"{"role": "user", "inner": null}"#,
        ] {
            assert!(read(good).is_ok(), "{good}: {:?}", read(good));
        }
        for bad in
            [r#"["user", null]"#, r#"{"role": "user", "inner": [["b"]]}"#, r#"{"role": {"other": ["a"]}}"#]
        {
            let error = read(bad).unwrap_err();
            assert!(error.starts_with("invalid type: list, expected an object at line 1"), "{bad}: {error}");
        }
    }

    #[test]
    fn e1_a_name_of_the_wrong_type_is_json() {
        let error = read(r#"{"role": 5}"#).unwrap_err();
        assert!(
            error.starts_with("invalid type: integer `5`, expected one of `user`, `other` at line 1"),
            "{error}"
        );
        assert!(read(r#"{"role": "use"}"#).unwrap_err().starts_with("unknown variant `use`, expected"));
    }
}
