//! The errors of the system in the words of the other messages.

use std::io::{self, ErrorKind};

/// `EIO` on Linux and Apple systems, which has no kind of its own.
const INPUT_OUTPUT: i32 = 5;
/// `EMFILE` and `ENFILE`.
const OPEN_FILES: [i32; 2] = [24, 23];

/// The reason of an error of a file in one clause: `permission denied`. One that is not the system's has its own text.
pub(crate) fn reason(error: &io::Error) -> String {
    let Some(number) = error.raw_os_error() else {
        return match error.kind() {
            ErrorKind::IsADirectory => "it is a folder".to_owned(),
            ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
            _ => error.to_string(),
        };
    };
    let words = match error.kind() {
        ErrorKind::NotFound => "no such file or folder",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::NotADirectory => "a part of the path is not a folder",
        ErrorKind::InvalidFilename => "the name is too long",
        ErrorKind::InvalidInput => "the system does not support it",
        ErrorKind::ResourceBusy => "it is in use",
        ErrorKind::AddrInUse => "another program uses the port",
        _ if number == INPUT_OUTPUT => "the system could not read it",
        _ if OPEN_FILES.contains(&number) => "too many files are open",
        _ => return format!("the system reports error {number}"),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_clauses() {
        for (number, words) in [
            (2, "no such file or folder"),
            (5, "the system could not read it"),
            (13, "permission denied"),
            (21, "it is a folder"),
            (24, "too many files are open"),
            (121, "the system reports error 121"),
        ] {
            assert_eq!(reason(&io::Error::from_raw_os_error(number)), words);
        }
        assert_eq!(reason(&ErrorKind::UnexpectedEof.into()), "it ends too early");
        assert_eq!(reason(&io::Error::other("x")), "x");
    }
}
