// Who is signed in, and the equalizer of the account on this device.

import { h, say } from "./dom.js";

/** Milliseconds after the last change after which it is saved, and between two previews. */
const [SAVE, PREVIEW] = [1000, 50];
/** Milliseconds for which values of another device are on their way to the shared sound. */
const SETTLE = 400;
/** Milliseconds for which a preview is new. */
const MOVING = 1500;
/** What was not saved when the page was left; no secret. */
const UNSAVED = "rustle-unsaved";
const COUNT = 14;

/** Asks the server; rejects with its error, and without a status when there is no answer. */
export async function ask(method, path, body) {
  const options = method === "GET" ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) };
  const answer = await fetch(path, { method, ...options });
  const value = answer.status === 204 ? {} : await answer.json().catch(() => ({}));
  if (answer.ok) return value;
  throw Object.assign(new Error(value.error?.message ?? answer.statusText), { ...value.error, status: answer.status, value });
}

export class Session {
  /** Whether the server keeps accounts, and sends mails. */
  isKept = true;
  sendsMail = false;
  /** Providers of OpenID Connect by which people sign in: `{ id, name }`. */
  providers = [];
  /** Whether the account can be signed in to without a provider. */
  hasPassword = true;
  /** The address of who is signed in; null: nobody. */
  email = null;
  /** The equalizer of the account. */
  sync = null;
  /** Called after every change. */
  onchange = () => {};

  #app;
  #device = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  #timers = {};
  #previewed = 0;
  /** Where the account and the sound differ, and nobody has said which one counts. */
  #isAsking = false;

