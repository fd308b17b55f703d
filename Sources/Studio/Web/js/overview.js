// A card for each engine.

import { figure, fixed, h, say } from "./dom.js";
import { sourceName } from "./sound.js";
import { readMeter, ZONES } from "./meter.js";
import { readPrices } from "./ticker.js";

/** Updates a second of all demo prices together. */
const RATE = 100;

export function overview(app) {
  const { link, browserSound } = app;
  const updates = figure("Updates received", "", "n");
  const rate = figure("Updates a second", "/s", "rate");
  const peak = figure("Strongest frequency", "Hz", "peak");
  const via = figure("Source", "", "via");
  const sent = figure("Samples sent", "", "sent");
  const level = figure("Level", "dB");
  const tempo = figure("Tempo", "BPM");
  const peers = figure("Other programs", "");
  const lights = figure("Show", "");
  const zone = h("span", { class: "chip" }, "–");
  let counted = null;
  const start = h("button", { type: "button", class: "primary", onclick: () => app.attempt(async () => {
    if (link.states.ticker?.running) return link.act("ticker/stop");
    counted = null;
    const symbols = link.states.ticker.symbols;
    await link.act("ticker/start", { symbols, rate: RATE / symbols.length });
  }) }, "Start");
  const listen = h("button", { type: "button", onclick: () => app.attempt(() => browserSound.openMicrophone(link)) }, "Listen");
  const demo = h("button", { type: "button", onclick: () => app.attempt(() => link.act("sound/select", { kind: "demo" })) }, "Demo tone");
  const open = (path, name) => h("a", { href: `#/${path}`, class: "note" }, name);
  const card = (title, ...children) => h("section", { class: "card" }, h("h2", {}, title), ...children);

  return {
    title: "Overview", lead: "Every engine of Rustle, live from this server.",
    topics: ["prices", "spectrum", "meter", "tempo"],
    elements: [h("div", { class: "cards" },
      card("Prices", h("div", { class: "figures" }, updates.element, rate.element), h("div", { class: "row spread" }, start, open("prices", "Open prices"))),
      card("Sound", h("div", { class: "figures" }, via.element, peak.element, sent.element), h("div", { class: "row spread" }, h("div", { class: "row" }, listen, demo), open("spectrum", "Open the spectrum"))),
      card("Noise", h("div", { class: "figures" }, level.element), h("div", { class: "row spread" }, zone, open("meter", "Open the meter"))),
      card("Tempo", h("div", { class: "figures" }, tempo.element, peers.element), h("div", { class: "row spread" }, open("tempo", "Open tempo"))),
      card("Lights", h("div", { class: "figures" }, lights.element), h("div", { class: "row spread" }, open("lights", "Open the lights"))))],
    state(name, state) {
      if (name === "ticker") {
        say(start, state.running ? "Stop" : "Start");
        if (!state.running) say(rate.output, "–");
      }
      if (name === "sound") say(via.output, sourceName(state, app));
      if (name === "tempo") say(peers.output, String(state.peers));
      if (name === "lights") say(lights.output, state.running ? (state.armed ? "On stage" : "Playing, not sent") : "Stopped");
    },
    draw() {
      const { prices, spectrum, meter: metered, tempo: beats } = link.values;
      if (prices && link.states.ticker?.running) {
        const total = readPrices(prices).reduce((sum, { count }) => sum + count, 0);
        if (!counted || total < counted.total) counted = { total, at: prices.at };
        say(updates.output, String(total));
        if (prices.at - counted.at > 1000) {
          say(rate.output, String(Math.round(1000 * (total - counted.total) / (prices.at - counted.at))));
          counted = { total, at: prices.at };
        }
      }
      if (spectrum) say(peak.output, spectrum.view.getFloat32(12, true) > -90 ? fixed(spectrum.view.getFloat32(8, true)) : "–");
      if (metered) {
        const reading = readMeter(metered);
        say(level.output, fixed(reading.level));
        say(zone, ZONES[reading.zone]);
        zone.dataset.class = reading.zone;
      }
      if (beats) say(tempo.output, fixed(beats.view.getFloat64(8, true)));
      say(sent.output, String(browserSound.sent));
    },
  };
}
