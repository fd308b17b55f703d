//! Many datagrams per call.

use crate::name::{NAME_BYTES, Name};
use crate::{Datagram, MOST, Slots};
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

/// A header that refers to nothing.
fn empty() -> libc::mmsghdr {
    // SAFETY: it is made of integers and pointers, which may be zero and null.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

fn count(returned: libc::c_int) -> io::Result<usize> {
    usize::try_from(returned).map_err(|_| io::Error::last_os_error())
}

pub(crate) fn send(socket: &UdpSocket, batch: &[Datagram<'_>]) -> io::Result<usize> {
    let mut names = [Name::EMPTY; MOST];
    let mut parts = [libc::iovec {
        iov_base: null_mut(),
        iov_len: 0,
    }; MOST];
    let mut headers = [empty(); MOST];
    for (index, datagram) in batch.iter().enumerate() {
        let (name, length) = Name::new(datagram.to);
        names[index] = name;
        parts[index] = libc::iovec {
            iov_base: datagram.bytes.as_ptr().cast_mut().cast(),
            iov_len: datagram.bytes.len(),
        };
        let header = &mut headers[index].msg_hdr;
        header.msg_name = (&raw mut names[index]).cast();
        header.msg_namelen = length;
        header.msg_iov = &raw mut parts[index];
        header.msg_iovlen = 1;
    }
    // SAFETY: the descriptor is open while it is borrowed. Each of the headers refers to a name, a part and bytes that outlive
    // the call, which only reads them; it writes to the headers themselves.
    let sent = unsafe {
        libc::sendmmsg(
            socket.as_raw_fd(),
            headers.as_mut_ptr(),
            batch.len() as libc::c_uint,
            libc::MSG_DONTWAIT as _,
        )
    };
    count(sent)
}

pub(crate) fn receive(socket: &UdpSocket, slots: &mut Slots) -> io::Result<()> {
    let places = slots.bytes.len() / slots.stride;
    let mut names = [Name::EMPTY; MOST];
    let mut controls = [Control([0; CONTROL_BYTES]); MOST];
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
        header.msg_controllen = CONTROL_BYTES as _;
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
        slots.entries.push((header.msg_len as usize, name.address()));
    }
    if let Some(last) = headers[..received].last() {
        slots.dropped = drops(&last.msg_hdr);
    }
    Ok(())
}

/// The socket's count of dropped datagrams in a received header's control messages, if it is there.
fn drops(header: &libc::msghdr) -> Option<u32> {
    // SAFETY: the system has filled the header, and the control bytes that it refers to.
    let first = unsafe { libc::CMSG_FIRSTHDR(header) };
    if first.is_null() {
        return None;
    }
    // SAFETY: it is not null, so it is a whole header within the control bytes, which are aligned for it.
    let control = unsafe { *first };
    if (control.cmsg_level, control.cmsg_type) != (libc::SOL_SOCKET, libc::SO_RXQ_OVFL) {
        return None;
    }
    // SAFETY: data of this type is a number of 32 bits, which lies within the control bytes.
    let data = unsafe { libc::CMSG_DATA(first) };
    // SAFETY: as above; it needs no alignment.
    Some(unsafe { data.cast::<u32>().read_unaligned() })
}
