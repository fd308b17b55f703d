//! From scene to scene.

use crate::Moment;
use crate::look::{Head, Look};
use crate::number::{mix, unit};
use crate::render::{ReadyScene, Renderer, within};
use crate::scene::Span;

/// The fades that go on at one time. A further one freezes what is below the newest ones.
const FADES: usize = 4;
/// A full turn of pan in degrees.
const TURN: f32 = 360.0;

/// A scene that is on, over those below it.
#[derive(Clone, Debug)]
struct Running {
    scene: usize,
    start: Moment,
    /// How long it comes, and how long what is below goes.
    fades: [Span; 2],
    /// Degrees of whole turns by which the pan of each head is off, so that it came the shorter way.
    turns: Vec<f32>,
    /// Whether the turns have been chosen.
    is_turned: bool,
}

/// The scenes that are on. Each but the lowest fades over what is below it, so that a fade that begins within another one goes on
/// from what is seen.
#[derive(Clone, Debug)]
pub(super) struct Crossfade {
    /// The lowest first; places behind `count` are room for more.
    running: Vec<Running>,
    count: usize,
    /// What is below all scenes whose lowest one has not come in full: dark at first.
    frozen: Look,
    is_frozen: bool,
    /// The two lowest scenes as the last frame showed them, if it had as many scenes as there can be.
    lowest: Look,
    is_lowest_known: bool,
    /// Room for the scene that comes, and for the pans that its heads go to.
    coming: Look,
    pans: Vec<[f32; 2]>,
}

impl Crossfade {
    pub(super) fn new(dark: &Look) -> Self {
        let running = Running {
            scene: 0,
            start: Moment::default(),
            fades: [Span::NONE; 2],
            turns: vec![0.0; dark.heads.len()],
            is_turned: false,
        };
        Self {
            running: vec![running; FADES + 1],
            count: 0,
            frozen: dark.clone(),
            is_frozen: true,
            lowest: dark.clone(),
            is_lowest_known: false,
            coming: dark.clone(),
            pans: vec![[0.0; 2]; dark.heads.len()],
        }
    }

    /// The scene that is on, or comes.
    pub(super) fn scene(&self) -> Option<usize> {
        let newest = self.count.checked_sub(1)?;
        Some(self.running[newest].scene)
    }

    pub(super) fn is_fading(&self) -> bool {
        self.count > 1 || (self.is_frozen && self.count == 1)
    }

    /// Moves all starts.
    pub(super) fn shift(&mut self, beats: f64, seconds: f64) {
        for running in &mut self.running[..self.count] {
            running.start = running.start.moved(beats, seconds);
        }
    }

    /// Begins the fade to a scene. With as many fades as there can be, the last frame stands for the oldest ones.
    pub(super) fn start(&mut self, scene: usize, start: Moment, fades: [Span; 2]) {
        if self.count > FADES {
            if self.is_lowest_known {
                std::mem::swap(&mut self.frozen, &mut self.lowest);
                self.is_frozen = true;
                self.drop_oldest(2);
            } else {
                // No frame has shown the newest scene.
                self.count -= 1;
            }
        }
        self.is_lowest_known = false;
        let running = &mut self.running[self.count];
        running.scene = scene;
        running.start = start;
        running.fades = fades;
        running.is_turned = false;
        running.turns.fill(0.0);
        self.count += 1;
    }

    fn drop_oldest(&mut self, count: usize) {
        self.running[..self.count].rotate_left(count);
        self.count -= count;
    }

    /// Renders a frame at a level. A scene that has come in full since the last frame, and is now alone, is returned.
    pub(super) fn render(
        &mut self,
        renderer: &Renderer,
        scenes: &mut [ReadyScene],
        moment: Moment,
        clock: Moment,
        level: f32,
        look: &mut Look,
    ) -> Option<usize> {
        let ended = self.drop_covered(clock);
        let alone = if self.is_fading() { 1.0 } else { level };
        let first = usize::from(!self.is_frozen);
        if self.is_frozen {
            look.copy_from(&self.frozen);
        } else if let Some(lowest) = self.running.first() {
            scenes[lowest.scene].render(renderer, moment, alone, look);
            turn(look, &lowest.turns);
        }
        for (index, running) in self.running[..self.count].iter_mut().enumerate().skip(first) {
            scenes[running.scene].render(renderer, moment, 1.0, &mut self.coming);
            if !running.is_turned {
                running.is_turned = true;
                scenes[running.scene].pans(moment, &self.coming.heads, &mut self.pans);
                for (index, turn) in running.turns.iter_mut().enumerate() {
                    let way = self.coming.heads[index].pan - look.heads[index].pan;
                    *turn = shorter(way, self.pans[index], renderer.rig()[index].mode.pan);
                }
            }
            turn(&mut self.coming, &running.turns);
            let [comes, goes] = running.fades.map(|fade| fade.passed(running.start, clock));
            over(look, &self.coming, comes, 1.0 - goes);
            if self.count > FADES && index == 1 {
                self.lowest.copy_from(look);
                self.is_lowest_known = true;
            }
        }
        if self.is_fading() {
            let planes = [
                &mut look.red,
                &mut look.green,
                &mut look.blue,
                &mut look.amber,
                &mut look.ultraviolet,
            ];
            for plane in planes {
                plane.iter_mut().for_each(|value| *value *= level);
            }
        }
        ended
    }

    /// Drops what a scene that has come in full covers.
    fn drop_covered(&mut self, clock: Moment) -> Option<usize> {
        let first = usize::from(!self.is_frozen);
        let is_full = |running: &Running| {
            let passed = running.fades.map(|fade| fade.passed(running.start, clock));
            running.is_turned && passed == [1.0; 2]
        };
        let covering = (first..self.count)
            .rev()
            .find(|&index| is_full(&self.running[index]))?;
        self.is_frozen = false;
        self.is_lowest_known = false;
        self.drop_oldest(covering);
        (self.count == 1).then(|| self.running[0].scene)
    }
}

/// Turns the heads of a look by whole turns.
fn turn(look: &mut Look, turns: &[f32]) {
    for (head, turn) in look.heads.iter_mut().zip(turns) {
        head.pan += turn;
    }
}

/// The whole turn by which the way of a head is the shortest, if its range then has all pans that the scene takes it to.
fn shorter(way: f32, pans: [f32; 2], range: f32) -> f32 {
    let pans = pans.map(|pan| within(pan, range));
    let mut shortest = 0.0;
    for turn in [-TURN, TURN] {
        let has_room = pans.iter().all(|pan| (pan + turn).abs() <= range / 2.0);
        if has_room && (way + turn).abs() < (way + shortest).abs() {
            shortest = turn;
        }
    }
    shortest
}

/// A look over another one: light as the sum of both shares, pan and tilt along the way, and what has steps at once.
fn over(look: &mut Look, coming: &Look, comes: f32, stays: f32) {
    let below = [
        &mut look.red,
        &mut look.green,
        &mut look.blue,
        &mut look.amber,
        &mut look.ultraviolet,
    ];
    let above = [
        &coming.red,
        &coming.green,
        &coming.blue,
        &coming.amber,
        &coming.ultraviolet,
    ];
    for (below, above) in below.into_iter().zip(above) {
        for (value, above) in below.iter_mut().zip(above) {
            *value = unit(*value * stays + above * comes);
        }
    }
    for (head, above) in look.heads.iter_mut().zip(&coming.heads) {
        *head = Head {
            pan: mix(head.pan, above.pan, comes),
            tilt: mix(head.tilt, above.tilt, comes),
            ..*above
        };
    }
}
