//! Nicknames in several languages (MP5). The table contains only nicknames that no rule derives well; prefixes of three
//! letters or more ("Kath") are matched without it.

use std::{collections::HashMap, sync::OnceLock};

/// One given name per line, then its nicknames, in lower case and without accents.
static TABLE: &str = include_str!("nicknames.txt");

/// The nicknames of a given name, and the given names of a nickname: "Liz" for "Elizabeth" and the reverse. The name is
/// in lower case and without accents.
///
/// ```
/// use greenroom_lang::nicknames_of;
///
/// assert!(nicknames_of("elizabeth").contains(&"liz") && nicknames_of("liz").contains(&"elizabeth"));
/// assert!(nicknames_of("table").is_empty());
/// ```
pub fn nicknames_of(name: &str) -> &'static [&'static str] {
    static NAMES: OnceLock<HashMap<&'static str, Vec<&'static str>>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let mut names: HashMap<_, Vec<_>> = HashMap::new();
        for (given, nicknames) in TABLE.lines().filter_map(|line| line.split_once(':')) {
            for nickname in nicknames.split_whitespace() {
                names.entry(given).or_default().push(nickname);
                names.entry(nickname).or_default().push(given);
            }
        }
        names
    });
    names.get(name).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold;

    #[test]
    fn the_table_is_in_lower_case_sorted_and_without_accents() {
        assert!(TABLE.lines().is_sorted());
        for line in TABLE.lines() {
            let (given, nicknames) = line.split_once(": ").unwrap();
            for name in nicknames.split(' ').chain([given]) {
                assert!(name.len() > 2 && *name == fold(&name.to_lowercase()) && name.is_ascii(), "{line}");
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{line}");
            }
            assert!(!nicknames.split(' ').any(|nickname| nickname == given), "{line}");
        }
    }
}
