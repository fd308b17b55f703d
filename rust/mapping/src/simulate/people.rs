//! People who walk through the picture.

use super::random::Random;

/// A person: a body and a head that cover what is behind them.
#[derive(Clone, Debug)]
pub(super) struct Person {
    /// The middle in pixels at time 0, and its speed in pixels a second.
    x: f32,
    speed: f32,
    y: f32,
    /// Half of the width and of the height in pixels.
    half: [f32; 2],
    /// The light of the clothes.
    level: f32,
    sway: f32,
}

impl Person {
    pub(super) fn new(random: &mut Random, width: u32, height: u32) -> Self {
        let tall = random.within(0.12, 0.32) * height as f32;
        let leftwards = if random.unit() < 0.5 { -1.0 } else { 1.0 };
        Self {
            x: random.unit() * width as f32,
            speed: leftwards * random.within(0.05, 0.5) * width as f32,
            y: height as f32 * random.within(0.35, 0.9),
            half: [tall * random.within(0.12, 0.2), tall / 2.0],
            level: if random.unit() < 0.6 {
                random.within(0.0, 0.08)
            } else {
                random.within(0.2, 0.6)
            },
            sway: random.within(1.5, 4.0),
        }
    }

    /// Covers what is behind the person at a time in seconds.
    pub(super) fn cover(&self, pixels: &mut [f32], width: usize, seconds: f64) {
        let height = pixels.len() / width;
        let sway = libm::sin(seconds * f64::from(self.sway) * std::f64::consts::TAU / 2.0) as f32;
        let span = width as f32 + 4.0 * self.half[0];
        let x = (self.x + self.speed * seconds as f32).rem_euclid(span) - 2.0 * self.half[0];
        let y = self.y + 0.03 * self.half[1] * sway;
        let parts = [
            ([x, y + 0.15 * self.half[1]], [self.half[0], self.half[1] * 0.85]),
            ([x + sway, y - 0.85 * self.half[1]], [self.half[0] * 0.6; 2]),
        ];
        for (middle, half) in parts {
            let rows = (middle[1] - half[1]).max(0.0) as usize
                ..((middle[1] + half[1]).max(0.0) as usize).min(height);
            for row in rows {
                let dy = (row as f32 - middle[1]) / half[1];
                let reach = half[0] * (1.0 - dy * dy).max(0.0).sqrt();
                let from = (middle[0] - reach).max(0.0) as usize;
                let to = ((middle[0] + reach).max(0.0) as usize).min(width);
                for (column, pixel) in pixels[row * width..][..width]
                    .iter_mut()
                    .enumerate()
                    .take(to)
                    .skip(from)
                {
                    // Folds of clothes.
                    let fold = 1.0 + 0.25 * (((column as f32 - x) * 0.6).rem_euclid(4.0) - 2.0) / 2.0;
                    *pixel = self.level * fold;
                }
            }
        }
    }
}
