//! A universe that is sent.

use super::SacnSenderSettings;
use crate::sacn::{DEFAULT_PRIORITY, DataBuffer, LEVELS, Options, PORT, PRIORITIES};
use crate::sender::Recipients;
use crate::sender::refresh::Refresh;
use crate::{Cid, Name, SacnUniverse};
use std::net::{Ipv4Addr, SocketAddrV4};

/// The packets that follow a change (ANSI E1.31-2018, 6.6.2), and those of a termination (6.2.6).
const REPETITIONS: u8 = 3;
const TERMINATIONS: u8 = 3;
/// In place of the packets that are left: it has no end yet.
const LASTING: u8 = u8::MAX;

/// Where the data of a universe go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// To the universe's group.
    #[default]
    Multicast,
    /// To these addresses; usually their port is [`PORT`].
    Unicast(Vec<SocketAddrV4>),
}

/// How a universe is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SacnOutput {
    /// The priority, 0..=200.
    pub priority: u8,
    /// The synchronization address that its data name; `None`: they act at once. All universes of an address are sent in each frame
    /// in which one of them is.
    pub sync_address: Option<SacnUniverse>,
    /// Whether data act at once when synchronization is lost.
    pub forces_sync: bool,
    /// Whether the data are previews.
    pub is_preview: bool,
    /// Where the data go. Synchronization and universe discovery are always multicast.
    pub target: Target,
}

impl Default for SacnOutput {
    fn default() -> Self {
        Self {
            priority: DEFAULT_PRIORITY,
            sync_address: None,
            forces_sync: false,
            is_preview: false,
            target: Target::Multicast,
        }
    }
}

#[derive(Debug)]
pub(super) struct Output {
    universe: SacnUniverse,
    settings: SacnOutput,
    levels: DataBuffer,
    priorities: Option<Box<DataBuffer>>,
    refresh: Refresh,
    priorities_refresh: Refresh,
    /// The last number that was sent, of levels or priorities.
    sequence: u8,
    is_lit: bool,
    /// The packets that are left: the terminated ones, and before them one of levels that were not sent yet; or [`LASTING`].
    left: u8,
}

impl Output {
    pub(super) fn new(
        source: &SacnSenderSettings,
        universe: SacnUniverse,
        settings: SacnOutput,
        sequence: u8,
    ) -> Self {
        let mut levels = DataBuffer::new(source.cid, &source.name, universe, LEVELS);
        levels.set_priority(settings.priority);
        levels.set_sync_address(settings.sync_address);
        let mut output = Self {
            universe,
            settings,
            levels,
            priorities: None,
            refresh: Refresh::default(),
            priorities_refresh: Refresh::default(),
            sequence,
            is_lit: false,
            left: LASTING,
        };
        output.levels.set_options(output.options());
        output
    }

    fn options(&self) -> Options {
        let set = |is_set, option| if is_set { option } else { Options::NONE };
        set(self.settings.forces_sync, Options::FORCE_SYNC)
            .with(set(self.settings.is_preview, Options::PREVIEW))
            .with(set(self.is_terminating(), Options::TERMINATED))
    }

    pub(super) fn sync_address(&self) -> Option<SacnUniverse> {
        self.settings.sync_address
    }

    pub(super) fn target(&self) -> &Target {
        &self.settings.target
    }

    pub(super) fn set_target(&mut self, target: Target) {
        if self.settings.target != target {
            self.settings.target = target;
            self.refresh.change();
            self.priorities_refresh.change();
        }
    }

    pub(super) fn sequence(&self) -> u8 {
        self.sequence
    }

    /// Whether it has levels.
    pub(super) fn is_lit(&self) -> bool {
        self.is_lit
    }

    pub(super) fn is_ending(&self) -> bool {
        self.left != LASTING
    }

    /// Whether its next packet is terminated.
    fn is_terminating(&self) -> bool {
        self.left <= TERMINATIONS
    }

