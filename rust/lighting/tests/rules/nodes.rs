//! Polls, replies and the table of nodes.

use crate::support::{MS, SECOND, port};
use rustle_lighting::artnet::{Packet, Poll, PollReply, Port, Style, parse};
use rustle_lighting::nodes::{
    Failsafe, MAX_ASKERS, MAX_NODES, NodeEvent, NodeState, NodeTable, OwnNode, OwnNodeSettings, PollSettings,
    PortStatus,
};
use rustle_lighting::{Name, PortAddress};
use std::net::Ipv4Addr;

const START: u64 = 50 * SECOND;

pub(crate) fn host(number: u16) -> Ipv4Addr {
    let [high, low] = number.to_be_bytes();
    Ipv4Addr::new(10, 0, high, low)
}

pub(crate) fn reply(bind_index: u8, universes: &[u8]) -> PollReply {
    let mut reply = PollReply {
        net: 1,
        sub_net: 2,
        bind_index,
        port_count: universes.len() as u16,
        short_name: Name::new("node").expect("short"),
        ..PollReply::default()
    };
    for (described, universe) in reply.all_ports.iter_mut().zip(universes) {
        described.kind = Port::OUTPUTS;
        described.output = *universe;
    }
    reply
}

/// A table on a clock, and the polls that it sent.
pub(crate) struct Finder {
    pub(crate) table: NodeTable,
    pub(crate) now: u64,
    polls: Vec<u64>,
}

impl Finder {
    pub(crate) fn new(seed: u64) -> Self {
        let settings = PollSettings {
            seed,
            ..PollSettings::default()
        };
        Self {
            table: NodeTable::new(settings, START),
            now: START,
            polls: Vec::new(),
        }
    }

    /// Lets time pass; `answer` is called after each poll.
    pub(crate) fn pass(&mut self, ns: u64, mut answer: impl FnMut(&mut NodeTable, u64)) {
        let end = self.now + ns;
        while self.table.next_ns() <= end {
            self.now = self.table.next_ns();
            if let Some(poll) = self.table.advance(self.now) {
                assert!(poll.flags & Poll::REPLY_ON_CHANGE != 0);
                self.polls.push(self.now);
                answer(&mut self.table, self.now);
            }
        }
        self.now = end;
    }

    pub(crate) fn events(&mut self) -> Vec<NodeEvent> {
        std::iter::from_fn(|| self.table.pop_event()).collect()
    }
}

#[test]
fn polls_are_2_5_to_3_seconds_apart_and_differ_between_controllers() {
    let times = |seed| {
        let mut finder = Finder::new(seed);
        finder.pass(300 * SECOND, |_, _| {});
        finder.polls
    };
    let polls = times(1);
    assert_eq!(polls[0], START);
    assert!(
        polls
            .windows(2)
            .all(|pair| (2_500 * MS..=3_000 * MS).contains(&(pair[1] - pair[0])))
    );
    assert_eq!(polls, times(1));
    assert_ne!(polls, times(2));
}

#[test]
fn node_is_late_after_one_poll_lost_after_three_and_back_at_its_next_reply() {
    let mut finder = Finder::new(1);
    let node = reply(1, &[3]);
    finder.pass(10 * SECOND, |table, now| table.hear(now, host(1), &node));
    assert_eq!(
        (finder.events(), finder.table.nodes()[0].state()),
        (vec![NodeEvent::Appeared(host(1))], NodeState::Online)
    );
    let asked = finder.polls.len();
    while finder.table.nodes()[0].state() == NodeState::Online {
        finder.pass(MS, |_, _| {});
    }
    assert!(
        finder.now - finder.polls[asked] >= 3 * SECOND && finder.now - finder.polls[asked] < 3 * SECOND + MS
    );
    while finder.table.nodes()[0].state() == NodeState::Late {
        finder.pass(MS, |_, _| {});
    }
    assert!(finder.now - finder.polls[asked + 2] < 3 * SECOND + MS);
    finder.pass(20 * SECOND, |_, _| {});
    assert_eq!(
        finder.events(),
        [NodeEvent::Late(host(1)), NodeEvent::Lost(host(1))],
        "each once"
    );
    finder.table.hear(finder.now, host(1), &node);
    assert_eq!(
        (finder.events(), finder.table.nodes()[0].state()),
        (vec![NodeEvent::Returned(host(1))], NodeState::Online)
    );
}

#[test]
fn both_shapes_of_replies_are_read() {
    let mut finder = Finder::new(1);
    // Four ports in one reply, or one in each of four.
    finder.table.hear(START, host(1), &reply(0, &[1, 2, 3, 4]));
    for (index, universe) in [1, 2, 3, 4].into_iter().enumerate() {
        finder
            .table
            .hear(START, host(2), &reply(index as u8 + 1, &[universe]));
    }
    let addresses: Vec<Vec<u16>> = finder
        .table
        .nodes()
        .iter()
        .map(|node| node.subscriptions().map(PortAddress::get).collect())
        .collect();
    assert_eq!(addresses, [[0x121, 0x122, 0x123, 0x124]; 2]);
    for number in 0x121..=0x124 {
        assert!(finder.table.subscribers(port(number)).eq([host(1), host(2)]));
    }
    assert_eq!(finder.table.subscribers(port(0x125)).count(), 0);
}

