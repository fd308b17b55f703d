// The show: its picture, its scenes, and what sends it to lamps.

import { blank, figure, fixed, h, plot, say, speak, table } from "./dom.js";
import { FlashLimit } from "./flashes.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** The milliseconds from one look at the levels to the next. */
const PERIOD = 1000;

/** Draws the dark room, as a show begins with it: its opening, its back, and the floor between them. */
function drawRoom(context, width, height) {
  const [front, back] = [[0.034, 0.16, 0.966, 0.797], [0.177, 0.234, 0.823, 0.675]]
    .map(([left, top, right, bottom]) => [left * width, top * height, right * width, bottom * height]);
  const line = (x, y, far, deep) => { context.moveTo(x, y); context.lineTo(far, deep); };
  context.strokeStyle = "#3a3a46";
  context.lineWidth = 1;
  context.beginPath();
  for (const [left, top, right, bottom] of [front, back]) context.rect(left, top, right - left, bottom - top);
  for (const x of [0, 2]) for (const y of [1, 3]) line(front[x], front[y], back[x], back[y]);
  context.stroke();
  context.strokeStyle = "#22222c";
  context.beginPath();
  for (let share = 1 / 12; share < 0.99; share += 1 / 12) line(front[0] + share * (front[2] - front[0]), front[3], back[0] + share * (back[2] - back[0]), back[3]);
  // Rows are closer together where they are far.
  for (const share of [0.3, 0.52, 0.69, 0.82, 0.92]) {
    const [left, right, y] = [0, 2, 3].map((each) => front[each] + share * (back[each] - front[each]));
    line(left, y, right, y);
  }
  context.stroke();
}

