// 14 bands of each channel as sliders and as a curve with handles.

import { choice, figure, fixed, h, plot, say } from "./dom.js";
import { headroomOf } from "./overview.js";
import { shelf } from "./shelf.js";

const [LOW, HIGH, MOST] = [7, 20000, 12];
const [PADDING, PICK] = [22, 26];
/** The bands of a channel. */
const COUNT = 14;
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

/** What the names of settings with the user's own presets begin with. */
const OWN = "eq/presets/";

export async function equalizer(app) {
  const { link, equalizerHistory: history } = app;
  // A screen that was left has its changes on their way: this one begins with what they leave.
  await history.settled();
  let [gains, response, frequencies] = [{ left: [], right: [] }, null, { left: [], right: [] }];
  /** The bands that have sliders. */
  let shown = null;
  let dragged = null;
  /** The changes whose way to the server is not over, and whether one of them has not begun it. */
  let [underWay, isWaiting] = [0, false];
  /** What takes back the notes of the changes that the next call to the server is to make, the oldest first. */
  let notes = [];
  /** Of what the curve shows: it grows with each change. */
  let edition = 0;
  const sliders = { left: [], right: [] };
  const rows = CHANNELS.map(() => h("div", { class: "bands" }));
  const [preamp, headroom] = [figure("Preamp", "dB"), figure("Headroom", "dB")];
  const [input, output] = [figure("Peak in", "dBFS"), figure("Peak out", "dBFS")];
  const area = h("textarea", { rows: "6", id: "equalizer-text", spellcheck: "false", class: "number" });

  const copy = () => ({ left: [...gains.left], right: [...gains.right] });
  // Also after the screen was left.
  const bands = () => link.states.equalizer?.layout;
  /** Whether the filters are those of the graphic equalizer, to which presets belong. */
  const isGraphic = () => link.states.equalizer?.graphic === true;
  // While one change is on its way, only the newest of the next ones waits.
  const send = () => {
    if (isWaiting) return;
    [isWaiting, underWay] = [true, underWay + 1];
    const present = bands();
    history.after(async () => {
      const due = notes;
      let hasFailed = false;
      [isWaiting, notes] = [false, []];
      const takeBack = (error) => {
        hasFailed = true;
        for (const each of due.reverse()) each(error);
      };
      if (bands() === present) await app.attempt(() => link.act("equalizer/set", copy()).catch((error) => {
        if (!isWaiting) takeBack(error);
        // The next call makes these changes, too, unless they may have been made.
        else if (!error.isUncertain) notes = [...due, ...notes];
        throw error;
      }));
      // Bands that another page has replaced take nothing more.
      else takeBack({});
      underWay -= 1;
      if (!underWay && (hasFailed || !dragged)) adopt();
      if (hasFailed) showButtons();
    });
  };
  const parts = () => [...gains.left, ...gains.right];
  const show = () => {
    edition += 1;
    const [all, known] = [isGraphic() ? parts().join() : null, presets()];
    // Of several with the same gains the one that was chosen stays.
    if (known.get(preset.select.value)?.join() !== all) preset.select.value = [...known].find(([, bands]) => bands.join() === all)?.[0] ?? "";
    own.show();
    for (const [channel] of CHANNELS) sliders[channel].forEach(({ slider, value }, band) => {
      // Imported gains may be more.
      slider.max = Math.max(MOST, Math.abs(gains[channel][band]));
      slider.min = -slider.max;
      slider.value = gains[channel][band];
      slider.setAttribute("aria-valuetext", `${fixed(gains[channel][band])} dB`);
      say(value, fixed(gains[channel][band]));
    });
    present();
  };
  // What a person does is no motion: it is drawn on a page that is paused, too.
  const present = () => { if (link.paused) curve.draw(edition); };
  // What is in force, also after a refusal.
  const adopt = () => {
    const { left, right } = link.states.equalizer ?? gains;
    gains = { left: [...left], right: [...right] };
    show();
  };
  const put = (changes, takeBack) => {
    // Without a connection an account makes them at the next one.
    notes.push(app.session.email && isGraphic() ? () => {} : takeBack);
    for (const { channel, band, gain } of changes) gains[channel][band] = gain;
    show();
    send();
    const moves = changes.map(({ channel, band, gain }) => [channel === "left" ? band : band + COUNT, gain]);
    app.session.moved("eq", moves, isGraphic() ? parts() : null, true);
    showButtons();
  };
  /** Changes gains, by one control: those of a step are undone together. What takes it back follows if they are not made. */
  const change = (control, changes, takeBack) => {
    const forget = history.change(control, bands(), changes.map(({ channel, band, gain }) => ({ channel, band, before: gains[channel][band], after: gain })));
    // They may have been made where no answer came.
    put(changes, ({ isUncertain }) => { if (!isUncertain) { forget(); takeBack?.(); } });
  };
  const controlOf = (channel, band) => `${channel} ${band}`;
  const move = (channel, band, gain) => {
    const rounded = Math.max(-MOST, Math.min(MOST, Math.round(2 * gain) / 2));
    const isMoved = ([each]) => each === channel || history.isLinked && frequencies[each][band] === frequencies[channel][band];
    const [channels, present] = [CHANNELS.filter(isMoved).map(([each]) => each), bands()];
    // Bands that are replaced meanwhile take nothing more.
    history.onceReplaced(() => { if (bands() === present) change(controlOf(channel, band), channels.map((each) => ({ channel: each, band, gain: rounded }))); });
  };
  const differences = (next) => CHANNELS.flatMap(([channel]) => next[channel].map((gain, band) => ({ channel, band, gain })));
  /** The filters as text, which the server knows after all changes before. */
  const text = async () => (await link.act("equalizer/export")).text;
  /** Performs it; what came of it is the account's, too. */
  const take = async (action, argument) => {
    await link.act(action, argument);
    const { left, right } = link.states.equalizer;
    app.session.moved("eq", isGraphic() ? [...left, ...right].entries() : [], isGraphic() ? [...left, ...right] : null);
  };
  /** Does what replaces the bands, after the changes before it: what it leaves is shown, whatever came of it. */
  const exchange = (work) => app.attempt(() => history.exchange(work, () => { adopt(); showButtons(); }));
  /** Performs what replaces the bands: one step, whatever they were. The argument may be one that is to come; `takeBack` follows if it is not done. */
  const replace = (action, coming, takeBack) => exchange(async () => {
    let noted = null;
    try {
      const argument = await coming;
      noted = history.replace(await text(), action, argument);
      await take(action, argument);
    } catch (error) {
      if (noted) history.forget(noted);
      takeBack?.();
      throw error;
    }
  });
  const step = (isRedo) => history.onceReplaced(() => {
    const taken = history.take(isRedo, bands());
    if (taken?.changes) put(taken.changes, taken.putBack);
    else if (taken) exchange(async () => {
      try {
        await take(taken.action, taken.argument);
      } catch (error) {
        taken.putBack();
        throw error;
      }
    });
    showButtons();
  });

  const button = (name, action, extra = {}) => h("button", { type: "button", onclick: action, ...extra }, name);
  const undo = button("Undo", () => step(false));
  const redo = button("Redo", () => step(true));
  /** The bands of each preset: those of everybody, and those of the user, whose ids begin with a mark. */
  const presets = () => new Map([...Object.entries(PRESETS).map(([name, gains]) => [name, [...gains, ...gains]]),
    ...[...app.session.named(OWN)].map(([name, bands]) => [OWN + name, bands])]);
  const preset = choice("Preset", [], (id) => {
    const all = presets().get(id);
    own.show();
    if (!all) return;
    const next = { left: all.slice(0, COUNT), right: all.slice(COUNT) };
    history.onceReplaced(() => {
      if (!isGraphic()) return void replace("equalizer/set", { ...next, graphic: true });
      history.end();
      change("preset", differences(next));
    });
  });
  const own = shelf(app, OWN, "preset", { value: () => isGraphic() ? parts() : null,
    chosen: () => preset.select.value.startsWith(OWN) ? preset.select.value.slice(OWN.length) : null });
  const linked = button("Link left and right", () => { history.isLinked = !history.isLinked; showButtons(); });
  const bypass = button("Bypass", () => app.attempt(() => link.act("equalizer/bypass", { bypassed: !link.states.equalizer.bypassed })));
  const memory = button("A", () => history.onceReplaced(() => {
    const { slots, slot } = history;
    // Filters that were imported are known as text alone.
    const filters = isGraphic() ? null : history.after(text);
    filters?.catch(() => {});
    history.slots = { ...slots, [slot]: { ...copy(), bands: bands(), filters } };
    history.slot = slot === "A" ? "B" : "A";
    const other = history.slots[history.slot];
    const takeBack = () => { [history.slots, history.slot] = [slots, slot]; };
    history.end();
    if (other?.bands === bands()) change("memory", differences(other), takeBack);
    else if (other?.filters) replace("equalizer/import", other.filters.then((text) => ({ text })), takeBack);
    else if (other) replace("equalizer/set", { left: other.left, right: other.right, graphic: true }, takeBack);
    showButtons();
  }));
  const showButtons = () => {
    const focused = document.activeElement;
    undo.disabled = !history.has(false, bands());
    redo.disabled = !history.has(true, bands());
    if (focused?.disabled) (undo.disabled ? redo : undo).focus();
    linked.setAttribute("aria-pressed", String(history.isLinked));
    say(memory, `A/B: ${history.slot}`);
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
    for (const frequency of [10, 100, 1000, 10000]) {
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
      frequencies[channel].forEach((frequency, band) => {
        context.beginPath();
        context.arc(x(frequency, width), y(gains[channel][band], height), 6, 0, 7);
        context.fill();
      });
    }
  }, true);
  const { canvas } = curve;
  const pick = (event) => {
    const box = canvas.getBoundingClientRect();
    let best = null;
    for (const [channel] of CHANNELS) frequencies[channel].forEach((frequency, band) => {
      const distance = Math.hypot(event.clientX - box.left - x(frequency, box.width), event.clientY - box.top - y(gains[channel][band], box.height));
      if (distance < PICK && (!best || distance < best.distance)) best = { channel, band, distance };
    });
    return best;
  };
  // A touch beside the handles scrolls the page.
  canvas.style.touchAction = "pan-y";
  canvas.addEventListener("touchstart", (event) => { if (pick(event.touches[0])) event.preventDefault(); }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    dragged = pick(event);
    if (!dragged) return;
    history.press(controlOf(dragged.channel, dragged.band), event.timeStamp);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const box = canvas.getBoundingClientRect();
    move(dragged.channel, dragged.band, MOST * (1 - (2 * (event.clientY - box.top - PADDING)) / (box.height - 2 * PADDING)));
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { if (dragged) app.session.released("eq"); dragged = null; });
  canvas.addEventListener("dblclick", (event) => {
    const band = pick(event);
    if (band) move(band.channel, band.band, 0);
  });

  const build = () => CHANNELS.forEach(([channel, title], place) => {
    sliders[channel] = frequencies[channel].map((frequency, band) => {
      const name = frequency >= 1000 ? `${Math.floor(frequency / 1000)}k` : String(frequency);
      const value = h("output", {}, "0.0");
      const slider = h("input", { type: "range", min: -MOST, max: MOST, step: 0.5, "aria-label": `${title}, ${frequency} Hz`,
        onpointerdown: ({ timeStamp }) => { dragged = slider; history.press(controlOf(channel, band), timeStamp); },
        onpointerup: () => { dragged = null; app.session.released("eq"); }, onpointercancel: () => { dragged = null; app.session.released("eq"); },
        oninput: () => move(channel, band, Number(slider.value)),
        ondblclick: () => move(channel, band, 0),
        onkeydown: (event) => {
          const page = { PageUp: 3, PageDown: -3 }[event.key];
          if (!event.repeat) history.end();
          if (page) move(channel, band, gains[channel][band] + page);
          else if (event.key === "Delete") move(channel, band, 0);
          if (page || event.key === "Delete") event.preventDefault();
        } });
      return { slider, value, element: h("div", { class: "band" }, value, slider, h("b", {}, name)) };
    });
    rows[place].replaceChildren(...sliders[channel].map((each) => each.element));
    if (!sliders[channel].length) rows[place].append(h("p", { class: "note" }, "No bands: what was imported has none for this channel."));
  });
  const names = () => {
    const chosen = preset.select.value;
    preset.set([{ id: "", name: "Custom" }, ...[...presets().keys()].map((id) => ({ id, name: id.startsWith(OWN) ? id.slice(OWN.length) : id }))]);
    preset.select.value = chosen;
    if (gains.left.length + gains.right.length) show();
  };
  names();
  own.show();
  showButtons();

  return {
    title: "Equalizer", lead: "14 bands for each channel. Every other screen hears the sound after it; what this browser plays stays as it is. Double click or Delete resets a band.",
    topics: ["levels"],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" },
        h("div", { class: "row" }, linked, bypass, preset.element, undo, redo, memory),
        app.session.bar("eq"), canvas, h("div", { class: "figures" }, preamp.element, input.element, output.element, headroom.element)),
      ...CHANNELS.map(([, title], place) => h("section", { class: "card wide" }, h("h2", {}, `${title}, gain in dB by frequency in Hz`), rows[place])),
      h("section", { class: "card wide" }, h("h2", {}, "Your presets"), h("div", { class: "row" }, own.elements), app.session.bar(OWN)),
      h("section", { class: "card wide" }, h("h2", {}, "As text"),
        h("label", { for: "equalizer-text", class: "note" }, "Filters in the form of Equalizer APO"), area,
        h("div", { class: "row" },
          button("Export", () => app.attempt(() => history.after(async () => { area.value = await text(); }))),
          button("Import", () => replace("equalizer/import", { text: area.value })))))],
    names,
    state(name, state) {
      if (name !== "equalizer") return;
      response = state.response;
      edition += 1;
      bypass.setAttribute("aria-pressed", String(state.bypassed));
      if (state.layout !== shown) {
        shown = state.layout;
        frequencies = state.frequencies;
        gains = { left: [...state.left], right: [...state.right] };
        build();
        show();
        showButtons();
      } else if (!dragged && !underWay) adopt();
      say(preamp.output, fixed(state.preamp));
      say(headroom.output, fixed(headroomOf(state)));
      present();
    },
    draw() {
      curve.draw(edition);
      const value = link.values.levels;
      if (!value) return;
      const levels = Array.from({ length: 4 }, (_, place) => value.view.getFloat32(4 * place, true));
      say(input.output, fixed(Math.max(levels[0], levels[1])));
      say(output.output, fixed(Math.max(levels[2], levels[3])));
    },
  };
}
