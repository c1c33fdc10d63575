//! Converts raw data to a [`Lorebook`]. The formats have different names for the same fields, and files mix them.

use serde_json::Value;

use super::{
    Entry, Key, Logic, Lorebook, LorebookProgram, Position, Speaker, decorators, key::MAX_EXPRESSIONS,
    list_of,
};
use crate::{
    receipt::Ledger,
    value::{count, fields, integer, is_empty, number, text, texts, truth},
};

/// The default number of searched messages, as in SillyTavern.
const SCAN_DEPTH: usize = 2;
/// The depth of SillyTavern's author's note. Some positions refer to it.
const NOTE_DEPTH: usize = 4;
/// The position of entries that only a macro inserts into a prompt.
const OUTLET: i64 = 7;
/// The most entries of one book, and the most keys of one entry.
const MAX_ENTRIES: usize = 5_000;
const MAX_KEYS: usize = 200;
/// The most keys of one book. The largest lorebooks have some thousands.
const MAX_KEYS_OF_BOOK: usize = 50_000;

impl Lorebook {
    /// Reads a book. `prefix`: its path in the receipt. `None` if there are no entries.
    pub(crate) fn read(data: &Value, prefix: &str, ledger: &mut Ledger) -> Option<Self> {
        let data = if data.get("spec").is_some() { data.get("data").unwrap_or(data) } else { data };
        let maker = LorebookProgram::of(data);
        let (list, entries) = list_of(data);
        let entries: Vec<(String, &Value)> = match entries {
            Value::Null => return None,
            Value::Array(items) => items.iter().enumerate().map(|(n, item)| (n.to_string(), item)).collect(),
            object => fields(object).map(|(uid, item)| (uid.clone(), item)).collect(),
        };
        let either = |one: &str, other: &str| count(data, one).or_else(|| count(data, other));
        let recursive = truth(data, "recursive_scanning").or_else(|| truth(data, "recursiveScanning"));
        let mut book = Self {
            name: text(data, "name").unwrap_or_else(|| "lorebook".into()),
            scan_depth: either("scan_depth", "scanDepth")
                .unwrap_or(maker.map_or(SCAN_DEPTH, LorebookProgram::scan_depth)),
            token_budget: either("token_budget", "tokenBudget").filter(|tokens| *tokens > 0),
            // SillyTavern's default
            recursive: recursive.unwrap_or(maker.is_none_or(LorebookProgram::is_recursive)),
            entries: Vec::new(),
        };
        if entries.len() > MAX_ENTRIES {
            ledger.kept(
                &format!("{prefix}{list}"),
                format!("the first {MAX_ENTRIES} of {} are used", entries.len()),
            );
        }
        // RisuAI stores in cards whether keys match whole words only
        let extensions = data.get("extensions").unwrap_or(&Value::Null);
        let whole = truth(extensions, "risu_fullWordMatching").unwrap_or(true);
        let (mut expressions, mut keys) = (0, 0);
        for (id, raw) in entries.into_iter().take(MAX_ENTRIES) {
            let place = format!("{prefix}{list}[{id}]");
            let renamed = maker.map(|maker| maker.entry(raw));
            let entry = renamed.as_ref().unwrap_or(raw);
            let reason = maker.and_then(|maker| maker.no_effect(data, raw)).or_else(|| no_effect(entry));
            if let Some(reason) = reason {
                ledger.kept(&place, reason);
                continue;
            }
            if keys > MAX_KEYS_OF_BOOK {
                ledger.kept(&place, format!("the entries before it have {MAX_KEYS_OF_BOOK} keys"));
                continue;
            }
            let mut refused = Vec::new();
            let read = Entry::read(&id, entry, whole, &mut expressions, &mut refused);
            keys += read.keys.len() + read.secondary.len();
            account(&read, entry, refused, &place, maker, ledger);
            book.entries.push(read);
        }
        if let Some(maker) = maker {
            maker.account(data, prefix, ledger);
        }
        Some(book)
    }
}

/// The reason why an entry can never be activated.
fn no_effect(entry: &Value) -> Option<&'static str> {
    let host = entry.get("extensions").unwrap_or(&Value::Null);
    let kinds = [texts(entry, "triggers"), texts(host, "triggers")].concat();
    match () {
        () if truth(entry, "enabled") == Some(false) || truth(entry, "disable") == Some(true) => {
            Some("the entry is switched off")
        }
        () if text(entry, "content").is_none() => Some("the entry has no text"),
        () if !kinds.is_empty() && !kinds.iter().any(|kind| kind == "normal") => {
            Some("the entry is not for ordinary replies")
        }
        () if integer(host, "position").or_else(|| integer(entry, "position")) == Some(OUTLET) => {
            Some("the entry is for a macro {{outlet::…}}, which is not expanded")
        }
        () => None,
    }
}

