//! The receiver's own node.

use super::*;
use rustle_lighting::artnet::{Packet, Poll, PollReply, SYNC_PACKET, parse};

/// The replies that have arrived at an endpoint.
fn replies(endpoint: &Scripted) -> Vec<PollReply> {
    let mut bytes = [0; 600];
    let mut replies = Vec::new();
    while let Ok(arrival) = endpoint.try_receive(&mut bytes) {
        match parse(&bytes[..arrival.length]) {
            Ok(Packet::PollReply(reply)) => replies.push(reply),
            // Its own, which is a broadcast.
            Ok(Packet::Poll(_)) => {}
            other => panic!("expected a reply, got {other:?}"),
        }
    }
    replies
}

#[test]
fn polls_are_answered_to_the_asker_within_a_second_with_the_ports_that_are_listened_to() {
    let stage = Stage::new(|c| c.art_net = vec![port(0x123), port(0x124)]);
    let _levels = stage.levels();
    let stranger = stage
        .side
        .network
        .endpoint((Ipv4Addr::new(10, 0, 0, 3), 6454).into());
    stage.art_net(&art(0x123, 0, 1, &[1, 2]));
    stage.send(
        &Poll::default().bytes(),
        (Ipv4Addr::new(10, 0, 0, 255), 6454).into(),
    );
    while stranger.try_receive(&mut [0; 600]).is_ok() {}
    stage.runtime.advance(ms(1_001));
    let got = replies(&stage.sender);
    assert_eq!(got.len(), 2, "one port in each");
    let ports: Vec<_> = got
        .iter()
        .flat_map(PollReply::subscriptions)
        .map(PortAddress::get)
        .collect();
    assert_eq!(ports, [0x123, 0x124]);
    assert_eq!(
        (got[0].ip, got[0].mac, got[0].short_name.to_string()),
        (HERE, MAC, "here".to_owned())
    );
    let has_data: Vec<_> = got
        .iter()
        .map(|reply| reply.all_ports[0].good_output & 0x80 != 0)
        .collect();
    assert_eq!(has_data, [true, false]);
    assert_eq!(replies(&stranger).len(), 0);
    assert_eq!(stage.receiver.counts().replies, 2);
}

#[test]
fn receiver_that_is_told_to_be_silent_answers_nobody() {
    let stage = Stage::new(|c| {
        c.art_net = vec![port(1)];
        c.answers_polls = false;
    });
    let _levels = stage.levels();
    stage.send(&Poll::default().bytes(), (HERE, 6454).into());
    stage.runtime.advance(ms(3_000));
    assert_eq!(
        (replies(&stage.sender).len(), stage.receiver.counts().replies),
        (0, 0)
    );
}

#[test]
fn art_sync_shows_all_ports_at_once() {
    let stage = Stage::new(|c| c.art_net = (0..4).map(port).collect());
    let levels = stage.levels();
    let broadcast = (Ipv4Addr::new(10, 0, 0, 255), 6454).into();
    for frame in 1..4 {
        for number in 0..4 {
            stage.art_net(&art(number, 0, frame, &[frame, 0]));
        }
        if frame > 1 {
            assert_eq!(levels.take(), [], "they wait");
        }
        stage.send(&SYNC_PACKET, broadcast);
        let got = levels.take();
        if frame > 1 {
            assert_eq!(shown(&got), [0, 1, 2, 3].map(|number| (number, [frame, 0])));
            assert!(got.iter().all(|record| record.change == got[0].change));
        }
    }
}
