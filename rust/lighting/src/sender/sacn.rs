//! The sender of sACN (ANSI E1.31-2018, 6.2, 6.6, 8 and 11).

mod announcement;
mod output;
mod synchronization;

pub use output::{SacnOutput, Target};

use super::error::checked;
use super::{Datagram, FrameRate, Pacer, Packet, SenderCounters, SenderError};
use crate::by_universe::ByUniverse;
use crate::sacn::{DISCOVERY_GROUP, MAX_PRIORITY};
use crate::{Cid, Name, SacnUniverse};
use announcement::Announcement;
use output::Output;
use synchronization::SyncOutput;

/// Who sends, and how often.
#[derive(Clone, Debug)]
pub struct SacnSenderSettings {
    /// The identity, kept by the program: a restart is the same source.
    pub cid: Cid,
    /// The name that others show.
    pub name: Name<64>,
    /// Frames a second. A universe is sent at most as often as DMX512 takes its slots.
    pub rate: FrameRate,
    /// The time from a frame's data to its synchronization packet, in ns. From a period on, one packet follows several frames.
    pub sync_gap_ns: u64,
}

/// A packet that is to be sent.
#[derive(Clone, Copy, Debug)]
enum Due {
    Levels(SacnUniverse),
    Priorities(SacnUniverse),
    Sync(SacnUniverse),
    Page(usize),
}

/// Sends any number of universes.
///
/// It is called at the times of [`next_ns`](Self::next_ns) and then has [`datagrams`](Self::datagrams), borrowed, all at once. A
/// universe sends nothing before its first levels, and universe discovery begins with those of the first universe. Memory is
/// allocated when a universe is added.
#[derive(Debug)]
pub struct SacnSender {
    settings: SacnSenderSettings,
    pacer: Pacer,
    outputs: ByUniverse<SacnUniverse, Output>,
    syncs: ByUniverse<SacnUniverse, SyncOutput>,
    announcement: Announcement,
    due: Vec<Due>,
    was_active: bool,
    counters: SenderCounters,
}

impl SacnSender {
    /// A sender of no universe, whose first frame is at a time in ns.
    pub fn new(settings: SacnSenderSettings, start_ns: u64) -> Self {
        Self {
            pacer: Pacer::new(start_ns, settings.rate),
            outputs: ByUniverse::new(),
            syncs: ByUniverse::new(),
            announcement: Announcement::new(),
            due: Vec::new(),
            was_active: false,
            counters: SenderCounters::default(),
            settings,
        }
    }

    /// Adds a universe; one that is ending continues.
    ///
    /// # Errors
    /// [`SenderError::UniverseExists`], and [`SenderError::Priority`] above 200.
    pub fn add(&mut self, universe: SacnUniverse, settings: SacnOutput) -> Result<(), SenderError> {
        check_priority(settings.priority)?;
        let before = self.outputs.get(universe);
        if before.is_some_and(|output| !output.is_ending()) {
            return Err(SenderError::UniverseExists { got: universe.get() });
        }
        let sequence = before.map_or(0, Output::sequence);
        if let Some(address) = settings.sync_address {
            let cid = self.settings.cid;
            self.syncs.insert(address, SyncOutput::new(cid, address));
            if let Some(sync) = self.syncs.get_mut(address) {
                sync.users += 1;
            }
        }
        if let Some(before) = self.outputs.get_mut(universe) {
            before.discard();
            self.sweep();
        }
        let output = Output::new(&self.settings, universe, settings, sequence);
        self.outputs.insert(universe, output);
        self.announcement.reserve(self.outputs.len() + self.syncs.len());
        let most = 2 * self.outputs.len() + 2 * self.syncs.len() + self.announcement.most_pages();
        self.due.reserve(most.saturating_sub(self.due.len()));
        Ok(())
    }

    /// Ends a universe: levels that were not sent yet and then three terminated packets follow, a frame apart. One without levels is
    /// removed at once.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`].
    pub fn remove(&mut self, universe: SacnUniverse) -> Result<(), SenderError> {
        let output = self.output(universe)?;
        output.end();
        if output.is_over() {
            self.sweep();
        }
        Ok(())
    }

