//! Faults at every step, one by one and in seeded combinations: each attempt ends in the right state, disconnected, within its limits,
//! and the password is nowhere.

use crate::drive::{CANARY, Run, provision, radio, run, run_until, wanted};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_provisioning::{Characteristic, Failure, Fault, Flag, Limits, Machine, Order, State, Step};
use std::time::Duration;

/// Every kind of fault.
fn faults() -> Vec<Fault> {
    vec![
        Fault::Refused(u32::MAX),
        Fault::Refused(1),
        Fault::Silent,
        Fault::Slow(Duration::from_millis(1_500)),
        Fault::Slow(Duration::from_secs(6)),
        Fault::Wrong,
        Fault::Cut,
        Fault::Lost,
    ]
}

/// What holds for every attempt, whatever happens.
fn check(run: &Run, about: &str) {
    let last = run.last();
    let limits = Limits::default();
    assert!(
        matches!(last.state, State::Success | State::Error),
        "{about}: {:?}",
        run.states()
    );
    assert_eq!(last.state == State::Error, last.failure.is_some(), "{about}");
    let ends = run
        .states()
        .iter()
        .filter(|state| matches!(state, State::Success | State::Error))
        .count();
    assert_eq!(ends, 1, "{about}: {:?}", run.states());
    assert!(
        run.took <= limits.attempt + limits.disconnect,
        "{about}: {:?}",
        run.took
    );
    let faults = &run.radio.faults;
    let bad_end = matches!(
        faults.get(&Step::Disconnect),
        Some(Fault::Refused(_) | Fault::Silent | Fault::Slow(_))
    );
    if !bad_end {
        assert!(last.is_disconnected, "{about}: {}", run.failure());
    }
    if last.is_disconnected {
        assert!(!run.radio.is_linked(), "{about}");
    }
    let shown = format!("{:?} {}", run.updates, run.failure());
    assert!(!shown.contains(CANARY), "{about}: the password is in {shown}");
    let commands = run.radio.nodes.iter().flat_map(|node| &node.writes);
    let commands = commands
        .filter(|(one, _)| *one == Characteristic::Command)
        .count();
    assert!(commands <= 1, "{about}: {commands} commands");
    if last.state == State::Success {
        let id = last.node.as_ref().map(|node| node.id.clone());
        let node = run
            .radio
            .nodes
            .iter()
            .find(|node| Some(&node.id) == id.as_ref())
            .expect("a node");
        let wanted = wanted();
        let value = |one| node.values[&one].clone();
        assert_eq!(value(Characteristic::Name), wanted.name.as_bytes(), "{about}");
        assert_eq!(value(Characteristic::Ssid), wanted.ssid.as_bytes(), "{about}");
        assert_eq!(value(Characteristic::Universe), [2, 1], "{about}");
        assert_eq!(value(Characteristic::Start), [0x91, 1], "{about}");
        assert_eq!(
            value(Characteristic::Flag),
            [Flag::Provisioned.number()],
            "{about}"
        );
    }
}

fn secured() -> Machine {
    Machine::new(Order::Provision(wanted()), None, Limits::default(), true)
}

/// Whether an attempt may end well in spite of a fault.
fn is_harmless(step: Step, fault: Fault) -> bool {
    match (step, fault) {
        // Neither is ever asked for.
        (Step::Read(Characteristic::Password | Characteristic::Command), _) => true,
        (Step::Write(Characteristic::Flag | Characteristic::Firmware), _) => true,
        (_, Fault::Slow(slow)) if slow < Duration::from_secs(2) => true,
        // A scan ends with the connection at the latest, and a subscription with the link.
        (
            Step::StopScan | Step::Unsubscribe,
            Fault::Refused(_) | Fault::Silent | Fault::Slow(_) | Fault::Wrong,
        ) => true,
        (Step::StopScan | Step::Unsubscribe | Step::Disconnect, Fault::Cut) => true,
        (Step::Disconnect, _) => true,
        (Step::Unsubscribe, Fault::Lost) => true,
        // Tried again.
        (Step::Connect | Step::Services, Fault::Refused(1)) => true,
        // The flag is read instead.
        (Step::Subscribe, Fault::Refused(_) | Fault::Wrong) => true,
        // For display only.
        (Step::Read(Characteristic::Firmware), Fault::Wrong) => true,
        // The password cannot be read back; the node says whether it is right.
        (Step::Write(Characteristic::Password), Fault::Wrong) => true,
        (Step::Scan, Fault::Wrong | Fault::Slow(_)) => true,
        (Step::Apply, Fault::Slow(slow)) => slow < Duration::from_secs(5),
        _ => false,
    }
}

