//! Our own node: who receives Art-Net answers polls.

use crate::artnet::{Poll, PollReply, Port, REPLY_BYTES, Style};
use crate::random::SplitMix;
use crate::{Name, PortAddress};
use std::fmt::Write;
use std::net::Ipv4Addr;

/// The askers whose replies wait at most: a further one asks again in 3 s.
pub const MAX_ASKERS: usize = 16;
/// A reply is delayed by up to this time, in ns (Art-Net 4, "ArtPollReply": a random delay of up to 1 s).
const DELAY_NS: u64 = 1_000_000_000;
/// Who asked for replies on change and polls no more gets none after this time, in ns: controllers poll every 2.5 to 3 s.
const WATCH_NS: u64 = 10_000_000_000;
/// The replies of a node: BindIndex is a byte, and counts from 1.
const MAX_REPLIES: usize = 255;
/// The ports of a reply.
const REPLY_PORTS: usize = 4;

/// What a node says of itself.
#[derive(Clone, Debug)]
pub struct OwnNodeSettings {
    /// The address of the interface.
    pub ip: Ipv4Addr,
    /// Its MAC address; zeros: unknown.
    pub mac: [u8; 6],
    /// Short name.
    pub short_name: Name<18>,
    /// Long name.
    pub long_name: Name<64>,
    /// What its ports show when all sources are lost.
    pub failsafe: Failsafe,
    /// What it is: a receiver is a node, a sender a controller without ports.
    pub style: Style,
    /// Spreads the delays of replies.
    pub seed: u64,
}

/// What ports show when all sources are lost (Art-Net 4, "ArtPollReply", Status3, bits 7 and 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failsafe {
    /// The last levels.
    #[default]
    Hold = 0,
    /// Zeros.
    Zero = 1,
    /// A scene.
    Scene = 3,
}

/// The state of a port, for its replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortStatus {
    /// Data arrive.
    pub has_data: bool,
    /// Two sources are merged.
    pub merges: bool,
    /// By LTP.
    pub is_ltp: bool,
}

/// An asker, and when it gets its replies, or was heard.
#[derive(Clone, Copy, Debug)]
struct Asker {
    to: Ipv4Addr,
    poll: Poll,
    due_ns: u64,
}

/// Answers polls by unicast, after a random delay: one port in each reply, or up to four that share Net and Sub-Net when there are
/// more ports than a node has replies.
#[derive(Debug)]
pub struct OwnNode {
    settings: OwnNodeSettings,
    /// The ports in ascending order, and those of each reply.
    ports: Vec<(PortAddress, PortStatus)>,
    replies: Vec<std::ops::Range<usize>>,
    unlisted: usize,
    askers: Vec<Asker>,
    /// Those who asked for replies on change, since when they were heard last.
    watchers: Vec<Asker>,
    random: SplitMix,
    count: u64,
}

impl OwnNode {
    /// A node without ports.
    pub fn new(settings: OwnNodeSettings) -> Self {
        Self {
            random: SplitMix::new(settings.seed),
            settings,
            ports: Vec::new(),
            replies: Vec::new(),
            unlisted: 0,
            askers: Vec::with_capacity(MAX_ASKERS),
            watchers: Vec::with_capacity(MAX_ASKERS),
            count: 0,
        }
    }

    /// Writes its ports: the Port-Addresses that are listened to.
    pub fn set_ports(&mut self, ports: impl IntoIterator<Item = PortAddress>) {
        self.ports = ports
            .into_iter()
            .map(|port| (port, PortStatus::default()))
            .collect();
        self.ports.sort_unstable_by_key(|(port, _)| *port);
        self.ports.dedup_by_key(|(port, _)| *port);
        let most = if self.ports.len() > MAX_REPLIES {
            REPLY_PORTS
        } else {
            1
        };
        self.replies.clear();
        for index in 0..self.ports.len() {
            // All but the Universe of the Port-Address.
            let shares = |first: usize| self.ports[first].0.get() >> 4 == self.ports[index].0.get() >> 4;
            match self.replies.last_mut() {
                Some(reply) if reply.len() < most && shares(reply.start) => reply.end = index + 1,
                _ => self.replies.push(index..index + 1),
            }
        }
        self.unlisted = self
            .replies
            .iter()
            .skip(MAX_REPLIES)
            .map(ExactSizeIterator::len)
            .sum();
        self.replies.truncate(MAX_REPLIES);
    }

    /// The ports that no reply lists, since a node has 255 replies: they receive broadcasts and what is sent without subscription.
    pub fn unlisted_ports(&self) -> usize {
        self.unlisted
    }

    /// Whether somebody asked for replies on change, and [`set_status`](Self::set_status) is to be called at each change.
    pub fn is_watched(&self) -> bool {
        !self.watchers.is_empty()
    }

