//! The beginning and the end of sessions.

use super::*;
use crate::dmx::DEMO_INTERFACE;
use crate::lane::NoBell;
use crate::ring::Overflow;

#[test]
fn session_that_begins_late_gets_what_is_shown() {
    let stage = Stage::new(|c| {
        c.sacn = (1..=3).map(universe).collect();
        c.art_net = vec![port(5)];
    });
    let first = stage.levels();
    stage.sacn(&data(1, 2, 1, &[20]), 2);
    stage.art_net(&art(5, 0, 1, &[50, 0]));
    let second = stage.levels();
    let got = second.take();
    assert_eq!(shown(&got), [(2, [20, 0]), (5, [50, 0])]);
    assert_eq!(got.iter().map(|record| record.place).collect::<Vec<_>>(), [1, 3]);
    stage.sacn(&data(1, 1, 1, &[10]), 1);
    assert_eq!(shown(&second.take()), [(1, [10, 0])]);
    assert_eq!(first.take().len(), 3);
    assert_eq!(
        stage.side.opened.load(Ordering::SeqCst),
        2,
        "the sockets are shared"
    );
}

#[test]
fn sockets_are_closed_after_the_last_session_and_opened_by_the_next() {
    let stage = Stage::new(|c| c.sacn = vec![universe(1)]);
    let reaches = |stage: &Stage| {
        let before = stage.side.network.counts().unreachable;
        stage.sacn(&data(1, 1, 1, &[1]), 1);
        stage.side.network.counts().unreachable == before
    };
    assert!(!reaches(&stage), "nothing is opened before a session");
    let (levels, events) = (stage.levels(), stage.events());
    levels.session.cancel();
    stage.runtime.advance(Duration::ZERO);
    assert_eq!((levels.end(), events.end()), (Some(Release::Cancelled), None));
    assert!(reaches(&stage));
    events.session.cancel();
    stage.runtime.advance(Duration::ZERO);
    assert_eq!(events.end(), Some(Release::Cancelled));
    assert!(!reaches(&stage));
    assert_eq!(stage.receiver.counts().datagrams, 1, "the counts stay");
    let again = stage.levels();
    assert_eq!(
        (reaches(&stage), stage.receiver.counts().datagrams),
        (true, 1),
        "it counts anew"
    );
    assert_eq!(shown(&again.take()), [(1, [1, 0])]);
    assert_eq!(stage.side.opened.load(Ordering::SeqCst), 2);
}

#[test]
fn dropped_receiver_ends_its_sessions_and_closes_its_sockets() {
    let Stage {
        runtime,
        side,
        receiver,
        sender,
    } = Stage::new(|c| c.sacn = vec![universe(1)]);
    let stage = Stage {
        runtime,
        side,
        receiver,
        sender,
    };
    let (levels, events) = (stage.levels(), stage.events());
    let Stage {
        runtime,
        side,
        receiver,
        sender,
    } = stage;
    drop(receiver);
    runtime.advance(Duration::ZERO);
    assert_eq!(
        (levels.end(), events.end()),
        (Some(Release::Cancelled), Some(Release::Cancelled))
    );
    let to = (universe(1).group(), 5568).into();
    sender.try_send(b"anyone?", Some(to)).expect("sent");
    assert_eq!(side.network.counts().unreachable, 1);
}

#[test]
fn receiver_that_was_shut_down_starts_nothing() {
    let stage = Stage::new(|c| c.sacn = vec![universe(1)]);
    let levels = stage.levels();
    stage.receiver.sessions().shut_down();
    stage.runtime.advance(Duration::ZERO);
    assert_eq!(levels.end(), Some(Release::Cancelled));
    let delivery = Delivery::pull(Overflow::Conflate, 1, NoBell).expect("a size of lanes");
    assert!(matches!(stage.start_levels(delivery), Err(DmxError::ShutDown)));
    assert_eq!(stage.side.opened.load(Ordering::SeqCst), 1);
}

/// The receiver kept them, and the port, until its next session.
#[test]
fn sockets_of_a_job_that_cannot_start_are_closed() {
    let stage = Stage::new(|c| c.sacn = vec![universe(1)]);
    let delivery = Delivery::pull(Overflow::Conflate, 1, NoBell).expect("a size of lanes");
    let refused = stage.receiver.start_levels_over(delivery, |audience| {
        drop(stage.job(audience)?);
        Err(DmxError::ShutDown)
    });
    assert!(matches!(refused, Err(DmxError::ShutDown)));
    let counts = [&stage.side.opened, &stage.side.closed].map(|count| count.load(Ordering::SeqCst));
    assert_eq!(counts, [1, 1]);
}

