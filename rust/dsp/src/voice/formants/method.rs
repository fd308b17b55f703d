//! The methods of the prediction filter of formants.

use crate::bounded_text::GivenName;
use crate::voice::VoiceError;
use std::fmt::{self, Display};
use std::str::FromStr;

/// The method of the prediction filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FormantMethod {
    /// By least squares with little weight for the samples in which the vocal folds are open or closing, on the mean of the
    /// periods within 25 ms to each side that repeat the frame. On vowels with known poles it is nearer to them than
    /// [`Burg`](Self::Burg), the more the higher the voice and the louder the noise.
    #[default]
    Weighted,
    /// Burg's method, as in Praat.
    Burg,
}

impl FormantMethod {
    /// Both methods.
    pub const ALL: [Self; 2] = [Self::Weighted, Self::Burg];

    /// The name in commands and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weighted => "weighted",
            Self::Burg => "burg",
        }
    }
}

impl Display for FormantMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FormantMethod {
    type Err = VoiceError;

    fn from_str(text: &str) -> Result<Self, VoiceError> {
        let found = Self::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| VoiceError::MethodName {
            got: GivenName::new(text),
        })
    }
}