    /// Whether it has levels for receivers to show.
    pub(super) fn is_shown(&self) -> bool {
        self.is_lit && !self.is_terminating()
    }

    pub(super) fn is_over(&self) -> bool {
        self.left == 0
    }

    pub(super) fn end(&mut self) {
        if !self.is_ending() {
            let packets = TERMINATIONS + u8::from(self.refresh.is_changed());
            self.left = if self.is_lit { packets } else { 0 };
        }
    }

    /// Ends without further packets.
    pub(super) fn discard(&mut self) {
        self.left = 0;
    }

    pub(super) fn set_levels(&mut self, slots: &[u8]) {
        if self.is_lit && self.levels.slots() == slots {
            return;
        }
        self.levels.set_slots(slots);
        self.refresh.change();
        self.is_lit = true;
    }

    pub(super) fn set_priority(&mut self, priority: u8) {
        if self.settings.priority != priority {
            self.settings.priority = priority;
            self.levels.set_priority(priority);
            if let Some(priorities) = &mut self.priorities {
                priorities.set_priority(priority);
            }
            self.refresh.change();
        }
    }

    pub(super) fn set_priorities(&mut self, cid: Cid, name: &Name<64>, slots: Option<&[u8]>) {
        let Some(slots) = slots else {
            self.priorities = None;
            return;
        };
        if self
            .priorities
            .as_ref()
            .is_some_and(|priorities| priorities.slots() == slots)
        {
            return;
        }
        let (universe, priority, options) = (self.universe, self.settings.priority, self.options());
        let sync_address = self.settings.sync_address;
        let priorities = self.priorities.get_or_insert_with(|| {
            let mut buffer = DataBuffer::new(cid, name, universe, PRIORITIES);
            buffer.set_priority(priority);
            buffer.set_options(options);
            buffer.set_sync_address(sync_address);
            Box::new(buffer)
        });
        priorities.set_slots(slots);
        self.priorities_refresh.change();
    }

    pub(super) fn is_due(&self, now_ns: u64, period_ns: u64) -> bool {
        self.is_shown() && self.refresh.is_due(now_ns, period_ns)
    }

    pub(super) fn is_free(&self, now_ns: u64, period_ns: u64) -> bool {
        self.refresh.is_free(now_ns, period_ns)
    }

    pub(super) fn is_priorities_due(&self, now_ns: u64, period_ns: u64) -> bool {
        let is_sent = self.priorities.is_some() && self.is_shown();
        is_sent
            && self.priorities_refresh.is_second_due(now_ns, period_ns)
            && self.priorities_refresh.is_free(now_ns, period_ns)
    }

    pub(super) fn send_priorities(&mut self, now_ns: u64) {
        self.sequence = self.sequence.wrapping_add(1);
        if let Some(priorities) = &mut self.priorities {
            self.priorities_refresh.sent(now_ns, priorities.slots().len(), 0);
            priorities.set_sequence(self.sequence);
        }
    }

    pub(super) fn send_levels(&mut self, now_ns: u64) {
        self.sequence = self.sequence.wrapping_add(1);
        self.levels.set_sequence(self.sequence);
        self.levels.set_options(self.options());
        self.refresh.sent(now_ns, self.levels.slots().len(), REPETITIONS);
        if self.is_ending() {
            self.left = self.left.saturating_sub(1);
        }
    }

    pub(super) fn levels(&self) -> &[u8] {
        self.levels.bytes()
    }

    pub(super) fn priorities(&self) -> Option<&[u8]> {
        self.priorities.as_ref().map(|priorities| priorities.bytes())
    }
}

/// The recipients of a target, for a group.
pub(super) fn recipients(target: &Target, group: Ipv4Addr) -> Recipients<'_> {
    match target {
        Target::Multicast => Recipients::Group(SocketAddrV4::new(group, PORT)),
        Target::Unicast(to) => Recipients::Addresses(to),
    }
}
