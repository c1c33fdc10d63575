//! Nobody is shown what somebody else told in private or one to one in a group (GR1, MP1).
#![allow(clippy::unwrap_used)]

mod private {
    pub mod world;
}

use private::world::World;

/// Recalls through every entry point while people tell, correct, share and forget things, and while channels become
/// groups. For a million recalls: `cargo run --release -p greenroom-tools --example recalls`.
#[tokio::test]
async fn mp1_random_recalls_show_nothing_to_the_wrong_people() {
    let mut world = World::new(7).await;
    for _ in 0..6_000 {
        world.step().await;
    }
    assert!(world.recalls > 5_000 && world.shown > world.recalls / 4, "{} {}", world.recalls, world.shown);
}