/// Adds the receipt's lines about an entry: one for the entry, and one for each part without effect. `refused`: its
/// unusable keys with the reasons.
fn account(
    entry: &Entry,
    raw: &Value,
    refused: Vec<(String, String)>,
    place: &str,
    maker: Option<LorebookProgram>,
    ledger: &mut Ledger,
) {
    if !entry.can_enter() {
        let reasons: Vec<String> = refused.into_iter().map(|(_, reason)| reason).take(3).collect();
        match reasons.is_empty() {
            false => ledger.refused(place, format!("{}; the entry has no other key", reasons.join("; "))),
            true => ledger.kept(place, "the entry has no key, and it is not `constant`"),
        }
        return;
    }
    if entry.probability == 0 {
        ledger.kept(place, "its probability is 0, so nothing triggers it");
        return;
    }
    if entry.decorators.dont_activate {
        ledger.kept(place, "`@@dont_activate`, so nothing triggers it");
        return;
    }
    ledger.effective(place, format!("lorebook entry “{}”", entry.name));
    for (key, reason) in refused {
        let (name, number) = key.split_at(key.find('[').unwrap_or(key.len()));
        let name = maker.map_or(name, |maker| maker.own_name(name));
        ledger.refused(&format!("{place}.{name}{number}"), reason);
    }
    let decorators = &entry.decorators.unknown;
    if !decorators.is_empty() {
        let names = decorators.join(", ");
        ledger.kept(&format!("{place}.content"), format!("decorators without effect: {names}"));
    }
    let host = raw.get("extensions").unwrap_or(&Value::Null);
    for field in without_effect(raw, host) {
        ledger.kept(&format!("{place}.{field}"), "a field of another program without effect here");
    }
    let is_known = |key: &str| is_known(key) || maker.is_some_and(|maker| maker.is_other(key));
    let unknown = |(key, value): &(&String, &Value)| !is_known(key) && !is_empty(value);
    let own = fields(raw).filter(unknown).map(|(key, _)| key.clone());
    let others = fields(host).filter(unknown).map(|(key, _)| format!("extensions.{key}"));
    for field in own.chain(others).take(MAX_UNKNOWN) {
        ledger.kept(&format!("{place}.{field}"), "Greenroom does not know this field");
    }
}

/// The most unknown fields of one entry that are listed.
const MAX_UNKNOWN: usize = 10;
/// Known fields of an entry in any format, in lower case without `_`. [`without_effect`] lists those without effect
/// here. A name, a number and a comment are parts of the entry.
const KNOWN: [&str; 50] = [
    "key",
    "keys",
    "keysecondary",
    "secondarykeys",
    "content",
    "extensions",
    "enabled",
    "disable",
    "insertionorder",
    "order",
    "casesensitive",
    "useregex",
    "name",
    "comment",
    "priority",
    "id",
    "uid",
    "selective",
    "selectivelogic",
    "constant",
    "position",
    "depth",
    "role",
    "scandepth",
    "probability",
    "useprobability",
    "group",
    "groupoverride",
    "groupweight",
    "sticky",
    "cooldown",
    "delay",
    "excluderecursion",
    "preventrecursion",
    "delayuntilrecursion",
    "matchwholewords",
    "triggers",
    "addmemo",
    "displayindex",
    // fields of Janitor AI, which writes keys twice
    "keysraw",
    "keywordsraw",
    "keysecondaryraw",
    "inclusiongroupraw",
    "minmessages",
    "category",
    "tags",
    // fields in cards of RisuAI
    "risucasesensitive",
    "risuactivationpercent",
    "risulorecache",
    "risubookversion",
];

/// Whether a field of an entry is known, with or without effect.
fn is_known(key: &str) -> bool {
    let plain = key.replace('_', "").to_lowercase();
    KNOWN.contains(&plain.as_str()) || has_no_effect(&plain)
}

impl Entry {
    /// Whether anything can trigger the entry.
    fn can_enter(&self) -> bool {
        self.constant || self.decorators.activate || self.keys.iter().any(|key| !key.is_refused())
    }

