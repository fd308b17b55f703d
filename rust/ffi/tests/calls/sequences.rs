//! G13: random sequences of calls with arguments right and wrong, on handles that are live, freed, foreign and invented: each
//! call returns one of the statuses that it names, writes nothing when it fails, and at the end every session was released once
//! and nothing is left.

use crate::alone;
use crate::interface::{Arguments, Chooser, World, CALLS};
use rustle::status::{RUSTLE_OK, RUSTLE_STALE_HANDLE};
use std::collections::BTreeMap;

/// Sequences, and calls of each.
const SEQUENCES: u64 = 2_500;
const CALLS_OF_ONE: usize = 64;

/// Knuth's MMIX generator.
pub(crate) fn bytes(seed: u64) -> impl FnMut() -> Option<u8> {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Some((state >> 56) as u8)
    }
}

#[test]
fn random_calls_return_what_they_name_and_leave_nothing() {
    let _alone = alone();
    let (mut done, mut refused) = (BTreeMap::new(), 0_u64);
    for seed in 0..SEQUENCES {
        let mut world = World::new();
        let mut chooser = Chooser::new(bytes(seed));
        for _ in 0..CALLS_OF_ONE {
            let call = &CALLS[chooser.below(CALLS.len())];
            // Objects are expensive to make, and many calls on each find faults.
            if !call.makes.is_empty() && chooser.below(4) > 0 {
                continue;
            }
            let arguments = Arguments::new(call, &mut chooser, &mut world);
            let on = arguments.on();
            let was_live = on.is_none_or(|(handle, kind)| world.is_live(handle, kind));
            let (status, text) = world.attempt(call, &arguments, &format!("seed {seed}"));
            if status == RUSTLE_OK {
                assert!(
                    was_live,
                    "seed {seed}: {} of a handle that is not live",
                    call.name
                );
                done.entry(call.name)
                    .and_modify(|count| *count += 1)
                    .or_insert(1_u64);
            } else {
                // The text names the argument: a record may have another handle in it.
                let is_stale = status == RUSTLE_STALE_HANDLE
                    && on.is_some_and(|(_, kind)| {
                        text.starts_with(&format!("{kind}:")) || text.starts_with("object:")
                    });
                assert!(
                    !(is_stale && was_live),
                    "seed {seed}: {} called a live handle stale: {text}",
                    call.name
                );
                refused += 1;
            }
            if chooser.below(8) == 0 {
                world.advance(1_000_000);
            }
        }
        world.free_all();
        assert_eq!((World::unreleased(), world.left()), (0, 0), "seed {seed}");
    }
    let never: Vec<_> = (CALLS.iter().map(|call| call.name))
        .filter(|name| !done.contains_key(name))
        .collect();
    assert!(never.is_empty(), "never done: {never:?}");
    assert!(refused > SEQUENCES * 4, "{refused} refused");
    println!("{} calls done, {refused} refused", done.values().sum::<u64>());
}
