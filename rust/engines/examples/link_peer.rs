//! A member of a tempo session that is driven by lines of standard input, for measurements beside other programs: `rust/bench/peers/link_beside.py`
//! runs it in a network namespace.
//!
//! `tempo BPM`, `play 0|1`, `enable 0|1` and `quit` act; `at US` prints host time, phase in four beats, tempo, peers and playing for a
//! host time in microseconds.

use rustle_engines::{Link, LinkConfiguration, Runtime};
use rustle_tempo::beats::{HostTime, Quantum, Tempo, Time};
use std::error::Error;
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let bpm = std::env::args().nth(1).map_or(Ok(120.0), |text| text.parse())?;
    let configuration = LinkConfiguration {
        tempo: Tempo::from_bpm(bpm)?,
        follows_start_stop: true,
        ..LinkConfiguration::default()
    };
    let link = Link::on(Runtime::shared().clone(), configuration);
    link.enable()?;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("tempo"), Some(bpm)) => link.set_tempo(Tempo::from_bpm(bpm.parse()?)?, link.host_now()),
            (Some("play"), Some(is_playing)) => link.set_playing(is_playing == "1", link.host_now()),
            (Some("enable"), Some("1")) => link.enable()?,
            (Some("enable"), Some(_)) => link.disable(),
            (Some("at"), Some(micros)) => {
                let host = HostTime::new(micros.parse()?);
                let snapshot = link.snapshot();
                writeln!(
                    output,
                    "{} {:.6} {:.6} {} {} {} {}",
                    host.micros(),
                    snapshot.phase_at(host, Quantum::BAR).as_f64(),
                    snapshot.tempo().bpm(),
                    snapshot.peers,
                    u8::from(snapshot.is_playing),
                    snapshot.session,
                    snapshot.map.rate(),
                )?;
                output.flush()?;
            }
            (Some("counts"), _) => {
                writeln!(output, "{:?} {:?}", link.counts(), link.gateways())?;
                output.flush()?;
            }
            (Some("quit"), _) => break,
            _ => return Err(format!("not a command: {line}").into()),
        }
    }
    link.shut_down();
    Ok(())
}
