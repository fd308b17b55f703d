//! The race test can fail: each seeded fault is caught within 500 rounds.

use crate::harness;
use rustle_engines::faults::Fault;
use rustle_testkit::this_program;

/// Run by the test below in a process of its own, with a fault in force.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "with a lock held for ever the process would not come to its end"
)]
fn five_hundred_rounds() {
    let _alone = crate::alone();
    if let Err(broken) = std::panic::catch_unwind(|| harness::run(500)) {
        println!("caught: {}", rustle_engines::panic_message(&*broken));
        std::process::exit(3);
    }
}

#[test]
fn every_seeded_fault_is_caught_within_500_rounds() {
    let _alone = crate::alone();
    for (name, _) in Fault::ALL {
        let output = this_program()
            .args(["faults::five_hundred_rounds", "--exact", "--nocapture"])
            .env("RUSTLE_FAULT", name)
            .output()
            .expect("the test runs again");
        let text = String::from_utf8_lossy(&output.stdout);
        let caught = text.lines().find(|line| line.starts_with("caught: "));
        assert!(caught.is_some(), "{name} was not caught: {text}");
        assert_eq!(output.status.code(), Some(3), "{name}");
        println!("{name}: {}", caught.unwrap_or_default());
    }
}
