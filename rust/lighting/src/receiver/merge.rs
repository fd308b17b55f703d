//! The merge of sources: the highest priority wins in each slot, among equal ones the highest level (HTP).

use crate::SLOTS;

/// The share of a source.
#[derive(Clone, Copy, Debug)]
pub struct Share<'a> {
    /// The levels.
    pub levels: &'a [u8; SLOTS],
    /// For each slot the priority of the source plus 1; 0: the source does not drive it.
    pub keys: &'a [u8; SLOTS],
}

/// Writes the merged levels; slots that nobody drives are 0. The order of the sources does not matter.
pub fn merge<'a>(shares: impl IntoIterator<Item = Share<'a>>, merged: &mut [u8; SLOTS]) {
    let mut highest = [0_u8; SLOTS];
    merged.fill(0);
    for Share { levels, keys } in shares {
        // Without branches, so that it compiles to vector instructions.
        for slot in 0..SLOTS {
            let top = highest[slot].max(keys[slot]);
            let stays = mask(highest[slot] == top);
            let joins = mask(keys[slot] == top && keys[slot] > 0);
            merged[slot] = (merged[slot] & stays).max(levels[slot] & joins);
            highest[slot] = top;
        }
    }
}

fn mask(is_set: bool) -> u8 {
    if is_set { 0xFF } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Slot by slot, as the rule reads.
    fn reference(sources: &[([u8; SLOTS], [u8; SLOTS])]) -> [u8; SLOTS] {
        std::array::from_fn(|slot| {
            let driven = sources.iter().filter(|(_, keys)| keys[slot] > 0);
            let best = driven.map(|(levels, keys)| (keys[slot], levels[slot])).max();
            best.map_or(0, |(_, level)| level)
        })
    }

    #[test]
    fn random_sources_merge_as_the_rule_reads_in_any_order() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for count in 0..=16 {
            let mut sources: Vec<_> = (0..count)
                .map(|_| {
                    let most = *[0, 1, 3, 201].get(random.gen_range(0..4)).unwrap_or(&1);
                    let levels: [u8; SLOTS] = std::array::from_fn(|_| random.r#gen());
                    (levels, std::array::from_fn(|_| random.gen_range(0..=most)))
                })
                .collect();
            let expected = reference(&sources);
            for _ in 0..3 {
                let mut merged = [77; SLOTS];
                merge(
                    sources.iter().map(|(levels, keys)| Share { levels, keys }),
                    &mut merged,
                );
                assert_eq!(merged, expected);
                sources.reverse();
                let middle = sources.len() / 2;
                sources.rotate_left(middle);
            }
        }
    }
}
