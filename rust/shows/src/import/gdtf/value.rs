//! Values of slots with the number of their bytes, `v/n`.

/// The value of a text in a channel of some bytes, 1 to 4; none for a text that is no value.
///
/// A value of fewer bytes than the channel repeats its bytes, or with the suffix `s` has zeros behind them; one of more bytes keeps
/// its first ones (section "DMX value" of the specification).
pub(super) fn value(text: &str, bytes: usize) -> Option<u32> {
    let (number, width) = text.trim().split_once('/').unwrap_or((text.trim(), "1"));
    let (width, is_shifted) = match width.strip_suffix('s') {
        Some(width) => (width, true),
        None => (width, false),
    };
    let width: usize = width
        .trim()
        .parse()
        .ok()
        .filter(|width| (1..=4).contains(width))?;
    let number: u32 = number.trim().parse().ok()?;
    let own = &number.to_be_bytes()[4 - width..];
    let highest = u32::MAX >> (32 - 8 * width);
    if number > highest {
        return None;
    }
    Some((0..bytes).fold(0, |value, place| {
        let byte = match own.get(place) {
            Some(byte) => *byte,
            None if is_shifted => 0,
            None => own[place % width],
        };
        value << 8 | u32::from(byte)
    }))
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn values_take_the_width_of_their_channel() {
        let cases = [
            ("255/1", 1, Some(255)),
            ("255/1", 2, Some(0xffff)),
            ("255/1s", 2, Some(0xff00)),
            ("128/1", 3, Some(0x80_8080)),
            ("4660/2", 2, Some(0x1234)),
            ("4660/2", 3, Some(0x12_3412)),
            ("4660/2", 1, Some(0x12)),
            ("7", 1, Some(7)),
            ("256/1", 1, None),
            ("1/5", 1, None),
            ("x/1", 1, None),
            ("4294967295/4", 4, Some(u32::MAX)),
        ];
        for (text, bytes, expected) in cases {
            assert_eq!(value(text, bytes), expected, "{text} in {bytes}");
        }
    }
}
