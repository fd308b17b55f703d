//! An open device.

use crate::error::{AlsaError, Refusal};
use crate::format::Format;
use crate::functions::{Functions, Opaque};
use std::ffi::{CString, c_int, c_ulong};
use std::time::Duration;

/// The direction of the sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the device.
    Capture,
    /// To the device.
    Playback,
}

/// The configuration of an open device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The sample rate in Hz. A device that does not support it exactly is refused. Sound servers, and ALSA's `plug` devices,
    /// also accept rates that the hardware lacks and resample.
    pub rate: u32,
    /// The number of channels.
    pub channels: u32,
    /// The approximate number of frames between two wakes.
    pub period: u32,
    /// The approximate number of frames that the device buffers: the delay of a thread that loses no sound.
    pub buffer: u32,
}

/// The progress of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The number of frames read or written, at least one.
    Frames(usize),
    /// None was ready within the time.
    Nothing,
    /// An overrun or underrun happened before this call. The device continues.
    Interrupted,
}

/// Numbers of errno.h on Linux.
const ENOENT: c_int = 2;
const EIO: c_int = 5;
const ENXIO: c_int = 6;
const EAGAIN: c_int = 11;
const EBUSY: c_int = 16;
const EINVAL: c_int = 22;
const ENODEV: c_int = 19;
const EPIPE: c_int = 32;
const EBADFD: c_int = 77;
const ESTRPIPE: c_int = 86;

/// `SND_PCM_NONBLOCK` and `SND_PCM_ACCESS_RW_INTERLEAVED` of pcm.h.
const NONBLOCK: c_int = 1;
const INTERLEAVED: c_int = 3;

/// An open device. Used by one thread at a time.
pub struct Pcm {
    functions: &'static Functions,
    pcm: Opaque,
    device: String,
    direction: Direction,
    channels: usize,
    format: Format,
    /// One period in the device's format.
    bytes: Vec<u8>,
}

// SAFETY: a PCM handle may be used on any thread, by one at a time, which `&mut self` sees to.
unsafe impl Send for Pcm {}

impl Pcm {
    /// Opens a device by its name, such as `default`.
    ///
    /// # Errors
    /// [`AlsaError::Library`], [`AlsaError::Open`], [`AlsaError::Unsupported`], [`AlsaError::Call`].
    pub fn open(device: &str, direction: Direction, configuration: Configuration) -> Result<Self, AlsaError> {
        let functions = Functions::get()?;
        let refused = |reason: String, refusal| AlsaError::Open {
            device: device.to_owned(),
            reason,
            refusal,
        };
        let name =
            CString::new(device).map_err(|_| refused("a name with a NUL".to_owned(), Refusal::NotFound))?;
        let stream = match direction {
            Direction::Capture => 1,
            Direction::Playback => 0,
        };
        let mut pcm = std::ptr::null_mut();
        // SAFETY: the name is terminated, and the pointer is to a variable of this function.
        let status = unsafe { (functions.snd_pcm_open)(&mut pcm, name.as_ptr(), stream, NONBLOCK) };
        if status < 0 {
            let refusal = match -status {
                ENOENT | ENXIO | ENODEV | EINVAL => Refusal::NotFound,
                EBUSY => Refusal::Busy,
                _ => Refusal::Other,
            };
            return Err(refused(functions.text(status), refusal));
        }
        // From here on dropping closes it.
        let mut opened = Self {
            functions,
            pcm,
            device: device.to_owned(),
            direction,
            channels: configuration.channels as usize,
            format: Format::Float,
            bytes: Vec::new(),
        };
        opened.configure(configuration)?;
        Ok(opened)
    }

    fn configure(&mut self, configuration: Configuration) -> Result<(), AlsaError> {
        let functions = self.functions;
        let mut parameters = std::ptr::null_mut();
        // SAFETY: the pointer is to a variable of this function.
        let status = unsafe { (functions.snd_pcm_hw_params_malloc)(&mut parameters) };
        self.check("snd_pcm_hw_params_malloc", status)?;
        let result = self.choose(parameters, configuration);
        // SAFETY: the parameters were made above, and are not used any more.
        unsafe { (functions.snd_pcm_hw_params_free)(parameters) };
        let period = result?;
        self.bytes = vec![0; period * self.channels * self.format.size()];
        Ok(())
    }

