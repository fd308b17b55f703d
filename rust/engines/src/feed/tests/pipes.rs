//! Feeds that play pipes and devices.

use super::*;
use crate::job::Release;
use rustle_market::Schema;
use std::fs::File;
use std::io::{PipeReader, PipeWriter, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

fn played(path: PathBuf) -> ReplayConfiguration {
    ReplayConfiguration {
        path,
        format: Some(Format::Ndjson),
        schema: Schema::default(),
        pace: Pace::Unpaced,
        repeats: false,
        from_ns: None,
        to_ns: None,
        is_strict: false,
    }
}

/// A pipe, and the path under which its end can be opened, as long as the reader exists.
fn pipe() -> (PipeReader, PipeWriter, PathBuf) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let path = format!("/dev/fd/{}", reader.as_raw_fd()).into();
    (reader, writer, path)
}

/// Runs the feed until this many more trades arrived.
fn heard(runtime: &Runtime, session: &FeedSession<FeedTrade>, count: usize) -> Vec<String> {
    let mut all = Vec::new();
    while all.len() < count {
        runtime.advance(Duration::ZERO);
        all.extend(prices(session));
        std::thread::yield_now();
    }
    all
}

#[test]
fn trades_of_a_pipe_come_while_it_is_open() {
    let (reader, mut writer, path) = pipe();
    let (runtime, feed) = feed(&SourceConfiguration::Replay(played(path)));
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    writer.write_all(line("A", "1", 1, 1).as_bytes()).expect("a pipe");
    feed.run().expect("running");
    assert_eq!(heard(&runtime, &session, 1), ["1"]);
    drop(reader);
    let (two, three) = (line("A", "2", 2, 2), line("A", "3", 3, 3));
    writer
        .write_all(format!("{two}{}", &three[..10]).as_bytes())
        .expect("a pipe");
    assert_eq!(heard(&runtime, &session, 1), ["2"]);
    writer
        .write_all(&three.trim_end().as_bytes()[10..])
        .expect("a pipe");
    drop(writer);
    assert_eq!(
        heard(&runtime, &session, 1),
        ["3"],
        "the last line needs no line feed"
    );
    while !session.is_released() {
        runtime.advance(Duration::ZERO);
        std::thread::yield_now();
    }
    assert_eq!(feed.counts().bytes, 3 * two.len() as u64 - 1);
}

#[test]
fn more_than_fits_is_read_in_order_and_held_up() {
    let (_reader, mut writer, path) = pipe();
    let (runtime, feed) = feed(&SourceConfiguration::Replay(played(path)));
    let awaited = Policy::Lossless { capacity: 100 };
    let session = feed.trades(&Subscription::All, awaited, NoBell).expect("started");
    feed.run().expect("running");
    let writing = std::thread::spawn(move || {
        for n in 0..20_000 {
            writer
                .write_all(line("A", &n.to_string(), n, n as u64).as_bytes())
                .expect("a reader");
        }
    });
    for n in 0..20_000 {
        let mut next = Vec::new();
        while next.is_empty() {
            runtime.advance(Duration::from_millis(1));
            session.drain(1, |record, lost| next.push((record.trade.sequence, lost)));
        }
        assert_eq!(next, [(n, 0)]);
    }
    writing.join().expect("written");
}

#[test]
fn pipe_that_nobody_writes_to_holds_nobody_up() {
    let name = format!("rustle-feed-{}.fifo", std::process::id());
    let path = std::env::temp_dir().join(name);
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("a program of every system").success());
    let (runtime, feed) = feed(&SourceConfiguration::Replay(played(path.clone())));
    let (bell, heard) = bell();
    let _session = feed.trades(&Subscription::All, ALL, bell).expect("started");
    feed.run().expect("running");
    runtime.advance(SECOND);
    assert_eq!(heard.try_recv().ok(), None);
    feed.shut_down();
    runtime.advance(Duration::ZERO);
    assert_eq!(
        heard.try_iter().collect::<Vec<_>>(),
        [Heard::Released(Release::Cancelled)]
    );
    // Ends the reader, too.
    drop(File::options().write(true).open(&path).expect("its reader waits"));
    std::fs::remove_file(path).expect("made here");
}

#[test]
fn pipe_is_not_played_again() {
    let (_reader, _writer, path) = pipe();
    let mut configuration = played(path);
    configuration.repeats = true;
    let runtime = Arc::new(Runtime::manual(1_000));
    let refused = FeedEngine::on(runtime, &SourceConfiguration::Replay(configuration));
    let text = refused.err().expect("refused").to_string();
    assert!(
        text.ends_with(": only a regular file can be played again"),
        "{text}"
    );
}