    fn read(
        id: &str,
        raw: &Value,
        whole: bool,
        expressions: &mut usize,
        refused: &mut Vec<(String, String)>,
    ) -> Self {
        // SillyTavern stores its own fields of a card's entry under `extensions`
        let nothing = Value::Null;
        let host = raw.get("extensions").unwrap_or(&nothing);
        let num =
            |names: &[&str]| names.iter().find_map(|name| count(raw, name).or_else(|| count(host, name)));
        let flag =
            |names: &[&str]| names.iter().find_map(|name| truth(raw, name).or_else(|| truth(host, name)));
        let (decorators, content) = decorators::strip(&text(raw, "content").unwrap_or_default());
        let case_sensitive = flag(&["case_sensitive", "caseSensitive"]).unwrap_or(false);
        let whole =
            decorators.whole.or_else(|| flag(&["match_whole_words", "matchWholeWords"])).unwrap_or(whole);
        // SillyTavern writes `use_regex` into each entry, but applies it only to keys in the form of an expression
        let is_tavern = host.get("selectiveLogic").is_some();
        let always_expression = !is_tavern && flag(&["use_regex", "useRegex"]).unwrap_or(false);
        let mut key = |place: String, text: &String| {
            if !(always_expression || Key::looks_like_expression(text)) {
                return Key::words(text.trim(), case_sensitive, whole);
            }
            *expressions += 1;
            let (key, reason) = match *expressions > MAX_EXPRESSIONS {
                true => Key::refused(text, format!("more than {MAX_EXPRESSIONS} expressions in the book")),
                false => Key::expression(text, case_sensitive),
            };
            refused.extend(reason.map(|reason| (place, reason)));
            key
        };
        let mut keys_of = |names: &[&str]| -> Vec<Key> {
            let name = names.iter().find(|name| raw.get(**name).is_some()).unwrap_or(&names[0]);
            let texts = key_texts(raw, names);
            texts
                .iter()
                .take(MAX_KEYS)
                .enumerate()
                .map(|(n, text)| key(format!("{name}[{n}]"), text))
                .collect()
        };
        let keys = keys_of(&["keys", "key"]);
        let secondary = keys_of(&["secondary_keys", "keysecondary"]);
        // an entry of a card is selective only if it says so; an entry of a World Info file always is
        let selective = flag(&["selective"]).unwrap_or(raw.get("keys").is_none());
        let name = ["name", "comment"].iter().find_map(|field| text(raw, field));
        let name = name.or_else(|| keys.first().map(|key| key.text.clone())).unwrap_or_else(|| id.to_owned());
        let order = integer(raw, "insertion_order").or_else(|| integer(raw, "order")).unwrap_or(100);
        let chance = flag(&["useProbability", "use_probability"]).unwrap_or(true);
        let probability = if chance { num(&["probability"]).unwrap_or(100) as u64 } else { 100 };
        Self {
            name: name.chars().take(80).collect(),
            content,
            position: position(raw, host, &decorators, num(&["depth"])),
            speaker: decorators.speaker.unwrap_or_else(|| speaker(raw, host)),
            order,
            priority: decorators.priority.or_else(|| integer(raw, "priority")).unwrap_or(order),
            keys,
            secondary: if selective { secondary } else { Vec::new() },
            logic: match num(&["selectiveLogic", "selective_logic"]) {
                Some(1) => Logic::NotAll,
                Some(2) => Logic::NotAny,
                Some(3) => Logic::AndAll,
                _ => Logic::AndAny,
            },
            constant: flag(&["constant"]).unwrap_or(false),
            scan_depth: decorators.scan_depth.or_else(|| num(&["scanDepth", "scan_depth"])),
            probability: decorators.probability.unwrap_or(probability).min(100),
            groups: ["group", "inclusionGroupRaw"]
                .iter()
                .find_map(|name| text(raw, name).or_else(|| text(host, name)))
                .map(|names| between_commas(&names))
                .unwrap_or_default(),
            prioritised: flag(&["groupOverride", "group_override"]).unwrap_or(false),
            weight: num(&["groupWeight", "group_weight"]).unwrap_or(100) as u64,
            sticky: num(&["sticky"]).unwrap_or(0),
            cooldown: num(&["cooldown"]).unwrap_or(0),
            delay: num(&["delay", "minMessages"]).unwrap_or(0),
            exclude_recursion: decorators.exclude_recursion
                || flag(&["excludeRecursion", "exclude_recursion"]).unwrap_or(false),
            prevent_recursion: decorators.prevent_recursion
                || flag(&["preventRecursion", "prevent_recursion"]).unwrap_or(false),
            needs_recursion: needs_recursion(raw, host),
            decorators,
        }
    }
}

