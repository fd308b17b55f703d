//! The functions of libzstd that are used, with the signatures of its header (zstd.h). All are of its stable interface, since 1.4.

use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io;
use std::sync::OnceLock;

/// `ZSTD_DCtx`, an opaque type.
pub(crate) type Context = *mut c_void;

/// `ZSTD_inBuffer` and `ZSTD_outBuffer`, whose pointers differ in what they permit.
#[repr(C)]
pub(crate) struct Buffer<P> {
    pub(crate) bytes: P,
    pub(crate) size: usize,
    pub(crate) position: usize,
}

/// The name of the library.
const NAME: &str = if cfg!(target_vendor = "apple") {
    "libzstd.1.dylib"
} else {
    "libzstd.so.1"
};

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) -> $result:ty;)+) => {
        /// The library's functions. They stay valid: the library is never unloaded.
        #[expect(non_snake_case, reason = "the names of the header")]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> $result,)+
        }

        impl Functions {
            fn of(library: &'static Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the signatures are those of the header of libzstd.so.1.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }?,)+
                })
            }
        }
    };
}

functions! {
    ZSTD_createDCtx: fn() -> Context;
    ZSTD_freeDCtx: fn(Context) -> usize;
    ZSTD_DCtx_setParameter: fn(Context, c_int, c_int) -> usize;
    ZSTD_decompressStream: fn(Context, *mut Buffer<*mut c_void>, *mut Buffer<*const c_void>) -> usize;
    ZSTD_isError: fn(usize) -> c_uint;
    ZSTD_getErrorName: fn(usize) -> *const c_char;
}

/// The system's library, loaded by the first call. It stays until the process ends, in a static, where LeakSanitizer finds it.
pub(crate) fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        // SAFETY: libzstd has no initialisers with preconditions.
        let library = unsafe { Library::new(NAME) };
        library.map_err(|error| format!("expected the library {NAME} (Debian: libzstd1), got: {error}"))
    });
    library.as_ref().map_err(Clone::clone)
}

impl Functions {
    /// The functions of the system's library.
    ///
    /// # Errors
    /// There is no such library, or it lacks a function.
    pub(crate) fn get() -> io::Result<&'static Self> {
        static FUNCTIONS: OnceLock<Result<Functions, String>> = OnceLock::new();
        let functions = FUNCTIONS.get_or_init(|| {
            let functions = Self::of(library()?);
            functions.map_err(|error| format!("expected the functions of {NAME}, got: {error}"))
        });
        (functions.as_ref()).map_err(|error| io::Error::other(error.as_str()))
    }

    /// The result of a call, or its error.
    pub(crate) fn checked(&self, code: usize) -> io::Result<usize> {
        // SAFETY: takes any number.
        if unsafe { (self.ZSTD_isError)(code) } == 0 {
            return Ok(code);
        }
        // SAFETY: takes any number.
        let name = unsafe { (self.ZSTD_getErrorName)(code) };
        // SAFETY: the library returns a terminated text that stays.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("zstd: {name}"),
        ))
    }
}
