//! Plays a show: scenes and cues by inputs and time, one look a frame.

mod crossfade;
mod events;
mod input;
mod transport;

pub use events::Event;
pub use input::{Input, InputBounds, Now};

use crate::Fault;
use crate::Moment;
use crate::fixture::Rig;
use crate::look::Look;
use crate::modulator::{BANDS, Source};
use crate::render::{ReadyScene, Renderer};
use crate::scene::{Cue, Scene};
use crate::show::Show;
use crossfade::Crossfade;
use events::Events;
use transport::Transport;

/// A show that is played on a rig: a function of the inputs with their moments and of the moments of its frames. Nothing of it
/// reads a clock.
///
/// The same inputs make the same frames, however many other frames there are in between: only the beat at which a cue follows by
/// itself after seconds, and the seconds of one that follows after beats, are interpolated between two frames, and a head that
/// follows a target goes the shortest way from where it was in the frame before.
#[derive(Clone, Debug)]
pub struct Player {
    renderer: Renderer,
    scenes: Vec<ReadyScene>,
    cues: Vec<Cue>,
    repeats: bool,
    bounds: InputBounds,
    crossfade: Crossfade,
    transport: Transport,
    events: Events,
    levels: Levels,
    master: f32,
    is_blackout: bool,
    look: Look,
}

/// The most cues that a join plays: those of a day, one a second, of a list that does not repeat.
const MOST_JOINED: usize = 86_400;
/// The rounds of a list that repeats which a join plays: after them each fade is where it would be.
const JOINED_ROUNDS: f64 = 2.0;

/// The inputs of modulators.
#[derive(Clone, Debug, Default)]
struct Levels {
    level: f32,
    bands: [f32; BANDS],
    faders: Vec<f32>,
}

impl Player {
    /// A player that is dark until the first cue or scene.
    pub fn new(show: &Show, rig: &Rig) -> Self {
        let renderer = Renderer::new(rig);
        let look = Look::dark(renderer.stage().elements().len(), rig.fixtures.len());
        Self {
            scenes: renderer.ready_all(&show.scenes),
            cues: show.cues.clone(),
            repeats: show.repeats,
            bounds: InputBounds::new(show),
            crossfade: Crossfade::new(&look),
            transport: Transport::default(),
            events: Events::new(),
            levels: Levels {
                faders: vec![0.0; show.faders.len()],
                ..Levels::default()
            },
            master: 1.0,
            is_blackout: false,
            look,
            renderer,
        }
    }

    /// The rig as it is laid out.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// Replaces a scene of the show; if it is on, the next frame shows the new one. What its layers have in common with those at their
    /// places in the scene before goes on: a stroke falls on, a head turns on from where it is. The scene before is returned, to be
    /// dropped where memory may be released; the new one comes back if there is no such place.
    ///
    /// # Errors
    /// The given scene, for a place that the show does not have.
    pub fn replace(&mut self, scene: usize, mut ready: ReadyScene) -> Result<ReadyScene, Box<ReadyScene>> {
        let Some(place) = self.scenes.get_mut(scene) else {
            return Err(Box::new(ready));
        };
        let since = self.transport.last().seconds();
        for (source, envelope) in ready.envelopes() {
            if let Some(level) = self.levels.of(source) {
                envelope.begin(since, level);
            }
        }
        ready.go_on_from(place);
        Ok(std::mem::replace(place, ready))
    }

    /// Lays out a scene for [`replace`](Self::replace), with the memory that it needs.
    pub fn ready(&self, scene: &Scene) -> ReadyScene {
        self.renderer.ready(scene)
    }

    /// Takes an input. One whose seconds are before those of the last input or frame comes late, and counts as of that one.
    ///
    /// # Errors
    /// [`Fault`] for a level outside of 0 to 1, NaN too, and for a band, a fader, a scene or a cue that does not exist. Nothing
    /// changes then.
    pub fn input(&mut self, moment: Moment, input: Input) -> Result<(), Fault> {
        self.bounds.check(input)?;
        let last = self.transport.last();
        let is_late = moment.seconds() < last.seconds();
        let moment = if is_late { last } else { moment };
        self.advance(moment);
        let seconds = moment.seconds();
        match input {
            Input::Onset(strength) => {
                for (source, envelope) in self.scenes.iter_mut().flat_map(ReadyScene::envelopes) {
                    if source == Source::Onset {
                        envelope.strike(seconds, strength);
                    }
                }
            }
            Input::Level(level) => {
                self.levels.level = level;
                self.follow(seconds, Source::Level, level);
            }
            Input::Band { band, level } => {
                self.levels.bands[usize::from(band)] = level;
                self.follow(seconds, Source::Band(band), level);
            }
            Input::Fader { fader, level } => {
                self.levels.faders[usize::from(fader)] = level;
                self.follow(seconds, Source::Fader(fader), level);
            }
            Input::Master(master) => self.master = master,
            Input::Blackout(is_blackout) => self.set_dark(is_blackout),
            Input::Panic => {
                self.set_dark(true);
                self.set_paused(true);
            }
            Input::Pause(is_paused) => self.set_paused(is_paused),
            Input::Go => self.step(1),
            Input::Back => self.step(-1),
            Input::Cue(cue) => self.start_cue(cue),
            Input::Scene { scene, fade } => {
                self.set_paused(false);
                self.crossfade.start(scene, moment, [fade; 2]);
                self.transport.leave_cue();
                self.events.push(Event::SceneStarted { scene });
            }
        }
        Ok(())
    }

