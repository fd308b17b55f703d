//! Where clients knock.

use super::super::live::{Connection, FeedAddress};
use std::io::{self, ErrorKind};
use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
#[cfg(unix)]
use std::path::{Path, PathBuf};

/// A socket that listens and does not wait.
pub(super) enum Listener {
    Tcp(TcpListener, String),
    /// Its name is removed with it.
    #[cfg(unix)]
    Unix(UnixListener, PathBuf),
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
                    Err(error) if error.kind() == ErrorKind::AddrInUse && is_left_behind(path) => {
                        std::fs::remove_file(path)?;
                        UnixListener::bind(path)?
                    }
                    listener => listener?,
                };
                listener.set_nonblocking(true)?;
                Ok(Self::Unix(listener, path.clone()))
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
            Self::Unix(_, path) => Ok(FeedAddress::Unix(path.clone())),
        }
    }

    /// The next client; `None` when none waits.
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

impl Drop for Listener {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Self::Unix(_, path) = self
            && let Err(error) = std::fs::remove_file(path)
        {
            tracing::debug!(%error, "the socket's name could not be removed");
        }
    }
}

/// Whether it is a socket that nobody listens at: a process that was killed leaves its name behind.
#[cfg(unix)]
fn is_left_behind(path: &Path) -> bool {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_socket());
    is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}
