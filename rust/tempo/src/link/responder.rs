//! Answers to pings.

use super::{GhostMap, Malformed, Packet, SessionId, parse_ping, pong};
use crate::beats::{HostTime, Time};
use std::net::SocketAddrV4;

/// The pings of one source that are answered in a second: a whole measurement has 52 at once.
pub const PINGS_PER_SECOND: i64 = 64;
/// The pings that are answered in a second from all sources, whose addresses may be invented.
const ALL_PINGS_PER_SECOND: i64 = 8_192;
/// The sources that are counted separately; a further one takes the place of the one that has asked least recently.
const SOURCES: usize = 256;
const SECOND: i64 = 1_000_000;

/// The pings that may still be answered: so many per second, and as many at once.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    /// Microseconds of the rate that are left: a ping takes a second's part of them.
    left: i64,
    at: HostTime,
}

impl Allowance {
    fn new(at: HostTime) -> Self {
        Self { left: SECOND, at }
    }

    fn take(&mut self, now: HostTime, per_second: i64) -> bool {
        let elapsed = now.saturating_micros_since(self.at).clamp(0, SECOND);
        self.left = (self.left + elapsed).min(SECOND);
        self.at = self.at.max(now);
        let price = SECOND / per_second;
        let is_left = self.left >= price;
        self.left -= if is_left { price } else { 0 };
        is_left
    }
}

/// Answers pings, with bounds.
#[derive(Clone, Debug)]
pub struct Responder {
    all: Allowance,
    sources: Vec<(SocketAddrV4, Allowance)>,
    refused: u64,
}

impl Responder {
    /// A responder to which nobody has sent yet.
    pub fn new(now: HostTime) -> Self {
        Self {
            all: Allowance::new(now),
            sources: Vec::with_capacity(SOURCES),
            refused: 0,
        }
    }

    /// The pong to a ping at a host time, which is read directly before; `None`: it is one of too many.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn answer(
        &mut self,
        now: HostTime,
        (session, map): (SessionId, &GhostMap),
        from: SocketAddrV4,
        bytes: &[u8],
    ) -> Result<Option<Packet>, Malformed> {
        let payload = parse_ping(bytes)?;
        if !(self.source(now, from).take(now, PINGS_PER_SECOND) && self.all.take(now, ALL_PINGS_PER_SECOND)) {
            self.refused += 1;
            return Ok(None);
        }
        Ok(Some(pong(session, map.ghost_at(now), payload)))
    }

    fn source(&mut self, now: HostTime, from: SocketAddrV4) -> &mut Allowance {
        let place = match self.sources.iter().position(|(source, _)| *source == from) {
            Some(place) => place,
            None if self.sources.len() < SOURCES => {
                self.sources.push((from, Allowance::new(now)));
                self.sources.len() - 1
            }
            None => {
                let times = self.sources.iter().map(|(_, allowance)| allowance.at);
                let oldest = times.enumerate().min_by_key(|(_, at)| *at);
                let place = oldest.map_or(0, |(place, _)| place);
                self.sources[place] = (from, Allowance::new(now));
                place
            }
        };
        &mut self.sources[place].1
    }

    /// Pings that were not answered because there were too many.
    pub fn refused(&self) -> u64 {
        self.refused
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NodeId, parse_pong, ping};
    use super::*;
    use std::net::Ipv4Addr;

    fn source(port: u16) -> SocketAddrV4 {
        SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
    }

    fn answered(responder: &mut Responder, port: u16, at: impl Iterator<Item = i64>) -> usize {
        let founded = GhostMap::founded_at(HostTime::new(0));
        let session = SessionId::founded_by(NodeId::from_field(*b"abcdefgh"));
        at.filter(|at| {
            let now = HostTime::new(*at);
            let packet = responder.answer(now, (session, &founded), source(port), ping(now, None).bytes());
            let pong = packet.expect("a ping").map(|packet| parse_pong(packet.bytes()));
            pong.is_some_and(|pong| pong.expect("a pong").ghost.micros() == *at)
        })
        .count()
    }

    #[test]
    fn source_has_64_answers_a_second() {
        let mut responder = Responder::new(HostTime::new(0));
        assert_eq!(answered(&mut responder, 1, (0..1_000).map(|_| 0)), 64);
        // A ping each ms for ten seconds.
        let later = answered(&mut responder, 1, (1..=10_000).map(|ms| ms * 1_000));
        assert_eq!(later, 640);
        assert_eq!(responder.refused(), 936 + 9_360);
        assert_eq!(
            answered(&mut responder, 2, (0..52).map(|_| 10_000_000)),
            52,
            "another source"
        );
    }

    #[test]
    fn invented_sources_share_a_bound() {
        let mut responder = Responder::new(HostTime::new(0));
        let ports = 0..20_000_u16;
        let count: usize = ports
            .map(|port| answered(&mut responder, port, std::iter::once(0)))
            .sum();
        assert!((8_192..=8_200).contains(&count), "{count}");
        assert_eq!(responder.sources.len(), SOURCES);
    }

    #[test]
    fn host_clock_that_runs_backwards_gives_no_answers_away() {
        let mut responder = Responder::new(HostTime::new(0));
        let times = [1_000_000_000_000, 0].into_iter().cycle().take(200);
        let count = answered(&mut responder, 1, times);
        assert_eq!(count, 64);
        assert_eq!(answered(&mut responder, 1, (0..100).map(|_| i64::MIN / 4)), 0);
    }
}