#[test]
fn session_ends_after_its_limit_of_levels() {
    let stage = Stage::new(|c| {
        c.sacn = vec![universe(1)];
        c.levels_limit = Some(2);
    });
    let levels = stage.levels();
    for level in 1..=3 {
        stage.sacn(&data(1, 1, level, &[level]), 1);
    }
    assert_eq!(levels.take().len(), 2);
    assert_eq!(levels.end(), Some(Release::Ended));
}

#[test]
fn listener_that_panics_ends_its_session_alone_and_the_receiver_refuses_more() {
    struct Panics(Sender<Release>);
    impl RecordListener<DmxLevels> for Panics {
        fn on_record(&mut self, _: &DmxLevels) {
            panic!("on purpose");
        }
        fn on_release(self: Box<Self>, release: Release) {
            self.0.send(release).expect("the test listens");
        }
    }
    let stage = Stage::new(|c| c.sacn = vec![universe(1)]);
    let (sender, ends) = channel();
    let session = stage.start_levels(Delivery::Push(Box::new(Panics(sender))));
    let levels = stage.levels();
    stage.sacn(&data(1, 1, 1, &[1]), 1);
    assert_eq!(ends.try_recv(), Ok(Release::Panicked("on purpose".to_owned())));
    assert!(session.expect("a session").is_released());
    stage.sacn(&data(1, 1, 2, &[2]), 1);
    assert_eq!(levels.take().len(), 2);
    let delivery = Delivery::pull(Overflow::Conflate, 1, NoBell).expect("a size of lanes");
    assert!(matches!(stage.start_levels(delivery), Err(DmxError::Poisoned)));
}

#[test]
fn demonstration_moves_all_universes_at_its_rate() {
    let stage = Stage::new(|c| {
        c.interface = DEMO_INTERFACE.to_owned();
        c.sacn = vec![universe(1), universe(2)];
        c.art_net = vec![port(0)];
        c.levels_per_second = 10.0;
    });
    let ((record, records), (end, _ends)) = (channel(), channel());
    let session = stage
        .receiver
        .start_levels(Delivery::Push(Box::new(Log(record, end))));
    session.expect("a session");
    stage.runtime.advance(ms(990));
    let got: Vec<DmxLevels> = records.try_iter().collect();
    assert_eq!(got.len(), 30);
    let last: Vec<_> = got[27..]
        .iter()
        .map(|record| (record.universe, record.levels[1]))
        .collect();
    assert_eq!(last, [(1, 10), (2, 10), (0, 10)]);
    let ((record, records), (end, _ends)) = (channel(), channel());
    let session = stage
        .receiver
        .start_levels(Delivery::Push(Box::new(Log(record, end))));
    session.expect("a second session");
    stage.runtime.advance(ms(0));
    assert_eq!(records.try_iter().count(), 1, "its first value comes at once");
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    let refusal = |configure: fn(&mut DmxReceiverConfiguration)| {
        let mut configuration = configuration();
        configure(&mut configuration);
        let made = DmxReceiver::on(Arc::new(Runtime::manual(0)), configuration);
        made.err().map(|error| error.to_string())
    };
    assert_eq!(
        refusal(|_| ()),
        Some("universes: expected 1 to 4096, got 0".to_owned())
    );
    assert_eq!(refusal(|c| c.sacn = (1..=4_096).map(universe).collect()), None);
    assert_eq!(
        refusal(|c| c.art_net = (0..=4_096).map(port).collect()),
        Some("universes: expected 1 to 4096, got 4097".to_owned())
    );
    for sources in [0, 65, usize::MAX] {
        let mut configuration = configuration();
        configuration.sacn = vec![universe(1)];
        configuration.universe.sources = sources;
        let made = DmxReceiver::on(Arc::new(Runtime::manual(0)), configuration);
        assert!(made.is_err_and(|error| error.to_string().ends_with(&format!("got {sources}"))));
    }
    let rate = refusal(|c| {
        c.sacn = vec![universe(1)];
        c.levels_per_second = 0.0;
    });
    assert!(rate.is_some_and(|text| text.contains("got 0")));
}
