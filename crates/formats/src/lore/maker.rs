//! Lorebooks of NovelAI, Agnai and RisuAI. Converts their entries to equivalent entries of a card.

use serde_json::{Map, Value, json};

use crate::{
    Fate::{self, Effective, Kept},
    receipt::Ledger,
    value::{fields, integer, is_empty, items, object, text, texts, truth},
};

/// A program with its own field names for lorebooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LorebookProgram {
    /// NovelAI, `.lorebook`.
    Novel,
    /// Agnai's memory books.
    Agnai,
    /// RisuAI's exports.
    Risu,
}

impl LorebookProgram {
    /// The program whose field names a book has. `None` for those of a card or of SillyTavern.
    pub fn of(book: &Value) -> Option<Self> {
        let first = book.as_array().map_or(items(book, "entries"), Vec::as_slice).first();
        let has = |key: &str| first.is_some_and(|entry| entry.get(key).is_some());
        match () {
            () if book["type"] == "risu" && book["data"].is_array() || has("insertorder") => Some(Self::Risu),
            () if book.get("lorebookVersion").is_some() || has("contextConfig") && has("text") => {
                Some(Self::Novel)
            }
            () if book["kind"] == "memory" || has("entry") && has("keywords") => Some(Self::Agnai),
            () => None,
        }
    }

    /// The default number of searched messages. NovelAI searches 1,000 characters. Agnai's default is `memoryDepth` of
    /// its preset `basic`, which `common/memory.ts` falls back to.
    pub fn scan_depth(self) -> usize {
        match self {
            Self::Novel => 4,
            Self::Agnai => 50,
            Self::Risu => 5,
        }
    }

    /// Whether entries trigger entries if the book does not say.
    pub fn is_recursive(self) -> bool {
        self != Self::Agnai
    }

