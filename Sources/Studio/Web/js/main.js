// The frame of the page: header, navigation, one screen at a time, and one drawing loop.

import { h, say, speak, svg } from "./dom.js";
import { EqualizerHistory } from "./history.js";
import { Link, SOUND } from "./link.js";
import { overview } from "./overview.js";
import { Session } from "./session.js";
import { BrowserSound, picker } from "./sound.js";
import { browserStore } from "./store.js";

/** Milliseconds without a value after which what is shown is stale. */
const STALE = 2000;
/** Whether the page's keys of one character act, kept in this browser. */
const KEYS_ARE_OFF = "rustle-keys-off";

/** The files that come a moment later: the first screen does not need them. */
const ahead = [];
/** Makes a screen of such a file. */
const later = (name) => {
  ahead.push(name);
  return async (app) => (await import(`./${name}.js`))[name](app);
};
/** The milliseconds after the light has gone out in which nothing here restores it: the second tap of two asks for no light. */
const REST = 700;
/** The milliseconds after which the files of the other screens are fetched, so that none waits for the server. */
const AHEAD = 500;

const SCREENS = [
  ["", "Overview", overview, "M4 4h7v7H4zM13 4h7v4h-7zM13 11h7v9h-7zM4 14h7v6H4z"],
  ["prices", "Prices", later("ticker"), "M3 17l5-6 4 4 8-9M15 6h5v5"],
  ["spectrum", "Spectrum", later("spectrum"), "M4 20V12M9 20V5M14 20v-9M19 20v-5"],
  ["meter", "Noise", later("meter"), "M4 16a8 8 0 1 1 16 0M12 16l4-6M4 20h16"],
  ["tuner", "Tuner", later("tuner"), "M8 3v7a4 4 0 0 0 8 0V3M12 14v7"],
  ["equalizer", "Equalizer", later("equalizer"), "M6 4v16M12 4v16M18 4v16M4 9h4M10 15h4M16 7h4"],
  ["recorder", "Recorder", later("recorder"), "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0M12 17v4"],
  ["voice", "Voice", later("voice"), "M4 12h2l2-6 3 12 3-9 2 5 1-2h3"],
  ["tempo", "Tempo", later("tempo"), "M8 21l2-17h4l2 17zM12 15l5-9"],
  ["lights", "Lights", later("lights"), "M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10c1 1 1 2 1 3h6c0-1 0-2 1-3a6 6 0 0 0-4-10z"],
  ["fixtures", "Fixtures", later("fixtures"), "M4 6h16M4 12h16M4 18h16M8 4v4M15 10v4M10 16v4"],
  ["setup", "Set-up", later("setup"), "M7 7l10 10-5 5V2l5 5L7 17"],
  ["mapping", "Mapping", later("mapping"), "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3 3 0 1 0 .01 0"],
  ["account", "Account", later("account")],
];
/** What a topic is called where its lost values are counted. */
const TOPIC_NAMES = { prices: "prices", candles: "candles", meter: "noise", spectrum: "spectrum", pitch: "tuner", levels: "equalizer", voice: "voice",
  recording: "recorder", tempo: "tempo", lights: "lights", camera: "mapping" };
const KEYS = [["1 to 9, 0", "Go to a screen"], ["p", "Pause or resume what moves"], ["t", "Tap the tempo"], ["b", "Blackout, or restore the light"], ["?", "This help"]];

const link = new Link();
const app = { link, browserSound: new BrowserSound(), equalizerHistory: new EqualizerHistory(), attempt, report, announce, switchBlackout };
app.session = new Session(app);
app.session.onnames = () => screen?.names?.();
const [main, live, connection] = ["main", "live", "connection"].map((id) => document.getElementById(id));
const [pause, lost, losses] = ["pause", "lost", "losses"].map((id) => document.getElementById(id));
const help = document.getElementById("help");
let screen = null;
/** The screens that were chosen so far. */
let turns = 0;
/** The frames that are drawn though what moves is paused: of another screen, or of another size, which is known a frame later. */
let due = 0;
addEventListener("resize", () => { due = 2; });

