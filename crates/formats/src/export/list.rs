//! Lists of texts that an import writes below headings of the prompt. Reconstructs these lists after an edit of the
//! prompt. An item whose text is unchanged keeps its original value (PF2, PF7).

use std::{collections::HashMap, ops::Range};

use serde_json::Value;

use crate::value::{as_text, is_empty};

/// The format in which an import writes the items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Each item begins a line.
    Lines,
    /// Each item begins a line with `- `.
    Bullets,
    /// Commas separate the items.
    Commas,
}

impl Form {
    fn joint(self) -> &'static str {
        if self == Self::Commas { ", " } else { "\n" }
    }

    /// The ranges of the non-blank parts of a text, without surrounding spaces.
    fn parts(self, text: &str) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut at = 0;
        for part in text.split(self.joint()) {
            let start = at + part.len() - part.trim_start().len();
            if !part.trim().is_empty() {
                parts.push(start..start + part.trim().len());
            }
            at += part.len() + self.joint().len();
        }
        parts
    }

    /// The text of an item as the import writes it.
    fn written(self, item: &str) -> String {
        let item = item.replace("\r\n", "\n");
        if self == Self::Bullets { format!("- {}", item.trim()) } else { item }
    }

    /// Parses the written text of an item.
    fn read(self, written: &str) -> String {
        let item = (self == Self::Bullets).then(|| written.strip_prefix('-')).flatten();
        item.unwrap_or(written).trim().to_owned()
    }
}

/// An item of a list before the edit.
struct Item {
    list: usize,
    /// Its index in the list. A list that is a single text has one item.
    index: usize,
    parts: Vec<String>,
}

/// An item after the edit. The numbers are those of the items before the edit.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    Kept(usize),
    Changed(usize, String),
    Added(String),
}

/// Reconstructs the lists below one heading after an edit. `lists`: the original lists in order; a missing list is
/// `Null`. Items that follow no other item go into the first list.
pub(super) fn edited(form: Form, lists: &[&Value], text: &str) -> Vec<Value> {
    let items = items(form, lists);
    let mut lists: Vec<Edited<'_>> = lists.iter().map(|before| Edited::new(before)).collect();
    let mut last = 0;
    for entry in entries(form, &items, text) {
        match entry {
            Entry::Kept(number) | Entry::Changed(number, _) => {
                let item = &items[number];
                last = item.list;
                lists[last].pass_to(item.index);
                lists[last].next = item.index + 1;
                match entry {
                    Entry::Changed(_, text) => lists[last].after.push(text.into()),
                    _ => lists[last].keep(item.index),
                }
            }
            Entry::Added(text) => lists[last].after.push(text.into()),
        }
    }
    lists.into_iter().map(|list| list.close(form)).collect()
}

fn items(form: Form, lists: &[&Value]) -> Vec<Item> {
    let mut items = Vec::new();
    for (list, value) in lists.iter().enumerate() {
        let values = value.as_array().map_or(std::slice::from_ref(*value), Vec::as_slice);
        for (index, text) in
            values.iter().enumerate().filter_map(|(index, value)| Some((index, as_text(value)?)))
        {
            let text = form.written(&text);
            let parts = form.parts(&text).into_iter().map(|part| text[part].to_owned()).collect();
            items.push(Item { list, index, parts });
        }
    }
    items
}

/// A list that is being reconstructed.
struct Edited<'a> {
    before: &'a Value,
    after: Vec<Value>,
    /// The index of the first original value that is not handled yet.
    next: usize,
}

impl<'a> Edited<'a> {
    fn new(before: &'a Value) -> Self {
        Self { before, after: Vec::new(), next: 0 }
    }

    fn keep(&mut self, index: usize) {
        self.after.push(self.before.get(index).unwrap_or(self.before).clone());
    }

    /// Keeps the values before an index that the prompt does not show: blank texts and objects.
    fn pass_to(&mut self, index: usize) {
        for (at, value) in
            self.before.as_array().into_iter().flatten().enumerate().take(index).skip(self.next)
        {
            if as_text(value).is_none() {
                self.keep(at);
            }
        }
    }

    /// The finished list. A list that was a single text stays a text.
    fn close(mut self, form: Form) -> Value {
        self.pass_to(usize::MAX);
        if self.before.is_array() {
            return self.after.into();
        }
        match &self.after[..] {
            [] if as_text(self.before).is_none() => self.before.clone(),
            [one] if one == self.before => one.clone(),
            _ if is_empty(self.before) || self.before.is_object() => self.after.into(),
            after => after.iter().filter_map(as_text).collect::<Vec<_>>().join(form.joint()).into(),
        }
    }
}

/// The most items with the same first part that are compared at a position. A hostile file has many (X12).
const MAX_COMPARED: usize = 8;

