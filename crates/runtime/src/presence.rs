//! Tracks who is present in a room, that is, who belongs to its channel (GR2, RM1). A persona is no witness of what was
//! said while it was away.
//!
//! A persona comes when its file or the settings say that it belongs, when it is invited, and when it is addressed. It
//! goes when a person lets it go, when it is stopped, or when its file is removed. Only a persona that was let go stays
//! away until it is invited or addressed again.

use std::collections::BTreeMap;

use greenroom_core::PersonaName;
use greenroom_store::{Departure, JoinReason, Membership, MembershipChange};

/// The members of a channel, as the store knows them.
#[derive(Debug, Default)]
pub(crate) struct PresenceTracker {
    present: BTreeMap<PersonaName, Option<JoinReason>>,
    /// The personas that were present before, how they had come, and why they went.
    away: BTreeMap<PersonaName, (Option<JoinReason>, Option<Departure>)>,
    /// The newest erasure when the members were read. An erased channel loses its presence too.
    pub(crate) erased: i64,
}

impl PresenceTracker {
    /// The presence that was read after this erasure.
    pub(crate) fn of(members: Vec<Membership>, erased: i64) -> Self {
        let mut tracker = Self { erased, ..Self::default() };
        for Membership { persona, via, is_member, ended, .. } in members {
            match is_member {
                true => drop(tracker.present.insert(persona, via)),
                false => drop(tracker.away.insert(persona, (via, ended))),
            }
        }
        tracker
    }

    /// The members.
    pub(crate) fn members(&self) -> impl ExactSizeIterator<Item = &PersonaName> {
        self.present.keys()
    }

