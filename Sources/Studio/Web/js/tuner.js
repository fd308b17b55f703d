// A needle over 50 cents to each side, and what to do.

import { choice, figure, fixed, h, plot, say, svg, trace, unheard } from "./dom.js";
import { readPitch } from "./readings.js";

const DEGREES_PER_CENT = 1.2;
const [X, Y, RADIUS] = [200, 190, 160];
/** Bars of the strobe, and the most that pass in a second: flashes faster than three a second can harm. */
const [BARS, FASTEST] = [16, 3];
/** The milliseconds of the history, and the cents at its edges. */
const [SPAN, EDGE] = [10000, 50];

const METHODS = { harmonic: "Harmonic", yin: "YIN", mpm: "McLeod", hps: "Harmonic product", peak: "Strongest peak" };
/** Whether the strobe is shown: as it was when the screen was left. */
let hasStrobe = false;

export function tuner(app) {
  const { link } = app;
  const at = (cents, radius) => {
    const angle = ((cents * DEGREES_PER_CENT - 90) * Math.PI) / 180;
    return [X + radius * Math.cos(angle), Y + radius * Math.sin(angle)];
  };
  const arc = (from, to, name) => {
    const [start, end] = [at(from, RADIUS), at(to, RADIUS)];
    return svg("path", { class: name, d: `M${start} A${RADIUS} ${RADIUS} 0 0 1 ${end}` });
  };
  const ticks = [-50, -25, 0, 25, 50].map((cents) => {
    const [x, y] = at(cents, RADIUS + 22);
    return svg("text", { x, y: y + 4, class: "tick" }, cents > 0 ? `+${cents}` : String(cents).replace("-", "−"));
  });
  const needle = svg("line", { class: "needle", x1: X, y1: Y, x2: X, y2: Y - RADIUS + 14 });
  const note = h("output", { class: "note-name", "aria-label": "Note" }, "–");
  const cents = h("output", { class: "cents", "aria-label": "Cents" }, "–");
  const guide = h("p", { class: "guide" }, "Play a note");
  const spoken = h("p", { class: "hidden", role: "status" });
  const frequency = figure("Frequency", "Hz");
  const target = figure("Target", "Hz");
  const confidence = figure("Confidence", "%");
  const strings = h("div", { class: "strings", "aria-hidden": "true" });
  const set = (change) => app.attempt(async () => {
    await link.act("tuner/set", change);
    app.session.moved("tuner", Object.entries(change));
  });
  /** Whether somebody is typing the reference. */
  let isTyped = false;
  const reference = h("input", { type: "number", id: "a4", min: "392", max: "466", step: "0.1", 
    oninput: () => { isTyped = true; }, onchange: () => { isTyped = false; set({ a4: reference.valueAsNumber }); } });
  const instrument = choice("Instrument", [], (value) => set({ instrument: value }));
  const method = choice("Method", [], (value) => set({ method: value }));
  const temperament = choice("Temperament", [], (value) => set({ temperament: value }));
  let steady = { text: "", since: 0 };
  let [place, drawn, beat] = [0, performance.now(), null];
  const strobes = h("button", { type: "button", "aria-pressed": "false", onclick: () => showStrobe(!hasStrobe) }, "Strobe");
  const showStrobe = (isShown) => {
    hasStrobe = isShown;
    strobe.canvas.hidden = !isShown;
    strobes.setAttribute("aria-pressed", String(isShown));
  };
  // The bars stand when the note is in tune, and drift to the right when it is sharp.
  const strobe = plot("Strobe: the bars stand still in tune; the cents above say the same", 44, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    if (beat === null) return;
    context.fillStyle = Math.abs(beat) < 0.1 ? "#58e69a" : "#edeeef";
    const step = width / BARS;
    for (let bar = -1; bar < BARS; bar++) context.fillRect((bar + place) * step, 0, step / 2, height);
  });

  showStrobe(hasStrobe);

  const past = [];
  const history = plot("Cents of the last ten seconds; the newest is said above", 110, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    const y = (cents) => height * (0.5 - cents / (2 * EDGE));
    context.fillStyle = "#2c3238";
    context.fillRect(0, y(0) - 0.5, width, 1);
    const { now } = link;
    if (!past.length) unheard(context, width, height, link);
    trace(context, past, ({ time, cents }) => [width * (1 - (now - time) / SPAN), y(Math.max(-EDGE, Math.min(EDGE, cents)))]);
  });

  const show = (value) => {
    const { frequency: hertz, confidence: sure, cents: off, target: goal, hasNote, isInTune, isPolyphonic, string, name } = readPitch(value);
    beat = hasNote ? hertz - goal : null;
    if (hasNote) past.push({ time: value.time, cents: off, colour: isInTune ? "#58e69a" : "#ffc689" });
    needle.style.transform = `rotate(${(hasNote ? Math.max(-55, Math.min(55, off)) : -55) * DEGREES_PER_CENT}deg)`;
    say(note, hasNote ? name : "–");
    say(cents, hasNote ? `${off >= 0.05 ? "+" : ""}${fixed(off)}` : "–");
    // The note is one of them, or a common root: to turn a peg by it would be wrong.
    const advice = !hasNote ? "Play a note" : isPolyphonic ? "Several notes: play one" : isInTune ? "In tune" : off < 0 ? "Turn up" : "Turn down";
    say(guide, advice);
    guide.className = advice === "In tune" ? "guide up" : "guide";
    say(frequency.output, hasNote ? fixed(hertz, 2) : "–");
    say(target.output, hasNote ? fixed(goal, 2) : "–");
    say(confidence.output, fixed(100 * sure, 0));
    [...strings.children].forEach((each, place) => each.classList.toggle("on", place === string));
    // Only what has stayed for a second is read out.
    const text = !hasNote ? "" : isPolyphonic ? "several notes" : `${name}, ${isInTune ? "in tune" : `${fixed(Math.abs(off), 0)} cents ${off < 0 ? "flat" : "sharp"}`}`;
    if (text !== steady.text) steady = { text, since: value.time };
    else if (value.time - steady.since > 1000) say(spoken, text);
  };

  return {
    title: "Tuner", lead: "The nearest note or string, and how far the sound is from it.",
    topics: ["pitch"], courses: ["pitch"],
    elements: [h("section", { class: "card" },
      h("div", { class: "tuner" },
        svg("svg", { viewBox: "0 0 400 215", "aria-hidden": "true" }, arc(-50, 50, "dial"), arc(-2, 2, "dial good"), ...ticks, needle, svg("circle", { cx: X, cy: Y, r: 7, fill: "currentColor" })),
        note, h("p", {}, cents, " cents"), guide, spoken, strings),
      app.session.bar("tuner"), strobe.canvas, history.canvas,
      h("div", { class: "figures" }, frequency.element, target.element, confidence.element),
      h("div", { class: "row" }, instrument.element, temperament.element, method.element, strobes, h("label", { for: "a4" }, "A4 in Hz"), reference))],
    state(name, state) {
      if (name !== "tuner") return;
      instrument.set(state.instruments, state.instrument);
      temperament.set(state.temperaments, state.temperament);
      method.set(state.methods.map((id) => ({ id, name: METHODS[id] ?? id })), state.method);
      if (!isTyped) reference.value = state.a4;
      strings.replaceChildren(...state.strings.map((each) => h("span", {}, each)));
    },
    draw(fresh) {
      for (const value of fresh.pitch) show(value);
      while (past[0]?.time < link.now - SPAN) past.shift();
      const now = performance.now();
      place = (((place + Math.max(-FASTEST, Math.min(FASTEST, beat ?? 0)) * (now - drawn) / 1000) % 1) + 1) % 1;
      drawn = now;
      if (hasStrobe) strobe.draw();
      history.draw();
    },
  };
}
