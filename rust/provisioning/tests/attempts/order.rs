//! The order of an attempt, and its results.

use crate::drive::{provision, radio, run, run_until, wanted};
use rustle_provisioning::{
    Cause, CauseKind, Characteristic, Event, Failure, Fault, Flag, Limits, Machine, Order, Past, Refusal,
    Refusals, ScriptedRadio, Secret, State, Step, Wanted,
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn machine(order: Order, node: Option<&str>) -> Machine {
    Machine::new(order, node.map(str::to_owned), Limits::default(), false)
}

#[test]
fn strongest_node_is_provisioned_in_order_and_verified() {
    let run = run(provision(), radio());
    let states = [
        State::Scanning,
        State::Connecting,
        State::ReadingConfig,
        State::WritingConfig,
        State::Applying,
        State::Verifying,
        State::Success,
    ];
    assert_eq!(run.states(), states, "{}", run.failure());
    assert_eq!(
        run.asked.join(", "),
        "scan, stop scan, connect 02:00:00:00:00:01, services, read name, read ssid, read universe, read start, \
         read firmware, subscribe, read flag, write name, write ssid, write password, write universe, write start, \
         read name, read ssid, read universe, read start, write command, read flag, read name, read ssid, \
         read universe, read start, unsubscribe, disconnect"
    );
    let last = run.last();
    assert!(last.is_disconnected && !run.radio.is_linked());
    assert_eq!((last.attempt, last.progress), (1, 1.0));
    let configuration = last.configuration.as_ref().expect("read");
    assert_eq!(
        (configuration.universe, configuration.start),
        (Some(258), Some(401))
    );
    assert_eq!(
        (configuration.name.to_string(), configuration.flag),
        ("left 1".to_owned(), Some(Flag::Provisioned))
    );
    // A second of quiet, and 28 operations of 2 ms.
    assert!(run.took <= 3 * SECOND, "{:?}", run.took);
    let progress: Vec<_> = run.updates.iter().map(|update| update.progress).collect();
    assert!(progress.is_sorted(), "{progress:?}");
}

#[test]
fn values_on_the_air_are_those_of_the_service_byte_for_byte() {
    let run = run(provision(), radio());
    assert_eq!(
        run.written(),
        [
            (Characteristic::Name, b"left 1".to_vec()),
            (Characteristic::Ssid, b"stage".to_vec()),
            (Characteristic::Password, crate::drive::CANARY.as_bytes().to_vec()),
            (Characteristic::Universe, vec![0x02, 0x01]),
            (Characteristic::Start, vec![0x91, 0x01]),
            (Characteristic::Command, vec![1]),
        ]
    );
}

#[test]
fn named_node_is_taken_at_once_by_its_identifier_and_by_its_name_when_no_other_has_it() {
    for (name, least) in [("02:00:00:00:00:02", 0), ("ChromaDMX-0002", 1)] {
        let run = run(machine(Order::Provision(wanted()), Some(name)), radio());
        assert_eq!(run.last().state, State::Success);
        assert_eq!(run.last().node.as_ref().map(|node| node.rssi), Some(Some(-60)));
        let (least, most) = (least * SECOND, (least + 1) * SECOND);
        assert!((least..most).contains(&run.took), "{:?}", run.took);
    }
}

#[test]
fn name_of_several_nodes_is_refused_with_their_identifiers() {
    let twins = || {
        let mut twins = radio();
        let name = twins.nodes[0].values[&Characteristic::Name].clone();
        twins.nodes[1].values.insert(Characteristic::Name, name);
        twins
    };
    for order in [Order::Provision(wanted()), Order::Read, Order::FactoryReset] {
        let run = run(machine(order, Some("ChromaDMX-0001")), twins());
        assert_eq!(
            run.failure(),
            "node: expected one of the name ChromaDMX-0001, got 2: 02:00:00:00:00:01, 02:00:00:00:00:02"
        );
        assert_eq!(run.asked, ["scan", "stop scan"]);
        assert_eq!(run.last().node, None);
    }
    let exact = run(machine(Order::Read, Some("02:00:00:00:00:02")), twins());
    assert_eq!(exact.last().state, State::Success, "an identifier is one node's");
}

/// Gives nodes names, one after the other; the failures, and the names and numbers of writes that the nodes have then.
fn batch(rows: &[(&str, &str)]) -> (Vec<String>, Vec<(String, usize)>) {
    let (mut radio, mut past, mut failures) = (radio(), Past::default(), Vec::new());
    for (node, name) in rows {
        let name = (*name).to_owned();
        let mut machine = machine(Order::Provision(Wanted { name, ..wanted() }), Some(node));
        machine.follow(past);
        let run = run(machine, radio);
        failures.push(run.failure());
        past = run.past;
        radio = ScriptedRadio::new(run.radio.nodes, run.radio.delay);
    }
    let nodes = radio.nodes.iter().map(|node| {
        let name = String::from_utf8_lossy(&node.values[&Characteristic::Name]).into_owned();
        (name, node.writes.len())
    });
    (failures, nodes.collect())
}

#[test]
fn nodes_of_a_batch_change_their_names_and_each_is_written_once() {
    let (first, second) = ("ChromaDMX-0001", "ChromaDMX-0002");
    let (failures, nodes) = batch(&[(first, second), (second, first)]);
    assert_eq!(failures, ["", ""]);
    assert_eq!(nodes, [(second.to_owned(), 6), (first.to_owned(), 6)]);
    let again = "node: expected another for each row, got 02:00:00:00:00:01 again";
    for other in ["02:00:00:00:00:01", "left"] {
        let (failures, nodes) = batch(&[(first, "left"), (other, "right")]);
        assert_eq!(failures, ["", again], "{other}");
        assert_eq!(nodes, [("left".to_owned(), 6), (second.to_owned(), 0)], "{other}");
    }
}

#[test]
fn open_network_has_an_empty_password_that_is_written() {
    let open = Wanted {
        password: Secret::new(Vec::new()),
        ..wanted()
    };
    let run = run(machine(Order::Provision(open), None), radio());
    assert_eq!(run.last().state, State::Success);
    assert!(run.written().contains(&(Characteristic::Password, Vec::new())));
}

#[test]
fn refused_values_are_all_named_and_nothing_is_asked_for() {
    let bad = Wanted {
        universe: 40_000,
        start: 0,
        ..wanted()
    };
    let run = run(machine(Order::Provision(bad), None), radio());
    assert_eq!(run.asked, Vec::<String>::new());
    let refusals = Refusals(vec![Refusal::Universe { got: 40_000 }, Refusal::Start { got: 0 }]);
    assert_eq!(run.last().failure, Some(Failure::Refused(refusals)));
    assert_eq!(run.took, Duration::ZERO);
}

#[test]
fn reading_writes_nothing_and_subscribes_to_nothing() {
    let run = run(machine(Order::Read, None), radio());
    assert_eq!(
        run.states(),
        [
            State::Scanning,
            State::Connecting,
            State::ReadingConfig,
            State::Success
        ]
    );
    assert_eq!(run.written(), []);
    assert!(
        !run.asked.iter().any(|asked| asked.contains("subscribe")),
        "{:?}",
        run.asked
    );
    let configuration = run.last().configuration.clone().expect("read");
    assert_eq!(configuration.firmware.to_string(), "1.4.2");
    assert_eq!(
        (configuration.start, configuration.flag),
        (Some(1), Some(Flag::Unprovisioned))
    );
}

#[test]
fn values_are_reported_when_all_are_read() {
    let reported = |radio| {
        let updates = run(provision(), radio).updates.into_iter();
        let reported = updates.filter(|update| update.configuration.is_some());
        reported.map(|update| update.state).collect::<Vec<_>>()
    };
    let states = [
        State::WritingConfig,
        State::Applying,
        State::Verifying,
        State::Success,
    ];
    assert_eq!(reported(radio()), states);
    let mut refusing = radio();
    let firmware = Step::Read(Characteristic::Firmware);
    refusing.faults.insert(firmware, Fault::Refused(1));
    assert_eq!(reported(refusing), [], "an empty text is not what the node holds");
}

#[test]
fn commands_are_one_byte_and_nothing_else() {
    for (order, number) in [(Order::Reboot, 2), (Order::FactoryReset, 3)] {
        let run = run(machine(order, None), radio());
        assert_eq!(
            run.states(),
            [
                State::Scanning,
                State::Connecting,
                State::Applying,
                State::Success
            ]
        );
        assert_eq!(run.written(), [(Characteristic::Command, vec![number])]);
        assert!(run.last().is_disconnected && !run.radio.is_linked());
    }
}

#[test]
fn encryption_is_demanded_before_anything_is_read() {
    let secured = |faults: &[(Step, Fault)]| {
        let mut radio = radio();
        radio.faults.extend(faults.iter().copied());
        run(
            Machine::new(Order::Provision(wanted()), None, Limits::default(), true),
            radio,
        )
    };
    assert_eq!(secured(&[]).last().state, State::Success);
    let refused = secured(&[(Step::Pair, Fault::Wrong)]);
    assert!(
        matches!(refused.last().failure, Some(Failure::NotEncrypted(_))),
        "{}",
        refused.failure()
    );
    assert_eq!(refused.written(), []);
    assert!(refused.last().is_disconnected);
}

#[test]
fn node_without_notifications_is_asked_for_its_flag() {
    let mut radio = radio();
    radio.nodes[0].notifies = false;
    let run = run(provision(), radio);
    assert_eq!(run.last().state, State::Success, "{}", run.failure());
    assert!(!run.asked.contains(&"unsubscribe".to_owned()));
    let polls = run.asked.iter().filter(|asked| *asked == "read flag").count();
    assert_eq!(polls, 3, "the first, one while it applies, and one to verify");
}

#[test]
fn connection_is_tried_three_times_with_pauses() {
    let tried = |times| {
        let mut radio = radio();
        radio.faults.insert(Step::Connect, Fault::Refused(times));
        run(provision(), radio)
    };
    let good = tried(2);
    assert_eq!((good.last().state, good.last().attempt), (State::Success, 3));
    let connecting = good
        .updates
        .iter()
        .filter(|update| update.state == State::Connecting);
    let times: Vec<_> = connecting
        .map(|update| (update.attempt, update.elapsed.as_millis()))
        .collect();
    // Each after the refusal, the disconnection and the pause.
    assert_eq!(times, [(1, 1_004), (2, 1_308), (3, 1_612)]);
    let bad = tried(3);
    assert_eq!(
        bad.failure(),
        "the node did not connect in 3 tries: org.bluez.Error.Failed: ATT error: 0x0e"
    );
    assert!(bad.last().is_disconnected);
}

#[test]
fn node_that_refuses_is_distinguished_from_one_without_a_network() {
    let failure = |fault| {
        let mut radio = radio();
        radio.faults.insert(Step::Apply, fault);
        run(provision(), radio)
    };
    let values = failure(Fault::Refused(1));
    assert_eq!(
        values.last().failure,
        Some(Failure::NodeRefused {
            has_tried_network: false
        })
    );
    let network = failure(Fault::Wrong);
    assert_eq!(
        network.last().failure,
        Some(Failure::NodeRefused {
            has_tried_network: true
        })
    );
    let cut = failure(Fault::Cut);
    assert_eq!(
        cut.last().failure,
        Some(Failure::LinkLost {
            state: State::Applying
        })
    );
    let silent = failure(Fault::Silent);
    let limit = 15 * SECOND;
    assert_eq!(
        silent.last().failure,
        Some(Failure::Silent {
            flag: Some(Flag::Connecting),
            limit
        })
    );
    for run in [values, network, cut, silent] {
        assert!(run.last().is_disconnected && !run.radio.is_linked());
        let commands = run
            .written()
            .into_iter()
            .filter(|(one, _)| *one == Characteristic::Command);
        assert_eq!(
            commands.count(),
            1,
            "the command is written once, whatever comes of it"
        );
    }
}

#[test]
fn missing_characteristic_is_named() {
    let mut radio = radio();
    radio.faults.insert(Step::Services, Fault::Wrong);
    let run = run(provision(), radio);
    assert_eq!(
        run.last().failure,
        Some(Failure::NotOurService {
            missing: vec![Characteristic::Start]
        })
    );
}

#[test]
fn nobody_is_not_found_after_ten_seconds() {
    let mut empty = radio();
    empty.nodes.clear();
    let nobody = run(provision(), empty);
    assert_eq!(nobody.failure(), "node: expected one within 10 s, got none");
    assert_eq!(nobody.took.as_millis(), 10_002, "with the end of the scan");
    assert!(!nobody.radio.is_scanning());
    let other = run(machine(Order::Read, Some("ChromaDMX-0003")), radio());
    assert_eq!(
        other.failure(),
        "node: expected ChromaDMX-0003 within 10 s, got none"
    );
}

#[test]
fn nobody_is_not_found_in_a_shorter_attempt_either() {
    let limits = Limits {
        attempt: 3 * SECOND,
        ..Limits::default()
    };
    let order = || Machine::new(Order::Read, Some("nobody".to_owned()), limits, false);
    let alone = run(order(), radio());
    assert_eq!(alone.failure(), "node: expected nobody within 3 s, got none");
    let mut silent = radio();
    silent.faults.insert(Step::Scan, Fault::Silent);
    let silent = run(order(), silent);
    assert_eq!(
        silent.failure(),
        "SCANNING: expected the end of the attempt within 3 s",
        "nobody can say who is there"
    );
}

#[test]
fn attempts_of_a_batch_number_their_requests_on() {
    let (mut first, mut second) = (machine(Order::Read, None), machine(Order::Read, None));
    first.start(Duration::ZERO);
    let token = first.next_request().expect("the scan").token;
    first.handle(
        Event::Lost(Cause::new(CauseKind::NoBluetooth, "", "gone")),
        SECOND,
    );
    assert!(first.is_over());
    second.follow(first.take_past());
    second.start(SECOND);
    assert_eq!(
        second.next_request().map(|request| request.token),
        Some(token + 1)
    );
}

#[test]
fn attempt_has_a_limit_of_its_own() {
    let mut radio = radio();
    let slow = Fault::Slow(4 * SECOND);
    for one in [
        Characteristic::Name,
        Characteristic::Ssid,
        Characteristic::Universe,
        Characteristic::Start,
    ] {
        radio.faults.insert(Step::Read(one), slow);
    }
    radio.faults.insert(Step::Subscribe, slow);
    let run = run(provision(), radio);
    let limit = 20 * SECOND;
    assert_eq!(
        run.last().failure,
        Some(Failure::AttemptTimedOut {
            state: State::ReadingConfig,
            limit
        })
    );
    assert!(
        run.last().is_disconnected && run.took < limit + SECOND,
        "{:?}",
        run.took
    );
}

#[test]
fn cancelled_attempt_is_disconnected_when_it_ends_wherever_it_was() {
    for milliseconds in (0..1_080).step_by(3) {
        let run = run_until(provision(), radio(), Duration::from_millis(milliseconds));
        if run.last().state == State::Success {
            assert!(
                milliseconds > 1_040,
                "cancelled after {milliseconds} ms, and ended well"
            );
            continue;
        }
        assert_eq!(
            run.last().failure,
            Some(Failure::Cancelled),
            "after {milliseconds} ms"
        );
        assert!(run.last().is_disconnected && !run.radio.is_linked() && !run.radio.is_scanning());
        assert!(
            run.took <= Duration::from_millis(milliseconds + 10),
            "{:?}",
            run.took
        );
    }
}

#[test]
fn disconnection_that_is_not_confirmed_is_reported() {
    let mut radio = radio();
    radio.faults.insert(Step::Disconnect, Fault::Silent);
    let run = run(provision(), radio);
    assert_eq!(run.last().state, State::Success);
    assert!(!run.last().is_disconnected);
}
