//! Pictures of a venue: a list of what is to be seen, and what draws it as pixels, as a plan and as text.
//!
//! A [`Plan`] places a rig's fixtures in a picture once; [`Plan::light`] sets the colours of a [`Picture`] to those of a
//! [`Look`](crate::Look), frame by frame and without allocation. [`Canvas`] draws the picture as pixels, [`png`] encodes these,
//! [`svg`] writes a plan, and [`Screen`] draws for terminals.
//!
//! # Colours
//! A light's level is linear, as the duty cycle of an LED is: lights that overlap add up, and are clamped, before the result is
//! encoded by the curve of sRGB (IEC 61966-2-1). A level of 10 % thus shows as 89 of 255, which can be seen. Amber adds
//! (1, 0.36, 0) and ultraviolet (0.2, 0, 0.6) of red, green and blue.

mod beam;
mod canvas;
mod color;
mod crowd;
mod json;
mod legend;
mod letters;
mod line;
mod picture;
mod plan;
mod png;
mod projection;
mod screen;
mod shade;
mod sprite;
mod svg;

pub use canvas::Canvas;
pub use picture::{Anchor, Beam, Lamp, Line, Picture, Text};
pub use plan::{MAX_SIDE, PictureSettings, Plan, SizeError, View};
pub use png::{PngError, png};
pub use screen::{Screen, ScreenColors};
pub use svg::svg;
