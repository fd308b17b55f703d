//! The user of the process.

/// The number of the user in whose name the process acts: a local service sees it on its socket.
#[must_use]
pub fn user() -> u32 {
    // SAFETY: the call has no arguments and does not fail.
    unsafe { libc::geteuid() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn user_is_that_of_the_process() {
        use std::os::unix::fs::MetadataExt;
        let owner = std::fs::metadata("/proc/self").expect("mounted").uid();
        assert_eq!(user(), owner);
    }
}
