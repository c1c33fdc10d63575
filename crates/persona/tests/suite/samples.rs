//! The sample personas, which a newcomer sees first.

use greenroom_persona::{Cast, Layers};

use super::{check, files, lines};

#[test]
fn the_samples_load_and_fit_small_models() {
    let dir = files(&[]);
    let cast = Cast::load(&Layers { directory: dir.path().to_owned(), ..Layers::default() });
    assert_eq!(lines(&cast.problems, dir.path()), "");
    for persona in &cast.personas {
        assert!(persona.greeting.is_some() && !persona.description.contains('\n'), "{}", persona.name);
        // Under 250 tokens for a small model, at about four bytes each.
        assert!(persona.prompt.len() < 1000, "{}: {} bytes", persona.name, persona.prompt.len());
    }
}

#[test]
fn the_two_that_go_together_know_of_each_other() {
    let dir = files(&[]);
    let cast = Cast::load(&Layers { directory: dir.path().to_owned(), ..Layers::default() });
    let prompt = |name: &str| &cast.get(&name.parse().unwrap()).unwrap().prompt;
    assert!(prompt("vesper").contains("@wick") && prompt("wick").contains("@vesper"));
}

#[test]
fn the_directory_of_samples_is_a_directory_of_personas() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../personas");
    let cast = check(&dir);
    assert_eq!(lines(&cast.problems, &dir), "");
    assert_eq!(cast.personas.len(), 3);
}
