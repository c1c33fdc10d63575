//! Merges the layers of settings, weakest first: built-in defaults, the profile's preset, `greenroom.toml`, the
//! persona's front matter, the environment, flags. figment merges them and remembers the layer of each value; the layer
//! knows the line.

use std::collections::BTreeMap;

use figment::{
    Figment, Metadata, Profile as FigmentProfile, Provider,
    value::{Dict, Map, Value},
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Schema;

use crate::{
    Profile,
    check::join,
    diagnostic::SourceFile,
    node::{Node, Tree},
    schema,
    secret::HIDDEN,
};

/// The origin of one value of the merged settings, for `greenroom config show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The dotted key, as `model.temperature`.
    pub key: String,
    /// The value as text; `set (hidden)` for a secret.
    pub value: String,
    /// `default`, `profile knowledge`, `greenroom.toml:12`, `personas/ada.md:5`,
    /// `environment GREENROOM_MODEL` or `flag --model`; see [`Origin::kind`].
    pub origin: String,
}

/// The kind of a value's origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginKind<'a> {
    /// No layer has the value.
    Default,
    /// A flag, as `--model`.
    Flag(&'a str),
    /// An environment variable.
    Environment(&'a str),
    /// A file with the line, or a profile.
    File(&'a str),
}

/// The origin of values that no layer sets.
pub(crate) const DEFAULT: &str = "default";
const FLAG: &str = "flag ";
const ENVIRONMENT: &str = "environment ";

impl Origin {
    /// The origin of a default.
    pub fn of_default() -> String {
        DEFAULT.to_owned()
    }

    /// The origin of a flag, as `--model`.
    pub fn of_flag(name: &str) -> String {
        format!("{FLAG}{name}")
    }

    /// The origin of an environment variable.
    pub fn of_environment(name: &str) -> String {
        format!("{ENVIRONMENT}{name}")
    }

    /// The kind of the origin.
    pub fn kind(&self) -> OriginKind<'_> {
        let origin = &*self.origin;
        match (origin.strip_prefix(FLAG), origin.strip_prefix(ENVIRONMENT)) {
            (Some(name), _) => OriginKind::Flag(name),
            (_, Some(name)) => OriginKind::Environment(name),
            _ if origin == DEFAULT => OriginKind::Default,
            _ => OriginKind::File(origin),
        }
    }
}

/// The values of one source.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    name: String,
    values: Dict,
    /// The lines of the keys in a file.
    lines: BTreeMap<String, usize>,
}

impl Layer {
    /// The checked values of a file.
    pub fn of_file(source: &SourceFile, node: &Node, values: Dict) -> Self {
        let mut lines = BTreeMap::new();
        note_lines(node, "", source, &mut lines);
        Self { name: source.name.clone(), values, lines }
    }

    /// A layer with the values of a type.
    pub fn of<T: Serialize>(name: impl Into<String>, values: &T) -> Self {
        // settings can always be serialised; an empty layer would fail the tests
        let values = Value::serialize(values).ok().and_then(Value::into_dict).unwrap_or_default();
        Self { name: name.into(), values, lines: BTreeMap::new() }
    }

    /// A layer with one value under a dotted key.
    pub fn single(name: impl Into<String>, key: &str, value: Value) -> Self {
        let values = figment::util::nest(key, value).into_dict().unwrap_or_default();
        Self { name: name.into(), values, lines: BTreeMap::new() }
    }

    /// The value of a dotted key, if this layer has one.
    pub fn get<T: for<'de> Deserialize<'de>>(&self, key: &str) -> Option<T> {
        Value::from(self.values.clone()).find(key)?.deserialize().ok()
    }
}

fn note_lines(node: &Node, path: &str, source: &SourceFile, lines: &mut BTreeMap<String, usize>) {
    if let Tree::Table(entries) = &node.value {
        for entry in entries {
            let key = join(path, &entry.key);
            lines.insert(key.clone(), source.line(entry.key_span.start));
            note_lines(&entry.node, &key, source, lines);
        }
    }
}

impl Provider for &Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name.clone())
    }
    fn data(&self) -> Result<Map<FigmentProfile, Dict>, figment::Error> {
        Ok(FigmentProfile::Default.collect(self.values.clone()))
    }
}

