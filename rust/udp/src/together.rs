//! Many datagrams per call.

use crate::name::{NAME_BYTES, Name};
use crate::{Arrived, Datagram, MOST, Slots};
use std::io;
use std::mem::MaybeUninit;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

/// The bytes of a control message with one number of 32 bits, aligned as the system wants them.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Control([u8; CONTROL_BYTES]);

// SAFETY: the macro computes a size from a size.
const CONTROL_BYTES: usize = unsafe { libc::CMSG_SPACE(size_of::<u32>() as u32) } as usize;

/// The bytes of the control messages of a received datagram: its time and the drops before it.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Said([u8; SAID_BYTES]);

// SAFETY: the macro computes a size from a size.
const SAID_BYTES: usize =
    CONTROL_BYTES + unsafe { libc::CMSG_SPACE(size_of::<libc::timespec>() as u32) } as usize;

/// The most bytes of UDP's payload over IPv4.
const MOST_BYTES: usize = 65_507;

/// A header that refers to nothing.
fn empty() -> libc::mmsghdr {
    // SAFETY: it is made of integers and pointers, which may be zero and null.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

fn count(returned: libc::c_int) -> io::Result<usize> {
    usize::try_from(returned).map_err(|_| io::Error::last_os_error())
}

/// As [`crate::send`].
pub(crate) fn send(socket: &UdpSocket, batch: &[Datagram<'_>]) -> io::Result<usize> {
    send_runs(socket, batch, |_| 1)
}

/// As [`crate::send_segmented`].
pub(crate) fn send_segmented(socket: &UdpSocket, batch: &[Datagram<'_>]) -> io::Result<usize> {
    send_runs(socket, batch, run)
}

/// How many datagrams, from the first on, have its length and its destination and fit into one datagram of the system.
pub(crate) fn run(batch: &[Datagram<'_>]) -> usize {
    let [first, ..] = batch else { return 0 };
    let (length, to) = (first.bytes.len(), first.to);
    let is_alike = |datagram: &&Datagram<'_>| (datagram.bytes.len(), datagram.to) == (length, to);
    let alike = batch.iter().take_while(is_alike).count();
    match length {
        0 => 1,
        length => alike.min(MOST_BYTES / length).max(1),
    }
}

/// Sends a batch in messages of as many datagrams as `run` returns for what is left of it.
fn send_runs(
    socket: &UdpSocket,
    batch: &[Datagram<'_>],
    run: impl Fn(&[Datagram<'_>]) -> usize,
) -> io::Result<usize> {
    let mut names = [Name::EMPTY; MOST];
    let mut controls = [Control([0; CONTROL_BYTES]); MOST];
    let mut parts = [libc::iovec {
        iov_base: null_mut(),
        iov_len: 0,
    }; MOST];
    let mut headers = [empty(); MOST];
    let mut runs = [0; MOST];
    for (part, datagram) in parts.iter_mut().zip(batch) {
        *part = libc::iovec {
            iov_base: datagram.bytes.as_ptr().cast_mut().cast(),
            iov_len: datagram.bytes.len(),
        };
    }
    let (mut count_of_runs, mut first) = (0, 0);
    while first < batch.len() {
        let (index, datagram) = (count_of_runs, &batch[first]);
        let (name, length) = Name::new(datagram.to);
        runs[index] = run(&batch[first..]);
        names[index] = name;
        let header = &mut headers[index].msg_hdr;
        header.msg_name = (&raw mut names[index]).cast();
        header.msg_namelen = length;
        header.msg_iov = &raw mut parts[first];
        header.msg_iovlen = runs[index] as _;
        if runs[index] > 1 {
            header.msg_control = (&raw mut controls[index]).cast();
            header.msg_controllen = CONTROL_BYTES as _;
            divide(header, datagram.bytes.len());
        }
        (count_of_runs, first) = (index + 1, first + runs[index]);
    }
    // SAFETY: the descriptor is open while it is borrowed. Each of the headers refers to a name, parts, bytes and control bytes that
    // outlive the call, which only reads them; it writes to the headers themselves.
    let sent = unsafe {
        libc::sendmmsg(
            socket.as_raw_fd(),
            headers.as_mut_ptr(),
            count_of_runs as libc::c_uint,
            libc::MSG_DONTWAIT as _,
        )
    };
    Ok(runs[..count(sent)?].iter().sum())
}

/// Has the system divide a message into datagrams of `length` bytes, at most [`MOST_BYTES`].
fn divide(header: &mut libc::msghdr, length: usize) {
    // SAFETY: the header refers to control bytes of the stated size, which are aligned for a control message.
    let control = unsafe { libc::CMSG_FIRSTHDR(header) };
    let message = libc::cmsghdr {
        cmsg_level: libc::SOL_UDP,
        cmsg_type: libc::UDP_SEGMENT,
        // SAFETY: the macro computes a size from a size.
        cmsg_len: unsafe { libc::CMSG_LEN(size_of::<u16>() as u32) } as _,
    };
    // SAFETY: the control bytes have room for it and a number of 32 bits.
    unsafe { control.write(message) };
    // SAFETY: the control bytes hold a whole header.
    let data = unsafe { libc::CMSG_DATA(control) };
    // SAFETY: they have room for a number of 32 bits there; it needs no alignment.
    unsafe { data.cast::<u16>().write_unaligned(length as u16) };
}

pub(crate) fn receive(socket: &UdpSocket, slots: &mut Slots) -> io::Result<()> {
    let places = slots.bytes.len() / slots.stride;
    let mut names = [Name::EMPTY; MOST];
    let mut controls = [Said([0; SAID_BYTES]); MOST];
    let mut parts = [libc::iovec {
        iov_base: null_mut(),
        iov_len: 0,
    }; MOST];
    let mut headers = [empty(); MOST];
    for (index, slot) in slots.bytes.chunks_exact_mut(slots.stride).enumerate() {
        parts[index] = libc::iovec {
            iov_base: slot.as_mut_ptr().cast(),
            iov_len: slot.len(),
        };
        let header = &mut headers[index].msg_hdr;
        header.msg_name = (&raw mut names[index]).cast();
        header.msg_namelen = NAME_BYTES;
        header.msg_iov = &raw mut parts[index];
        header.msg_iovlen = 1;
        header.msg_control = (&raw mut controls[index]).cast();
        header.msg_controllen = SAID_BYTES as _;
    }
    // SAFETY: the descriptor is open while it is borrowed. Each of the headers refers to a name, a slot and control bytes of
    // the stated sizes, which outlive the call and which nothing else refers to.
    let received = unsafe {
        libc::recvmmsg(
            socket.as_raw_fd(),
            headers.as_mut_ptr(),
            places as libc::c_uint,
            libc::MSG_DONTWAIT as _,
            null_mut(),
        )
    };
    let received = count(received)?;
    for (header, name) in headers[..received].iter().zip(&names) {
        let (at_ns, drops) = said(&header.msg_hdr);
        slots.dropped = drops;
        slots.entries.push(Arrived {
            length: header.msg_len as usize,
            from: name.address(),
            at_ns,
        });
    }
    Ok(())
}

/// The time of a received header's control messages, in ns, and the socket's count of dropped datagrams, as far as they are there.
fn said(header: &libc::msghdr) -> (Option<u64>, Option<u32>) {
    let (mut at_ns, mut drops) = (None, None);
    // SAFETY: the system has filled the header, and the control bytes that it refers to.
    let mut next = unsafe { libc::CMSG_FIRSTHDR(header) };
    while !next.is_null() {
        // SAFETY: it is not null, so it is a whole header within the control bytes, which are aligned for it.
        let control = unsafe { *next };
        // SAFETY: as above; its data follow it within the control bytes.
        let data = unsafe { libc::CMSG_DATA(next) };
        match (control.cmsg_level, control.cmsg_type) {
            (libc::SOL_SOCKET, libc::SO_RXQ_OVFL) => {
                // SAFETY: data of this type is a number of 32 bits; it needs no alignment.
                drops = Some(unsafe { data.cast::<u32>().read_unaligned() });
            }
            (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                // SAFETY: data of this type is such a time; it needs no alignment.
                at_ns = nanoseconds(unsafe { data.cast::<libc::timespec>().read_unaligned() });
            }
            _ => {}
        }
        // SAFETY: the control message is one of the header's.
        next = unsafe { libc::CMSG_NXTHDR(header, next) };
    }
    (at_ns, drops)
}

/// A time since 1970 in ns.
fn nanoseconds(time: libc::timespec) -> Option<u64> {
    let (seconds, rest) = (
        u64::try_from(time.tv_sec).ok()?,
        u64::try_from(time.tv_nsec).ok()?,
    );
    seconds.checked_mul(1_000_000_000)?.checked_add(rest)
}
