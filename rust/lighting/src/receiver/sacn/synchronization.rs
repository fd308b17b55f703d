//! Synchronization streams (ANSI E1.31-2018, 6.3 and 11).

use super::source::Source;
use super::universe::UniverseState;
use crate::by_universe::ByUniverse;
use crate::receiver::LOSS_NS;
use crate::receiver::whole_frames::{SyncRule, Verdict, WholeFrames};
use crate::sacn::SyncPacket;
use crate::{Cid, SacnUniverse};

/// The synchronization addresses that are followed at most: data that name a further one act at once.
pub const MAX_SYNC_ADDRESSES: usize = 256;
/// The sources of an address that are remembered: one, and a few backups.
const SYNC_SOURCES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not heard yet: data act at once.
    Unheard,
    /// Not heard yet: data wait, by [`SyncRule::Whole`].
    Awaited,
    /// Data wait for the next packet.
    Active,
    /// Data wait for its return, unless they force synchronization.
    Lost,
}

/// When data of a source act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    AtOnce,
    Held,
}

/// What a synchronization packet was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrived {
    Unnamed,
    OutOfOrder,
    Taken { is_first: bool },
}

/// A source that synchronizes an address.
#[derive(Clone, Debug)]
struct Clock {
    cid: Cid,
    sequence: u8,
    last_ns: u64,
    frames: WholeFrames,
}

#[derive(Clone, Debug)]
struct Stream {
    state: State,
    /// The sources that name the address.
    users: usize,
    last_ns: u64,
    clocks: [Option<Clock>; SYNC_SOURCES],
    /// The place of the next source beyond those.
    next: usize,
}

impl Stream {
    /// Takes a sequence number; `false`: it is out of order (ANSI E1.31-2018, 6.7.2).
    fn takes(&mut self, now_ns: u64, packet: &SyncPacket) -> bool {
        if let Some(clock) = self.clock(packet.cid) {
            if is_out_of_order(clock.sequence, packet.sequence) {
                return false;
            }
            (clock.sequence, clock.last_ns) = (packet.sequence, now_ns);
            return true;
        }
        self.clocks[self.next] = Some(Clock {
            cid: packet.cid,
            sequence: packet.sequence,
            last_ns: now_ns,
            frames: WholeFrames::default(),
        });
        self.next = (self.next + 1) % SYNC_SOURCES;
        true
    }

    fn clock(&mut self, cid: Cid) -> Option<&mut Clock> {
        self.clocks.iter_mut().flatten().find(|clock| clock.cid == cid)
    }

    /// Whether a source's data wait for its own packets: it sent one lately.
    fn has_clock(&self, cid: Cid) -> bool {
        let mut clocks = self.clocks.iter().flatten();
        clocks.any(|clock| clock.cid == cid && self.last_ns < clock.last_ns.saturating_add(LOSS_NS))
    }

    fn is_expired(&self, now_ns: u64) -> bool {
        matches!(self.state, State::Active | State::Awaited) && now_ns >= self.last_ns.saturating_add(LOSS_NS)
    }
}

/// Whether a sequence number is out of order: -20 < new - last <= 0, as signed bytes (ANSI E1.31-2018, 6.7.2). A source that
/// restarted is heard at once.
pub(super) fn is_out_of_order(last: u8, new: u8) -> bool {
    let step = new.wrapping_sub(last).cast_signed();
    (-19..=0).contains(&step)
}

/// The streams of all addresses that data name.
#[derive(Debug)]
pub(super) struct Synchronization {
    rule: SyncRule,
    streams: ByUniverse<SacnUniverse, Stream>,
    generation: u64,
    exceeded: u64,
    /// No stream is lost before.
    next_ns: u64,
}

impl Synchronization {
    pub(super) fn new(rule: SyncRule) -> Self {
        Self {
            rule,
            streams: ByUniverse::with_capacity(MAX_SYNC_ADDRESSES),
            generation: 0,
            exceeded: 0,
            next_ns: u64::MAX,
        }
    }

