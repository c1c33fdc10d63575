//! For any input, the request fits: counted again from outside with the tokenizer itself.

use std::sync::Arc;

use crate::scene::Scene;
use greenroom_context::{
    AssembleError, BlockTemplate, CharacterBlock, CharacterKind, CharacterPlace, CharacterText,
    EstimateCounter, HistoryEntry, Layout, Measure, MemoryBlock, MemoryEntry, MemoryGroup, MemoryPlace,
    ProjectDocument, QuarterCounter, TokenCounter, count_request, o200k,
};
use greenroom_core::{
    ChatMessage, FRAME, MessageId, Offered, Outcome, Receipt, ReceiptItem, Role, Section, ToolCall,
    ToolSchema,
};
use proptest::{collection::vec, prelude::*};

/// Words, marks, line breaks and all of Unicode, generated from a seed: proptest strategies for each piece would take
/// minutes.
fn text(longest: usize) -> impl Strategy<Value = String> {
    (any::<u64>(), 0..longest).prop_map(|(seed, pieces)| {
        let mut state = seed;
        (0..pieces).map(|_| piece(next(&mut state))).collect()
    })
}

fn piece(dice: u64) -> String {
    const WORDS: [&str; 12] = [
        "the ",
        "green",
        "room ",
        "is ",
        "where ",
        "actors ",
        "wait",
        "Unbelievably ",
        "12345 ",
        "it's ",
        "x",
        "déjà ",
    ];
    const MARKS: [&str; 12] =
        [".", ", ", ";", "://", "'s", "\"{", "}-", "## ", "\n", "\n\n", " \r\n", "\t  "];
    let pick = (dice >> 8) as usize;
    match dice % 8 {
        0..5 => WORDS[pick % WORDS.len()].to_owned(),
        5 | 6 => MARKS[pick % MARKS.len()].to_owned(),
        _ => char::from_u32((dice >> 8) as u32 % 0x11_0000).map(String::from).unwrap_or_default(),
    }
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn history() -> impl Strategy<Value = Vec<HistoryEntry>> {
    vec((any::<bool>(), text(60)), 0..12).prop_map(|lines| {
        let entry = |(n, (own, content)): (usize, (bool, String))| {
            let role = if own { Role::Assistant } else { Role::User };
            HistoryEntry::new(MessageId(n as i64), role, content)
        };
        lines.into_iter().enumerate().map(entry).collect()
    })
}

fn memories() -> impl Strategy<Value = MemoryBlock> {
    let entry = (text(25), prop::option::of(0i64..12), 0.0f32..1.0);
    let place = prop_oneof![Just(MemoryPlace::System), Just(MemoryPlace::AfterHistory)];
    let measure = prop_oneof![Just(Measure::Tokens), Just(Measure::Quarters)];
    let around = (text(5), text(5), any::<bool>(), vec((text(3), text(3), 0usize..5), 0..3), 0u8..4);
    (vec(entry, 0..10), around, place, measure).prop_map(|(entries, around, place, measure)| {
        let (header, footer, spaced, groups, template) = around;
        let entry = |(n, (text, message, score)): (usize, (String, Option<i64>, f32))| MemoryEntry {
            id: format!("m{n}"),
            message: message.map(MessageId),
            reply: false,
            is_from_other_chat: false,
            line: format!("- [fact] {}", text.replace(['\n', '\r'], " ")),
            text,
            score,
        };
        let group = |(open, close, size)| MemoryGroup { open, close, size };
        MemoryBlock {
            header: format!("## {}", header.replace(['\n', '\r'], " ")),
            groups: groups.into_iter().map(group).collect(),
            entries: entries.into_iter().enumerate().map(entry).collect(),
            footer,
            spaced,
            template: (template < 2).then(|| template_of(template == 0)),
            place,
            measure,
        }
    })
}

/// A template whose text grows and shrinks irregularly, or that fails.
fn template_of(works: bool) -> BlockTemplate {
    BlockTemplate::new(move |kept| match works {
        true => Ok(format!("{kept:?}").repeat(kept.len() * 7 % 5)),
        false => Err("it is broken".into()),
    })
}

fn round() -> impl Strategy<Value = ChatMessage> {
    (text(20), any::<bool>(), text(10)).prop_map(|(content, calls, arguments)| match calls {
        true => {
            let call = ToolCall { id: "call_1".into(), name: "recall".into(), arguments };
            ChatMessage { tool_calls: vec![call], ..ChatMessage::new(Role::Assistant, content) }
        }
        false => ChatMessage::tool_result("call_1", content),
    })
}

fn tool() -> impl Strategy<Value = Offered> {
    ("[a-z_]{1,20}", text(12), text(6)).prop_map(|(name, description, about)| {
        let parameters =
            serde_json::json!({ "type": "object", "properties": { "x": { "description": about } } });
        ToolSchema { name, description, parameters }.into()
    })
}

/// Texts of a card and its lorebooks, in every place.
fn character() -> impl Strategy<Value = CharacterBlock> {
    let place = prop_oneof![
        Just(CharacterPlace::BeforePrompt),
        Just(CharacterPlace::AfterPrompt),
        (0usize..6, any::<bool>()).prop_map(|(depth, own)| CharacterPlace::Depth {
            depth,
            role: if own { Role::Assistant } else { Role::User },
        }),
    ];
    let early = (text(20), place, prop::option::of(0usize..4)).prop_map(|(text, place, lore)| {
        (text, place, lore.map_or(CharacterKind::Instruction, CharacterKind::Lore))
    });
    let place = prop_oneof![Just(CharacterPlace::Examples), Just(CharacterPlace::Opening)];
    let spare = (text(20), place).prop_map(|(text, place)| (text, place, CharacterKind::Spare));
    (vec(prop_oneof![early, spare], 0..5), 0usize..200).prop_map(|(texts, lore_budget)| {
        let one = |(n, (text, place, kind))| CharacterText {
            id: format!("c{n}"),
            text,
            place,
            kind,
            reason: "it is there".into(),
        };
        CharacterBlock { texts: texts.into_iter().enumerate().map(one).collect(), lore_budget }
    })
}

prop_compose! {
    fn scene()(
        window in prop_oneof![0usize..300, 200usize..3_000],
        reserve in 0usize..1_000,
        demonstration in prop::bool::weighted(0.3),
        system in text(50),
        character in prop_oneof![2 => Just(CharacterBlock::default()), 1 => character()],
        project in vec(text(120), 0..4),
        project_budget in 0usize..400,
        memories in memories(),
        memory_budget in 0usize..300,
        summary in prop::option::weighted(0.3, text(30)),
        history in history(),
        trigger in any::<prop::sample::Index>(),
        rounds in vec(round(), 0..3),
        tools in vec(tool(), 0..3),
    ) -> Scene {
        let document = |(n, text): (usize, String)| ProjectDocument { path: format!("{n}/AGENTS.md"), text };
        let project = project.into_iter().enumerate().map(document).collect();
        let layout = if demonstration { Layout::Demonstration } else { Layout::Standard };
        let trigger = (!history.is_empty()).then(|| trigger.index(history.len()));
        Scene {
            window, reserve, layout, system, character, project, project_budget, memories, memory_budget, summary, history,
            trigger, rounds, tools, ..Scene::new()
        }
    }
}

/// Counts a request as it is sent, with the tokenizer and the documented overheads alone.
fn recount(messages: &[ChatMessage], tools: &[Offered]) -> usize {
    let count = |text: &str| bpe_openai::o200k_base().count(text);
    let message = |m: &ChatMessage| {
        let calls: usize =
            m.tool_calls.iter().map(|c| 8 + count(&c.id) + count(&c.name) + count(&c.arguments)).sum();
        4 + count(&m.content) + calls + m.tool_call_id.as_ref().map_or(0, |id| 2 + count(id))
    };
    let tool = |t: &Offered| {
        let function =
            serde_json::json!({ "name": t.name, "description": t.description, "parameters": t.parameters });
        4 + count(&serde_json::json!({ "type": "function", "function": function }).to_string())
    };
    let list = if tools.is_empty() { 0 } else { 12 + tools.iter().map(tool).sum::<usize>() };
    3 + messages.iter().map(message).sum::<usize>() + list
}

fn of_section(receipt: &Receipt, section: Section) -> Vec<(String, Outcome)> {
    let items = receipt.items.iter().filter(|i| i.section == section && i.id != FRAME);
    items.map(|i| (i.id.clone(), i.outcome)).collect()
}

/// The tools that are really sent: the demonstration model knows none.
fn sent(scene: &Scene) -> &[Offered] {
    if scene.layout == Layout::Demonstration { &[] } else { &scene.tools }
}

/// The items of each section in the request add up to the section, and the sections to the whole (A12).
fn adds_up(receipt: &Receipt) -> Result<(), TestCaseError> {
    let sections = [Section::System, Section::Tools, Section::Project, Section::Memories, Section::History];
    for section in sections {
        let stands = |i: &&ReceiptItem| i.section == section && i.outcome != Outcome::Dropped;
        let sum: usize = receipt.items.iter().filter(stands).map(|i| i.tokens).sum();
        prop_assert_eq!(sum, receipt.budget.of(section), "{:?}: {:#?}", section, receipt.items);
    }
    let sum: usize = sections.map(|section| receipt.budget.of(section)).iter().sum();
    prop_assert_eq!(sum, receipt.budget.total_tokens);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn gr4_no_request_exceeds_the_window_and_every_number_is_true(scene in scene()) {
        let request = match scene.try_assemble() {
            Ok(request) => request,
            Err(AssembleError::ContextFull { needed, window, receipt, .. }) => {
                prop_assert!(needed > window);
                prop_assert!(receipt.items.iter().all(|i| i.outcome != Outcome::Kept || i.section <= Section::Tools));
                adds_up(&receipt)?;
                return Ok(());
            }
        };
        let b = request.receipt.budget;
        // The total is true, fits, and is the sum of its sections.
        prop_assert_eq!(b.total_tokens, recount(&request.messages, sent(&scene)));
        prop_assert_eq!(b.total_tokens, count_request(&*o200k(), &request.messages, sent(&scene)));
        prop_assert!(b.total_tokens + request.receipt.reserve <= scene.window);
        adds_up(&request.receipt)?;
        // Each section keeps to its own budget.
        prop_assert!(b.project_tokens <= scene.project_budget);
        let demonstration = scene.layout == Layout::Demonstration;
        let counted = demonstration || scene.memories.measure == Measure::Tokens;
        prop_assert!(!counted || scene.memory_budget == 0 || b.memory_tokens <= scene.memory_budget);
        prop_assert_eq!(request.receipt.reserve, scene.reserve.min(scene.window / 2));
        // The history has no gap except right after the message being answered, which is always shown, and comes
        // before the rounds.
        let said = of_section(&request.receipt, Section::History);
        let is_kept = |entry: &HistoryEntry| said.contains(&(entry.id.to_string(), Outcome::Kept));
        let places: Vec<usize> = (0..scene.history.len()).filter(|n| is_kept(&scene.history[*n])).collect();
        let (kept, trigger) = (places.len(), scene.answering());
        prop_assert_eq!(kept, b.history_messages);
        prop_assert!(scene.history.is_empty() || places.contains(&trigger));
        prop_assert!(places.windows(2).all(|pair| pair[0] + 1 == pair[1] || pair[0] == trigger));
        if let Some(last) = places.last() {
            prop_assert!(*last == trigger || last + 1 == scene.history.len());
            // Later messages take precedence over earlier ones.
            prop_assert!(places[0] == trigger || kept == scene.history.len() - places[0]);
        }
        // Every text of the character has an item, and texts of lorebooks keep to their budget (PF4).
        let system: Vec<&ReceiptItem> = request.receipt.items.iter().filter(|i| i.section == Section::System && i.id != FRAME).collect();
        prop_assert_eq!(system.len(), 1 + scene.character.texts.len());
        let end = request.messages.len() - scene.rounds.len();
        prop_assert_eq!(&request.messages[end..], &scene.rounds[..]);
        if !scene.character.texts.is_empty() {
            return Ok(());
        }
        let tail: Vec<&HistoryEntry> = places.iter().map(|n| &scene.history[*n]).collect();
        // The memories may stand right before the message being answered.
        let mut talk: Vec<ChatMessage> = request.messages[..end].to_vec();
        let apart = !demonstration && scene.memories.place == MemoryPlace::AfterHistory && b.memory_tokens > 0;
        if apart {
            talk.remove(end - 1 - kept + places.iter().position(|n| *n == trigger).unwrap_or(0));
        }
        for (message, entry) in talk[talk.len() - kept..].iter().zip(&tail) {
            prop_assert_eq!(message.role, entry.role);
            prop_assert!(message.content.ends_with(&entry.content));
        }
        // Every item has an outcome, and nothing is shown twice or lost as a duplicate.
        let ids = of_section(&request.receipt, Section::Memories);
        prop_assert_eq!(ids.len(), scene.memories.entries.len());
        for item in request.receipt.items.iter().filter(|i| i.section == Section::Memories && i.id != FRAME) {
            let entry = scene.memories.entries.iter().find(|e| e.id == item.id);
            let in_history = entry.and_then(|e| e.message).is_some_and(|id| tail.iter().any(|h| h.id == id));
            prop_assert!(!(in_history && item.outcome == Outcome::Kept));
            prop_assert_eq!(in_history, item.reason == "already in the history");
        }
        prop_assert_eq!(of_section(&request.receipt, Section::Project).len(), scene.project.len());
        prop_assert_eq!(of_section(&request.receipt, Section::Tools).len(), scene.tools.len());
        let summarised = scene.summary.as_ref().is_some_and(|text| !text.trim().is_empty());
        prop_assert_eq!(said.len(), usize::from(summarised) + scene.history.len() + scene.rounds.len());
        // Older history is never shown without the summary of the messages before it (FG12).
        if summarised && !demonstration && !said.contains(&("summary".into(), Outcome::Kept)) {
            prop_assert!(places.iter().all(|n| *n >= trigger));
        }
        // And the same once more (WB9).
        prop_assert_eq!(&scene.assemble(), &request);
    }

    #[test]
    fn gr3_a_plan_shows_what_the_request_holds(scene in scene()) {
        let (plan, request) = (scene.plan(), scene.try_assemble().ok());
        prop_assert_eq!(plan.is_some(), request.is_some());
        if let (Some(plan), Some(request)) = (plan, request) {
            let kept = |section, id: &str| {
                let items = of_section(&request.receipt, section);
                items.iter().any(|(known, outcome)| known == id && *outcome != Outcome::Dropped)
            };
            let (said, recalled) = (&scene.history, &scene.memories.entries);
            let shown: Vec<usize> = (0..said.len()).filter(|n| kept(Section::History, &said[*n].id.to_string())).collect();
            prop_assert_eq!(&plan.history, &shown);
            let distinct = |id: &str| recalled.iter().filter(|entry| entry.id == id).count() == 1;
            for (n, entry) in recalled.iter().enumerate().filter(|(_, entry)| distinct(&entry.id)) {
                prop_assert_eq!(plan.memories.contains(&n), kept(Section::Memories, &entry.id));
            }
            let twice = recalled.iter().any(|entry| shown.iter().any(|n| entry.message == Some(said[*n].id)));
            prop_assert_eq!(plan.twice, twice);
        }
    }

    #[test]
    fn gr4_an_estimated_request_fits_by_its_own_estimate(scene in scene()) {
        let counters: [Arc<dyn TokenCounter>; 2] =
            [Arc::new(QuarterCounter), Arc::new(EstimateCounter::default())];
        for counter in counters {
            let scene = Scene { counter: counter.clone(), ..scene.clone() };
            if let Ok(request) = scene.try_assemble() {
                let b = request.receipt.budget;
                prop_assert_eq!(b.total_tokens, count_request(&*counter, &request.messages, sent(&scene)));
                prop_assert!(b.total_tokens + request.receipt.reserve + scene.window.div_ceil(10) <= scene.window);
                adds_up(&request.receipt)?;
            }
        }
    }
}
