//! The way of changes from callers to a sender's thread, which never waits for a caller.

use super::configuration::DmxProtocol;
use super::counters::{DmxSentCounts, UniverseCounters};
use super::error::DmxError;
use crate::lock::{Lock, locked};
use rustle_lighting::SLOTS;
use rustle_lighting::sacn::MAX_PRIORITY;
use rustle_lighting::sender::SenderError;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError};

/// Slots that were given; none: nothing was.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    count: usize,
    bytes: [u8; SLOTS],
}

impl Slots {
    fn none() -> Self {
        Self {
            count: 0,
            bytes: [0; SLOTS],
        }
    }

    fn set(&mut self, slots: &[u8]) {
        self.bytes[..slots.len()].copy_from_slice(slots);
        self.count = slots.len();
    }

    /// The slots; `None`: none were given.
    pub(super) fn get(&self) -> Option<&[u8]> {
        (self.count > 0).then_some(&self.bytes[..self.count])
    }
}

/// The changes of a universe since the thread took the last ones: its last levels written, removed, then added, then written.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) universe: u16,
    pub(super) is_removed: bool,
    /// The levels that were written before it was removed.
    last: Option<Box<Slots>>,
    pub(super) is_added: bool,
    /// Of one that is added.
    pub(super) counters: Option<Arc<UniverseCounters>>,
    pub(super) priority: Option<u8>,
    pub(super) levels: Slots,
    /// Per-address priorities; given and empty: none any more.
    pub(super) priorities: Option<Box<Slots>>,
}

impl Change {
    fn new(universe: u16) -> Self {
        Self {
            universe,
            is_removed: false,
            last: None,
            is_added: false,
            counters: None,
            priority: None,
            levels: Slots::none(),
            priorities: None,
        }
    }

    /// Begins anew in the same memory.
    fn begin(&mut self, universe: u16) {
        (self.universe, self.is_removed, self.is_added) = (universe, false, false);
        (self.priority, self.priorities, self.levels.count) = (None, None, 0);
        (self.last, self.counters) = (None, None);
    }

    /// The levels to send before the universe is removed; `None`: those that were sent are the last.
    pub(super) fn last_levels(&self) -> Option<&[u8]> {
        self.last.as_ref()?.get()
    }
}

/// The changes of all universes. Its memory grows only while a caller has it.
#[derive(Debug, Default)]
pub(super) struct Changes {
    changes: Vec<Change>,
    used: usize,
    places: HashMap<u16, usize>,
}

impl Changes {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Change> {
        self.changes[..self.used].iter()
    }

    /// Forgets the changes, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.used = 0;
        self.places.clear();
    }

    fn of(&mut self, universe: u16) -> &mut Change {
        let place = *self.places.entry(universe).or_insert(self.used);
        if place == self.used {
            match self.changes.get_mut(place) {
                Some(change) => change.begin(universe),
                None => self.changes.push(Change::new(universe)),
            }
            self.used += 1;
        }
        &mut self.changes[place]
    }
}

/// Changes that wait for the thread's next frame. What one call writes, one frame has.
#[derive(Debug)]
pub(super) struct Mailbox {
    protocol: DmxProtocol,
    inside: Mutex<Inside>,
    has_mail: AtomicBool,
}

#[derive(Debug, Default)]
struct Inside {
    universes: BTreeMap<u16, Arc<UniverseCounters>>,
    changes: Changes,
}

impl Mailbox {
    pub(super) fn new(protocol: DmxProtocol) -> Self {
        Self {
            protocol,
            inside: Mutex::default(),
            has_mail: AtomicBool::new(false),
        }
    }

    /// Removes a universe, after the levels that were written before. Has no effect on one that is not there.
    ///
    /// # Errors
    /// [`DmxError::Universe`].
    pub(super) fn remove(&self, universe: u32) -> Result<(), DmxError> {
        let number = self.protocol.number(universe)?;
        self.change(|inside| {
            if inside.universes.remove(&number).is_some() {
                let change = inside.changes.of(number);
                // One that the thread has not seen is forgotten.
                let is_removed = change.is_removed || !change.is_added;
                let last = match change.last.take() {
                    None if is_removed && change.levels.get().is_some() => {
                        Some(Box::new(change.levels.clone()))
                    }
                    last => last,
                };
                change.begin(number);
                (change.is_removed, change.last) = (is_removed, last);
            }
        });
        Ok(())
    }

