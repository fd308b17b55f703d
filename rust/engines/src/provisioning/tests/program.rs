//! The calling program as the radio.

use super::super::program::Exchange;
use super::*;
use rustle_provisioning::{Ask, Radio, Request};
use std::collections::BTreeMap;

/// The calling program as a radio: hands what it is asked for to scripted radios, one for each client, and reports what comes.
struct Program {
    _session: LaneSession<NodeRequest>,
    requests: Receiver<NodeRequest>,
    ends: Receiver<Release>,
    radios: BTreeMap<u32, ScriptedRadio>,
    asked: Vec<NodeAsk>,
    closed: Vec<u32>,
    now: Duration,
}

impl Program {
    fn of(stage: &Stage) -> Self {
        let (delivery, requests, ends) = heard();
        Self {
            _session: stage.radio.requests(delivery).expect("a session"),
            requests,
            ends,
            radios: BTreeMap::new(),
            asked: Vec::new(),
            closed: Vec::new(),
            now: Duration::ZERO,
        }
    }

    fn run(&mut self, stage: &Stage, milliseconds: u64, faults: &[(Step, Fault)]) {
        for _ in 0..milliseconds {
            stage.advance(1);
            self.now += Duration::from_millis(1);
            let now = self.now;
            for request in self.requests.try_iter() {
                self.asked.push(request.ask);
                if request.ask == NodeAsk::Close {
                    self.radios.remove(&request.client);
                    self.closed.push(request.client);
                    continue;
                }
                let radio = self.radios.entry(request.client).or_insert_with(|| {
                    let mut radio = scripted();
                    radio.faults.extend(faults.iter().copied());
                    radio
                });
                let one = request.characteristic;
                let ask = match request.ask {
                    NodeAsk::Scan => Ask::Scan,
                    NodeAsk::StopScan => Ask::StopScan,
                    NodeAsk::Connect => Ask::Connect(text(&request.id)),
                    NodeAsk::Services => Ask::Services,
                    NodeAsk::Pair => Ask::Pair,
                    NodeAsk::Read => Ask::Read(one.expect("a characteristic")),
                    NodeAsk::Write => {
                        let (client, token) = (request.client, request.token);
                        let take = |room| stage.radio.value(client, token, room);
                        let (length, none) = take(0).expect("a write that waits");
                        assert!(none.is_none(), "it does not fit");
                        let value = take(64).and_then(|(_, value)| value).expect("a value");
                        assert_eq!(length, value.bytes().len());
                        assert!(take(64).is_none(), "it was taken");
                        Ask::Write(one.expect("a characteristic"), value)
                    }
                    NodeAsk::Subscribe => Ask::Subscribe,
                    NodeAsk::Unsubscribe => Ask::Unsubscribe,
                    NodeAsk::Disconnect | NodeAsk::Close => Ask::Disconnect,
                };
                let token = request.token;
                radio.ask(Request { token, ask }, now);
            }
            for (client, radio) in &mut self.radios {
                while let Some(event) = radio.next_event(now) {
                    stage.radio.report(*client, event).expect("this process");
                }
            }
        }
    }
}

fn text<const N: usize>(text: &BoundedText<N>) -> String {
    String::from_utf8_lossy(&text.bytes[..text.length as usize]).into_owned()
}

#[test]
fn program_is_the_radio_of_an_attempt_and_of_a_scan_beside_it() {
    let stage = Stage::new(PROGRAM_ADAPTER, None);
    let mut program = Program::of(&stage);
    let (delivery, records, ends) = heard();
    let attempt = stage
        .radio
        .attempt(task(NodeOrder::Provision(wanted())), delivery);
    let _attempt = attempt.expect("a session");
    let (delivery, seen, _scan_ends) = heard();
    let scan = stage.radio.scan(delivery).expect("a session");
    program.run(&stage, 3_000, &[]);
    let last = records.try_iter().last().expect("an update");
    assert_eq!(
        (last.state, last.universe, text(&last.name)),
        (State::Success, Some(2), "left".to_owned())
    );
    assert_eq!(ends.try_recv(), Ok(Release::Ended));
    assert_eq!(
        seen.try_iter()
            .filter(|seen: &NodeSighting| seen.change == NodeChange::Appeared)
            .count(),
        2
    );
    assert_eq!(program.closed, [1], "the attempt");
    scan.cancel();
    program.run(&stage, 2, &[]);
    assert_eq!(program.closed, [1, 2], "and the scan");
}

#[test]
fn program_disconnects_though_the_engine_is_shut_down_and_its_requests_end_with_it() {
    let stage = Stage::new(PROGRAM_ADAPTER, None);
    let mut program = Program::of(&stage);
    let (delivery, _records, ends) = heard();
    let attempt = stage
        .radio
        .attempt(task(NodeOrder::Provision(wanted())), delivery);
    let _attempt = attempt.expect("a session");
    let faults = [(Step::Write(Characteristic::Ssid), Fault::Silent)];
    program.run(&stage, 1_500, &faults);
    stage.radio.sessions().shut_down();
    program.run(&stage, 100, &faults);
    assert_eq!(ends.try_recv(), Ok(Release::Cancelled));
    assert_eq!(
        &program.asked[program.asked.len() - 2..],
        [NodeAsk::Disconnect, NodeAsk::Close]
    );
    assert_eq!(program.ends.try_recv().ok(), None);
    let Stage { runtime, radio } = stage;
    drop(radio);
    runtime.advance(Duration::ZERO);
    assert_eq!(program.ends.try_recv(), Ok(Release::Cancelled));
}

#[test]
fn reports_of_a_program_for_nobody_are_void() {
    let stage = Stage::new(PROGRAM_ADAPTER, None);
    let reported = stage.radio.report(7, rustle_provisioning::Event::Disconnected);
    assert!(reported.is_ok());
    assert!(stage.radio.value(7, 1, 64).is_none());
}

#[test]
fn void_write_is_no_write_of_nothing() {
    let exchange = Arc::new(Exchange::default());
    let mut radio = exchange.join();
    let mut ask = |token, ask| radio.ask(Request { token, ask }, Duration::ZERO);
    let value = |token| {
        let waiting = exchange.value(1, token, 64);
        waiting.map(|(length, value)| (length, value.map(|value| value.bytes().to_vec())))
    };
    // The password of an open network.
    ask(1, Ask::Write(Characteristic::Password, Secret::new(Vec::new())));
    assert_eq!(value(2), None);
    assert_eq!(value(1), Some((0, Some(Vec::new()))));
    assert_eq!(value(1), None, "it was taken");
    ask(
        2,
        Ask::Write(Characteristic::Ssid, Secret::new(b"stage".to_vec())),
    );
    ask(3, Ask::Disconnect);
    assert_eq!(value(2), None, "it is void");
}

#[test]
fn scan_of_a_program_waits_for_its_user() {
    let stage = Stage::new(PROGRAM_ADAPTER, None);
    let mut program = Program::of(&stage);
    let (delivery, records, ends) = heard();
    let _scan = stage.radio.scan(delivery).expect("a session");
    let slow = Fault::Slow(Duration::from_secs(9));
    program.run(&stage, 10_000, &[(Step::Scan, slow)]);
    assert_eq!(ends.try_recv().ok(), None);
    let seen: Vec<NodeSighting> = records.try_iter().collect();
    assert!(seen.iter().any(|seen| seen.place == 1), "after the answer");
}