/// Merges layers over the defaults, weakest first. The layers select the memory profile, whose preset replaces the
/// defaults.
pub(crate) fn merge<'a>(defaults: &Layer, layers: impl IntoIterator<Item = &'a Layer> + Clone) -> Merged {
    let over = |base: Figment| layers.clone().into_iter().fold(base, Figment::merge);
    let chosen = over(Figment::from(defaults)).extract_inner("memory.profile").unwrap_or_default();
    let base = match chosen {
        Profile::Default => Figment::from(defaults),
        profile => {
            // the preset replaces the defaults: with merging, a preset without a threshold would keep the default
            // threshold
            let mut others = defaults.clone();
            others.values.remove("memory");
            let mut preset = profile.settings();
            if over(Figment::new()).contains("memory.budget_tokens") {
                preset.small_budget = None;
            }
            let preset = BTreeMap::from([("memory", preset)]);
            Figment::from(&others).merge(&Layer::of(format!("profile {}", profile.as_str()), &preset))
        }
    };
    let lines = layers.clone().into_iter().map(|l| (l.name.clone(), l.lines.clone())).collect();
    Merged { figment: over(base), lines }
}

/// The merged values.
pub(crate) struct Merged {
    figment: Figment,
    lines: BTreeMap<String, BTreeMap<String, usize>>,
}

impl Merged {
    /// Extracts the values as a type. All values are checked, so this fails only if a type and its schema differ.
    pub fn extract<T: for<'de> Deserialize<'de>>(&self) -> Result<T, String> {
        self.figment.extract().map_err(|e| e.to_string())
    }

    /// All values of a schema's keys with their origins, by key.
    pub fn origins(&self, schema: &Schema) -> Vec<Origin> {
        let mut all = Vec::new();
        for name in schema.get("properties").and_then(Schema::as_object).into_iter().flat_map(|p| p.keys()) {
            if let Ok(value) = self.figment.find_value(name) {
                self.flatten(name, &value, schema.get("properties").and_then(|p| p.get(name)), &mut all);
            }
        }
        all
    }

    fn flatten(&self, key: &str, value: &Value, schema: Option<&Schema>, all: &mut Vec<Origin>) {
        let Some(schema) = schema else { return };
        if let Value::Dict(_, dict) = value {
            for (name, inner) in dict {
                let field = schema.get("properties").and_then(|p| p.get(name));
                let free = schema.get("additionalProperties").filter(|s| s.is_object());
                self.flatten(&join(key, name), inner, field.or(free), all);
            }
            return;
        }
        let text = match value {
            _ if schema.get("writeOnly").is_some() => HIDDEN.to_owned(),
            Value::String(_, text) => text.clone(),
            other => serde_json::to_string(other).unwrap_or_default(),
        };
        let layer = self.figment.get_metadata(value.tag()).map_or(DEFAULT, |m| m.name.as_ref());
        let origin = match self.lines.get(layer).and_then(|lines| lines.get(key)) {
            Some(line) => format!("{layer}:{line}"),
            None => layer.to_owned(),
        };
        all.push(Origin { key: key.to_owned(), value: text, origin });
    }
}

/// Finds the origin of a key.
pub(crate) fn origin_of<'a>(origins: &'a [Origin], key: &str) -> Option<&'a Origin> {
    origins.iter().find(|o| o.key == key)
}

/// Converts a text of the environment or a flag to the type that the schema requires. A text that cannot be converted
/// stays a text, so that the check reports it.
pub(crate) fn coerce(text: &str, wanted: &Schema) -> Tree {
    let node = |value| Node { value, span: 0..0 };
    if schema::has_type(wanted, "array") {
        let items = text.split(',').map(str::trim).filter(|t| !t.is_empty());
        return Tree::List(items.map(|t| node(Tree::Text(t.into()))).collect());
    }
    let number = || text.parse().ok().filter(|n: &f64| n.is_finite()).map(Tree::Float);
    let value = if schema::has_type(wanted, "integer") {
        text.parse().ok().map(Tree::Integer)
    } else if schema::has_type(wanted, "number") {
        number()
    } else if schema::has_type(wanted, "boolean") {
        match text {
            "true" | "1" => Some(Tree::Bool(true)),
            "false" | "0" => Some(Tree::Bool(false)),
            _ => None,
        }
    } else {
        None
    };
    value.unwrap_or_else(|| Tree::Text(text.to_owned()))
}
