//! What a table of nodes counts and reports.

use crate::nodes::{Finder, host, reply};
use crate::support::{MS, SECOND};
use rustle_lighting::PortAddress;
use rustle_lighting::nodes::{MAX_NODES, NodeEvent, NodeState, NodeTable};

#[test]
fn polls_that_were_left_unanswered_before_a_reply_do_not_count_after_it() {
    let (mut finder, node) = (Finder::new(1), reply(1, &[3]));
    finder.table.hear(finder.now, host(1), &node);
    for _ in 0..3 {
        // Two polls without an answer, and a reply.
        while finder
            .events()
            .iter()
            .all(|event| *event != NodeEvent::Late(host(1)))
        {
            finder.pass(MS, |_, _| {});
        }
        finder.pass(3 * SECOND, |_, _| {});
        assert_eq!(finder.table.nodes()[0].state(), NodeState::Late);
        finder.table.hear(finder.now, host(1), &node);
    }
}

#[test]
fn generation_rises_when_a_node_is_lost_returns_or_forgets_a_part() {
    let (mut finder, first, second) = (Finder::new(1), reply(1, &[3]), reply(2, &[4]));
    let mut generations = vec![finder.table.generation()];
    let mut step = |table: &NodeTable| generations.push(table.generation());
    finder.table.hear(finder.now, host(1), &first);
    step(&finder.table);
    finder.table.hear(finder.now, host(1), &second);
    step(&finder.table);
    finder.pass(30 * SECOND, |table, now| table.hear(now, host(1), &first));
    assert!(finder.table.subscribers(second_address()).next().is_none());
    step(&finder.table);
    finder.pass(30 * SECOND, |_, _| {});
    assert_eq!(finder.table.nodes()[0].state(), NodeState::Lost);
    step(&finder.table);
    finder.table.hear(finder.now, host(1), &first);
    step(&finder.table);
    assert!(
        generations.is_sorted_by(|before, after| before < after),
        "{generations:?}"
    );
    let last = finder.table.generation();
    finder.pass(30 * SECOND, |table, now| table.hear(now, host(1), &first));
    assert_eq!(finder.table.generation(), last, "nothing changed");
}

/// What the second part of the node lists.
fn second_address() -> PortAddress {
    reply(2, &[4]).subscriptions().next().expect("one")
}

#[test]
fn events_of_a_full_table_that_is_lost_are_all_kept() {
    let mut finder = Finder::new(1);
    for number in 0..MAX_NODES as u16 {
        finder.table.hear(finder.now, host(number), &reply(1, &[3]));
    }
    finder.pass(30 * SECOND, |_, _| {});
    assert_eq!(finder.table.events_dropped(), 0);
    // Each appeared, was late and was lost.
    assert_eq!(finder.events().len(), 3 * MAX_NODES);
}

/// A browser and a receiver of one machine answer from one address with one BindIndex: the table changed twice with each poll.
#[test]
fn reply_without_ports_does_not_take_the_place_of_another_program_with_ports() {
    let (mut finder, receiver, browser) = (Finder::new(1), reply(1, &[3]), reply(1, &[]));
    finder.table.hear(finder.now, host(1), &browser);
    finder.table.hear(finder.now, host(1), &receiver);
    let generation = finder.table.generation();
    finder.events();
    finder.pass(30 * SECOND, |table, now| {
        table.hear(now, host(1), &receiver);
        table.hear(now, host(1), &browser);
    });
    assert_eq!((finder.events(), finder.table.generation()), (vec![], generation));
    let listed = |finder: &Finder| finder.table.nodes()[0].subscriptions().count();
    assert_eq!(listed(&finder), 1);
    // When the receiver has ended, the browser's replies are all there is.
    finder.pass(10 * SECOND, |table, now| table.hear(now, host(1), &browser));
    assert_eq!(listed(&finder), 0);
}
