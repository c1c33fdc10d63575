//! Populations: snapshots, resume, branches.

use std::{fs, path::Path};

use greenroom_sim::{EndReason, branch, moment, replay, resume, run};

use crate::house::{lines, options, sample};

fn trace(run: &Path) -> Vec<u8> {
    fs::read(run.join("trace.jsonl")).unwrap()
}

#[tokio::test]
async fn sm5_a_population_that_is_interrupted_goes_on_to_the_same_trace() {
    for name in ["opinions", "feed"] {
        let directory = tempfile::tempdir().unwrap();
        let (whole, cut) = (directory.path().join("whole"), directory.path().join("cut"));
        let sets = ["population.size=500".to_owned(), "population.steps=12".to_owned()];
        run(&sample(name), &sets, &whole, &options(1)).await.unwrap();
        // a stop requested before the start ends the run after its next step
        let stopped = options(2);
        stopped.stop.notify_one();
        let mut outcome = run(&sample(name), &sets, &cut, &stopped).await.unwrap();
        assert_eq!((outcome.ended, outcome.ms), (EndReason::Interrupted, 1_000));
        let mut resumes = 0;
        while outcome.ended == EndReason::Interrupted {
            let stopped = options(1 + resumes % 3);
            stopped.stop.notify_one();
            outcome = resume(&cut, &stopped).await.unwrap();
            resumes += 1;
        }
        assert!(resumes >= 5, "{name}: {resumes}");
        assert!(trace(&cut) == trace(&whole), "{name}");
        assert_eq!(replay(&cut, &options(2)).await.unwrap().same, Some(true));
        // without snapshots the run begins again
        fs::remove_dir_all(cut.join("snapshots")).unwrap();
        resume(&cut, &options(1)).await.unwrap();
        assert!(trace(&cut) == trace(&whole), "{name}");
    }
}

#[tokio::test]
async fn sm5_a_branch_of_a_population_shares_the_past_whichever_snapshots_there_are() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let sets = ["population.size=2000".to_owned(), "population.steps=20".to_owned()];
    let stopped = options(1);
    stopped.stop.notify_one();
    run(&sample("opinions"), &sets, &at("run"), &stopped).await.unwrap();
    let snapshot = fs::read_dir(at("run").join("snapshots")).unwrap().count();
    assert_eq!(snapshot, 1, "an interrupted run leaves a snapshot");
    resume(&at("run"), &options(1)).await.unwrap();
    let change = ["population.rule.threshold=0.1".to_owned()];
    let moment = moment("5s").unwrap();
    for name in ["with", "without"] {
        branch(&at("run"), moment, &change, &at(name)).unwrap();
        let files: Vec<_> = fs::read_dir(at(name)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(files, ["run.json"], "nothing is copied");
        resume(&at(name), &options(2)).await.unwrap();
        fs::remove_dir_all(at("run").join("snapshots")).ok();
    }
    assert!(trace(&at("with")) == trace(&at("without")));
    let before = |run: &Path| lines(run).into_iter().filter(|line| line.ms < moment).collect::<Vec<_>>();
    assert_eq!(before(&at("with")), before(&at("run")));
    assert_ne!(lines(&at("with")).last(), lines(&at("run")).last(), "more opinions stay apart");
    assert_eq!(replay(&at("with"), &options(1)).await.unwrap().same, Some(true));
    let more = ["population.size=10".to_owned()];
    let error = branch(&at("run"), moment, &more, &at("more")).unwrap_err().to_string();
    assert!(error.contains("has the population of its parent"), "{error}");
}

#[tokio::test]
async fn sm5_how_a_population_begins_can_be_otherwise_at_the_start_alone() {
    let directory = tempfile::tempdir().unwrap();
    let (file, parent) = (directory.path().join("scenario.toml"), directory.path().join("run"));
    for (rule, set) in [
        ("kind = \"voter\", share = 0.3", "population.rule.share=0.9"),
        ("kind = \"feed\", follows = 3, posts = 0.1, share = 0.5, follow = 0.1", "population.rule.follows=5"),
    ] {
        let text = format!("name = \"n\"\n[population]\nsize = 500\nsteps = 20\nrule = {{ {rule} }}\n");
        fs::write(&file, text).unwrap();
        run(&file, &[], &parent, &options(1)).await.unwrap();
        let (sets, out) = ([set.to_owned()], directory.path().join("branch"));
        let error = branch(&parent, moment("5s").unwrap(), &sets, &out).unwrap_err().to_string();
        assert!(error.contains("is how the population begins; branch at 0s"), "{error}");
        branch(&parent, 0, &sets, &out).unwrap();
        resume(&out, &options(1)).await.unwrap();
        let whole = directory.path().join("whole");
        run(&file, &sets, &whole, &options(1)).await.unwrap();
        assert!(trace(&out) == trace(&whole) && trace(&out) != trace(&parent), "{set}");
        for used in [&parent, &out, &whole] {
            fs::remove_dir_all(used).unwrap();
        }
    }
}
