//! A million random recalls through every entry point, in a world where people tell personas things, one to one and in
//! groups (GR1, MP1). Fails if a recall shows something to a person who may not see it. `recalls [COUNT] [SEED]`
#![allow(clippy::unwrap_used)]

#[path = "../tests/private/world.rs"]
mod world;

use world::World;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>().unwrap());
    let (count, seed) = (arguments.next().unwrap_or(1_000_000), arguments.next().unwrap_or(42));
    let begun = std::time::Instant::now();
    let mut world = World::new(seed).await;
    while world.recalls < count as usize {
        world.step().await;
    }
    println!(
        "{} recalls showed {} statements, all of them to whom they may be shown, in {} s (seed {seed})",
        world.recalls,
        world.shown,
        begun.elapsed().as_secs()
    );
}
