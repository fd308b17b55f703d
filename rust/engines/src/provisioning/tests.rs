//! Scans and attempts with scripted nodes, on a manual clock.

mod log;
mod program;

use super::attempts::Planned;
use super::engine::planned;
use super::source::Source;
use super::*;
use crate::job::Release;
use crate::outlet::{Delivery, LaneSession, RecordListener};
use crate::runtime::Runtime;
use rustle_provisioning::{
    Cause, CauseKind, Characteristic, Fault, Limits, NodeChange, ScriptedNode, ScriptedRadio, Secret, State,
    Step, Wanted,
};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

struct Log<T>(Sender<T>, Sender<Release>);

impl<T: Copy + Send> RecordListener<T> for Log<T> {
    fn on_record(&mut self, record: &T) {
        // Nobody listens after the end of a test.
        let _ = self.0.send(*record);
    }

    fn on_release(self: Box<Self>, release: Release) {
        let _ = self.1.send(release);
    }
}

type Heard<T> = (Delivery<T>, Receiver<T>, Receiver<Release>);

fn heard<T: Copy + Send + 'static>() -> Heard<T> {
    let ((record, records), (end, ends)) = (channel(), channel());
    (Delivery::Push(Box::new(Log(record, end))), records, ends)
}

struct Stage {
    runtime: Arc<Runtime>,
    radio: NodeRadio,
}

impl Stage {
    fn new(adapter: &str, change_limit: Option<u64>) -> Self {
        let runtime = Arc::new(Runtime::manual(0));
        let configuration = NodeRadioConfiguration {
            adapter: adapter.to_owned(),
            changes_per_second: 1.0,
            change_limit,
        };
        let radio = NodeRadio::on(runtime.clone(), configuration).expect("a good configuration");
        Self { runtime, radio }
    }

    fn advance(&self, milliseconds: u64) {
        self.runtime.advance(Duration::from_millis(milliseconds));
    }

    fn attempt(
        &self,
        radio: ScriptedRadio,
        planned: Vec<Planned>,
    ) -> (LaneSession<NodeUpdate>, Receiver<NodeUpdate>, Receiver<Release>) {
        let (delivery, records, ends) = heard();
        let session = self
            .radio
            .attempt_with(Source::Scripted(Box::new(radio)), planned, delivery);
        (session.expect("a session"), records, ends)
    }
}

fn wanted() -> Wanted {
    Wanted {
        name: "left".to_owned(),
        ssid: "stage".to_owned(),
        password: Secret::new(b"hunter22".to_vec()),
        universe: 2,
        start: 3,
        footprint: None,
    }
}

fn task(order: NodeOrder) -> NodeTask {
    NodeTask {
        order,
        node: String::new(),
        limits: Limits::default(),
        must_encrypt: false,
    }
}

fn scripted() -> ScriptedRadio {
    let nodes = vec![
        ScriptedNode::new("02:00:00:00:00:01", "lamp 1", -40),
        ScriptedNode::new("02:00:00:00:00:02", "lamp 2", -50),
    ];
    ScriptedRadio::new(nodes, Duration::from_millis(2))
}

#[test]
fn attempt_is_a_session_that_ends_with_its_last_state() {
    let stage = Stage::new(DEMO_ADAPTER, None);
    let (delivery, records, ends) = heard();
    let session = stage
        .radio
        .attempt(task(NodeOrder::Provision(wanted())), delivery);
    let _session = session.expect("a session");
    stage.advance(3_000);
    let updates: Vec<NodeUpdate> = records.try_iter().collect();
    let states: Vec<_> = updates.iter().map(|update| update.state).collect();
    assert_eq!((states.len(), states.last()), (7, Some(&State::Success)));
    let last = updates.last().expect("an update");
    assert_eq!(
        (last.sequence, last.universe, last.start, last.is_disconnected),
        (6, Some(2), Some(3), true)
    );
    assert_eq!(&last.name.bytes[..last.name.length as usize], b"left");
    assert_eq!(ends.try_recv(), Ok(Release::Ended));
}

