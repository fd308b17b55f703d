//! libebur128, as an oracle of loudness that shares no code with this package. Loaded at run time, never linked.

use libloading::Library;
use std::ffi::{c_int, c_uint, c_ulong, c_void};

type Make = unsafe extern "C" fn(c_uint, c_ulong, c_int) -> *mut c_void;
type Place = unsafe extern "C" fn(*mut c_void, c_uint, c_int) -> c_int;
type Add = unsafe extern "C" fn(*mut c_void, *const f32, usize) -> c_int;
type Value = unsafe extern "C" fn(*mut c_void, *mut f64) -> c_int;
type ValueOf = unsafe extern "C" fn(*mut c_void, c_uint, *mut f64) -> c_int;
type Destroy = unsafe extern "C" fn(*mut *mut c_void);

/// `EBUR128_MODE_M`, `_S`, `_I`, `_LRA`, `_SAMPLE_PEAK` and `_TRUE_PEAK` of ebur128.h together.
const ALL_MODES: c_int = 63;

/// The library's file, where the system's loader finds it.
const FILE: &str = if cfg!(target_os = "macos") {
    "libebur128.1.dylib"
} else {
    "libebur128.so.1"
};

/// The measures of libebur128: loudness in LUFS, the range in LU, the peak as an absolute value, 1.0 at full scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ebur128Reading {
    /// Of the last 0.4 s.
    pub momentary: f64,
    /// Of the last 3 s.
    pub short_term: f64,
    /// Of the whole measurement, through both gates.
    pub integrated: f64,
    /// The loudness range.
    pub range: f64,
    /// The highest true peak of all channels.
    pub true_peak: f64,
}

/// The position of a channel, numbered as in `enum channel` of ebur128.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ebur128Place {
    /// Not counted: low frequencies.
    Unused = 0,
    /// 30 degrees to the left.
    Left = 1,
    /// 30 degrees to the right.
    Right = 2,
    /// In front.
    Center = 3,
    /// 110 degrees to the left.
    LeftSurround = 4,
    /// 110 degrees to the right.
    RightSurround = 5,
    /// 90 degrees to the left.
    LeftSide = 11,
    /// 90 degrees to the right.
    RightSide = 12,
    /// 135 degrees to the left.
    LeftBack = 13,
    /// 135 degrees to the right.
    RightBack = 14,
}

/// A measurement with all modes. Its channels are the library's default ones, left, right, centre, none, left and right surround,
/// until [`place`](Self::place) changes them.
#[derive(Debug)]
pub struct Ebur128 {
    /// Holds the functions' code.
    _library: Library,
    functions: Functions,
    state: *mut c_void,
    channels: c_uint,
}

#[derive(Debug)]
struct Functions {
    place: Place,
    add: Add,
    momentary: Value,
    short_term: Value,
    integrated: Value,
    range: Value,
    true_peak: ValueOf,
    destroy: Destroy,
}

impl Ebur128 {
    /// A measurement of this number of interleaved channels at `rate` Hz. `None`, with a note on the standard error, on systems
    /// other than Linux where the library is not found.
    ///
    /// # Panics
    /// On Linux, when it is not found: scripts/bootstrap installs it. Anywhere when it refuses the arguments.
    pub fn load(channels: u32, rate: u32) -> Option<Self> {
        // SAFETY: the library runs no initialiser with preconditions.
        let library = match unsafe { Library::new(FILE) } {
            Ok(library) => library,
            Err(error) if cfg!(target_os = "linux") => {
                panic!(
                    "libebur128 is missing, which loudness is compared with: run scripts/bootstrap. {error}"
                )
            }
            Err(error) => {
                crate::note(&format!(
                    "not compared with libebur128, which is missing: {error}"
                ));
                return None;
            }
        };
        let functions = Functions::of(&library).expect("in every libebur128");
        // SAFETY: the signature is that of ebur128.h.
        let make = unsafe { library.get::<Make>(b"ebur128_init") }.expect("in every libebur128");
        // SAFETY: any numbers may be given; the library answers null to those that it does not take.
        let state = unsafe { make(channels, c_ulong::from(rate), ALL_MODES) };
        assert!(
            !state.is_null(),
            "libebur128 takes no {channels} channels at {rate} Hz"
        );
        Some(Self {
            _library: library,
            functions,
            state,
            channels,
        })
    }

    /// Sets the positions of the channels, in order, before the first frame.
    ///
    /// # Panics
    /// When there are more than the measurement has.
    pub fn place(&mut self, places: &[Ebur128Place]) {
        for (channel, place) in (0..).zip(places) {
            // SAFETY: the state is alive; a channel that does not exist is refused.
            let status = unsafe { (self.functions.place)(self.state, channel, *place as c_int) };
            assert_eq!(status, 0, "libebur128 refuses a place");
        }
    }

    /// Takes the next frames.
    ///
    /// # Panics
    /// When these are no whole frames, or memory is short.
    pub fn add(&mut self, frames: &[f32]) {
        let channels = self.channels as usize;
        assert!(frames.len().is_multiple_of(channels));
        // SAFETY: the state is alive, and the memory holds the number of frames passed.
        let status = unsafe { (self.functions.add)(self.state, frames.as_ptr(), frames.len() / channels) };
        assert_eq!(status, 0, "libebur128 refuses frames");
    }

    /// The present measures.
    ///
    /// # Panics
    /// When the library refuses.
    pub fn reading(&self) -> Ebur128Reading {
        let value = |function: Value| {
            let mut value = 0.0;
            // SAFETY: the state is alive and has all modes; the result goes to a number.
            let status = unsafe { function(self.state, &raw mut value) };
            assert_eq!(status, 0, "libebur128 refuses a value");
            value
        };
        let peak = |channel| {
            let mut value = 0.0;
            // SAFETY: as above, and there is such a channel.
            let status = unsafe { (self.functions.true_peak)(self.state, channel, &raw mut value) };
            assert_eq!(status, 0, "libebur128 refuses a peak");
            value
        };
        Ebur128Reading {
            momentary: value(self.functions.momentary),
            short_term: value(self.functions.short_term),
            integrated: value(self.functions.integrated),
            range: value(self.functions.range),
            true_peak: (0..self.channels).map(peak).fold(0.0, f64::max),
        }
    }
}

impl Drop for Ebur128 {
    fn drop(&mut self) {
        let mut state = self.state;
        // SAFETY: the state is one of the library's and is not used again.
        unsafe { (self.functions.destroy)(&raw mut state) };
    }
}

impl Functions {
    fn of(library: &Library) -> Result<Self, libloading::Error> {
        fn one<T: Copy>(library: &Library, name: &str) -> Result<T, libloading::Error> {
            // SAFETY: each field below has the type of its function in ebur128.h.
            let symbol = unsafe { library.get::<T>(name.as_bytes()) }?;
            Ok(*symbol)
        }
        Ok(Self {
            place: one(library, "ebur128_set_channel")?,
            add: one(library, "ebur128_add_frames_float")?,
            momentary: one(library, "ebur128_loudness_momentary")?,
            short_term: one(library, "ebur128_loudness_shortterm")?,
            integrated: one(library, "ebur128_loudness_global")?,
            range: one(library, "ebur128_loudness_range")?,
            true_peak: one(library, "ebur128_true_peak")?,
            destroy: one(library, "ebur128_destroy")?,
        })
    }
}
