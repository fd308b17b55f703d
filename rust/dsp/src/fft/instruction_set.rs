//! The instruction sets of the transform, and the choice of one.

use super::kernels;
use crate::bounded_text::GivenName;
use crate::error::DspError;
use std::env::VarError;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::OnceLock;

/// The vector instructions that a transform uses. All instruction sets compute the same sums by the same algorithm; their results
/// differ by rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstructionSet {
    /// Plain arrays, on every CPU: the compiler makes vectors of four of them where it can. The only instruction set of CPUs
    /// other than x86-64 and arm64.
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

/// The environment variable that names the instruction set for plans that are made without one.
pub const INSTRUCTION_SET_VARIABLE: &str = "RUSTLE_FFT_INSTRUCTION_SET";

impl InstructionSet {
    /// Every instruction set, the widest first.
    pub const ALL: [Self; 5] = [Self::Avx512, Self::Avx2, Self::Neon, Self::Narrow, Self::Plain];

    /// The name, as in the environment variable: `plain`, `narrow`, `neon`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Narrow => "narrow",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this machine has the instruction set.
    pub fn is_available(self) -> bool {
        kernels::is_available(self)
    }

    /// The default instruction set of plans: that of [`INSTRUCTION_SET_VARIABLE`] at the process's first call, or else the widest
    /// available one.
    ///
    /// # Errors
    /// [`DspError::InstructionSetName`] when the variable holds no instruction set's name,
    /// [`DspError::InstructionSetUnavailable`] when this machine does not have the instruction set it names.
    pub fn preferred() -> Result<Self, DspError> {
        static PREFERRED: OnceLock<Result<InstructionSet, DspError>> = OnceLock::new();
        *PREFERRED.get_or_init(|| match named() {
            Ok(name) if !name.is_empty() => name.parse::<Self>()?.available(),
            Ok(_) | Err(VarError::NotPresent) => Ok(Self::widest()),
            Err(VarError::NotUnicode(name)) => Err(DspError::InstructionSetName {
                got: GivenName::new(&name.to_string_lossy()),
            }),
        })
    }

    /// The widest instruction set that this machine has.
    pub fn widest() -> Self {
        let available = Self::ALL
            .into_iter()
            .find(|instruction_set| instruction_set.is_available());
        available.unwrap_or(Self::Plain)
    }

    /// The instruction set itself, when this machine has it.
    ///
    /// # Errors
    /// [`DspError::InstructionSetUnavailable`].
    pub fn available(self) -> Result<Self, DspError> {
        if self.is_available() {
            Ok(self)
        } else {
            Err(DspError::InstructionSetUnavailable { got: self })
        }
    }
}

/// The choice of the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "read once, when a plan is made: making a plan allocates, and no realtime thread makes one"
)]
fn named() -> Result<String, VarError> {
    std::env::var(INSTRUCTION_SET_VARIABLE)
}

impl FromStr for InstructionSet {
    type Err = DspError;

    fn from_str(name: &str) -> Result<Self, DspError> {
        let named = Self::ALL
            .into_iter()
            .find(|instruction_set| instruction_set.name() == name);
        named.ok_or_else(|| DspError::InstructionSetName {
            got: GivenName::new(name),
        })
    }
}

impl Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for instruction_set in InstructionSet::ALL {
            assert_eq!(instruction_set.name().parse(), Ok(instruction_set));
        }
        assert_eq!(
            "AVX2".parse::<InstructionSet>(),
            Err(DspError::InstructionSetName {
                got: GivenName::new("AVX2")
            })
        );
    }

    #[test]
    fn widest_is_the_first_available() {
        let widest = InstructionSet::widest();
        assert!(widest.is_available());
        let wider = InstructionSet::ALL
            .into_iter()
            .take_while(|instruction_set| *instruction_set != widest);
        for instruction_set in wider {
            assert_eq!(
                instruction_set.available(),
                Err(DspError::InstructionSetUnavailable { got: instruction_set })
            );
        }
    }
}