    /// Writes the levels of universes, the same number of slots for each, one after the other: all of them for one frame. A universe
    /// that is new is added, as by the other calls that write.
    ///
    /// # Errors
    /// [`DmxError::Frame`], [`DmxError::Universe`]; nothing is written then.
    pub(super) fn set_levels(&self, universes: &[u32], slots: &[u8]) -> Result<(), DmxError> {
        if universes.is_empty() && slots.is_empty() {
            return Ok(());
        }
        let count = slots.len() / universes.len().max(1);
        if !(1..=SLOTS).contains(&count) || slots.len() != count * universes.len() {
            let (universes, slots) = (universes.len(), slots.len());
            return Err(DmxError::Frame { universes, slots });
        }
        for universe in universes {
            self.protocol.number(*universe)?;
        }
        self.change(|inside| {
            for (universe, slots) in universes.iter().zip(slots.chunks_exact(count)) {
                // In range, as checked above.
                inside.open(*universe as u16).levels.set(slots);
            }
        });
        Ok(())
    }

    /// Writes per-address priorities; no slots: none.
    ///
    /// # Errors
    /// [`DmxError::Unsupported`], [`SenderError`].
    pub(super) fn set_priorities(&self, universe: u32, slots: &[u8]) -> Result<(), DmxError> {
        self.check_sacn("per-address priority")?;
        let number = self.protocol.number(universe)?;
        if slots.len() > SLOTS {
            return Err(SenderError::Slots { got: slots.len() }.into());
        }
        if let Some(got) = slots.iter().copied().find(|priority| *priority > MAX_PRIORITY) {
            return Err(SenderError::Priority { got }.into());
        }
        let mut given = Box::new(Slots::none());
        given.set(slots);
        self.change(|inside| inside.open(number).priorities = Some(given));
        Ok(())
    }

    /// Writes a universe's priority.
    ///
    /// # Errors
    /// As [`set_priorities`](Self::set_priorities).
    pub(super) fn set_priority(&self, universe: u32, priority: u8) -> Result<(), DmxError> {
        self.check_sacn("priority")?;
        let number = self.protocol.number(universe)?;
        if priority > MAX_PRIORITY {
            return Err(SenderError::Priority { got: priority }.into());
        }
        self.change(|inside| inside.open(number).priority = Some(priority));
        Ok(())
    }

    /// The counts of a universe since it was added; zeros for one that is not there.
    ///
    /// # Errors
    /// [`DmxError::Universe`].
    pub(super) fn counts(&self, universe: u32) -> Result<DmxSentCounts, DmxError> {
        let number = self.protocol.number(universe)?;
        let mut counts = DmxSentCounts::default();
        // As a change: the thread passes by while a caller has the lock.
        self.change(|inside| {
            if let Some(counters) = inside.universes.get(&number) {
                counts = counters.look();
            }
        });
        Ok(counts)
    }

    fn check_sacn(&self, setting: &'static str) -> Result<(), DmxError> {
        match self.protocol {
            DmxProtocol::Sacn => Ok(()),
            DmxProtocol::ArtNet => Err(DmxError::Unsupported { setting }),
        }
    }

    fn change(&self, write: impl FnOnce(&mut Inside)) {
        write(&mut locked(&self.inside, Lock::Mailbox));
        // After the lock: the thread that finds mail finds the door open, unless another caller leaves more.
        self.has_mail.store(true, Ordering::SeqCst);
    }

    /// Whether there are changes that the thread has not taken.
    pub(super) fn has_mail(&self) -> bool {
        self.has_mail.load(Ordering::SeqCst)
    }

    /// Exchanges the changes with `spare`, which is empty. While a caller writes, nothing is taken: it leaves mail when it is done.
    pub(super) fn take(&self, spare: &mut Changes) {
        if !self.has_mail.swap(false, Ordering::SeqCst) {
            return;
        }
        let mut inside = match self.inside.try_lock() {
            Ok(inside) => inside,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        std::mem::swap(&mut inside.changes, spare);
    }
}

impl Inside {
    /// The change of a universe, which is added if it is new.
    fn open(&mut self, number: u16) -> &mut Change {
        let change = self.changes.of(number);
        self.universes.entry(number).or_insert_with(|| {
            let counters = Arc::<UniverseCounters>::default();
            (change.is_added, change.counters) = (true, Some(counters.clone()));
            counters
        });
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mailbox: &Mailbox) -> Vec<Change> {
        let mut changes = Changes::default();
        mailbox.take(&mut changes);
        changes.iter().cloned().collect()
    }

