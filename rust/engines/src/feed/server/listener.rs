//! The sockets on which clients connect.

use super::super::live::{Connection, FeedAddress};
use std::io::{self, ErrorKind};
use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt};
#[cfg(unix)]
use std::os::unix::net::{UnixDatagram, UnixListener};
#[cfg(unix)]
use std::path::{Path, PathBuf};

/// A listening socket that does not block.
pub(super) enum Listener {
    Tcp(TcpListener, String),
    #[cfg(unix)]
    Unix(UnixListener, Name),
}

impl Listener {
    pub(super) fn new(address: &FeedAddress) -> io::Result<Self> {
        match address {
            FeedAddress::Tcp { host, port } => {
                let listener = TcpListener::bind((host.as_str(), *port))?;
                listener.set_nonblocking(true)?;
                Ok(Self::Tcp(listener, host.clone()))
            }
            #[cfg(unix)]
            FeedAddress::Unix(path) => {
                let listener = match UnixListener::bind(path) {
                    Err(error) if error.kind() == ErrorKind::AddrInUse => {
                        remove_left_behind(path).ok_or(error)?;
                        UnixListener::bind(path)?
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