#[test]
fn node_that_lists_another_address_is_no_longer_subscribed_to_the_first() {
    let mut finder = Finder::new(1);
    finder.table.hear(START, host(1), &reply(1, &[1]));
    let generation = finder.table.generation();
    finder.table.hear(START, host(1), &reply(1, &[1]));
    assert_eq!(finder.table.generation(), generation);
    finder.table.hear(START, host(1), &reply(1, &[2]));
    assert!(finder.table.generation() > generation);
    assert_eq!(
        finder.events(),
        [NodeEvent::Appeared(host(1)), NodeEvent::Changed(host(1))]
    );
    assert_eq!(finder.table.subscribers(port(0x121)).count(), 0);
}

#[test]
fn part_that_a_node_no_longer_lists_is_forgotten() {
    let mut finder = Finder::new(1);
    finder.table.hear(START, host(1), &reply(2, &[7]));
    finder.pass(30 * SECOND, |table, now| {
        table.hear(now, host(1), &reply(1, &[1]))
    });
    assert_eq!(finder.table.subscribers(port(0x127)).count(), 0);
    assert!(finder.table.subscribers(port(0x121)).eq([host(1)]));
    assert!(finder.events().contains(&NodeEvent::Changed(host(1))));
}

#[test]
fn lost_nodes_are_no_subscribers_and_late_ones_are() {
    let mut finder = Finder::new(1);
    finder.table.hear(START, host(1), &reply(1, &[1]));
    finder.pass(6 * SECOND, |_, _| {});
    assert_eq!(finder.table.nodes()[0].state(), NodeState::Late);
    assert_eq!(finder.table.subscribers(port(0x121)).count(), 1);
    finder.pass(10 * SECOND, |_, _| {});
    assert_eq!(finder.table.subscribers(port(0x121)).count(), 0);
}

#[test]
fn full_table_displaces_the_longest_lost_and_never_one_online() {
    let mut finder = Finder::new(1);
    for number in 0..MAX_NODES as u16 {
        finder
            .table
            .hear(START + u64::from(number), host(number), &reply(1, &[1]));
    }
    finder.table.hear(START, host(9_999), &reply(1, &[1]));
    assert_eq!(
        (finder.table.nodes().len(), finder.table.excess()),
        (MAX_NODES, 1)
    );
    // Two stop answering.
    finder.pass(20 * SECOND, |table, now| {
        for number in (0..MAX_NODES as u16).filter(|number| *number != 3 && *number != 7) {
            table.hear(now, host(number), &reply(1, &[1]));
        }
    });
    finder.events();
    finder.table.hear(finder.now, host(9_999), &reply(1, &[1]));
    assert_eq!(
        finder.events(),
        [NodeEvent::Forgotten(host(3)), NodeEvent::Appeared(host(9_999))]
    );
    assert_eq!(finder.table.nodes().len(), MAX_NODES);
}

fn own(style: Style, ports: impl IntoIterator<Item = PortAddress>, seed: u64) -> OwnNode {
    let mut node = OwnNode::new(OwnNodeSettings {
        ip: host(1),
        mac: [2, 0, 0, 0, 0, 1],
        short_name: Name::new("ours").expect("short"),
        long_name: Name::new("our node").expect("short"),
        failsafe: Failsafe::Zero,
        style,
        seed,
    });
    node.set_ports(ports);
    node
}

/// The replies to a poll, with their addresses and times.
fn replies(node: &mut OwnNode, now: u64) -> Vec<(u64, Ipv4Addr, PollReply)> {
    let mut sent = Vec::new();
    while let Some(due) = node.next_ns() {
        assert!(due >= now);
        node.advance(due, |to, bytes| match parse(bytes) {
            Ok(Packet::PollReply(reply)) => sent.push((due, to, reply)),
            packet => panic!("{packet:?}"),
        });
    }
    sent
}

#[test]
fn poll_is_answered_by_unicast_within_a_random_second() {
    let delays: Vec<u64> = (0..50)
        .map(|seed| {
            let mut node = own(Style::Node, [port(5)], seed);
            node.hear(START, host(9), &Poll::default());
            let sent = replies(&mut node, START);
            assert_eq!((sent.len(), sent[0].1), (1, host(9)));
            sent[0].0 - START
        })
        .collect();
    assert!(delays.iter().all(|delay| *delay <= SECOND));
    assert!(delays.iter().min() < Some(&(200 * MS)) && delays.iter().max() > Some(&(800 * MS)));
}

