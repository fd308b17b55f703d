//! The other libraries, loaded when the program runs.

mod ffmpeg;
mod fftw;
mod ipp;
mod kiss;
mod mkl;

use super::job::Job;
use super::loops::Loops;
use crate::candidate::{Aligned, Candidate};
use libloading::Library;
use std::error::Error;
use std::path::Path;

/// A real transform of another library: N samples in, N/2 + 1 bins out, alternating real and imaginary parts; both in memory that
/// is `Aligned`.
pub(super) trait Transform {
    fn name(&self) -> String;
    fn run(&mut self, input: &[f32], output: &mut [f32]);
}

/// The peers' transforms of one size.
pub(super) struct Peers {
    size: usize,
    libraries: Libraries,
    /// Whether FFTW chooses its plan by timing.
    is_timed: bool,
}

struct Libraries {
    fftw: &'static Library,
    kiss: Option<&'static Library>,
    ffmpeg: Option<&'static Library>,
    mkl: Option<&'static Library>,
    /// By the name of its code: the one it chooses on this machine, and if that is wider, the one for AVX2.
    ipp: Vec<(&'static str, &'static Library)>,
}

/// Loads a library for the rest of the process, with local symbols: FFTW's names exist in MKL too.
fn library(name: impl AsRef<std::ffi::OsStr>) -> Result<&'static Library, libloading::Error> {
    // SAFETY: these libraries run no initialisers with preconditions.
    let library = unsafe { Library::new(name) }?;
    Ok(Box::leak(Box::new(library)))
}

impl Peers {
    pub(super) fn load(size: usize, intel: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        let intel = |name: &str| intel.map(|directory| library(directory.join(name))).transpose();
        let mut ipp = Vec::new();
        if let (Some(core), Some(chosen)) = (intel("libippcore.so.12")?, intel("libipps.so.12")?) {
            ipp::Ipp::initialise(core)?;
            ipp.push(("Intel IPP", chosen));
        }
        if rustle_dsp::InstructionSet::Avx512.is_available()
            && let Some(avx2) = intel("libippsl9.so.12")?
        {
            ipp.push(("Intel IPP, AVX2", avx2));
        }
        Ok(Self {
            size,
            is_timed: true,
            libraries: Libraries {
                fftw: library("libfftw3f.so.3")?,
                kiss: library("libkissfft-float.so.131").ok(),
                // The numbers of transform kinds are those of this version.
                ffmpeg: library("libavutil.so.57").ok(),
                mkl: intel("libmkl_rt.so.3")?,
                ipp,
            },
        })
    }

    /// The peers without Intel's, and with FFTW's plan chosen without timing.
    pub(super) fn untimed(size: usize) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            is_timed: false,
            ..Self::load(size, None)?
        })
    }

    fn transforms(&self) -> Result<Vec<Box<dyn Transform>>, Box<dyn Error>> {
        let fftw = if self.is_timed {
            fftw::Fftw::best(self.libraries.fftw, self.size)?
        } else {
            fftw::Fftw::estimated(self.libraries.fftw, self.size)?
        };
        let mut transforms: Vec<Box<dyn Transform>> = vec![Box::new(fftw)];
        if let Some(kiss) = self.libraries.kiss {
            transforms.push(Box::new(kiss::Kiss::new(kiss, self.size)?));
        }
        if let Some(ffmpeg) = self.libraries.ffmpeg {
            transforms.push(Box::new(ffmpeg::Ffmpeg::new(ffmpeg, self.size)?));
        }
        if let Some(mkl) = self.libraries.mkl {
            transforms.push(Box::new(mkl::Mkl::new(mkl, self.size)?));
        }
        for (name, ipp) in &self.libraries.ipp {
            transforms.push(Box::new(ipp::Ipp::new(name, ipp, self.size)?));
        }
        Ok(transforms)
    }

    /// Window, transform and N/2 magnitudes. FFTW, the base, comes first.
    pub(super) fn magnitudes(&self) -> Result<Vec<Box<dyn Candidate>>, Box<dyn Error>> {
        let candidate = |transform| Box::new(Magnitudes::new(transform, self.size)) as Box<dyn Candidate>;
        Ok(self.transforms()?.into_iter().map(candidate).collect())
    }

    /// The transform alone. FFTW, the base, comes first.
    pub(super) fn complex(&self) -> Result<Vec<Box<dyn Candidate>>, Box<dyn Error>> {
        let candidate = |transform| Box::new(Bare::new(transform, self.size)) as Box<dyn Candidate>;
        Ok(self.transforms()?.into_iter().map(candidate).collect())
    }
}

struct Magnitudes {
    transform: Box<dyn Transform>,
    loops: Loops,
    job: Job,
    weighted: Aligned,
    bins: Aligned,
    output: Aligned,
}

impl Magnitudes {
    fn new(transform: Box<dyn Transform>, size: usize) -> Self {
        Self {
            transform,
            loops: Loops::widest(),
            job: Job::new(size),
            weighted: Aligned::new(size),
            bins: Aligned::new(size + 2),
            output: Aligned::new(size / 2),
        }
    }
}

impl Candidate for Magnitudes {
    fn name(&self) -> String {
        self.transform.name()
    }

    fn run(&mut self) {
        self.loops
            .weigh(&self.job.input, &self.job.window, &mut self.weighted);
        self.transform.run(&self.weighted, &mut self.bins);
        self.loops.measure(&self.bins, &mut self.output);
    }
}

struct Bare {
    transform: Box<dyn Transform>,
    job: Job,
    bins: Aligned,
}

impl Bare {
    fn new(transform: Box<dyn Transform>, size: usize) -> Self {
        Self {
            transform,
            job: Job::new(size),
            bins: Aligned::new(size + 2),
        }
    }
}

impl Candidate for Bare {
    fn name(&self) -> String {
        self.transform.name()
    }

    fn run(&mut self) {
        self.transform.run(&self.job.input, &mut self.bins);
    }
}
