//! The network interfaces of this machine.

use std::ffi::CStr;
use std::io;
use std::net::Ipv4Addr;

/// An IPv4 address of a network interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The interface's name.
    pub name: String,
    /// The address.
    pub address: Ipv4Addr,
    /// The directed broadcast address of the address's network.
    pub broadcast: Ipv4Addr,
    /// Whether it is the loopback.
    pub is_loopback: bool,
}

/// The IPv4 addresses of all interfaces that are up, in the system's order.
///
/// # Errors
/// The system reports none.
pub fn interfaces() -> io::Result<Vec<Interface>> {
    let mut first = std::ptr::null_mut();
    // SAFETY: the pointer is valid for the write of the list's address.
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut found = Vec::new();
    // SAFETY: NULL, or the list that the system made, which is freed below.
    let mut next = unsafe { first.as_ref() };
    while let Some(entry) = next {
        found.extend(interface(entry));
        // SAFETY: NULL, or the next entry of the same list.
        next = unsafe { entry.ifa_next.as_ref() };
    }
    // SAFETY: the list is the system's, freed once, and no reference into it is left.
    unsafe { libc::freeifaddrs(first) };
    Ok(found)
}

fn interface(entry: &libc::ifaddrs) -> Option<Interface> {
    if entry.ifa_flags & libc::IFF_UP as u32 == 0 {
        return None;
    }
    let address = ipv4(entry.ifa_addr)?;
    let mask = ipv4(entry.ifa_netmask).unwrap_or(Ipv4Addr::BROADCAST);
    // SAFETY: each entry's name is a text of the system that ends with NUL.
    let name = unsafe { CStr::from_ptr(entry.ifa_name) };
    Some(Interface {
        name: name.to_string_lossy().into_owned(),
        address,
        broadcast: Ipv4Addr::from(u32::from(address) | !u32::from(mask)),
        is_loopback: address.is_loopback(),
    })
}

/// The address of an entry, if it is one of IPv4.
fn ipv4(address: *const libc::sockaddr) -> Option<Ipv4Addr> {
    // SAFETY: NULL, or an address of the system's list, whose family says what it is.
    let family = unsafe { address.as_ref() }?.sa_family;
    if i32::from(family) != libc::AF_INET {
        return None;
    }
    // SAFETY: an address of this family is such a record.
    let address = unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() };
    Some(Ipv4Addr::from(address.sin_addr.s_addr.to_ne_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_listed_with_its_broadcast_address() -> io::Result<()> {
        let found = interfaces()?;
        let loopback = found.iter().find(|found| found.address == Ipv4Addr::LOCALHOST);
        let loopback = loopback.expect("a loopback that is up");
        assert!(loopback.is_loopback && loopback.name.starts_with("lo"));
        assert_eq!(loopback.broadcast, Ipv4Addr::new(127, 255, 255, 255));
        Ok(())
    }
}
