//! A connection to a bus, without its socket.

use crate::wire::{Body, Call, Malformed, Message, length};
use rustle_provisioning::Secret;
use std::fmt;

/// The longest line of the authentication that is read.
const MOST_LINE: usize = 1_024;

/// Why a connection cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionError {
    /// The bus does not accept the user.
    Rejected {
        /// What it said.
        line: String,
    },
    /// The bus sent what is no message.
    Malformed(Malformed),
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected { line } => write!(f, "the bus: expected OK, got '{line}'"),
            Self::Malformed(malformed) => malformed.fmt(f),
        }
    }
}

impl std::error::Error for ConnectionError {}

/// A connection: takes what arrives, and has what is to be sent.
pub(crate) struct Connection {
    is_authenticated: bool,
    incoming: Vec<u8>,
    /// The bytes of `incoming` that are done with.
    read: usize,
    outgoing: Vec<u8>,
    /// What waits for the authentication.
    waiting: Vec<u8>,
    serial: u32,
}

impl Connection {
    /// A connection of the user with this number, which says hello to the bus.
    pub(crate) fn new(user: u32) -> Self {
        let digits = user.to_string();
        let identity: String = digits.bytes().map(|digit| format!("{digit:02x}")).collect();
        let mut connection = Self {
            is_authenticated: false,
            incoming: Vec::new(),
            read: 0,
            outgoing: format!("\0AUTH EXTERNAL {identity}\r\n").into_bytes(),
            waiting: Vec::new(),
            serial: 0,
        };
        let hello = Call {
            destination: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            method: "Hello",
        };
        connection.call(&hello, "", &mut Body::default());
        connection
    }

    /// Sends a call; returns the number that its answer has. The body is overwritten: it may hold a password.
    pub(crate) fn call(&mut self, call: &Call<'_>, signature: &str, body: &mut Body) -> u32 {
        // 0 is no number.
        self.serial = self.serial.wrapping_add(1).max(1);
        let mut message = call.message(self.serial, signature, body);
        Secret::clear(&mut body.0);
        let out = if self.is_authenticated {
            &mut self.outgoing
        } else {
            &mut self.waiting
        };
        append(out, &message);
        Secret::clear(&mut message);
        self.serial
    }

    /// What is to be sent.
    pub(crate) fn outgoing(&self) -> &[u8] {
        &self.outgoing
    }

    /// The first `count` bytes of [`outgoing`](Self::outgoing) are sent.
    pub(crate) fn sent(&mut self, count: usize) {
        let left = self.outgoing.len() - count;
        self.outgoing.copy_within(count.., 0);
        Secret::clear(&mut self.outgoing[left..]);
        self.outgoing.truncate(left);
    }

    /// Takes bytes that have arrived.
    pub(crate) fn receive(&mut self, bytes: &[u8]) {
        if self.read > 0 {
            self.incoming.drain(..self.read);
            self.read = 0;
        }
        self.incoming.extend_from_slice(bytes);
    }

    /// The next message that is complete.
    ///
    /// # Errors
    /// [`ConnectionError`]: nothing further can be read.
    pub(crate) fn next_message(&mut self) -> Result<Option<Message>, ConnectionError> {
        if !self.is_authenticated && !self.authenticate()? {
            return Ok(None);
        }
        let rest = &self.incoming[self.read..];
        let length = length(rest).map_err(ConnectionError::Malformed)?;
        let Some(bytes) = length.and_then(|length| rest.get(..length)) else {
            return Ok(None);
        };
        let message = Message::read(bytes).map_err(ConnectionError::Malformed)?;
        self.read += bytes.len();
        Ok(Some(message))
    }

    /// Reads the bus's line; whether the connection is open.
    fn authenticate(&mut self) -> Result<bool, ConnectionError> {
        let rest = &self.incoming[self.read..];
        let Some(length) = rest.windows(2).position(|two| two == b"\r\n") else {
            let line = String::from_utf8_lossy(&rest[..rest.len().min(80)]).into_owned();
            let is_long = rest.len() > MOST_LINE;
            return if is_long {
                Err(ConnectionError::Rejected { line })
            } else {
                Ok(false)
            };
        };
        let line = &rest[..length.min(MOST_LINE)];
        if !line.starts_with(b"OK ") {
            let line = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
            return Err(ConnectionError::Rejected { line });
        }
        self.read += length + 2;
        self.is_authenticated = true;
        append(&mut self.outgoing, b"BEGIN\r\n");
        let mut waiting = std::mem::take(&mut self.waiting);
        append(&mut self.outgoing, &waiting);
        Secret::clear(&mut waiting);
        Ok(true)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        Secret::clear(&mut self.outgoing);
        Secret::clear(&mut self.waiting);
    }
}

