//! The clock of beats.

/// The host's time in microseconds: CLOCK_MONOTONIC_RAW on Linux, which no time service slews, and `mach_absolute_time` on Apple
/// systems. Programs of one machine agree on it. Realtime-safe.
#[must_use]
pub fn host_time_us() -> i64 {
    #[cfg(target_vendor = "apple")]
    const CLOCK: libc::clockid_t = libc::CLOCK_UPTIME_RAW;
    #[cfg(target_os = "linux")]
    const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_RAW;
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is valid for the write of the time. These clocks exist: the call does not fail.
    unsafe { libc::clock_gettime(CLOCK, &raw mut time) };
    // The fields have fewer bits on some systems.
    #[expect(clippy::useless_conversion, reason = "their types depend on the system")]
    let (seconds, ns) = (i64::from(time.tv_sec), i64::from(time.tv_nsec));
    seconds * 1_000_000 + ns / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_positive_and_does_not_run_backwards() {
        let mut last = host_time_us();
        assert!(last > 0);
        for _ in 0..100_000 {
            let now = host_time_us();
            assert!(now >= last);
            last = now;
        }
    }
}
