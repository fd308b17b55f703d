//! How good a result is, by the truth.

use crate::decode::Mapping;
use crate::simulate::Truth;
use serde_json::{Value, json};

/// A fixture this far from its place, in pixels, is not found.
pub const FAR: f64 = 2.0;

/// What a result is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Fixtures with light.
    pub alive: usize,
    /// Of those, the ones that were found within [`FAR`].
    pub found: usize,
    /// Places farther off than that, those of fixtures without light included.
    pub wrong: usize,
    /// Fixtures without light that have a place.
    pub ghosts: usize,
    /// The median of the distances of those found, in pixels, and what 95 % of them are within.
    pub median: f64,
    /// See `median`.
    pub p95: f64,
}

impl Verdict {
    /// The part of fixtures with light that were found; 1 where there are none.
    pub fn recall(&self) -> f64 {
        if self.alive == 0 {
            1.0
        } else {
            self.found as f64 / self.alive as f64
        }
    }

    /// The verdict as JSON.
    pub fn to_json(&self) -> String {
        json!({
            "v": 1, "alive": self.alive, "found": self.found, "recall": self.recall(), "wrong": self.wrong,
            "ghosts": self.ghosts, "median_px": self.median, "p95_px": self.p95,
        })
        .to_string()
    }
}

/// Judges a result by a file of the truth.
///
/// # Errors
/// What is expected and what is there: a text that is no truth, one of another size, or one with fixtures that the result lacks.
pub fn judged(truth: &[u8], mapping: &Mapping) -> Result<Verdict, String> {
    let file = read_truth(truth)?;
    let size = [mapping.width, mapping.height];
    if let Some([width, height]) = file.size.filter(|of| *of != size) {
        return Err(format!(
            "found: expected {width}x{height} pixels, the size of the truth, got {}x{}",
            size[0], size[1]
        ));
    }
    let count = mapping.fixtures.len();
    if let Some(id) = file
        .fixtures
        .iter()
        .map(|truth| truth.id)
        .find(|id| *id as usize >= count)
    {
        return Err(format!(
            "found: expected fixture {id}, which the truth has, got {count} fixtures"
        ));
    }
    Ok(judge(&file.fixtures, mapping))
}

/// Judges a result. Fixtures that the truth lacks have no light.
pub fn judge(truth: &[Truth], mapping: &Mapping) -> Verdict {
    let mut verdict = Verdict {
        alive: truth.iter().filter(|truth| truth.is_alive).count(),
        ..Verdict::default()
    };
    let mut distances = Vec::new();
    for found in &mapping.fixtures {
        let Ok(place) = &found.place else { continue };
        match truth.iter().find(|truth| truth.id == found.id && truth.is_alive) {
            None => {
                verdict.ghosts += 1;
                verdict.wrong += 1;
            }
            Some(truth) => {
                let distance = (truth.at[0] - place.at[0]).hypot(truth.at[1] - place.at[1]);
                if distance <= FAR {
                    distances.push(distance);
                } else {
                    verdict.wrong += 1;
                }
            }
        }
    }
    distances.sort_by(f64::total_cmp);
    verdict.found = distances.len();
    let quantile = |part: f64| {
        distances
            .get(((distances.len() as f64 * part) as usize).min(distances.len().max(1) - 1))
            .copied()
    };
    verdict.median = quantile(0.5).unwrap_or_default();
    verdict.p95 = quantile(0.95).unwrap_or_default();
    verdict
}

/// The truth as JSON of version 1.
pub fn truth_json(truth: &[Truth], width: u32, height: u32) -> String {
    let fixture = |truth: &Truth| {
        json!({"id": truth.id, "alive": truth.is_alive, "x": truth.at[0], "y": truth.at[1]}).to_string()
    };
    let fixtures: Vec<_> = truth.iter().map(fixture).collect();
    format!(
        "{{\"v\":1,\"width\":{width},\"height\":{height},\"fixtures\":[\n{}\n]}}\n",
        fixtures.join(",\n")
    )
}

/// A truth that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthFile {
    /// Its width and height in pixels; None: not stated.
    pub size: Option<[u32; 2]>,
    /// Its fixtures.
    pub fixtures: Vec<Truth>,
}

/// Reads a truth.
///
/// # Errors
/// What is expected and what is there, for a text that is no truth.
pub fn read_truth(json: &[u8]) -> Result<TruthFile, String> {
    let file: Value =
        serde_json::from_slice(json).map_err(|error| format!("truth: expected JSON, got {error}"))?;
    let list = file["fixtures"]
        .as_array()
        .ok_or("fixtures: expected an array, got another value")?;
    let mut all = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let id = value["id"].as_u64().and_then(|id| u32::try_from(id).ok());
        let at = value["x"].as_f64().zip(value["y"].as_f64());
        let (Some(id), Some((x, y))) = (id, at) else {
            return Err(format!("fixtures[{index}]: expected id, x and y, got {value}"));
        };
        all.push(Truth {
            id,
            at: [x, y],
            is_alive: value["alive"].as_bool().unwrap_or(true),
        });
    }
    let side = |name: &str| file[name].as_u64().and_then(|side| u32::try_from(side).ok());
    let size = side("width")
        .zip(side("height"))
        .map(|(width, height)| [width, height]);
    Ok(TruthFile { size, fixtures: all })
}
