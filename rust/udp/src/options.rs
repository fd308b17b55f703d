//! Options of a socket.

use std::io;
use std::net::UdpSocket;

/// Whether a socket receives the datagrams of every group that any socket of the machine joined, as it does at first, or only
/// those of its own groups.
///
/// # Errors
/// The system's.
pub fn set_multicast_all(socket: &UdpSocket, is_all: bool) -> io::Result<()> {
    system::set_multicast_all(socket, is_all)
}

/// Makes room for about `bytes` of datagrams that wait, beyond the limit of `net.core.rmem_max`.
///
/// # Errors
/// `PermissionDenied` without the capability `CAP_NET_ADMIN`.
pub fn force_receive_buffer(socket: &UdpSocket, bytes: usize) -> io::Result<()> {
    system::force_receive_buffer(socket, bytes)
}

/// Makes each received datagram report how many the socket has dropped, for want of room, since it was opened.
///
/// # Errors
/// The system's.
pub fn count_drops(socket: &UdpSocket) -> io::Result<()> {
    system::count_drops(socket)
}

/// Makes each received datagram report when it arrived at this machine, on its clock of the time of day.
///
/// # Errors
/// The system's.
pub fn stamp(socket: &UdpSocket) -> io::Result<()> {
    system::stamp(socket)
}

/// Whether an error of joining a group says that the socket has as many as it may
/// (`net.ipv4.igmp_max_memberships`, 20 unless it is set).
pub fn has_no_group_left(error: &io::Error) -> bool {
    system::has_no_group_left(error)
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::net::UdpSocket;
    use std::os::fd::AsRawFd;

    /// Sets an option that is an `int`.
    fn set(
        socket: &UdpSocket,
        level: libc::c_int,
        option: libc::c_int,
        value: libc::c_int,
    ) -> io::Result<()> {
        // SAFETY: the descriptor is open while its socket is borrowed; the pointer is to an `int`, of the size that is given.
        let status = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                level,
                option,
                (&raw const value).cast(),
                size_of::<libc::c_int>() as libc::socklen_t,
            )
        };
        if status == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    pub(super) fn set_multicast_all(socket: &UdpSocket, is_all: bool) -> io::Result<()> {
        let value = libc::c_int::from(is_all);
        set(socket, libc::IPPROTO_IP, libc::IP_MULTICAST_ALL, value)
    }

    pub(super) fn force_receive_buffer(socket: &UdpSocket, bytes: usize) -> io::Result<()> {
        let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
        set(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, bytes)
    }

    pub(super) fn count_drops(socket: &UdpSocket) -> io::Result<()> {
        set(socket, libc::SOL_SOCKET, libc::SO_RXQ_OVFL, 1)
    }

    pub(super) fn stamp(socket: &UdpSocket) -> io::Result<()> {
        set(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
    }

    pub(super) fn has_no_group_left(error: &io::Error) -> bool {
        error.raw_os_error() == Some(libc::ENOBUFS)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::net::UdpSocket;

    pub(super) fn set_multicast_all(_: &UdpSocket, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn force_receive_buffer(_: &UdpSocket, _: usize) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn count_drops(_: &UdpSocket) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn stamp(_: &UdpSocket) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn has_no_group_left(_: &io::Error) -> bool {
        false
    }
}
