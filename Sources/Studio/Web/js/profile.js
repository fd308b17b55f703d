// What follows its user: the settings of an account, and named values of this browser while nobody is signed in.

import { h, say } from "./dom.js";
import { ask, UNSAVED } from "./session.js";
import { Sync } from "./sync.js";

/** Milliseconds after the last change after which it is saved, between two previews, and before another try at a save without an answer. */
const [SAVE, PREVIEW, RETRY] = [1000, 50, 5000];
/** Milliseconds for which values of another device are on their way to the shared engine. */
const SETTLE = 400;
/** Milliseconds for which a preview is new. */
const MOVING = 1500;
/** The bands of a channel. */
const COUNT = 14;
const TUNER = ["a4", "instrument", "temperament", "method"];
const TUNER_NAMES = ["A4", "instrument", "temperament", "method"];
/** The tuner as a server starts it. */
const UNSET_TUNER = [440, "chromatic", "equal", "harmonic"];

const isEmpty = (parts) => parts.every((part) => part === null);
/** Parts of a value of the server's `{ value }`: one text for a list, so that it changes as a whole. */
const list = (key, noun, isRight) => ({
  none: [null],
  read: ({ value }) => [Array.isArray(value?.[key]) && isRight(value[key]) ? JSON.stringify(value[key]) : null],
  write: ([text]) => ({ value: text === null ? null : { [key]: JSON.parse(text) } }),
  question: (own) => `the ${noun} ${own}`, noun: `${noun}s`,
});

/**
 * The kinds of settings, by what their names begin with. `read` makes parts of an answer of the server, `write` the other way round. Those
 * of an engine: `present` has its parts, `put` sets them, and of `isUnset` ones nobody has said anything.
 */
const KINDS = {
  "eq": {
    none: Array(2 * COUNT).fill(0),
    read: ({ bands }) => bands,
    write: (bands) => ({ bands }),
    present: ({ equalizer }) => equalizer?.left.length === COUNT && equalizer.right.length === COUNT ? [...equalizer.left, ...equalizer.right] : null,
    isUnset: (gains) => gains.every((gain) => gain === 0),
    put: (gains) => ["equalizer/set", { left: gains.slice(0, COUNT), right: gains.slice(COUNT) }],
    noun: "gains", place: "sound",
    question: (_, parts, { equalizer }) => `the same bands: ${parts.map((band) => `${equalizer.frequencies[band % COUNT]} Hz ${band < COUNT ? "left" : "right"}`).join(", ")}`,
  },
  "tuner": {
    none: UNSET_TUNER,
    read: ({ value }) => TUNER.map((key, place) => value?.[key] ?? UNSET_TUNER[place]),
    write: (parts) => ({ value: Object.fromEntries(TUNER.map((key, place) => [key, parts[place]])) }),
    keys: TUNER,
    present: ({ tuner }) => tuner ? TUNER.map((key) => tuner[key]) : null,
    isUnset: (parts) => parts.join() === UNSET_TUNER.join(),
    put: (parts) => ["tuner/set", Object.fromEntries(TUNER.map((key, place) => [key, parts[place]]))],
    noun: "settings", place: "tuner",
    question: (_, parts) => `the tuner: ${parts.map((part) => TUNER_NAMES[part]).join(", ")}`,
  },
  "meter/": {
    none: [null],
    read: ({ value }) => [Number.isFinite(value?.offset) ? value.offset : null],
    write: ([offset]) => ({ value: offset === null ? null : { offset } }),
    present: ({ meter }, device) => meter ? [meter.calibrations[device] ?? null] : null,
    isUnset: isEmpty,
    put: ([offset], device) => offset === null ? ["meter/set", { device, calibrated: false }] : ["meter/calibrate", { device, offset }],
    noun: "calibration", place: "meter",
    /** The devices that the engine knows, and the one that is heard. */
    owns: ({ meter }) => Object.keys(meter?.calibrations ?? {}),
    shown: ({ meter }) => meter?.device ?? null,
    question: (device) => `the calibration of ${device}`,
  },
  "eq/presets/": list("bands", "preset", (bands) => bands.length === 2 * COUNT && bands.every(Number.isFinite)),
  "ticker/": list("symbols", "list", (symbols) => symbols.every((symbol) => typeof symbol === "string")),
};
const prefixOf = (name) => Object.keys(KINDS).find((prefix) => (prefix.endsWith("/") ? name.startsWith(prefix) && name !== prefix : name === prefix));

/** What a screen says about its settings, and what it asks. */
class Bar {
  #element;
  #note = h("p", { class: "note", role: "status" });
  #choices = h("div", { class: "row" });
  #actions = [];
  #names = "";

