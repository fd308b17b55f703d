// 14 bands of each channel as sliders and as a curve with handles.

import { choice, figure, fixed, h, plot, say } from "./dom.js";

const [LOW, HIGH, MOST] = [20, 20000, 12];
const [PADDING, PICK] = [22, 26];
const CHANNELS = [["left", "Left", "#7cc6fe"], ["right", "Right", "#ffc689"]];
/** Gains in dB of 8, 16, 32, 64, 128, 256, 512, 1,024, 2,048, 3,072, 4,096, 5,120, 10,240 and 16,384 Hz. */
const PRESETS = {
  "Flat": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  "Bass": [3, 4, 6, 6, 4, 2, 0, 0, 0, 0, 0, 0, 0, 0],
  "Treble": [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 6, 6],
  "Speech": [-12, -12, -9, -6, -3, 0, 1, 2, 3, 3, 3, 2, 0, -3],
  "Small speakers": [-12, -12, -9, 3, 5, 3, 0, 0, 0, 1, 1, 2, 2, 0],
  "Quiet listening": [6, 6, 6, 5, 3, 1, 0, 0, 0, 0, 1, 2, 4, 5],
};
/** Changes of the gains that can be undone. */
const UNDOABLE = 100;

/** How far below full scale a sound must stay so that no frequency clips, in dB, 0 or less. */
export const headroomOf = ({ response }) => -Math.max(0, ...(response?.left ?? []), ...(response?.right ?? []));

