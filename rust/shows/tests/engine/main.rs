//! Shows without a clock: effects, layers, scenes, cues, files.

mod common;
mod effects;
mod files;
mod heads;
mod layers;
mod modulators;
mod player;
mod replay;
