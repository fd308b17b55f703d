//! The sockets on which clients connect.

use super::super::live::{Connection, FeedAddress};
use super::access::Access;
#[cfg(unix)]
use socket2::{Domain, SockAddr, Socket, Type};
#[cfg(unix)]
use std::fs::Permissions;
use std::io::{self, ErrorKind};
use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
#[cfg(unix)]
use std::os::unix::net::{UnixDatagram, UnixListener};
#[cfg(unix)]
use std::path::{Path, PathBuf};

/// The connections that wait to be accepted, at most: as many as the standard library's listeners have.
#[cfg(unix)]
const QUEUE: i32 = 128;

/// A listening socket that does not block.
pub(super) enum Listener {
    Tcp(TcpListener, String),
    #[cfg(unix)]
    Unix(UnixListener, Name),
}

impl Listener {
    /// Listens. A socket in the file system is for processes of the same user, unless a token or nothing is asked of a client.
    pub(super) fn new(address: &FeedAddress, access: &Access) -> io::Result<Self> {
        match address {
            FeedAddress::Tcp { host, port } => {
                let listener = TcpListener::bind((host.as_str(), *port))?;
                // The host was resolved once more: nobody else is served before it is known where.
                if *access == Access::Local && !listener.local_addr()?.ip().is_loopback() {
                    return Err(ErrorKind::AddrNotAvailable.into());
                }
                listener.set_nonblocking(true)?;
                Ok(Self::Tcp(listener, host.clone()))
            }
            #[cfg(unix)]
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
                Ok(Self::Unix(listener, name))
            }
        }
    }

    pub(super) fn address(&self) -> io::Result<FeedAddress> {
        match self {
            Self::Tcp(listener, host) => Ok(FeedAddress::Tcp {
                host: host.clone(),
                port: listener.local_addr()?.port(),
            }),
            #[cfg(unix)]
            Self::Unix(_, name) => Ok(FeedAddress::Unix(name.path.clone())),
        }
    }

    /// The next client; `None` if none is waiting.
    pub(super) fn accept(&self) -> io::Result<Option<Connection>> {
        let connection = match self {
            Self::Tcp(listener, _) => listener.accept().and_then(|(stream, _)| {
                stream.set_nonblocking(false)?;
                stream.set_nodelay(true)?;
                Ok(Connection::Tcp(stream))
            }),
            #[cfg(unix)]
            Self::Unix(listener, _) => listener.accept().and_then(|(stream, _)| {
                stream.set_nonblocking(false)?;
                Ok(Connection::Unix(stream))
            }),
        };
        match connection {
            Ok(connection) => Ok(Some(connection)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A socket of this name. Its mode is set before it listens: until then every client is refused.
#[cfg(unix)]
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
#[cfg(unix)]
pub(super) struct Name {
    path: PathBuf,
    /// `None`: another process removed it first.
    identity: Option<Identity>,
}

#[cfg(unix)]
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
#[cfg(unix)]
type Identity = (u64, u64);

/// The socket that has the name, if any.
#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    let data = std::fs::symlink_metadata(path).ok()?;
    data.file_type().is_socket().then(|| (data.dev(), data.ino()))
}

/// Removes the name of a socket without a process, as a killed process leaves it behind. `None`: it is another file, or in use.
#[cfg(unix)]
fn remove_left_behind(path: &Path) -> Option<()> {
    let found = identity(path)?;
    // A datagram is refused where no socket is bound. For a server's socket it is of the wrong type, and the server does not
    // notice.
    let refusal = UnixDatagram::unbound().ok()?.connect(path).err()?;
    let is_free = refusal.kind() == ErrorKind::ConnectionRefused && identity(path) == Some(found);
    is_free.then(|| std::fs::remove_file(path).ok()).flatten()
}
