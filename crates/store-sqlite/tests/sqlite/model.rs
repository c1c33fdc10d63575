//! Model test: the store in memory is the model of a store's promises. Both stores get the same random calls of every
//! role, one after the other. Their answers and their final contents must be equal (finding A1).
//!
//! A difference is a defect of one of the two stores, and becomes a case in the suite. `GREENROOM_MODEL_RUNS=200` runs
//! longer.

mod reads;
mod writes;

use greenroom_store::prelude::*;
use greenroom_store_memory::InMemoryStore;
use proptest::{
    collection::vec,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner},
};
use tokio::runtime::Runtime;

use self::{
    reads::everything,
    writes::{Step, step, take},
};
use crate::given::fresh;

/// The number of steps of a run, and the number of steps after which everything is compared.
const STEPS: usize = 150;
const COMPARED: usize = 50;

#[test]
fn a1_two_stores_answer_random_calls_alike() {
    let number = |name, usual| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (cases, max_shrink_iters) = (number("GREENROOM_MODEL_RUNS", 3), number("GREENROOM_MODEL_SHRINKS", 0));
    let config = Config { cases, max_shrink_iters, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[21; 32]);
    let runtime = Runtime::new().unwrap();
    let compared = TestRunner::new_with_rng(config, rng)
        .run(&vec(step(), STEPS), |steps| runtime.block_on(compare(&steps)));
    if let Err(TestError::Fail(why, steps)) = &compared {
        panic!("{why}\nafter {steps:#?}");
    }
    compared.unwrap();
}

async fn compare(steps: &[Step]) -> Result<(), TestCaseError> {
    let (sqlite, _kept) = fresh().await;
    let model = InMemoryStore::new();
    let mut ends = (Vec::new(), Vec::new());
    let mut checked = Ok(());
    for (n, step) in steps.iter().enumerate() {
        let one = take(&sqlite, step, n, &mut ends.0).await;
        let other = take(&model, step, n, &mut ends.1).await;
        checked = same(&format!("step {n}, {step:?}"), &one, &other);
        if checked.is_ok() && (n % COMPARED == COMPARED - 1 || n + 1 == steps.len()) {
            for ((name, one), (_, other)) in everything(&sqlite).await.iter().zip(&everything(&model).await) {
                checked = checked.and(same(&format!("{name} after step {n}"), one, other));
            }
        }
        if checked.is_err() {
            break;
        }
    }
    sqlite.close().await;
    checked
}

fn same(what: &str, sqlite: &str, model: &str) -> Result<(), TestCaseError> {
    if sqlite == model {
        return Ok(());
    }
    Err(TestCaseError::fail(format!("{what}\n  sqlite: {sqlite}\n  memory: {model}\n")))
}
