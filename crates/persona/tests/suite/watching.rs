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
async fn pf2_a_directory_that_an_import_creates_later_is_read() {
    let dir = files(&[]);
    let asked = layers(&dir.path().join("cards"));
    let usual = Layers { directory: dir.path().to_owned(), ..Layers::default() };
    for (layers, name) in [(asked, "cards"), (usual, "personas")] {
        let mut casts = watch(layers.clone(), Arc::new(Cast::load(&layers))).unwrap();
        assert!(!dir.path().join(name).exists(), "the watch creates nothing");
        std::fs::create_dir(dir.path().join(name)).unwrap();
        std::fs::write(dir.path().join(name).join("nova.md"), "---\n---\nYou are Nova.\n").unwrap();
        until(&mut casts, |c| c.personas.len() == 4 && c.problems.is_empty()).await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn wb12_a_directory_that_is_replaced_is_read_and_watched() {
    let dir = files(&[]);
    let (place, ada) = (dir.path().join("personas"), |text: &str| ADA.replace("first", text));
    let filled = |name: &str, text: &str| {
        std::fs::create_dir(dir.path().join(name)).unwrap();
        std::fs::write(dir.path().join(name).join("ada.md"), ada(text)).unwrap();
    };
    filled("personas", "first");
    let mut casts = watch(layers(&place), Arc::new(Cast::load(&layers(&place)))).unwrap();
    until(&mut casts, |c| description(c) == Some("first")).await;
    std::fs::rename(&place, dir.path().join("old")).unwrap();
    filled("personas", "moved");
    until(&mut casts, |c| description(c) == Some("moved")).await;
    std::fs::remove_dir_all(&place).unwrap();
    filled("personas", "new");
    until(&mut casts, |c| description(c) == Some("new")).await;
    std::fs::remove_dir_all(&place).unwrap();
    filled("release", "linked");
    std::os::unix::fs::symlink(dir.path().join("release"), &place).unwrap();
    until(&mut casts, |c| description(c) == Some("linked")).await;
    std::fs::write(dir.path().join("release/ada.md"), ada("edited")).unwrap();
    until(&mut casts, |c| description(c) == Some("edited")).await;
    filled("next", "swapped");
    std::os::unix::fs::symlink(dir.path().join("next"), dir.path().join("link")).unwrap();
    std::fs::rename(dir.path().join("link"), &place).unwrap();
    until(&mut casts, |c| description(c) == Some("swapped")).await;
    std::fs::write(place.join("ada.md"), ada("last")).unwrap();
    until(&mut casts, |c| description(c) == Some("last")).await;
}

#[test]
fn pf4_a_bad_file_in_the_folder_of_a_persona_keeps_the_persona_and_is_named() {
    let dir = files(&[("nova.md", "---\n---\nYou are Nova.\n")]);
    let folder = dir.path().join("nova");
    std::fs::create_dir(&folder).unwrap();
    let before = Cast::load(&layers(dir.path()));
    for file in ["source.json", "lorebook.json"] {
        std::fs::write(folder.join(file), "{bad").unwrap();
        let after = before.reload(&layers(dir.path()));
        assert!(after.get(&"nova".parse().unwrap()).is_some(), "{file}");
        assert!(after.problems[0].message.starts_with(&format!("{file}: 1:2: ")), "{:?}", after.problems);
        std::fs::remove_file(folder.join(file)).unwrap();
    }
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
