//! What the original app does wrong, each a test of its name.

use crate::drive::{provision, radio, run};
use rustle_provisioning::{Characteristic, Failure, Fault, Flag, State, Step};

#[test]
fn original_said_success_when_reading_did_not_fail() {
    // The node takes the write and keeps its old start address.
    let mut radio = radio();
    radio
        .faults
        .insert(Step::Write(Characteristic::Start), Fault::Wrong);
    let run = run(provision(), radio);
    assert_eq!(run.failure(), "start: expected to read back '401', got '1'");
    assert_eq!(run.last().state, State::Error);
    let is_command = |asked: &String| asked == "write command";
    assert!(
        !run.asked.iter().any(is_command),
        "a garbled value is never applied"
    );
}

#[test]
fn original_said_success_while_the_node_was_not_provisioned() {
    let mut radio = radio();
    radio
        .faults
        .insert(Step::Write(Characteristic::Command), Fault::Wrong);
    let run = run(provision(), radio);
    assert!(
        matches!(
            run.last().failure,
            Some(Failure::Silent {
                flag: Some(Flag::Unprovisioned),
                ..
            })
        ),
        "{}",
        run.failure()
    );
}

#[test]
fn original_never_sent_the_command_to_apply() {
    let run = run(provision(), radio());
    let commands: Vec<_> = run
        .written()
        .into_iter()
        .filter(|(one, _)| *one == Characteristic::Command)
        .collect();
    assert_eq!(commands, [(Characteristic::Command, vec![1])]);
    let place = |name: &str| run.asked.iter().rposition(|asked| asked == name);
    assert!(place("write command") > place("write start"));
    assert!(place("write command") > place("subscribe"));
}

#[test]
fn original_wrote_numbers_as_decimal_text() {
    let run = run(provision(), radio());
    let numbers: Vec<_> = run
        .written()
        .into_iter()
        .filter(|(one, _)| matches!(one, Characteristic::Universe | Characteristic::Start))
        .map(|(_, value)| value)
        .collect();
    assert_eq!(numbers, [[0x02, 0x01], [0x91, 0x01]]);
}

#[test]
fn original_read_the_password_which_can_only_be_written() {
    let run = run(provision(), radio());
    assert_eq!(run.last().state, State::Success);
    assert!(
        !run.asked.contains(&"read password".to_owned()),
        "{:?}",
        run.asked
    );
}
