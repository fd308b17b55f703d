//! Pixels of a picture.

use super::color;
use super::line;
use super::picture::{Beam, Lamp, Line, Picture};
use super::plan::MAX_SIDE;
use super::shade::Shade;
use super::sprite::{Placed, Sprite};

/// Levels of the table of codes; finer ones have no codes of their own.
const LEVELS: usize = 4_096;
/// The light that shows where a dark lamp is, linear.
const BODY: f32 = 0.012;

/// Above this number of weights, 64 MB, a canvas forgets the glows of earlier pictures.
const KEPT_WEIGHTS: usize = 8 << 20;

/// A pixel: linear red, green and blue, and what is always full.
type Pixel = [u16; 4];

/// Draws pictures. It keeps its memory from picture to picture: the second one of a size allocates nothing.
///
/// The cost is that of the pixels, and of those that glows and beams cover: the glows of 1,000 fixtures cost less than the pixels of
/// 960 x 540 alone.
#[derive(Clone, Debug)]
pub struct Canvas {
    sides: [u16; 2],
    pixels: Vec<Pixel>,
    rgba: Vec<u8>,
    shade: Shade,
    sprites: Vec<Sprite>,
    /// The code of each level, and the level of each code.
    codes: Vec<u8>,
    levels: Vec<u16>,
}

impl Default for Canvas {
    fn default() -> Self {
        Self::new()
    }
}

impl Canvas {
    /// An empty canvas, which takes the size of each picture.
    pub fn new() -> Self {
        // The level of the middle of each step.
        let codes = (0..LEVELS).map(|step| color::code((step as f32 + 0.5) / LEVELS as f32));
        Self {
            sides: [0; 2],
            pixels: Vec::new(),
            rgba: Vec::new(),
            shade: Shade::default(),
            sprites: Vec::new(),
            codes: codes.collect(),
            levels: (0..=u8::MAX).map(|code| whole(color::level(code))).collect(),
        }
    }

    /// Draws a picture: its pixels row by row, each red, green, blue and 255. Values that are no numbers and what is outside of the
    /// picture are not drawn; sides past [`MAX_SIDE`] are cut there. The same picture makes the same bytes on every machine.
    pub fn draw(&mut self, picture: &Picture) -> &[u8] {
        self.clear(picture);
        let strokes = picture.texts.iter().flat_map(line::strokes);
        for line in picture.lines.iter().copied().chain(strokes) {
            self.line(&line, picture.background);
        }
        for beam in picture.beams.iter().filter(|beam| beam.light != [0.0; 3]) {
            self.beam(beam);
        }
        let mut last = 0;
        for lamp in &picture.lamps {
            self.lamp(lamp, &mut last);
        }
        self.encode();
        &self.rgba
    }

    fn clear(&mut self, picture: &Picture) {
        self.sides = [picture.width, picture.height].map(|side| side.min(MAX_SIDE));
        let [width, height] = self.sides.map(usize::from);
        let [red, green, blue] = picture.background.map(|code| self.levels[usize::from(code)]);
        self.pixels.clear();
        self.pixels.resize(width * height, [red, green, blue, u16::MAX]);
        self.shade.resize(self.sides[0]);
        if self.sprites.iter().map(Sprite::weights).sum::<usize>() > KEPT_WEIGHTS {
            self.sprites.clear();
        }
    }

    /// Lines cover the background; where they cross, the brighter one is seen.
    fn line(&mut self, line: &Line, background: [u8; 3]) {
        let Self {
            sides,
            pixels,
            levels,
            ..
        } = self;
        let width = usize::from(sides[0]);
        line::pixels(line, *sides, |x, y, cover| {
            let pixel = &mut pixels[y * width + x];
            for channel in 0..3 {
                let [below, above] = [background, line.color].map(|color| f32::from(color[channel]));
                // Between codes, which are even steps to the eye.
                let code = below + (above - below) * cover;
                pixel[channel] = pixel[channel].max(levels[usize::from((code + 0.5) as u8)]);
            }
        });
    }