    /// Ends all universes; [`is_finished`](Self::is_finished) says when the last packet was returned.
    pub fn stop(&mut self) {
        self.outputs.iter_mut().for_each(|(_, output)| output.end());
        if !self.is_active() {
            self.sweep();
        }
    }

    /// Whether no universe is left, and no datagram.
    pub fn is_finished(&self) -> bool {
        self.outputs.len() == 0 && self.due.is_empty()
    }

    /// The universes, in ascending order, with those that are ending.
    pub fn universes(&self) -> &[SacnUniverse] {
        self.outputs.universes()
    }

    /// Writes the levels of a universe for the next frame.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`], and [`SenderError::Slots`] for none or more than 512.
    pub fn set_levels(&mut self, universe: SacnUniverse, slots: &[u8]) -> Result<(), SenderError> {
        let slots = checked(slots)?;
        self.output(universe)?.set_levels(slots);
        Ok(())
    }

    /// Writes the per-address priorities of a universe, 0..=200 each (0: not driven), for the next frame; `None`: none.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`], [`SenderError::Slots`] and [`SenderError::Priority`].
    pub fn set_priorities(
        &mut self,
        universe: SacnUniverse,
        slots: Option<&[u8]>,
    ) -> Result<(), SenderError> {
        for priority in checked(slots.unwrap_or(&[0]))? {
            check_priority(*priority)?;
        }
        let (cid, name) = (self.settings.cid, self.settings.name);
        self.output(universe)?.set_priorities(cid, &name, slots);
        Ok(())
    }

    /// Writes the priority of a universe, 0..=200, for the next frame.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`] and [`SenderError::Priority`].
    pub fn set_priority(&mut self, universe: SacnUniverse, priority: u8) -> Result<(), SenderError> {
        check_priority(priority)?;
        self.output(universe)?.set_priority(priority);
        Ok(())
    }

    /// Changes where the data of a universe go; they are sent there with the next frame.
    ///
    /// # Errors
    /// [`SenderError::UnknownUniverse`].
    pub fn set_target(&mut self, universe: SacnUniverse, target: Target) -> Result<(), SenderError> {
        self.output(universe)?.set_target(target);
        Ok(())
    }

    fn output(&mut self, universe: SacnUniverse) -> Result<&mut Output, SenderError> {
        let output = self
            .outputs
            .get_mut(universe)
            .filter(|output| !output.is_ending());
        output.ok_or(SenderError::UnknownUniverse { got: universe.get() })
    }

    /// When something is due next, in ns; `None`: not before the next call of another function.
    pub fn next_ns(&self) -> Option<u64> {
        let frame = self.is_active().then(|| self.pacer.next_ns());
        let syncs = self.syncs.iter().filter_map(|(_, sync)| sync.due_ns());
        let pages = self.announcement.next_ns();
        frame.into_iter().chain(syncs).chain(pages).min()
    }

    /// Whether a universe has something to send.
    fn is_active(&self) -> bool {
        self.outputs.iter().any(|(_, output)| output.is_lit())
    }

    /// Does what is due. The datagrams of the call before are gone.
    pub fn advance(&mut self, now_ns: u64) {
        self.due.clear();
        self.sweep();
        self.push_syncs(now_ns);
        // A packet that is still waiting belongs to the frame before: it comes first, and by itself.
        if !self.due.is_empty() {
            return;
        }
        if let Some((frame_ns, skipped)) = self.pacer.take(now_ns) {
            let is_active = self.is_active();
            if is_active {
                self.counters.frames += 1;
                // Before the first levels nobody waited for a frame.
                self.counters.skipped += if self.was_active { skipped } else { 0 };
                self.announcement.start(frame_ns);
                self.frame(frame_ns);
                self.push_syncs(now_ns);
            }
            self.was_active = is_active;
        }
        if self.announcement.is_due(now_ns) {
            let lit = self
                .outputs
                .iter()
                .filter(|(_, output)| output.is_lit() && !output.is_ending());
            let named = self.syncs.iter().map(|(address, _)| address);
            let listed = lit.map(|(universe, _)| universe).chain(named);
            let pages = self.announcement.write(now_ns, &self.settings, listed);
            self.due.extend((0..pages).map(Due::Page));
        }
    }

