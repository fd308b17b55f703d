// What follows its user: the settings of an account, and named values of this browser while nobody is signed in.

import { h, say, speak } from "./dom.js";
import { isEmpty, KINDS, prefixOf } from "./kinds.js";
import { ask, keysOf, UNSAVED } from "./session.js";
import { keptAt, Setting } from "./setting.js";
import { browserStore } from "./store.js";

/** Milliseconds before another try at what had no answer. */
const RETRY = 5000;

/** Whether the same request may succeed later. */
const isPassing = ({ status }) => !status || status === 429 || status >= 500;

/** What a screen says about its settings, and what it asks. */
class Bar {
  #element;
  #note = h("p", { class: "note" });
  /** The text as it is read out: less often than a save may change it. */
  #spoken = h("span", { class: "hidden", role: "status" });
  #choices = h("div", { class: "row" });
  #actions = [];
  #names = "";

  constructor(element) {
    this.#element = element;
    element.replaceChildren(this.#note, this.#spoken, this.#choices);
  }

  /** Shows a text and choices `[name, action]`; without a text nothing. */
  set(text, choices = []) {
    this.#element.hidden = !text;
    say(this.#note, text ?? "");
    speak(this.#spoken, text ?? "");
    this.#actions = choices.map(([, action]) => action);
    const names = choices.map(([name]) => name);
    // What has the focus keeps it.
    if (names.join("\n") === this.#names) return;
    this.#names = names.join("\n");
    this.#choices.replaceChildren(...names.map((name, place) => h("button", { type: "button", onclick: () => this.#actions[place]() }, name)));
  }
}

/** The settings of an account, or of this browser: then its address is empty. */
export class Profile {
  #app;
  #bars;
  #settings = new Map();
  #device = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  #retry = null;
  /** Whether the account may have newer values, which could not be read. */
  #isBehind = false;
  /** Whether it was left: it writes nothing any more, neither on the server nor in the browser nor to an engine. */
  isClosed = false;

  /** `id`: the account's, which each request and message names. */
  constructor(app, id, email) {
    [this.#app, this.id, this.email] = [app, id, email];
    this.#bars = new Map(Object.keys(KINDS).map((prefix) => [prefix, new Bar(app.session.bar(prefix))]));
  }

  get states() { return this.#app.link.states; }
  get isLive() { return this.#app.link.status === "live"; }

  act(action, argument) { return this.isClosed ? Promise.resolve() : this.#app.attempt(() => this.#app.link.act(action, argument)); }

  /** Asks the server for this account, and for nobody once it was left. */
  async #ask(method, path, body) {
    const check = () => { if (this.isClosed) throw new Error("the account was left"); };
    check();
    const answer = await ask(method, path, body, this.id);
    check();
    return answer;
  }

  /** Nobody is signed in any more, or somebody else. */
  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.#retry);
    for (const setting of this.#settings.values()) setting.close();
    for (const bar of this.#bars.values()) bar.set(null);
  }

  /** Asks for the present values. */
  async refresh() {
    if (this.email) {
      const { settings } = await this.#read("api/settings");
      this.#isBehind = false;
      const engines = Object.entries(KINDS).flatMap(([prefix, { present, owns }]) => (owns ? owns(this.states).map((own) => prefix + own) : present ? [prefix] : []));
      for (const name of new Set([...Object.keys(settings), ...engines, ...this.#kept(this.email), ...this.#settings.keys()])) {
        const known = this.#settings.get(name);
        // An engine that had the account's value follows that of the time without a connection.
        const isFollowing = known?.kind.present && (known.isSettling || !known.differs);
        if (!known) this.#setting(name, settings[name]);
        // One that is deleted is not among them.
        else if (settings[name] || known.sync.rev > 0) this.#take(known, settings[name] ?? await this.#read(this.#path(name)));
        const setting = this.#settings.get(name);
        setting?.flush();
        // Equal ones have nothing to follow: a timer would undo what somebody changes a moment later.
        if (isFollowing) setting.differs ? setting.follow() : setting.settle();
        else if (setting?.kind.present) setting.compare();
      }
    } else for (const name of this.#kept("")) this.#setting(name);
    for (const prefix of Object.keys(KINDS)) this.show(prefix);
  }

  /** Makes what this page set before the account's, where it has nothing: `own` has the parts and their values. What others set is offered. */
  takeAlong(own) {
    for (const setting of this.#settings.values()) if (setting.isOffered && setting.isOf(own.get(setting.name))) setting.take();
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
      setting.endPreview();
      if (message.bands) return this.#take(setting, message);
      try {
        this.#take(setting, await this.#read(this.#path(message.name)));
      } catch {
        // All are asked for, a moment later or at the next connection.
      }
    } else if (message.rev >= setting.sync.rev) {
      // Of the engine it is heard already: both devices share it.
      this.show(setting.prefix, "Another device changes the equalizer; not saved yet.");
      setting.seePreview(message.bands);
    }
  }

  /** The state of an engine has changed. */
  engineChanged(name) {
    for (const setting of this.#settings.values()) {
      if (!setting.isAsking) continue;
      setting.compare();
      this.show(setting.prefix);
    }
    if (name === "meter") this.show("meter/");
  }

  preview({ rev, value }) { this.#app.link.act("account/preview", { account: this.id, rev, bands: value, device: this.#device }).catch(() => {}); }

  /** Saves for a `Sync`. */
  async send(setting, rev, parts) {
    const { kind, name } = setting;
    try {
      const answer = await this.#ask("PUT", this.#path(name), { rev, ...kind.write(parts), device: this.#device });
      setting.fault = null;
      return answer;
    } catch (error) {
      setting.fault = null;
      if (error.status === 409) return { rev: error.value.rev, parts: kind.read(error.value), isConflict: true };
      if (isPassing(error)) this.#retryLater();
      // Nobody is signed in by now, or somebody else: nothing follows.
      else if (error.code === "signedOut") this.close();
      else if (error.status !== 401) setting.fault = error.message;
      throw error;
    }
  }

  /** Shows what became of the settings of a kind, or a text of the moment. */
  show(prefix, text) {
    if (this.isClosed) return;
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
    const unsaved = all.filter(({ sync }) => sync.local);
    const isKept = unsaved.every((each) => each.isKept);
    if (!this.email) return [`Your ${kind.noun} are kept ${isKept ? "in this browser" : "on this page only"}; with an account they follow you.`];
    const kept = isKept ? "Kept on this device" : "Kept on this page only";
    const refused = unsaved.find(({ fault }) => fault);
    if (refused) return [`${kept}: ${refused.fault}.`];
    if (unsaved.some(({ sync }) => sync.isOffline)) return [`${kept}; saved when the server answers.`];
    if (unsaved.length) return ["Not saved yet."];
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
  #kept(email) { return keysOf(email).map((key) => JSON.parse(key.slice(UNSAVED.length))[1]); }

  /** The named values of this browser that are not the account's. */
  #guests(prefix) { return this.email ? this.#kept("").filter((name) => prefixOf(name) === prefix) : []; }

  /** Makes them the account's; of those that it has under the same name it asks. */
  #adopt(prefix) {
    for (const name of this.#guests(prefix)) {
      const key = UNSAVED + JSON.stringify(["", name]);
      const setting = this.#setting(name);
      // One that waits for its own save comes first.
      if (setting.sync.local) continue;
      const kept = keptAt(key, setting.kind);
      browserStore.remove(key);
      if (kept) setting.sync.resume(kept);
      setting.flush();
    }
    this.show(prefix);
  }

  #forget(prefix) {
    for (const name of this.#guests(prefix)) browserStore.remove(UNSAVED + JSON.stringify(["", name]));
    this.show(prefix);
  }

  async #read(path) {
    try {
      return await this.#ask("GET", path);
    } catch (error) {
      this.#isBehind = true;
      if (isPassing(error)) this.#retryLater();
      throw error;
    }
  }

  #retryLater() {
    if (this.isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      if (this.#isBehind && this.isLive) this.#app.session.refresh().catch(() => {});
      for (const setting of this.#settings.values()) setting.flush();
    }, RETRY);
  }
}
