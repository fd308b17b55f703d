//! The files of the process.

/// The number of files, sockets among them, that the process may have open at a time. The lowest number that is free is that of the
/// next file: a file whose number is higher than this cannot be.
#[must_use]
pub fn open_file_limit() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is valid for a write.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if result == 0 { limit.rlim_cur } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn limit_of_open_files_is_that_of_the_process() {
        let limits = std::fs::read_to_string("/proc/self/limits").expect("mounted");
        let line = limits.lines().find(|line| line.starts_with("Max open files"));
        let soft = line.and_then(|line| line.split_whitespace().nth(3)?.parse().ok());
        assert_eq!(soft, Some(open_file_limit()));
    }
}
