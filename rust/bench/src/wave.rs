//! The WAV files that the evaluations in `peers/` write: one channel of 16 bits.

use std::error::Error;
use std::path::Path;

/// The sample rate and the samples of a file.
pub(crate) fn read(path: &Path) -> Result<(u32, Vec<f32>), Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let mut rest = bytes
        .get(12..)
        .ok_or("expected a WAV file, got fewer than 12 bytes")?;
    let mut rate = None;
    while let [a, b, c, d, e, f, g, h, body @ ..] = rest {
        let size = u32::from_le_bytes([*e, *f, *g, *h]) as usize;
        let chunk = &body[..size.min(body.len())];
        match &[*a, *b, *c, *d] {
            b"fmt " => match chunk {
                [1, 0, 1, 0, w, x, y, z, _, _, _, _, _, _, 16, 0, ..] => {
                    rate = Some(u32::from_le_bytes([*w, *x, *y, *z]));
                }
                _ => return Err("expected one channel of 16 bit PCM, got another format".into()),
            },
            b"data" => {
                let samples = chunk
                    .chunks_exact(2)
                    .map(|two| i16::from_le_bytes([two[0], two[1]]));
                let samples = samples.map(|x| f32::from(x) / 32_768.0).collect();
                return Ok((rate.ok_or("expected the format before the data")?, samples));
            }
            _ => {}
        }
        rest = body.get(size + size % 2..).unwrap_or(&[]);
    }
    Err("expected a data chunk, got the end of the file".into())
}
