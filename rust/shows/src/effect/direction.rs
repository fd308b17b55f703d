//! Where an effect goes.

use crate::Stage;
use crate::names::named;
use crate::number::most;

named! {
    /// The way along which an effect moves or spreads over the fixtures.
    pub enum Direction {
        /// To the right, as the audience sees it.
        Right => "right",
        /// To the left.
        Left => "left",
        /// Away from the audience.
        Back => "back",
        /// Towards the audience.
        Front => "front",
        /// Upwards.
        Up => "up",
        /// Downwards.
        Down => "down",
        /// From the middle of the rig to its corners.
        Out => "out",
        /// From the corners to the middle.
        In => "in",
        /// From fixture to fixture in the order of the rig.
        Order => "order",
        /// From fixture to fixture, the last first.
        Reverse => "reverse",
    }
}

impl Direction {
    /// The way of each element of a stage, 0 to 1. `extents` are 1 for the
    /// axes along which the rig has an extent, and `rank` is the place of a fixture among those of the layer, 0 to 1.
    pub(crate) fn along(self, stage: &Stage, extents: [f32; 3], rank: impl Fn(u32) -> f32) -> Vec<f32> {
        let elements = stage.elements().iter();
        let count = most(extents.iter().sum(), 1.0);
        elements
            .map(|element| {
                let [x, y, z] = element.place;
                let outwards = || {
                    let [x, y, z] = element.place.map(|place| 2.0 * place - 1.0);
                    // The corners of the rig are at 1.
                    ((x * x + y * y + z * z) / count).sqrt()
                };
                match self {
                    Self::Right => x,
                    Self::Left => 1.0 - x,
                    Self::Back => y,
                    Self::Front => 1.0 - y,
                    Self::Up => z,
                    Self::Down => 1.0 - z,
                    Self::Out => outwards(),
                    Self::In => 1.0 - outwards(),
                    Self::Order => rank(element.fixture),
                    Self::Reverse => 1.0 - rank(element.fixture),
                }
            })
            .collect()
    }

    /// Whether a fixture's place in the order counts down.
    pub(crate) fn is_reversed(self) -> bool {
        matches!(
            self,
            Self::Left | Self::Front | Self::Down | Self::In | Self::Reverse
        )
    }
}
