//! The line that reports how many trades were dropped for a slow receiver.

use std::io::Write;

const BEFORE: &[u8] = b"{\"v\":1,\"gap\":";

/// Appends the line that reports the number of missing trades before the next: `{"v":1,"gap":3}`, with a line feed.
pub fn write_gap(missing: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(BEFORE);
    // Writing to a vector does not fail.
    let _ = writeln!(out, "{missing}}}");
}

/// Returns the number of missing trades of a line by [`write_gap`], with or without white space at its end; `None` for any other.
pub fn parse_gap(line: &[u8]) -> Option<u64> {
    let digits = line.trim_ascii_end().strip_prefix(BEFORE)?.strip_suffix(b"}")?;
    let is_plain = digits.iter().all(u8::is_ascii_digit);
    is_plain.then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_read_back_and_nothing_else_is_one() {
        for missing in [0, 3, u64::MAX] {
            let mut line = Vec::new();
            write_gap(missing, &mut line);
            assert_eq!(parse_gap(&line), Some(missing));
        }
        for line in [
            "",
            r#"{"v":1,"gap":}"#,
            r#"{"v":1,"gap":+3}"#,
            r#"{"v":1,"gap":-3}"#,
            r#"{"v":1,"gap":3"#,
            r#"{"v":2,"gap":3}"#,
            r#"{"v":1,"gap":18446744073709551616}"#,
            r#"{"v":1,"gap":3,"symbol":"A"}"#,
        ] {
            assert_eq!(parse_gap(line.as_bytes()), None, "{line}");
        }
    }
}
