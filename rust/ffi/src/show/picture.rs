//! Pictures of a show.

use crate::fault::Outcome;
use crate::lent::{choices, Choice, Flag};
use crate::records::records;
use rustle_engines::{PictureFormat, ShowError};
use rustle_shows::venue::{PictureSettings, ScreenColors, View};

choices! {
    /// From where a venue is seen.
    pub enum RustlePictureView = RUSTLE_PICTURE_ for View {
        /// From above, with the back at the top.
        Top = 0,
        /// From the front, as the audience sees it.
        Front = 1,
    }

    /// What a picture is made of.
    pub enum RustlePictureFormat = RUSTLE_PICTURE_ {
        /// Pixels row by row, each red, green, blue and 255.
        Rgba = 0,
        /// A PNG file.
        Png = 1,
        /// An SVG file.
        Svg = 2,
        /// The shapes of the picture, as JSON.
        Json = 3,
        /// Lines for a terminal with 24-bit colours; a character is two pixels, one above the other.
        TrueColor = 4,
        /// Lines for a terminal with the 256 colours of xterm.
        Palette = 5,
        /// Lines of ASCII, without colours.
        Ascii = 6,
    }
}

records! {
    /// The size, view and format of a picture of a venue.
    pub struct RustlePictureSettings {
        /// The width in pixels, 1 to 8,192. Example: 64.
        pub width: u32,
        /// The height in pixels, 1 to 8,192. Example: 36.
        pub height: u32,
        /// From where the venue is seen.
        pub view: Choice<RustlePictureView>,
        /// What the picture is made of.
        pub format: Choice<RustlePictureFormat>,
        /// Whether the floor has a grid.
        pub has_grid: Flag,
        /// Whether there is a scale and a count of the fixtures.
        pub has_legend: Flag,
        /// Whether fixtures have their ids beside them.
        pub has_labels: Flag,
        reserved: u32,
    }
}

impl RustlePictureSettings {
    /// The settings and the format of a picture.
    pub(super) fn read(&self) -> Outcome<ShowError, (PictureSettings, PictureFormat)> {
        crate::status::CallFault::check_reserved(self.reserved, "settings.reserved")?;
        // Sides past 16 bits are as wrong as 8,193.
        let side = |side: u32| u16::try_from(side).unwrap_or(u16::MAX);
        let settings = PictureSettings {
            width: side(self.width),
            height: side(self.height),
            view: self.view.get("settings.view")?.into(),
            has_grid: self.has_grid.is_set(),
            has_legend: self.has_legend.is_set(),
            has_labels: self.has_labels.is_set(),
        };
        let format = match self.format.get("settings.format")? {
            RustlePictureFormat::Rgba => PictureFormat::Rgba,
            RustlePictureFormat::Png => PictureFormat::Png,
            RustlePictureFormat::Svg => PictureFormat::Svg,
            RustlePictureFormat::Json => PictureFormat::Json,
            RustlePictureFormat::TrueColor => PictureFormat::Text(ScreenColors::Rgb),
            RustlePictureFormat::Palette => PictureFormat::Text(ScreenColors::Indexed),
            RustlePictureFormat::Ascii => PictureFormat::Text(ScreenColors::Ascii),
        };
        Ok((settings, format))
    }
}
