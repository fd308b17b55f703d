//! The network interfaces of this machine.

use std::ffi::{CStr, CString};
use std::io;
use std::net::Ipv4Addr;

/// An IPv4 address of a network interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The interface's name.
    pub name: String,
    /// The kernel's number of it, which an interface of the same name that replaces it does not have; 0: it has just gone.
    pub index: u32,
    /// The address.
    pub address: Ipv4Addr,
    /// The directed broadcast address of the address's network.
    pub broadcast: Ipv4Addr,
    /// Whether it is the loopback.
    pub is_loopback: bool,
    /// The hardware address; zeros: it has none of six bytes, as the loopback.
    pub mac: [u8; 6],
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
    let mut found: Vec<Interface> = Vec::new();
    let mut hardware = Vec::new();
    // SAFETY: NULL, or the list that the system made, which is freed below.
    let mut next = unsafe { first.as_ref() };
    while let Some(entry) = next {
        found.extend(interface(entry));
        hardware.extend(mac(entry.ifa_addr).map(|mac| (name(entry), mac)));
        // SAFETY: NULL, or the next entry of the same list.
        next = unsafe { entry.ifa_next.as_ref() };
    }
    // SAFETY: the list is the system's, freed once, and no reference into it is left.
    unsafe { libc::freeifaddrs(first) };
    for interface in &mut found {
        // It has an entry of its own for each kind of address; after a colon comes the label of an IPv4 address.
        let device = interface.name.split(':').next().unwrap_or_default();
        let own = hardware.iter().find(|(name, _)| device == name);
        interface.mac = own.map_or([0; 6], |(_, mac)| *mac);
        interface.index = index(device);
    }
    Ok(found)
}

fn interface(entry: &libc::ifaddrs) -> Option<Interface> {
    if entry.ifa_flags & libc::IFF_UP as u32 == 0 {
        return None;
    }
    let address = ipv4(entry.ifa_addr)?;
    let mask = ipv4(entry.ifa_netmask).unwrap_or(Ipv4Addr::BROADCAST);
    Some(Interface {
        name: name(entry),
        index: 0,
        address,
        broadcast: Ipv4Addr::from(u32::from(address) | !u32::from(mask)),
        is_loopback: address.is_loopback(),
        mac: [0; 6],
    })
}

fn name(entry: &libc::ifaddrs) -> String {
    // SAFETY: each entry's name is a text of the system that ends with NUL.
    let name = unsafe { CStr::from_ptr(entry.ifa_name) };
    name.to_string_lossy().into_owned()
}

/// Whether there is a device of this name, also one that is down or has no address.
pub fn has_device(name: &str) -> bool {
    index(name) != 0
}

/// The kernel's number of a device; 0: there is none of this name.
fn index(device: &str) -> u32 {
    let Ok(device) = CString::new(device) else {
        return 0;
    };
    // SAFETY: the text ends with NUL and is read during the call alone.
    unsafe { libc::if_nametoindex(device.as_ptr()) }
}

/// The address of an entry, if it is a hardware address of six bytes.
#[cfg(target_os = "linux")]
fn mac(address: *const libc::sockaddr) -> Option<[u8; 6]> {
    // SAFETY: NULL, or an address of the system's list, whose family says what it is.
    let family = unsafe { address.as_ref() }?.sa_family;
    if i32::from(family) != libc::AF_PACKET {
        return None;
    }
    // SAFETY: an address of this family is such a record.
    let address = unsafe { address.cast::<libc::sockaddr_ll>().read_unaligned() };
    let bytes = address.sll_addr.get(..usize::from(address.sll_halen))?;
    bytes.try_into().ok()
}

/// The address of an entry, if it is a hardware address of six bytes.
#[cfg(target_vendor = "apple")]
fn mac(address: *const libc::sockaddr) -> Option<[u8; 6]> {
    // SAFETY: NULL, or an address of the system's list, whose family says what it is.
    let family = unsafe { address.as_ref() }?.sa_family;
    if i32::from(family) != libc::AF_LINK {
        return None;
    }
    // SAFETY: an address of this family is such a record.
    let address = unsafe { address.cast::<libc::sockaddr_dl>().read_unaligned() };
    // The interface's name precedes it.
    let start = usize::from(address.sdl_nlen);
    let bytes = address
        .sdl_data
        .get(start..start + usize::from(address.sdl_alen))?;
    let bytes: [libc::c_char; 6] = bytes.try_into().ok()?;
    Some(bytes.map(|byte| byte as u8))
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn mac(_address: *const libc::sockaddr) -> Option<[u8; 6]> {
    None
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
        assert_eq!(loopback.mac, [0; 6]);
        assert!(loopback.index > 0);
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn numbers_and_hardware_addresses_are_those_of_the_systems_files() -> io::Result<()> {
        for interface in interfaces()? {
            let device = interface.name.split(':').next().expect("one");
            let file = |name| std::fs::read_to_string(format!("/sys/class/net/{device}/{name}"));
            let text = file("address")?;
            assert_eq!(file("ifindex")?.trim(), interface.index.to_string());
            let bytes = interface.mac.map(|byte| format!("{byte:02x}")).join(":");
            let has_six = text.trim().len() == bytes.len();
            assert_eq!(bytes, if has_six { text.trim() } else { "00:00:00:00:00:00" });
        }
        Ok(())
    }
}