    /// Pushes the packets of a frame.
    fn frame(&mut self, frame_ns: u64) {
        let period_ns = self.settings.rate.period_ns();
        // What one universe of a synchronized frame needs, all of them get: a frame is sent whole.
        for (_, output) in self.outputs.iter().filter(|(_, output)| output.is_shown()) {
            if let Some(sync) = output
                .sync_address()
                .and_then(|address| self.syncs.get_mut(address))
            {
                sync.ask(
                    output.is_due(frame_ns, period_ns),
                    output.is_free(frame_ns, period_ns),
                );
            }
        }
        for (universe, output) in self.outputs.iter_mut() {
            let sync = output
                .sync_address()
                .and_then(|address| self.syncs.get_mut(address));
            let is_wanted = match &sync {
                Some(sync) => sync.is_asked(),
                None => output.is_due(frame_ns, period_ns) && output.is_free(frame_ns, period_ns),
            };
            if output.is_priorities_due(frame_ns, period_ns) {
                output.send_priorities(frame_ns);
                self.due.push(Due::Priorities(universe));
                self.counters.packets += 1;
            }
            if output.is_lit() && (is_wanted || !output.is_shown()) {
                output.send_levels(frame_ns);
                self.due.push(Due::Levels(universe));
                self.counters.packets += 1;
            }
        }
        for (_, sync) in self.syncs.iter_mut() {
            sync.schedule(frame_ns.saturating_add(self.settings.sync_gap_ns));
        }
    }

    fn push_syncs(&mut self, now_ns: u64) {
        for (address, sync) in self.syncs.iter_mut() {
            if sync.take(now_ns) {
                self.due.push(Due::Sync(address));
                self.counters.syncs += 1;
            }
        }
    }

    /// Removes the universes whose last packet was returned, and the addresses that no universe names.
    fn sweep(&mut self) {
        let mut is_over = false;
        for (_, output) in self.outputs.iter().filter(|(_, output)| output.is_over()) {
            is_over = true;
            if let Some(sync) = output
                .sync_address()
                .and_then(|address| self.syncs.get_mut(address))
            {
                sync.users -= 1;
            }
        }
        if is_over {
            self.outputs.retain(|output| !output.is_over());
            self.syncs.retain(|sync| sync.users > 0);
            if self.outputs.len() == 0 {
                self.announcement.stop();
            }
        }
    }

    /// The packets of the last [`advance`](Self::advance), in the order in which they are to be sent.
    pub fn packets(&self) -> impl Iterator<Item = Packet<'_>> {
        self.due.iter().filter_map(|due| {
            let (universe, target, group, bytes) = match *due {
                Due::Levels(universe) => {
                    let output = self.outputs.get(universe)?;
                    (Some(universe), output.target(), universe.group(), output.levels())
                }
                Due::Priorities(universe) => {
                    let output = self.outputs.get(universe)?;
                    let priorities = output.priorities()?;
                    (Some(universe), output.target(), universe.group(), priorities)
                }
                Due::Sync(address) => {
                    let sync = self.syncs.get(address)?;
                    (None, &Target::Multicast, address.group(), sync.bytes())
                }
                Due::Page(page) => {
                    let page = self.announcement.page(page)?;
                    (None, &Target::Multicast, DISCOVERY_GROUP, page)
                }
            };
            Some(Packet {
                to: output::recipients(target, group),
                universe: universe.map(SacnUniverse::get),
                bytes,
            })
        })
    }

    /// The datagrams of those packets.
    pub fn datagrams(&self) -> impl Iterator<Item = Datagram<'_>> {
        self.packets().flat_map(Packet::datagrams)
    }

    /// The counters.
    pub fn counters(&self) -> SenderCounters {
        self.counters
    }
}

fn check_priority(priority: u8) -> Result<(), SenderError> {
    if priority > MAX_PRIORITY {
        Err(SenderError::Priority { got: priority })
    } else {
        Ok(())
    }
}
