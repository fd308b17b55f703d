//! Addresses of buses.

/// The address of the system's bus where `DBUS_SYSTEM_BUS_ADDRESS` is not set.
pub const SYSTEM_BUS: &str = "unix:path=/run/dbus/system_bus_socket";

/// Where a bus listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket in the file system, by its path's bytes.
    Path(Vec<u8>),
    /// A socket without a file, of Linux.
    Abstract(Vec<u8>),
}

/// The sockets of a list of addresses (D-Bus Specification, "Server Addresses"), in the order in which they are to be tried. Other
/// transports than sockets of this machine are left out, as are addresses that are malformed.
pub fn addresses(list: &str) -> Vec<Address> {
    list.split(';').filter_map(address).collect()
}

fn address(text: &str) -> Option<Address> {
    let (transport, pairs) = text.split_once(':')?;
    if transport != "unix" {
        return None;
    }
    pairs.split(',').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let value = unescaped(value).filter(|value| !value.is_empty())?;
        match key {
            "path" => Some(Address::Path(value)),
            "abstract" => Some(Address::Abstract(value)),
            _ => None,
        }
    })
}

/// The bytes of a value, in which `%` and two digits stand for a byte.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut out) = (text.bytes(), Vec::new());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            let digits = digits.map(|digit| char::from(digit).to_digit(16));
            out.push((digits[0]? * 16 + digits[1]?) as u8);
        } else {
            out.push(byte);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_taken_in_order_and_other_transports_left_out() {
        let path = |text: &str| Address::Path(text.as_bytes().to_vec());
        assert_eq!(addresses(SYSTEM_BUS), [path("/run/dbus/system_bus_socket")]);
        let list =
            "tcp:host=localhost,port=1;unix:guid=7,path=/tmp/a%20b;unix:abstract=/tmp/c;unix:runtime=yes";
        assert_eq!(
            addresses(list),
            [path("/tmp/a b"), Address::Abstract(b"/tmp/c".to_vec())]
        );
        for malformed in ["", "unix", "unix:path=", "unix:path=%4", "unix:path=%zz", ";;"] {
            assert_eq!(addresses(malformed), [], "{malformed}");
        }
    }
}
