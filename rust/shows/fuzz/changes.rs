//! Changes of good files.

/// A file with changes: each is a place, what to do there, and a byte.
pub(crate) fn changed(seed: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut file = seed.to_vec();
    for change in changes.chunks_exact(4) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % file.len().max(1);
        let end = (place + usize::from(change[3])).min(file.len());
        match change[2] % 3 {
            0 => file[place..end.min(place + 1)].fill(change[3]),
            1 => {
                file.drain(place..end);
            }
            _ => {
                let again = file[place..end].to_vec();
                file.splice(end..end, again);
            }
        }
    }
    file
}
