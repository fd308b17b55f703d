// A card for each engine.

import { figure, fixed, h, say, speak } from "./dom.js";
import { sourceName } from "./sound.js";
import { changeText, decibels, fillBar, FULL, priceText, readMeter, readPitch, readPrices, readVoice, UpdateRate, ZONES } from "./readings.js";

/** How far below full scale a sound must stay so that no frequency clips, in dB, 0 or less. */
export const headroomOf = ({ response }) => -Math.max(0, ...(response?.left ?? []), ...(response?.right ?? []));

/** Updates per second of all demo prices together. */
const RATE = 100;
const SYMBOLS = ["BTC", "ETH", "SOL"];
/** The prices that there is room for. */
const SHOWN = 3;

export function overview(app) {
  const { link, browserSound } = app;
  const updates = figure("Updates received", "", "n");
  const rate = figure("Updates per second", "/s", "rate");
  const peak = figure("Strongest frequency", "Hz", "peak");
  const via = figure("Source", "", "via");
  const quiet = h("p", { class: "signal", role: "status" });
  const sent = figure("Samples sent", "", "sent");
  const level = figure("Level", "dB");
  const tempo = figure("Tempo", "BPM");
  const peers = figure("Other programs", "");
  const lights = figure("Show", "");
  const note = figure("Note", "");
  const cents = figure("Deviation", "cents");
  const gains = figure("Filters", "");
  const headroom = figure("Headroom", "dB");
  const recording = figure("Recording", "");
  const pitch = figure("Pitch", "Hz");
  const formant = figure("F1", "Hz");
  const zone = h("span", { class: "chip" }, "–");
  const [equivalent, minimum, maximum, fill] = [figure("Leq", "dB"), figure("Minimum", "dB"), figure("Maximum", "dB"), h("i")];
  const quotes = h("ul", { class: "quotes", "aria-label": "Newest prices" });
  let quoted = new Map();
  /** Shows these symbols: their prices come. */
  const quote = (symbols) => {
    if (symbols.join() === [...quoted.keys()].join()) return;
    quoted = new Map(symbols.map((symbol) => [symbol, { price: h("output", { "aria-label": `Price of ${symbol}` }, "–"), change: h("span", {}, "–") }]));
    quotes.replaceChildren(...[...quoted].map(([symbol, { price, change }]) => h("li", {}, h("span", {}, symbol), price, change)));
  };
  const counter = new UpdateRate();
  const start = h("button", { type: "button", class: "primary", onclick: () => app.attempt(async () => {
    if (link.states.ticker?.running) return link.act("ticker/stop");
    counter.reset();
    const symbols = link.states.ticker.symbols.length ? link.states.ticker.symbols : SYMBOLS;
    await link.act("ticker/start", { source: "simulated", symbols, rate: RATE / symbols.length });
  }) }, "Start");
  const listen = h("button", { type: "button", onclick: () => app.attempt(async () => {
    if (!isListening()) return browserSound.openMicrophone(link);
    await browserSound.close();
    await link.act("sound/select", { kind: "none" });
  }) }, "Listen");
  const isListening = () => link.states.sound?.kind === "browser" && link.states.sound.client === link.client;
  const demo = h("button", { type: "button", onclick: () => app.attempt(() => link.act("sound/select", { kind: "demo" })) }, "Demo tone");
  const open = (path, name) => h("a", { href: `#/${path}`, class: "note" }, name);
  const card = (title, ...children) => h("section", { class: "card" }, h("h2", {}, title), ...children);

  return {
    title: "Overview", lead: "Every engine of Rustle, live from this server.",
    topics: ["prices", "spectrum", "meter", "pitch", "voice", "tempo"],
    elements: [h("div", { class: "cards" },
      card("Prices", h("div", { class: "figures" }, updates.element, rate.element), quotes, h("div", { class: "row spread" }, start, open("prices", "Open prices"))),
      card("Sound", h("div", { class: "figures" }, via.element, peak.element, sent.element), quiet, h("div", { class: "row spread" }, h("div", { class: "row" }, listen, demo), open("spectrum", "Open the spectrum"))),
      card("Noise", h("div", { class: "figures" }, level.element, equivalent.element, minimum.element, maximum.element), h("div", { class: "bar", "aria-hidden": "true" }, fill), h("div", { class: "row spread" }, zone, open("meter", "Open the meter"))),
      card("Tuner", h("div", { class: "figures" }, note.element, cents.element), h("div", { class: "row spread" }, open("tuner", "Open the tuner"))),
      card("Equalizer", h("div", { class: "figures" }, gains.element, headroom.element), h("div", { class: "row spread" }, open("equalizer", "Open the equalizer"))),
      card("Recorder", h("div", { class: "figures" }, recording.element), h("div", { class: "row spread" }, open("recorder", "Open the recorder"))),
      card("Voice", h("div", { class: "figures" }, pitch.element, formant.element), h("div", { class: "row spread" }, open("voice", "Open the voice"))),
      card("Tempo", h("div", { class: "figures" }, tempo.element, peers.element), h("div", { class: "row spread" }, open("tempo", "Open tempo"))),
      card("Lights", h("div", { class: "figures" }, lights.element), h("div", { class: "row spread" }, open("lights", "Open the lights"))))],
    state(name, state) {
      if (name === "ticker") {
        say(start, state.running ? "Stop" : "Start");
        if (!state.running) say(rate.output, "–");
        if (state.symbols.length) quote(state.symbols.slice(0, SHOWN));
      }
      if (name === "sound") {
        say(via.output, sourceName(state, app));
        speak(quiet, state.silent && state.kind !== "none" ? "No signal" : "");
        say(listen, isListening() ? "Stop listening" : "Listen");
      }
      if (name === "meter") for (const { unit } of [level, equivalent, minimum, maximum]) say(unit, decibels(state));
      if (name === "equalizer") {
        const isFlat = [...state.left, ...state.right].every((gain) => gain === 0) && state.preamp === 0;
        say(gains.output, state.bypassed ? "Bypassed" : isFlat ? "Flat" : "On");
        say(headroom.output, fixed(headroomOf(state)));
      }
      if (name === "recorder") say(recording.output, state.recording ? (state.paused ? "Paused" : "Running") : "Stopped");
      if (name === "tempo") say(peers.output, String(state.peers));
      if (name === "lights") say(lights.output, state.running ? (state.armed ? "On stage" : "Playing, not sent") : "Stopped");
    },
    draw() {
      const { prices, spectrum, meter: metered, tempo: beats } = link.values;
      if (prices && link.states.ticker?.running) {
        const all = readPrices(prices);
        const total = all.reduce((sum, { count }) => sum + count, 0);
        // Of a feed the symbols come with their prices.
        if (!link.states.ticker.symbols.length) quote(all.slice(0, SHOWN).map(({ symbol }) => symbol));
        for (const each of all) {
          const shown = quoted.get(each.symbol);
          if (!shown) continue;
          say(shown.price, priceText(each, link.states.ticker));
          say(shown.change, changeText(each));
          shown.change.className = each.change >= 0 ? "up" : "down";
        }
        say(updates.output, String(total));
        say(rate.output, fixed(counter.count(total, prices.at), 0));
      }
      if (spectrum) say(peak.output, spectrum.view.getFloat32(12, true) > -90 ? fixed(spectrum.view.getFloat32(8, true)) : "–");
      if (metered) {
        const reading = readMeter(metered);
        say(level.output, fixed(reading.level));
        for (const [each, value] of [[equivalent, reading.equivalent], [minimum, reading.minimum], [maximum, reading.maximum]]) say(each.output, fixed(value));
        fillBar(fill, reading.display / FULL);
        say(zone, ZONES[reading.zone]);
        zone.dataset.class = reading.zone;
      }
      const heard = link.values.pitch && readPitch(link.values.pitch);
      // The note of several is one of them, or a common root.
      const isNote = heard?.hasNote && !heard.isPolyphonic;
      say(note.output, isNote ? heard.name : heard?.hasNote ? "Several" : "–");
      say(cents.output, isNote ? fixed(heard.cents) : "–");
      const spoken = link.values.voice && readVoice(link.values.voice);
      say(pitch.output, spoken?.pitch > 0 ? fixed(spoken.pitch) : "–");
      say(formant.output, spoken?.formants[0] > 0 ? fixed(spoken.formants[0], 0) : "–");
      if (beats) say(tempo.output, fixed(beats.view.getFloat64(8, true)));
      say(sent.output, String(browserSound.sent));
    },
  };
}
