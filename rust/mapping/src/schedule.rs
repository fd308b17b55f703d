//! Schedules: which fixtures are lit in which frames. A schedule is data, so that the recordings of other programs can be decoded.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt;

/// The most fixtures of a schedule.
pub const MAX_COUNT: usize = 65_536;
/// The most states and frames of a schedule.
pub const MAX_STATES: usize = 1 << 18;
/// The most frames that a state is held for.
pub const MAX_HOLD: usize = 1_000;
/// Where states light more than one fixture: the most frames of a schedule without a list of them, and the most states times fixtures.
pub const MAX_FRAMES: usize = 1 << 16;
/// See [`MAX_FRAMES`].
pub const MAX_CODES: usize = 1 << 24;

/// Which fixtures are lit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// None.
    Dark,
    /// All.
    All,
    /// Those whose id has the bit, 0 the lowest.
    Bit(u32),
    /// Those whose id lacks the bit.
    Not(u32),
    /// Those of a list, in ascending order.
    Ids(Vec<u32>),
}

impl State {
    /// Whether a fixture is lit.
    pub fn lights(&self, id: u32) -> bool {
        match self {
            Self::Dark => false,
            Self::All => true,
            Self::Bit(bit) => id >> bit & 1 == 1,
            Self::Not(bit) => id >> bit & 1 == 0,
            Self::Ids(ids) => ids.binary_search(&id).is_ok(),
        }
    }

    fn read(value: &Value, count: usize) -> Option<Self> {
        if let Value::Array(ids) = value {
            let ids: Option<Vec<u32>> = ids
                .iter()
                .map(|id| id.as_u64().filter(|id| *id < count as u64).map(|id| id as u32))
                .collect();
            let mut ids = ids?;
            ids.sort_unstable();
            ids.dedup();
            return Some(Self::Ids(ids));
        }
        let text = value.as_str()?;
        let bit = |text: &str| text.parse().ok().filter(|bit| *bit < 16);
        match text.split_once(' ') {
            Some(("bit", number)) => Some(Self::Bit(bit(number)?)),
            Some(("not", number)) => Some(Self::Not(bit(number)?)),
            None if text == "dark" => Some(Self::Dark),
            None if text == "all" => Some(Self::All),
            _ => None,
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Dark => json!("dark"),
            Self::All => json!("all"),
            Self::Bit(bit) => json!(format!("bit {bit}")),
            Self::Not(bit) => json!(format!("not {bit}")),
            Self::Ids(ids) => json!(ids),
        }
    }
}

/// What is lit when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    count: usize,
    states: Vec<State>,
    hold: usize,
    /// The state of each frame, where a file says it.
    frames: Option<Vec<usize>>,
}

/// A schedule that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError {
    /// The value's name.
    pub name: &'static str,
    /// What is expected.
    pub expected: String,
    /// What came.
    pub got: String,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, got {}", self.name, self.expected, self.got)
    }
}

impl std::error::Error for ScheduleError {}

fn wrong(name: &'static str, expected: impl Into<String>, got: impl fmt::Display) -> ScheduleError {
    let got: String = got.to_string().chars().take(60).collect();
    ScheduleError {
        name,
        expected: expected.into(),
        got,
    }
}

impl Schedule {
    fn new(count: usize, hold: usize, states: Vec<State>) -> Result<Self, ScheduleError> {
        if !(1..=MAX_COUNT).contains(&count) {
            return Err(wrong("count", format!("1 to {MAX_COUNT} fixtures"), count));
        }
        if !(1..=MAX_HOLD).contains(&hold) {
            return Err(wrong("hold", format!("1 to {MAX_HOLD} frames"), hold));
        }
        if !(1..=MAX_STATES).contains(&states.len()) {
            return Err(wrong("states", format!("1 to {MAX_STATES}"), states.len()));
        }
        Ok(Self {
            count,
            states,
            hold,
            frames: None,
        })
    }

    /// Dark, all, then each bit of the ids and its complement, the lowest first.
    ///
    /// # Errors
    /// [`ScheduleError`] for a count of 0 or past [`MAX_COUNT`], or a hold of 0 or past [`MAX_HOLD`].
    pub fn standard(count: usize, hold: usize) -> Result<Self, ScheduleError> {
        let mut states = vec![State::Dark, State::All];
        for bit in 0..bits(count) {
            states.extend([State::Bit(bit), State::Not(bit)]);
        }
        Self::new(count, hold, states)
    }

    /// As [`Schedule::standard`], then each check bit and its complement: those of a shortened Hamming code, with which ids differ by
    /// three bits or more.
    ///
    /// # Errors
    /// As [`Schedule::standard`].
    pub fn checked(count: usize, hold: usize) -> Result<Self, ScheduleError> {
        let mut schedule = Self::standard(count, hold)?;
        for mask in check_masks(bits(count)) {
            let (odd, even) =
                (0..count as u32).partition::<Vec<_>, _>(|id| (id & mask).count_ones() % 2 == 1);
            schedule.states.extend([State::Ids(odd), State::Ids(even)]);
        }
        Ok(schedule)
    }

