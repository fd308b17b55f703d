//! A picture as lines of text for a terminal.

use super::canvas::Canvas;
use super::color::clamped;
use super::picture::Picture;
use std::fmt::Write;

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenColors {
    /// 24 bits: `ESC [ 38 ; 2 ; R ; G ; B m`.
    Rgb,
    /// The 256 colours of xterm.
    Indexed,
    /// None, and no character but ASCII: fixtures are letters of their colours.
    Ascii,
}

/// Draws pictures as text: two pixels, one above the other, are a character. The size is that of the picture, see
/// [`PictureSettings::for_terminal`](super::PictureSettings::for_terminal).
#[derive(Clone, Debug, Default)]
pub struct Screen {
    canvas: Canvas,
}

/// From this share of its brightest channel on, a channel is part of a colour's name, and a weaker one tints it.
const NAMED: f32 = 0.6;
const TINT: f32 = 0.15;
/// From this level on a lamp is a capital letter.
const BRIGHT: f32 = 0.25;
/// Below this level a lamp is dark; the lowest of 8 bits.
const DARK: f32 = 1.0 / 255.0;

impl Screen {
    /// A screen.
    pub fn new() -> Self {
        Self::default()
    }

    /// The lines of a picture, each with as many characters as the picture has columns, without an end of line. Colours are reset at
    /// the end of each line.
    ///
    /// In ASCII, lamps are letters: R red, A amber, Y yellow, G green, C cyan, B blue, V violet, M magenta, W white; small ones are
    /// below a quarter of the light, and `o` is a dark lamp; lamps of one character are mixed. Beams are
    /// dotted.
    pub fn lines(&mut self, picture: &Picture, colors: ScreenColors) -> Vec<String> {
        if colors == ScreenColors::Ascii {
            return ascii(picture);
        }
        let width = usize::from(picture.width);
        let rgba = self.canvas.draw(picture);
        if width == 0 {
            return Vec::new();
        }
        let (pixels, _) = rgba.as_chunks::<4>();
        let rows: Vec<&[[u8; 4]]> = pixels.chunks_exact(width).collect();
        let lines = rows.chunks(2).map(|pair| {
            let upper = pair[0];
            let mut line = String::with_capacity(width * 4);
            let mut shown = (None, None);
            for (column, pixel) in upper.iter().enumerate() {
                let [red, green, blue] = picture.background;
                let lower = pair.get(1).map_or([red, green, blue, u8::MAX], |row| row[column]);
                let [upper, lower] =
                    [*pixel, lower].map(|[red, green, blue, _]| Color::new([red, green, blue], colors));
                if shown.1 != Some(lower) {
                    lower.write(&mut line, 48);
                    shown.1 = Some(lower);
                }
                // A space has no colour of its own.
                if upper == lower {
                    line.push(' ');
                    continue;
                }
                if shown.0 != Some(upper) {
                    upper.write(&mut line, 38);
                    shown.0 = Some(upper);
                }
                line.push('▀');
            }
            line.push_str("\x1b[0m");
            line
        });
        lines.collect()
    }
}

/// A colour of a terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    Rgb([u8; 3]),
    Indexed(u8),
}

impl Color {
    fn new(codes: [u8; 3], colors: ScreenColors) -> Self {
        match colors {
            ScreenColors::Indexed => Self::Indexed(indexed(codes)),
            ScreenColors::Rgb | ScreenColors::Ascii => Self::Rgb(codes),
        }
    }

    /// As what is drawn (38) or what is behind it (48), by ECMA-48's SGR and ISO 8613-6's colours.
    fn write(self, line: &mut String, place: u8) {
        // Writing to a text does not fail.
        let _ = match self {
            Self::Rgb([red, green, blue]) => write!(line, "\x1b[{place};2;{red};{green};{blue}m"),
            Self::Indexed(index) => write!(line, "\x1b[{place};5;{index}m"),
        };
    }
}

/// The nearest of xterm's 256 colours, whose first 16 differ from terminal to terminal: the cube of 6 x 6 x 6 (16 to 231) or the
/// greys (232 to 255).
fn indexed(codes: [u8; 3]) -> u8 {
    const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |color: [u8; 3]| -> u32 {
        let differences = codes.iter().zip(color).map(|(a, b)| u32::from(a.abs_diff(b)));
        differences.map(|difference| difference * difference).sum()
    };
    let nearest = codes.map(|code| {
        let steps = (0_u8..).zip(CUBE);
        steps
            .min_by_key(|(_, step)| code.abs_diff(*step))
            .map_or(0, |(index, _)| index)
    });
    let cube = nearest.map(|index| CUBE[usize::from(index)]);
    let mean = codes.iter().map(|code| u16::from(*code)).sum::<u16>() / 3;
    let gray = (mean.saturating_sub(3) / 10).min(23) as u8;
    if distance([8 + 10 * gray; 3]) < distance(cube) {
        232 + gray
    } else {
        16 + 36 * nearest[0] + 6 * nearest[1] + nearest[2]
    }
}

