//! The time limits of an attempt.

use std::time::Duration;

/// The time limits of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Until the node is seen.
    pub scan: Duration,
    /// Without a further node, before the strongest is taken when none is named.
    pub quiet: Duration,
    /// Of a try to connect.
    pub connect: Duration,
    /// The tries to connect.
    pub tries: u32,
    /// Between two tries.
    pub pause: Duration,
    /// Until all characteristics are there.
    pub services: Duration,
    /// Of a read, a write or a subscription.
    pub operation: Duration,
    /// From the command to the flag 1.
    pub apply: Duration,
    /// Of the verification.
    pub verify: Duration,
    /// Of the disconnection, on every way out: BlueZ drops a link two to three seconds after it is asked to.
    pub disconnect: Duration,
    /// Of the whole attempt, without the disconnection.
    pub attempt: Duration,
    /// Between two reads of the flag, where the node's notifications are refused.
    pub poll: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            scan: Duration::from_secs(10),
            quiet: Duration::from_secs(1),
            connect: Duration::from_secs(5),
            tries: 3,
            pause: Duration::from_millis(300),
            services: Duration::from_secs(5),
            operation: Duration::from_secs(5),
            apply: Duration::from_secs(15),
            verify: Duration::from_secs(5),
            disconnect: Duration::from_secs(5),
            attempt: Duration::from_secs(20),
            poll: Duration::from_millis(250),
        }
    }
}
