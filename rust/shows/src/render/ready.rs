//! A scene that is laid out for a rig.

use super::Renderer;
use crate::Moment;
use crate::blend::{Blend, Split};
use crate::effect::{Block, Motion, Mover, Painter, Rgb, Values};
use crate::layer::{Attribute, Layer};
use crate::look::{Head, Look};
use crate::modulator::{Envelope, Source, Target};
use crate::number::{LANES, Lanes, mix, unit};
use crate::scene::Scene;

/// A layer with what does not change from frame to frame.
#[derive(Clone, Debug)]
pub(crate) struct ReadyLayer {
    layer: Layer,
    along: Vec<Lanes>,
    /// 1 for the elements that it shows on; empty for all.
    mask: Vec<Lanes>,
    /// Its fixtures, with their places among them.
    fixtures: Vec<(u32, f32)>,
    /// One per modulator.
    envelopes: Vec<Envelope>,
}

impl ReadyLayer {
    pub(crate) fn new(layer: &Layer, along: Vec<Lanes>, mask: Vec<Lanes>, fixtures: Vec<(u32, f32)>) -> Self {
        let modulators = layer.modulators.iter();
        Self {
            layer: layer.clone(),
            along,
            mask,
            fixtures,
            envelopes: modulators
                .map(|modulator| Envelope::new(modulator.attack(), modulator.release()))
                .collect(),
        }
    }

    /// The opacity and the parameters at a moment.
    fn modulated(&self, moment: Moment) -> (f32, Values) {
        let effect = &self.layer.effect;
        let mut opacity = self.layer.opacity();
        let mut values = *effect.values();
        for (modulator, envelope) in self.layer.modulators.iter().zip(&self.envelopes) {
            let added = modulator.amount() * modulator.value(envelope, effect.seed, moment);
            match modulator.target() {
                Target::Opacity => opacity += added,
                Target::Parameter(index) => values[index] += added,
            }
        }
        // The sums are cut off once, so that the order of modulators does not matter.
        for (value, parameter) in values.iter_mut().zip(effect.kind().parameters()) {
            *value = value.clamp(parameter.low, parameter.high);
        }
        (unit(opacity), values)
    }

    fn move_heads(&self, mover: &Mover, opacity: f32, renderer: &Renderer, heads: &mut [Head]) {
        for &(fixture, rank) in &self.fixtures {
            let head = &mut heads[fixture as usize];
            match mover.motion(fixture, rank, &renderer.places[fixture as usize].aim) {
                Motion::Position([pan, tilt]) => {
                    head.pan = mix(head.pan, pan, opacity);
                    head.tilt = mix(head.tilt, tilt, opacity);
                }
                Motion::Gobo(gobo) => head.gobo = gobo,
            }
        }
    }

