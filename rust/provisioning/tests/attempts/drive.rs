//! Runs an attempt to its end, in virtual time.

use rustle_provisioning::{
    Characteristic, Limits, Machine, Order, Past, Radio, ScriptedNode, ScriptedRadio, Secret, State, Update,
    Wanted,
};
use std::time::Duration;

/// The password of all attempts; it may appear nowhere.
pub(crate) const CANARY: &str = "canary-7f3a91";

/// An attempt that has ended.
pub(crate) struct Run {
    pub(crate) updates: Vec<Update>,
    pub(crate) took: Duration,
    pub(crate) radio: ScriptedRadio,
    /// The names of the requests, in order.
    pub(crate) asked: Vec<String>,
    /// What it leaves for the next one of a batch.
    pub(crate) past: Past,
}

impl Run {
    pub(crate) fn last(&self) -> &Update {
        self.updates.last().expect("an update")
    }

    pub(crate) fn states(&self) -> Vec<State> {
        self.updates.iter().map(|update| update.state).collect()
    }

    /// The failure, as a text.
    pub(crate) fn failure(&self) -> String {
        self.last()
            .failure
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    pub(crate) fn written(&self) -> Vec<(Characteristic, Vec<u8>)> {
        self.radio.nodes[0].writes.clone()
    }
}

pub(crate) fn wanted() -> Wanted {
    Wanted {
        name: "left 1".to_owned(),
        ssid: "stage".to_owned(),
        password: Secret::new(CANARY.as_bytes().to_vec()),
        universe: 258,
        start: 401,
        footprint: Some(12),
    }
}

pub(crate) fn radio() -> ScriptedRadio {
    let nodes = vec![
        ScriptedNode::new("02:00:00:00:00:01", "ChromaDMX-0001", -40),
        ScriptedNode::new("02:00:00:00:00:02", "ChromaDMX-0002", -60),
    ];
    ScriptedRadio::new(nodes, Duration::from_millis(2))
}

pub(crate) fn provision() -> Machine {
    Machine::new(Order::Provision(wanted()), None, Limits::default(), false)
}

pub(crate) fn run(machine: Machine, radio: ScriptedRadio) -> Run {
    run_until(machine, radio, Duration::MAX)
}

/// As [`run`]; cancels at a time.
pub(crate) fn run_until(mut machine: Machine, mut radio: ScriptedRadio, cancel: Duration) -> Run {
    let (mut now, mut updates, mut asked) = (Duration::ZERO, Vec::new(), Vec::new());
    machine.start(now);
    let mut is_cancelled = false;
    loop {
        while let Some(update) = machine.next_update() {
            updates.push(update);
        }
        if machine.is_over() {
            assert!(
                machine.next_request().is_none(),
                "nothing is asked for after the end"
            );
            assert_eq!(machine.deadline(), None, "no time is waited for after the end");
            // A node's texts are shown as numbers.
            let (shown, bytes) = (format!("{updates:?}"), format!("{:?}", CANARY.as_bytes()));
            assert!(
                !shown.contains(CANARY) && !shown.contains(bytes.trim_matches(['[', ']'])),
                "{shown}"
            );
            return Run {
                updates,
                took: now,
                radio,
                asked,
                past: machine.take_past(),
            };
        }
        if let Some(request) = machine.next_request() {
            asked.push(name(&request.ask));
            radio.ask(request, now);
            continue;
        }
        if now >= cancel && !is_cancelled {
            is_cancelled = true;
            machine.cancel(now);
        } else if let Some(event) = radio.next_event(now) {
            machine.handle(event, now);
        } else if machine.deadline().is_some_and(|deadline| deadline <= now) {
            machine.tick(now);
        } else {
            let cancel = (!is_cancelled).then_some(cancel);
            let next = [machine.deadline(), radio.due(), cancel]
                .into_iter()
                .flatten()
                .min();
            now = next
                .expect("an attempt that has not ended waits for a time")
                .max(now);
            assert!(now < Duration::from_secs(60), "{updates:?}");
        }
    }
}

fn name(ask: &rustle_provisioning::Ask) -> String {
    use rustle_provisioning::Ask;
    match ask {
        Ask::Scan => "scan".to_owned(),
        Ask::StopScan => "stop scan".to_owned(),
        Ask::Connect(id) => format!("connect {id}"),
        Ask::Services => "services".to_owned(),
        Ask::Pair => "pair".to_owned(),
        Ask::Read(one) => format!("read {one}"),
        Ask::Write(one, _) => format!("write {one}"),
        Ask::Subscribe => "subscribe".to_owned(),
        Ask::Unsubscribe => "unsubscribe".to_owned(),
        Ask::Disconnect => "disconnect".to_owned(),
    }
}