export function lights(app) {
  const { link } = app;
  const act = (name, argument) => app.attempt(() => link.act(`lights/${name}`, argument));
  const show = figure("Show", "");
  const fixtures = figure("Fixtures", "");
  const number = figure("Universes", "");
  const sent = figure("Sent to", "");
  const start = h("button", { type: "button", class: "primary", onclick: () => act(link.states.lights.running ? "stop" : "start") }, "Start");
  const dark = h("button", { type: "button", class: "danger", "data-blackout": "", onclick: app.switchBlackout }, "Blackout");
  const back = h("button", { type: "button", onclick: () => act("back") }, "Back");
  const go = h("button", { type: "button", onclick: () => act("go") }, "Go");
  const master = h("input", { type: "range", id: "master", min: "0", max: "1", step: "0.01", oninput: () => act("master", { level: Number(master.value) }) });
  const scenes = h("div", { class: "row", role: "group", "aria-label": "Scenes" });
  const colors = h("div", { class: "row", role: "group", "aria-label": "Test colour" });
  const universes = table("Universes", ["Universe", "Protocol", "Fixtures", "Slots lit", "Frames/s", "Refused", "State"]);
  const failing = h("p", { role: "status", class: "error", "aria-label": "Universes with errors" });
  const counts = { rate: figure("Packets", "/s"), packets: figure("Packets in all", ""), refused: figure("Refused", ""), skipped: figure("Frames skipped", "") };
  const faders = h("div", { class: "row" });
  const cues = h("ol", { class: "row cues", "aria-label": "Cues" });
  const notices = h("ul", { class: "note" });
  const lent = h("p", { role: "status" }, h("a", { href: "#/mapping" }, "A mapping has the lamps"));
  const address = h("input", { type: "text", id: "address", value: "sacn:127.0.0.1", autocomplete: "off", spellcheck: "false" });
  const arm = h("button", { type: "button", onclick: () => act("arm", link.states.lights.armed ? { armed: false } : { armed: true, output: address.value }) }, "Arm");
  const unattended = h("input", { type: "checkbox", onchange: () => act("unattended", { do: unattended.checked ? "blackout" : "hold" }) });
  const card = h("section", { class: "card wide" });
  let output = null;
  // Before the state of the show is known there is none, not even a dark one.
  let [picture, sequence, drawn] = [undefined, -1, 0];
  const limit = new FlashLimit();
  const none = h("canvas", { width: 1, height: 1 });
  /** When the last show was gone from the picture. */
  let gone = -Infinity;
  /** Shows a picture; null: none. */
  const present = (next) => limit.offer(next ?? none, () => {
    if (picture && !next) {
      gone = performance.now();
      // A page that is paused draws nothing by itself.
      setTimeout(draw, PERIOD);
    }
    if (picture !== next) picture?.close();
    picture = next;
    draw();
  });
  const venue = plot("Picture of the venue, from the front; the table below says the same", 0, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    if (picture) context.drawImage(picture, 0, 0, width, height);
    else if (reason()) {
      drawRoom(context, width, height);
      blank(context, width, height, reason());
    }
  }, true);
  const isPlaying = () => Boolean(link.states.lights?.running);
  /** Why there is no picture. A room and words that come and go with each start would flash. */
  const reason = () => picture === null && performance.now() - gone >= PERIOD && (isPlaying() ? "Paused: Resume draws the show" : "Stopped: Start draws the show");
  // A show that has just begun leaves what is there until its first picture comes.
  const draw = () => { if (picture !== null || link.paused || !isPlaying()) venue.draw(picture ?? reason()); };
  venue.canvas.classList.add("venue");

  const levels = table("Levels", ["Fixture", "Name", "Profile", "Universe", "Slots", "Levels, 0 to 255"]);
  levels.element.classList.add("tall");
  const numbers = h("details", {}, h("summary", {}, "The picture as a table"), levels.element);
  /** The cells with the levels of each fixture, by its id; null: the patch is not known yet. */
  let [cells, looked, isLooking] = [null, -Infinity, false];
  const load = async () => {
    const { fixtures } = await link.act("fixtures/list");
    cells = new Map(fixtures.map(({ id }) => [id, h("output", {}, "–")]));
    levels.set(fixtures.map(({ id, name, profile, protocol, universe, address, slots }) => [id, name || "–", profile,
      `${{ sacn: "sACN", artnet: "Art-Net" }[protocol]} ${universe}`, `${address} to ${address + slots - 1}`, cells.get(id)]));
  };
  /** Shows what each fixture is lit with, at most once a second while the table is open: rows stay, so that a reader does. */
  const look = async () => {
    if (!numbers.open || isLooking || performance.now() - looked < PERIOD) return;
    [looked, isLooking] = [performance.now(), true];
    try {
      if (!cells) await load();
      const { levels } = await link.act("output/levels");
      const shown = new Map(levels.map(({ id, slots }) => [id, slots.join(" ")]));
      for (const [id, cell] of cells) say(cell, shown.get(id) || "–");
    } finally {
      isLooking = false;
    }
  };

  card.append(h("div", { class: "row" }, start, dark, back, go, h("label", { for: "master" }, "Master"), master), lent,
    venue.canvas, numbers, h("div", { class: "figures" }, show.element, fixtures.element, number.element, sent.element), h("h2", {}, "Scenes"), scenes, faders, cues, notices);
  return {
    title: "Lights", lead: "A show on the beats of the tempo screen. Nothing is sent to lamps before it is armed.",
    topics: ["lights"],
    elements: [h("div", { class: "cards" }, card,
      h("section", { class: "card wide" }, h("h2", {}, "Output"),
        h("div", { class: "row" }, h("label", { for: "address" }, "Address, sacn: or artnet:"), address, arm),
        h("label", {}, unattended, "Blackout when the last page is closed"),
        h("div", { class: "row" }, h("span", {}, "Test colour"), colors),
        h("div", { class: "figures" }, Object.values(counts).map((each) => each.element)), failing, universes.element,
        h("p", {}, h("a", { href: "#/fixtures", class: "note" }, "The fixtures as a table")),
        h("p", { class: "note" }, "Once armed, changes are sent to this address up to 44 times per second, and still levels about once per second, until the show is disarmed or stopped.")))],
    state(name, state) {
      if (name === "output") {
        const words = ({ rate, failing }) => rate === undefined ? "Not sent" : failing ? "✕ Refused" : "✓ Sent";
        universes.set(state.universes.map((each) => [each.name, { sacn: "sACN", artnet: "Art-Net" }[each.protocol], each.fixtures, each.lit,
          fixed(each.rate, 0), fixed(each.refused, 0), words(each)]));
        // Of a screen reader: spoken when others fail, not each second.
        const refused = state.universes.filter((each) => each.failing).map(({ name }) => name);
        speak(failing, refused.length ? `✕ Refused: universe${refused.length > 1 ? "s" : ""} ${refused.slice(0, 8).join(", ")}${refused.length > 8 ? ` and ${refused.length - 8} more` : ""}` : "");
        for (const [key, { output }] of Object.entries(counts)) say(output, fixed(state[key], 0));
      }
      if (name !== "lights") return;
      // Of what another page has armed, too; what was typed since stays.
      if (state.output !== output) {
        output = state.output;
        if (output && document.activeElement !== address) address.value = output;
      }
      say(start, state.running ? "Stop" : "Start");
      for (const each of [dark, arm]) each.disabled = !state.running;
      // What is shown now is not on the lamps.
      const isShown = state.running && !state.lent;
      for (const each of [back, go]) each.disabled = !isShown;
      lent.hidden = !state.lent;
      dark.setAttribute("aria-pressed", String(state.blackout));
      say(dark, state.blackout ? "Restore" : "Blackout");
      say(arm, state.armed ? "Disarm" : "Arm");
      card.classList.toggle("armed", state.armed);
      unattended.checked = state.unattended === "blackout";
      // Not under the pointer that drags it.
      if (!master.matches(":active")) master.value = state.master;
      say(show.output, state.running ? "Playing" : "Stopped");
      say(fixtures.output, String(state.fixtures));
      say(number.output, String(state.universes));
      say(sent.output, state.output ?? "Nobody");
      if (scenes.children.length !== state.scenes.length) {
        scenes.replaceChildren(...state.scenes.map((scene) => h("button", { type: "button", onclick: () => act("scene", { name: scene }) }, scene)));
      }
      if (colors.children.length !== state.colors.length + 1) {
        colors.replaceChildren(...[...state.colors, "none"].map((color) => h("button", { type: "button", "data-color": color, onclick: () => act("test", { color }) }, color[0].toUpperCase() + color.slice(1))));
      }
      for (const button of colors.children) {
        button.disabled = !isShown;
        button.setAttribute("aria-pressed", String(state.running && button.dataset.color === (state.test ?? "none")));
      }
      if (faders.children.length !== state.faders.length) {
        faders.replaceChildren(...state.faders.map((name) => h("label", {}, h("span", {}, name),
          h("input", { type: "range", min: "0", max: "1", step: "0.01", oninput: ({ target }) => act("fader", { name, level: Number(target.value) }) }))));
      }
      [...faders.querySelectorAll("input")].forEach((fader, place) => {
        fader.disabled = !state.running;
        if (!fader.matches(":active")) fader.value = state.levels[place];
      });
      cues.hidden = state.cues.length === 0;
      if (cues.children.length !== state.cues.length) {
        cues.replaceChildren(...state.cues.map((name, cue) => h("li", {},
          h("button", { type: "button", onclick: () => act("cue", { cue }) }, `Cue ${cue + 1}${name ? `: ${name}` : ""}`))));
      }
      [...cues.querySelectorAll("button")].forEach((button, cue) => {
        button.disabled = !isShown;
        button.setAttribute("aria-pressed", String(state.running && cue === state.cue));
      });
      notices.replaceChildren(...state.notices.map((notice) => h("li", {}, notice)));
      notices.hidden = state.notices.length === 0;
      [...scenes.children].forEach((button, place) => {
        button.disabled = !isShown;
        button.setAttribute("aria-pressed", String(state.running && place === state.scene));
      });
      if (!state.running || link.paused && !picture) present(null);
    },
    draw() {
      const value = link.values.lights;
      draw();
      // Without the server there is none, and the header says so.
      look().catch(() => {});
      // With less motion the picture changes once a second.
      if (calm.matches && performance.now() - drawn < 1000) return;
      if (value && value.sequence !== sequence && isPlaying()) {
        [sequence, drawn] = [value.sequence, performance.now()];
        createImageBitmap(new Blob([value.bytes], { type: "image/png" })).then((bitmap) => {
          // Not after its show, nor after a newer one.
          if (sequence === value.sequence && isPlaying()) present(bitmap); else bitmap.close();
        });
      }
    },
  };
}