#[test]
fn each_fault_at_each_step_ends_as_it_must() {
    for step in Step::all() {
        for fault in faults() {
            let mut radio = radio();
            radio.faults.insert(step, fault);
            let run = run(secured(), radio);
            let about = format!("{fault:?} at {step:?}");
            check(&run, &about);
            let is_good = run.last().state == State::Success;
            assert_eq!(is_good, is_harmless(step, fault), "{about}: {}", run.failure());
        }
    }
}

#[test]
fn failures_tell_where_and_why() {
    let failure = |step, fault| {
        let mut radio = radio();
        radio.faults.insert(step, fault);
        run(
            Machine::new(Order::Provision(wanted()), None, Limits::default(), false),
            radio,
        )
        .failure()
    };
    let always = Fault::Refused(u32::MAX);
    for (step, fault, expected) in [
        (
            Step::Scan,
            always,
            "SCANNING: the scan failed: org.bluez.Error.Failed: ATT error: 0x0e",
        ),
        (
            Step::Scan,
            Fault::Lost,
            "the system's Bluetooth service is not there: the Bluetooth service is gone",
        ),
        (
            Step::Scan,
            Fault::Silent,
            "SCANNING: expected an answer to the scan within 10 s, got none",
        ),
        (
            Step::Connect,
            Fault::Silent,
            "the node did not connect in 3 tries: expected a link within 5 s, got none",
        ),
        (
            Step::Services,
            Fault::Silent,
            "CONNECTING: expected an answer to the list of services within 5 s, got none",
        ),
        (
            Step::Read(Characteristic::Ssid),
            Fault::Silent,
            "READING_CONFIG: expected an answer to the read of ssid within 5 s, got none",
        ),
        (
            Step::Read(Characteristic::Name),
            Fault::Cut,
            "READING_CONFIG: the link to the node was lost",
        ),
        (
            Step::Write(Characteristic::Password),
            always,
            "WRITING_CONFIG: the write of password failed: org.bluez.Error.Failed: ATT error: 0x0e",
        ),
        (
            Step::Write(Characteristic::Name),
            Fault::Cut,
            "WRITING_CONFIG: the link to the node was lost",
        ),
        (
            Step::Write(Characteristic::Command),
            always,
            "APPLYING: the write of command failed: org.bluez.Error.Failed: ATT error: 0x0e",
        ),
    ] {
        assert_eq!(failure(step, fault), expected);
    }
}

#[test]
fn seeded_combinations_of_faults_and_cancellations_end_as_they_must() {
    let steps = Step::all();
    let faults = faults();
    let (mut good, mut cancelled) = (0, 0);
    for seed in 0..20_000 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut radio = radio();
        for _ in 0..random.gen_range(0..5) {
            let step = steps[random.gen_range(0..steps.len())];
            radio
                .faults
                .insert(step, faults[random.gen_range(0..faults.len())]);
        }
        if random.gen_bool(0.2) {
            radio.nodes[0].notifies = false;
        }
        radio.delay = Duration::from_millis(random.gen_range(0..50));
        let cancel = if random.gen_bool(0.3) {
            Duration::from_millis(random.gen_range(0..3_000))
        } else {
            Duration::MAX
        };
        let machine = Machine::new(
            Order::Provision(wanted()),
            None,
            Limits::default(),
            random.gen_bool(0.5),
        );
        let run = run_until(machine, radio, cancel);
        check(&run, &format!("seed {seed}, {:?}", run.radio.faults));
        good += usize::from(run.last().state == State::Success);
        cancelled += usize::from(run.last().failure == Some(Failure::Cancelled));
    }
    // The combinations are of all kinds.
    assert!(
        good > 1_000 && cancelled > 1_000,
        "{good} good, {cancelled} cancelled"
    );
}

#[test]
fn password_that_a_node_repeats_is_cut_from_errors_and_updates() {
    // The node confuses two values: what it gives back as another one is the password.
    for (value, wanted) in [
        (Characteristic::Name, "left 1"),
        (Characteristic::Universe, "258"),
    ] {
        let mut radio = radio();
        radio.nodes[0].values.insert(value, CANARY.as_bytes().to_vec());
        radio.faults.insert(Step::Write(value), Fault::Wrong);
        let run = run(provision(), radio);
        assert_eq!(
            run.failure(),
            format!("{value}: expected to read back '{wanted}', got '…'")
        );
        let read = run.last().configuration.as_ref().expect("values were read");
        let name = if value == Characteristic::Name {
            "…"
        } else {
            "left 1"
        };
        assert_eq!(read.name.to_string(), name);
    }
}
