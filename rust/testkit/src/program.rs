//! A test program that runs again.

use std::process::Command;

/// The variable with the words that stand before a program which this machine runs only by means of another: an emulator's.
const RUNNER: &str = "RUSTLE_RUNNER";

/// The test program itself, to be run in a process of its own.
///
/// # Panics
/// When the system does not tell which program it is.
pub fn this_program() -> Command {
    let this = std::env::current_exe().expect("the system knows the program that runs");
    let runner = std::env::var(RUNNER).unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(first) = words.next() else {
        return Command::new(this);
    };
    let mut command = Command::new(first);
    command.args(words).arg(this);
    command
}
