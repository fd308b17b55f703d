//! The code paths of the transforms by their numbers, and which of them is used.

use super::fault::FftFault;
use crate::slice::told;
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::Path;

/// The path that `rustle_fft_path` names.
pub const RUSTLE_PATH_PREFERRED: u32 = 0;
/// Plain arrays, on every CPU.
pub const RUSTLE_PATH_PLAIN: u32 = 1;
/// Four lanes in 128-bit registers of x86-64: SSE2.
pub const RUSTLE_PATH_NARROW: u32 = 2;
/// Eight lanes: AVX2 and FMA.
pub const RUSTLE_PATH_AVX2: u32 = 3;
/// Sixteen lanes: AVX-512.
pub const RUSTLE_PATH_AVX512: u32 = 4;
/// Four lanes in 128-bit registers of arm64: NEON.
pub const RUSTLE_PATH_NEON: u32 = 5;

/// The path behind one of `RUSTLE_PATH_…`; it may be one that this machine does not have.
pub(super) fn path(number: u32) -> Result<Path, FftFault> {
    match number {
        RUSTLE_PATH_PREFERRED => Ok(Path::preferred()?),
        RUSTLE_PATH_PLAIN => Ok(Path::Plain),
        RUSTLE_PATH_NARROW => Ok(Path::Narrow),
        RUSTLE_PATH_AVX2 => Ok(Path::Avx2),
        RUSTLE_PATH_AVX512 => Ok(Path::Avx512),
        RUSTLE_PATH_NEON => Ok(Path::Neon),
        _ => {
            let problem = "expected one of RUSTLE_PATH_… (0 to 5), got another number";
            Err(CallFault::value("path", problem).into())
        }
    }
}

/// The number of a path.
pub(super) fn number(path: Path) -> u32 {
    match path {
        Path::Plain => RUSTLE_PATH_PLAIN,
        Path::Narrow => RUSTLE_PATH_NARROW,
        Path::Avx2 => RUSTLE_PATH_AVX2,
        Path::Avx512 => RUSTLE_PATH_AVX512,
        Path::Neon => RUSTLE_PATH_NEON,
    }
}

/// `path` receives the one of `RUSTLE_PATH_…` that plans are made on when none is named: what the environment variable
/// RUSTLE_FFT_PATH (`plain`, `narrow`, `neon`, `avx2` or `avx512`) named when the process first asked, or else the widest that
/// this machine has.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE` (the variable names no path, or one that this machine does
/// not have; every plan that names none is refused then).
///
/// Thread-safe: yes. Realtime-safe: no (the first call reads the environment).
///
/// # Safety
/// `path` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_path(path: *mut u32, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promises about `path` and `error` are handed on.
    unsafe {
        told(path, "path", error, |path| {
            *path = number(Path::preferred()?);
            Ok::<(), FftFault>(())
        })
    }
}
