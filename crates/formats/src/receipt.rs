//! The receipt of an import: the fate of each field, and the reason (PF3).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::value::is_empty;

/// The fate of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It affects what the persona says or knows.
    Effective,
    /// It is stored and written back, but has no effect here.
    Kept,
    /// It is a secret or cannot be read or stored, so it is left out; or it is code or a template, which is stored as
    /// text and never executed.
    Refused,
}

impl Fate {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Effective => "effective",
            Self::Kept => "kept",
            Self::Refused => "refused",
        }
    }
}

/// A field and its fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptLine {
    /// The field's path in the file.
    pub field: String,
    /// What becomes of it.
    pub fate: Fate,
    /// Where it takes effect, or why it has no effect.
    pub reason: String,
}

/// The most lines of a receipt. A hostile file has more fields than a person reads (X12).
const MAX_LINES: usize = 10_000;

/// A receipt that is being written.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    lines: Vec<ReceiptLine>,
    /// The fields that have a line.
    named: HashSet<String>,
    /// The number of fields without a line.
    left_out: usize,
}

impl Ledger {
    pub fn effective(&mut self, field: &str, place: impl Into<String>) {
        self.add(field, Fate::Effective, place);
    }

    pub fn kept(&mut self, field: &str, reason: impl Into<String>) {
        self.add(field, Fate::Kept, reason);
    }

    pub fn refused(&mut self, field: &str, reason: impl Into<String>) {
        self.add(field, Fate::Refused, reason);
    }

    fn add(&mut self, field: &str, fate: Fate, reason: impl Into<String>) {
        if self.lines.len() == MAX_LINES {
            self.left_out += 1;
            return;
        }
        self.named.insert(field.to_owned());
        self.lines.push(ReceiptLine { field: field.to_owned(), fate, reason: reason.into() });
    }

    /// Adds the fields of an object: those in `known` with their fates, all others as unknown. `prefix` precedes each
    /// name. Empty known fields are left out.
    pub fn fields(&mut self, object: &Value, prefix: &str, known: &[(&str, Fate, &str)]) {
        self.fields_but(object, prefix, known, &[]);
    }

    /// The same without the fields `but`, which have lines of their own.
    pub fn fields_but(&mut self, object: &Value, prefix: &str, known: &[(&str, Fate, &str)], but: &[&str]) {
        for (key, value) in crate::value::fields(object).filter(|(key, _)| !but.contains(&key.as_str())) {
            let field = format!("{prefix}{key}");
            if self.named.contains(&field) {
                continue;
            }
            match known.iter().find(|(name, ..)| name == key) {
                Some(_) if is_empty(value) => {}
                Some((_, fate, reason)) => self.add(&field, *fate, *reason),
                None => self.kept(&field, "Greenroom does not know this field"),
            }
        }
    }

    /// Adds a line for each field that should be a text but is a list or an object, which is not read. Call this before
    /// [`Ledger::fields`].
    pub fn texts_only(&mut self, object: &Value, prefix: &str, keys: &[&str]) {
        for key in keys {
            let found = match object.get(key) {
                Some(Value::Array(items)) if !items.is_empty() => "a list",
                Some(Value::Object(fields)) if !fields.is_empty() => "an object",
                _ => continue,
            };
            self.kept(
                &format!("{prefix}{key}"),
                format!("{found}, where a text is expected; write it as one text"),
            );
        }
    }

    /// The finished receipt: effective fields first, then kept, then refused ones.
    pub fn close(mut self) -> Vec<ReceiptLine> {
        if self.left_out > 0 {
            let field = format!("({} more fields)", self.left_out);
            self.lines.push(ReceiptLine {
                field,
                fate: Fate::Kept,
                reason: "the receipt has no room for them".into(),
            });
        }
        self.lines.sort_by_key(|line| line.fate as u8);
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time and memory grow linearly with the number of fields.
    #[test]
    fn pf8_a_file_of_many_fields_has_a_short_receipt() {
        let fields: serde_json::Map<String, Value> =
            (0..100_000).map(|n| (format!("f{n}"), n.into())).collect();
        let mut ledger = Ledger::default();
        ledger.fields(&fields.into(), "", &[]);
        let lines = ledger.close();
        assert_eq!(lines.len(), MAX_LINES + 1);
        assert_eq!(lines[MAX_LINES].field, "(90000 more fields)");
    }
}
