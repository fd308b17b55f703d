//! Instructions instead of times, counted by an emulator: for processors that are not available.

use crate::candidate::Candidate;
use std::error::Error;
use std::path::PathBuf;

/// The repetitions of a job between two reads of the counter: each one has the same instructions.
const REPEATS: u64 = 32;

/// The file in which the plugin in `rust/bench/qemu` counts the instructions of this process.
pub(crate) struct Counter(PathBuf);

impl Counter {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self(file)
    }

    fn read(&self) -> Result<u64, Box<dyn Error>> {
        let bytes = std::fs::read(&self.0).map_err(|error| format!("{}: {error}", self.0.display()))?;
        let bytes = bytes.try_into().map_err(|bytes: Vec<u8>| {
            format!("{}: expected 8 bytes, got {}", self.0.display(), bytes.len())
        })?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// The instructions while `body` runs, and those of reading the counter.
    fn during(&self, body: impl FnOnce()) -> Result<u64, Box<dyn Error>> {
        let before = self.read()?;
        body();
        Ok(self.read()? - before)
    }

    /// The instructions of one frame of each candidate, by name.
    pub(super) fn count(
        &self,
        candidates: Vec<Box<dyn Candidate>>,
    ) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
        let count = |mut candidate: Box<dyn Candidate>| {
            candidate.run();
            let mut times = |repeats| self.during(|| (0..repeats).for_each(|_| candidate.run()));
            let (few, many) = (times(REPEATS)?, times(2 * REPEATS)?);
            let frames = REPEATS * candidate.frames() as u64;
            Ok((candidate.name(), (many - few) as f64 / frames as f64))
        };
        candidates.into_iter().map(count).collect()
    }
}
