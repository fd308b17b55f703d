//! Memory that an argument asks for and the system does not have is a status, not the end of the process.

use crate::alone;
use crate::interface::{Arguments, Choose, Number, World, CALLS};
use rustle::status::RUSTLE_EXHAUSTED;
use rustle_testkit::with_allocations_up_to;
use std::collections::BTreeSet;

/// The largest allocation that may fail by ending the process, as docs/boundary.md says.
const SMALL: usize = 16 << 20;

/// Large numbers of elements, frames or hertz, each within the range of some argument.
const LARGE: [f64; 4] = [65_536.0, 1_048_576.0, 1e9, 1e18];

/// The examples, with one number in place of another.
struct OneLarge {
    left: usize,
    value: f64,
    is_used: bool,
}

impl Choose for OneLarge {
    fn number(&mut self, kind: Number, example: f64) -> u64 {
        let is_here = self.left == 0 && !self.is_used;
        self.left = self.left.saturating_sub(1);
        self.is_used |= is_here;
        u64::from_ne_bytes(kind.bytes(if is_here { self.value } else { example }).0)
    }
}

#[test]
fn memory_of_a_caller_s_size_that_is_not_there_aborted_the_process() {
    let _alone = alone();
    let mut refused = BTreeSet::new();
    for call in CALLS {
        for (place, value) in (0..).flat_map(|place| LARGE.map(|value| (place, value))) {
            let mut world = World::new();
            let mut choose = OneLarge {
                left: place,
                value,
                is_used: false,
            };
            let arguments = Arguments::new(call, &mut choose, &mut world);
            if !choose.is_used {
                break;
            }
            let name = format!("{value} at {place}");
            let (status, text) = with_allocations_up_to(SMALL, || world.attempt(call, &arguments, &name));
            if status == RUSTLE_EXHAUSTED {
                let says_both = text.starts_with("capacity: ") && text.ends_with(" bytes");
                assert!(says_both, "{}: {text}", call.name);
                refused.insert(call.name);
            }
        }
    }
    let lanes = |name: &&str| name.contains("_start") && !name.ends_with("_serve");
    let expected: BTreeSet<_> = (CALLS.iter().map(|call| call.name))
        .filter(|name| lanes(name))
        .collect();
    assert_eq!(refused, expected);
}
