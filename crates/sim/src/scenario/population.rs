//! The types of a population in a scenario file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A population of a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PopulationEntry {
    /// How many agents.
    pub size: u32,
    /// How many steps at most; it ends earlier when nothing changes any more.
    pub steps: u32,
    /// A value is measured every so many steps.
    #[serde(default = "every_step")]
    pub measure_every: u32,
    /// What they do.
    pub rule: RuleEntry,
}

fn every_step() -> u32 {
    1
}

/// What the agents of a population do in a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum RuleEntry {
    /// Pairs whose opinions are nearer than the threshold approach each other (Deffuant et al. 2000).
    Deffuant {
        /// The threshold, 0 to 1.
        threshold: f64,
        /// How far they approach: the share of their difference, 0 to 0.5.
        convergence: f64,
    },
    /// Each takes the opinion of another one (Clifford and Sudbury 1973; Holley and Liggett 1975).
    Voter {
        /// The share that holds opinion 1 at the start.
        share: f64,
    },
    /// Posts that followers pass on, and follows that come of it.
    Feed {
        /// Whom an agent follows at the start: so many, drawn.
        follows: u32,
        /// Posts an agent writes in a step, in the mean.
        posts: f64,
        /// The share of posts in a feed that is passed on.
        share: f64,
        /// The share of readers that follow the author of a post that reached them by another.
        follow: f64,
    },
}
