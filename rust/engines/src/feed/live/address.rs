//! The address of a feed: of its source, or of its server.

use std::fmt;
use std::io;
use std::net::ToSocketAddrs;
use std::path::PathBuf;
use std::str::FromStr;

/// The address of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedAddress {
    /// A host, by name or number, and a port.
    Tcp {
        /// The host.
        host: String,
        /// The port, 1 to 65535; 0, for a server: any free port.
        port: u16,
    },
    /// A socket in the file system.
    Unix(PathBuf),
}

impl FeedAddress {
    /// Whether only processes of this machine reach it. A host by name is resolved; none of its addresses may be another kind.
    ///
    /// # Errors
    /// The host cannot be resolved.
    pub(in crate::feed) fn is_local(&self) -> io::Result<bool> {
        match self {
            Self::Tcp { host, port } => {
                let mut addresses = (host.as_str(), *port).to_socket_addrs()?;
                Ok(addresses.all(|address| address.ip().is_loopback()))
            }
            Self::Unix(_) => Ok(true),
        }
    }
}

impl FromStr for FeedAddress {
    type Err = FeedAddressError;

    /// Reads `host:port`, `tcp://host:port`, `tcp:host:port`, `[::1]:port` or `unix:/path`.
    fn from_str(text: &str) -> Result<Self, FeedAddressError> {
        let error = || FeedAddressError {
            got: text.chars().take(80).collect(),
        };
        if let Some(path) = text.strip_prefix("unix:") {
            // The longest name that `sockaddr_un` holds on every supported system: 103 bytes and a zero.
            return match path.len() {
                1..=103 if !path.contains('\0') => Ok(Self::Unix(path.into())),
                _ => Err(error()),
            };
        }
        let (host, port) = text
            .strip_prefix("tcp:")
            .map_or(text, |rest| rest.strip_prefix("//").unwrap_or(rest))
            .rsplit_once(':')
            .ok_or_else(error)?;
        let port = port.parse().map_err(|_| error())?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        match bare.unwrap_or(host) {
            "" => Err(error()),
            host if bare.is_none() && host.contains(':') => Err(error()),
            host => Ok(Self::Tcp {
                host: host.to_owned(),
                port,
            }),
        }
    }
}

impl fmt::Display for FeedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// The error of a text that is not an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedAddressError {
    /// The beginning of the text.
    pub got: String,
}

impl fmt::Display for FeedAddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected host:port, [address]:port or unix:/path, got {:?}",
            self.got
        )
    }
}

impl std::error::Error for FeedAddressError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, written) in [
            ("localhost:7001", "localhost:7001"),
            ("tcp:feed.example:80", "feed.example:80"),
            ("tcp://127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:9", "[::1]:9"),
            ("unix:/run/feed", "unix:/run/feed"),
        ] {
            let address: FeedAddress = text.parse().expect(text);
            assert_eq!(address.to_string(), written);
            assert_eq!(address.to_string().parse(), Ok(address));
        }
        let long = format!("unix:{}", "x".repeat(104));
        for text in [
            "",
            "localhost",
            ":80",
            "a:b:80",
            "host:65536",
            "host:-1",
            "unix:",
            "[::1]",
            &long,
        ] {
            let error = text.parse::<FeedAddress>().expect_err(text);
            assert!(error.to_string().starts_with("expected host:port"), "{error}");
        }
    }
}
