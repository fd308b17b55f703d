//! What a rig shows in a frame, before it becomes slots and after it is read back from them.

/// The attributes of a moving head that are no colour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Head {
    /// The pan in degrees from the middle of its range.
    pub pan: f32,
    /// The tilt in degrees from the middle of its range.
    pub tilt: f32,
    /// The flashes a second, 0 for an open shutter.
    pub strobe: f32,
    /// The gobo by its place on the wheel, 0 for none.
    pub gobo: u8,
}

/// A frame of a rig: a colour per element, in planes, and a head per fixture, both in the order of the [`Stage`](crate::Stage).
///
/// Colours are 0 to 1 with the intensity in them: a red of 0.5 is red light at half of its level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Red per element, 0 to 1.
    pub red: Vec<f32>,
    /// Green per element, 0 to 1.
    pub green: Vec<f32>,
    /// Blue per element, 0 to 1.
    pub blue: Vec<f32>,
    /// Amber per element, 0 to 1; it is in no colour above.
    pub amber: Vec<f32>,
    /// Ultraviolet per element, 0 to 1.
    pub ultraviolet: Vec<f32>,
    /// A head per fixture; fixtures that do not move keep its default.
    pub heads: Vec<Head>,
}

impl Look {
    /// A dark look with the heads at the middle of their ranges.
    pub fn dark(elements: usize, fixtures: usize) -> Self {
        let plane = || vec![0.0; elements];
        Self {
            red: plane(),
            green: plane(),
            blue: plane(),
            amber: plane(),
            ultraviolet: plane(),
            heads: vec![Head::default(); fixtures],
        }
    }

    /// Takes the values of another look; of one of the same size without memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.red.clone_from(&other.red);
        self.green.clone_from(&other.green);
        self.blue.clone_from(&other.blue);
        self.amber.clone_from(&other.amber);
        self.ultraviolet.clone_from(&other.ultraviolet);
        self.heads.clone_from(&other.heads);
    }
}