#[test]
fn each_port_has_a_reply_of_its_own_bind_index() {
    let mut node = own(Style::Node, [port(0x321), port(0x123), port(0x124)], 1);
    let status = PortStatus {
        has_data: true,
        merges: true,
        is_ltp: false,
    };
    node.set_status(START, port(0x124), status);
    node.hear(START, host(9), &Poll::default());
    let sent = replies(&mut node, START);
    let listed: Vec<_> = sent
        .iter()
        .map(|(_, _, reply)| {
            (
                reply.bind_index,
                reply.subscriptions().map(PortAddress::get).collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(listed, [(1, vec![0x123]), (2, vec![0x124]), (3, vec![0x321])]);
    assert_eq!(
        sent.iter()
            .map(|sent| sent.2.all_ports[0].good_output)
            .collect::<Vec<_>>(),
        [0, 0x88, 0]
    );
    let reports: Vec<_> = sent.iter().map(|sent| sent.2.report.to_string()).collect();
    assert_eq!(reports, ["#0001 [0001] ok", "#0001 [0002] ok", "#0001 [0003] ok"]);
    assert!(
        sent.iter()
            .all(|sent| sent.2.style == Style::Node && sent.2.ip == host(1))
    );
    // Bits 7 and 6: 1 is zero.
    assert!(sent.iter().all(|sent| sent.2.status3 == 0x40));
}

#[test]
fn asker_that_wants_replies_on_change_gets_them_while_it_polls() {
    let mut node = own(Style::Node, [port(5)], 1);
    let poll = Poll {
        flags: Poll::REPLY_ON_CHANGE,
        ..Poll::default()
    };
    node.hear(START, host(9), &poll);
    node.hear(START, host(8), &Poll::default());
    assert_eq!(replies(&mut node, START).len(), 2);
    let status = |has_data| PortStatus {
        has_data,
        ..PortStatus::default()
    };
    let asked = |sent: Vec<(u64, Ipv4Addr, PollReply)>| {
        let reply = |sent: &(u64, Ipv4Addr, PollReply)| (sent.1, sent.2.all_ports[0].good_output);
        sent.iter().map(reply).collect::<Vec<_>>()
    };
    let later = START + 2 * SECOND;
    node.set_status(later, port(5), status(true));
    assert_eq!(asked(replies(&mut node, later)), [(host(9), 0x80)]);
    node.set_status(later, port(5), status(true));
    assert_eq!(node.next_ns(), None, "nothing changed");
    // It polls no more.
    node.set_status(START + 11 * SECOND, port(5), status(false));
    assert!(node.next_ns().is_none() && !node.is_watched());
    // It polls, and does not want them any more.
    node.hear(START + 12 * SECOND, host(9), &poll);
    node.hear(START + 13 * SECOND, host(9), &Poll::default());
    assert!(!node.is_watched());
}

#[test]
fn many_ports_share_replies_of_four() {
    let mut node = own(Style::Node, (0..1_000).map(port), 1);
    node.hear(START, host(9), &Poll::default());
    let sent = replies(&mut node, START);
    assert_eq!((sent.len(), node.unlisted_ports()), (250, 0));
    assert!(
        sent.iter()
            .flat_map(|sent| sent.2.subscriptions())
            .map(PortAddress::get)
            .eq(0..1_000)
    );
    node.set_ports((0..1_100).map(port));
    assert_eq!(node.unlisted_ports(), 80);
}

#[test]
fn controller_answers_too_and_lists_no_port() {
    let mut node = own(Style::Controller, [], 1);
    node.hear(START, host(1), &Poll::default());
    let sent = replies(&mut node, START);
    assert_eq!(
        (sent.len(), sent[0].2.style, sent[0].2.subscriptions().count()),
        (1, Style::Controller, 0)
    );
}

#[test]
fn targeted_poll_is_answered_by_the_ports_in_its_range() {
    let mut node = own(Style::Node, [port(5), port(6)], 1);
    let targeted = |top, bottom| Poll {
        flags: Poll::TARGETED,
        target: [top, bottom],
        ..Poll::default()
    };
    node.hear(START, host(9), &targeted(100, 7));
    assert_eq!(node.next_ns(), None);
    node.hear(START, host(9), &targeted(100, 6));
    let sent = replies(&mut node, START);
    assert!(sent.iter().flat_map(|sent| sent.2.subscriptions()).eq([port(6)]));
}

#[test]
fn flood_of_polls_is_answered_once_for_each_of_16_askers() {
    let mut node = own(Style::Node, [port(5)], 1);
    for _ in 0..10 {
        for number in 0..1_000 {
            node.hear(START, host(number), &Poll::default());
        }
    }
    let mut askers: Vec<_> = replies(&mut node, START).into_iter().map(|sent| sent.1).collect();
    askers.sort();
    assert_eq!(askers, (0..MAX_ASKERS as u16).map(host).collect::<Vec<_>>());
}

#[test]
fn own_node_is_found_by_the_table() {
    let mut finder = Finder::new(1);
    let mut node = own(Style::Node, (0..300).map(port), 3);
    finder.pass(10 * SECOND, |table, now| {
        node.hear(now, host(2), &Poll::default());
        for (at, _, reply) in replies(&mut node, now) {
            table.hear(at, host(1), &reply);
        }
    });
    assert_eq!(finder.table.nodes().len(), 1);
    assert!((0..300).all(|number| finder.table.subscribers(port(number)).eq([host(1)])));
    assert_eq!(finder.table.nodes()[0].short_name().to_string(), "ours");
}
