//! Engines: the shared runtime, its clock, and the sessions that run on it.
#![forbid(unsafe_code)]
