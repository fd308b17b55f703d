//! The code paths of the transform, and which of them is used.

use super::kernels;
use crate::error::DspError;
use std::env::VarError;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::OnceLock;

/// The instructions that a transform is computed with. All paths compute the same sums by the same algorithm; their
/// results differ by rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// Plain arrays, on every CPU: the compiler makes vectors of four of them where it can. The only path of CPUs other
    /// than x86-64 and arm64.
    Plain,
    /// Four lanes in 128-bit registers: SSE2, which every x86-64 has.
    Narrow,
    /// Four lanes in 128-bit registers: NEON, which every arm64 has.
    Neon,
    /// Eight lanes: AVX2 and FMA.
    Avx2,
    /// Sixteen lanes: AVX-512 F, DQ and VL.
    Avx512,
}

/// The environment variable that names the path for plans that are made without one.
pub const PATH_VARIABLE: &str = "RUSTLE_FFT_PATH";

impl Path {
    /// Every path, the widest first.
    pub const ALL: [Self; 5] = [Self::Avx512, Self::Avx2, Self::Neon, Self::Narrow, Self::Plain];

    /// The name, as the environment variable has it: `plain`, `narrow`, `neon`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Narrow => "narrow",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this machine has the path's instructions.
    pub fn is_available(self) -> bool {
        kernels::is_available(self)
    }

    /// The path of plans that are made without naming one: what [`PATH_VARIABLE`] named when the process first asked, or
    /// else the widest that is available.
    ///
    /// # Errors
    /// [`DspError::PathName`] when the variable holds no path's name, [`DspError::PathUnavailable`] when this machine
    /// does not have the path it names.
    pub fn preferred() -> Result<Self, DspError> {
        static PREFERRED: OnceLock<Result<Path, DspError>> = OnceLock::new();
        *PREFERRED.get_or_init(|| match named() {
            Ok(name) if !name.is_empty() => name.parse::<Self>()?.available(),
            Ok(_) | Err(VarError::NotPresent) => Ok(Self::widest()),
            Err(VarError::NotUnicode(_)) => Err(DspError::PathName),
        })
    }

    /// The widest path that this machine has.
    pub fn widest() -> Self {
        let available = Self::ALL.into_iter().find(|path| path.is_available());
        available.unwrap_or(Self::Plain)
    }

    /// The path itself, when this machine has it.
    ///
    /// # Errors
    /// [`DspError::PathUnavailable`].
    pub fn available(self) -> Result<Self, DspError> {
        if self.is_available() {
            Ok(self)
        } else {
            Err(DspError::PathUnavailable { got: self })
        }
    }
}

/// What the environment says.
#[expect(
    clippy::disallowed_methods,
    reason = "read once, when a plan is made: making a plan allocates, and no realtime thread makes one"
)]
fn named() -> Result<String, VarError> {
    std::env::var(PATH_VARIABLE)
}

impl FromStr for Path {
    type Err = DspError;

    fn from_str(name: &str) -> Result<Self, DspError> {
        let named = Self::ALL.into_iter().find(|path| path.name() == name);
        named.ok_or(DspError::PathName)
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for path in Path::ALL {
            assert_eq!(path.name().parse(), Ok(path));
        }
        assert_eq!("AVX2".parse::<Path>(), Err(DspError::PathName));
    }

    #[test]
    fn widest_is_the_first_available() {
        let widest = Path::widest();
        assert!(widest.is_available());
        let wider = Path::ALL.into_iter().take_while(|path| *path != widest);
        for path in wider {
            assert_eq!(path.available(), Err(DspError::PathUnavailable { got: path }));
        }
    }
}
