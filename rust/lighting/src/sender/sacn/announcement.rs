//! Universe discovery (ANSI E1.31-2018, 8).

use super::SacnSenderSettings;
use crate::SacnUniverse;
use crate::sacn::{DiscoveryBuffer, PAGE_UNIVERSES};

/// The time between two lists (E131_UNIVERSE_DISCOVERY_INTERVAL, ANSI E1.31-2018, appendix A: 10 s).
const INTERVAL_NS: u64 = 10_000_000_000;

/// The list of universes with data and of synchronization addresses in use, in pages.
#[derive(Debug)]
pub(super) struct Announcement {
    /// When the next list is due; `None`: not before the first levels.
    next_ns: Option<u64>,
    listed: Vec<SacnUniverse>,
    pages: Vec<DiscoveryBuffer>,
}

impl Announcement {
    pub(super) fn new() -> Self {
        Self {
            next_ns: None,
            listed: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// Room for a number of universes and addresses.
    pub(super) fn reserve(&mut self, count: usize) {
        self.listed.reserve(count.saturating_sub(self.listed.len()));
        let pages = count.div_ceil(PAGE_UNIVERSES).max(1);
        self.pages.reserve(pages.saturating_sub(self.pages.len()));
    }

    pub(super) fn most_pages(&self) -> usize {
        self.pages.capacity()
    }

    /// The first levels are sent: the first list follows.
    pub(super) fn start(&mut self, now_ns: u64) {
        self.next_ns.get_or_insert(now_ns);
    }

    /// No universe is left.
    pub(super) fn stop(&mut self) {
        self.next_ns = None;
    }

    pub(super) fn next_ns(&self) -> Option<u64> {
        self.next_ns
    }

    pub(super) fn is_due(&self, now_ns: u64) -> bool {
        self.next_ns.is_some_and(|next_ns| now_ns >= next_ns)
    }

    /// Writes the pages; returns their number.
    pub(super) fn write(
        &mut self,
        now_ns: u64,
        source: &SacnSenderSettings,
        listed: impl Iterator<Item = SacnUniverse>,
    ) -> usize {
        // Late wakes do not delay all lists that follow, nor do missed ones come at once.
        let due_ns = self.next_ns.unwrap_or(now_ns);
        let missed = now_ns.saturating_sub(due_ns) / INTERVAL_NS;
        self.next_ns = Some(due_ns.saturating_add((missed + 1).saturating_mul(INTERVAL_NS)));
        self.listed.clear();
        self.listed.extend(listed);
        self.listed.sort_unstable();
        self.listed.dedup();
        let last = self.listed.len().div_ceil(PAGE_UNIVERSES).max(1) - 1;
        self.pages.clear();
        for page in 0..=last {
            let from = page * PAGE_UNIVERSES;
            let universes = &self.listed[from..self.listed.len().min(from + PAGE_UNIVERSES)];
            // At most 63999 universes: 125 pages.
            let buffer = DiscoveryBuffer::new(source.cid, &source.name, page as u8, last as u8, universes);
            self.pages.push(buffer);
        }
        self.pages.len()
    }

    pub(super) fn page(&self, page: usize) -> Option<&[u8]> {
        self.pages.get(page).map(DiscoveryBuffer::bytes)
    }
}