    #[test]
    fn newest_levels_replace_those_that_wait() -> Result<(), DmxError> {
        let mailbox = Mailbox::new(DmxProtocol::Sacn);
        mailbox.set_levels(&[1, 2], &[1, 2])?;
        mailbox.set_levels(&[1], &[3])?;
        let changes = taken(&mailbox);
        let levels: Vec<_> = changes.iter().map(|change| change.levels.get()).collect();
        assert_eq!(levels, [Some(&[3][..]), Some(&[2][..])]);
        assert!(!mailbox.has_mail() && taken(&mailbox).is_empty());
        Ok(())
    }

    #[test]
    fn universe_that_is_removed_before_it_was_sent_leaves_nothing_to_do() -> Result<(), DmxError> {
        let mailbox = Mailbox::new(DmxProtocol::Sacn);
        mailbox.set_levels(&[7], &[1])?;
        mailbox.remove(7)?;
        mailbox.remove(8)?;
        let [change] = &taken(&mailbox)[..] else {
            panic!("expected one change")
        };
        assert!(!change.is_removed && !change.is_added && change.levels.get().is_none());
        // One that is sent is removed, and comes back with its new levels alone.
        mailbox.set_levels(&[7], &[1])?;
        taken(&mailbox);
        mailbox.set_levels(&[7], &[1])?;
        mailbox.remove(7)?;
        mailbox.set_priority(7, 7)?;
        let [change] = &taken(&mailbox)[..] else {
            panic!("expected one change")
        };
        assert!(change.is_removed && change.is_added && change.levels.get().is_none());
        assert_eq!(change.priority, Some(7));
        assert_eq!(change.last_levels(), Some(&[1][..]), "sent before it is removed");
        Ok(())
    }

    #[test]
    fn call_that_is_refused_changes_nothing() {
        let mailbox = Mailbox::new(DmxProtocol::Sacn);
        for universe in [0, 64_000, 65_537, u32::MAX] {
            assert!(mailbox.set_levels(&[1, universe], &[0; 2]).is_err(), "{universe}");
            assert!(mailbox.remove(universe).is_err() && mailbox.set_priority(universe, 0).is_err());
        }
        for (universes, slots) in [(&[1][..], 0), (&[1], 513), (&[], 1), (&[1, 1], 3), (&[1, 2], 1)] {
            let refusal = mailbox.set_levels(universes, &vec![0; slots]);
            assert!(matches!(refusal, Err(DmxError::Frame { .. })), "{slots}");
        }
        assert!(mailbox.set_priority(1, 201).is_err() && mailbox.set_priorities(1, &[201]).is_err());
        assert!(mailbox.set_priorities(1, &[0; 513]).is_err());
        assert!(mailbox.set_levels(&[], &[]).is_ok());
        assert!(!mailbox.has_mail());
    }

    #[test]
    fn settings_of_sacn_are_refused_by_art_net() {
        let mailbox = Mailbox::new(DmxProtocol::ArtNet);
        for refusal in [mailbox.set_priority(1, 100), mailbox.set_priorities(1, &[100])] {
            assert!(matches!(refusal, Err(DmxError::Unsupported { .. })));
        }
        assert!(mailbox.set_levels(&[0, 32_767], &[0; 2]).is_ok());
        assert!(mailbox.set_levels(&[32_768], &[0]).is_err());
    }

    #[test]
    fn thread_passes_by_while_a_caller_writes() -> Result<(), DmxError> {
        let mailbox = Mailbox::new(DmxProtocol::ArtNet);
        mailbox.set_levels(&[0], &[1])?;
        {
            let _writing = mailbox.inside.lock();
            assert!(taken(&mailbox).is_empty());
        }
        mailbox.set_levels(&[1], &[1])?;
        let changes = taken(&mailbox);
        let universes: Vec<_> = changes
            .iter()
            .map(|change| (change.universe, change.is_added))
            .collect();
        assert_eq!(universes, [(0, true), (1, true)]);
        Ok(())
    }
}
