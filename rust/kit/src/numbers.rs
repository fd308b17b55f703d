//! The numbers of kinds, verbs and statuses.

use crate::fail::fail;
use crate::model::{Constant, Does, Interface};
use std::collections::BTreeMap;

/// The numbers of kinds, of five bits in a handle; the tests of handles have 30 and 31.
const KINDS: std::ops::RangeInclusive<u32> = 1..=29;

/// The permanent number of a name: its FNV-1a hash of 32 bits. [`check`] refuses two names with the same number.
pub(crate) fn of_name(name: &str) -> u32 {
    (name.bytes()).fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Refuses kinds, verbs or statuses that have the same number.
pub(crate) fn check(interface: &Interface) {
    let mut statuses: BTreeMap<i128, &str> = BTreeMap::new();
    let constants = interface.modules.iter().flat_map(|module| &module.constants);
    for Constant { name, value, .. } in constants.filter(|constant| constant.is_status) {
        if let Some(other) = statuses.insert(*value, name) {
            fail(format!("{name}: {value} is the number of {other}"));
        }
    }
    let mut kinds: BTreeMap<u32, &str> = BTreeMap::new();
    for kind in interface.kinds().filter(|kind| !kind.is_face) {
        let (name, number) = (kind.name.as_str(), kind.number);
        if !KINDS.contains(&number) {
            fail(format!("{name}: expected a KIND from 1 to 29, got {number}"));
        }
        if let Some(other) = kinds.insert(number, name) {
            let taken: Vec<u32> = interface.kinds().map(|kind| kind.number).collect();
            let free = KINDS.into_iter().find(|number| !taken.contains(number));
            let free = free.map_or_else(|| "none".to_owned(), |number| number.to_string());
            fail(format!(
                "{name}: KIND {number} is that of {other}; the next that is free: {free}"
            ));
        }
    }
    let mut verbs: BTreeMap<u32, &str> = BTreeMap::new();
    for verb in interface.verbs() {
        if let Does::New { number, .. } | Does::Start { number, .. } | Does::Describe { number, .. } =
            verb.does
            && let Some(other) = verbs.insert(number, &verb.name)
        {
            fail(format!(
                "{}: has the number of {other}; give it another name",
                verb.name
            ));
        }
    }
}
