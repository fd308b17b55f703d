//! Recordings of a grid of lamps that lack states, and what looks like that.

use rustle_mapping::frames::Frame;
use rustle_mapping::schedule::Schedule;

/// Frames of lamps in a grid, 1.3 pixels wide, of which some are dead, and their mirror images in so much light.
struct Grid<'a> {
    schedule: &'a Schedule,
    is_alive: fn(usize) -> bool,
    image: f32,
    /// The columns behind a bar, and its frames.
    bar: (usize, std::ops::Range<i32>),
    /// How bright each is before the schedule, and after it.
    outside: [fn(usize) -> f32; 2],
}

/// What was found of a grid.
#[derive(Debug, Default, PartialEq)]
struct Numbers {
    found: usize,
    sure: usize,
    /// Those that are elsewhere, and those of these that are sure.
    wrong: usize,
    wrong_sure: usize,
}

/// So many that are sure, and no other.
fn sure(count: usize) -> Numbers {
    Numbers {
        found: count,
        sure: count,
        ..Numbers::default()
    }
}

impl<'a> Grid<'a> {
    const SIZE: (usize, usize) = (160, 120);

    /// Lamps that are all alive, and dark outside of the schedule.
    fn new(schedule: &'a Schedule) -> Self {
        Self {
            schedule,
            is_alive: |_| true,
            image: 0.0,
            bar: (0, 0..0),
            outside: [|_| 0.0; 2],
        }
    }

    fn at(id: usize) -> [f32; 2] {
        [10.3 + 14.0 * (id % 10) as f32, 8.6 + 7.0 * (id / 10 * 2) as f32]
    }

    /// The frame of a place in the schedule, before it or after it.
    fn frame(&self, place: i32) -> Frame {
        let state = usize::try_from(place)
            .ok()
            .map(|place| place / self.schedule.hold());
        let level = |id: usize| match state.map(|state| self.schedule.states().get(state)) {
            Some(Some(state)) => f32::from(u8::from(state.lights(id as u32))),
            Some(None) => self.outside[1](id),
            None => self.outside[0](id),
        };
        let mut light = vec![0.1_f32; Self::SIZE.0 * Self::SIZE.1];
        for id in (0..self.schedule.count()).filter(|id| (self.is_alive)(*id)) {
            let [x, y] = Self::at(id);
            let part = 0.6 * level(id);
            for (y, part) in [(y, part), (Self::SIZE.1 as f32 - 1.0 - y, part * self.image)] {
                for row in (y - 6.0).max(0.0) as usize..(y + 7.0).min(Self::SIZE.1 as f32) as usize {
                    for column in (x - 6.0) as usize..(x + 7.0) as usize {
                        let off = (column as f32 - x).powi(2) + (row as f32 - y).powi(2);
                        light[row * Self::SIZE.0 + column] += part * (-off / 3.38).exp();
                    }
                }
            }
        }
        if self.bar.1.contains(&place) {
            for row in light.chunks_exact_mut(Self::SIZE.0) {
                row[..self.bar.0].fill(0.3);
            }
        }
        // Noise of one in a hundred, the same in each run.
        let mut seed = (place as u32).wrapping_mul(2_654_435_761);
        let mut noise = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((seed >> 8) as f32 / 8_388_608.0 - 1.0) * 0.02
        };
        let level = |light: f32| ((light + noise()).clamp(0.0, 1.0) * 255.0).round() as u16 * 257;
        Frame {
            width: Self::SIZE.0 as u32,
            height: Self::SIZE.1 as u32,
            pixels: light.into_iter().map(level).collect(),
        }
    }

    /// As [`Self::found_between`], without frames before the schedule.
    fn found(&self, after: usize, is_lost: impl Fn(usize) -> bool) -> Numbers {
        self.found_between(0, after, is_lost)
    }

    /// What is found with so many frames before the schedule and after it, without some from its first one on.
    fn found_between(&self, before: usize, after: usize, is_lost: impl Fn(usize) -> bool) -> Numbers {
        let places = -(before as i32)..(self.schedule.frames() + after) as i32;
        let is_shown = |place: &i32| usize::try_from(*place).map_or(true, |place| !is_lost(place));
        let frames: Vec<Frame> = places.filter(is_shown).map(|place| self.frame(place)).collect();
        let mut numbers = Numbers::default();
        for found in rustle_mapping::decode(&frames, self.schedule).fixtures {
            let Ok(place) = found.place else { continue };
            let [x, y] = Self::at(found.id as usize);
            let is_wrong = (place.at[0] as f32 - x).hypot(place.at[1] as f32 - y) > 2.0;
            numbers.found += 1;
            numbers.sure += usize::from(found.is_sure());
            numbers.wrong += usize::from(is_wrong);
            numbers.wrong_sure += usize::from(is_wrong && found.is_sure());
        }
        numbers
    }
}

