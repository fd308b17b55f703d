//! A show on a sender without a network.

use crate::{Ends, SECOND_HUNDREDTH, call, check};
use rustle_engines::*;
use rustle_lighting::{Cid, Name};
use rustle_shows::player::Input;
use rustle_shows::show::Demo;
use rustle_shows::venue::{PictureSettings, View};
use std::sync::Arc;

const SMALL: PictureSettings = PictureSettings {
    width: 16,
    height: 9,
    view: View::Top,
    has_grid: false,
    has_legend: false,
    has_labels: false,
};

/// A show that reports a thousand times per second.
pub(crate) struct Shows {
    _senders: DmxEngine,
    sender: DmxSession,
    engine: ShowEngine,
    /// The session, its releases, the number of its next report, and its frames so far.
    running: Option<(ShowSession, Ends, u64, u64)>,
}

impl Shows {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let cid = Cid::new([8; 16]).expect("not zero");
        let configuration = DmxConfiguration {
            interface: DEMO_INTERFACE.to_owned(),
            ..DmxConfiguration::new(DmxProtocol::Sacn, cid, Name::new("faults").expect("short"))
        };
        let senders = DmxEngine::on(runtime.clone(), configuration).expect("valid");
        let delivery = Delivery::pull(Overflow::DropOldest, 8, NoBell).expect("a size of lanes");
        let configuration = ShowConfiguration {
            reports_per_second: 1_000.0,
            ..ShowConfiguration::new(Demo::Pars.show(), Demo::Pars.rig())
        };
        Self {
            sender: senders.start(delivery).expect("valid"),
            _senders: senders,
            engine: ShowEngine::on(runtime.clone(), configuration).expect("valid"),
            running: None,
        }
    }

    /// Whether the engine is still usable.
    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        let output = self.sender.output();
        if self.running.is_none() {
            let ends = Ends::default();
            let delivery = Delivery::pull(Overflow::DropOldest, 64, ends.clone()).expect("a size of lanes");
            match call(|| self.engine.start(vec![output.clone()], None, delivery)) {
                Some(Ok(session)) => self.running = Some((session, ends, 0, 0)),
                Some(Err(error)) => {
                    let is_poisoned = matches!(error, ShowError::Start(StartError::Poisoned));
                    assert!(is_poisoned, "{error}");
                    return false;
                }
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        let Some((session, ends, next, frames)) = &mut self.running else {
            return true;
        };
        let levels = [0.0, 0.25, 0.5];
        let level = levels[*next as usize % levels.len()];
        let taken = call(|| session.input(Input::Master(level)));
        assert!(!is_calm || matches!(taken, Some(Ok(()))));
        let detached = call(|| session.detach(output));
        let attached = call(|| session.attach(output.clone()));
        assert!(!is_calm || (detached.is_some() && matches!(attached, Some(Ok(())))));
        let advanced = (0..3).all(|_| call(|| runtime.advance(SECOND_HUNDREDTH)).is_some());
        let shown = call(|| session.with_frame(|frame, time, beats| (frame.len(), time, beats)));
        assert!(!is_calm || shown.is_some_and(|(universes, ..)| universes == 1));
        let picture = call(|| session.picture(SMALL, PictureFormat::Rgba));
        let is_whole = matches!(&picture, Some(Ok(bytes)) if bytes.len() == 16 * 9 * 4);
        assert!(!is_calm || is_whole);
        let (mut master, before) = (None, *frames);
        let drained = call(|| {
            session.drain(64, |report, lost| {
                assert_eq!(report.sequence, *next + u64::from(lost));
                *next = report.sequence + 1;
                (master, *frames) = (Some(report.master), report.frames);
            })
        });
        if let Some(Some((_, statistics))) = drained {
            check(statistics);
        } else {
            assert!(!is_calm);
        }
        let is_over = ends.count() == 1;
        assert!(!(is_calm && advanced) || is_over || (*frames > before && master == Some(level)));
        if is_over {
            self.running = None;
        }
        true
    }
}
