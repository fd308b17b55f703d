// The sound level meter: a number, its class, and the last minute.

import { figure, fixed, h, plot, say, segments, unheard } from "./dom.js";
import { decibels, fillBar, FULL, readMeter, ZONES } from "./readings.js";

const FILLS = ["#7cc6fe", "#58e69a", "#d0a5ff", "#ffc689", "#ea6552"];
const MINUTE = 60000;

/** Whether the big number is the level, and not the display scale: as it was when the screen was left. */
let showsLevel = false;

export function meter(app) {
  const { link } = app;
  const history = [];
  let [announced, newest] = [-Infinity, null];
  const number = h("output", {}, "–");
  const unit = h("span", { class: "unit" });
  const scale = segments("Big number", [{ id: "display", name: "0 to 120" }, { id: "level", name: "dB" }], (id) => {
    showsLevel = id === "level";
    showScale();
  });
  const showScale = () => {
    const { weighting } = link.states.meter ?? {};
    scale.set(showsLevel ? "level" : "display");
    number.setAttribute("aria-label", showsLevel ? "Level" : "Display value, 0 to 120");
    say(unit, showsLevel && link.states.meter ? `${decibels(link.states.meter)}(${weighting})` : "");
    if (newest) say(number, fixed(showsLevel ? newest.level : newest.display, 0));
  };
  const zone = h("span", { class: "chip" }, "–");
  const fill = h("i");
  const bar = h("div", { class: "bar", role: "meter", "aria-label": "Level", "aria-valuemin": "0", "aria-valuemax": String(FULL), "aria-valuenow": "0" }, fill);
  const calibrated = h("p", { class: "note" }, "");
  const figures = { level: figure("Level", "dB"), equivalent: figure("Leq", "dB"), minimum: figure("Minimum", "dB"), maximum: figure("Maximum", "dB"), peak: figure("Peak, C", "dB"), loudness: figure("Momentary loudness", "LUFS") };
  const set = (change) => app.attempt(() => link.act("meter/set", change));
  // Of the device that is heard, and of no other one.
  const calibrate = (action, argument) => app.attempt(async () => {
    await link.act(action, argument);
    const { device, offset } = link.states.meter;
    if (device !== null) app.session.moved(`meter/${device}`, [[0, offset]]);
  });
  const weighting = segments("Frequency weighting", [..."ACZ"].map((id) => ({ id, name: id })), (value) => set({ weighting: value }));
  const time = segments("Time weighting", [{ id: "F", name: "Fast" }, { id: "S", name: "Slow" }], (value) => set({ time: value }));
  const reference = h("input", { type: "number", id: "reference", value: "94", min: "0", max: "160", step: "0.1" });
  const minute = plot("Levels of the last minute, coloured by their class", 160, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    context.fillStyle = "#a8aeaf";
    context.font = "12px Roboto, sans-serif";
    for (const value of [30, 60, 90]) {
      context.fillRect(0, height * (1 - value / FULL), width, 0.5);
      context.fillText(String(value), 4, height * (1 - value / FULL) - 4);
    }
    if (!history.length) unheard(context, width, height, link);
    const { now } = link;
    const step = Math.max(2, width / 600);
    for (const { time, display, zone } of history) {
      context.fillStyle = FILLS[zone] ?? FILLS[0];
      const top = height * (1 - display / FULL);
      context.fillRect(width * (1 - (now - time) / MINUTE), top, step, height - top);
    }
  });

  return {
    title: "Noise meter", lead: "A sound level meter by IEC 61672. Its classes are those of the display scale, 0 to 120.",
    topics: ["meter"], courses: ["meter"],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" },
        h("div", { class: "hero" }, h("span", {}, number, unit), zone, h("div", { class: "row" }, scale.element, weighting.element, time.element,
          h("button", { type: "button", onclick: () => app.attempt(async () => { history.length = 0; await link.act("meter/reset"); }) }, "Reset"))),
        bar, minute.canvas,
        h("div", { class: "figures" }, Object.values(figures).map((each) => each.element))),
      h("section", { class: "card wide" }, h("h2", {}, "Calibration"), calibrated,
        h("div", { class: "row" }, h("label", { for: "reference" }, "The level now is, in dB"), reference,
          h("button", { type: "button", onclick: () => calibrate("meter/calibrate", { level: reference.valueAsNumber }) }, "Calibrate"),
          h("button", { type: "button", onclick: () => calibrate("meter/set", { calibrated: false }) }, "Forget")), app.session.bar("meter/")))],
    state(name, state) {
      if (name !== "meter") return;
      weighting.set(state.weighting);
      time.set(state.time);
      showScale();
      for (const each of [figures.level, figures.equivalent, figures.minimum, figures.maximum, figures.peak]) say(each.unit, decibels(state));
      say(calibrated, state.offset === null ? "Not calibrated: levels are relative to full scale." : `Calibrated: full scale is ${fixed(state.offset)} dB.`);
    },
    draw(fresh) {
      const readings = fresh.meter.map((value) => ({ time: value.time, ...readMeter(value) }));
      history.push(...readings);
      while (history[0]?.time < link.now - MINUTE) history.shift();
      const reading = readings.at(-1);
      if (reading) {
        newest = reading;
        showScale();
        say(zone, ZONES[reading.zone]);
        zone.dataset.class = reading.zone;
        for (const [name, { output }] of Object.entries(figures)) say(output, fixed(reading[name]));
        fillBar(fill, reading.display / FULL);
        if (reading.time - announced > 1000) {
          announced = reading.time;
          bar.setAttribute("aria-valuenow", fixed(reading.display, 0).replace("−", "-"));
          bar.setAttribute("aria-valuetext", `${fixed(reading.display, 0)}, ${ZONES[reading.zone]}`);
        }
      }
      minute.draw();
    },
  };
}
