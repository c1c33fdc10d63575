//! Import, export and another import give the same data (PF2).

use greenroom_formats::{Carrier, Imported, Source, detect, is_lossless};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::samples::{all, archives, card_v2};

#[test]
fn pf2_every_sample_comes_back_the_same() {
    for (name, bytes) in all().into_iter().chain(archives()) {
        let source = detect(name, &bytes).unwrap();
        assert_eq!(is_lossless(source.clone()), Ok(true), "{name}");
        for imported in Imported::all(source.clone()) {
            assert_eq!(Source::from_json(&imported.source.to_json()).unwrap().data, source.data, "{name}");
        }
    }
}

#[test]
fn pf2_a_picture_with_two_different_cards_keeps_both() {
    let source = detect("v2.json", card_v2().to_string().as_bytes()).unwrap();
    let source = Source { carrier: Carrier::Png, beside: Some(json!({ "name": "other" })), ..source };
    assert_eq!(is_lossless(source.clone()), Ok(true));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "[ -~\\n\\t]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|map| Value::from(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    /// Any value in any field.
    #[test]
    fn pf2_any_value_in_any_field_is_kept(sample in 0usize..27, fields in prop::collection::vec((any::<prop::sample::Index>(), value()), 0..4), extra in value()) {
        let (name, bytes) = all().swap_remove(sample);
        let mut source = detect(name, &bytes).unwrap();
        if let Some(object) = source.data.as_object_mut().filter(|object| !object.contains_key("body")) {
            let keys: Vec<String> = object.keys().filter(|key| !key.ends_with(".md")).cloned().collect();
            for (at, value) in fields.into_iter().filter(|_| !keys.is_empty()) {
                object.insert(at.get(&keys).clone(), value);
            }
            object.insert("zz_unheard_of".into(), extra);
        }
        // the changed file as an import reads it
        let text = source.data.to_string();
        if let Ok(changed) = detect(name, text.as_bytes()) {
            for imported in Imported::all(changed.clone()) {
                prop_assert!(imported.character.to_markdown().len() < 1 << 20);
            }
            prop_assert_eq!(is_lossless(changed.clone()), Ok(true), "{}", text);
        }
    }
}