    /// Narrows the parameters down and sets them; returns the frames of a period.
    fn choose(&mut self, parameters: Opaque, configuration: Configuration) -> Result<usize, AlsaError> {
        let (functions, pcm) = (self.functions, self.pcm);
        // SAFETY: both are live objects of the library, here and in the calls below.
        self.check("snd_pcm_hw_params_any", unsafe {
            (functions.snd_pcm_hw_params_any)(pcm, parameters)
        })?;
        // SAFETY: as above.
        self.check("snd_pcm_hw_params_set_access", unsafe {
            (functions.snd_pcm_hw_params_set_access)(pcm, parameters, INTERLEAVED)
        })?;
        // SAFETY: as above.
        let takes = |format: &Format| unsafe {
            (functions.snd_pcm_hw_params_set_format)(pcm, parameters, format.number()) >= 0
        };
        self.format = Format::ALL.into_iter().find(takes).ok_or_else(|| {
            self.unsupported(
                "samples of 16, 24 or 32 bits or floating point",
                "other formats".to_owned(),
            )
        })?;
        // SAFETY: as above.
        if unsafe { (functions.snd_pcm_hw_params_set_channels)(pcm, parameters, configuration.channels) } < 0
        {
            let (mut least, mut most) = (0, 0);
            // SAFETY: as above, and the pointers are to variables of this function.
            unsafe { (functions.snd_pcm_hw_params_get_channels_min)(parameters, &mut least) };
            // SAFETY: as above.
            unsafe { (functions.snd_pcm_hw_params_get_channels_max)(parameters, &mut most) };
            let asked = format!("{} channels", configuration.channels);
            return Err(self.unsupported(&asked, format!("{least} to {most} channels")));
        }
        // SAFETY: as above.
        if unsafe { (functions.snd_pcm_hw_params_set_rate)(pcm, parameters, configuration.rate, 0) } < 0 {
            let (mut least, mut most, mut direction) = (0, 0, 0);
            // SAFETY: as above, and the pointers are to variables of this function.
            unsafe { (functions.snd_pcm_hw_params_get_rate_min)(parameters, &mut least, &mut direction) };
            // SAFETY: as above.
            unsafe { (functions.snd_pcm_hw_params_get_rate_max)(parameters, &mut most, &mut direction) };
            let asked = format!("{} Hz", configuration.rate);
            return Err(self.unsupported(&asked, format!("{least} to {most} Hz")));
        }
        let mut buffer = c_ulong::from(configuration.buffer);
        // SAFETY: as above.
        self.check("snd_pcm_hw_params_set_buffer_size_near", unsafe {
            (functions.snd_pcm_hw_params_set_buffer_size_near)(pcm, parameters, &mut buffer)
        })?;
        let (mut period, mut direction) = (c_ulong::from(configuration.period), 0);
        // SAFETY: as above.
        self.check("snd_pcm_hw_params_set_period_size_near", unsafe {
            (functions.snd_pcm_hw_params_set_period_size_near)(pcm, parameters, &mut period, &mut direction)
        })?;
        // SAFETY: as above.
        let status = unsafe { (functions.snd_pcm_hw_params)(pcm, parameters) };
        if status == -EINVAL {
            let asked = format!(
                "{} Hz with {} channels",
                configuration.rate, configuration.channels
            );
            return Err(self.unsupported(&asked, "neither that nor what it takes instead".to_owned()));
        }
        self.check("snd_pcm_hw_params", status)?;
        Ok((period as usize).max(1))
    }

    /// The frames of a period: the most that one call reads or writes.
    pub fn period(&self) -> usize {
        self.bytes.len() / (self.channels * self.format.size())
    }

    /// Reads at most a period into `frames`, whole frames of interleaved samples; waits at most `timeout` for the first.
    ///
    /// # Errors
    /// [`AlsaError::Lost`], [`AlsaError::Call`].
    pub fn read(&mut self, frames: &mut [f32], timeout: Duration) -> Result<Progress, AlsaError> {
        let most = (frames.len() / self.channels).min(self.period());
        if most == 0 {
            return Ok(Progress::Nothing);
        }
        // SAFETY: the bytes have room for a period of frames in the device's format.
        let count = unsafe {
            (self.functions.snd_pcm_readi)(self.pcm, self.bytes.as_mut_ptr().cast(), most as c_ulong)
        };
        match self.progress("snd_pcm_readi", count, timeout)? {
            Progress::Frames(count) => {
                self.format
                    .read(&self.bytes, &mut frames[..count * self.channels]);
                Ok(Progress::Frames(count))
            }
            other => Ok(other),
        }
    }

