//! The scenes that are built in. They are written as a show, which is also their check.

use super::Scene;
use crate::show::Show;

/// Colours are of our own; the first fader of the demo's show drives some of them.
const SHOW: &str = include_str!("built_in.json");

pub(super) fn scenes() -> Vec<Scene> {
    Show::read(SHOW.as_bytes()).map_or_else(|_| Vec::new(), |(show, _)| show.scenes)
}
