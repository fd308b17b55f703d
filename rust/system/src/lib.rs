//! Calls of the system of which the standard library has no safe form: the list of network interfaces, the scheduling of a thread
//! with deadlines, the clock of beats, the limit of open files, and the user.

mod files;
mod host_time;
mod interfaces;
mod realtime;
mod user;

pub use files::open_file_limit;
pub use host_time::host_time_us;
pub use interfaces::{Interface, has_device, interfaces};
pub use realtime::{be_realtime, sharpen_timers};
pub use user::user;
