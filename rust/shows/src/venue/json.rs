//! A picture as JSON, for other programs that draw it.

use super::picture::Picture;
use serde_json::Value;
use std::fmt::Write;

impl Picture {
    /// The picture as JSON of version 1. Lines are `[x, y, x, y, width, red, green, blue]` with codes of 0 to 255, beams `[fixture, x,
    /// y, x, y, radius, radius, pool, pool, red, green, blue]` and lamps `[fixture, x, y, radius, glow, share, red, green, blue]` with linear
    /// levels of 0 to 1; pixels are rounded to hundredths and levels to thousandths.
    pub fn to_json(&self) -> String {
        let mut json = format!(
            r#"{{"v":1,"width":{},"height":{},"background":"#,
            self.width, self.height
        );
        codes(&mut json, self.background);
        list(&mut json, "lines", &self.lines, |json, line| {
            let [from, to] = [line.from, line.to];
            numbers(json, &[from[0], from[1], to[0], to[1], line.width], 100.0);
            json.pop();
            let [red, green, blue] = line.color;
            write(json, format_args!(",{red},{green},{blue}]"));
        });
        list(&mut json, "texts", &self.texts, |json, text| {
            json.push_str(r#"{"at":"#);
            numbers(json, &text.at, 100.0);
            write(
                json,
                format_args!(
                    r#","size":{},"anchor":"{}","color":"#,
                    rounded(text.size, 100.0),
                    text.anchor.name()
                ),
            );
            codes(json, text.color);
            write(
                json,
                format_args!(r#","text":{}}}"#, Value::from(text.text.as_str())),
            );
        });
        list(&mut json, "beams", &self.beams, |json, beam| {
            write(json, format_args!("[{},", beam.fixture));
            let [from, to, radii, pool] = [beam.from, beam.to, beam.radii, beam.pool];
            inner(
                json,
                &[
                    from[0], from[1], to[0], to[1], radii[0], radii[1], pool[0], pool[1],
                ],
                100.0,
            );
            json.push(',');
            inner(json, &beam.light, 1_000.0);
            json.push(']');
        });
        list(&mut json, "lamps", &self.lamps, |json, lamp| {
            write(json, format_args!("[{},", lamp.fixture));
            inner(json, &[lamp.at[0], lamp.at[1], lamp.radius, lamp.glow], 100.0);
            let [red, green, blue] = lamp.light;
            json.push(',');
            inner(json, &[lamp.share, red, green, blue], 1_000.0);
            json.push(']');
        });
        list(&mut json, "titles", &self.titles, |json, title| {
            write(json, format_args!("{}", Value::from(title.as_str())));
        });
        json.push('}');
        json
    }
}

/// Writing to a text does not fail.
fn write(json: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = json.write_fmt(text);
}

fn list<T>(json: &mut String, name: &str, items: &[T], mut item: impl FnMut(&mut String, &T)) {
    write(json, format_args!(",\"{name}\":["));
    for (index, value) in items.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        item(json, value);
    }
    json.push(']');
}

fn codes(json: &mut String, [red, green, blue]: [u8; 3]) {
    write(json, format_args!("[{red},{green},{blue}]"));
}

fn numbers(json: &mut String, values: &[f32], steps: f32) {
    json.push('[');
    inner(json, values, steps);
    json.push(']');
}

fn inner(json: &mut String, values: &[f32], steps: f32) {
    for (index, value) in values.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write(json, format_args!("{comma}{}", rounded(*value, steps)));
    }
}

/// A value in steps; JSON has no others than finite numbers, so that the others become 0.
fn rounded(value: f32, steps: f32) -> f32 {
    let rounded = (value * steps).round() / steps;
    // The sum makes minus zero zero.
    if rounded.is_finite() { rounded + 0.0 } else { 0.0 }
}
