//! Each session is released exactly once, by a worker, as the last call, whatever ends it.

use crate::harness;

/// `RUSTLE_RACES` sets the number of rounds.
#[test]
fn sessions_are_released_once_by_a_worker_as_the_last_call() {
    let _alone = crate::alone();
    let rounds = std::env::var("RUSTLE_RACES")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(3_500);
    harness::run(rounds);
}
