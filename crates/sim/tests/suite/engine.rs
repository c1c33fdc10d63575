//! The engine on the samples: one trace, whatever the threads.

use std::{fs, path::Path};

use greenroom_sim::{Ended, Options, run};

fn options(threads: usize) -> Options {
    Options { threads, ..Options::default() }
}

fn sample(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name).join("scenario.toml")
}

async fn trace(scenario: &Path, threads: usize) -> String {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    run(scenario, &[], &out, &options(threads)).await.unwrap();
    fs::read_to_string(out.join("trace.jsonl")).unwrap()
}

#[tokio::test]
async fn sm3_the_tea_party_has_one_trace() {
    let one = trace(&sample("tea-party"), 1).await;
    println!("{one}");
    assert!(one.lines().count() > 20, "{one}");
    for threads in [1, 2, 16] {
        assert_eq!(trace(&sample("tea-party"), threads).await, one, "{threads} threads");
    }
}

#[tokio::test]
async fn sm8_a_run_ends_when_its_calls_are_used_up() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let outcome = run(&sample("tea-party"), &["stop.calls=5".into()], &out, &options(2)).await.unwrap();
    assert_eq!(outcome.ended, Ended::Calls);
    assert!((5..12).contains(&outcome.calls), "{outcome:?}");
}