  constructor(app) {
    this.#app = app;
    const { link } = app;
    link.addEventListener("status", () => { if (link.status === "live") this.refresh().catch(() => {}); });
    link.addEventListener("account", ({ detail }) => this.#receive(detail));
    const button = (name, action) => h("button", { type: "button", onclick: action }, name);
    this.note = h("p", { class: "note", role: "status" });
    this.choices = h("div", { class: "row" });
    this.bar = h("div", { class: "account-bar", hidden: true }, this.note, this.choices);
    this.buttons = {
      mine: button("Keep mine", () => this.sync.choose(true)), theirs: button("Take theirs", () => this.sync.choose(false)),
      account: button("Use the account's", () => { this.#isAsking = false; this.#apply(); this.#show(); }),
      sound: button("Save these", () => { this.#isAsking = false; this.#take(this.#sound); }),
    };
  }

  /** Asks who is signed in. */
  async refresh() {
    const { accounts, email, mail, providers, password } = await ask("GET", "api/account");
    [this.isKept, this.sendsMail, this.providers, this.hasPassword] = [accounts, mail, providers ?? [], password !== false];
    const isNew = email !== this.email;
    this.email = email;
    if (!email) this.sync = null;
    else if (isNew || !this.sync) await this.#open();
    else {
      // A sound that had the account's gains follows those of the time without a connection.
      const isFollowing = !this.#differs();
      this.sync.receive(await ask("GET", "api/eq"));
      this.sync.flush();
      if (isFollowing) return this.#show();
    }
    if (this.sync) this.#compare();
    this.#show();
    this.onchange();
  }

  /** Somebody has signed in or out: the connection is to be of this session. `takesAlong`: the present gains become the account's. */
  async changed(takesAlong = false) {
    this.email = null;
    await this.refresh();
    if (takesAlong && this.sync?.rev === 0) {
      this.#isAsking = false;
      this.#take(this.#sound);
    }
    this.#app.link.reconnect();
  }

  /** The user moves gains by `changes`, to `{ left, right }`; null: bands that accounts do not keep. */
  moved(gains, changes) {
    if (!this.sync) return;
    if (!gains) return this.#show("Accounts keep the 14 bands of the graphic equalizer: these filters are not saved.");
    // While gains of another device are on their way to the sound, its other bands are those of before.
    const isFollowing = !this.#isAsking && (this.#timers.settle || this.#timers.moving);
    const bands = isFollowing ? [...this.sync.value] : [...gains.left, ...gains.right];
    for (const { channel, band, gain } of changes) bands[band + (channel === "left" ? 0 : COUNT)] = gain;
    this.#isAsking = false;
    this.sync.change(bands);
    clearTimeout(this.#timers.save);
    this.#timers.save = setTimeout(() => this.sync?.flush(), SAVE);
    this.#preview();
  }

  /** The user lets go. */
  released() {
    clearTimeout(this.#timers.save);
    this.sync?.flush();
  }

  async #open() {
    const email = this.email;
    const send = async (rev, bands) => {
      try {
        return await ask("PUT", "api/eq", { rev, bands, device: this.#device });
      } catch (error) {
        if (error.status === 409) return { ...error.value, isConflict: true };
        if (error.status === 401) this.refresh().catch(() => {});
        throw error;
      }
    };
    // Only who is signed in needs it.
    const { Sync } = await import("./sync.js");
    this.sync = new Sync(send, () => this.#changed(), await ask("GET", "api/eq"));
    const kept = JSON.parse(localStorage.getItem(UNSAVED) ?? "null");
    if (kept?.email === email) {
      this.sync.resume(kept);
      this.sync.flush();
    }
  }

  /** The gains that are heard, when they are those of the graphic equalizer. */
  get #sound() {
    const { left, right } = this.#app.link.states.equalizer ?? {};
    return left?.length === COUNT && right?.length === COUNT ? [...left, ...right] : null;
  }

  #differs() {
    const sound = this.#sound;
    return sound !== null && sound.join() !== this.sync.value.join();
  }

  /** The account's gains follow their user into a sound that nobody has set; into another one they are offered. */
  #compare() {
    if (!this.#differs()) this.#isAsking = false;
    else if (this.#sound.every((gain) => gain === 0)) this.#apply();
    else if (this.sync.rev > 0 && !this.sync.local) this.#isAsking = true;
  }

  #take(bands) {
    if (!bands || !this.sync) return;
    this.sync.change(bands);
    this.sync.flush();
    this.#show();
  }

  #apply() {
    const { value } = this.sync;
    return this.#app.attempt(() => this.#app.link.act("equalizer/set", { left: value.slice(0, COUNT), right: value.slice(COUNT) }));
  }

  #preview() {
    clearTimeout(this.#timers.preview);
    const wait = this.#previewed + PREVIEW - performance.now();
    if (wait > 0) return void (this.#timers.preview = setTimeout(() => this.#preview(), wait));
    this.#previewed = performance.now();
    const { rev, value } = this.sync;
    this.#app.link.act("account/preview", { rev, bands: value, device: this.#device }).catch(() => {});
  }

  #receive(message) {
    if (!this.sync || message.name !== "eq" || message.device === this.#device) return;
    if (message.type === "account") return this.sync.receive(message);
    // Of the sound it is heard already: both devices share it.
    if (message.rev < this.sync.rev) return;
    this.#show("Another device changes the equalizer; not saved yet.");
    clearTimeout(this.#timers.moving);
    this.#timers.moving = setTimeout(() => { this.#timers.moving = null; this.#show(); }, MOVING);
  }

  /** The account's value has changed: what was not saved is kept, and the sound follows. */
  #changed() {
    const { rev, base, local, email } = { ...this.sync, email: this.email };
    if (local) localStorage.setItem(UNSAVED, JSON.stringify({ email, rev, base, local }));
    else localStorage.removeItem(UNSAVED);
    clearTimeout(this.#timers.settle);
    // A page of this server that made the change has set the sound itself, a moment before or after.
    const settle = setTimeout(async () => {
      if (this.sync && !this.#isAsking && this.#differs() && this.#app.link.status === "live") await this.#apply();
      if (this.#timers.settle === settle) this.#timers.settle = null;
    }, SETTLE);
    this.#timers.settle = settle;
    this.#show();
  }

  #show(text) {
    const { sync } = this;
    this.bar.hidden = !sync;
    if (!sync) return;
    let buttons = [];
    if (!text && sync.question) {
      const { frequencies } = this.#app.link.states.equalizer;
      const names = sync.question.bands.map((band) => `${frequencies[band % COUNT]} Hz ${band < COUNT ? "left" : "right"}`).join(", ");
      text = `Two devices changed the same bands: ${names}.`;
      buttons = [this.buttons.mine, this.buttons.theirs];
    } else if (!text && this.#isAsking) {
      text = "Your account has other gains than this sound.";
      buttons = [this.buttons.account, this.buttons.sound];
    }
    text ??= sync.isOffline ? "Kept on this device; saved when the server answers." : sync.local ? "Not saved yet." : sync.rev === 0 ? "Changes are saved in your account." : `Saved in your account, revision ${sync.rev}.`;
    say(this.note, text);
    if (buttons.length !== this.choices.children.length || buttons.some((each, place) => each !== this.choices.children[place])) this.choices.replaceChildren(...buttons);
  }
}
