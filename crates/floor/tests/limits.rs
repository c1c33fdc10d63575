//! Limits of a conversation among bots (RM4, RM5).

use greenroom_floor::{
    Bound, Counters, Grant, Kind, Limits, MemberId, Remaining, Stop, bound, nearly_repeats,
};

const ALL: Remaining = Remaining::UNLIMITED;

fn ids() -> [MemberId; 3] {
    ["ada", "bert", "cleo"].map(MemberId::from)
}

fn wide() -> Limits {
    Limits { chain: 100, pair: 100, per_hour: 100, tokens_per_answer: 1000 }
}

#[test]
fn rm4_a_chain_ends_after_four_answers_and_a_person_begins_a_new_one() {
    let [ada, bert, cleo] = ids();
    let mut counters = Counters::new();
    counters.heard(1, Kind::Person);
    let ask = |counters: &mut Counters, who: &MemberId, to: Option<&MemberId>| {
        counters.permit(&Limits::default(), ALL, who, to, 0).map(|_| ())
    };
    assert_eq!(ask(&mut counters, &ada, None), Ok(()));
    assert_eq!(ask(&mut counters, &bert, Some(&ada)), Ok(()));
    assert_eq!(ask(&mut counters, &cleo, Some(&bert)), Ok(()));
    assert_eq!(ask(&mut counters, &ada, Some(&cleo)), Ok(()));
    assert_eq!(ask(&mut counters, &bert, Some(&ada)), Err(Stop::Chain));
    counters.heard(2, Kind::Person);
    assert_eq!(ask(&mut counters, &bert, None), Ok(()));
}

#[test]
fn rm4_a_message_of_a_person_resets_the_chain_once() {
    let [ada, ..] = ids();
    let limits = Limits { chain: 1, ..wide() };
    let mut counters = Counters::new();
    counters.heard(7, Kind::Person);
    assert!(counters.permit(&limits, ALL, &ada, None, 0).is_ok());
    counters.heard(7, Kind::Person);
    counters.heard(6, Kind::Person);
    assert_eq!(counters.permit(&limits, ALL, &ada, None, 0), Err(Stop::Chain));
}

#[test]
fn rm4_foreign_bots_count() {
    let [ada, ..] = ids();
    let mut counters = Counters::new();
    counters.heard(1, Kind::Person);
    (2..=4).for_each(|id| counters.heard(id, Kind::Bot));
    counters.heard(4, Kind::Bot);
    assert_eq!(counters.chain(), 3, "a message that comes twice counts once");
    counters.heard(5, Kind::Bot);
    assert_eq!(counters.permit(&Limits::default(), ALL, &ada, None, 0), Err(Stop::Chain));
}

#[test]
fn rm4_a_pair_is_limited_in_both_directions_together() {
    let [ada, bert, cleo] = ids();
    let limits = Limits { pair: 2, ..wide() };
    let mut counters = Counters::new();
    assert!(counters.permit(&limits, ALL, &ada, Some(&bert), 0).is_ok());
    assert!(counters.permit(&limits, ALL, &bert, Some(&ada), 0).is_ok());
    assert_eq!(counters.permit(&limits, ALL, &ada, Some(&bert), 0), Err(Stop::Pair));
    assert!(counters.permit(&limits, ALL, &ada, Some(&cleo), 0).is_ok());
}

#[test]
fn rm4_an_hour_is_limited_whenever_it_begins_and_whatever_the_clock_does() {
    let [ada, bert, ..] = ids();
    let limits = Limits { per_hour: 2, ..wide() };
    let mut counters = Counters::new();
    assert!(counters.permit(&limits, ALL, &ada, Some(&bert), 1000).is_ok());
    assert!(counters.permit(&limits, ALL, &ada, Some(&bert), 3000).is_ok());
    assert_eq!(counters.permit(&limits, ALL, &ada, Some(&bert), 4599), Err(Stop::Hour));
    assert_eq!(counters.permit(&limits, ALL, &ada, Some(&bert), 500), Err(Stop::Hour));
    assert!(counters.permit(&limits, ALL, &ada, None, 4599).is_ok(), "what a person asks is answered");
    assert!(counters.permit(&limits, ALL, &ada, Some(&bert), 4600).is_ok());
    counters.withdraw(None, &ada, None);
    assert_eq!(
        counters.permit(&limits, ALL, &ada, Some(&bert), 4600),
        Err(Stop::Hour),
        "it gave nothing back"
    );
}

#[test]
fn rm4_tokens_and_cost_are_what_remains() {
    let [ada, ..] = ids();
    let mut counters = Counters::new();
    let few = Remaining { tokens: 300, cost: 50 };
    let grant = counters.permit(&wide(), few, &ada, None, 0).expect("something remains");
    assert_eq!((grant.tokens, grant.cost), (300, 50));
    assert_eq!(Counters::settle(few, grant, 120, 20), Remaining { tokens: 180, cost: 30 });
    assert_eq!(Counters::settle(few, grant, 9999, 99), Remaining { tokens: 0, cost: 0 });
    let ask = |counters: &mut Counters, r| counters.permit(&wide(), r, &ids()[0], None, 0).map(|_| ());
    assert_eq!(ask(&mut counters, Remaining { tokens: 0, cost: 1 }), Err(Stop::Tokens));
    assert_eq!(ask(&mut counters, Remaining { tokens: 1, cost: 0 }), Err(Stop::Cost));
    let bought = Remaining { tokens: 0, cost: 0 };
    assert_eq!(ask(&mut counters, bought), Err(Stop::Cost), "it is the money that ran out");
}