/// Matches the items with an edited text: first the unchanged ones at its beginning and end, then unchanged ones
/// between in the same order. Changed parts replace the missing items.
fn entries(form: Form, items: &[Item], text: &str) -> Vec<Entry> {
    let places = form.parts(text);
    let parts: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
    let new = |range: Range<usize>| form.read(&text[places[range.start].start..places[range.end - 1].end]);
    let is_at = |item: &Item, at: usize| {
        parts.get(at..at + item.parts.len()).is_some_and(|found| found.iter().eq(&item.parts))
    };
    let (mut first, mut from) = (0, 0);
    while first < items.len() && is_at(&items[first], from) {
        from += items[first].parts.len();
        first += 1;
    }
    let (mut last, mut to) = (items.len(), parts.len());
    while let Some(start) =
        last.checked_sub(1).filter(|it| *it >= first).and_then(|it| to.checked_sub(items[it].parts.len()))
        && start >= from
        && is_at(&items[last - 1], start)
    {
        (last, to) = (last - 1, start);
    }
    let mut starts: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, item) in items.iter().enumerate().take(last).skip(first) {
        starts.entry(item.parts.first().map_or("", String::as_str)).or_default().push(number);
    }
    let mut entries: Vec<Entry> = (0..first).map(Entry::Kept).collect();
    let (mut gap, mut missing, mut at) = (from, first, from);
    while at < to {
        let same = starts.get(parts[at]).and_then(|numbers| {
            let later = &numbers[numbers.partition_point(|number| *number < missing)..];
            let fits =
                |number: &&usize| at + items[**number].parts.len() <= to && is_at(&items[**number], at);
            later.iter().take(MAX_COMPARED).find(fits).copied()
        });
        let Some(same) = same else {
            at += 1;
            continue;
        };
        changed(items, missing..same, gap..at, &new, &mut entries);
        entries.push(Entry::Kept(same));
        at += items[same].parts.len();
        (gap, missing) = (at, same + 1);
    }
    changed(items, missing..last, gap..to, &new, &mut entries);
    entries.extend((last..items.len()).map(Entry::Kept));
    entries
}

/// Matches changed parts with missing items.
fn changed(
    items: &[Item],
    missing: Range<usize>,
    parts: Range<usize>,
    new: &impl Fn(Range<usize>) -> String,
    entries: &mut Vec<Entry>,
) {
    let lengths: Vec<usize> = items[missing.clone()].iter().map(|item| item.parts.len()).collect();
    let is_same_length = lengths.iter().sum::<usize>() == parts.len();
    let is_one = lengths.len() == 1 && lengths[0] > 1 && !parts.is_empty();
    let mut at = parts.start;
    for (number, length) in missing.zip(lengths) {
        let end = match () {
            () if is_one => parts.end,
            () if is_same_length => at + length,
            () => at + 1,
        };
        if end > parts.end {
            break;
        }
        entries.push(Entry::Changed(number, new(at..end)));
        at = end;
    }
    entries.extend((at..parts.end).map(|at| Entry::Added(new(at..at + 1))));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pf7_items_that_were_not_edited_keep_their_values() {
        let bio = json!(["One.", "", 2, "Three\n\nlines, ", {"a": 1}, "Four."]);
        let edit = |text| edited(Form::Lines, &[&bio], text).remove(0);
        assert_eq!(edit("One.\n2\nThree\n\nlines,\nFour."), bio);
        assert_eq!(
            edit("Uno.\n2\nThree\n\nlines,\nFour."),
            json!(["Uno.", "", 2, "Three\n\nlines, ", {"a": 1}, "Four."])
        );
        assert_eq!(
            edit("One.\n2\nThree\n\nrows,\nFour."),
            json!(["One.", "", 2, "Three\n\nrows,", {"a": 1}, "Four."])
        );
        assert_eq!(edit("One.\n2\nFour."), json!(["One.", "", 2, {"a": 1}, "Four."]));
        assert_eq!(
            edit("One.\n2\nNew.\nThree\n\nlines,\nFour."),
            json!(["One.", "", 2, "New.", "Three\n\nlines, ", {"a": 1}, "Four."])
        );
        assert_eq!(edit(""), json!(["", {"a": 1}]));
    }

    #[test]
    fn pf7_two_lists_below_one_heading_stay_two() {
        let (all, chat) = (json!(["a", "b"]), json!(["c", "b "]));
        let edit = |text| edited(Form::Bullets, &[&all, &chat], text);
        assert_eq!(edit("- a\n- b\n- C\n- b"), [all.clone(), json!(["C", "b "])]);
        assert_eq!(edit("- A\n- b\n- c\n- B"), [json!(["A", "b"]), json!(["c", "B"])]);
        assert_eq!(edit("- a\n- c\n- b\n- new"), [json!(["a"]), json!(["c", "b ", "new"])]);
        assert_eq!(edited(Form::Bullets, &[&Value::Null, &Value::Null], "- a"), [json!(["a"]), Value::Null]);
    }

    #[test]
    fn pf7_a_text_stays_a_text() {
        let (topics, none) = (json!("tea, cups, pots"), Value::Null);
        assert_eq!(edited(Form::Commas, &[&topics], "tea, mugs, pots"), [json!("tea, mugs, pots")]);
        assert_eq!(edited(Form::Commas, &[&none], ""), [Value::Null]);
        assert_eq!(edited(Form::Lines, &[&json!("A.")], "A.\nB."), [json!("A.\nB.")]);
    }
}
