//! The measurement of a session's time: pings to one of its nodes.

use super::tracker::Sample;
use super::{Action, GatewayId, Output, Pong, SessionId};
use crate::beats::{GhostTime, HostTime, Time};
use std::net::SocketAddrV4;

/// The samples of a whole measurement: it ends with more than these, after 51 pongs.
const SAMPLES: usize = 100;
/// The pongs after which a repeated measurement ends: its samples join those of the ones before.
const REPEATED_PONGS: usize = 3;
/// The time after which an unanswered ping is sent again, in us.
const PATIENCE: i64 = 50_000;
/// The unanswered pings after which a measurement has failed.
const TRIES: u8 = 5;

/// How far a measurement has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Going,
    Done,
    Failed,
}

/// A measurement.
#[derive(Clone, Debug)]
pub(super) struct Measurement {
    pub(super) session: SessionId,
    /// The responder, and the gateway by which it is reached.
    pub(super) target: (GatewayId, SocketAddrV4),
    is_whole: bool,
    /// Twice the offset of each sample, in us.
    doubled: Vec<i64>,
    /// One sample per pong.
    pub(super) samples: Vec<Sample>,
    previous: Option<GhostTime>,
    /// The host time of the last pong's ping.
    last: Option<HostTime>,
    deadline: HostTime,
    tries: u8,
}

impl Measurement {
    /// Sends the first ping; `is_whole`: as many as the measurement of an unknown session takes.
    pub(super) fn start(
        session: SessionId,
        target: (GatewayId, SocketAddrV4),
        is_whole: bool,
        now: HostTime,
        output: &mut Output,
    ) -> Self {
        let mut measurement = Self {
            session,
            target,
            is_whole,
            doubled: Vec::with_capacity(if is_whole { SAMPLES + 2 } else { 2 * REPEATED_PONGS }),
            samples: Vec::with_capacity(if is_whole { SAMPLES } else { REPEATED_PONGS }),
            previous: None,
            last: None,
            deadline: now,
            tries: 0,
        };
        measurement.send(now, output);
        measurement
    }

    fn send(&mut self, now: HostTime, output: &mut Output) {
        self.deadline = now.saturating_add_micros(PATIENCE);
        output.actions.push(Action::Ping {
            gateway: self.target.0,
            to: self.target.1,
            previous: self.previous,
        });
    }

    /// When [`advance`](Self::advance) is due.
    pub(super) fn next(&self) -> HostTime {
        self.deadline
    }

    /// Takes a pong that came at a host time; one that answers none of our last pings changes nothing.
    pub(super) fn hear(
        &mut self,
        now: HostTime,
        from: SocketAddrV4,
        pong: &Pong,
        output: &mut Output,
    ) -> Progress {
        let round_trip = now.saturating_micros_since(pong.host);
        let is_new = self.last.is_none_or(|last| pong.host > last);
        if from != self.target.1 || !(0..=PATIENCE * i64::from(TRIES)).contains(&round_trip) || !is_new {
            return Progress::Going;
        }
        if pong.session != self.session {
            return Progress::Failed;
        }
        self.tries = 0;
        self.last = Some(pong.host);
        let ghost = pong.ghost.micros();
        let middle = pong.host.micros().saturating_add(now.micros());
        let doubled = ghost.saturating_mul(2).saturating_sub(middle);
        self.doubled.push(doubled);
        self.samples.push(Sample {
            host: now,
            doubled,
            round_trip,
        });
        // What the pong says of the one before is only ours if it is what we have sent.
        if let Some(previous) = pong.previous.filter(|previous| Some(*previous) == self.previous) {
            let middle = ghost.saturating_add(previous.micros());
            self.doubled
                .push(middle.saturating_sub(pong.host.micros().saturating_mul(2)));
        }
        self.previous = Some(pong.ghost);
        let is_done = match self.is_whole {
            true => self.doubled.len() > SAMPLES,
            false => self.samples.len() >= REPEATED_PONGS,
        };
        if is_done {
            return Progress::Done;
        }
        self.send(now, output);
        Progress::Going
    }

    /// Sends a ping again whose pong is overdue.
    pub(super) fn advance(&mut self, now: HostTime, output: &mut Output) -> Progress {
        if now < self.deadline {
            return Progress::Going;
        }
        self.tries += 1;
        if self.tries >= TRIES {
            return Progress::Failed;
        }
        self.send(now, output);
        Progress::Going
    }

