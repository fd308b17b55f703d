//! A scene that is laid out for a rig.

use super::Renderer;
use super::layout::Selected;
use crate::Moment;
use crate::blend::{Blend, Split};
use crate::effect::{Block, EffectKind, Motion, Mover, Painter, Rgb, Values};
use crate::layer::{Attribute, Layer};
use crate::look::{Head, Look};
use crate::modulator::{Envelope, Modulator, Source, Target};
use crate::number::{LANES, Lanes, least, mix, most, unit};
use crate::scene::Scene;
use std::sync::Arc;

/// A layer with what does not change from frame to frame.
#[derive(Clone, Debug)]
pub(crate) struct ReadyLayer {
    layer: Layer,
    along: Arc<[Lanes]>,
    selected: Arc<Selected>,
    /// Where the heads of one that follows were, one per fixture of it.
    was: Vec<Head>,
    /// One per modulator.
    envelopes: Vec<Envelope>,
}

impl ReadyLayer {
    pub(super) fn new(layer: &Layer, along: Arc<[Lanes]>, selected: Arc<Selected>) -> Self {
        let modulators = layer.modulators.iter();
        let follows = layer.effect.kind() == EffectKind::Follow;
        let count = if follows { selected.fixtures.len() } else { 0 };
        Self {
            layer: layer.clone(),
            along,
            selected,
            was: vec![Head::default(); count],
            envelopes: modulators
                .map(|modulator| Envelope::new(modulator.attack(), modulator.release()))
                .collect(),
        }
    }

    /// Goes on from a layer that is replaced by this one: modulators that are the same, and the heads that both move.
    fn go_on_from(&mut self, before: &Self) {
        let modulators = self.layer.modulators.iter().zip(&before.layer.modulators);
        let envelopes = self.envelopes.iter_mut().zip(&before.envelopes);
        for ((modulator, was), (envelope, level)) in modulators.zip(envelopes) {
            let course =
                |modulator: &Modulator| (modulator.source(), modulator.attack(), modulator.release());
            if course(modulator) == course(was) {
                *envelope = *level;
            }
        }
        if self.selected.fixtures == before.selected.fixtures && self.was.len() == before.was.len() {
            self.was.copy_from_slice(&before.was);
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

    fn move_heads(&mut self, mover: &Mover, opacity: f32, renderer: &Renderer, heads: &mut [Head]) {
        for (index, &(place, rank)) in self.selected.fixtures.iter().enumerate() {
            let head = &mut heads[place as usize];
            let was = self.was.get(index).copied().unwrap_or_default();
            match mover.motion(place, rank, &renderer.rig[place as usize], was) {
                Motion::Position([pan, tilt]) => {
                    if let Some(was) = self.was.get_mut(index) {
                        (was.pan, was.tilt) = (pan, tilt);
                    }
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
        match self.selected.mask.get(block) {
            Some(mask) => mask.map(|shown| shown * opacity),
            None => [opacity; LANES],
        }
    }
}

/// An angle within a range about the middle.
pub(crate) fn within(angle: f32, range: f32) -> f32 {
    least(most(angle, -range / 2.0), range / 2.0)
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

    /// Goes on from a scene that is replaced by this one, layer by layer in their order.
    pub(crate) fn go_on_from(&mut self, before: &Self) {
        for (ready, before) in self.layers.iter_mut().zip(&before.layers) {
            ready.go_on_from(before);
        }
    }

    /// Renders a frame at a level, 0 to 1, into a look of the rig's size. It needs no memory.
    pub fn render(&mut self, renderer: &Renderer, moment: Moment, level: f32, look: &mut Look) {
        look.heads.fill(Head::default());
        look.amber.fill(0.0);
        look.ultraviolet.fill(0.0);
        self.coats.clear();
        for (index, ready) in self.layers.iter_mut().enumerate() {
            let (opacity, values) = ready.modulated(moment);
            if !ready.layer.is_enabled || opacity == 0.0 {
                continue;
            }
            if let Some(mover) = Mover::new(&ready.layer.effect, &values, moment) {
                ready.move_heads(&mover, opacity, renderer, &mut look.heads);
            }
            let effect = &ready.layer.effect;
            if let Some(painter) = Painter::new(effect, &values, renderer.extents, moment) {
                ready.add_special(&values, opacity, look);
                self.coats.push(Coat {
                    layer: index,
                    painter,
                    opacity,
                });
            }
        }
        // No head goes beyond its range, and what does not turn stays.
        for (head, fixture) in look.heads.iter_mut().zip(&renderer.rig) {
            head.pan = within(head.pan, fixture.mode.pan);
            head.tilt = within(head.tilt, fixture.mode.tilt);
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

    /// The lowest and the highest pan of each head as far as the movements say it, for a rig whose heads are now at these.
    pub(crate) fn pans(&self, moment: Moment, heads: &[Head], pans: &mut [[f32; 2]]) {
        for (pans, head) in pans.iter_mut().zip(heads) {
            *pans = [head.pan; 2];
        }
        for ready in self.layers.iter().filter(|ready| ready.layer.is_enabled) {
            let (opacity, values) = ready.modulated(moment);
            let mover = Mover::new(&ready.layer.effect, &values, moment).filter(|_| opacity > 0.0);
            let Some([low, high]) = mover.and_then(|mover| mover.pans()) else {
                continue;
            };
            for &(place, _) in &ready.selected.fixtures {
                let pans = &mut pans[place as usize];
                *pans = [least(pans[0], low), most(pans[1], high)];
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
