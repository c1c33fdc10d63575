//! A persona for the unit tests of this crate.

use std::time::Duration;

use greenroom_persona::{
    Answer, LimitSettings, MemorySettings, ModelSettings, Persona, Profile, RoomSettings, SourceSettings,
    Timeouts,
};

/// A persona with the defaults of WB12.
pub(crate) fn persona(name: &str) -> Persona {
    let second = Duration::from_secs(1);
    Persona {
        name: name.parse().unwrap(),
        display_name: name.to_owned(),
        description: String::new(),
        greeting: None,
        prompt: format!("You are {name}."),
        model: ModelSettings {
            name: Some("scripted".into()),
            base_url: None,
            temperature: 0.7,
            max_output_tokens: 4096,
            context_window: None,
            fallback: None,
            retries: 2,
            timeouts: Timeouts {
                connect: 5 * second,
                first_token: 120 * second,
                stall: 30 * second,
                turn: 600 * second,
            },
        },
        memory: MemorySettings {
            profile: Profile::Default,
            enabled: true,
            auto_retrieve: true,
            budget_tokens: 1200,
            window: 3,
            messages: SourceSettings { limit: 5, threshold: Some(0.3) },
            knowledge: SourceSettings { limit: 10, threshold: None },
            deadline: 2 * second,
        },
        room: RoomSettings { answer: Answer::Mentioned, cooldown: 30 * second, talkativeness: 0.4 },
        limits: LimitSettings { tokens_per_hour: 100_000, tool_rounds: 10 },
        tools: vec!["remember".into(), "recall".into()],
        file: format!("personas/{name}.md").into(),
    }
}
