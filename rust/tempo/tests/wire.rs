//! Datagrams of a running peer (LinkPython-extern 1.3.0, the binary wheel), observed on the loopback.

use rustle_tempo::beats::{Beats, GhostTime, HostTime, Tempo, Timeline};
use rustle_tempo::link::{
    Kind, Message, NodeId, PeerState, Pong, SessionId, StartStop, parse, parse_ping, parse_pong, ping, pong,
};

const ALIVE: &str = "5f617364705f76010105\
    00004d3258443d6d6046746d6c6e00000018000000000006e2380000000000a5637e0000000000000000736573730000\
    00084d3258443d6d604673747374000000110000000000000000000000000000000000\
    6d657034000000067f000001e1d5";
const RESPONSE: &str = "5f617364705f76010205000056223c38597b7b7e746d6c6e00000018000000000006e2380000\
    0000006be93000000000002e4388736573730000000856223c38597b7b7e73747374000000110100000000007cc82c00\
    0000000035dffc6d657034000000067f000001e1d5";
const LEAVING: &str = "5f617364705f7601030000004d3258443d6d6046";
const PINGS: [&str; 2] = [
    "5f6c696e6b5f7601015f5f6874000000080000000103f765c7",
    "5f6c696e6b5f7601015f5f6874000000080000000103f77c2a5f70677400000008000000000000192e",
];
const PONGS: [&str; 2] = [
    "5f6c696e6b5f760102736573730000000856223c38597b7b7e5f5f6774000000080000000000192d8a5f5f687400\
    0000080000000103f76588",
    "5f6c696e6b5f760102736573730000000856223c38597b7b7e5f5f67740000000800000000001943b75f5f687400\
    0000080000000103f77c2a5f70677400000008000000000000192e",
];

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().chunks(2);
    let bytes = digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("text"), 16));
    bytes.collect::<Result<_, _>>().expect("digits")
}

fn state(session: NodeId, origins: (i64, i64), start_stop: (bool, i64, i64)) -> PeerState {
    PeerState {
        timeline: Timeline {
            tempo: Tempo::from_bpm(133.0).expect("a tempo"),
            beat_origin: Beats::from_micro(origins.0),
            time_origin: GhostTime::new(origins.1),
        },
        session: SessionId::founded_by(session),
        start_stop: Some(StartStop {
            is_playing: start_stop.0,
            beats: Beats::from_micro(start_stop.1),
            time: GhostTime::new(start_stop.2),
        }),
        responder: Some("127.0.0.1:57813".parse().expect("an address")),
    }
}

#[test]
fn messages_of_discovery_are_read_and_written_as_the_peer_does() {
    let (joiner, founder) = (
        NodeId::from_field(*b"M2XD=m`F"),
        NodeId::from_field(*b"V\"<8Y{{~"),
    );
    // Alone again: a new session, whose beats go on at time 0.
    let alone = state(joiner, (10_838_910, 0), (false, 0, 0));
    let together = state(founder, (7_072_048, 3_031_944), (true, 8_177_708, 3_530_748));
    let messages = [
        (ALIVE, Message::present(Kind::Alive, joiner, alone)),
        (RESPONSE, Message::present(Kind::Response, founder, together)),
        (LEAVING, Message::Leaving { node: joiner }),
    ];
    for (hexadecimal, message) in messages {
        let bytes = bytes(hexadecimal);
        assert_eq!(parse(&bytes), Ok(message));
        assert_eq!(message.packet().bytes(), bytes);
    }
}

#[test]
fn messages_of_measurement_are_read_and_written_as_the_peer_does() {
    let session = SessionId::founded_by(NodeId::from_field(*b"V\"<8Y{{~"));
    let hosts = [4_361_512_391, 4_361_518_122].map(HostTime::new);
    let previous = [None, Some(GhostTime::new(6_446))];
    for ((hexadecimal, host), previous) in PINGS.iter().zip(hosts).zip(previous) {
        assert_eq!(ping(host, previous).bytes(), bytes(hexadecimal));
    }
    let ghosts = [1_650_058, 1_655_735].map(GhostTime::new);
    let hosts = [4_361_512_328, 4_361_518_122].map(HostTime::new);
    for (((hexadecimal, ghost), host), previous) in PONGS.iter().zip(ghosts).zip(hosts).zip(previous) {
        let bytes = bytes(hexadecimal);
        let read = Pong {
            session,
            ghost,
            host,
            previous,
        };
        assert_eq!(parse_pong(&bytes), Ok(read));
        let sent = ping(host, previous);
        let payload = parse_ping(sent.bytes()).expect("a ping");
        assert_eq!(pong(session, ghost, payload).bytes(), bytes);
    }
}