    /// Dark, then one fixture after the other, with dark between them.
    ///
    /// # Errors
    /// As [`Schedule::standard`].
    pub fn sequential(count: usize, hold: usize) -> Result<Self, ScheduleError> {
        let mut states = vec![State::Dark];
        for id in 0..count.min(MAX_COUNT) as u32 {
            states.extend([State::Ids(vec![id]), State::Dark]);
        }
        Self::new(count, hold, states)
    }

    /// Reads a schedule: `{"v":1,"states":["dark","all","bit 0","not 0",[0,2]],"hold":2}`, with the state of each frame in `frames`
    /// instead of a hold where they differ.
    ///
    /// # Errors
    /// [`ScheduleError`] for what is no such JSON, for ids past the count and for states that there are not.
    pub fn read(json: &[u8], count: usize) -> Result<Self, ScheduleError> {
        let file: Value = serde_json::from_slice(json).map_err(|error| wrong("schedule", "JSON", error))?;
        if file["v"] != 1 {
            return Err(wrong("v", "1", &file["v"]));
        }
        if let Some(known) = file
            .get("count")
            .filter(|known| known.as_u64() != Some(count as u64))
        {
            return Err(wrong("count", count.to_string(), known));
        }
        let listed = file["states"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut states = Vec::with_capacity(listed.len());
        for value in listed {
            let state = State::read(value, count).ok_or_else(|| {
                let expected = format!(
                    "dark, all, bit 0 to 15, not 0 to 15, or ids of 0 to {}",
                    count.max(1) - 1
                );
                wrong("states", expected, value)
            })?;
            states.push(state);
        }
        let hold = match file.get("hold") {
            None => 1,
            Some(hold) => hold
                .as_u64()
                .ok_or_else(|| wrong("hold", format!("1 to {MAX_HOLD} frames"), hold))?,
        };
        let mut schedule = Self::new(count, usize::try_from(hold).unwrap_or(usize::MAX), states)?;
        let (length, is_listed) = (schedule.states.len(), file.get("frames").is_some());
        if !schedule.is_sequential() {
            if length * count > MAX_CODES {
                return Err(wrong(
                    "states",
                    format!("at most {} with {count} fixtures", MAX_CODES / count),
                    length,
                ));
            }
            if !is_listed && schedule.frames() > MAX_FRAMES {
                return Err(wrong(
                    "hold",
                    format!("at most {MAX_FRAMES} frames of all states"),
                    schedule.frames(),
                ));
            }
        }
        if let Some(frames) = file.get("frames") {
            let length = schedule.states.len();
            let state = |value: &Value| value.as_u64().filter(|state| *state < length as u64);
            let states = frames
                .as_array()
                .filter(|list| (1..=MAX_STATES).contains(&list.len()));
            let read: Option<Vec<_>> = states.and_then(|list| {
                list.iter()
                    .map(|value| state(value).map(|state| state as usize))
                    .collect()
            });
            let expected = format!("a state of 0 to {} for each frame", length - 1);
            schedule.frames = Some(read.ok_or_else(|| wrong("frames", expected, frames))?);
        }
        Ok(schedule)
    }

    /// The schedule as JSON.
    pub fn to_json(&self) -> String {
        let states: Vec<_> = self.states.iter().map(State::json).collect();
        let mut file = json!({"v": 1, "count": self.count, "hold": self.hold, "states": states});
        if let Some(frames) = &self.frames {
            file["frames"] = json!(frames);
        }
        file.to_string()
    }

    /// The number of fixtures.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The frames that each state is held for.
    pub fn hold(&self) -> usize {
        self.hold
    }

    /// The states.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The state of each frame, where the file says it.
    pub fn listed_frames(&self) -> Option<&[usize]> {
        self.frames.as_deref()
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.frames
            .as_ref()
            .map_or(self.states.len() * self.hold, Vec::len)
    }

    /// Whether a state lights all fixtures.
    pub(crate) fn lights_all(&self) -> bool {
        let ids = 0..self.count as u32;
        let mut states = self.states.iter();
        states.any(|state| ids.clone().all(|id| state.lights(id)))
    }

    /// Of each fixture, whether every state lights it as it does another one: no recording distinguishes them. Not of a schedule that
    /// lights one after the other.
    pub(crate) fn alike(&self) -> Vec<bool> {
        if self.is_sequential() {
            return vec![false; self.count];
        }
        let ids = 0..self.count as u32;
        let code = |id: u32| -> Vec<bool> { self.states.iter().map(|state| state.lights(id)).collect() };
        let codes: Vec<Vec<bool>> = ids.map(code).collect();
        let mut counts: HashMap<&[bool], usize> = HashMap::new();
        for code in &codes {
            *counts.entry(code).or_default() += 1;
        }
        codes.iter().map(|code| counts[code.as_slice()] > 1).collect()
    }

    /// Whether no state lights more than one fixture: the fixtures are distinguished by time alone.
    pub fn is_sequential(&self) -> bool {
        self.states.iter().all(|state| match state {
            State::Dark => true,
            State::Ids(ids) => ids.len() <= 1,
            State::All => self.count == 1,
            State::Bit(_) | State::Not(_) => false,
        })
    }
}

/// The bits of the ids of so many fixtures.
pub fn bits(count: usize) -> u32 {
    (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1)
}

/// The data bits of each check bit: a bit's column of the Hamming code is a number with two ones or more (R. W. Hamming, Error
/// Detecting and Error Correcting Codes, Bell System Technical Journal 29, 1950).
fn check_masks(bits: u32) -> Vec<u32> {
    let columns: Vec<u32> = (3..)
        .filter(|column: &u32| column.count_ones() > 1)
        .take(bits as usize)
        .collect();
    let checks = columns.last().map_or(0, |last| u32::BITS - last.leading_zeros());
    (0..checks)
        .map(|check| {
            let covered = columns.iter().enumerate();
            covered
                .filter(|(_, column)| *column >> check & 1 == 1)
                .fold(0, |mask, (bit, _)| mask | 1 << bit)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousand_fixtures_take_44_frames_and_60_with_check_bits() {
        assert_eq!(Schedule::standard(1_000, 2).expect("schedule").frames(), 44);
        assert_eq!(Schedule::checked(1_000, 2).expect("schedule").frames(), 60);
        assert_eq!(Schedule::standard(300, 2).expect("schedule").frames(), 40);
        assert_eq!(
            (bits(1), bits(2), bits(3), bits(1_024), bits(1_025)),
            (1, 1, 2, 10, 11)
        );
    }

    #[test]
    fn ids_with_check_bits_differ_in_three_bits() {
        for count in [2, 5, 100, 1_000] {
            let schedule = Schedule::checked(count, 1).expect("schedule");
            let code = |id: u32| {
                let lit = schedule.states.iter().map(|state| state.lights(id));
                lit.skip(2).step_by(2).collect::<Vec<_>>()
            };
            let codes: Vec<_> = (0..count as u32).map(code).collect();
            for (id, one) in codes.iter().enumerate() {
                for other in &codes[..id] {
                    assert!(one.iter().zip(other).filter(|(a, b)| a != b).count() >= 3);
                }
            }
        }
    }

    #[test]
    fn schedule_is_read_as_it_is_written() {
        for schedule in [Schedule::checked(37, 3), Schedule::sequential(5, 2)] {
            let schedule = schedule.expect("schedule");
            let read = Schedule::read(schedule.to_json().as_bytes(), schedule.count());
            assert_eq!(read, Ok(schedule));
        }
        let listed = br#"{"v":1,"states":["dark","all","bit 0","not 0",[2,0,2]],"frames":[0,0,1,2,3,3,4]}"#;
        let listed = Schedule::read(listed, 3).expect("schedule");
        assert_eq!((listed.frames(), &listed.states[4]), (7, &State::Ids(vec![0, 2])));
        assert_eq!(Schedule::read(listed.to_json().as_bytes(), 3), Ok(listed));
    }

    #[test]
    fn what_is_no_schedule_is_named() {
        for (json, name) in [
            ("", "schedule"),
            ("[]", "v"),
            (r#"{"v":1}"#, "states"),
            (r#"{"v":1,"states":["bit 16"]}"#, "states"),
            (r#"{"v":1,"states":[[3]]}"#, "states"),
            (r#"{"v":1,"states":["dark"],"hold":0}"#, "hold"),
            (r#"{"v":1,"states":["dark"],"hold":"2"}"#, "hold"),
            (r#"{"v":1,"states":["dark"],"count":4}"#, "count"),
            (r#"{"v":1,"states":["dark"],"frames":[1]}"#, "frames"),
            (r#"{"v":1,"states":["dark"],"frames":[]}"#, "frames"),
        ] {
            let error = Schedule::read(json.as_bytes(), 3).expect_err(json);
            assert_eq!(error.name, name, "{json}: {error}");
        }
        let states = |count: usize| vec![r#""bit 0""#; count].join(",");
        let long = format!(r#"{{"v":1,"states":[{}],"hold":1000}}"#, states(66));
        let error = Schedule::read(long.as_bytes(), 3).expect_err("frames");
        assert_eq!(
            error.to_string(),
            "hold: expected at most 65536 frames of all states, got 66000"
        );
        let many = format!(r#"{{"v":1,"states":[{}],"frames":[0]}}"#, states(257));
        let error = Schedule::read(many.as_bytes(), MAX_COUNT).expect_err("codes");
        assert_eq!(
            error.to_string(),
            "states: expected at most 256 with 65536 fixtures, got 257"
        );
        assert!(Schedule::checked(MAX_COUNT, MAX_HOLD).is_ok_and(|schedule| schedule.frames() <= MAX_FRAMES));
        assert_eq!(Schedule::standard(0, 2).expect_err("count").name, "count");
        assert_eq!(Schedule::sequential(1 << 20, 2).expect_err("count").name, "count");
    }

    #[test]
    fn schedule_of_one_fixture_at_a_time_is_sequential() {
        assert!(Schedule::sequential(3, 2).expect("schedule").is_sequential());
        assert!(!Schedule::standard(3, 2).expect("schedule").is_sequential());
    }
}
