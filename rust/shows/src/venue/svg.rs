//! A picture as a drawing in SVG.

use super::color::codes;
use super::crowd;
use super::picture::{Beam, Lamp, Picture};
use std::collections::BTreeMap;
use std::fmt::{Arguments, Write};

/// What of a lamp's color is seen at shares of its glow's radius.
const GLOW: [(f32, f32); 4] = [(0.2, 0.6), (0.4, 0.3), (0.7, 0.08), (1.0, 0.0)];
/// What of its color is seen of a beam where it begins and where it ends, and of the pool.
const BEAM: f32 = 0.24;
const BEAM_END: f32 = 0.03;
/// The shares of a beam's width that are drawn over each other, so that it is brightest along its middle.
const SHARES: [f32; 3] = [0.85, 0.62, 0.36];
const POOL: f32 = 0.5;
/// The colour of a dark lamp.
const DARK: [u8; 3] = [40, 41, 52];

/// A plan in SVG (2, with the blend mode of CSS): lines, text, beams and lamps; each fixture is a group with its title. More than
/// 4,096 lamps are an image, and each fixture a rectangle that is not seen, with its title; so are more than 4,096 lit beams.
pub fn svg(picture: &Picture) -> String {
    let mut svg = String::new();
    let Picture { width, height, .. } = picture;
    write(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
        ),
    );
    let is_crowded = picture.lamps.len() > crowd::MOST;
    let lamps = if is_crowded { &[][..] } else { &picture.lamps };
    let mut beams: Vec<&Beam> = picture.beams.iter().filter(|beam| is_lit(beam.light)).collect();
    let are_beams_crowded = beams.len() > crowd::MOST;
    if are_beams_crowded {
        beams.clear();
    }
    let glows = gradients(&mut svg, lamps, &beams);
    let back = hex(picture.background);
    write(
        &mut svg,
        format_args!("<rect width=\"{width}\" height=\"{height}\" fill=\"{back}\"/>\n"),
    );
    svg.push_str("<g stroke-linecap=\"round\">\n");
    for line in &picture.lines {
        let [[x1, y1], [x2, y2]] = [line.from, line.to].map(|at| at.map(pixels));
        let (color, width) = (hex(line.color), pixels(line.width));
        write(
            &mut svg,
            format_args!(
                "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{color}\" stroke-width=\"{width}\"/>\n"
            ),
        );
    }
    svg.push_str("</g>\n<g style=\"mix-blend-mode:screen\">\n");
    for (index, beam) in beams.into_iter().enumerate() {
        draw_beam(&mut svg, index, beam);
    }
    if are_beams_crowded {
        draw_image(
            &mut svg,
            &Picture {
                beams: picture.beams.clone(),
                ..sized(picture)
            },
        );
    }
    svg.push_str("</g>\n");
    if is_crowded {
        draw_crowd(&mut svg, picture);
    } else {
        for (title, fixture) in fixtures(picture) {
            write(&mut svg, format_args!("<g><title>{}</title>", Escaped(title)));
            for lamp in fixture {
                draw_lamp(&mut svg, lamp, &glows);
            }
            svg.push_str("</g>\n");
        }
    }
    for text in &picture.texts {
        let ([x, y], color) = (text.at.map(pixels), hex(text.color));
        let anchor = text.anchor.name();
        // Capitals of common fonts are 0.72 of their size.
        let size = pixels(text.size / 0.72);
        write(
            &mut svg,
            format_args!(
                "<text x=\"{x}\" y=\"{y}\" fill=\"{color}\" font-family=\"sans-serif\" font-size=\"{size}\" text-anchor=\"{anchor}\">{}</text>\n",
                Escaped(&text.text)
            ),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The lamps of each fixture, with its title.
fn fixtures(picture: &Picture) -> impl Iterator<Item = (&str, &[Lamp])> {
    let fixtures = picture.lamps.chunk_by(|one, next| one.fixture == next.fixture);
    fixtures.map(|lamps| {
        let title = picture.titles.get(lamps[0].fixture as usize);
        (title.map_or("", String::as_str), lamps)
    })
}

/// Defines the gradients of the beams and the lamps that are drawn; the ids of the glows by colour.
fn gradients(svg: &mut String, lamps: &[Lamp], beams: &[&Beam]) -> BTreeMap<[u8; 3], usize> {
    let mut glows = BTreeMap::new();
    svg.push_str("<defs>\n");
    for lamp in lamps.iter().filter(|lamp| is_lit(lamp.drawn())) {
        let (count, color) = (glows.len(), codes(lamp.drawn()));
        glows.entry(color).or_insert_with(|| {
            write(svg, format_args!("<radialGradient id=\"g{count}\">"));
            for (at, opacity) in GLOW {
                stop(svg, at, color, opacity);
            }
            svg.push_str("</radialGradient>\n");
            count
        });
    }
    for (index, beam) in beams.iter().enumerate() {
        let ([[x1, y1], [x2, y2]], color) =
            ([beam.from, beam.to].map(|at| at.map(pixels)), codes(beam.light));
        write(
            svg,
            format_args!(
                "<linearGradient id=\"b{index}\" gradientUnits=\"userSpaceOnUse\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\">"
            ),
        );
        stop(svg, 0.0, color, BEAM);
        stop(svg, 1.0, color, BEAM_END);
        svg.push_str("</linearGradient>\n");
        write(svg, format_args!("<radialGradient id=\"p{index}\">"));
        stop(svg, 0.0, color, POOL);
        stop(svg, 1.0, color, 0.0);
        svg.push_str("</radialGradient>\n");
    }
    svg.push_str("</defs>\n");
    glows
}

fn stop(svg: &mut String, at: f32, color: [u8; 3], opacity: f32) {
    let color = hex(color);
    write(
        svg,
        format_args!("<stop offset=\"{at}\" stop-color=\"{color}\" stop-opacity=\"{opacity}\"/>"),
    );
}

fn draw_beam(svg: &mut String, index: usize, beam: &Beam) {
    let [dx, dy] = [0, 1].map(|axis| beam.to[axis] - beam.from[axis]);
    let length = (dx * dx + dy * dy).sqrt();
    if length > 0.0 {
        let [nx, ny] = [-dy / length, dx / length];
        let corner = |at: [f32; 2], half: f32| [at[0] + nx * half, at[1] + ny * half].map(pixels);
        let [near, far] = beam.radii;
        for share in SHARES {
            let corners = [
                corner(beam.from, near * share),
                corner(beam.to, far * share),
                corner(beam.to, -far * share),
                corner(beam.from, -near * share),
            ];
            svg.push_str("<polygon points=\"");
            for [x, y] in corners {
                write(svg, format_args!("{x},{y} "));
            }
            write(svg, format_args!("\" fill=\"url(#b{index})\"/>\n"));
        }
    }
    let ([rx, ry], [cx, cy]) = (beam.pool.map(pixels), beam.to.map(pixels));
    if rx > 0.0 && ry > 0.0 {
        write(
            svg,
            format_args!(
                "<ellipse cx=\"{cx}\" cy=\"{cy}\" rx=\"{rx}\" ry=\"{ry}\" fill=\"url(#p{index})\"/>\n"
            ),
        );
    }
}

/// Lamps as an image, under a rectangle for each fixture.
fn draw_crowd(svg: &mut String, picture: &Picture) {
    draw_image(
        svg,
        &Picture {
            lamps: picture.lamps.clone(),
            ..sized(picture)
        },
    );
    svg.push_str("<g fill-opacity=\"0\">\n");
    for (title, lamps) in fixtures(picture) {
        let [x, y, width, height] = crowd::around(lamps).map(pixels);
        let title = Escaped(title);
        write(
            svg,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"><title>{title}</title></rect>\n"
            ),
        );
    }
    svg.push_str("</g>\n");
}

/// A picture of the size of another one, on black.
fn sized(picture: &Picture) -> Picture {
    Picture {
        width: picture.width,
        height: picture.height,
        ..Picture::default()
    }
}

fn draw_image(svg: &mut String, picture: &Picture) {
    let Picture { width, height, .. } = picture;
    if let Some(image) = crowd::image(picture) {
        write(
            svg,
            format_args!(
                "<image width=\"{width}\" height=\"{height}\" style=\"mix-blend-mode:screen\" href=\"data:image/png;base64,{image}\"/>\n"
            ),
        );
    }
}

fn draw_lamp(svg: &mut String, lamp: &Lamp, glows: &BTreeMap<[u8; 3], usize>) {
    let ([cx, cy], radius, glow) = (lamp.at.map(pixels), pixels(lamp.radius), pixels(lamp.glow));
    let color = codes(lamp.drawn());
    let gradient = glows.get(&color);
    if let Some(gradient) = gradient {
        write(
            svg,
            format_args!(
                "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{glow}\" fill=\"url(#g{gradient})\" style=\"mix-blend-mode:screen\"/>"
            ),
        );
    }
    let color = hex(if gradient.is_some() { color } else { DARK });
    write(
        svg,
        format_args!("<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{radius}\" fill=\"{color}\"/>"),
    );
}

fn is_lit(light: [f32; 3]) -> bool {
    codes(light) != [0; 3]
}

/// Rounded to hundredths; what is no number becomes 0, since SVG has no such lengths.
fn pixels(value: f32) -> f32 {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded.is_finite() { rounded + 0.0 } else { 0.0 }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Writing to a text does not fail.
fn write(svg: &mut String, text: Arguments<'_>) {
    let _ = svg.write_fmt(text);
}

/// Text as XML: without the characters that XML cannot hold, and the others escaped.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                character if character < ' ' => f.write_char('\u{fffd}')?,
                character => f.write_char(character)?,
            }
        }
        Ok(())
    }
}
