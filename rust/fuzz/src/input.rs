//! Decisions from bytes.

/// What is left of the fuzzer's bytes. Once they are used up every decision is 0.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next bytes, at most `most` of them.
    pub(crate) fn bytes(&mut self, most: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(most.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    /// A number below `bound`, which is 1 to 256.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    pub(crate) fn word(&mut self) -> u64 {
        let mut word = [0; 8];
        let bytes = self.bytes(8);
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }

    /// Any number there is, infinities and NaNs among them; often one that is in order.
    pub(crate) fn real(&mut self, usual: f64) -> f64 {
        match self.byte() {
            0..=159 => usual,
            _ => f64::from_bits(self.word()),
        }
    }

    /// A number of things for a place that has room for `room` of them: what fits, or what no memory can hold. A length in
    /// between would break the caller's half of the contract.
    pub(crate) fn length(&mut self, room: usize) -> usize {
        match self.byte() {
            0..=127 => room,
            128..=223 => usize::from(self.byte()).min(room),
            224..=239 => usize::MAX,
            _ => isize::MAX as usize + usize::from(self.byte()),
        }
    }
}