    /// Field names of an entry, and the card's names for them.
    fn names(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Novel => &[("text", "content"), ("displayName", "name"), ("forceActivation", "constant")],
            Self::Agnai => &[
                ("entry", "content"),
                ("keywords", "keys"),
                ("weight", "insertion_order"),
                ("secondaryKeys", "secondary_keys"),
            ],
            Self::Risu => &[
                ("comment", "name"),
                ("insertorder", "insertion_order"),
                ("alwaysActive", "constant"),
                ("activationPercent", "probability"),
                ("useRegex", "use_regex"),
                ("key", "keys"),
                ("secondkey", "secondary_keys"),
            ],
        }
    }

    /// The program's name for a field of a card's entry.
    pub fn own_name(self, name: &str) -> &str {
        self.names().iter().find(|(_, other)| *other == name).map_or(name, |(own, _)| own)
    }

    /// Other fields of an entry, and why they have no effect here. A field with an empty reason is read together with
    /// another one.
    fn others(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Novel => &[
                ("nonStoryActivatable", ""),
                ("contextConfig", "its order, prefix and suffix are used; the rest places a text in a story"),
                ("searchRange", "characters of a story; here messages are searched"),
                ("keyRelative", "a place in a story"),
                ("loreBiasGroups", "words that NovelAI prefers"),
                ("advancedConditions", "conditions of NovelAI; keys alone trigger an entry here"),
                ("category", "a group of entries; one that is switched off switches off its entries"),
                ("lastUpdatedAt", "a date"),
                ("id", "an id of another program"),
                ("hidden", "a mark of another program"),
            ],
            Self::Agnai => &[],
            Self::Risu => &[
                ("mode", ""),
                ("extentions", ""),
                ("id", ""),
                ("bookVersion", ""),
                ("loreCache", "a cache of another program"),
                ("folder", "a folder of the book"),
            ],
        }
    }

    /// Whether a field of an entry is reported once for the whole book, or not at all.
    pub fn is_other(self, key: &str) -> bool {
        self.others().iter().any(|(name, _)| *name == key)
    }

    /// Adds the receipt's lines about such fields.
    pub fn account(self, book: &Value, prefix: &str, ledger: &mut Ledger) {
        let is_set = |value: &Value| !is_empty(value) && *value != Value::Bool(false);
        for (field, reason) in self.others().iter().filter(|(_, reason)| !reason.is_empty()) {
            let (list, entries) = list_of(book);
            let entries = entries.as_array().into_iter().flatten();
            if entries.filter_map(|entry| entry.get(*field)).any(is_set) {
                ledger.kept(&format!("{prefix}{list}[].{field}"), *reason);
            }
        }
    }

    /// Fields of the book, with their fates.
    pub fn fields(self) -> &'static [(&'static str, Fate, &'static str)] {
        match self {
            Self::Novel => &[
                ("lorebookVersion", Kept, "the format"),
                ("settings", Kept, "settings of another program"),
                ("categories", Effective, "one that is switched off switches off its entries"),
                ("order", Kept, "the order of entries on a page"),
            ],
            Self::Agnai => &[
                ("kind", Kept, "the format"),
                ("_id", Kept, "an id of another program"),
                ("userId", Kept, "an id of another program"),
            ],
            Self::Risu => &[
                ("type", Kept, "the format"),
                ("ver", Kept, "the format"),
                ("data", Effective, "the lorebook"),
            ],
        }
    }

    /// The reason why an entry can never be activated, besides the reasons of a card's entry.
    pub fn no_effect(self, book: &Value, raw: &Value) -> Option<&'static str> {
        match (self, text(raw, "mode").as_deref()) {
            (Self::Risu, Some("folder")) => Some("a folder of the book"),
            (Self::Risu, Some("child")) => Some("a copy of another entry"),
            (Self::Novel, _) if is_in_closed_category(book, raw) => Some("its category is switched off"),
            _ => None,
        }
    }

    /// Renames the fields of an entry to those of a card. Fields that a card lacks stay.
    pub fn entry(self, raw: &Value) -> Value {
        let mut entry: Map<String, Value> = raw.as_object().cloned().unwrap_or_default();
        for (own, name) in self.names() {
            if let Some(value) = entry.remove(*own) {
                entry.insert((*name).to_owned(), value);
            }
        }
        let mut set = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
        match self {
            Self::Novel => {
                let config = raw.get("contextConfig").unwrap_or(&Value::Null);
                let part = |key: &str| config.get(key).and_then(Value::as_str).unwrap_or_default();
                if let Some(content) = text(raw, "text") {
                    set("content", format!("{}{content}{}", part("prefix"), part("suffix")).trim().into());
                }
                // the entry with the highest value is placed first and dropped last
                let order = integer(config, "budgetPriority").unwrap_or(0);
                set("insertion_order", order.into());
                set("priority", order.into());
                set("exclude_recursion", (truth(raw, "nonStoryActivatable") != Some(true)).into());
            }
            Self::Agnai if raw.get("keywords").is_some() => {
                let keys: Vec<String> =
                    texts(raw, "keywords").iter().map(|key| with_wildcards(key)).collect();
                set("keys", keys.into());
            }
            Self::Agnai => {}
            Self::Risu => {
                let is_expression = truth(raw, "useRegex") == Some(true);
                set("keys", parts(raw, "key", is_expression));
                set("secondary_keys", parts(raw, "secondkey", is_expression));
                set("match_whole_words", false.into());
                if let Some(case) = raw.pointer("/extentions/risu_case_sensitive") {
                    set("case_sensitive", case.clone());
                }
                if raw["mode"] == "constant" {
                    set("constant", true.into());
                }
            }
        }
        entry.entry("position").or_insert_with(|| "before_char".into());
        entry.into()
    }

    /// Converts the book to the field names of a card. Fields that a card lacks go under `extensions`.
    pub fn card(self, book: &Value) -> Value {
        const BOOK: [&str; 3] = ["name", "description", "extensions"];
        const ENTRY: [&str; 17] = [
            "keys",
            "content",
            "extensions",
            "enabled",
            "insertion_order",
            "case_sensitive",
            "use_regex",
            "name",
            "priority",
            "comment",
            "selective",
            "secondary_keys",
            "constant",
            "position",
            "probability",
            "match_whole_words",
            "exclude_recursion",
        ];
        let entry = |raw: &Value| {
            let mut entry = sorted(&self.entry(raw), &ENTRY);
            if self.no_effect(book, raw).is_some() {
                entry["enabled"] = false.into();
            }
            entry
        };
        let (list, entries) = list_of(book);
        let entries: Vec<Value> =
            entries.as_array().into_iter().flatten().filter(|it| it.is_object()).map(entry).collect();
        let mut whole = book.clone();
        let map = object(&mut whole);
        let number = |key: &str| integer(book, key).filter(|number| *number > 0);
        let depth = number("scanDepth").unwrap_or(self.scan_depth() as i64);
        let budget = number("tokenBudget");
        let is_recursive = truth(book, "recursiveScanning").unwrap_or(self.is_recursive());
        for key in [list, "scanDepth", "tokenBudget", "recursiveScanning", "type", "ver", "kind"] {
            map.remove(key);
        }
        let mut card = sorted(&whole, &BOOK);
        card["scan_depth"] = depth.into();
        card["recursive_scanning"] = is_recursive.into();
        if let Some(budget) = budget {
            card["token_budget"] = budget.into();
        }
        card["entries"] = entries.into();
        card
    }
}

