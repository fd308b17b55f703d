//! Recordings of a grid of lamps that lack states, and what looks like that.

use rustle_mapping::frames::Frame;
use rustle_mapping::schedule::Schedule;

/// Frames of lamps in a grid, 1.3 pixels wide, of which some are dead, and their mirror images in so much light.
struct Grid<'a> {
    schedule: &'a Schedule,
    is_alive: fn(usize) -> bool,
    image: f32,
    /// The columns behind a bar, and its frames.
    bar: (usize, std::ops::Range<usize>),
    /// Which are lit after the schedule.
    stays: fn(usize) -> bool,
}

impl Grid<'_> {
    const SIZE: (usize, usize) = (160, 120);

    fn at(id: usize) -> [f32; 2] {
        [10.3 + 14.0 * (id % 10) as f32, 8.6 + 7.0 * (id / 10 * 2) as f32]
    }

    /// The frame of a place in the schedule, or after it.
    fn frame(&self, place: usize) -> Frame {
        let state = self.schedule.states().get(place / self.schedule.hold());
        let mut light = vec![0.1_f32; Self::SIZE.0 * Self::SIZE.1];
        let lit = |id: &usize| {
            let stays = || (self.stays)(*id);
            (self.is_alive)(*id) && state.map_or_else(stays, |state| state.lights(*id as u32))
        };
        for id in (0..self.schedule.count()).filter(lit) {
            let [x, y] = Self::at(id);
            for (y, part) in [(y, 0.6), (Self::SIZE.1 as f32 - 1.0 - y, 0.6 * self.image)] {
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
    fn found(&self, after: usize, is_lost: impl Fn(usize) -> bool) -> [usize; 3] {
        self.found_between(0, after, is_lost)
    }

    /// The fixtures that were found, those of them that are elsewhere, and those of these that are sure, without some frames.
    fn found_between(&self, before: usize, after: usize, is_lost: impl Fn(usize) -> bool) -> [usize; 3] {
        let places = (0..self.schedule.frames() + after).filter(|place| !is_lost(*place));
        let dark = (0..before).map(|_| self.frame(0));
        let frames: Vec<Frame> = dark.chain(places.map(|place| self.frame(place))).collect();
        let mut numbers = [0; 3];
        for found in rustle_mapping::decode(&frames, self.schedule).fixtures {
            let Ok(place) = found.place else { continue };
            let [x, y] = Self::at(found.id as usize);
            let is_wrong = (place.at[0] as f32 - x).hypot(place.at[1] as f32 - y) > 2.0;
            for (number, is_one) in numbers
                .iter_mut()
                .zip([true, is_wrong, is_wrong && found.is_sure()])
            {
                *number += usize::from(is_one);
            }
        }
        numbers
    }
}

#[test]
fn lost_states_leave_no_sure_place_that_is_wrong() {
    for count in [8, 15, 16, 30, 32, 64] {
        for hold in [1, 2, 3] {
            let schedule = Schedule::standard(count, hold).expect("schedule");
            let grid = Grid {
                schedule: &schedule,
                is_alive: |_| true,
                image: 0.0,
                bar: (0, 0..0),
                stays: |_| false,
            };
            assert_eq!(grid.found(0, |_| false), [count, 0, 0], "{count}, {hold}");
            for state in 0..schedule.states().len() {
                for after in [0, hold, 8] {
                    let [_, _, sure] = grid.found(after, |frame| frame / hold == state);
                    assert_eq!(sure, 0, "{count}, {hold}, {state}, {after}");
                }
            }
        }
    }
}

#[test]
fn crossing_and_images_beside_dead_lamps_leave_the_others_found() {
    for count in [24, 60] {
        let schedule = Schedule::standard(count, 2).expect("schedule");
        for pair in 1..schedule.states().len() / 2 {
            // Four of ten columns.
            let grid = Grid {
                schedule: &schedule,
                is_alive: |_| true,
                image: 0.0,
                bar: (60, 4 * pair..4 * pair + 4),
                stays: |_| false,
            };
            let [found, wrong, sure] = grid.found(0, |_| false);
            let open = (0..count).filter(|id| Grid::at(*id)[0] > 60.0).count();
            assert!(
                found >= open + wrong && sure == 0,
                "{count}, {pair}: {found}, {wrong}, {sure}"
            );
        }
    }
    for image in [0.5, 0.7] {
        for is_alive in [|id: usize| id < 16, |id: usize| id.is_multiple_of(2)] {
            let schedule = Schedule::checked(32, 2).expect("schedule");
            let bar = (0, 0..0);
            let grid = Grid {
                schedule: &schedule,
                is_alive,
                image,
                bar,
                stays: |_| false,
            };
            assert_eq!(grid.found(0, |_| false), [16, 0, 0], "{image}");
        }
    }
}

#[test]
fn pair_that_is_lost_before_other_light_leaves_no_sure_place_that_is_wrong() {
    // The light that stays was taken for that of the last bit.
    for count in [24, 30, 48] {
        for hold in [1, 2, 3] {
            let schedule = Schedule::standard(count, hold).expect("schedule");
            let grid = Grid {
                schedule: &schedule,
                is_alive: |_| true,
                image: 0.0,
                bar: (0, 0..0),
                stays: |id| id % 3 == 0,
            };
            for pair in 1..schedule.states().len() / 2 {
                for after in [1, 4, 9] {
                    let [_, _, sure] = grid.found(after, |frame| frame / hold / 2 == pair);
                    assert_eq!(sure, 0, "{count}, {hold}, {pair}, {after}");
                }
            }
        }
    }
}

#[test]
fn dark_frames_before_a_schedule_hide_no_lamp() {
    for (count, hold) in [(16, 1), (40, 1), (40, 2), (40, 3)] {
        let schedule = Schedule::checked(count, hold).expect("schedule");
        let grid = Grid {
            schedule: &schedule,
            is_alive: |_| true,
            image: 0.0,
            bar: (0, 0..0),
            stays: |_| false,
        };
        for before in [3, 6, 9] {
            for lost in [None, Some(0), Some(2), Some(3)] {
                let found = grid.found_between(before, 0, |frame| Some(frame / hold) == lost);
                assert_eq!(found, [count, 0, 0], "{count}, {hold}, {before}, {lost:?}");
            }
        }
    }
}
