//! Who may connect to a server.

use super::super::error::FeedError;
use super::super::live::FeedAddress;
use crate::clock::Nanoseconds;
use crate::transport::{Stream, Transport};
use rustle_market::parse_token;
use std::fmt;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use subtle::ConstantTimeEq;

/// The range of the length of a token, in bytes.
pub const TOKEN_BYTES: RangeInclusive<usize> = 16..=512;

/// The longest line with a token, in which each byte may be escaped.
const LONGEST_LINE: usize = 6 * *TOKEN_BYTES.end() + 64;

/// The time in which a client sends its token.
const PATIENCE: Nanoseconds = 5_000_000_000;

/// Who may connect to a server.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Access {
    /// Processes of this machine: the address has to be a loopback one, or a socket in the file system, which only processes of
    /// the same user may use.
    #[default]
    Local,
    /// Clients that send this token, within [`TOKEN_BYTES`], as their first line.
    Token(String),
    /// Every client that reaches the address.
    Anyone,
}

/// Without the token, which is a secret.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "Local",
            Self::Token(_) => "Token(…)",
            Self::Anyone => "Anyone",
        })
    }
}

impl Access {
    /// Checks a token, and that an address which other machines reach has one or is for anyone. A host by name is resolved.
    pub(super) fn check(&self, address: &FeedAddress) -> Result<(), FeedError> {
        match self {
            Self::Token(token) => check_token(token),
            Self::Anyone => Ok(()),
            Self::Local => match address.is_local() {
                Ok(true) => Ok(()),
                Ok(false) => Err(FeedError::NotLoopback {
                    address: address.clone(),
                }),
                Err(error) => Err(FeedError::Address {
                    address: address.clone(),
                    error,
                }),
            },
        }
    }

    /// The token that a client has to send, if any.
    pub(super) fn token(&self) -> Option<&str> {
        match self {
            Self::Token(token) => Some(token),
            Self::Local | Self::Anyone => None,
        }
    }
}

/// # Errors
/// [`FeedError::TokenLength`].
pub(in crate::feed) fn check_token(token: &str) -> Result<(), FeedError> {
    let got = token.len();
    if TOKEN_BYTES.contains(&got) {
        Ok(())
    } else {
        Err(FeedError::TokenLength { got })
    }
}

/// A client that has not sent its token yet.
pub(super) struct Applicant {
    pub(super) stream: Stream,
    bytes: Vec<u8>,
    since: Nanoseconds,
}

impl Applicant {
    pub(super) fn new(stream: Stream, now: Nanoseconds) -> Self {
        Self {
            stream,
            bytes: Vec::new(),
            since: now,
        }
    }

    /// The time at which it is refused.
    pub(super) fn deadline(&self) -> Nanoseconds {
        self.since.saturating_add(PATIENCE)
    }

    /// Reads what has arrived, without waiting. Returns the bytes behind the client's token, or `None` while it is incomplete.
    ///
    /// # Errors
    /// The reason why the client is refused.
    pub(super) fn admit(&mut self, token: &str, now: Nanoseconds) -> Result<Option<Vec<u8>>, &'static str> {
        let mut piece = [0; 1_024];
        if now >= self.deadline() {
            self.stream.recheck();
        }
        let end = loop {
            if let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
                break end;
            }
            if self.bytes.len() > LONGEST_LINE {
                return Err("its first line is too long for a token");
            }
            match self.stream.try_receive(&mut piece).map(|got| got.length) {
                Ok(0) => return Err("it left before it sent a token"),
                Ok(length) => self.bytes.extend_from_slice(&piece[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() != ErrorKind::WouldBlock => {
                    return Err("its connection was lost");
                }
                Err(_) if now >= self.deadline() => return Err("it sent no token in time"),
                Err(_) => return Ok(None),
            }
        };
        let sent = parse_token(&self.bytes[..end]).unwrap_or_default();
        if !bool::from(sent.as_bytes().ct_eq(token.as_bytes())) {
            return Err("its first line is not the token");
        }
        Ok(Some(self.bytes.split_off(end + 1)))
    }
}
