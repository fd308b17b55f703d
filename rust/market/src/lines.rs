//! The lines of a stream of bytes, in bounded memory.

/// The default length limit of a line, in bytes without its line feed.
pub const DEFAULT_LINE_BYTES: usize = 64 * 1_024;

/// Splits a stream of bytes, in pieces of any size, into lines.
///
/// A line ends with a line feed; a carriage return before it is removed too. A line of more than the limit is counted once, and
/// skipped up to its line feed without being kept: memory stays below the limit for any input. Lines within a piece are passed on
/// without a copy.
#[derive(Clone, Debug)]
pub struct LineSplitter {
    /// The beginning of an incomplete line, at most `limit` + 1 bytes.
    begun: Vec<u8>,
    limit: usize,
    /// Whether the present line is being skipped.
    is_skipping: bool,
    oversized: u64,
}

impl LineSplitter {
    /// A splitter whose lines have at most [`DEFAULT_LINE_BYTES`].
    pub fn new() -> Self {
        Self::with_limit(DEFAULT_LINE_BYTES)
    }

    /// A splitter whose lines have at most `limit` bytes, their ends not counted; 0 counts as 1.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            begun: Vec::new(),
            limit: limit.max(1),
            is_skipping: false,
            oversized: 0,
        }
    }

    /// Takes the next piece and calls `line` with each line that ends in it, in order, empty ones included.
    pub fn push(&mut self, mut piece: &[u8], mut line: impl FnMut(&[u8])) {
        while let Some(end) = memchr::memchr(b'\n', piece) {
            let (head, rest) = piece.split_at(end);
            piece = &rest[1..];
            if self.is_skipping {
                self.is_skipping = false;
            } else if self.begun.is_empty() {
                self.hand_on(head, &mut line);
            } else {
                self.keep(head);
                if self.is_skipping {
                    self.is_skipping = false;
                } else {
                    let begun = std::mem::take(&mut self.begun);
                    self.hand_on(&begun, &mut line);
                    self.begun = begun;
                    self.begun.clear();
                }
            }
        }
        if !self.is_skipping {
            self.keep(piece);
        }
    }

    /// Ends the stream: calls `line` with the bytes after the last line feed, if any. The splitter is then ready for another
    /// stream; its count continues.
    pub fn finish(&mut self, mut line: impl FnMut(&[u8])) {
        let begun = std::mem::take(&mut self.begun);
        if !begun.is_empty() {
            self.hand_on(&begun, &mut line);
        }
        self.is_skipping = false;
    }

    /// Discards an incomplete line: the stream broke off, and another starts.
    pub fn reset(&mut self) {
        self.begun.clear();
        self.is_skipping = false;
    }

    /// The number of too long lines since the splitter was made.
    pub fn oversized(&self) -> u64 {
        self.oversized
    }

    /// The most bytes of a line.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The capacity of its memory in bytes: at most the limit and 1.
    pub fn capacity(&self) -> usize {
        self.begun.capacity()
    }

    fn hand_on(&mut self, text: &[u8], line: &mut impl FnMut(&[u8])) {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.len() > self.limit {
            self.oversized += 1;
        } else {
            line(text);
        }
    }

    /// Keeps a part of a line, or drops the line when it gets too long. One byte more than the limit may be kept: it may be the
    /// carriage return.
    fn keep(&mut self, part: &[u8]) {
        let length = self.begun.len() + part.len();
        if length > self.limit + 1 {
            self.oversized += 1;
            self.is_skipping = true;
            self.begun.clear();
            return;
        }
        if length > self.begun.capacity() {
            let wanted = length.max(2 * self.begun.capacity()).min(self.limit + 1);
            self.begun.reserve_exact(wanted - self.begun.len());
        }
        self.begun.extend_from_slice(part);
    }
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn split(limit: usize, pieces: &[&[u8]]) -> (Vec<Vec<u8>>, u64) {
        let mut splitter = LineSplitter::with_limit(limit);
        let mut lines = Vec::new();
        for piece in pieces {
            splitter.push(piece, |line| lines.push(line.to_vec()));
            assert!(splitter.capacity() <= limit + 1);
        }
        splitter.finish(|line| lines.push(line.to_vec()));
        (lines, splitter.oversized())
    }

    #[test]
    fn lines_are_whole_wherever_they_were_cut() {
        let text = b"one\ntwo\r\n\nfour";
        for cut in 0..=text.len() {
            let (lines, oversized) = split(5, &[&text[..cut], &text[cut..]]);
            assert_eq!(lines, [&b"one"[..], b"two", b"", b"four"], "{cut}");
            assert_eq!(oversized, 0);
        }
    }

    #[test]
    fn line_of_the_limit_passes_and_one_more_is_counted_once() {
        for end in ["\n", "\r\n"] {
            for cut in 0..12 {
                let text = format!("12345{end}123456{end}ab{end}");
                let (head, tail) = text.as_bytes().split_at(cut.min(text.len()));
                let (lines, oversized) = split(5, &[head, tail]);
                assert_eq!(lines, [&b"12345"[..], b"ab"], "{cut}");
                assert_eq!(oversized, 1);
            }
        }
    }

    #[test]
    fn last_line_may_be_too_long_too() {
        assert_eq!(split(3, &[b"a\n1234"]), (vec![b"a".to_vec()], 1));
        assert_eq!(split(3, &[b"a\n12", b"345678"]), (vec![b"a".to_vec()], 1));
    }

    #[test]
    fn reset_forgets_what_has_begun() {
        let mut splitter = LineSplitter::with_limit(4);
        let mut lines = Vec::new();
        splitter.push(b"half", |_| {});
        splitter.reset();
        splitter.push(b"b\n123456", |line| lines.push(line.to_vec()));
        splitter.reset();
        splitter.push(b"c\n", |line| lines.push(line.to_vec()));
        assert_eq!(lines, [b"b", b"c"]);
        assert_eq!(splitter.oversized(), 1);
    }

    #[test]
    fn random_pieces_give_the_lines_of_the_whole() {
        let mut generator = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..2_000 {
            let length = generator.gen_range(0..200);
            let text: Vec<u8> = (0..length)
                .map(|_| *b"ab\r\n".get(generator.gen_range(0..4)).unwrap_or(&b'a'))
                .collect();
            let limit = generator.gen_range(1..8);
            let mut pieces = Vec::new();
            let mut rest = &text[..];
            while !rest.is_empty() {
                let (piece, tail) = rest.split_at(generator.gen_range(1..=rest.len().min(9)));
                pieces.push(piece);
                rest = tail;
            }
            let mut all: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            if all.last().is_some_and(|line| line.is_empty()) {
                all.pop();
            }
            let stripped = all.iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            let (kept, long): (Vec<&[u8]>, Vec<&[u8]>) = stripped.partition(|line| line.len() <= limit);
            let (lines, oversized) = split(limit, &pieces);
            assert_eq!((lines.len(), oversized), (kept.len(), long.len() as u64));
            assert!(lines.iter().zip(&kept).all(|(a, b)| a == b), "{text:?} {limit}");
        }
    }
}
