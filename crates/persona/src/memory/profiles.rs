//! The profiles: presets of memory settings, each with the numbers of a seed.
//!
//! In the order of layers, a profile is just above the built-in defaults. So a value in a file, the environment or a
//! flag overrides it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    BlockPlace, CaptureSettings, Follow, HydeSettings, MemorySettings, Render, SourceName, SourceSettings,
    Strategy,
};

/// The budget of the block of `tiers`, including tags: for a large and for a small model (JV7).
const TIERS_BUDGET: usize = 600;
const TIERS_SMALL_BUDGET: usize = 200;

/// A preset of memory settings; the seeds' own numbers stand behind the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The best of all: hybrid recall of messages, memories, notes, events and summaries, 1200 tokens.
    #[default]
    Default,
    /// 3 memories at 0.5 or above for the user's latest message, no past messages (BD).
    RecallVisible,
    /// Memories and messages by rank for the last few messages; the context fills up and says so (WB).
    Assembler,
    /// 5 past messages at 0.3 or above and 10 memories by rank (AS).
    Knowledge,
    /// What a small model thinks a relevant memory might say is searched for (FG).
    Hyde,
    /// Preferences always, related events, recent conversations, in 600 tokens (JV).
    Tiers,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 6] =
        [Self::Default, Self::RecallVisible, Self::Assembler, Self::Knowledge, Self::Hyde, Self::Tiers];

    /// The name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::RecallVisible => "recall-visible",
            Self::Assembler => "assembler",
            Self::Knowledge => "knowledge",
            Self::Hyde => "hyde",
            Self::Tiers => "tiers",
        }
    }

    /// The settings that the profiles have in common. Every profile changes some of them.
    fn common(self) -> MemorySettings {
        MemorySettings {
            profile: self,
            enabled: true,
            auto_retrieve: true,
            follow: Follow::Person,
            strategy: Strategy::Hybrid,
            window: 4,
            budget_tokens: 1200,
            small_budget: None,
            knowledge: SourceSettings::ranked(10),
            notes: SourceSettings::ranked(10),
            events: SourceSettings::above(5, 0.3),
            summaries: SourceSettings::above(3, 0.3),
            messages: SourceSettings::above(10, 0.3),
            focus: 0.0,
            order: SourceName::ALL.to_vec(),
            hops: 1,
            render: Render::Relevant,
            template: None,
            place: BlockPlace::System,
            witness: true,
            summarise_history: true,
            deadline: Duration::from_secs(2),
            time_zone: None,
            hyde: HydeSettings::default(),
            capture: CaptureSettings::default(),
        }
    }

    /// The settings of the profile.
    pub fn settings(self) -> MemorySettings {
        let off = SourceSettings::ranked(0);
        let all = self.common();
        match self {
            // MP3: one threshold for all sources; `focus` drops items that only share a word with the question
            Self::Default => MemorySettings {
                focus: 0.75,
                knowledge: SourceSettings::above(10, 0.3),
                notes: SourceSettings::above(10, 0.3),
                ..all
            },
            // BD1 to BD4: the latest message only; three lines need no budget. It has no notes about people, so their
            // statements stay in the channel.
            Self::RecallVisible => MemorySettings {
                follow: Follow::Channel,
                strategy: Strategy::Latest,
                window: 1,
                budget_tokens: 0,
                knowledge: SourceSettings::above(3, 0.5),
                notes: off,
                events: off,
                summaries: off,
                messages: off,
                hops: 0,
                render: Render::Recalled,
                ..all
            },
            // WB6 to WB8, WB14: the seed names no numbers, so this uses those of AS without its threshold. The same
            // applies to notes.
            Self::Assembler => MemorySettings {
                follow: Follow::Channel,
                strategy: Strategy::Window,
                notes: off,
                events: off,
                summaries: off,
                messages: SourceSettings::ranked(5),
                hops: 0,
                summarise_history: false,
                ..all
            },
            // AS1 to AS3, AS11: the latest message only, and notes about the user
            Self::Knowledge => MemorySettings {
                strategy: Strategy::Latest,
                window: 1,
                events: off,
                summaries: off,
                messages: SourceSettings::above(5, 0.3),
                hops: 0,
                render: Render::Attributed,
                ..all
            },
            // FG5 to FG8, FG12 to FG14: memories of every tier ranked together, as many as five hypotheses with ten
            // hits each can return.
            Self::Hyde => MemorySettings {
                strategy: Strategy::Hyde,
                window: 50,
                budget_tokens: 0,
                knowledge: SourceSettings::ranked(50),
                notes: SourceSettings::ranked(50),
                events: SourceSettings::ranked(50),
                summaries: SourceSettings::ranked(50),
                messages: off,
                render: Render::LongTerm,
                ..all
            },
            // JV5 to JV8: all preferences that fit the budget; events that are related to the message; conversations by
            // recency.
            Self::Tiers => MemorySettings {
                window: 1,
                budget_tokens: TIERS_BUDGET,
                small_budget: Some(TIERS_SMALL_BUDGET),
                knowledge: SourceSettings::ranked(100),
                notes: SourceSettings::ranked(100),
                events: SourceSettings::above(10, 0.3),
                summaries: SourceSettings::ranked(10),
                messages: off,
                hops: 0,
                render: Render::Tiers,
                capture: CaptureSettings { tool_results: true, ..CaptureSettings::default() },
                ..all
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bd2_bd3_the_visible_profile_recalls_three_memories_at_one_half() {
        let settings = Profile::RecallVisible.settings();
        assert_eq!(settings.knowledge, SourceSettings::above(3, 0.5));
        let others = [settings.notes, settings.events, settings.summaries, settings.messages];
        assert!(others.iter().all(|source| source.limit == 0));
    }

    #[test]
    fn bd1_bd4_the_visible_profile_takes_the_latest_message_and_its_own_format() {
        let settings = Profile::RecallVisible.settings();
        assert_eq!((settings.strategy, settings.window), (Strategy::Latest, 1));
        assert_eq!((settings.render, settings.hops), (Render::Recalled, 0));
    }

    #[test]
    fn wb6_wb8_wb14_the_assembler_takes_the_last_few_messages_and_summarises_nothing() {
        let settings = Profile::Assembler.settings();
        assert_eq!((settings.strategy, settings.window), (Strategy::Window, 4));
        assert_eq!(settings.render, Render::Relevant);
        assert!(!settings.summarise_history, "a full context is said, not hidden");
    }

    #[test]
    fn wb7_the_assembler_searches_the_channel_and_what_holds_everywhere() {
        let settings = Profile::Assembler.settings();
        assert!(settings.knowledge.limit > 0 && settings.messages.limit > 0);
        assert_eq!((settings.notes.limit, settings.events.limit, settings.summaries.limit), (0, 0, 0));
    }

    #[test]
    fn as1_the_knowledge_profile_takes_messages_knowledge_and_user_notes() {
        let settings = Profile::Knowledge.settings();
        assert!([settings.messages, settings.knowledge, settings.notes].iter().all(|s| s.limit > 0));
        assert_eq!((settings.strategy, settings.window), (Strategy::Latest, 1));
        assert_eq!(settings.render, Render::Attributed);
    }

    #[test]
    fn as2_as3_messages_have_a_threshold_and_knowledge_has_none() {
        let settings = Profile::Knowledge.settings();
        assert_eq!(settings.messages, SourceSettings::above(5, 0.3));
        assert_eq!(settings.knowledge, SourceSettings::ranked(10));
    }

    #[test]
    fn mp3_all_sources_of_the_default_profile_have_one_threshold() {
        let settings = Profile::Default.settings();
        assert!(SourceName::ALL.iter().all(|source| settings.source(*source).threshold == Some(0.3)));
    }

    #[test]
    fn mp1_what_a_person_says_follows_them_where_a_profile_has_notes_about_people() {
        for profile in Profile::ALL {
            let settings = profile.settings();
            let follow = if settings.notes.limit > 0 { Follow::Person } else { Follow::Channel };
            assert_eq!(settings.follow, follow, "{profile:?}");
        }
        assert_eq!(MemorySettings::default().follow, Follow::Person);
    }

    #[test]
    fn fg5_five_hypotheses_are_written() {
        let settings = Profile::Hyde.settings();
        assert_eq!((settings.strategy, settings.hyde.hypotheses), (Strategy::Hyde, 5));
    }

    #[test]
    fn fg6_ten_hits_each_and_none_of_their_union_is_cut_off() {
        let settings = Profile::Hyde.settings();
        assert_eq!(settings.hyde.top_k, 10);
        for source in [settings.knowledge, settings.notes, settings.events, settings.summaries] {
            assert_eq!(source, SourceSettings::ranked(settings.hyde.hypotheses * settings.hyde.top_k));
        }
        assert_eq!(settings.messages.limit, 0);
    }

    #[test]
    fn fg7_fg13_fg14_one_hop_long_term_entries_and_no_budget() {
        let settings = Profile::Hyde.settings();
        assert_eq!((settings.hops, settings.render, settings.budget_tokens), (1, Render::LongTerm, 0));
    }

    #[test]
    fn fg8_recall_has_two_seconds_in_every_profile() {
        for profile in Profile::ALL {
            assert_eq!(profile.settings().deadline, Duration::from_secs(2));
            assert_eq!(profile.settings().profile, profile);
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.as_str());
        }
    }

    #[test]
    fn jv6_preferences_come_always_and_events_when_they_are_related() {
        let settings = Profile::Tiers.settings();
        for preferences in [settings.knowledge, settings.notes] {
            assert_eq!(preferences, SourceSettings::ranked(100));
        }
        assert_eq!(settings.events, SourceSettings::above(10, 0.3));
        assert_eq!(settings.summaries, SourceSettings::ranked(10));
        assert_eq!(settings.render, Render::Tiers);
    }

    #[test]
    fn jv7_600_tokens_for_large_models_and_200_for_small_ones() {
        let tiers = Profile::Tiers.settings();
        let budgets = [200_000, 16_000, 15_999, 4_096].map(|window| tiers.budget_for(window));
        assert_eq!(budgets, [600, 600, 200, 200]);
        assert_eq!(Profile::Default.settings().budget_for(4_096), 1_200);
        assert_eq!(Profile::Hyde.settings().budget_for(4_096), 0);
    }

    #[test]
    fn jv1_jv2_jv4_jv10_the_tiers_profile_captures_without_a_model() {
        let capture = Profile::Tiers.settings().capture;
        assert!(capture.sessions && capture.preferences && capture.tool_results);
        assert!(!capture.facts, "extraction by pattern costs no model call (JV10)");
    }

    #[test]
    fn gr5_every_profile_puts_its_block_into_the_system_message() {
        assert!(Profile::ALL.iter().all(|p| p.settings().place == BlockPlace::System));
    }

    #[test]
    fn a_source_the_order_leaves_out_follows_in_the_usual_order() {
        let order = vec![SourceName::Messages, SourceName::Notes];
        let settings = MemorySettings { order, ..MemorySettings::default() };
        let all = ["messages", "notes", "knowledge", "events", "summaries"];
        assert_eq!(serde_json::to_value(settings.sources()).unwrap(), serde_json::json!(all));
    }
}
