//! What attempts log.

use super::*;
use std::sync::Mutex;

static WARNED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps the warnings of attempts in `WARNED`, by the nodes that they name.
struct Warnings;

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN && metadata.target().ends_with("provisioning::attempts")
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(
            &mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
                if field.name() == "node" {
                    WARNED.lock().expect("a sound lock").push(format!("{value:?}"));
                }
            },
        );
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn cancelled_session_logs_a_disconnection_that_was_not_confirmed() {
    tracing::subscriber::set_global_default(Warnings).expect("the only one");
    let write = Step::Write(Characteristic::Ssid);
    // In a write, and while a successful attempt closes.
    for (id, silent, state) in [
        ("02:00:00:00:00:0A", Some(write), State::WritingConfig),
        ("02:00:00:00:00:0B", None, State::Verifying),
    ] {
        let stage = Stage::new(DEMO_ADAPTER, None);
        let mut radio =
            ScriptedRadio::new(vec![ScriptedNode::new(id, "lamp", -40)], Duration::from_millis(2));
        for step in silent.into_iter().chain([Step::Disconnect]) {
            radio.faults.insert(step, Fault::Silent);
        }
        let planned = planned(task(NodeOrder::Provision(wanted()))).expect("good values");
        let (session, records, ends) = stage.attempt(radio, planned);
        stage.advance(3_000);
        let last = records.try_iter().last().map(|update| update.state);
        assert_eq!(last, Some(state));
        session.cancel();
        stage.advance(6_000);
        assert_eq!(ends.try_recv(), Ok(Release::Cancelled));
        let warned = WARNED.lock().expect("a sound lock").clone();
        assert_eq!(warned.iter().filter(|node| *node == id).count(), 1, "{id}");
    }
}
