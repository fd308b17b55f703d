//! A sender of ours.

use super::{PERIOD_NS, Way, now_ns, processor_time, sleep_ns};
use rustle_engines::{
    Delivery, DmxConfiguration, DmxEngine, DmxProtocol, Doorbell, Overflow, Release, Runtime,
};
use rustle_lighting::{Cid, Name, SLOTS};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A bell that remembers its release, which comes after the last packet.
struct Ended(Arc<AtomicBool>);

impl Doorbell for Ended {
    fn on_ready(&mut self) {}

    fn on_release(self: Box<Self>, _: Release) {
        self.0.store(true, Ordering::Release);
    }
}

/// Sends universes that change in every frame, for a time, and ends them. Prints the datagrams, the processor time in ns, the sending
/// thread's, and the frames that it skipped.
pub(crate) fn sender(words: &[String]) -> Result<String, Box<dyn Error>> {
    let [universes, seconds, way, port] = words else {
        return Err("expected UNIVERSES SECONDS WAY PORT".into());
    };
    let way = Way::read(way)?;
    let universes: Vec<u32> = (1..=universes.parse()?).collect();
    let cid = Cid::new([0xF2; 16]).map_err(|error| error.to_string())?;
    let name = Name::new("rustle").map_err(|error| error.to_string())?;
    let protocol = match way {
        Way::ArtNet => DmxProtocol::ArtNet,
        _ => DmxProtocol::Sacn,
    };
    let destinations = match way {
        Way::Multicast => vec![],
        _ => vec![format!("127.0.0.1:{port}")],
    };
    let configuration = DmxConfiguration {
        interface: "127.0.0.1".to_owned(),
        destinations,
        ..DmxConfiguration::new(protocol, cid, name)
    };
    let engine = DmxEngine::on(Runtime::shared().clone(), configuration)?;
    let has_ended = Arc::new(AtomicBool::new(false));
    let delivery =
        Delivery::pull(Overflow::DropOldest, 1, Ended(has_ended.clone())).ok_or("expected a capacity")?;
    let session = engine.start(delivery)?;
    let mut slots = vec![0; SLOTS * universes.len()];
    // Between the sender's frames, so that each takes one change.
    let start_ns = now_ns() + PERIOD_NS / 2;
    sleep_ns(PERIOD_NS / 2);
    for frame in 0..44 * seconds.parse::<u32>()? {
        for (universe, slots) in slots.chunks_exact_mut(SLOTS).enumerate() {
            slots.fill((frame as usize + universe) as u8);
        }
        session.set_levels(&universes, &slots)?;
        let next_ns = start_ns + u64::from(frame + 1) * PERIOD_NS;
        sleep_ns(next_ns.saturating_sub(now_ns()));
    }
    let [all, own] = processor_time("rustle-dmx")?;
    let counts = session.counts();
    session.cancel();
    while !has_ended.load(Ordering::Acquire) {
        sleep_ns(1_000_000);
    }
    Ok(format!("{} {all} {own} {}\n", counts.datagrams, counts.skipped))
}
