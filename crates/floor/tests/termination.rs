//! A conversation among bots ends within its bound (RM4, RM5). `examples/rooms` runs a million of these rooms.

#[path = "../examples/rooms/room.rs"]
mod room;

use room::Room;

#[test]
fn rm5_rooms_that_try_to_talk_for_ever_end_within_the_bound() {
    let (mut longest, mut answers, mut restarts, mut repetitions) = (0, 0, 0, 0);
    for seed in 0..2000 {
        let outcome = Room::new(seed).run();
        assert_eq!(outcome.violation, None, "seed {seed}");
        longest = longest.max(outcome.longest);
        answers += outcome.answers;
        restarts += outcome.restarts;
        repetitions += outcome.repetitions;
    }
    // the rooms reach their limits
    assert!(longest >= 8, "{longest}");
    assert!(answers > 5000 && restarts > 1000 && repetitions > 50, "{answers} {restarts} {repetitions}");
}
