// Pitch and formants of a voice: figures, the last seconds, and the place of the vowel.

import { figure, fixed, h, plot, say, trace, unheard } from "./dom.js";
import { readVoice } from "./readings.js";

const SECONDS = 8;
const [LOWEST, HIGHEST] = [60, 1100];
const PITCHES = [100, 200, 400, 800];
/** The vowel chart: F2 from right to left, F1 from top to bottom, in Hz. */
const [F1, F2] = [[200, 1000], [600, 2800]];
/** Average formants of men's, women's and children's vowels lie around these. */
const VOWELS = [["i", 300, 2500], ["e", 450, 2200], ["ɛ", 600, 1950], ["a", 850, 1500], ["ɔ", 600, 950], ["o", 450, 850], ["u", 320, 800]];
const TRAIL = 40;

export function voice(app) {
  const { link } = app;
  const figures = { pitch: figure("Pitch", "Hz"), f1: figure("F1", "Hz"), f2: figure("F2", "Hz"), f3: figure("F3", "Hz"), hnr: figure("Harmonics to noise", "dB"), level: figure("Level", "dBFS") };
  const history = [];
  const along = (value, [low, high]) => Math.log(value / low) / Math.log(high / low);

  const pitches = plot("Pitch of the last seconds", 220, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    context.font = "12px Roboto, sans-serif";
    context.fillStyle = "#a8aeaf";
    const y = (pitch) => height * (1 - along(pitch, [LOWEST, HIGHEST]));
    for (const pitch of PITCHES) {
      context.fillRect(0, y(pitch), width, 0.5);
      context.fillText(`${pitch} Hz`, 4, y(pitch) - 4);
    }
    const { now } = link;
    if (!history.length) unheard(context, width, height, link);
    trace(context, history.filter(({ pitch }) => pitch > 0), ({ time, pitch }) => [width * (1 - (now - time) / (1000 * SECONDS)), y(pitch)]);
  });
  const vowels = plot("Vowel chart, the first formant down and the second to the left", 260, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    const point = (f1, f2) => [width * (1 - along(f2, F2)), height * along(f1, F1)];
    context.font = "500 20px Roboto, sans-serif";
    context.fillStyle = "#a8aeaf";
    for (const [name, f1, f2] of VOWELS) context.fillText(name, ...point(f1, f2));
    if (!history.length) unheard(context, width, height, link);
    const trail = history.filter((each) => each.pitch > 0 && each.f1 > 0 && each.f2 > 0).slice(-TRAIL);
    trail.forEach(({ f1, f2 }, place) => {
      context.globalAlpha = (place + 1) / trail.length;
      context.fillStyle = "#d0a5ff";
      context.beginPath();
      context.arc(...point(f1, f2), place === trail.length - 1 ? 8 : 4, 0, 7);
      context.fill();
    });
    context.globalAlpha = 1;
  });

  return {
    title: "Voice", lead: "Pitch, formants and the purity of a voice, as it speaks or sings.",
    topics: ["voice"], courses: ["voice"],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" }, h("div", { class: "figures" }, Object.values(figures).map((each) => each.element)), pitches.canvas),
      h("section", { class: "card wide" }, h("h2", {}, "Vowel"), vowels.canvas,
        h("p", { class: "note" }, "Signs of the phonetic alphabet stand where average voices have these vowels.")))],
    draw(fresh) {
      for (const value of fresh.voice) {
        const { pitch, formants: [f1, f2] } = readVoice(value);
        history.push({ time: value.time, pitch, f1, f2, colour: "#58e69a" });
      }
      while (history[0]?.time < link.now - 1000 * SECONDS) history.shift();
      const newest = fresh.voice.at(-1);
      if (newest) {
        const { pitch, formants: [f1, f2, f3], hnr, level } = readVoice(newest);
        const isVoiced = pitch > 0;
        for (const [name, number] of Object.entries({ pitch, f1, f2, f3 })) say(figures[name].output, isVoiced && number > 0 ? fixed(number, name === "pitch" ? 1 : 0) : "–");
        say(figures.hnr.output, isVoiced ? fixed(hnr) : "–");
        say(figures.level.output, fixed(level));
      }
      pitches.draw();
      vowels.draw();
    },
  };
}
