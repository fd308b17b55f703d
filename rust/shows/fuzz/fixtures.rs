//! A libFuzzer target: the bytes are a fixture file, or changes of a good one.
//!
//! Nothing may panic; a profile that was imported is written and read the same; and looks become slots in each of its modes.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

#[path = "changes.rs"]
mod changes;

use rustle_shows::fixture::{Mode, Profile, Rig};
use rustle_shows::import::{any, ofl, qxf};
use rustle_shows::slots::SlotMap;

/// Good files, of each format.
const SEEDS: [&[u8]; 3] = [
    include_bytes!("../tests/fixtures/small-bar.json"),
    include_bytes!("../tests/fixtures/small-spot.qxf"),
    br#"{"v":1,"name":"a","modes":[{"name":"b","pixels":[2,1,1],"pitch":[1,0,0],"pan":90,"channels":[
        {"attribute":"pan","slots":[7,1],"default":32768},{"attribute":"red","slots":[2],"element":1},
        {"attribute":"shutter","slots":[4],"ranges":[{"values":[8,15],"shutter":"open"},{"values":[16,255],"strobe":[1,9]}]}]}]}"#,
];
const RIG: &[u8] =
    br#"{"v":1,"fixtures":[{"id":1,"profile":"dimmer","protocol":"sacn","universe":1,"address":500}]}"#;

/// Called by libFuzzer with each input. A broken promise ends the process, which libFuzzer reports with the input.
///
/// # Safety
/// `data` points to `length` bytes that nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise; libFuzzer hands in a pointer that is not NULL also for no bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    let Some((first, rest)) = bytes.split_first() else {
        return 0;
    };
    let file = match SEEDS.get(usize::from(*first)) {
        Some(seed) => changes::changed(seed, rest),
        None => rest.to_vec(),
    };
    let imported = [any(&file), ofl(&file), qxf(&file)];
    for imported in imported.into_iter().flatten() {
        check(&imported.profile);
    }
    0
}

fn check(profile: &Profile) {
    assert_eq!(Profile::read(profile.write().as_bytes()).as_ref(), Ok(profile));
    profile.modes.iter().for_each(encode);
}

/// Looks in the slots of a fixture, some of them past the end of its universe.
fn encode(mode: &Mode) {
    let Ok((mut rig, _)) = Rig::read(RIG, &Profile::built_in()) else {
        return;
    };
    rig.fixtures[0].mode = mode.clone();
    let map = SlotMap::new(&rig);
    let (mut look, mut frame) = (map.look(), map.frame());
    look.red.fill(0.7);
    look.blue.fill(f32::NAN);
    look.heads[0].pan = 1e30;
    look.heads[0].strobe = 7.0;
    map.encode(&look, &mut frame);
    map.decode(&frame, &mut look);
    let planes = [&look.red, &look.green, &look.blue, &look.amber, &look.ultraviolet];
    assert!(planes
        .into_iter()
        .flatten()
        .all(|level| (0.0..=1.0).contains(level)));
}
