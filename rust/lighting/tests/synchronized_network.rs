//! Synchronized frames over a network that loses, delays, reorders and duplicates packets: with whole frames, no universe is ever
//! shown apart from the others.

mod pairs;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_lighting::receiver::SyncRule;
use rustle_lighting::sender::{Datagram, FrameRate};
use std::collections::{BTreeMap, BinaryHeap};
use std::net::Ipv4Addr;

const MS: u64 = 1_000_000;
const UNIVERSES: u32 = 8;
const FRAMES: u64 = 4_000;
/// The sender pauses for a moment between frames and their synchronization, as the receiver's work takes time.
const GAP: u64 = 3 * MS;

/// What the network does to a packet.
#[derive(Clone, Copy, Debug)]
struct Script {
    loss: f64,
    duplication: f64,
    /// The longest delay, in ns; each packet has its own, so that they overtake each other.
    delay: u64,
}

/// The packets under way, by the time of their arrival.
struct Network {
    script: Script,
    random: ChaCha8Rng,
    under_way: BinaryHeap<std::cmp::Reverse<(u64, u64, Vec<u8>)>>,
    count: u64,
}

impl Network {
    fn new(script: Script, seed: u64) -> Self {
        Self {
            script,
            random: ChaCha8Rng::seed_from_u64(seed),
            under_way: BinaryHeap::new(),
            count: 0,
        }
    }

    fn send(&mut self, now: u64, datagram: &Datagram<'_>) {
        let copies = 1 + u32::from(self.random.gen_bool(self.script.duplication));
        for _ in 0..copies {
            if self.random.gen_bool(self.script.loss) {
                continue;
            }
            let at = now + self.random.gen_range(0..=self.script.delay);
            self.count += 1;
            self.under_way
                .push(std::cmp::Reverse((at, self.count, datagram.bytes.to_vec())));
        }
    }

    /// The next packet that arrives up to a time.
    fn arrived(&mut self, until: u64) -> Option<(u64, Vec<u8>)> {
        let std::cmp::Reverse((at, ..)) = self.under_way.peek()?;
        if *at > until {
            return None;
        }
        self.under_way
            .pop()
            .map(|std::cmp::Reverse((at, _, bytes))| (at, bytes))
    }
}

/// What the universes show: the frame of each.
#[derive(Default)]
struct Stage {
    frames: BTreeMap<u16, u16>,
    torn: u64,
    shown: Vec<u16>,
}

impl Stage {
    fn take(&mut self, universe: u16, levels: &[u8]) {
        self.frames
            .insert(universe, u16::from_be_bytes([levels[0], levels[1]]));
    }

    /// Called after all universes of a report were taken.
    fn look(&mut self) {
        let mut frames = self.frames.values();
        let first = frames.next().copied();
        let is_whole = self.frames.len() == UNIVERSES as usize && frames.all(|frame| Some(*frame) == first);
        self.torn += u64::from(!is_whole);
        self.shown
            .extend(first.filter(|first| self.shown.last() != Some(first)));
    }
}

/// Sends the frames over a network, and shows what arrives; `$is_looked_at` is evaluated after each packet.
macro_rules! run {
    ($pair:expr, $script:expr, $seed:expr, |$receiver:ident| $is_looked_at:expr) => {{
        let (mut sender, mut $receiver, numbers) = $pair;
        let (mut network, mut stage) = (Network::new($script, $seed), Stage::default());
        for frame in 0..FRAMES {
            for number in &numbers {
                sender
                    .set_levels(*number, &(frame as u16).to_be_bytes())
                    .expect("added");
            }
            let end = FrameRate::FULL.offset_ns(frame + 1);
            while let Some(now) = sender.next_ns().filter(|next| *next < end) {
                sender.advance(now);
                sender
                    .datagrams()
                    .for_each(|datagram| network.send(now, &datagram));
            }
            while let Some((at, bytes)) = network.arrived(end) {
                $receiver
                    .receive(at, Ipv4Addr::LOCALHOST, &bytes)
                    .expect("well-formed");
                let is_looked_at = $is_looked_at;
                let mut has_changed = false;
                $receiver.changes(at, |number, levels| {
                    stage.take(number.get(), levels);
                    has_changed = true;
                });
                if has_changed && is_looked_at {
                    stage.look();
                }
            }
        }
        (stage, $receiver.counters().frames_incomplete)
    }};
}

fn sacn(rule: SyncRule, script: Script, seed: u64) -> (Stage, u64) {
    run!(pairs::sacn(UNIVERSES, GAP, rule), script, seed, |receiver| true)
}

fn art_net(rule: SyncRule, script: Script, seed: u64) -> (Stage, u64) {
    // A node begins immediate: what it shows before its first ArtSync is shown apart by the standard.
    let mut is_synchronous = false;
    run!(pairs::art_net(UNIVERSES, GAP, rule), script, seed, |receiver| {
        std::mem::replace(&mut is_synchronous, receiver.counters().syncs > 0)
    })
}

type Run = fn(SyncRule, Script, u64) -> (Stage, u64);
const RUNS: [(&str, Run); 2] = [("sACN", sacn), ("Art-Net", art_net)];

const PERFECT: Script = Script {
    loss: 0.0,
    duplication: 0.0,
    delay: 0,
};

#[test]
fn no_universe_of_a_frame_is_shown_apart_however_lossy_the_network_is() {
    let scripts = [
        (0.01, 0.0, MS, 3_000),
        (0.05, 0.02, 2 * MS, 1_500),
        (0.1, 0.1, 2 * MS, 500),
        // Packets overtake those of the next frame.
        (0.02, 0.05, 24 * MS, 20),
        // Hardly a frame comes whole, and none is shown.
        (0.2, 0.1, 10 * MS, 0),
    ];
    for (loss, duplication, delay, least) in scripts {
        let script = Script {
            loss,
            duplication,
            delay,
        };
        for (name, run) in RUNS {
            for seed in 0..5 {
                let (stage, incomplete) = run(SyncRule::Whole, script, seed);
                assert_eq!(stage.torn, 0, "{name}, {script:?}, seed {seed}");
                assert!(stage.shown.is_sorted(), "{name}: frames go forward");
                let shown = stage.shown.len();
                assert!(
                    shown >= least && incomplete > 0,
                    "{name}, {script:?}: {shown} shown"
                );
            }
        }
    }
}

#[test]
fn network_without_loss_shows_every_frame_whole_by_both_rules() {
    for (name, run) in RUNS {
        let (stage, incomplete) = run(SyncRule::Whole, PERFECT, 1);
        assert_eq!(
            (stage.torn, incomplete),
            (0, 3),
            "{name}: the frames that teach the sequence numbers"
        );
        assert_eq!(stage.shown.len() as u64, FRAMES - 3, "{name}");
        let (stage, incomplete) = run(SyncRule::Latest, PERFECT, 1);
        assert_eq!(incomplete, 0);
        // Before the first synchronization data act at once.
        assert!(
            stage.torn < u64::from(UNIVERSES) && stage.shown.len() as u64 >= FRAMES - 1,
            "{name}: {}",
            stage.torn
        );
    }
}

#[test]
fn lossy_network_tears_frames_by_the_standards_rule() {
    // What the other rule is for: this test shows that the one above can fail.
    let script = Script {
        loss: 0.05,
        duplication: 0.0,
        delay: MS,
    };
    for (name, run) in RUNS {
        let (stage, _) = run(SyncRule::Latest, script, 1);
        assert!(stage.torn > 100, "{name}: {}", stage.torn);
    }
}
