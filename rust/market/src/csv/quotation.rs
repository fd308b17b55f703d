//! The quotation marks of a line of CSV.

use crate::{Excerpt, MessageError};

/// Checks that each quotation mark encloses a whole cell, or is one of two within such a cell.
pub(super) fn quotation(line: &[u8]) -> Result<(), MessageError> {
    if !line.contains(&b'"') {
        return Ok(());
    }
    let (mut rest, mut cell) = (line, 1);
    loop {
        let end = match rest {
            [b'"', inner @ ..] => {
                let mut at = 0;
                // The mark that closes it is the first that is not one of two.
                loop {
                    let mark = inner[at..].iter().position(|byte| *byte == b'"');
                    at += mark.ok_or(MessageError::OpenCell { cell })? + 1;
                    if inner.get(at) != Some(&b'"') {
                        break at + 1;
                    }
                    at += 1;
                }
            }
            _ => rest
                .iter()
                .position(|byte| matches!(byte, b'"' | b','))
                .unwrap_or(rest.len()),
        };
        match rest.get(end) {
            None | Some(b'\r') => return Ok(()),
            Some(b',') => (rest, cell) = (&rest[end + 1..], cell + 1),
            Some(_) => {
                let from = if rest[0] == b'"' { 0 } else { end };
                return Err(MessageError::LooseQuotation {
                    cell,
                    got: Excerpt::new(&rest[from..]),
                });
            }
        }
    }
}