/** The milliseconds after which a page is shown without a server. */
const LONGEST_START = 2000;
/** The screens that a phone has room for; the others are behind a button. */
const SHOWN = 4;
const icon = (path) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
const anchor = ([id, name, , path]) => h("a", { href: `#/${id}`, "data-id": id }, icon(path), name);
const nav = document.getElementById("nav");
const more = h("button", { type: "button", "aria-expanded": "false", "aria-controls": "others", onclick: () => expand(more.ariaExpanded !== "true") },
  icon("M5 12h.01M12 12h.01M19 12h.01"), "More");
const others = h("div", { id: "others", class: "others" });
const expand = (isExpanded) => more.setAttribute("aria-expanded", String(isExpanded));

/** What went wrong, and when it is hidden. */
const fault = document.getElementById("fault");
let faultTimer = 0;

/** Why a screen of the sound shows nothing, under its title. */
const signal = h("p", { class: "signal", role: "status" });

/** The light can be put out from every screen while it is sent to lamps, wherever the page is scrolled to. */
const armed = document.getElementById("armed");
const darken = h("button", { type: "button", class: "danger", "data-blackout": "", onclick: switchBlackout }, "Blackout");
/** Whether the light is out, and whether it has just gone out. */
let [isDark, isResting] = [false, false];
let restTimer = 0;
armed.append(h("span", {}, "Armed"), darken);

/** Puts the light out, or restores it. */
function switchBlackout() {
  const on = !link.states.lights.blackout;
  if (on || !isResting) attempt(() => link.act("lights/blackout", { on }));
}

function rest(isNow) {
  isResting = isNow;
  for (const button of document.querySelectorAll("[data-blackout]")) button.ariaDisabled = isNow ? "true" : null;
}

/** Notes whether the light is out. */
function noteBlackout() {
  const { blackout } = link.states.lights;
  if (blackout === isDark) return;
  isDark = blackout;
  clearTimeout(restTimer);
  rest(isDark);
  if (isDark) restTimer = setTimeout(() => rest(false), REST);
}

/** Why the last recording ended early; undefined: what it was before this page is no news. */
let failure;

/** Reports that a recording has ended early: whoever records may look at another screen. */
function noteRecording() {
  const { error } = link.states.recorder;
  if (failure !== undefined && error && error !== failure) report(`The recording ended early: ${error}`);
  failure = error;
}

/** Says something to those who listen to the page. */
function announce(text) { speak(live, text); }

function hideFault() { fault.hidden = true; fault.replaceChildren(); }

/** Shows what went wrong, in view wherever the page is scrolled to. */
function report(text) {
  clearTimeout(faultTimer);
  faultTimer = setTimeout(hideFault, 12000);
  fault.hidden = false;
  fault.replaceChildren(h("p", { class: "error", role: "alert" }, text), h("button", { type: "button", onclick: hideFault }, "Close"));
}

/** Runs an action of a person; what it throws is shown. */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    report(error.advice ? `${error.message}. ${error.advice}` : error.message);
  }
}

/** Whether values of a topic are to come. */
function isRunning(topic) {
  const { ticker, sound, lights, recorder, mapping } = link.states;
  // Candles are closed when their time is over.
  if (topic === "candles") return false;
  if (topic === "prices") return ticker?.running;
  if (topic === "lights") return lights?.running;
  if (topic === "camera") return mapping?.running || mapping?.camera?.open;
  if (topic === "recording") return Boolean(recorder?.recording) && !recorder.paused;
  return SOUND.includes(topic) ? sound?.kind !== "none" : true;
}