/// Appends bytes, and overwrites the memory that is left when there is no room.
fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    if out.capacity() - out.len() < bytes.len() {
        let mut more = Vec::with_capacity((out.len() + bytes.len()).next_power_of_two());
        more.extend_from_slice(out);
        Secret::clear(out);
        *out = more;
    }
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Kind, Value};

    const ADD: Call<'static> = Call {
        destination: "org.example",
        path: "/a",
        interface: "org.example.I",
        method: "M",
    };

    /// A connection past its authentication, with nothing to send.
    fn open() -> Connection {
        let mut connection = Connection::new(1000);
        assert_eq!(connection.outgoing(), b"\0AUTH EXTERNAL 31303030\r\n");
        connection.sent(connection.outgoing().len());
        connection.receive(b"OK 0123456789abcdef\r\n");
        assert_eq!(connection.next_message(), Ok(None));
        let hello = connection
            .outgoing()
            .strip_prefix(b"BEGIN\r\n")
            .expect("begun")
            .to_vec();
        let hello = Message::read(&hello).expect("a message");
        assert_eq!((hello.kind, hello.member.as_str()), (Kind::Call, "Hello"));
        connection.sent(connection.outgoing().len());
        connection
    }

    #[test]
    fn call_is_read_as_it_was_written_in_pieces_of_any_size() {
        let mut connection = open();
        let mut body = Body::default();
        body.bytes(b"\x01\x02");
        body.array(8, |out| {
            out.entry("type", "s", |out| out.text("request"));
            out.entry("DuplicateData", "b", |out| out.truth(true));
        });
        assert_eq!(connection.call(&ADD, "aya{sv}", &mut body), 2);
        let message = connection.outgoing().to_vec();
        for size in [1, 3, 7, 64, 1_000] {
            let mut other = open();
            let mut read = Vec::new();
            for piece in message.chunks(size) {
                other.receive(piece);
                read.extend(other.next_message().expect("well formed"));
            }
            let [read] = &read[..] else { panic!("one message") };
            assert_eq!(
                (read.path.as_str(), read.interface.as_str(), read.member.as_str()),
                ("/a", "org.example.I", "M")
            );
            let entry = |key: &str, value| (Value::Text(key.to_owned()), Value::Variant(Box::new(value)));
            let entries = vec![
                entry("type", Value::Text("request".to_owned())),
                entry("DuplicateData", Value::Bool(true)),
            ];
            assert_eq!(read.body, [Value::Bytes(vec![1, 2]), Value::Map(entries)]);
        }
    }

    #[test]
    fn sent_bytes_and_bodies_are_overwritten() {
        let mut connection = open();
        let mut body = Body::default();
        body.bytes(b"hunter22");
        connection.call(&ADD, "ay", &mut body);
        assert!(body.0.iter().all(|byte| *byte == 0));
        let length = connection.outgoing().len();
        let all = connection.outgoing.as_ptr_range();
        connection.sent(length);
        assert_eq!(
            (connection.outgoing().len(), connection.outgoing.as_ptr()),
            (0, all.start)
        );
        connection.outgoing.resize(length, 1);
        assert!(connection.outgoing.iter().all(|byte| *byte == 1));
    }

    #[test]
    fn bus_that_rejects_the_user_is_distinguished_from_one_that_sends_nonsense() {
        let mut connection = Connection::new(0);
        connection.receive(b"REJECTED EXTERNAL\r\n");
        let line = "REJECTED EXTERNAL".to_owned();
        assert_eq!(connection.next_message(), Err(ConnectionError::Rejected { line }));
        let mut connection = Connection::new(0);
        connection.receive(&[b'x'; 2_000]);
        assert!(matches!(
            connection.next_message(),
            Err(ConnectionError::Rejected { .. })
        ));
        let mut connection = open();
        connection.receive(&[b'x'; 16]);
        let malformed = Malformed {
            expected: "an order of bytes",
            at: 0,
        };
        assert_eq!(
            connection.next_message(),
            Err(ConnectionError::Malformed(malformed))
        );
    }
}
