//! Pictures of a show's frames.

use rustle_lighting::SLOTS;
use rustle_shows::fixture::Rig;
use rustle_shows::slots::SlotMap;
use rustle_shows::venue::{
    Canvas, Picture, PictureSettings, Plan, Screen, ScreenColors, SizeError, png, svg,
};
use rustle_shows::{Look, Stage};

/// What a picture is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Pixels row by row, each red, green, blue and 255.
    Rgba,
    /// A PNG file.
    Png,
    /// An SVG file.
    Svg,
    /// The shapes of the picture, as JSON.
    Json,
    /// Lines of text for a terminal, two pixels a character.
    Text(ScreenColors),
}

/// Draws the frames of a rig. What the slots say is drawn, so that a wrong patch shows.
pub(super) struct Painter {
    rig: Rig,
    stage: Stage,
    look: Look,
    plan: Option<(PictureSettings, Plan, Picture)>,
    canvas: Canvas,
    screen: Screen,
}

impl Painter {
    pub(super) fn new(rig: &Rig, map: &SlotMap) -> Self {
        Self {
            rig: rig.clone(),
            stage: Stage::new(rig),
            look: map.look(),
            plan: None,
            canvas: Canvas::new(),
            screen: Screen::new(),
        }
    }

    /// Takes a frame to draw.
    pub(super) fn read(&mut self, map: &SlotMap, frame: &[[u8; SLOTS]]) {
        map.decode(frame, &mut self.look);
    }

    /// Draws the frame. The layout of the last settings is kept.
    ///
    /// # Errors
    /// [`SizeError`].
    pub(super) fn draw(
        &mut self,
        settings: PictureSettings,
        format: PictureFormat,
    ) -> Result<Vec<u8>, SizeError> {
        let kept = self.plan.take().filter(|(of, ..)| *of == settings);
        let (_, plan, picture) = match kept {
            Some(kept) => self.plan.insert(kept),
            None => {
                let plan = Plan::new(&self.rig, &self.stage, settings)?;
                let picture = plan.picture();
                self.plan.insert((settings, plan, picture))
            }
        };
        plan.light(&self.look, picture);
        let (width, height) = (settings.width.into(), settings.height.into());
        Ok(match format {
            PictureFormat::Rgba => self.canvas.draw(picture).to_vec(),
            // A canvas has as many bytes as its picture has pixels.
            PictureFormat::Png => png(width, height, self.canvas.draw(picture)).unwrap_or_default(),
            PictureFormat::Svg => svg(picture).into_bytes(),
            PictureFormat::Json => picture.to_json().into_bytes(),
            PictureFormat::Text(colors) => {
                let mut text = self.screen.lines(picture, colors).join("\n");
                text.push('\n');
                text.into_bytes()
            }
        })
    }
}