/// The entries of a book, and the name of their field. Some programs write only the list.
pub(crate) fn list_of(book: &Value) -> (&'static str, &Value) {
    let name = if book["type"] == "risu" && book["data"].is_array() { "data" } else { "entries" };
    if book.is_array() { ("", book) } else { (name, &book[name]) }
}

/// Keeps the fields with these names and moves the others under `extensions`.
fn sorted(value: &Value, names: &[&str]) -> Value {
    let (mut own, mut others) = (Map::new(), Map::new());
    for (key, value) in fields(value) {
        let place = if names.contains(&key.as_str()) { &mut own } else { &mut others };
        place.insert(key.clone(), value.clone());
    }
    let extensions = object(own.entry("extensions").or_insert_with(|| json!({})));
    for (key, value) in others {
        extensions.entry(key).or_insert(value);
    }
    own.into()
}

/// Converts a keyword of Agnai to a key: `*` matches letters and `?` one letter, as in its `createRegexForKeyword`.
fn with_wildcards(key: &str) -> String {
    let key = key.trim();
    if !key.contains(['*', '?']) {
        return key.to_owned();
    }
    let pattern: String = key.chars().filter(|c| !"\\^$+.()|[]{}_/".contains(*c)).collect();
    format!("/\\b({})\\b/i", pattern.replace('*', "\\w*").replace('?', "\\w"))
}

/// Splits keys at commas. An expression may contain commas.
fn parts(raw: &Value, key: &str, is_expression: bool) -> Value {
    let text = text(raw, key).unwrap_or_default();
    let mut keys: Vec<String> = Vec::new();
    let mut is_open = false;
    for part in text.split(',') {
        match keys.last_mut().filter(|_| is_open) {
            Some(key) => key.extend([",", part]),
            None => keys.push(part.to_owned()),
        }
        is_open = is_expression && keys.last().is_some_and(|key| !super::Key::looks_like_expression(key));
    }
    keys.iter().map(|key| key.trim()).filter(|key| !key.is_empty()).collect()
}

/// Whether an entry of NovelAI belongs to a disabled category.
fn is_in_closed_category(book: &Value, raw: &Value) -> bool {
    text(raw, "category").is_some_and(|wanted| {
        items(book, "categories")
            .iter()
            .any(|it| text(it, "id").as_ref() == Some(&wanted) && truth(it, "enabled") == Some(false))
    })
}
