//! The three effects as one would write them first: pixel by pixel, with the standard library's functions.

/// A frame of a gradient, a ring over it as a screen, and noise added to it, as bytes.
pub(super) fn frame(places: &[[f32; 3]], colors: &[[f32; 3]; 2], beats: f64, slots: &mut [u8]) {
    let phase = (beats / 16.0).rem_euclid(1.0) as f32;
    let ring = (beats / 4.0).rem_euclid(1.0) as f32;
    let depth = (beats / 16.0) as f32;
    for (place, slot) in places.iter().zip(slots.chunks_exact_mut(3)) {
        let mut pixel = gradient(colors, place[0] - phase);
        let top = pulse(colors, place, ring);
        let added = line(
            colors,
            (0.5 + 0.75 * noise(place[0] * 3.0, place[2] * 3.0, place[1] * 3.0 + depth)).clamp(0.0, 1.0),
        );
        for channel in 0..3 {
            let screen = 1.0 - (1.0 - pixel[channel]) * (1.0 - top[channel]);
            pixel[channel] = (screen + added[channel]).min(1.0);
            slot[channel] = (pixel[channel] * 255.0).round() as u8;
        }
    }
}

fn line(colors: &[[f32; 3]; 2], share: f32) -> [f32; 3] {
    std::array::from_fn(|channel| colors[0][channel] + (colors[1][channel] - colors[0][channel]) * share)
}

fn gradient(colors: &[[f32; 3]; 2], place: f32) -> [f32; 3] {
    let turn = place.rem_euclid(1.0);
    line(colors, if turn < 0.5 { 2.0 * turn } else { 2.0 - 2.0 * turn })
}

fn pulse(colors: &[[f32; 3]; 2], place: &[f32; 3], phase: f32) -> [f32; 3] {
    let squares: f32 = place.iter().map(|at| (at - 0.5).powi(2)).sum();
    let distance = squares.sqrt() * 2.0_f32.sqrt();
    let radius = -0.25 + 1.5 * phase;
    let near = (1.0 - (distance - radius).abs() / 0.25).clamp(0.0, 1.0);
    let level = near * near * (3.0 - 2.0 * near) * (1.0 - 0.5 * phase);
    line(colors, distance.min(1.0)).map(|value| value * level)
}

/// Gradient noise: a hash per corner of the cell.
fn noise(x: f32, y: f32, z: f32) -> f32 {
    let cell = [x.floor(), y.floor(), z.floor()];
    let [x, y, z] = [x - cell[0], y - cell[1], z - cell[2]];
    let cell = cell.map(|value| value as i32);
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let mut corners = [0.0; 8];
    for (index, corner) in corners.iter_mut().enumerate() {
        let way = [index & 1, index >> 1 & 1, index >> 2];
        let mut bits = 0_u32;
        for axis in 0..3 {
            bits = (bits ^ (cell[axis] + way[axis] as i32) as u32).wrapping_mul(0x9E37_79B9);
        }
        bits = (bits ^ bits >> 15).wrapping_mul(0x85EB_CA6B);
        let [x, y, z] = [x - way[0] as f32, y - way[1] as f32, z - way[2] as f32];
        let sign = |bit: u32| if bits >> bit & 1 == 0 { 1.0 } else { -1.0 };
        *corner = x * sign(31) + y * sign(30) + z * sign(29);
    }
    let [fx, fy, fz] = [fade(x), fade(y), fade(z)];
    let row = |first: usize| mix(corners[first], corners[first + 1], fx);
    mix(mix(row(0), row(2), fy), mix(row(4), row(6), fy), fz)
}
