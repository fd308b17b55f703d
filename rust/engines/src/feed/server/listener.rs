//! The sockets on which clients connect.

use super::super::live::FeedAddress;
use super::access::Access;
use crate::clock::Clock;
use crate::io::Urgency;
use crate::job::PollContext;
use crate::transport::{Port, Stream};
use socket2::{Domain, SockAddr, Socket, Type};
use std::fs::Permissions;
use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The connections that wait to be accepted, at most: as many as the standard library's listeners have.
const QUEUE: i32 = 128;

/// The files that clients leave to the rest of the process: without one left, parts of it end it (Swift's libdispatch reads the states
/// of its threads).
const SPARE_FILES: u64 = 16;

/// `EMFILE`.
const TOO_MANY_OPEN_FILES: i32 = 24;

/// A listening socket that does not block.
pub(super) struct Listener {
    port: Port<Either>,
    address: FeedAddress,
    /// Dropped after the socket.
    _name: Option<Name>,
}

enum Either {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl AsRawFd for Either {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Self::Tcp(listener) => listener.as_raw_fd(),
            Self::Unix(listener) => listener.as_raw_fd(),
        }
    }
}

impl Listener {
    /// Listens. A socket in the file system is for processes of the same user, unless a token or nothing is asked of a client.
    pub(super) fn new(address: &FeedAddress, access: &Access) -> io::Result<Self> {
        match address {
            FeedAddress::Tcp { host, port } => {
                let listener = TcpListener::bind((host.as_str(), *port))?;
                let local = listener.local_addr()?;
                // The host was resolved once more: nobody else is served before it is known where.
                if *access == Access::Local && !local.ip().is_loopback() {
                    return Err(ErrorKind::AddrNotAvailable.into());
                }
                listener.set_nonblocking(true)?;
                let address = FeedAddress::Tcp {
                    host: host.clone(),
                    port: local.port(),
                };
                Self::of(Either::Tcp(listener), address, None)
            }
            FeedAddress::Unix(path) => {
                let is_private = *access == Access::Local;
                let listener = match bound(path, is_private) {
                    Err(error) if error.kind() == ErrorKind::AddrInUse => {
                        remove_left_behind(path).ok_or(error)?;
                        bound(path, is_private)?
                    }
                    listener => listener?,
                };
                let name = Name {
                    path: path.clone(),
                    identity: identity(path),
                };
                listener.set_nonblocking(true)?;
                Self::of(Either::Unix(listener), address.clone(), Some(name))
            }
        }
    }

    fn of(listener: Either, address: FeedAddress, name: Option<Name>) -> io::Result<Self> {
        if !leaves_files(&listener) {
            return Err(io::Error::from_raw_os_error(TOO_MANY_OPEN_FILES));
        }
        Ok(Self {
            port: Port::new(listener, Urgency::Now),
            address,
            _name: name,
        })
    }

    /// Its address, with the port that the system chose where 0 was given.
    pub(super) fn address(&self) -> &FeedAddress {
        &self.address
    }

    /// Wakes the polled job when a client comes.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn watch(&self, context: &PollContext<'_>) -> io::Result<()> {
        self.port.watch(context, false)
    }

    /// Takes the next client.
    ///
    /// # Errors
    /// The system's: it has no descriptor or no memory.
    pub(super) fn accept(&self, clock: &Arc<dyn Clock>) -> io::Result<Accepted> {
        let accepted = self.port.receive(|listener| match listener {
            Either::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                (leaves_files(&stream).then(|| Stream::new(stream, clock.clone()))).transpose()
            }
            Either::Unix(listener) => {
                let (stream, _) = listener.accept()?;
                (leaves_files(&stream).then(|| Stream::new(stream, clock.clone()))).transpose()
            }
        });
        match accepted {
            Ok(Some(stream)) => Ok(Accepted::Client(stream)),
            Ok(None) => Ok(Accepted::OutOfFiles),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Accepted::Nobody),
            Err(error) => Err(error),
        }
    }
}

/// Who has connected.
pub(super) enum Accepted {
    Client(Stream),
    /// A client, which was disconnected: it would have taken a file that the rest of the process may need.
    OutOfFiles,
    Nobody,
}

/// Whether enough files can be opened beside this one, which has the lowest number that was free.
fn leaves_files(file: &impl AsRawFd) -> bool {
    u64::from(file.as_raw_fd().unsigned_abs()) + SPARE_FILES < rustle_system::open_file_limit()
}

/// A socket of this name. Its mode is set before it listens: until then every client is refused.
fn bound(path: &Path, is_private: bool) -> io::Result<UnixListener> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&SockAddr::unix(path)?)?;
    let mode = if is_private { 0o600 } else { 0o666 };
    let listening =
        std::fs::set_permissions(path, Permissions::from_mode(mode)).and_then(|()| socket.listen(QUEUE));
    // Without a name nobody finds the socket.
    listening.inspect_err(|_| drop(std::fs::remove_file(path)))?;
    Ok(socket.into())
}

/// The name of a socket in the file system. It is removed with its owner, unless another socket has replaced it.
pub(super) struct Name {
    path: PathBuf,
    /// `None`: another process removed it first.
    identity: Option<Identity>,
}

impl Drop for Name {
    fn drop(&mut self) {
        if self.identity.is_some()
            && self.identity == identity(&self.path)
            && let Err(error) = std::fs::remove_file(&self.path)
        {
            tracing::debug!(%error, "the socket's name could not be removed");
        }
    }
}

/// The device and the inode of a socket.
type Identity = (u64, u64);

/// The socket that has the name, if any.
fn identity(path: &Path) -> Option<Identity> {
    let data = std::fs::symlink_metadata(path).ok()?;
    data.file_type().is_socket().then(|| (data.dev(), data.ino()))
}

/// Removes the name of a socket without a process, as a killed process leaves it behind. `None`: it is another file, or in use.
fn remove_left_behind(path: &Path) -> Option<()> {
    let found = identity(path)?;
    // A datagram is refused where no socket is bound. For a server's socket it is of the wrong type, and the server does not
    // notice.
    let refusal = UnixDatagram::unbound().ok()?.connect(path).err()?;
    let is_free = refusal.kind() == ErrorKind::ConnectionRefused && identity(path) == Some(found);
    is_free.then(|| std::fs::remove_file(path).ok()).flatten()
}
