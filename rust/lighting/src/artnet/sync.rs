//! ArtSync (Art-Net 4, "ArtSync").

/// An ArtSync: every one is the same.
pub const SYNC_PACKET: [u8; 14] = *b"Art-Net\0\x00\x52\x00\x0E\x00\x00";
