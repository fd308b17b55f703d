//! Who is who.

use rand::Rng;
use rand::distributions::Alphanumeric;
use std::fmt;

/// The identity of a node: 8 bytes, letters and digits where we choose them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId([u8; 8]);

/// The identity of a session: that of the node which founded it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(NodeId);

impl NodeId {
    /// Received bytes, which may be anything.
    pub const fn from_field(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// A new identity.
    pub fn random(random: &mut impl Rng) -> Self {
        Self(std::array::from_fn(|_| random.sample(Alphanumeric)))
    }

    /// The bytes.
    pub const fn bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

impl SessionId {
    /// The session that a node founds.
    pub const fn founded_by(node: NodeId) -> Self {
        Self(node)
    }

    /// The node that founded it.
    pub const fn founder(self) -> NodeId {
        self.0
    }

    /// The bytes.
    pub const fn bytes(&self) -> &[u8; 8] {
        &self.0.0
    }
}

/// The bytes as text; those that are not printable as `\xNN`.
impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    #[test]
    fn new_identities_are_their_own_text() {
        let mut random = StdRng::seed_from_u64(1);
        for _ in 0..1_000 {
            let node = NodeId::random(&mut random);
            assert_eq!(node.to_string().as_bytes(), node.bytes());
            assert!(node.bytes().iter().all(u8::is_ascii_alphanumeric), "{node}");
        }
        assert_eq!(
            NodeId::from_field(*b"ab\0\xFFcdef").to_string(),
            "ab\\x00\\xffcdef"
        );
    }
}