    /// Writes at most a period of `frames`; waits at most `timeout` for room.
    ///
    /// # Errors
    /// [`AlsaError::Lost`], [`AlsaError::Call`].
    pub fn write(&mut self, frames: &[f32], timeout: Duration) -> Result<Progress, AlsaError> {
        let most = (frames.len() / self.channels).min(self.period());
        if most == 0 {
            return Ok(Progress::Nothing);
        }
        self.format
            .write(&frames[..most * self.channels], &mut self.bytes);
        // SAFETY: the bytes hold this many frames in the device's format.
        let count =
            unsafe { (self.functions.snd_pcm_writei)(self.pcm, self.bytes.as_ptr().cast(), most as c_ulong) };
        self.progress("snd_pcm_writei", count, timeout)
    }

    /// Plays what was written to its end.
    ///
    /// # Errors
    /// [`AlsaError::Call`].
    pub fn drain(&mut self) -> Result<(), AlsaError> {
        // SAFETY: the handle is open, and this thread's alone.
        let status = unsafe { (self.functions.snd_pcm_drain)(self.pcm) };
        // In non-blocking mode, a drain in progress returns EAGAIN.
        if status == -EAGAIN {
            Ok(())
        } else {
            self.check("snd_pcm_drain", status)
        }
    }

    /// The frames between the application and the loudspeaker or microphone, as the device reports them; `None` when it does not.
    pub fn delay(&mut self) -> Option<i64> {
        let mut delay = 0;
        // SAFETY: the handle is open, and the pointer is to a variable of this function.
        let status = unsafe { (self.functions.snd_pcm_delay)(self.pcm, &mut delay) };
        (status >= 0).then_some(delay)
    }

    /// Interprets the result of a read or a write, and recovers if possible.
    fn progress(
        &mut self,
        function: &'static str,
        count: i64,
        timeout: Duration,
    ) -> Result<Progress, AlsaError> {
        if count > 0 {
            return Ok(Progress::Frames(count as usize));
        }
        let error = -(count as c_int);
        match error {
            0 | EAGAIN => {
                self.wait(timeout)?;
                Ok(Progress::Nothing)
            }
            EPIPE => self.restart(),
            ESTRPIPE => {
                // The machine was suspended. Devices that cannot resume are prepared anew.
                // SAFETY: the handle is open, and this thread's alone.
                match -unsafe { (self.functions.snd_pcm_resume)(self.pcm) } {
                    EAGAIN => {
                        self.wait(timeout)?;
                        Ok(Progress::Nothing)
                    }
                    0 => Ok(Progress::Interrupted),
                    _ => self.restart(),
                }
            }
            ENODEV | EIO | EBADFD => Err(self.lost(error)),
            _ => Err(AlsaError::Call {
                function,
                reason: self.functions.text(-error),
            }),
        }
    }

    fn restart(&mut self) -> Result<Progress, AlsaError> {
        // SAFETY: the handle is open, and this thread's alone.
        let status = unsafe { (self.functions.snd_pcm_prepare)(self.pcm) };
        // After a sound server's end its device cannot be prepared again.
        if status == -ENODEV || status == -EIO || status == -EBADFD {
            return Err(self.lost(-status));
        }
        self.check("snd_pcm_prepare", status)?;
        Ok(Progress::Interrupted)
    }

    fn wait(&mut self, timeout: Duration) -> Result<(), AlsaError> {
        if self.direction == Direction::Capture {
            // A capture that was prepared and not read from has not begun; for one that has begun, the call fails without effect.
            // SAFETY: the handle is open, and this thread's alone.
            unsafe { (self.functions.snd_pcm_start)(self.pcm) };
        }
        let milliseconds = timeout.as_millis().min(10_000) as c_int;
        // SAFETY: as above.
        let status = unsafe { (self.functions.snd_pcm_wait)(self.pcm, milliseconds) };
        // The next read or write reports an interruption.
        if status == -ENODEV {
            Err(self.lost(ENODEV))
        } else {
            Ok(())
        }
    }

    fn lost(&self, error: c_int) -> AlsaError {
        AlsaError::Lost {
            device: self.device.clone(),
            reason: self.functions.text(-error),
        }
    }

    fn unsupported(&self, asked: &str, takes: String) -> AlsaError {
        AlsaError::Unsupported {
            device: self.device.clone(),
            asked: asked.to_owned(),
            takes,
        }
    }

    fn check(&self, function: &'static str, status: c_int) -> Result<(), AlsaError> {
        if status < 0 {
            return Err(AlsaError::Call {
                function,
                reason: self.functions.text(status),
            });
        }
        Ok(())
    }
}

impl Drop for Pcm {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and nobody else has it.
        unsafe { (self.functions.snd_pcm_drop)(self.pcm) };
        // SAFETY: as above, and it is not used any more.
        unsafe { (self.functions.snd_pcm_close)(self.pcm) };
    }
}