    fn lamp(&mut self, lamp: &Lamp, last: &mut usize) {
        let size = Sprite::size(lamp);
        if !self
            .sprites
            .get(*last)
            .is_some_and(|sprite| sprite.has_size(size))
        {
            let known = self.sprites.iter().position(|sprite| sprite.has_size(size));
            *last = known.unwrap_or_else(|| {
                self.sprites.push(Sprite::new(size));
                self.sprites.len() - 1
            });
        }
        if lamp.at.iter().any(|at| at.is_nan()) {
            return;
        }
        let Some(placed) = self.sprites[*last].placed(lamp.at, self.sides) else {
            return;
        };
        let light = pixel(lamp.drawn().map(|level| level + BODY));
        let width = usize::from(self.sides[0]);
        let pixels = &mut self.pixels[placed.row * width + placed.column..];
        add(pixels, width, &placed, &pair(light));
    }

    fn beam(&mut self, beam: &Beam) {
        let light = pair(pixel(beam.light.map(color::clamped)));
        let width = usize::from(self.sides[0]);
        let Self {
            sides, pixels, shade, ..
        } = self;
        shade.rows(beam, *sides, |row, column, weights| {
            spread(&mut pixels[row * width + column..], weights, &light);
        });
    }

    /// The codes of the levels.
    fn encode(&mut self) {
        self.rgba.resize(self.pixels.len() * 4, 0);
        let (codes, _) = self.codes.as_chunks::<LEVELS>();
        let Some(codes) = codes.first() else { return };
        let (rgba, _) = self.rgba.as_chunks_mut::<4>();
        for (code, pixel) in rgba.iter_mut().zip(&self.pixels) {
            let [red, green, blue, _] = pixel.map(|level| codes[usize::from(level >> 4)]);
            *code = [red, green, blue, u8::MAX];
        }
    }
}

/// A level of 0 to 1 as 0 to 65,535.
fn whole(level: f32) -> u16 {
    (level * 65_535.0) as u16
}

/// A light as levels of a pixel, which keeps its last.
fn pixel([red, green, blue]: [f32; 3]) -> Pixel {
    [whole(red), whole(green), whole(blue), 0]
}

/// Two pixels, which fill a vector of 128 bits.
type Pair = [u16; 8];

/// A light for two pixels.
fn pair([red, green, blue, last]: Pixel) -> Pair {
    [red, green, blue, last, red, green, blue, last]
}

/// Adds light to a rectangle of pixels, `stride` pixels a row, by the weights of a sprite's part. Sums are clamped, so that their order
/// does not matter.
///
/// This and [`spread`] are not inlined, since the compiler vectorises the products only for a light that it reads from memory.
#[inline(never)]
fn add(pixels: &mut [Pixel], stride: usize, part: &Placed<'_>, light: &Pair) {
    for row in 0..part.rows {
        let pixels = &mut pixels[row * stride..][..part.width];
        let weights = &part.weights[row * part.side..][..part.width];
        let (pairs, odd) = pixels.as_flattened_mut().as_chunks_mut::<8>();
        let (weight_pairs, odd_weights) = weights.as_flattened().as_chunks::<8>();
        for (levels, weights) in pairs.iter_mut().zip(weight_pairs) {
            add_pair(levels, weights, light);
        }
        add_each(odd, odd_weights, light);
    }
}

/// Adds light to a row of pixels by a weight each.
#[inline(never)]
fn spread(pixels: &mut [Pixel], weights: &[u16], light: &Pair) {
    let (pairs, odd) = pixels[..weights.len()].as_flattened_mut().as_chunks_mut::<8>();
    let (weight_pairs, odd_weights) = weights.as_chunks::<2>();
    for (levels, [a, b]) in pairs.iter_mut().zip(weight_pairs) {
        add_pair(levels, &[*a, *a, *a, *a, *b, *b, *b, *b], light);
    }
    for weight in odd_weights {
        add_each(odd, &[*weight; 4], light);
    }
}

fn add_pair(levels: &mut Pair, weights: &Pair, light: &Pair) {
    for channel in 0..8 {
        levels[channel] = levels[channel].saturating_add(part(weights[channel], light[channel]));
    }
}

fn add_each(levels: &mut [u16], weights: &[u16], light: &Pair) {
    for ((level, weight), light) in levels.iter_mut().zip(weights).zip(light) {
        *level = level.saturating_add(part(*weight, *light));
    }
}

/// A weight's share of a level.
fn part(weight: u16, level: u16) -> u16 {
    ((u32::from(weight) * u32::from(level)) >> 16) as u16
}