#[test]
fn table_goes_on_after_a_failure_and_reports_each_node() {
    let stage = Stage::new(DEMO_ADAPTER, None);
    let table = "node,name,universe,start\nlamp 1,a,1,1\nnobody,b,1,20\n02:00:00:00:00:02,c,1,40\n";
    let planned = planned(task(NodeOrder::Table(table.to_owned(), wanted()))).expect("a good table");
    let (_session, records, ends) = stage.attempt(scripted(), planned);
    stage.advance(20_000);
    let last = |update: &NodeUpdate| matches!(update.state, State::Success | State::Error);
    let outcomes: Vec<_> = records
        .try_iter()
        .filter(last)
        .map(|update| (update.place, update.failure))
        .collect();
    assert_eq!(
        outcomes,
        [
            ((0, 3), NodeFailure::None),
            ((1, 3), NodeFailure::NotFound),
            ((2, 3), NodeFailure::None)
        ]
    );
    assert_eq!(ends.try_recv(), Ok(Release::Ended));
}

#[test]
fn refused_values_and_tables_start_nothing() {
    let stage = Stage::new(DEMO_ADAPTER, None);
    let refused = |order| {
        stage
            .radio
            .attempt(task(order), heard().0)
            .err()
            .map(|error| error.to_string())
    };
    let bad = Wanted {
        start: 0,
        universe: 40_000,
        ..wanted()
    };
    assert_eq!(
        refused(NodeOrder::Provision(bad)).as_deref(),
        Some("universe: expected 0 to 32767, got 40000; start: expected 1 to 512, got 0")
    );
    assert_eq!(
        refused(NodeOrder::Table(
            "node,name,universe,start\na,,1,0\n,b,1,1\n".to_owned(),
            wanted()
        ))
        .as_deref(),
        Some(
            "2 problems: line 2: name: expected 1 to 32 bytes, got 0; start: expected 1 to 512, got 0; \
             line 3: node: expected a name or an identifier, got none"
        )
    );
}

#[test]
fn rows_of_a_table_are_each_another_node() {
    let stage = Stage::new(DEMO_ADAPTER, None);
    let table = "node,name,universe,start\nlamp 1,lamp 2,1,1\nlamp 2,lamp 1,1,20\n02:00:00:00:00:01,c,1,40\n";
    let planned = planned(task(NodeOrder::Table(table.to_owned(), wanted()))).expect("a good table");
    let (_session, records, _ends) = stage.attempt(scripted(), planned);
    stage.advance(20_000);
    let last = |update: &NodeUpdate| matches!(update.state, State::Success | State::Error);
    let outcomes: Vec<_> = records
        .try_iter()
        .filter(last)
        .map(|update| (update.failure, update.id))
        .collect();
    let node = |number| BoundedText::new(&format!("02:00:00:00:00:0{number}"));
    assert_eq!(
        outcomes,
        [
            (NodeFailure::None, node(1)),
            (NodeFailure::None, node(2)),
            (NodeFailure::Ambiguous, node(1))
        ]
    );
}

#[test]
fn empty_name_is_nobody_for_a_factory_reset() {
    let error = planned(task(NodeOrder::FactoryReset))
        .err()
        .map(|error| error.to_string());
    assert_eq!(
        error.as_deref(),
        Some("node: expected a name or an identifier, got none")
    );
    assert_eq!(planned(task(NodeOrder::Read)).map(|all| all.len()).ok(), Some(1));
}

#[test]
fn cancelled_session_is_released_when_the_node_is_disconnected() {
    let stage = Stage::new(DEMO_ADAPTER, None);
    let mut radio = scripted();
    // The node takes 300 ms to disconnect.
    radio
        .faults
        .insert(Step::Disconnect, Fault::Slow(Duration::from_millis(300)));
    radio
        .faults
        .insert(Step::Write(Characteristic::Ssid), Fault::Silent);
    let planned = planned(task(NodeOrder::Provision(wanted()))).expect("good values");
    let (session, records, ends) = stage.attempt(radio, planned);
    stage.advance(1_500);
    assert_eq!(
        records.try_iter().last().map(|update| update.state),
        Some(State::WritingConfig)
    );
    session.cancel();
    stage.advance(250);
    assert_eq!(ends.try_recv().ok(), None, "it is disconnecting");
    stage.advance(100);
    assert_eq!(ends.try_recv(), Ok(Release::Cancelled));
    assert_eq!(
        records.try_iter().count(),
        0,
        "nothing is delivered after a cancel"
    );
}

