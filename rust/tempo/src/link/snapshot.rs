//! What beats are computed from.

use super::{GhostMap, NodeId, SessionId};
use crate::beats::{Beats, GhostTime, HostTime, Quantum, Tempo, Time, Timeline};

/// The numbers of a snapshot.
pub const SNAPSHOT_WORDS: usize = 10;

/// The state of a node at one time, from which beats follow for any time: a value that needs no lock and no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The session's timeline.
    pub timeline: Timeline<GhostTime>,
    /// The session's time.
    pub map: GhostMap,
    /// What our count of beats is ahead of the session's: a multiple of the quantum.
    pub offset: Beats,
    /// The quantum.
    pub quantum: Quantum,
    /// The session.
    pub session: SessionId,
    /// The nodes in the session, this one not counted.
    pub peers: u32,
    /// Whether it plays.
    pub is_playing: bool,
    /// Whether the node takes part in sessions.
    pub is_enabled: bool,
}

impl Snapshot {
    /// Our count of beats at a host time. It does not decrease with the time.
    pub fn beats_at(&self, host: HostTime) -> Beats {
        self.session_beats_at(host).saturating_add(self.offset)
    }

    /// The session's beats at a host time, of which others share the phase.
    pub fn session_beats_at(&self, host: HostTime) -> Beats {
        self.timeline.beat_at(self.map.ghost_at(host))
    }

    /// The phase in a quantum of the caller's at a host time; the node's own in the node's quantum is that of [`beats_at`](Self::beats_at).
    pub fn phase_at(&self, host: HostTime, quantum: Quantum) -> Beats {
        self.session_beats_at(host).phase(quantum)
    }

    /// The host time of a beat of our count.
    pub fn time_of(&self, beat: Beats) -> HostTime {
        let session = beat.saturating_sub(self.offset);
        self.map.host_at(self.timeline.time_of(session))
    }

    /// The tempo.
    pub fn tempo(&self) -> Tempo {
        self.timeline.tempo
    }

    /// The snapshot as numbers, for a store that others read while it is written.
    pub fn to_words(&self) -> [u64; SNAPSHOT_WORDS] {
        let (host, ghost) = self.map.point();
        // The tempo has 22 bits, the number of peers 13.
        let tempo = self.timeline.tempo.micros_per_beat().unsigned_abs();
        let flags = u64::from(self.is_playing) | u64::from(self.is_enabled) << 1;
        [
            tempo,
            self.timeline.beat_origin.micro() as u64,
            self.timeline.time_origin.micros() as u64,
            host.micros() as u64,
            ghost.micros() as u64,
            u64::from(self.map.rate() as u32),
            self.offset.micro() as u64,
            self.quantum.beats().micro() as u64,
            u64::from_be_bytes(*self.session.bytes()),
            u64::from(self.peers) << 2 | flags,
        ]
    }

    /// The snapshot of [`to_words`](Self::to_words); of other numbers any other one.
    pub fn from_words(words: &[u64; SNAPSHOT_WORDS]) -> Self {
        let signed = |index: usize| words[index] as i64;
        Self {
            timeline: Timeline {
                tempo: Tempo::from_micros_per_beat(signed(0)).unwrap_or_default(),
                beat_origin: Beats::from_micro(signed(1)),
                time_origin: GhostTime::new(signed(2)),
            },
            map: GhostMap::new(
                HostTime::new(signed(3)),
                GhostTime::new(signed(4)),
                words[5] as u32 as i32,
            ),
            offset: Beats::from_micro(signed(6)),
            quantum: Quantum::new(Beats::from_micro(signed(7))).unwrap_or_default(),
            session: SessionId::founded_by(NodeId::from_field(words[8].to_be_bytes())),
            peers: (words[9] >> 2) as u32,
            is_playing: words[9] & 1 != 0,
            is_enabled: words[9] & 2 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshot_is_its_numbers() {
        for sign in [1, -1] {
            let snapshot = Snapshot {
                timeline: Timeline {
                    tempo: Tempo::SLOWEST,
                    beat_origin: Beats::from_micro(sign * 5),
                    time_origin: GhostTime::new(-sign * i64::MAX),
                },
                map: GhostMap::new(HostTime::new(sign * 77), GhostTime::new(-3), -99 * sign as i32),
                offset: Beats::from_micro(-sign * 8_000_000),
                quantum: Quantum::BEAT,
                session: SessionId::founded_by(NodeId::from_field(*b"\xFFbcdefgh")),
                peers: 4_096,
                is_playing: sign > 0,
                is_enabled: sign < 0,
            };
            assert_eq!(Snapshot::from_words(&snapshot.to_words()), snapshot);
        }
        let _ = Snapshot::from_words(&[u64::MAX; SNAPSHOT_WORDS]);
    }

    #[test]
    fn beats_and_their_times_belong_together() {
        let snapshot = Snapshot {
            timeline: Timeline {
                tempo: Tempo::default(),
                beat_origin: Beats::from_f64(2.0),
                time_origin: GhostTime::new(1_000_000),
            },
            map: GhostMap::new(HostTime::new(10_000_000), GhostTime::new(1_000_000), 0),
            offset: Beats::from_f64(8.0),
            quantum: Quantum::BAR,
            session: SessionId::founded_by(NodeId::from_field(*b"abcdefgh")),
            peers: 0,
            is_playing: false,
            is_enabled: true,
        };
        let host = HostTime::new(10_500_000);
        assert_eq!(snapshot.beats_at(host), Beats::from_f64(11.0));
        assert_eq!(snapshot.phase_at(host, Quantum::BAR), Beats::from_f64(3.0));
        assert_eq!(snapshot.time_of(Beats::from_f64(11.0)), host);
    }
}