  constructor(element) {
    this.#element = element;
    element.replaceChildren(this.#note, this.#choices);
  }

  /** Shows a text and choices `[name, action]`; without a text nothing. */
  set(text, choices = []) {
    this.#element.hidden = !text;
    say(this.#note, text ?? "");
    this.#actions = choices.map(([, action]) => action);
    const names = choices.map(([name]) => name);
    // What has the focus keeps it.
    if (names.join("\n") === this.#names) return;
    this.#names = names.join("\n");
    this.#choices.replaceChildren(...names.map((name, place) => h("button", { type: "button", onclick: () => this.#actions[place]() }, name)));
  }
}

/** One setting, and the engine that has it. */
class Setting {
  /** Whether the account and the engine differ, and nobody has said which one counts. */
  isAsking = false;
  /** Why the server refused the last save; null: it did not, or it did not answer. */
  fault = null;

  #profile;
  #key;
  #timers = {};
  #previewed = 0;

  constructor(profile, name, answer) {
    [this.#profile, this.name, this.prefix] = [profile, name, prefixOf(name)];
    [this.kind, this.own] = [KINDS[this.prefix], name.slice(this.prefix.length)];
    this.#key = UNSAVED + JSON.stringify([profile.email, name]);
    const { kind } = this;
    this.sync = new Sync((rev, parts) => profile.send(this, rev, parts), () => this.#changed(), answer ? { rev: answer.rev, parts: kind.read(answer) } : { rev: 0, parts: kind.none });
  }

  /** Takes up what was not saved when the page was left. */
  resume() {
    const kept = localStorage.getItem(this.#key);
    if (kept) this.sync.resume(JSON.parse(kept));
  }

  /** The engine's parts; null: it has none that accounts keep, or there is no engine. */
  get present() { return this.kind.present?.(this.#profile.states, this.own) ?? null; }

  get differs() { return this.present !== null && this.present.join() !== this.sync.value.join(); }

  /** Whether the engine has something that the account has nothing of. */
  get isOffered() {
    const { sync, kind } = this;
    return this.differs && !sync.local && (sync.rev === 0 || isEmpty(sync.value)) && !kind.isUnset(this.present);
  }

  /** The account's value follows its user into an engine that nobody has set; into another one it is offered. */
  compare() {
    if (!this.differs) this.isAsking = false;
    else if (this.kind.isUnset(this.present)) { if (!isEmpty(this.sync.value)) this.apply(); }
    else if (!this.sync.local && !this.isOffered) this.isAsking = true;
  }

  /** Makes a value the account's: by default the engine's. */
  take(parts = this.present) {
    this.isAsking = false;
    if (parts) this.sync.change(parts);
    this.flush();
  }

  /** Sets the engine. */
  apply() {
    this.isAsking = false;
    const [action, argument] = this.kind.put(this.sync.value, this.own);
    return this.#profile.act(action, argument);
  }

  moved(changes, present, isHeld) {
    // While values of another device are on their way to the engine, its other parts are those of before.
    const isFollowing = !this.isAsking && (this.#timers.settle || this.#timers.moving) && !isEmpty(this.sync.value);
    const parts = [...(isFollowing ? this.sync.value : present)];
    for (const [key, value] of changes) parts[this.kind.keys?.indexOf(key) ?? key] = value;
    this.isAsking = false;
    this.sync.change(parts);
    clearTimeout(this.#timers.save);
    if (!isHeld) return this.flush();
    this.#timers.save = setTimeout(() => this.flush(), SAVE);
    this.#preview();
  }

  flush() {
    clearTimeout(this.#timers.save);
    if (this.#profile.email) this.sync.flush();
  }

  /** Notes that another device moves it. */
  seePreview() {
    clearTimeout(this.#timers.moving);
    this.#timers.moving = setTimeout(() => { this.#timers.moving = null; this.#profile.show(this.prefix); }, MOVING);
  }

  close() { for (const timer of Object.values(this.#timers)) clearTimeout(timer); }

  #preview() {
    clearTimeout(this.#timers.preview);
    const wait = this.#previewed + PREVIEW - performance.now();
    if (wait > 0) return void (this.#timers.preview = setTimeout(() => this.#preview(), wait));
    this.#previewed = performance.now();
    this.#profile.preview(this.sync);
  }

  /** The value has changed: what is not saved is kept in this browser, and the engine follows. */
  #changed() {
    const { rev, base, local, question } = this.sync;
    if (local) localStorage.setItem(this.#key, JSON.stringify({ rev, base, local, asked: question?.parts }));
    else localStorage.removeItem(this.#key);
    clearTimeout(this.#timers.settle);
    // A page of this server that made the change has set the engine itself, a moment before or after.
    const settle = setTimeout(async () => {
      if (!this.isAsking && this.differs && this.#profile.isLive) await this.apply();
      if (this.#timers.settle === settle) this.#timers.settle = null;
    }, SETTLE);
    this.#timers.settle = settle;
    this.#profile.show(this.prefix);
  }
}

/** The settings of an account, or of this browser: then its address is empty. */
export class Profile {
  #app;
  #bars;
  #settings = new Map();
  #device = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  #retry = null;
  #isClosed = false;

  constructor(app, email) {
    [this.#app, this.email] = [app, email];
    this.#bars = new Map(Object.keys(KINDS).map((prefix) => [prefix, new Bar(app.session.bar(prefix))]));
  }

  get states() { return this.#app.link.states; }
  get isLive() { return this.#app.link.status === "live"; }

  act(action, argument) { return this.#app.attempt(() => this.#app.link.act(action, argument)); }

  /** Nobody is signed in any more, or somebody else. */
  close() {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    for (const setting of this.#settings.values()) setting.close();
    for (const bar of this.#bars.values()) bar.set(null);
  }

  /** Asks for the present values. */
  async refresh() {
    if (this.email) {
      const { settings } = await ask("GET", "api/settings");
      const engines = Object.entries(KINDS).flatMap(([prefix, { present, owns }]) => (owns ? owns(this.states).map((own) => prefix + own) : present ? [prefix] : []));
      for (const name of new Set([...Object.keys(settings), ...engines, ...this.#kept(this.email), ...this.#settings.keys()])) {
        const known = this.#settings.get(name);
        // An engine that had the account's value follows that of the time without a connection.
        const isFollowing = known && known.kind.present && !known.differs;
        if (!known) this.#setting(name, settings[name]);
        // One that is deleted is not among them.
        else if (settings[name] || known.sync.rev > 0) this.#take(known, settings[name] ?? await ask("GET", this.#path(name)));
        const setting = this.#settings.get(name);
        setting?.flush();
        if (setting?.kind.present && !isFollowing) setting.compare();
      }
    } else for (const name of this.#kept("")) this.#setting(name);
    for (const prefix of Object.keys(KINDS)) this.show(prefix);
  }

  /** Makes what was set before the account's, where it has nothing. */
  takeAlong() {
    for (const setting of this.#settings.values()) if (setting.isOffered) setting.take();
    for (const prefix of Object.keys(KINDS)) this.#adopt(prefix);
  }

  moved(name, changes, present = this.#setting(name).present, isHeld = false) {
    if (present) this.#setting(name).moved(changes, present, isHeld);
    else this.show(name, "Accounts keep the 14 bands of the graphic equalizer: these filters are not saved.");
  }

  flush(name) { this.#settings.get(name)?.flush(); }

  named(prefix) {
    const found = [...this.#settings.values()].filter((setting) => setting.prefix === prefix && !isEmpty(setting.sync.value));
    found.sort((left, right) => left.own.localeCompare(right.own));
    return new Map(found.map(({ own, sync }) => [own, JSON.parse(sync.value[0])]));
  }

  keep(name, value) {
    const setting = this.#setting(name);
    setting.sync.change([value === null ? null : JSON.stringify(value)]);
    setting.flush();
  }

  /** Takes a message of the socket. Those of named values have no value: it is asked for. */
  async receive(message) {
    if (!this.email || message.device === this.#device || !prefixOf(message.name)) return;
    const setting = this.#setting(message.name);
    if (message.type === "account") {
      if (message.rev <= setting.sync.rev) return;
      if (message.bands) return this.#take(setting, message);
      try {
        const answer = await ask("GET", this.#path(message.name));
        if (!this.#isClosed) this.#take(setting, answer);
      } catch {
        // The next connection asks for all.
      }
    } else if (message.rev >= setting.sync.rev) {
      // Of the engine it is heard already: both devices share it.
      this.show(setting.prefix, "Another device changes the equalizer; not saved yet.");
      setting.seePreview();
    }
  }

  /** The state of an engine has changed. */
  engineChanged(name) { if (name === "meter") this.show("meter/"); }

  preview({ rev, value }) { this.#app.link.act("account/preview", { rev, bands: value, device: this.#device }).catch(() => {}); }

  /** Saves for a `Sync`. */
  async send(setting, rev, parts) {
    const { kind, name } = setting;
    try {
      const answer = await ask("PUT", this.#path(name), { rev, ...kind.write(parts), device: this.#device });
      setting.fault = null;
      return answer;
    } catch (error) {
      setting.fault = null;
      if (error.status === 409) return { rev: error.value.rev, parts: kind.read(error.value), isConflict: true };
      if (error.status === 401) this.#app.session.refresh().catch(() => {});
      else if (error.status && error.status !== 429 && error.status < 500) setting.fault = error.message;
      else this.#retryLater();
      throw error;
    }
  }

  /** Shows what became of the settings of a kind, or a text of the moment. */
  show(prefix, text) {
    if (this.#isClosed) return;
    const kind = KINDS[prefix];
    if (!kind.present) this.#app.session.onnames();
    this.#bars.get(prefix).set(...(text ? [text] : this.#news(prefix, kind)));
  }

  /** The text of a bar, and its choices. */
  #news(prefix, kind) {
    let all = [...this.#settings.values()].filter((setting) => setting.prefix === prefix);
    if (kind.shown) all = this.email && kind.shown(this.states) !== null ? [this.#setting(prefix + kind.shown(this.states))] : [];
    const asked = all.find(({ sync }) => sync.question);
    if (asked) {
      const what = kind.question(asked.own, asked.sync.question.parts, this.states);
      return [`Two devices changed ${what}.`, [["Keep mine", () => asked.sync.choose(true)], ["Take theirs", () => asked.sync.choose(false)]]];
    }
    const differing = all.find(({ isAsking }) => isAsking);
    if (differing) {
      return [`Your account has other ${kind.noun} than this ${kind.place}.`,
        [["Use the account's", () => { differing.apply(); this.show(prefix); }], ["Save these", () => { differing.take(); this.show(prefix); }]]];
    }
    const guests = this.#guests(prefix);
    if (guests.length) {
      return [`This browser has ${kind.noun} that are not in your account: ${guests.map((name) => name.slice(prefix.length)).join(", ")}.`,
        [["Save these", () => this.#adopt(prefix)], ["Forget these", () => this.#forget(prefix)]]];
    }
    const hasValue = all.some(({ sync }) => sync.local || kind.present || !isEmpty(sync.value));
    if (!hasValue) return [null];
    if (!this.email) return [`Your ${kind.noun} are kept in this browser; with an account they follow you.`];
    const fault = all.find((setting) => setting.fault)?.fault;
    if (fault) return [`Kept on this device: ${fault}.`];
    if (all.some(({ sync }) => sync.isOffline)) return ["Kept on this device; saved when the server answers."];
    if (all.some(({ sync }) => sync.local)) return ["Not saved yet."];
    if (!kind.present) return [`Your ${kind.noun} are saved in your account.`];
    const [{ sync, isOffered }] = all;
    if (isOffered) return [`Your account has no ${kind.noun} of this ${kind.place}.`, [["Save these", () => { all[0].take(); this.show(prefix); }]]];
    return [sync.rev === 0 ? "Changes are saved in your account." : `Saved in your account, revision ${sync.rev}.`];
  }

  #setting(name, answer) {
    if (!prefixOf(name)) return undefined;
    if (!this.#settings.has(name)) {
      this.#settings.set(name, new Setting(this, name, answer));
      this.#settings.get(name).resume();
    }
    return this.#settings.get(name);
  }

  #take(setting, answer) { setting.sync.receive({ rev: answer.rev, parts: setting.kind.read(answer) }); }

  #path(name) {
    const prefix = prefixOf(name);
    return name === "eq" ? "api/eq" : `api/settings/${prefix}${encodeURIComponent(name.slice(prefix.length))}`;
  }

  /** The names of what is kept in this browser and not saved, of an address. */
  #kept(email) {
    return Object.keys(localStorage).filter((key) => key.startsWith(UNSAVED)).map((key) => JSON.parse(key.slice(UNSAVED.length)))
      .filter(([owner]) => owner === email).map(([, name]) => name);
  }

  /** The named values of this browser that are not the account's. */
  #guests(prefix) { return this.email ? this.#kept("").filter((name) => prefixOf(name) === prefix) : []; }

  /** Makes them the account's; of those that it has under the same name it asks. */
  #adopt(prefix) {
    for (const name of this.#guests(prefix)) {
      const key = UNSAVED + JSON.stringify(["", name]);
      const setting = this.#setting(name);
      // One that waits for its own save comes first.
      if (setting.sync.local) continue;
      setting.sync.resume(JSON.parse(localStorage.getItem(key)));
      localStorage.removeItem(key);
      setting.flush();
    }
    this.show(prefix);
  }

  #forget(prefix) {
    for (const name of this.#guests(prefix)) localStorage.removeItem(UNSAVED + JSON.stringify(["", name]));
    this.show(prefix);
  }

  #retryLater() {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => { for (const setting of this.#settings.values()) setting.flush(); }, RETRY);
  }
}
