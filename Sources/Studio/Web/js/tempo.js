// The beats: this program's own, tapped ones, or those of a session on the network.

import { figure, fixed, h, say } from "./dom.js";

/** The most flashes of a dot in a second. */
const FASTEST = 3;

export function tempo(app) {
  const { link } = app;
  const bpm = figure("Tempo", "BPM");
  const beat = figure("Beat", "");
  const peers = figure("Other programs", "");
  const source = figure("Source", "");
  const dots = h("div", { class: "beats", role: "img", "aria-label": "Beat of the bar" });
  const number = h("input", { type: "number", id: "bpm", min: "20", max: "999", step: "0.01", onchange: () => app.attempt(() => link.act("tempo/set", { bpm: number.valueAsNumber })) });
  const quantum = h("input", { type: "number", id: "quantum", min: "1", max: "64", step: "1", onchange: () => app.attempt(() => link.act("tempo/quantum", { beats: quantum.valueAsNumber })) });
  const tapped = (event) => app.attempt(() => link.act("tempo/tap", { time: link.time(event) }));
  // A click has the time at which the finger leaves: it is one of the keyboard, or of what reads the screen.
  const tap = h("button", { type: "button", class: "tap", onpointerdown: (event) => { if (event.button === 0) tapped(event); }, onclick: (event) => { if (event.detail === 0) tapped(event); } }, "Tap");
  const join = h("button", { type: "button", onclick: () => app.attempt(() => link.act("tempo/session", { enabled: !link.states.tempo.enabled })) }, "Join the session");
  const play = h("button", { type: "button", onclick: () => app.attempt(() => link.act("tempo/play", { playing: !link.states.tempo.playing })) }, "Start playing");
  let shown = -1;

  return {
    title: "Tempo", lead: "The clock that the lights follow: set by hand, tapped, or shared with the music programs of this network.",
    topics: ["tempo"],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card" }, h("div", { class: "figures" }, bpm.element, beat.element, peers.element, source.element), dots,
        h("div", { class: "row" }, h("label", { for: "bpm" }, "Set to"), number, h("label", { for: "quantum" }, "Beats of a bar"), quantum, join, play)),
      h("section", { class: "card" }, h("h2", {}, "Tap the tempo"), tap, h("p", { class: "note" }, "Four taps are enough; the key T taps on every screen.")))],
    state(name, state) {
      if (name !== "tempo") return;
      if (document.activeElement !== number) number.value = state.bpm.toFixed(2);
      if (document.activeElement !== quantum) quantum.value = state.quantum;
      join.setAttribute("aria-pressed", String(state.enabled));
      say(join, state.enabled ? "Leave the session" : "Join the session");
      say(play, state.playing ? "Stop playing" : "Start playing");
      play.disabled = !state.enabled;
      say(source.output, { manual: "Manual", tap: "Tap", session: "Session", link: "Session", midi: "MIDI clock", audio: "Sound" }[state.source] ?? state.source);
      const count = Math.min(16, Math.max(1, Math.round(state.quantum)));
      if (dots.children.length !== count) dots.replaceChildren(...Array.from({ length: count }, () => h("i")));
    },
    draw() {
      const value = link.values.tempo;
      if (!value) return;
      const { view } = value;
      const [beats, tempo, quantum] = [0, 8, 16].map((place) => view.getFloat64(place, true));
      // The beats go on between two values.
      const now = beats + ((link.now - value.time) / 60000) * tempo;
      const place = Math.floor((((now % quantum) + quantum) % quantum));
      say(bpm.output, fixed(tempo, 2));
      say(peers.output, String(view.getUint32(24, true)));
      if (place !== shown) {
        shown = place;
        say(beat.output, `${place + 1} of ${fixed(quantum, 0)}`);
        // What flashes more than three times a second can harm: the beat beside says the same.
        const isSlow = tempo / 60 / quantum <= FASTEST;
        [...dots.children].forEach((dot, each) => dot.classList.toggle("on", isSlow && each === place));
      }
    },
  };
}