    /// The look of a frame. It needs no memory.
    pub fn frame(&mut self, moment: Moment) -> &Look {
        self.advance(moment);
        let level = if self.is_blackout { 0.0 } else { self.master };
        let clock = self.transport.clock();
        let ended = self.crossfade.render(
            &self.renderer,
            &mut self.scenes,
            moment,
            clock,
            level,
            &mut self.look,
        );
        if let Some(scene) = ended {
            self.events.push(Event::FadeEnded { scene });
        }
        &self.look
    }

    /// Goes on to a moment long after the last one, as by a frame at the start of each cue that follows by then, at one tempo. Their events
    /// are dropped.
    pub fn join(&mut self, moment: Moment) {
        self.frame(self.transport.last());
        self.skip_rounds(moment);
        for _ in 0..MOST_JOINED {
            let last = self.transport.last();
            self.transport.advance(moment);
            let follow = self.transport.cue().and_then(|cue| self.cues[cue].follow);
            // A list of cues that follow at once has no end.
            let is_later = |start: &Moment| start.seconds() > last.seconds() || start.beats() > last.beats();
            let start = follow.and_then(|follow| self.transport.end_of(follow));
            let Some(start) = start.filter(is_later) else {
                break;
            };
            self.frame(start);
            while self.next_event().is_some() {}
        }
        self.frame(moment);
        while self.next_event().is_some() {}
    }

    /// Starts the cue that is on once more, after the rounds of a list that repeats by then, except the last ones.
    fn skip_rounds(&mut self, moment: Moment) {
        let Some((cue, start)) = self.transport.started() else {
            return;
        };
        let way = [moment.beats() - start.beats(), moment.seconds() - start.seconds()];
        // Of a cue that does not follow by itself there is no round.
        let wait = |cue: &Cue| cue.follow.map_or(f64::INFINITY, |wait| wait.share_of(way));
        let round: f64 = self.cues.iter().map(wait).sum();
        let rounds = (1.0 / round).floor() - JOINED_ROUNDS;
        if self.repeats && !self.transport.is_paused() && rounds.is_finite() && rounds >= 1.0 {
            let at = start.towards(moment, rounds * round);
            self.transport.arrive(at);
            self.start_cue_at(cue, at);
        }
    }

    /// The look of the last frame.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// What is on.
    pub fn now(&self) -> Now {
        Now {
            cue: self.transport.cue(),
            scene: self.crossfade.scene(),
            is_fading: self.crossfade.is_fading(),
            is_paused: self.transport.is_paused(),
            is_blackout: self.is_blackout,
            master: self.master,
        }
    }

    /// The oldest event that has not been taken.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// The events that were dropped because they were not taken.
    pub fn dropped_events(&self) -> u64 {
        self.events.dropped()
    }

    fn follow(&mut self, seconds: f64, source: Source, level: f32) {
        for (each, envelope) in self.scenes.iter_mut().flat_map(ReadyScene::envelopes) {
            if each == source {
                envelope.follow(seconds, level);
            }
        }
    }

    /// Goes on to a moment: the cues that follow by then start.
    fn advance(&mut self, moment: Moment) {
        let moved = self.transport.advance(moment);
        if let Some([beats, seconds]) = moved {
            // The clock was set back: what has passed of fades and waits stays as it is.
            self.crossfade.shift(beats, seconds);
        }
        // A list of cues that follow at once and repeat has no end: each starts at most once.
        for _ in 0..self.cues.len() {
            let Some(cue) = self.transport.cue() else { break };
            let next = self.neighbour(cue, 1);
            let (Some(next), Some(follow)) = (next, self.cues[cue].follow) else {
                break;
            };
            let Some(start) = self.transport.end_of(follow) else {
                break;
            };
            self.start_cue_at(next, start);
        }
        self.transport.arrive(moment);
    }

    /// The cue after or before one.
    fn neighbour(&self, cue: usize, step: isize) -> Option<usize> {
        let next = cue
            .checked_add_signed(step)
            .filter(|next| *next < self.cues.len());
        match next {
            None if self.repeats && step > 0 => Some(0),
            None if self.repeats => self.cues.len().checked_sub(1),
            next => next,
        }
    }

    fn step(&mut self, step: isize) {
        let next = match self.transport.cue() {
            Some(cue) => self.neighbour(cue, step),
            None if step > 0 && !self.cues.is_empty() => Some(0),
            None => None,
        };
        match next {
            Some(next) => self.start_cue(next),
            None => self.events.push(Event::CuesEnded),
        }
    }

    fn start_cue(&mut self, cue: usize) {
        self.set_paused(false);
        self.start_cue_at(cue, self.transport.last());
    }

    fn start_cue_at(&mut self, cue: usize, start: Moment) {
        let from = self.transport.cue();
        let Cue {
            scene,
            fade_in,
            fade_out,
            ..
        } = self.cues[cue];
        self.transport.start(cue, start);
        self.crossfade.start(scene, start, [fade_in, fade_out]);
        self.events.push(Event::CueStarted { from, cue, scene });
    }

    fn set_dark(&mut self, is_blackout: bool) {
        if self.is_blackout != is_blackout {
            self.is_blackout = is_blackout;
            self.events.push(Event::Blackout(is_blackout));
        }
    }

    fn set_paused(&mut self, is_paused: bool) {
        if self.transport.is_paused() == is_paused {
            return;
        }
        if let Some([beats, seconds]) = self.transport.set_paused(is_paused) {
            self.crossfade.shift(beats, seconds);
        }
        self.events.push(Event::Paused(is_paused));
    }
}

impl Levels {
    /// The level of a source that has one.
    fn of(&self, source: Source) -> Option<f32> {
        match source {
            Source::Level => Some(self.level),
            Source::Band(band) => self.bands.get(usize::from(band)).copied(),
            Source::Fader(fader) => self.faders.get(usize::from(fader)).copied(),
            Source::Onset | Source::Oscillator { .. } => None,
        }
    }
}