    /// The median of the offsets of session time against host time, in us.
    pub(super) fn offset(&mut self) -> Option<i64> {
        let middle = self.doubled.len() / 2;
        if self.doubled.is_empty() {
            return None;
        }
        let is_even = self.doubled.len().is_multiple_of(2);
        let (below, upper, _) = self.doubled.select_nth_unstable(middle);
        let lower = below.iter().copied().max().filter(|_| is_even);
        // Halves of halves: each is twice an offset.
        let sum = i128::from(*upper) + i128::from(lower.unwrap_or(*upper));
        Some(crate::beats::saturated(crate::beats::divide_rounded(sum, 4)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::NodeId;
    use super::*;
    use std::net::Ipv4Addr;

    const TARGET: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 9);

    fn session(letter: u8) -> SessionId {
        SessionId::founded_by(NodeId::from_field([letter; 8]))
    }

    fn start(output: &mut Output) -> Measurement {
        let target = (GatewayId(0), TARGET);
        Measurement::start(session(b'a'), target, true, HostTime::new(0), output)
    }

    fn pings(output: &mut Output) -> usize {
        std::mem::take(&mut output.actions).len()
    }

    #[test]
    fn whole_measurement_takes_51_pongs() {
        let mut output = Output::default();
        let mut measurement = start(&mut output);
        let (mut now, mut pongs, mut sent) = (0, 0, 1);
        loop {
            let Some(Action::Ping { previous, .. }) = output.actions.pop() else {
                panic!("a ping")
            };
            // The responder's clock is 5,000 us ahead, and each way takes 20 us.
            let pong = Pong {
                session: session(b'a'),
                ghost: GhostTime::new(now + 20 + 5_000),
                host: HostTime::new(now),
                previous,
            };
            now += 40;
            pongs += 1;
            let progress = measurement.hear(HostTime::new(now), TARGET, &pong, &mut output);
            if progress == Progress::Done {
                break;
            }
            sent += 1;
        }
        assert_eq!((pongs, sent), (51, 51));
        assert_eq!(measurement.offset(), Some(5_000));
    }

    #[test]
    fn unanswered_pings_are_repeated_and_then_given_up() {
        let mut output = Output::default();
        let mut measurement = start(&mut output);
        assert_eq!(pings(&mut output), 1);
        for try_number in 1..5 {
            assert_eq!(measurement.next(), HostTime::new(50_000 * try_number));
            assert_eq!(
                measurement.advance(measurement.next(), &mut output),
                Progress::Going
            );
            assert_eq!(pings(&mut output), 1);
        }
        assert_eq!(
            measurement.advance(measurement.next(), &mut output),
            Progress::Failed
        );
        assert_eq!(pings(&mut output), 0);
        assert_eq!(measurement.offset(), None);
    }

    #[test]
    fn pongs_of_others_count_for_nothing_and_another_session_fails() {
        let mut output = Output::default();
        let mut measurement = start(&mut output);
        let now = HostTime::new(1_000);
        let pong = |host, letter| Pong {
            session: session(letter),
            ghost: GhostTime::new(7),
            host: HostTime::new(host),
            previous: None,
        };
        let stranger = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 10);
        assert_eq!(
            measurement.hear(now, stranger, &pong(900, b'b'), &mut output),
            Progress::Going
        );
        // A ping from the future, and one from too long ago.
        for host in [1_001, i64::MIN, i64::MAX, -250_000] {
            assert_eq!(
                measurement.hear(now, TARGET, &pong(host, b'b'), &mut output),
                Progress::Going
            );
        }
        assert_eq!(pings(&mut output), 1, "only the first one");
        assert_eq!(
            measurement.hear(now, TARGET, &pong(900, b'a'), &mut output),
            Progress::Going
        );
        // A second copy of the same pong.
        assert_eq!(
            measurement.hear(now, TARGET, &pong(900, b'a'), &mut output),
            Progress::Going
        );
        assert_eq!(pings(&mut output), 1);
        assert_eq!(
            measurement.hear(now, TARGET, &pong(950, b'b'), &mut output),
            Progress::Failed
        );
    }

    #[test]
    fn median_of_an_even_number_is_the_mean_of_the_middle_two() {
        let mut measurement = start(&mut Output::default());
        measurement.doubled = vec![20, 2, 4, 1_000];
        assert_eq!(measurement.offset(), Some(6));
        measurement.doubled.push(6);
        assert_eq!(measurement.offset(), Some(3));
    }
}