#[test]
fn rm4_counters_survive_a_restart() {
    let [ada, bert, _] = ids();
    let mut counters = Counters::new();
    counters.heard(1, Kind::Person);
    counters.permit(&wide(), ALL, &ada, Some(&bert), 10).expect("nothing is used up");
    counters.quiet_until(Some(99));
    let stored = serde_json::to_string(&counters).expect("counters can be stored");
    assert_eq!(serde_json::from_str::<Counters>(&stored).expect("counters can be read"), counters);
}

#[test]
fn rm4_quiet_holds_for_its_time_and_is_no_matter_of_who_speaks() {
    let [ada, ..] = ids();
    let mut counters = Counters::new();
    counters.quiet_until(Some(100));
    counters.heard(1, Kind::Person);
    assert_eq!(counters.permit(&wide(), ALL, &ada, None, 99), Err(Stop::Quiet));
    assert!(counters.permit(&wide(), ALL, &ada, None, 100).is_ok());
}

#[test]
fn rm4_a_near_repetition_ends_the_chain() {
    let said = [
        "Shall we have more tea, dear Alice?",
        "The hatter is late again.",
        "It is always six o'clock.",
        "Move on!",
    ];
    assert!(nearly_repeats("shall we have more tea, dear Alice", said));
    assert!(nearly_repeats("The hatter is late, again!!", said));
    assert!(!nearly_repeats("Move on!", said), "the last three count");
    assert!(!nearly_repeats("The hatter has lost his watch.", said));
    assert!(nearly_repeats("👍", ["👍"]) && !nearly_repeats("👍", ["🎉"]));
    let mut counters = Counters::new();
    counters.end(Stop::Repetition);
    assert_eq!(counters.permit(&wide(), ALL, &ids()[0], None, 0), Err(Stop::Repetition));
    counters.heard(1, Kind::Person);
    assert!(counters.permit(&wide(), ALL, &ids()[0], None, 0).is_ok());
}

#[test]
fn rm5_the_bound_is_the_chain_and_what_it_may_cost() {
    let limits = Limits { tokens_per_answer: 500, ..Limits::default() };
    assert_eq!(bound(&limits, ALL), Bound { answers: 4, tokens: 2000 });
    assert_eq!(bound(&limits, Remaining { tokens: 700, cost: 1 }), Bound { answers: 4, tokens: 700 });
    assert_eq!(bound(&limits, Remaining { tokens: 2, cost: 1 }), Bound { answers: 2, tokens: 2 });
    assert_eq!(bound(&limits, Remaining { tokens: 700, cost: 0 }), Bound { answers: 0, tokens: 0 });
    assert_eq!(bound(&Limits { per_hour: 0, ..limits }, ALL).answers, 4, "what a person asks is answered");
}

/// Tokens that led to no answer take a place too, so that no chain has more grants than places.
#[test]
fn rm5_a_moderator_that_chooses_nobody_takes_a_place() {
    let [ada, ..] = ids();
    let limits = Limits { chain: 2, ..wide() };
    let mut counters = Counters::new();
    counters.heard(1, Kind::Person);
    assert!(counters.permit(&limits, ALL, &ada, None, 0).is_ok());
    assert!(counters.is_open(&limits, Kind::Persona, 0) && !counters.is_open(&limits, Kind::Bot, 0));
    counters.spend_place();
    assert_eq!(counters.permit(&limits, ALL, &ada, None, 0), Err(Stop::Chain));
    assert!(!counters.is_open(&limits, Kind::Persona, 0), "nothing is asked any more");
    assert!(counters.is_open(&limits, Kind::Person, 0));
}

#[test]
fn rm5_what_spends_more_than_its_grant_takes_the_whole_grant_also_one_of_nothing() {
    let remaining = Remaining { tokens: 100, cost: 10 };
    let left = |tokens, spent| Counters::settle(remaining, Grant { tokens, cost: 10 }, spent, 3);
    assert_eq!(left(40, 60), Remaining { tokens: 60, cost: 7 });
    assert_eq!(left(40, 0), Remaining { tokens: 99, cost: 7 }, "an answer takes one token at least");
    assert_eq!(left(0, 60), Remaining { tokens: 100, cost: 7 });
}

/// Answers of the previous chain that are still being generated count in the new one. What a person asks is answered in
/// addition to them.
#[test]
fn rm5_what_is_under_way_takes_places_of_the_new_chain() {
    let (mut counters, [ada, ..]) = (Counters::new(), ids());
    let limits = Limits { chain: 2, ..wide() };
    counters.heard(1, Kind::Person);
    counters.carry_over(2);
    assert_eq!(counters.permit(&limits, ALL, &ada, None, 0), Err(Stop::Chain));
    assert!(counters.permit_asked(&limits, ALL, &ada, 0).is_ok());
    assert!(counters.permit_asked(&limits, ALL, &ada, 0).is_ok());
    assert_eq!(counters.permit_asked(&limits, ALL, &ada, 0), Err(Stop::Chain));
    counters.heard(2, Kind::Person);
    assert!(counters.permit(&limits, ALL, &ada, None, 0).is_ok());
}