/// Whether only the texts of other entries can trigger an entry. Recursion levels are numbers.
fn needs_recursion(raw: &Value, host: &Value) -> bool {
    let is_set =
        |value: &Value| !is_empty(value) && *value != Value::Bool(false) && number_of(value) != Some(0.0);
    ["delayUntilRecursion", "delay_until_recursion"]
        .iter()
        .filter_map(|name| raw.get(name).or_else(|| host.get(name)))
        .any(is_set)
}

/// The keys under the first of these names that has any. Some editors write one text with commas.
pub(crate) fn key_texts(raw: &Value, names: &[&str]) -> Vec<String> {
    let keys = names.iter().map(|name| texts(raw, name)).find(|keys| !keys.is_empty()).unwrap_or_default();
    let is_one_text = names.iter().any(|name| raw[*name].is_string());
    match &keys[..] {
        [one] if is_one_text && !Key::looks_like_expression(one) => between_commas(one),
        _ => keys,
    }
}

fn between_commas(text: &str) -> Vec<String> {
    text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// SillyTavern's fields that are set in an entry but have no effect here.
fn without_effect<'a>(raw: &'a Value, host: &'a Value) -> Vec<&'a str> {
    let is_set = |value: &Value| match value {
        Value::Bool(truth) => *truth,
        Value::Object(fields) => {
            fields.values().any(|field| field.as_array().is_some_and(|list| !list.is_empty()))
        }
        other => !is_empty(other),
    };
    let is_one = |key: &str| has_no_effect(&key.replace('_', "").to_lowercase());
    let set = fields(raw).chain(fields(host)).filter(|(key, value)| is_one(key) && is_set(value));
    set.map(|(key, _)| key.as_str()).take(10).collect()
}

/// Whether a field of another program has no effect here. `plain`: its name in lower case without `_`.
fn has_no_effect(plain: &str) -> bool {
    const NAMES: [&str; 9] = [
        "ignorebudget",
        "usegroupscoring",
        "vectorized",
        "automationid",
        "outletname",
        "activationmode",
        "activationscript",
        "keymatchpriority",
        "prioritizeinclusion",
    ];
    NAMES.contains(&plain)
        || plain.starts_with("characterfilter")
        || plain.starts_with("match") && plain != "matchwholewords"
}

fn number_of(value: &Value) -> Option<f64> {
    number(&serde_json::json!({ "it": value }), "it")
}

fn position(
    raw: &Value,
    host: &Value,
    decorators: &decorators::Decorators,
    depth: Option<usize>,
) -> Position {
    if let Some(depth) = decorators.depth {
        return Position::Depth(depth);
    }
    if let Some(position) = decorators.position {
        return position;
    }
    // in a card, SillyTavern's number under `extensions` is more exact than the word
    let number = integer(host, "position").or_else(|| integer(raw, "position"));
    match number {
        Some(0) => Position::Before,
        Some(1) => Position::After,
        Some(2 | 3) => Position::Depth(NOTE_DEPTH),
        Some(4) => Position::Depth(depth.unwrap_or(NOTE_DEPTH)),
        Some(5) => Position::BeforeExamples,
        Some(6) => Position::AfterExamples,
        _ => match raw.get("position").and_then(Value::as_str).unwrap_or_default() {
            "after_char" | "after_char_defs" => Position::After,
            "at_depth" => Position::Depth(depth.unwrap_or(NOTE_DEPTH)),
            "before_char" | "before_char_defs" => Position::Before,
            // SillyTavern's defaults for a card and for a World Info file
            _ if raw.get("keys").is_some() => Position::After,
            _ => Position::Before,
        },
    }
}

fn speaker(raw: &Value, host: &Value) -> Speaker {
    let role = integer(raw, "role").or_else(|| integer(host, "role"));
    match (role, text(raw, "role").as_deref()) {
        (Some(1), _) | (_, Some("user")) => Speaker::User,
        (Some(2), _) | (_, Some("assistant")) => Speaker::Assistant,
        _ => Speaker::System,
    }
}
