//! The scheduling of a thread with deadlines.

use std::io;

/// Schedules the calling thread before all threads of ordinary priority (SCHED_FIFO), if the process may: as root, with CAP_SYS_NICE,
/// or within RLIMIT_RTPRIO. `priority` is 1 to 99. Threads that it starts are ordinary ones.
///
/// # Errors
/// The process may not, or the system has no such call; the thread's scheduling is unchanged.
#[cfg(target_os = "linux")]
pub fn be_realtime(priority: u8) -> io::Result<()> {
    let parameters = libc::sched_param {
        sched_priority: priority.into(),
    };
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // SAFETY: 0 is the calling thread; the parameters are read during the call.
    match unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// As above.
///
/// # Errors
/// As above.
#[cfg(not(target_os = "linux"))]
pub fn be_realtime(_priority: u8) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Lets the calling thread's waits end on time instead of up to 50 us later, the slack by which Linux combines wakes.
pub fn sharpen_timers() {
    // SAFETY: the call changes the calling thread's slack alone. A refusal leaves it as it was.
    #[cfg(target_os = "linux")]
    let _ = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn thread_is_realtime_or_says_why_not() {
        let (outcome, policy) = std::thread::spawn(|| {
            sharpen_timers();
            // SAFETY: 0 is the calling thread.
            (be_realtime(1), unsafe { libc::sched_getscheduler(0) })
        })
        .join()
        .expect("no panic");
        match outcome {
            Ok(()) => assert_eq!(policy, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK),
            Err(error) => {
                assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
                assert_eq!(policy, libc::SCHED_OTHER);
            }
        }
    }

    #[test]
    fn priority_that_no_thread_has_is_refused() {
        assert!(be_realtime(100).is_err());
    }
}