export function equalizer(app) {
  const { link } = app;
  let [gains, response, frequencies, isLinked] = [{ left: [], right: [] }, null, [], true];
  let [history, future, slots, slot] = [[], [], { A: null, B: null }, "A"];
  let [dragged, pending, isSending] = [null, null, false];
  const sliders = { left: [], right: [] };
  const rows = CHANNELS.map(() => h("div", { class: "bands" }));
  const headroom = figure("Headroom", "dB");
  const [input, output] = [figure("Peak in", "dBFS"), figure("Peak out", "dBFS")];
  const text = h("textarea", { rows: "6", id: "equalizer-text", spellcheck: "false", class: "number" });

  const copy = () => ({ left: [...gains.left], right: [...gains.right] });
  const remember = () => {
    history.push(copy());
    if (history.length > UNDOABLE) history.shift();
    future = [];
    showButtons();
  };
  // While one change is on its way, only the newest of the next ones waits.
  const send = async () => {
    if (isSending) return void (pending = copy());
    isSending = true;
    await app.attempt(() => link.act("equalizer/set", copy()));
    isSending = false;
    if (!pending && !dragged) adopt();
    if (pending) { pending = null; send(); }
  };
  const show = () => {
    const same = (name) => CHANNELS.every(([channel]) => gains[channel].join() === PRESETS[name].join());
    preset.select.value = Object.keys(PRESETS).find(same) ?? "";
    for (const [channel] of CHANNELS) sliders[channel].forEach(({ slider, value }, band) => {
      slider.value = gains[channel][band];
      slider.setAttribute("aria-valuetext", `${fixed(gains[channel][band])} dB`);
      say(value, fixed(gains[channel][band]));
    });
  };
  // What is in force, also after a refusal.
  const adopt = () => {
    const { left, right } = link.states.equalizer;
    gains = { left: [...left], right: [...right] };
    show();
  };
  const change = (channel, band, gain) => {
    const rounded = Math.max(-MOST, Math.min(MOST, Math.round(2 * gain) / 2));
    for (const [each] of CHANNELS) if (isLinked || each === channel) gains[each][band] = rounded;
    show();
    send();
  };
  const apply = (next) => { gains = { left: [...next.left], right: [...next.right] }; show(); send(); showButtons(); };
  const step = (from, to) => { if (from.length) { to.push(copy()); apply(from.pop()); } };

  const button = (name, action, extra = {}) => h("button", { type: "button", onclick: action, ...extra }, name);
  const undo = button("Undo", () => step(history, future));
  const redo = button("Redo", () => step(future, history));
  const names = Object.keys(PRESETS).map((name) => ({ id: name, name }));
  const preset = choice("Preset", [{ id: "", name: "Custom" }, ...names], (name) => {
    if (!PRESETS[name]) return;
    remember();
    apply({ left: PRESETS[name], right: PRESETS[name] });
  });
  const linked = button("Link left and right", () => { isLinked = !isLinked; showButtons(); });
  const bypass = button("Bypass", () => app.attempt(() => link.act("equalizer/bypass", { bypassed: !link.states.equalizer.bypassed })));
  const memory = button("A", () => {
    slots[slot] = copy();
    slot = slot === "A" ? "B" : "A";
    if (slots[slot]) apply(slots[slot]);
    showButtons();
  });
  const showButtons = () => {
    undo.disabled = history.length === 0;
    redo.disabled = future.length === 0;
    linked.setAttribute("aria-pressed", String(isLinked));
    say(memory, `A/B: ${slot}`);
  };

  const x = (frequency, width) => (width * Math.log(frequency / LOW)) / Math.log(HIGH / LOW);
  const y = (gain, height) => PADDING + (height - 2 * PADDING) * (0.5 - gain / (2 * MOST));
  const curve = plot("Response of both channels; the sliders below say the same", 260, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    context.font = "12px Roboto, sans-serif";
    context.fillStyle = "#a8aeaf";
    context.strokeStyle = "#2c3238";
    context.lineWidth = 1;
    context.beginPath();
    for (const gain of [-12, -6, 0, 6, 12]) {
      context.moveTo(0, y(gain, height));
      context.lineTo(width, y(gain, height));
      context.fillText(fixed(gain, 0), 4, y(gain, height) - 4);
    }
    for (const frequency of [100, 1000, 10000]) {
      context.moveTo(x(frequency, width), 0);
      context.lineTo(x(frequency, width), height);
      context.fillText(frequency >= 1000 ? `${frequency / 1000} kHz` : `${frequency} Hz`, x(frequency, width) + 4, height - 6);
    }
    context.stroke();
    if (!response) return;
    for (const [channel, , fill] of [...CHANNELS].reverse()) {
      context.strokeStyle = context.fillStyle = fill;
      context.lineWidth = 2;
      context.setLineDash(channel === "right" ? [6, 4] : []);
      context.beginPath();
      response.frequencies.forEach((frequency, place) => context.lineTo(x(frequency, width), y(response[channel][place], height)));
      context.stroke();
      context.setLineDash([]);
      frequencies.forEach((frequency, band) => {
        if (frequency < LOW) return;
        context.beginPath();
        context.arc(x(frequency, width), y(gains[channel][band], height), 6, 0, 7);
        context.fill();
      });
    }
  });
  const { canvas } = curve;
  const pick = (event) => {
    const box = canvas.getBoundingClientRect();
    let best = null;
    for (const [channel] of CHANNELS) frequencies.forEach((frequency, band) => {
      const distance = Math.hypot(event.clientX - box.left - x(frequency, box.width), event.clientY - box.top - y(gains[channel][band], box.height));
      if (distance < PICK && (!best || distance < best.distance)) best = { channel, band, distance };
    });
    return best;
  };
  canvas.style.touchAction = "none";
  canvas.addEventListener("pointerdown", (event) => {
    dragged = pick(event);
    if (!dragged) return;
    remember();
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const box = canvas.getBoundingClientRect();
    change(dragged.channel, dragged.band, MOST * (1 - (2 * (event.clientY - box.top - PADDING)) / (box.height - 2 * PADDING)));
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { dragged = null; });
  canvas.addEventListener("dblclick", (event) => {
    const band = pick(event);
    if (band) { remember(); change(band.channel, band.band, 0); }
  });

  const build = () => CHANNELS.forEach(([channel, title], place) => {
    sliders[channel] = frequencies.map((frequency, band) => {
      const name = frequency >= 1000 ? `${Math.floor(frequency / 1000)}k` : String(frequency);
      const value = h("output", {}, "0.0");
      const slider = h("input", { type: "range", min: -MOST, max: MOST, step: 0.5, "aria-label": `${title}, ${frequency} Hz`,
        onpointerdown: () => { dragged = slider; remember(); }, onpointerup: () => { dragged = null; }, onpointercancel: () => { dragged = null; },
        oninput: () => change(channel, band, Number(slider.value)),
        ondblclick: () => change(channel, band, 0),
        onkeydown: (event) => {
          const move = { PageUp: 3, PageDown: -3 }[event.key];
          if (!event.repeat && /Arrow|Page|Home|End|Delete/.test(event.key)) remember();
          if (move) change(channel, band, gains[channel][band] + move);
          else if (event.key === "Delete") change(channel, band, 0);
          if (move || event.key === "Delete") event.preventDefault();
        } });
      return { slider, value, element: h("div", { class: "band" }, value, slider, h("b", {}, name)) };
    });
    rows[place].replaceChildren(...sliders[channel].map((each) => each.element));
  });
  showButtons();

  return {
    title: "Equalizer", lead: "14 bands for each channel. Every other screen hears the sound after it. Double click or Delete resets a band.",
    topics: ["levels"],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" },
        h("div", { class: "row" }, linked, bypass, preset.element, undo, redo, memory),
        canvas, h("div", { class: "figures" }, input.element, output.element, headroom.element)),
      ...CHANNELS.map(([, title], place) => h("section", { class: "card wide" }, h("h2", {}, `${title}, gain in dB by frequency in Hz`), rows[place])),
      h("section", { class: "card wide" }, h("h2", {}, "As text"),
        h("label", { for: "equalizer-text", class: "note" }, "Filters in the form of Equalizer APO"), text,
        h("div", { class: "row" },
          button("Export", () => app.attempt(async () => { text.value = (await link.act("equalizer/export")).text; })),
          button("Import", () => app.attempt(async () => { remember(); await link.act("equalizer/import", { text: text.value }); })))))],
    state(name, state) {
      if (name !== "equalizer") return;
      response = state.response;
      bypass.setAttribute("aria-pressed", String(state.bypassed));
      if (state.frequencies.join() !== frequencies.join()) {
        frequencies = state.frequencies;
        [history, future, slots] = [[], [], { A: null, B: null }];
        showButtons();
        gains = { left: [...state.left], right: [...state.right] };
        build();
        show();
      } else if (!dragged && !isSending && !pending) adopt();
      say(headroom.output, fixed(headroomOf(state)));
    },
    draw() {
      curve.draw();
      const value = link.values.levels;
      if (!value) return;
      const levels = Array.from({ length: 4 }, (_, place) => value.view.getFloat32(4 * place, true));
      say(input.output, fixed(Math.max(levels[0], levels[1])));
      say(output.output, fixed(Math.max(levels[2], levels[3])));
    },
  };
}
