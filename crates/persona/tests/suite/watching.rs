//! Hot reload.

use std::{path::Path, sync::Arc, time::Duration};

use greenroom_persona::{Cast, Layers, watch};
use tokio::sync::watch::Receiver;

use super::files;

const ADA: &str = "---\ndescription: first\n---\nYou are Ada.\n";

fn layers(dir: &Path) -> Layers {
    Layers { personas: Some(dir.to_owned()), ..Layers::default() }
}

async fn until(casts: &mut Receiver<Arc<Cast>>, wanted: impl Fn(&Cast) -> bool) -> Arc<Cast> {
    // The limit only ends a test that has already failed.
    let found = tokio::time::timeout(Duration::from_secs(30), casts.wait_for(|c| wanted(c))).await;
    found.expect("the change is seen").expect("the watch goes on").clone()
}

fn description(cast: &Cast) -> Option<&str> {
    cast.get(&"ada".parse().unwrap()).map(|p| p.description.as_str())
}

#[tokio::test]
async fn a_changed_file_is_read_again_whichever_way_an_editor_writes_it() {
    let dir = files(&[("ada.md", ADA)]);
    let first = Arc::new(Cast::load(&layers(dir.path())));
    let mut casts = watch(layers(dir.path()), first).unwrap();
    std::fs::write(dir.path().join("ada.md"), ADA.replace("first", "written")).unwrap();
    until(&mut casts, |c| description(c) == Some("written")).await;
    std::fs::write(dir.path().join("ada.tmp"), ADA.replace("first", "renamed")).unwrap();
    std::fs::rename(dir.path().join("ada.tmp"), dir.path().join("ada.md")).unwrap();
    until(&mut casts, |c| description(c) == Some("renamed")).await;
    std::fs::write(dir.path().join("bob.md"), "---\n---\nYou are Bob.\n").unwrap();
    until(&mut casts, |c| c.personas.len() == 4).await;
    std::fs::remove_file(dir.path().join("bob.md")).unwrap();
    until(&mut casts, |c| c.personas.len() == 3).await;
}

#[tokio::test]
async fn a_bad_state_keeps_the_persona_and_shows_the_problem() {
    let dir = files(&[("ada.md", ADA)]);
    let first = Arc::new(Cast::load(&layers(dir.path())));
    let mut casts = watch(layers(dir.path()), first).unwrap();
    std::fs::write(dir.path().join("ada.md"), "---\ndescription: [\n").unwrap();
    let cast = until(&mut casts, |c| !c.problems.is_empty()).await;
    assert_eq!(description(&cast), Some("first"));
    std::fs::write(dir.path().join("ada.md"), ADA.replace("first", "mended")).unwrap();
    let cast = until(&mut casts, |c| c.problems.is_empty()).await;
    assert_eq!(description(&cast), Some("mended"));
}

#[tokio::test]
async fn a_change_before_the_watch_began_is_seen() {
    let dir = files(&[("ada.md", ADA)]);
    let first = Arc::new(Cast::load(&layers(dir.path())));
    std::fs::write(dir.path().join("ada.md"), ADA.replace("first", "early")).unwrap();
    let mut casts = watch(layers(dir.path()), first).unwrap();
    until(&mut casts, |c| description(c) == Some("early")).await;
}

#[tokio::test]
async fn without_a_directory_the_watch_ends_at_once() {
    let dir = files(&[]);
    let layers = Layers { directory: dir.path().to_owned(), ..Layers::default() };
    let mut casts = watch(layers.clone(), Arc::new(Cast::load(&layers))).unwrap();
    assert!(casts.changed().await.is_err());
    assert_eq!(casts.borrow().personas.len(), 3);
}

#[test]
fn bad_settings_leave_the_whole_cast_as_it_was() {
    let dir = files(&[("ada.md", ADA)]);
    let mut layers = layers(dir.path());
    layers.config = Some(dir.path().join("greenroom.toml"));
    std::fs::write(dir.path().join("greenroom.toml"), "model.name = 'mine'").unwrap();
    let before = Cast::load(&layers);
    std::fs::write(dir.path().join("greenroom.toml"), "model.name = ").unwrap();
    let after = before.reload(&layers);
    assert_eq!(after.personas, before.personas);
    assert_eq!(after.problems.len(), 1);
    std::fs::write(dir.path().join("greenroom.toml"), "model.name = 'new'").unwrap();
    let mended = after.reload(&layers);
    assert!(mended.problems.is_empty());
    assert_eq!(mended.personas[0].model.name.as_deref(), Some("new"));
}
