//! Small rigs for the tests of pictures.

use rustle_shows::fixture::{Profile, Rig};
use rustle_shows::venue::{Picture, PictureSettings, Plan};
use rustle_shows::{Look, Stage};

/// A rig and its stage.
pub(crate) struct Room {
    pub(crate) rig: Rig,
    pub(crate) stage: Stage,
}

impl Room {
    pub(crate) fn new(fixtures: &[String], venue: &str) -> Self {
        let fixtures = fixtures.join(",");
        let json = format!(r#"{{"v":1,"fixtures":[{fixtures}],"venue":{venue}}}"#);
        let (rig, faults) = Rig::read(json.as_bytes(), &Profile::built_in()).expect("a rig");
        assert_eq!(faults, []);
        let stage = Stage::new(&rig);
        Self { rig, stage }
    }

    pub(crate) fn plan(&self, settings: PictureSettings) -> Plan {
        Plan::new(&self.rig, &self.stage, settings).expect("a plan")
    }

    pub(crate) fn drawn(&self, settings: PictureSettings, look: &Look) -> Picture {
        let plan = self.plan(settings);
        let mut picture = plan.picture();
        plan.light(look, &mut picture);
        picture
    }
}

/// A fixture in a universe of its own; `rest` is more JSON.
pub(crate) fn fixture(id: u16, profile: &str, [x, y, z]: [f64; 3], rest: &str) -> String {
    format!(
        r#"{{"id":{id},"profile":"{profile}","protocol":"sacn","universe":{},"address":17,"position":[{x},{y},{z}]{rest}}}"#,
        id + 1
    )
}

/// A look with all elements of a colour.
pub(crate) fn lit(stage: &Stage, color: [f32; 3]) -> Look {
    let mut look = Look::dark(stage.elements().len(), stage.fixtures());
    for (plane, level) in [&mut look.red, &mut look.green, &mut look.blue]
        .into_iter()
        .zip(color)
    {
        plane.fill(level);
    }
    look
}