#[test]
fn complete_recording_of_few_lamps_leaves_them_sure() {
    let all: fn(usize) -> bool = |_| true;
    for hold in [1, 2, 3] {
        for (schedule, is_alive, alive) in [
            (Schedule::standard(2, hold), all, 2),
            (Schedule::standard(8, hold), |id| id == 3, 1),
            (Schedule::standard(16, hold), |id| id < 8, 8),
            (Schedule::checked(8, hold), |id| id == 3, 1),
        ] {
            let schedule = schedule.expect("schedule");
            let grid = Grid {
                is_alive,
                ..Grid::new(&schedule)
            };
            assert_eq!(grid.found(0, |_| false), sure(alive), "{schedule:?}");
        }
    }
}

#[test]
fn lost_states_leave_no_sure_place_that_is_wrong() {
    for count in [8, 15, 16, 30, 32, 64] {
        for hold in [1, 2, 3] {
            let schedule = Schedule::standard(count, hold).expect("schedule");
            let grid = Grid::new(&schedule);
            assert_eq!(grid.found(0, |_| false), sure(count), "{count}, {hold}");
            for state in 0..schedule.states().len() {
                for after in [0, hold, 8] {
                    let found = grid.found(after, |frame| frame / hold == state);
                    assert_eq!(found.wrong_sure, 0, "{count}, {hold}, {state}, {after}");
                }
            }
        }
    }
}

#[test]
fn lost_check_bit_leaves_all_sure_and_states_lost_in_three_places_most() {
    let (count, hold) = (40, 2);
    let schedule = Schedule::checked(count, hold).expect("schedule");
    let grid = Grid::new(&schedule);
    let checks = Schedule::standard(count, hold).expect("schedule").states().len();
    for state in checks..schedule.states().len() {
        let found = grid.found(0, |frame| frame / hold == state);
        assert_eq!(found, sure(count), "{state}");
    }
    for lost in [[1, 5, 9], [2, 6, 10], [3, 8, 13]] {
        let found = grid.found(0, |frame| lost.contains(&(frame / hold)));
        assert!(found.sure > count / 2 && found.wrong == 0, "{lost:?}: {found:?}");
    }
}

#[test]
fn crossing_and_images_beside_dead_lamps_leave_the_others_found() {
    for count in [24, 60] {
        let schedule = Schedule::standard(count, 2).expect("schedule");
        for pair in 1..schedule.states().len() as i32 / 2 {
            // Four of ten columns.
            let grid = Grid {
                bar: (60, 4 * pair..4 * pair + 4),
                ..Grid::new(&schedule)
            };
            let found = grid.found(0, |_| false);
            let open = (0..count).filter(|id| Grid::at(*id)[0] > 60.0).count();
            assert!(
                found.found >= open + found.wrong && found.wrong_sure == 0,
                "{count}, {pair}: {found:?}"
            );
        }
    }
    for image in [0.5, 0.7] {
        for is_alive in [|id: usize| id < 16, |id: usize| id.is_multiple_of(2)] {
            let schedule = Schedule::checked(32, 2).expect("schedule");
            let grid = Grid {
                is_alive,
                image,
                ..Grid::new(&schedule)
            };
            assert_eq!(grid.found(0, |_| false), sure(16), "{image}");
        }
    }
}

#[test]
fn pair_that_is_lost_beside_other_light_leaves_no_sure_place_that_is_wrong() {
    // The light that stays was taken for that of the last bit, and half of the light hid all probes.
    type Levels = fn(usize) -> f32;
    let (dark, half): (Levels, Levels) = (|_| 0.0, |_| 0.5);
    let third: Levels = |id| if id.is_multiple_of(3) { 1.0 } else { 0.0 };
    for (outside, before, afters) in [([dark, third], 0, vec![1, 4, 9]), ([half; 2], 16, vec![16])] {
        for count in [24, 30, 48] {
            for hold in [1, 2, 3] {
                let schedule = Schedule::standard(count, hold).expect("schedule");
                let grid = Grid {
                    outside,
                    ..Grid::new(&schedule)
                };
                for &after in &afters {
                    // After half of the light, states of one frame are not found.
                    if hold > 1 || before == 0 {
                        let found = grid.found_between(before, after, |_| false);
                        assert_eq!(found, sure(count), "{count}, {hold}, {before}, {after}");
                    }
                    for pair in 1..schedule.states().len() / 2 {
                        let found = grid.found_between(before, after, |frame| frame / hold / 2 == pair);
                        assert_eq!(found.wrong_sure, 0, "{count}, {hold}, {pair}, {before}, {after}");
                    }
                }
            }
        }
    }
}

#[test]
fn dark_frames_before_a_schedule_hide_no_lamp() {
    for (count, hold) in [(16, 1), (40, 1), (40, 2), (40, 3)] {
        let schedule = Schedule::checked(count, hold).expect("schedule");
        let grid = Grid::new(&schedule);
        for before in [3, 6, 9] {
            for lost in [None, Some(0), Some(2), Some(3)] {
                let found = grid.found_between(before, 0, |frame| Some(frame / hold) == lost);
                assert_eq!(
                    (found.found, found.wrong),
                    (count, 0),
                    "{count}, {hold}, {before}, {lost:?}"
                );
            }
        }
    }
}