#[test]
fn cancelled_session_disconnects_though_its_engine_is_gone() {
    let stage = Stage::new(DEMO_ADAPTER, None);
    let planned = planned(task(NodeOrder::Provision(wanted()))).expect("good values");
    let mut radio = scripted();
    radio
        .faults
        .insert(Step::Read(Characteristic::Name), Fault::Silent);
    radio
        .faults
        .insert(Step::Disconnect, Fault::Slow(Duration::from_millis(300)));
    let (_session, _records, ends) = stage.attempt(radio, planned);
    stage.advance(1_500);
    let Stage { runtime, radio } = stage;
    drop(radio);
    runtime.advance(Duration::from_millis(290));
    assert_eq!(ends.try_recv().ok(), None, "it is disconnecting");
    runtime.advance(Duration::from_millis(20));
    assert_eq!(ends.try_recv(), Ok(Release::Cancelled));
}

#[test]
fn scan_reports_nodes_and_changes_of_their_signal_four_times_a_second() {
    let stage = Stage::new("", None);
    let (delivery, records, ends) = heard();
    let source = Source::Scripted(Box::new(scripted()));
    let session = stage.radio.scan_with(source, "", delivery).expect("a session");
    stage.advance(1_000);
    let seen: Vec<NodeSighting> = records.try_iter().collect();
    let appeared: Vec<_> = seen
        .iter()
        .filter(|seen| seen.change == NodeChange::Appeared)
        .collect();
    assert_eq!(appeared.iter().map(|seen| seen.place).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((appeared[1].rssi, appeared[1].firmware), (-50.0, Some((1, 4))));
    let per_node = seen.iter().filter(|seen| seen.place == 0).count();
    assert!((3..=5).contains(&per_node), "{per_node} reports in a second");
    session.cancel();
    stage.advance(0);
    assert_eq!(ends.try_recv(), Ok(Release::Cancelled));
}

#[test]
fn scan_that_cannot_begin_fails_and_says_why() {
    let stage = Stage::new("", None);
    let mut radio = scripted();
    radio.faults.insert(Step::Scan, Fault::Lost);
    let (delivery, _records, ends) = heard();
    let _session = stage
        .radio
        .scan_with(Source::Scripted(Box::new(radio)), "", delivery)
        .expect("a session");
    stage.advance(10);
    let text =
        "noBluetooth: the system's Bluetooth service is not there: the Bluetooth service is gone".to_owned();
    assert_eq!(ends.try_recv(), Ok(Release::Failed(text)));
    let cause = Cause::new(CauseKind::AdapterOff, "", "expected hci0 powered, got it off");
    assert_eq!(
        rustle_provisioning::Failure::of_scan(cause).to_string(),
        "the Bluetooth adapter is off: expected hci0 powered, got it off"
    );
}

#[test]
fn scan_that_is_not_answered_fails_after_five_seconds() {
    let stage = Stage::new("", None);
    let mut radio = scripted();
    radio.faults.insert(Step::Scan, Fault::Silent);
    let (delivery, _records, ends) = heard();
    let _session = stage
        .radio
        .scan_with(Source::Scripted(Box::new(radio)), "", delivery)
        .expect("a session");
    stage.advance(4_990);
    assert_eq!(ends.try_recv().ok(), None);
    stage.advance(10);
    let text = "timedOut: SCANNING: expected an answer to the scan within 5 s, got none".to_owned();
    assert_eq!(ends.try_recv(), Ok(Release::Failed(text)));
}

#[test]
fn demonstration_has_four_nodes_and_ends_at_its_limit() {
    let stage = Stage::new(DEMO_ADAPTER, Some(9));
    let (delivery, records, ends) = heard();
    let _session = stage.radio.scan(delivery).expect("a session");
    stage.advance(3_000);
    let seen: Vec<_> = records
        .try_iter()
        .map(|seen: NodeSighting| (seen.place, seen.change))
        .collect();
    let appeared = [0, 1, 2, 3].map(|place| (place, NodeChange::Appeared));
    let changed = [0, 1, 2, 3, 0].map(|place| (place, NodeChange::Changed));
    assert_eq!(seen, [&appeared[..], &changed].concat());
    assert_eq!(ends.try_recv(), Ok(Release::Ended));
}

#[test]
fn texts_are_cut_between_characters() {
    let text = BoundedText::<5>::new("aéé€");
    assert_eq!(
        (text.length, &text.bytes),
        (5, "aéé".as_bytes().try_into().expect("five"))
    );
    assert_eq!(BoundedText::<4>::new("aéé").length, 3);
}
