//! Every format at both positions, assembled and counted again with the model's own tokenizer.

use greenroom_context::{
    Assembled, Assembly, Counts, HistoryEntry, LARGER_WINDOW, Layout, Measure, MemoryBlock, ModelProfile,
    QuarterCounter, TokenCounter, assemble, count_request, o200k,
};
use greenroom_core::{Outcome, Role, Section};
use proptest::{collection::vec, prelude::*};

use super::*;

const PROMPT: &str = "You are Ada.";
const FORMATS: [Render; 6] = [
    Render::Relevant,
    Render::Recalled,
    Render::Attributed,
    Render::LongTerm,
    Render::Tiers,
    Render::Template,
];

fn assembled(block: &MemoryBlock, budget: usize, window: usize) -> Assembled {
    let said = |(n, text): (usize, &str)| HistoryEntry::new(MessageId(100 + n as i64), Role::User, text);
    let history: Vec<HistoryEntry> = ["hello", "how is Mia?"].into_iter().enumerate().map(said).collect();
    let profile = ModelProfile { window, counter: o200k(), layout: Layout::Standard };
    let counts = Counts::of(&*profile.counter, &history, &[]);
    let assembly = Assembly {
        model: "test",
        profile: &profile,
        larger: LARGER_WINDOW,
        reserve: 0,
        system: PROMPT,
        character: &Default::default(),
        project: &[],
        project_budget: 0,
        memories: block,
        memory_budget: budget,
        summary: None,
        history: &history,
        trigger: 1,
        rounds: &[],
        tools: &[],
        counts: &counts,
    };
    assemble(&assembly).unwrap()
}

/// The block as it is in a request.
fn shown(request: &Assembled, place: MemoryPlace) -> String {
    match place {
        MemoryPlace::System => {
            let system = &request.messages[0].content;
            system.strip_prefix(PROMPT).unwrap().trim_start_matches('\n').to_owned()
        }
        MemoryPlace::AfterHistory => {
            let messages = &request.messages;
            let apart = messages.len() == 4 || messages.len() == 3 && messages[1].content != "hello";
            if apart { messages[messages.len() - 2].content.clone() } else { String::new() }
        }
    }
}

fn items() -> impl Strategy<Value = Recalled> {
    let tier = prop::sample::select(vec![Tier::Semantic, Tier::Episodic, Tier::Conversation]);
    let trust = prop::sample::select(vec![Trust::Stranger, Trust::Persona, Trust::Operator]);
    let item =
        (prop::option::weighted(0.8, tier), trust, "(\\PC{0,3}|[a-z]{1,8} |<|\"|\n){0,40}", 0.0f32..1.0);
    vec(item, 0..12).prop_map(|items| {
        let item = |(n, (tier, trust, text, score)): (usize, (Option<Tier>, Trust, String, f32))| {
            let item = match tier {
                Some(tier) => match of_tier(tier, &text, trust) {
                    Item::Memory(memory) => Item::Memory(Memory { id: MemoryId(n as i64), ..memory }),
                    message => message,
                },
                None => message("Jo", &text),
            };
            (item, score)
        };
        recalled(items.into_iter().enumerate().map(item).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn gr4_fg14_jv7_every_format_keeps_its_budget_whole_in_both_places(
        recalled in items(),
        format in prop::sample::select(FORMATS.to_vec()),
        place in prop::sample::select(vec![BlockPlace::System, BlockPlace::AfterHistory]),
        budget in 0usize..400,
        window in 60usize..1_000,
    ) {
        let settings = MemorySettings { place, ..templated("I know:\n{% for m in memories %}* {{ m.text }}\n{% endfor %}") };
        let settings = MemorySettings { render: format, ..settings };
        let block = render(&recalled, &settings, &TimeZone::UTC);
        let request = assembled(&block, budget, window);
        let used = request.receipt.budget;
        prop_assert_eq!(used.total_tokens, count_request(&*o200k(), &request.messages, &[]));
        prop_assert!(used.total_tokens <= window);

        let text = shown(&request, block.place);
        let measured = match block.measure {
            Measure::Tokens => used.memory_tokens,
            Measure::Quarters => QuarterCounter.count(&text),
        };
        prop_assert!(budget == 0 || measured <= budget, "{measured} of {budget}: {text}");
        // Entries that the receipt reports as kept are in the request completely, and no others.
        let is_kept = |id: &str| request.receipt.items.iter().any(|item| {
            item.section == Section::Memories && item.id == id && item.outcome == Outcome::Kept
        });
        let count = block.entries.iter().filter(|entry| is_kept(&entry.id)).count();
        prop_assert_eq!(text.is_empty(), count == 0);
        if format != Render::Tiers && block.entries.iter().all(|entry| entry.message.is_none()) {
            let kept: Vec<usize> = (0..count).collect();
            let expected = match &block.template {
                Some(template) => template.fill(&kept).unwrap(),
                None => block.text(&kept),
            };
            prop_assert!(count == 0 || text == expected, "in order, and the first that does not fit ends it");
        }
        // Renders and assembles again from the beginning (WB9).
        let again = render(&recalled, &settings, &TimeZone::UTC);
        prop_assert_eq!(assembled(&again, budget, window), request);
    }

    #[test]
    fn bd9_an_empty_memory_leaves_the_bytes_as_they_are(
        format in prop::sample::select(FORMATS.to_vec()),
        place in prop::sample::select(vec![BlockPlace::System, BlockPlace::AfterHistory]),
        budget in 0usize..400,
    ) {
        let settings = MemorySettings { place, ..templated("always something") };
        let settings = MemorySettings { render: format, ..settings };
        let with = assembled(&render(&Recalled::default(), &settings, &TimeZone::UTC), budget, 500);
        prop_assert_eq!(with, assembled(&MemoryBlock::default(), budget, 500));
    }
}
