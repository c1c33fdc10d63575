//! The end of tool use in a turn: the guard against a model that calls in circles (L16, L17).

use greenroom_core::ToolCall;
use serde_json::Value;

/// Calls of tools that do not exist, within a turn (L16).
const MOST_UNKNOWN: u32 = 3;
/// Equal calls within a turn; the third is not run (L17).
const MOST_EQUAL: usize = 3;
/// Calls of a round that are run (L17).
const MOST_CALLS: u32 = 16;
/// The most rounds of a turn, whatever the settings say (WB12).
const MOST_ROUNDS: u32 = 10;

/// Whether the tools of a turn go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The tools run.
    Go,
    /// This call is not run; later ones may be.
    Skip {
        /// Why, for the model.
        reason: String,
    },
    /// The tool rounds end. Neither this call nor any later one of the turn is run.
    End {
        /// Why, for the model and for people.
        reason: String,
    },
}

/// The guard of one turn. Pure: it counts the reported rounds and calls.
#[derive(Debug, Clone)]
pub struct LoopGuard {
    limit: u32,
    rounds: u32,
    /// Calls of this round.
    in_round: u32,
    unknown: u32,
    calls: Vec<(String, Value)>,
}

impl LoopGuard {
    /// A guard that allows this many rounds; 10 at most (WB12).
    pub fn new(rounds: u32) -> Self {
        Self { limit: rounds.min(MOST_ROUNDS), rounds: 0, in_round: 0, unknown: 0, calls: Vec::new() }
    }

    /// The model asks for another round of tools; call this before its calls are run.
    pub fn round(&mut self) -> Verdict {
        self.rounds += 1;
        self.in_round = 0;
        if self.rounds <= self.limit {
            return Verdict::Go;
        }
        end(format!("the limit of {} tool rounds in a turn is reached", self.limit))
    }

    /// The model makes a call; call this before the tool runs. Two calls are the same when name and arguments are
    /// equal, however the JSON is formatted.
    pub fn call(&mut self, call: &ToolCall) -> Verdict {
        self.in_round += 1;
        if self.in_round > MOST_CALLS {
            let reason = format!("at most {MOST_CALLS} calls are run in a round; make the rest in the next");
            return Verdict::Skip { reason };
        }
        let arguments =
            serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()));
        self.calls.push((call.name.clone(), arguments));
        let Some(newest) = self.calls.last() else { return Verdict::Go };
        if self.calls.iter().filter(|c| *c == newest).count() >= MOST_EQUAL {
            return end(format!("the same call of `{}` came {MOST_EQUAL} times", newest.0));
        }
        match self.calls.as_slice() {
            [.., a, b, c, d] if a == c && b == d => {
                end(format!("the calls of `{}` and `{}` go round in a circle", a.0, b.0))
            }
            _ => Verdict::Go,
        }
    }

    /// A call turned out to name no tool.
    pub fn unknown(&mut self) -> Verdict {
        self.unknown += 1;
        if self.unknown < MOST_UNKNOWN {
            return Verdict::Go;
        }
        end(format!("{MOST_UNKNOWN} calls named tools that do not exist"))
    }
}

fn end(reason: String) -> Verdict {
    Verdict::End { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "c".into(), name: name.into(), arguments: arguments.into() }
    }

    fn reason(verdict: Verdict) -> String {
        match verdict {
            Verdict::End { reason } => reason,
            Verdict::Go | Verdict::Skip { .. } => panic!("the guard let it pass"),
        }
    }

    #[test]
    fn l17_of_sixty_calls_in_a_round_sixteen_are_run() {
        let mut guard = LoopGuard::new(10);
        for round in 0..2 {
            assert_eq!(guard.round(), Verdict::Go);
            let verdicts: Vec<Verdict> = (0..60)
                .map(|n| guard.call(&call("recall", &format!("{{\"query\":\"{round} {n}\"}}"))))
                .collect();
            assert!(verdicts[..16].iter().all(|verdict| *verdict == Verdict::Go));
            assert!(verdicts[16..].iter().all(|verdict| matches!(verdict, Verdict::Skip { .. })));
        }
    }

    #[test]
    fn l16_the_third_unknown_tool_ends_the_tools() {
        let mut guard = LoopGuard::new(10);
        assert_eq!(guard.unknown(), Verdict::Go);
        assert_eq!(guard.unknown(), Verdict::Go);
        assert_eq!(reason(guard.unknown()), "3 calls named tools that do not exist");
    }

    #[test]
    fn l17_the_same_call_a_third_time_is_broken_off() {
        let mut guard = LoopGuard::new(10);
        assert_eq!(guard.call(&call("recall", r#"{"query":"x","limit":3}"#)), Verdict::Go);
        assert_eq!(guard.call(&call("recall", r#"{ "limit": 3, "query": "x" }"#)), Verdict::Go);
        assert_eq!(guard.call(&call("remember", r#"{"content":"x"}"#)), Verdict::Go);
        let third = guard.call(&call("recall", r#"{"query":"x","limit":3}"#));
        assert_eq!(reason(third), "the same call of `recall` came 3 times");
    }

    #[test]
    fn l17_the_same_nonsense_counts_as_the_same() {
        let mut guard = LoopGuard::new(10);
        guard.call(&call("recall", "{oops"));
        guard.call(&call("recall", "{oops"));
        assert_ne!(guard.call(&call("recall", "{oops")), Verdict::Go);
    }

    #[test]
    fn l17_two_calls_in_turn_are_broken_off_at_the_fourth() {
        let mut guard = LoopGuard::new(10);
        let (a, b) = (call("recall", r#"{"query":"a"}"#), call("recall", r#"{"query":"b"}"#));
        for call in [&a, &b, &a] {
            assert_eq!(guard.call(call), Verdict::Go);
        }
        assert_eq!(reason(guard.call(&b)), "the calls of `recall` and `recall` go round in a circle");
    }

    #[test]
    fn l17_different_calls_go_on_up_to_the_limit_of_rounds() {
        for (set, rounds) in [(3, 3), (10, 10), (500, 10), (0, 0)] {
            let mut guard = LoopGuard::new(set);
            for n in 0..rounds {
                assert_eq!(guard.round(), Verdict::Go);
                assert_eq!(guard.call(&call("recall", &format!("{{\"query\":\"{n}\"}}"))), Verdict::Go);
            }
            assert_eq!(
                reason(guard.round()),
                format!("the limit of {rounds} tool rounds in a turn is reached")
            );
        }
    }
}
