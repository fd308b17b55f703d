//! The Python peers: a program that measures them by its own clock, one visit per request.

use super::signal::{CENTRES, FRAMES, RATE, gains, signal};
use crate::candidate::Candidate;
use std::cell::RefCell;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

const PROGRAM: &str = include_str!("../../peers/equalizer.py");

/// The peers of the program, by the names that it knows and those of the tables.
const PEERS: [(&str, &str); 3] = [
    ("scipy-f64", "scipy `sosfilt`, f64"),
    ("scipy-f32", "scipy `sosfilt`, f32"),
    ("pedalboard", "pedalboard (JUCE), f32"),
];

/// The running program.
pub(super) struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    versions: String,
}

impl Python {
    /// Starts the program in `interpreter` and sends it filters and signal.
    pub(super) fn start(interpreter: &Path) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(interpreter)
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("Python without pipes".into());
        };
        let mut python = Self {
            child,
            input,
            output: BufReader::new(output),
            versions: String::new(),
        };
        let words = |values: &[f64]| {
            let each: Vec<_> = values.iter().map(f64::to_string).collect();
            each.join(" ")
        };
        writeln!(python.input, "{RATE} {FRAMES}")?;
        writeln!(python.input, "{}\n{}", words(&CENTRES), words(&gains()))?;
        let samples: Vec<u8> = signal().into_iter().flat_map(f32::to_le_bytes).collect();
        python.input.write_all(&samples)?;
        python.versions = python.answer()?;
        Ok(python)
    }

    /// The peers with their versions.
    pub(super) fn versions(&self) -> &str {
        &self.versions
    }

    fn answer(&mut self) -> Result<String, Box<dyn Error>> {
        self.input.flush()?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("the Python program ended".into());
        }
        Ok(line.trim().to_owned())
    }

    fn ask(&mut self, request: &str) -> Result<f64, Box<dyn Error>> {
        writeln!(self.input, "{request}")?;
        Ok(self.answer()?.parse()?)
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // The program may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A peer with a block size and a number of blocks for a job.
struct Peer {
    python: Rc<RefCell<Python>>,
    request: String,
    name: String,
    frames: usize,
}

impl Candidate for Peer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&mut self) {
        self.time(1);
    }

    fn frames(&self) -> usize {
        self.frames
    }

    fn time(&mut self, repeats: u32) -> f64 {
        let request = format!("{} {repeats}", self.request);
        let time = self.python.borrow_mut().ask(&request);
        time.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// All peers with jobs of `blocks` blocks of `block` frames, of noise or of silence.
pub(super) fn candidates(
    python: &Rc<RefCell<Python>>,
    block: usize,
    blocks: usize,
    silent: bool,
) -> Vec<Box<dyn Candidate>> {
    let kind = if silent { "silence" } else { "noise" };
    let peer = |(key, name): (&str, &str)| -> Box<dyn Candidate> {
        Box::new(Peer {
            python: python.clone(),
            request: format!("{key} {block} {blocks} {kind}"),
            name: format!("{name}, blocks of {block}"),
            frames: block * blocks,
        })
    };
    PEERS.into_iter().map(peer).collect()
}
