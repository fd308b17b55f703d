//! Spectra: plans, their windows, and the two functions of the project's brief.

pub mod brief;
mod fault;
pub mod forms;
pub mod peaks;
pub mod plan;
mod results;
mod scratch;
pub mod window;