    /// The members after a change.
    pub(crate) fn members_after<'a>(
        &'a self,
        change: &'a MembershipChange,
    ) -> impl Iterator<Item = &'a PersonaName> {
        let stays = |name: &&PersonaName| change.leaves.iter().all(|(leaving, _)| leaving != *name);
        self.members().filter(stays).chain(change.joins.iter().map(|(joining, _)| joining))
    }

    pub(crate) fn is_member(&self, persona: &PersonaName) -> bool {
        self.present.contains_key(persona)
    }

    /// Whether a persona is a member, or would be if it were not stopped.
    pub(crate) fn is_stopped(&self, persona: &PersonaName) -> bool {
        let away = self.away.get(persona).is_some_and(|(_, why)| *why == Some(Departure::Stopped));
        away || self.is_member(persona)
    }

    /// Whether a persona belonged here and was let go.
    pub(crate) fn was_let_go(&self, persona: &PersonaName) -> bool {
        matches!(self.away.get(persona), Some((Some(_), Some(Departure::Left))))
    }

    pub(crate) fn via(&self, persona: &PersonaName) -> Option<JoinReason> {
        self.present.get(persona).copied().flatten()
    }

    /// The personas that come and go now. `belonging` names those that belong to the channel by files and settings.
    /// `away` says why a persona cannot be here, if it cannot.
    pub(crate) fn change(
        &self,
        belonging: &[(PersonaName, JoinReason)],
        away: impl Fn(&PersonaName) -> Option<Departure>,
    ) -> MembershipChange {
        let belongs = |persona: &PersonaName| belonging.iter().any(|(name, _)| name == persona);
        let was_let_go =
            |persona: &PersonaName| matches!(self.away.get(persona), Some((_, Some(Departure::Left))));
        let joins = belonging.iter().filter(|(persona, _)| !self.is_member(persona) && !was_let_go(persona));
        // they were invited or addressed, and come back once nothing keeps them away
        let back = self.away.iter().filter_map(|(persona, (via, ended))| {
            let went = matches!(ended, Some(Departure::Stopped | Departure::Removed));
            let via = via.filter(|via| !matches!(via, JoinReason::File | JoinReason::Settings))?;
            (went && !belongs(persona)).then(|| (persona.clone(), via))
        });
        let leaves = self.present.iter().filter_map(|(persona, via)| {
            let stays = belongs(persona) || !matches!(via, Some(JoinReason::File | JoinReason::Settings));
            let why = away(persona).or((!stays).then_some(Departure::Removed))?;
            Some((persona.clone(), why))
        });
        let joins = joins.cloned().chain(back).filter(|(persona, _)| away(persona).is_none());
        MembershipChange { joins: joins.collect(), leaves: leaves.collect() }
    }

    /// Applies a change that is stored.
    pub(crate) fn apply(&mut self, change: MembershipChange) {
        for (persona, via) in change.joins {
            self.away.remove(&persona);
            self.present.entry(persona).or_insert(Some(via));
        }
        for (persona, why) in change.leaves {
            let via = self.present.remove(&persona);
            let away = self.away.entry(persona).or_default();
            *away = (via.unwrap_or(away.0), Some(why));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> PersonaName {
        name.parse().unwrap()
    }

    fn member(who: &str, via: JoinReason, ended: Option<Departure>) -> Membership {
        Membership { persona: name(who), via: Some(via), is_member: ended.is_none(), ended, since: None }
    }

    fn tracker(members: &[(&str, JoinReason, Option<Departure>)]) -> PresenceTracker {
        PresenceTracker::of(members.iter().map(|(who, via, ended)| member(who, *via, *ended)).collect(), 0)
    }

    fn joins(of: &[(&str, JoinReason)]) -> Vec<(PersonaName, JoinReason)> {
        of.iter().map(|(who, via)| (name(who), *via)).collect()
    }

    fn nobody_away(_: &PersonaName) -> Option<Departure> {
        None
    }

    #[test]
    fn rm1_who_belongs_comes_and_who_was_let_go_stays_away() {
        let mut presence = tracker(&[
            ("ada", JoinReason::Addressed, None),
            ("bo", JoinReason::File, Some(Departure::Left)),
            ("kit", JoinReason::Invited, Some(Departure::Stopped)),
            ("wick", JoinReason::File, Some(Departure::Removed)),
        ]);
        let belonging = joins(&[("bo", JoinReason::File), ("vesper", JoinReason::File)]);
        let change = presence.change(&belonging, nobody_away);
        assert_eq!(change.joins, joins(&[("vesper", JoinReason::File), ("kit", JoinReason::Invited)]));
        assert_eq!(change.leaves, []);
        presence.apply(change);
        assert_eq!(
            presence.change(&belonging, nobody_away),
            MembershipChange::default(),
            "costs the store nothing"
        );
        presence
            .apply(MembershipChange { joins: joins(&[("bo", JoinReason::Addressed)]), leaves: Vec::new() });
        assert!(presence.is_member(&name("bo")), "it was addressed");
        presence.apply(MembershipChange {
            joins: Vec::new(),
            leaves: vec![(name("bo"), Departure::Left), (name("never"), Departure::Left)],
        });
        let let_go = ["ada", "bo", "kit", "never"].map(|who| presence.was_let_go(&name(who)));
        assert_eq!(let_go, [false, true, false, false], "who never belonged here is not called back");
    }

    #[test]
    fn rm1_presence_ends_when_a_member_is_stopped_or_what_made_it_one_is_gone() {
        let mut presence = tracker(&[
            ("ada", JoinReason::Addressed, None),
            ("bo", JoinReason::File, None),
            ("kit", JoinReason::Invited, None),
        ]);
        let stopped = |persona: &PersonaName| (persona.as_str() == "kit").then_some(Departure::Stopped);
        let change = presence.change(&[], stopped);
        assert_eq!(change.leaves, [(name("bo"), Departure::Removed), (name("kit"), Departure::Stopped)]);
        presence.apply(change);
        assert_eq!(presence.members().collect::<Vec<_>>(), [&name("ada")]);
        assert_eq!(presence.change(&[], stopped), MembershipChange::default());
        assert_eq!(presence.change(&[], nobody_away).joins, joins(&[("kit", JoinReason::Invited)]));
    }
}
