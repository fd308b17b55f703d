//! The functions of libasound that are used, with the signatures of its headers (alsa/pcm.h, alsa/control.h, alsa/error.h).

use crate::error::AlsaError;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::sync::OnceLock;

/// `snd_pcm_t`, `snd_pcm_hw_params_t` and `snd_pcm_sw_params_t`: opaque types.
pub(crate) type Opaque = *mut c_void;

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)+) => {
        /// The library's functions. They stay valid: the library is never unloaded.
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
        }

        impl Functions {
            fn of(library: &'static Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the signatures are those of the headers of libasound.so.2.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }?,)+
                })
            }
        }
    };
}

functions! {
    snd_strerror: fn(c_int) -> *const c_char;
    snd_device_name_hint: fn(c_int, *const c_char, *mut *mut *mut c_void) -> c_int;
    snd_device_name_get_hint: fn(*const c_void, *const c_char) -> *mut c_char;
    snd_device_name_free_hint: fn(*mut *mut c_void) -> c_int;
    snd_pcm_open: fn(*mut Opaque, *const c_char, c_int, c_int) -> c_int;
    snd_pcm_close: fn(Opaque) -> c_int;
    snd_pcm_prepare: fn(Opaque) -> c_int;
    snd_pcm_start: fn(Opaque) -> c_int;
    snd_pcm_drain: fn(Opaque) -> c_int;
    snd_pcm_drop: fn(Opaque) -> c_int;
    snd_pcm_resume: fn(Opaque) -> c_int;
    snd_pcm_wait: fn(Opaque, c_int) -> c_int;
    snd_pcm_delay: fn(Opaque, *mut c_long) -> c_int;
    snd_pcm_readi: fn(Opaque, *mut c_void, c_ulong) -> c_long;
    snd_pcm_writei: fn(Opaque, *const c_void, c_ulong) -> c_long;
    snd_pcm_hw_params_malloc: fn(*mut Opaque) -> c_int;
    snd_pcm_hw_params_free: fn(Opaque);
    snd_pcm_hw_params_any: fn(Opaque, Opaque) -> c_int;
    snd_pcm_hw_params_set_access: fn(Opaque, Opaque, c_int) -> c_int;
    snd_pcm_hw_params_set_format: fn(Opaque, Opaque, c_int) -> c_int;
    snd_pcm_hw_params_set_channels: fn(Opaque, Opaque, c_uint) -> c_int;
    snd_pcm_hw_params_set_rate: fn(Opaque, Opaque, c_uint, c_int) -> c_int;
    snd_pcm_hw_params_set_period_size_near: fn(Opaque, Opaque, *mut c_ulong, *mut c_int) -> c_int;
    snd_pcm_hw_params_set_buffer_size_near: fn(Opaque, Opaque, *mut c_ulong) -> c_int;
    snd_pcm_hw_params_get_channels_min: fn(Opaque, *mut c_uint) -> c_int;
    snd_pcm_hw_params_get_channels_max: fn(Opaque, *mut c_uint) -> c_int;
    snd_pcm_hw_params_get_rate_min: fn(Opaque, *mut c_uint, *mut c_int) -> c_int;
    snd_pcm_hw_params_get_rate_max: fn(Opaque, *mut c_uint, *mut c_int) -> c_int;
    snd_pcm_hw_params: fn(Opaque, Opaque) -> c_int;
    snd_lib_error_set_handler: fn(Option<ErrorHandler>) -> c_int;
}

/// The library's handler takes more arguments, as `printf` does. It is the caller who passes and removes them, in the calling
/// conventions of all systems that ALSA runs on, so that a function that does not look at them may take fewer.
type ErrorHandler = unsafe extern "C" fn(*const c_char, c_int, *const c_char, c_int, *const c_char);

/// Discards an error message, which the library would print to standard error: statuses report errors.
unsafe extern "C" fn say_nothing(_: *const c_char, _: c_int, _: *const c_char, _: c_int, _: *const c_char) {}

impl Functions {
    /// The functions of the system's library, which is loaded by the first call.
    ///
    /// # Errors
    /// [`AlsaError::Library`].
    pub(crate) fn get() -> Result<&'static Self, AlsaError> {
        // Loaded until the process ends; in a static, where LeakSanitizer finds it.
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        static FUNCTIONS: OnceLock<Result<Functions, AlsaError>> = OnceLock::new();
        let functions = FUNCTIONS.get_or_init(|| {
            // SAFETY: libasound has no initialisers with preconditions.
            let library = unsafe { Library::new("libasound.so.2") };
            let library = library.map_err(|error| AlsaError::Library(error.to_string()))?;
            let functions = Self::of(LIBRARY.get_or_init(|| library));
            let functions = functions.map_err(|error| AlsaError::Library(error.to_string()))?;
            // SAFETY: the handler does nothing, and is there as long as the process.
            unsafe { (functions.snd_lib_error_set_handler)(Some(say_nothing)) };
            Ok(functions)
        });
        functions.as_ref().map_err(Clone::clone)
    }

    /// The text of an error number.
    pub(crate) fn text(&self, error: c_int) -> String {
        // SAFETY: takes any number.
        let text = unsafe { (self.snd_strerror)(error) };
        if text.is_null() {
            return format!("error {error}");
        }
        // SAFETY: the library returns a terminated text that stays.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}