/** Shows a screen; `focuses`: its title, so that a reader begins there. */
async function route(focuses = true) {
  const [name] = location.hash.replace(/^#\//, "").split("/");
  const known = SCREENS.find(([id]) => id === name);
  const entry = known ?? SCREENS[0];
  if (!known) {
    history.replaceState(null, "", "#/");
    report(`There is no screen ${name.slice(0, 40)}: this is the overview.`);
  }
  const turn = ++turns;
  const next = await entry[2](app);
  // Another one was chosen meanwhile.
  if (turn !== turns) return;
  screen = next;
  const title = h("h1", { tabindex: "-1" }, screen.title);
  const isOfSound = entry[0] && screen.topics.some((topic) => SOUND.includes(topic));
  main.replaceChildren(title, h("p", { class: "lead" }, screen.lead), ...(isOfSound ? [signal] : []), ...screen.elements);
  document.title = `${screen.title} – Rustle studio`;
  for (const each of document.querySelectorAll("[data-id]")) {
    if (each.dataset.id === entry[0]) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  more.classList.toggle("on", others.querySelector("[aria-current]") !== null);
  expand(false);
  link.want(screen.topics, screen.courses);
  due = 2;
  showArmed();
  showSignal();
  showStates();
  // The header would cover a title that is focused where the screen before was scrolled to.
  if (focuses) {
    scrollTo(0, 0);
    title.focus({ preventScroll: true });
  }
}

/** Gives the screen all states that are known. */
function showStates() {
  if (link.status === "live") for (const name of Object.keys(link.states)) screen?.state?.(name, link.states[name]);
}

/** Shows what was laid out unseen until the server's state had filled it: nothing jumps. */
function reveal() { document.body.classList.remove("waiting"); }

function showConnection() {
  const ages = Object.entries(link.values).filter(([topic]) => isRunning(topic)).map(([, value]) => performance.now() - value.at);
  const oldest = Math.max(0, ...ages);
  const isStale = !link.paused && oldest > STALE && link.status !== "refused";
  const state = link.status === "live" && isStale ? "stale" : link.status;
  if (state === "stale" && connection.dataset.state !== state) announce("The values are no longer new");
  connection.dataset.state = state;
  const age = isStale ? `, values of ${Math.round(oldest / 1000)} s ago` : "";
  say(connection, { live: link.paused ? "Paused" : "Live", stale: "Stale", lost: "Reconnecting", connecting: "Connecting",
    refused: "Open the address that the server printed" }[state] + age);
}

/** Shows how many values of all topics were lost, and of which. */
function showLosses() {
  const counts = Object.entries(link.losses).sort(([, one], [, other]) => other - one);
  const count = (number) => number.toLocaleString("en");
  say(lost, `${count(counts.reduce((sum, [, number]) => sum + number, 0))} lost`);
  say(losses.lastChild, counts.length ? `Lost so far: ${counts.map(([topic, number]) => `${TOPIC_NAMES[topic]} ${count(number)}`).join(", ")}.` : "Lost so far: none.");
}

function showSignal() {
  const { sound } = link.states;
  speak(signal, sound?.kind === "none" ? "No sound is chosen: choose one in the header." : sound?.silent ? "No signal: the chosen sound is silent." : "");
}

function showArmed() {
  const { lights: state } = link.states;
  // Without the server nobody knows, and no button acts.
  armed.hidden = !state?.armed || link.status !== "live";
  say(darken, state?.blackout ? "Restore" : "Blackout");
}

function togglePause() {
  link.pause(!link.paused);
  say(pause, link.paused ? "Resume" : "Pause");
  showConnection();
  if (!link.paused) showStates();
}

function frame() {
  requestAnimationFrame(frame);
  if (!document.hidden && (!link.paused || due > 0)) screen?.draw?.(link.take());
  due = Math.max(0, due - 1);
}

// What is seen first has the focus first: on a phone armed lights and the sound are rows below the buttons.
const phone = matchMedia("(max-width: 799px) and (min-height: 421px), (max-width: 599px)");
const arrange = () => {
  const source = document.getElementById("source");
  if (phone.matches) document.getElementById("header").append(armed, source); else connection.parentElement.after(source, armed);
};
phone.addEventListener("change", arrange);
arrange();
losses.append(h("p", {}, "Values that newer ones replaced before this page drew them. What is shown is the newest."), h("p", {}));
// The account is in the header.
const anchors = SCREENS.filter(([id]) => id !== "account").map(anchor);
others.append(...anchors.slice(SHOWN));
nav.append(...anchors.slice(0, SHOWN), more, others);
nav.addEventListener("keydown", ({ key }) => { if (key === "Escape" && more.ariaExpanded === "true") { expand(false); more.focus(); } });
// The others do not cover what is used next.
nav.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !nav.contains(relatedTarget)) expand(false); });
document.addEventListener("pointerdown", ({ target }) => { if (!nav.contains(target)) expand(false); });
document.getElementById("source").append(...picker(app));
help.append(h("h2", { id: "help-title" }, "Keys"), h("dl", {}, KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
  h("label", {}, h("input", { type: "checkbox", ".checked": !browserStore.get(KEYS_ARE_OFF), onchange: ({ target }) =>
    target.checked ? browserStore.remove(KEYS_ARE_OFF) : browserStore.set(KEYS_ARE_OFF, "1") }), "These keys act"),
  h("p", {}, h("button", { type: "button", onclick: () => help.close() }, "Close")));
pause.addEventListener("click", togglePause);
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
addEventListener("hashchange", () => {
  // It was of the screen before.
  hideFault();
  attempt(route);
});
addEventListener("keydown", (event) => {
  // Not while it is held: a blackout that is switched thirty times per second is a strobe.
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=range]), select, textarea, dialog[open]")) return;
  if (browserStore.get(KEYS_ARE_OFF) && event.key !== "?") return;
  const place = event.key === "0" ? 9 : /^[1-9]$/.test(event.key) ? event.key - 1 : -1;
  if (SCREENS[place]) location.hash = `#/${SCREENS[place][0]}`;
  else if (event.key === "p") togglePause();
  else if (event.key === "?") help.showModal();
  else if (event.key === "t") attempt(() => link.act("tempo/tap", { time: link.time(event) }));
  else if (event.key === "b" && link.states.lights?.running) switchBlackout();
});
document.addEventListener("visibilitychange", () => {
  link.pause(link.paused);
  if (!document.hidden) link.hurry();
});
addEventListener("online", () => link.hurry());
link.addEventListener("status", () => {
  reveal();
  showConnection();
  showArmed();
  if (link.status !== "connecting") announce(link.status === "live" ? "Connected" : link.status === "refused" ? "Open the address that the server printed" : "The connection was lost");
  screen?.status?.(link.status);
  // What was shown is of before; a form stays.
  if (link.status === "live" && link.isRestarted && screen?.topics.length) attempt(() => route(false));
});
link.addEventListener("state", ({ detail }) => {
  if (detail === "sound") showSignal();
  if (detail === "sound" && link.states.sound.kind === "none" && SOUND.some((topic) => link.values[topic])) {
    // What was heard last is not what is there now.
    for (const topic of SOUND) delete link.values[topic];
    if (screen?.topics.some((topic) => SOUND.includes(topic))) return void attempt(() => route(false));
  }
  if (detail === "lights") {
    showArmed();
    noteBlackout();
  }
  if (detail === "recorder") noteRecording();
  // Counts that change each second.
  if (detail === "output" && link.paused) return;
  screen?.state?.(detail, link.states[detail]);
});
setTimeout(reveal, LONGEST_START);
setInterval(() => { showConnection(); showLosses(); }, 500);
showConnection();
showLosses();
link.connect();
await attempt(() => route(false));
setTimeout(() => { for (const name of ahead) import(`./${name}.js`).catch(() => {}); }, AHEAD);
frame();
