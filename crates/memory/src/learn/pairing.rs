//! Pairing of a file's statements with memories of an earlier import. It compares contents, not places, so that
//! statements may be inserted or moved (PF6).

use std::collections::{HashMap, HashSet};

use greenroom_core::MemoryId;

/// How many memories before and after a changed statement's position are compared with it.
const NEAR: usize = 250;

/// A memory of an earlier import.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'a> {
    pub id: MemoryId,
    pub text: &'a str,
    /// The digest of the statement as it was in the file.
    pub digest: Option<u64>,
    /// Whether a person has corrected the memory since.
    pub is_corrected: bool,
    /// Whether its document could not be read.
    pub is_unread: bool,
}

/// The changes of an import; statements are given by their index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub forget: Vec<MemoryId>,
    pub change: Vec<(MemoryId, usize)>,
    pub add: Vec<usize>,
}

/// Pairs memories with the statements of the file. A memory that a person corrected stays as long as the file's
/// statement is unchanged. A text that is in the file twice is one memory.
pub(super) fn plan(before: &[Before<'_>], now: &[&str]) -> Plan {
    let mut by_text: HashMap<&str, usize> = HashMap::new();
    let mut by_digest: HashMap<u64, usize> = HashMap::new();
    for (n, memory) in before.iter().enumerate() {
        by_text.entry(memory.text).or_insert(n);
        if let Some(digest) = memory.digest.filter(|_| memory.is_corrected) {
            by_digest.entry(digest).or_insert(n);
        }
    }
    let mut stays: HashSet<usize> = HashSet::new();
    let (mut seen, mut fresh) = (HashSet::new(), Vec::new());
    for (n, text) in now.iter().enumerate().filter(|(_, text)| seen.insert(**text)) {
        match by_text.get(text).or_else(|| by_digest.get(&digest(text))) {
            Some(known) => drop(stays.insert(*known)),
            None => fresh.push(n),
        }
    }
    let mut left: Vec<usize> =
        (0..before.len()).filter(|n| !stays.contains(n) && !before[*n].is_unread).collect();
    let mut plan = Plan::default();
    for (at, n) in fresh.into_iter().enumerate() {
        let near = left.iter().enumerate().skip(at.saturating_sub(NEAR)).take(2 * NEAR);
        let versions = near.filter(|(_, old)| !before[**old].is_corrected);
        let alike = versions.map(|(at, old)| (alike(before[*old].text, now[n]), at));
        match alike.max_by_key(|(alike, at)| (*alike, std::cmp::Reverse(*at))) {
            Some((50.., at)) => plan.change.push((before[left.remove(at)].id, n)),
            _ => plan.add.push(n),
        }
    }
    plan.forget.extend(left.into_iter().map(|n| before[n].id));
    plan
}

/// The common prefix and suffix of two texts, in per cent of the longer text.
fn alike(one: &str, other: &str) -> usize {
    let same = |(one, other): &(u8, u8)| one == other;
    let shorter = one.len().min(other.len());
    let begin = one.bytes().zip(other.bytes()).take_while(same).count();
    let end = one.bytes().rev().zip(other.bytes().rev()).take(shorter - begin).take_while(same).count();
    (begin + end) * 100 / one.len().max(other.len()).max(1)
}

/// A hash that stays the same in all versions of Greenroom: FNV-1a.
pub(super) fn digest(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEA: &str = "Tea is brewed at noon.";
    const CATS: &str = "Cats sleep a lot.";

    fn memory(id: i64, text: &str) -> Before<'_> {
        let digest = Some(digest(text));
        Before { id: MemoryId(id), text, digest, is_corrected: false, is_unread: false }
    }

    fn planned(forget: &[i64], change: &[(i64, usize)], add: &[usize]) -> Plan {
        let change = change.iter().map(|(id, n)| (MemoryId(*id), *n)).collect();
        Plan { forget: forget.iter().map(|id| MemoryId(*id)).collect(), change, add: add.to_vec() }
    }

    #[test]
    fn pf6_a_statement_keeps_its_memory_wherever_it_is_in_the_file() {
        let before = [memory(1, TEA), memory(2, CATS)];
        assert_eq!(plan(&before, &[CATS, TEA]), Plan::default());
        assert_eq!(plan(&before, &["Boats float.", TEA, CATS]), planned(&[], &[], &[0]));
        assert_eq!(plan(&before, &[CATS]), planned(&[1], &[], &[]));
        assert_eq!(
            plan(&before, &[CATS, TEA, CATS]),
            Plan::default(),
            "twice in the file, once in the memory"
        );
    }

    #[test]
    fn pf6_a_changed_statement_is_a_new_version_of_its_own_memory() {
        let before = [memory(1, TEA), memory(2, CATS)];
        let now = ["Boats float on water.", "Cats sleep a lot at night.", TEA];
        assert_eq!(plan(&before, &now), planned(&[], &[(2, 1)], &[0]));
        assert_eq!(plan(&before, &["猫はよく眠る。", TEA]), planned(&[2], &[], &[0]));
        let before = [memory(1, "猫はよく眠る。")];
        assert_eq!(plan(&before, &["猫はとてもよく眠る。"]), planned(&[], &[(1, 0)], &[]));
    }

    #[test]
    fn pf6_what_a_person_corrected_stays_as_long_as_the_file_says_the_same() {
        let corrected = Before { text: "Tea is brewed at one.", is_corrected: true, ..memory(1, TEA) };
        assert_eq!(plan(&[corrected], &[CATS, TEA]), planned(&[], &[], &[0]));
        assert_eq!(plan(&[corrected], &["Tea is brewed at two."]), planned(&[1], &[], &[0]));
        assert_eq!(plan(&[corrected], &["Tea is brewed at one."]), Plan::default());
    }

    #[test]
    fn pf6_what_an_unread_document_said_stays_as_it_is() {
        let unread = Before { is_unread: true, ..memory(1, TEA) };
        assert_eq!(plan(&[unread], &["Tea is brewed at one."]), planned(&[], &[], &[0]));
    }
}