    pub(super) fn addresses(&self) -> &[SacnUniverse] {
        self.streams.universes()
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn exceeded(&self) -> u64 {
        self.exceeded
    }

    pub(super) fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// A source names an address, or none, from now on.
    pub(super) fn name(&mut self, now_ns: u64, address: Option<SacnUniverse>, source: &mut Source) {
        if source.sync_address() == address {
            return;
        }
        self.leave(source.sync_address());
        source.set_sync_address(None);
        let Some(address) = address else { return };
        if let Some(stream) = self.streams.get_mut(address) {
            stream.users += 1;
        } else if self.streams.len() == MAX_SYNC_ADDRESSES {
            self.exceeded += 1;
            return;
        } else {
            let stream = Stream {
                state: match self.rule {
                    SyncRule::Latest => State::Unheard,
                    SyncRule::Whole => State::Awaited,
                },
                users: 1,
                last_ns: now_ns,
                clocks: [const { None }; SYNC_SOURCES],
                next: 0,
            };
            self.streams.insert(address, stream);
            self.generation += 1;
            self.next_ns = self.next_ns.min(now_ns.saturating_add(LOSS_NS));
        }
        source.set_sync_address(Some(address));
    }

    /// A source no longer names an address.
    pub(super) fn leave(&mut self, address: Option<SacnUniverse>) {
        let Some(address) = address else { return };
        let Some(stream) = self.streams.get_mut(address) else {
            return;
        };
        stream.users -= 1;
        if stream.users == 0 {
            self.streams.remove(address);
            self.generation += 1;
        }
    }

    /// When data act that a source sends, with or without the option to force synchronization.
    pub(super) fn timing(&self, address: Option<SacnUniverse>, is_forced: bool) -> Timing {
        let state = address
            .and_then(|address| self.streams.get(address))
            .map(|stream| stream.state);
        match state {
            None | Some(State::Unheard) => Timing::AtOnce,
            Some(State::Lost) if is_forced => Timing::AtOnce,
            Some(State::Lost | State::Active | State::Awaited) => Timing::Held,
        }
    }

    /// Takes a synchronization packet.
    pub(super) fn hear(&mut self, now_ns: u64, packet: &SyncPacket) -> Arrived {
        let Some(stream) = self.streams.get_mut(packet.address) else {
            return Arrived::Unnamed;
        };
        if !stream.takes(now_ns, packet) {
            return Arrived::OutOfOrder;
        }
        let is_first = stream.state != State::Active;
        stream.state = State::Active;
        stream.last_ns = now_ns;
        self.next_ns = self.next_ns.min(now_ns.saturating_add(LOSS_NS));
        Arrived::Taken { is_first }
    }

    /// Shows what the source of a packet holds for its address, and what sources hold that do not synchronize it themselves;
    /// returns whether that is all that it should be.
    pub(super) fn release(
        &mut self,
        packet: &SyncPacket,
        universes: &mut ByUniverse<SacnUniverse, UniverseState>,
    ) -> bool {
        let Some(stream) = self.streams.get_mut(packet.address) else {
            return true;
        };
        let address = Some(packet.address);
        // Frames of others have no part in this source's.
        let is_part = |source: &Source| source.is_frame_of(address) && source.cid == packet.cid;
        let verdict = match (self.rule, stream.clock(packet.cid)) {
            (SyncRule::Whole, Some(clock)) => judge(universes, &mut clock.frames, is_part),
            _ => Verdict::Show,
        };
        if verdict == Verdict::Learn {
            for (_, universe) in universes.iter_mut() {
                universe
                    .sources_mut()
                    .filter(|source| is_part(source))
                    .for_each(Source::learn);
            }
        }
        release(universes, |source| {
            let is_due = if source.cid == packet.cid {
                verdict == Verdict::Show
            } else {
                !stream.has_clock(source.cid)
            };
            is_due && source.sync_address() == address
        });
        verdict == Verdict::Show
    }

    /// A stream whose time has come.
    pub(super) fn expired(&mut self, now_ns: u64) -> Option<SacnUniverse> {
        if now_ns < self.next_ns {
            return None;
        }
        let expired = self.streams.iter().find(|(_, stream)| stream.is_expired(now_ns));
        if let Some((address, _)) = expired {
            return Some(address);
        }
        let waiting = self.streams.iter().map(|(_, stream)| stream);
        let waiting = waiting.filter(|stream| matches!(stream.state, State::Active | State::Awaited));
        self.next_ns = waiting
            .map(|stream| stream.last_ns.saturating_add(LOSS_NS))
            .min()
            .unwrap_or(u64::MAX);
        None
    }

    /// Ends the waiting of an expired stream. Returns whether it had been heard.
    pub(super) fn lose(
        &mut self,
        address: SacnUniverse,
        universes: &mut ByUniverse<SacnUniverse, UniverseState>,
    ) -> bool {
        let Some(stream) = self.streams.get_mut(address) else {
            return false;
        };
        let was_heard = stream.state == State::Active;
        stream.state = if was_heard { State::Lost } else { State::Unheard };
        release(universes, |source| {
            source.sync_address() == Some(address) && (!was_heard || source.forces_sync())
        });
        was_heard
    }
}

/// Judges the frame that is held by the parts of a source.
fn judge(
    universes: &ByUniverse<SacnUniverse, UniverseState>,
    frames: &mut WholeFrames,
    is_part: impl Fn(&Source) -> bool,
) -> Verdict {
    let (mut count, mut first, mut are_new, mut are_in_step) = (0, None, true, true);
    for (_, universe) in universes.iter() {
        for source in universe.sources().filter(|source| is_part(source)) {
            count += 1;
            are_new &= source.is_held();
            are_in_step &= *first.get_or_insert(source.frames()) == source.frames();
        }
    }
    frames.judge(count, are_new, are_in_step)
}

/// Shows what these sources hold.
fn release(universes: &mut ByUniverse<SacnUniverse, UniverseState>, is_due: impl Fn(&Source) -> bool) {
    for (_, universe) in universes.iter_mut() {
        let mut is_changed = false;
        for source in universe.sources_mut().filter(|source| is_due(source)) {
            is_changed |= source.release();
        }
        universe.is_changed |= is_changed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_of_sequence_numbers_is_that_of_the_standard() {
        for last in 0..=255_u8 {
            for step in 0..=255_u8 {
                let expected = step == 0 || step > 256_u16.wrapping_sub(20) as u8;
                assert_eq!(
                    is_out_of_order(last, last.wrapping_add(step)),
                    expected,
                    "{last} + {step}"
                );
            }
        }
    }
}
