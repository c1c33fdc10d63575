//! Reads fields of a JSON object and checks their types and lengths. A field that is null counts as missing.

use greenroom_core::is_unseen;
use serde_json::{Map, Value};

/// An object, with its path for error messages, as `author.`.
pub(super) struct Fields<'a> {
    of: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// # Errors
    /// The value is not an object.
    pub(super) fn of(value: &'a Value, path: String) -> Result<Self, String> {
        match value {
            Value::Object(of) => Ok(Self { of, path }),
            _ if path.is_empty() => Err("the body is not an object `{…}`".into()),
            _ => Err(format!("`{}` is not an object `{{…}}`", path.trim_end_matches('.'))),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.of.get(name).filter(|value| !value.is_null())
    }

    fn wrong<T>(&self, name: &str, what: &str) -> Result<T, String> {
        Err(format!("`{}{name}` {what}", self.path))
    }

    pub(super) fn missing(&self, name: &str) -> String {
        format!("`{}{name}` is missing", self.path)
    }

    /// A text of at most `most` characters.
    pub(super) fn text(&self, name: &str, most: usize) -> Result<Option<&'a str>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.chars().count() <= most => Ok(Some(text)),
            Some(Value::String(_)) => self.wrong(name, &format!("is longer than {most} characters")),
            Some(_) => self.wrong(name, "is not a text in quotation marks"),
        }
    }

    /// An id: a non-empty text without control or invisible characters.
    pub(super) fn id(&self, name: &str, most: usize) -> Result<Option<String>, String> {
        match self.text(name, most)? {
            Some("") => self.wrong(name, "is empty"),
            Some(id) if id.chars().any(|c| c.is_control() || is_unseen(c)) => {
                self.wrong(name, "has a line break or another character that is not seen")
            }
            id => Ok(id.map(str::to_owned)),
        }
    }

    /// A required id.
    pub(super) fn need_id(&self, name: &str, most: usize) -> Result<String, String> {
        self.id(name, most)?.ok_or_else(|| self.missing(name))
    }

    /// A Boolean; false if it is missing.
    pub(super) fn flag(&self, name: &str) -> Result<bool, String> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => self.wrong(name, "is not true or false"),
        }
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) => Ok(Some(number)),
                None => self.wrong(name, "is not a whole number"),
            },
        }
    }

    pub(super) fn object(&self, name: &str) -> Result<Option<Self>, String> {
        self.get(name).map(|value| Self::of(value, format!("{}{name}.", self.path))).transpose()
    }

    fn list(&self, name: &str, most: usize) -> Result<&'a [Value], String> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) if items.len() <= most => Ok(items),
            Some(Value::Array(_)) => self.wrong(name, &format!("has more than {most} items")),
            Some(_) => self.wrong(name, "is not a list `[…]`"),
        }
    }

    /// A list of at most `most` texts of at most `longest` characters each.
    pub(super) fn texts(&self, name: &str, most: usize, longest: usize) -> Result<Vec<&'a str>, String> {
        let text = |item: &'a Value| item.as_str().filter(|text| text.chars().count() <= longest);
        let texts: Option<Vec<_>> = self.list(name, most)?.iter().map(text).collect();
        texts.map_or_else(
            || self.wrong(name, &format!("has an item that is not a text of at most {longest} characters")),
            Ok,
        )
    }

    /// A list of at most `most` objects.
    pub(super) fn objects(&self, name: &str, most: usize) -> Result<Vec<Self>, String> {
        let items = self.list(name, most)?.iter().enumerate();
        items.map(|(n, item)| Self::of(item, format!("{}{name}[{n}].", self.path))).collect()
    }
}