    /// Writes the state of a port for the next replies. When it differs, whoever asked for replies on change gets them.
    pub fn set_status(&mut self, now_ns: u64, port: PortAddress, status: PortStatus) {
        let Ok(index) = self.ports.binary_search_by_key(&port, |(port, _)| *port) else {
            return;
        };
        if std::mem::replace(&mut self.ports[index].1, status) == status {
            return;
        }
        self.watchers
            .retain(|watcher| now_ns.saturating_sub(watcher.due_ns) < WATCH_NS);
        for watcher in self.watchers.clone() {
            self.ask(now_ns, watcher.to, watcher.poll);
        }
    }

    /// Takes a poll that came from an address. Who is asked nothing new, or not this node, gets no further reply.
    pub fn hear(&mut self, now_ns: u64, from: Ipv4Addr, poll: &Poll) {
        let is_targeted = poll.flags & Poll::TARGETED != 0;
        let is_asked = !is_targeted || self.ports.iter().any(|(port, _)| poll.asks(*port));
        if !is_asked {
            return;
        }
        self.watchers.retain(|watcher| watcher.to != from);
        if poll.flags & Poll::REPLY_ON_CHANGE != 0 && self.watchers.len() < MAX_ASKERS {
            self.watchers.push(Asker {
                to: from,
                poll: *poll,
                due_ns: now_ns,
            });
        }
        self.ask(now_ns, from, *poll);
    }

    /// Lets replies wait for an asker.
    fn ask(&mut self, now_ns: u64, to: Ipv4Addr, poll: Poll) {
        if let Some(asker) = self.askers.iter_mut().find(|asker| asker.to == to) {
            asker.poll = poll;
        } else if self.askers.len() < MAX_ASKERS {
            let due_ns = now_ns.saturating_add(self.random.up_to(DELAY_NS));
            self.askers.push(Asker { to, poll, due_ns });
        }
    }

    /// When replies are due next, in ns; `None`: not before the next poll.
    pub fn next_ns(&self) -> Option<u64> {
        self.askers.iter().map(|asker| asker.due_ns).min()
    }

    /// Calls `send` with each reply that is due and the address of its asker.
    pub fn advance(&mut self, now_ns: u64, mut send: impl FnMut(Ipv4Addr, &[u8; REPLY_BYTES])) {
        while let Some(index) = self.askers.iter().position(|asker| asker.due_ns <= now_ns) {
            let asker = self.askers.swap_remove(index);
            if self.replies.is_empty() {
                send(asker.to, &self.reply(1, 0..0).bytes());
            }
            for index in 0..self.replies.len() {
                let ports = self.replies[index].clone();
                if self.ports[ports.clone()]
                    .iter()
                    .any(|(port, _)| asker.poll.asks(*port))
                {
                    send(asker.to, &self.reply(index as u8 + 1, ports).bytes());
                }
            }
        }
    }

    fn reply(&mut self, bind_index: u8, ports: std::ops::Range<usize>) -> PollReply {
        self.count += 1;
        let ports = &self.ports[ports];
        let first = ports.first().map_or(PortAddress::FIRST, |(port, _)| *port);
        let mut reply = PollReply {
            ip: self.settings.ip,
            net: first.net(),
            sub_net: first.sub_net(),
            short_name: self.settings.short_name,
            long_name: self.settings.long_name,
            report: report(self.count),
            port_count: ports.len() as u16,
            style: self.settings.style,
            mac: self.settings.mac,
            bind_ip: self.settings.ip,
            bind_index,
            refresh_rate: 44,
            status3: (self.settings.failsafe as u8) << 6,
            ..PollReply::default()
        };
        for (described, (port, status)) in reply.all_ports.iter_mut().zip(ports) {
            let bit = |is_set, bit| if is_set { bit } else { 0 };
            described.kind = Port::OUTPUTS;
            described.output = port.universe();
            described.good_output =
                bit(status.has_data, 0x80) | bit(status.merges, 0x08) | bit(status.is_ltp, 0x02);
            // No RDM (Art-Net 4, "ArtPollReply", GoodOutputB).
            described.good_output_b = 0x80;
        }
        reply
    }
}

/// `#0001 [n] ok`: power on self-tests passed (Art-Net 4, "NodeReport codes"), and the count of replies to 9999.
fn report(count: u64) -> Name<64> {
    let mut text = Text::default();
    // The text is shorter than its field.
    let _ = write!(text, "#0001 [{:04}] ok", count % 10_000);
    Name::from_field(text.field)
}

/// A field that is written without allocating.
struct Text {
    field: [u8; 64],
    length: usize,
}

impl Default for Text {
    fn default() -> Self {
        Self {
            field: [0; 64],
            length: 0,
        }
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        let field = self.field.get_mut(self.length..end).ok_or(std::fmt::Error)?;
        field.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
