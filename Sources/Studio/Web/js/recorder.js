// Records the sound into files of the server, which can be played and taken along.

import { choice, fixed, h, say, table } from "./dom.js";
import { fillBar } from "./readings.js";

const PERIOD = 60;
/** The lowest level of the bars, in dBFS. */
const FLOOR = -60;

const time = (seconds) => `${Math.floor(seconds / PERIOD)}:${(seconds % PERIOD).toFixed(1).padStart(4, "0")}`;

export function recorder(app) {
  const { link } = app;
  const act = (name, argument) => app.attempt(() => link.act(`recorder/${name}`, argument));
  const clock = h("output", { "aria-label": "Time in the file" }, time(0));
  const bars = ["Left", "Right"].map((name) => {
    const fill = h("i");
    const text = h("output", { "aria-label": `${name}, peak` }, "–");
    return { fill, text, element: h("div", { class: "level" }, h("span", { class: "note" }, name), h("div", { class: "bar", "aria-hidden": "true" }, fill), h("span", { class: "note" }, text, " dBFS")) };
  });
  const start = h("button", { type: "button", class: "danger", onclick: () => act("start", { format: format.select.value }) }, "Record");
  const pause = h("button", { type: "button", onclick: () => act("pause", { paused: !link.states.recorder.paused }) }, "Pause recording");
  const stop = h("button", { type: "button", onclick: () => act("stop") }, "Stop");
  const format = choice("Format", [], () => {});
  const failure = h("p", { class: "error" });
  const empty = h("p", { class: "note" }, "No recordings yet.");
  const list = table("Recordings", ["Name", "Size", "Play", "Download", "Equalize", "Delete"]);
  list.element.hidden = true;
  let [recording, names] = [null, ""];

  // It plays in this browser as it is; the server hears it in place of the sound before, and equalizes it.
  const open = async (address, name) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${name} is no longer there`);
    await app.browserSound.openFile(link, new File([await answer.blob()], name));
    location.hash = "#/equalizer";
  };
  const question = h("p", {});
  const sure = h("dialog", { "aria-label": "Delete a recording" }, question, h("div", { class: "row" },
    h("button", { type: "button", onclick: () => sure.close() }, "Keep"),
    h("button", { type: "button", class: "danger", onclick: () => { sure.close(); act("delete", { name: sure.dataset.name }); } }, "Delete")));
  const ask = (name) => {
    sure.dataset.name = name;
    say(question, `Delete ${name}? It cannot be restored.`);
    sure.showModal();
  };

  const row = ({ name, bytes }) => {
    const address = `recordings/${encodeURIComponent(name)}`;
    return [name, bytes < 1e6 ? `${fixed(bytes / 1e3, 0)} KB` : `${fixed(bytes / 1e6, 1)} MB`, h("audio", { src: address, controls: true, preload: "none", "aria-label": name }),
      h("a", { href: address, download: name, class: "button" }, "Download"),
      h("button", { type: "button", "aria-label": `Open ${name} in the equalizer`, onclick: () => app.attempt(() => open(address, name)) }, "Equalize"),
      h("button", { type: "button", "aria-label": `Delete ${name}`, onclick: () => ask(name) }, "Delete")];
  };

  return {
    title: "Recorder", lead: "Records what comes out of the equalizer. A file can be opened even when the server is killed meanwhile.",
    topics: ["recording", "levels"],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" },
        h("div", { class: "hero" }, clock, h("div", { class: "row" }, start, pause, stop, format.element)), failure, bars.map((each) => each.element)),
      h("section", { class: "card wide" }, h("h2", {}, "Recordings"), empty, list.element, sure))],
    state(name, state) {
      if (name !== "recorder") return;
      const before = recording;
      const focused = document.activeElement;
      recording = state.recording;
      start.disabled = recording !== null;
      pause.disabled = stop.disabled = recording === null;
      pause.setAttribute("aria-pressed", String(state.paused));
      // A control that is used by keys leaves its place to the one that is used next.
      if (focused.disabled) (recording ? stop : start).focus();
      say(pause, state.paused ? "Resume recording" : "Pause recording");
      format.set(state.formats.map((id) => ({ id, name: id.toUpperCase() })));
      if (recording) say(clock, time(state.seconds));
      if (before !== recording) app.announce(recording ? "Recording" : "Recording stopped");
      say(failure, state.error ? `The last recording ended early: ${state.error}` : "");
      failure.hidden = !state.error;
      const ended = state.recordings.filter((each) => each.name !== recording);
      empty.hidden = ended.length > 0;
      list.element.hidden = !empty.hidden;
      const texts = ended.map((each) => each.name).join("\n");
      if (texts === names) return;
      names = texts;
      const controls = () => [...list.element.querySelectorAll("a, button")];
      const [place, label] = [controls().indexOf(focused), focused.ariaLabel];
      list.set(ended.map(row));
      if (place < 0) return;
      const next = controls();
      (next.find((each) => label && each.ariaLabel === label) ?? next[Math.min(place, next.length - 1)] ?? start).focus();
    },
    draw() {
      const progress = link.values.recording;
      if (progress && recording && !link.states.recorder.paused) say(clock, time(progress.view.getFloat64(0, true)));
      const levels = link.values.levels;
      if (!levels) return;
      bars.forEach(({ fill, text }, place) => {
        const level = levels.view.getFloat32(4 * (2 + place), true);
        fillBar(fill, 1 - level / FLOOR);
        say(text, fixed(level));
      });
    },
  };
}