    /// Amber and ultraviolet light over that below.
    fn add_special(&self, values: &Values, opacity: f32, look: &mut Look) {
        let planes = [
            (Attribute::Amber, &mut look.amber),
            (Attribute::Ultraviolet, &mut look.ultraviolet),
        ];
        for (index, (attribute, plane)) in planes.into_iter().enumerate() {
            if self.layer.is_touching(attribute) {
                let level = values[0] * values[index + 1];
                for (block, chunk) in plane.chunks_mut(LANES).enumerate() {
                    let opacities = self.opacities(block, opacity);
                    for (value, opacity) in chunk.iter_mut().zip(opacities) {
                        *value = self.layer.blend.level(*value, level, opacity);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn opacities(&self, block: usize, opacity: f32) -> Lanes {
        match self.mask.get(block) {
            Some(mask) => mask.map(|shown| shown * opacity),
            None => [opacity; LANES],
        }
    }
}

/// A layer that paints in this frame.
#[derive(Clone, Debug)]
struct Coat {
    layer: usize,
    painter: Painter,
    opacity: f32,
}

/// A scene that is laid out for the rig of a [`Renderer`].
#[derive(Clone, Debug)]
pub struct ReadyScene {
    master: f32,
    layers: Vec<ReadyLayer>,
    /// Whether colour and intensity are apart.
    is_split: bool,
    /// Room for the coats of a frame.
    coats: Vec<Coat>,
}

impl ReadyScene {
    pub(crate) fn new(scene: &Scene, layers: Vec<ReadyLayer>) -> Self {
        let mut enabled = scene.layers.iter().filter(|layer| layer.is_enabled);
        Self {
            master: scene.master(),
            is_split: enabled.any(Layer::splits),
            coats: Vec::with_capacity(layers.len()),
            layers,
        }
    }

    /// The envelopes of the modulators that follow something that is no oscillator.
    pub(crate) fn envelopes(&mut self) -> impl Iterator<Item = (Source, &mut Envelope)> {
        self.layers.iter_mut().flat_map(|ready| {
            let sources = ready.layer.modulators.iter().map(|modulator| modulator.source());
            sources.zip(&mut ready.envelopes)
        })
    }

    /// Renders a frame at a level, 0 to 1, into a look of the rig's size. It needs no memory.
    pub fn render(&mut self, renderer: &Renderer, moment: Moment, level: f32, look: &mut Look) {
        look.heads.fill(Head::default());
        look.amber.fill(0.0);
        look.ultraviolet.fill(0.0);
        self.coats.clear();
        for (index, ready) in self.layers.iter().enumerate() {
            let effect = &ready.layer.effect;
            let (opacity, values) = ready.modulated(moment);
            if !ready.layer.is_enabled || opacity == 0.0 {
                continue;
            }
            if let Some(mover) = Mover::new(effect, &values, moment) {
                ready.move_heads(&mover, opacity, renderer, &mut look.heads);
            }
            if let Some(painter) = Painter::new(effect, &values, renderer.extents, moment) {
                ready.add_special(&values, opacity, look);
                self.coats.push(Coat {
                    layer: index,
                    painter,
                    opacity,
                });
            }
        }
        for plane in [&mut look.amber, &mut look.ultraviolet] {
            plane
                .iter_mut()
                .for_each(|value| *value = *value * self.master * level);
        }
        let planes = look.red.chunks_mut(LANES).zip(look.green.chunks_mut(LANES));
        for (index, ((red, green), blue)) in planes.zip(look.blue.chunks_mut(LANES)).enumerate() {
            let light = if self.is_split {
                self.split_block(renderer, index)
            } else {
                self.block(renderer, index)
            };
            for (plane, light) in [(red, &light.red), (green, &light.green), (blue, &light.blue)] {
                for (value, light) in plane.iter_mut().zip(light) {
                    *value = light * self.master * level;
                }
            }
        }
    }

    /// Paints each coat of a block.
    #[inline(always)]
    fn paint(&self, renderer: &Renderer, index: usize, mut coat: impl FnMut(&ReadyLayer, &Rgb, &Lanes)) {
        let mut top = Rgb::BLACK;
        for Coat {
            layer,
            painter,
            opacity,
        } in &self.coats
        {
            let ready = &self.layers[*layer];
            let block = Block {
                places: [0, 1, 2].map(|axis: usize| &renderer.axes[axis][index]),
                fixtures: &renderer.fixtures[index],
                along: &ready.along[index],
            };
            painter.paint(&block, &mut top);
            coat(ready, &top, &ready.opacities(index, *opacity));
        }
    }

    fn block(&self, renderer: &Renderer, index: usize) -> Rgb {
        let mut light = Rgb::BLACK;
        self.paint(renderer, index, |ready, top, opacities| {
            if ready.layer.is_touching(Attribute::Color) {
                ready.layer.blend.apply(&mut light, top, opacities);
            }
        });
        light
    }

    fn split_block(&self, renderer: &Renderer, index: usize) -> Rgb {
        let mut split = Split::DARK;
        self.paint(renderer, index, |ready, top, opacities| {
            let blend: Blend = ready.layer.blend;
            let touches = [Attribute::Color, Attribute::Intensity].map(|each| ready.layer.is_touching(each));
            match touches {
                [true, true] => split.light(blend, top, opacities),
                [true, false] => split.tint(blend, top, opacities),
                [false, true] => split.lift(top, opacities),
                [false, false] => {}
            }
        });
        split.product()
    }
}
