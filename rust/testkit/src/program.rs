//! A test program that runs again.

use std::process::Command;

/// The environment variable with the command that runs a test program, such as an emulator's.
const RUNNER: &str = "RUSTLE_RUNNER";

/// The command of the test program itself, for a process of its own.
///
/// # Panics
/// When the system does not report the program's path.
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

/// From here on panics of this process whose text has `on_purpose` in it are not shown.
pub fn hide_panics(on_purpose: &'static str) {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.to_string().contains(on_purpose) {
            shown(panic);
        }
    }));
}
