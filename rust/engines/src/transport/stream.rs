//! Connections of TCP and of sockets in the file system.

use super::port::Port;
use super::{Arrival, Transport};
use crate::clock::Clock;
use crate::io::Urgency;
use crate::job::PollContext;
use socket2::{Domain, SockAddr, Socket, Type};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A stream socket. The standard library's writes raise no signal when the peer is gone; those of `socket2` do.
pub enum Either {
    /// Of TCP.
    Tcp(TcpStream),
    /// In the file system.
    Unix(UnixStream),
}

impl From<TcpStream> for Either {
    fn from(stream: TcpStream) -> Self {
        Self::Tcp(stream)
    }
}

impl From<UnixStream> for Either {
    fn from(stream: UnixStream) -> Self {
        Self::Unix(stream)
    }
}

impl AsRawFd for Either {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Self::Tcp(stream) => stream.as_raw_fd(),
            Self::Unix(stream) => stream.as_raw_fd(),
        }
    }
}

impl Either {
    fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => (&mut &*stream).read(bytes),
            Self::Unix(stream) => (&mut &*stream).read(bytes),
        }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => (&mut &*stream).write(bytes),
            Self::Unix(stream) => (&mut &*stream).write(bytes),
        }
    }

    /// Whether it has a peer.
    ///
    /// # Errors
    /// The reason why it gets none.
    fn is_connected(&self) -> io::Result<bool> {
        let (error, has_peer) = match self {
            Self::Tcp(stream) => (stream.take_error()?, stream.peer_addr().is_ok()),
            Self::Unix(stream) => (stream.take_error()?, stream.peer_addr().is_ok()),
        };
        error.map_or(Ok(has_peer), Err)
    }

    fn finish_writing(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Self::Unix(stream) => stream.shutdown(Shutdown::Write),
        }
    }
}

/// A connection, or one that is being made.
pub struct Stream {
    port: Port<Either>,
    clock: Arc<dyn Clock>,
    is_connected: AtomicBool,
}

impl Stream {
    /// A connection that was accepted or made, with the clock of arrivals. It does not block from now on.
    ///
    /// # Errors
    /// The system's.
    pub fn new(stream: impl Into<Either>, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let stream = stream.into();
        match &stream {
            Either::Tcp(stream) => {
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
            }
            Either::Unix(stream) => stream.set_nonblocking(true)?,
        }
        Ok(Self::with(stream, clock, true))
    }

    /// Begins to connect to a TCP server: [`is_connected`](Self::is_connected) shows the outcome. A job that
    /// [watches](Transport::watch) it is woken then.
    ///
    /// # Errors
    /// The system's, when it knows at once that nobody is reached.
    pub fn connect(address: SocketAddr, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
        let is_connected = match socket.connect(&SockAddr::from(address)) {
            Ok(()) => true,
            Err(error) if is_under_way(&error) => false,
            Err(error) => return Err(error),
        };
        Ok(Self::with(TcpStream::from(socket).into(), clock, is_connected))
    }

    /// Connects to the server of a socket in the file system.
    ///
    /// # Errors
    /// `WouldBlock` when the server's queue is full: nothing reports when there is room. The system's otherwise.
    pub fn connect_to_path(path: &Path, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        socket.connect(&SockAddr::unix(path)?)?;
        Ok(Self::with(UnixStream::from(socket).into(), clock, true))
    }

    fn with(stream: Either, clock: Arc<dyn Clock>, is_connected: bool) -> Self {
        Self {
            port: Port::new(stream, Urgency::Now),
            clock,
            is_connected: AtomicBool::new(is_connected),
        }
    }

    /// Whether the connection is made; `false` while it is not known.
    ///
    /// # Errors
    /// The reason why it cannot be made; `NotConnected` after the close.
    pub fn is_connected(&self) -> io::Result<bool> {
        let is_connected =
            self.is_connected.load(Ordering::Acquire) || self.port.with(Either::is_connected)?;
        self.is_connected.store(is_connected, Ordering::Release);
        Ok(is_connected)
    }

    /// Makes the next receive ask the system, before a deadline is held against the peer: bytes may wait whose arrival is not
    /// reported yet.
    pub fn recheck(&self) {
        self.port.recheck();
    }

    /// Ends the writing side: the peer reads the bytes so far, and then the end.
    pub fn finish_writing(&self) {
        // A connection that the peer has closed needs no end.
        drop(self.port.with(Either::finish_writing));
    }
}

/// Whether a TCP connection is being made.
fn is_under_way(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EINPROGRESS)
}

impl Transport for Stream {
    fn try_send(&self, bytes: &[u8], to: Option<SocketAddr>) -> io::Result<usize> {
        if to.is_some() {
            return Err(ErrorKind::InvalidInput.into());
        }
        self.port.send(bytes.len(), |stream| stream.write(bytes))
    }

    fn try_receive(&self, bytes: &mut [u8]) -> io::Result<Arrival> {
        let length = self.port.receive(|stream| stream.read(bytes))?;
        Ok(Arrival {
            length,
            from: None,
            at: self.clock.now(),
        })
    }

    fn watch(&self, context: &PollContext<'_>) -> io::Result<()> {
        self.port
            .watch(context, !self.is_connected.load(Ordering::Acquire))
    }

    fn close(&self) {
        self.port.close();
    }
}

#[cfg(test)]
mod tests;