/// Characters, two pixels high.
struct Cells {
    width: usize,
    rows: Vec<Vec<u8>>,
}

impl Cells {
    fn at(&mut self, [x, y]: [f32; 2]) -> Option<&mut u8> {
        if !(x >= 0.0 && y >= 0.0) {
            return None;
        }
        self.rows.get_mut((y / 2.0) as usize)?.get_mut(x as usize)
    }

    /// Visits the characters from one place to another.
    fn along(&mut self, from: [f32; 2], to: [f32; 2], visit: impl Fn(&mut u8)) {
        let [dx, dy] = [0, 1].map(|axis| to[axis] - from[axis]);
        let steps = dx.abs().max(dy.abs() / 2.0).ceil();
        if !steps.is_finite() {
            return;
        }
        let steps = (steps as usize).clamp(1, 4 * (self.width + 2 * self.rows.len()));
        for step in 0..=steps {
            let share = step as f32 / steps as f32;
            if let Some(cell) = self.at([from[0] + dx * share, from[1] + dy * share]) {
                visit(cell);
            }
        }
    }
}

fn ascii(picture: &Picture) -> Vec<String> {
    let (width, rows) = (
        usize::from(picture.width),
        usize::from(picture.height).div_ceil(2),
    );
    if width == 0 {
        return Vec::new();
    }
    let mut cells = Cells {
        width,
        rows: vec![vec![b' '; width]; rows],
    };
    for line in &picture.lines {
        let mark = direction(line.from, line.to);
        cells.along(line.from, line.to, |cell| {
            *cell = if [b' ', mark].contains(cell) { mark } else { b'+' };
        });
    }
    for beam in &picture.beams {
        let level = brightest(beam.light);
        if level > DARK {
            let mark = if level >= BRIGHT { b':' } else { b'.' };
            cells.along(beam.from, beam.to, |cell| *cell = mark);
        }
    }
    // The sum of the lights of a character, and their number.
    let mut lights = vec![([0.0; 3], 0.0_f32); width * rows];
    for lamp in &picture.lamps {
        let [x, y] = [lamp.at[0], lamp.at[1] / 2.0];
        if x >= 0.0 && y >= 0.0 && (x as usize) < width && (y as usize) < rows {
            let (sum, count) = &mut lights[y as usize * width + x as usize];
            for (sum, level) in sum.iter_mut().zip(lamp.light) {
                *sum += clamped(level);
            }
            *count += 1.0;
        }
    }
    let rows = cells
        .rows
        .iter_mut()
        .zip(lights.chunks_exact(width))
        .map(|(row, lights)| {
            for (cell, (sum, count)) in row.iter_mut().zip(lights).filter(|(_, (_, count))| *count > 0.0) {
                *cell = letter(sum.map(|sum| sum / count));
            }
            row.iter().map(|cell| char::from(*cell)).collect()
        });
    rows.collect()
}

/// The character of a line.
fn direction(from: [f32; 2], to: [f32; 2]) -> u8 {
    // A character is twice as high as it is wide.
    let [dx, dy] = [to[0] - from[0], (to[1] - from[1]) / 2.0];
    if dy.abs() * 2.5 < dx.abs() {
        b'-'
    } else if dx.abs() * 2.5 < dy.abs() {
        b'|'
    } else if (dx > 0.0) == (dy > 0.0) {
        b'\\'
    } else {
        b'/'
    }
}

fn brightest(light: [f32; 3]) -> f32 {
    light.map(clamped).into_iter().fold(0.0, f32::max)
}

/// The letter of a light.
fn letter(light: [f32; 3]) -> u8 {
    let level = brightest(light);
    if level < DARK {
        return b'o';
    }
    let shares = light.map(|channel| clamped(channel) / level);
    let letter = match shares.map(|share| share >= NAMED) {
        [true, true, true] => b'W',
        [true, true, false] => b'Y',
        [true, false, true] => b'M',
        [false, true, true] => b'C',
        [true, false, false] if shares[1] >= TINT && shares[1] > shares[2] => b'A',
        [false, false, true] if shares[0] >= TINT && shares[0] > shares[1] => b'V',
        [true, false, false] => b'R',
        [false, true, false] => b'G',
        [false, false, _] => b'B',
    };
    if level >= BRIGHT {
        letter
    } else {
        letter.to_ascii_lowercase()
    }
}
