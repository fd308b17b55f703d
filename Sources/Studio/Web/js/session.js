// Who is signed in. What follows them is in profile.js, which comes only with it.

import { h } from "./dom.js";
import { browserStore, tabStore } from "./store.js";

/** What the keys of values that are not saved begin with in this browser's storage: the address of whom they are of and their name follow. */
export const UNSAVED = "rustle-unsaved ";

/** The key of an account that this browser has left without an answer of the server. */
const LEFT = "rustle-left";
/** The key, for the time of a sign-in by a provider, of what a page has changed before. */
const OWN = "rustle-own";

/** The keys of an address; of nobody's when it is empty. */
export const keysOf = (email) => browserStore.keys().filter((key) => key.startsWith(`${UNSAVED}[${JSON.stringify(email)},`));

/** Milliseconds after which a server that has not answered does not. */
const LONGEST = 10000;

/** Whose page this is. The server refuses it for another account: all tabs have one cookie, and one may have signed in somebody else. */
let owner = null;
/** Called when the server has no session of the owner's. */
let onrefused = () => {};

/** Asks the server, for an account by its id; rejects with its error, and without a status when there is no answer. */
export async function ask(method, path, body, account = owner) {
  const headers = account ? { "Rustle-Account": account } : {};
  const options = method === "GET" ? { headers } : { headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) };
  const answer = await fetch(path, { method, signal: AbortSignal.timeout(LONGEST), ...options });
  // Of an answer that breaks off nothing is known.
  if (answer.ok) return answer.status === 204 ? {} : await answer.json();
  const value = await answer.json().catch(() => ({}));
  if (value.error?.code === "signedOut" && account === owner) onrefused();
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
  /** Whether the address is known to be theirs. */
  isVerified = false;
  /** The id of the account that is signed in, which its messages name; null: nobody is; undefined: the server was not asked yet. */
  id;
  /** The address of who is signed in; null: nobody. */
  email = null;
  /** Their settings, or those of this browser; null: none so far. */
  profile = null;
  /** Called after every change of who is signed in, and of named values. */
  onchange = () => {};
  onnames = () => {};

  #app;
  #bars = new Map();
  #turn = Promise.resolve();
  /** The answer to who is signed in, as long as the server is yet to be asked for it; null: nobody waits for one. */
  #coming = null;
  #tabs = new BroadcastChannel("rustle-account");
  /** What this page has changed while nobody was signed in: the last value of each part, by the names of settings. */
  #own = new Map();
  /** Whether that becomes the account's once somebody is signed in. */
  #takesAlong = false;
  /** Whether the connection is of a session that was left. */
  #isStale = false;

  constructor(app) {
    this.#app = app;
    const { link } = app;
    this.#comeBack();
    onrefused = () => this.refresh().catch(() => {});
    this.#tabs.onmessage = ({ data }) => { if (data !== (this.id ?? null)) this.changed().catch(() => {}); };
    link.addEventListener("status", () => { if (link.status === "live") this.refresh().catch(() => {}); });
    // A connection may still be that of who was signed in before.
    link.addEventListener("account", ({ detail }) => { if (detail.account === this.id) this.profile?.receive(detail); });
    link.addEventListener("state", ({ detail }) => this.profile?.engineChanged(detail));
  }

  /** What says what becomes of the settings whose names begin so: the profile fills it. */
  bar(prefix) {
    if (!this.#bars.has(prefix)) this.#bars.set(prefix, h("div", { class: "account-bar", hidden: true }));
    return this.#bars.get(prefix);
  }

  /**
   * Asks who is signed in, after what was asked before. Whoever asks while the question waits gets its answer: a server that does not answer
   * to a log-out is waited for once, and not once for each.
   */
  refresh() { return this.#coming ??= this.#after(() => this.#refresh()); }

  /** Does something after what was begun before. */
  #after(work) {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #refresh() {
    try {
      await this.#tellOfLeaving().finally(() => { this.#coming = null; });
      const { accounts, id, email, mail, providers, password, verified } = await ask("GET", "api/account");
      [this.isKept, this.sendsMail, this.providers, this.hasPassword, this.isVerified] = [accounts, mail, providers ?? [], password !== false, verified === true];
      const isLeft = !id || id === browserStore.get(LEFT);
      this.#become(isLeft ? null : id, isLeft ? null : email);
      if (this.id || keysOf("").length) await (await this.#need()).refresh();
      if (this.id) {
        if (this.#takesAlong) this.profile.takeAlong(this.#own);
        this.#own.clear();
        this.#takesAlong = false;
      }
    } finally {
      // Whatever of it failed: the screens show who is signed in, and the connection is theirs.
      if (this.#isStale) this.#app.link.reconnect();
      this.#isStale = false;
      this.onnames();
      this.onchange();
    }
  }

  /** Ends a session that this browser left while the server did not answer. */
  async #tellOfLeaving() {
    const id = browserStore.get(LEFT);
    if (!id) return;
    // Another tab has left it.
    if (id === this.id) this.#become(null, null);
    try {
      await ask("POST", "api/logout", {}, id);
    } catch (error) {
      // Somebody else is signed in by now. Another error is one of the moment.
      if (error.code !== "signedOut") return;
    }
    browserStore.remove(LEFT);
  }

  /** Somebody is signed in, or nobody. What is of another account, or was refused, ends. */
  #become(id, email) {
    const isNews = id !== (this.id ?? null);
    // The first connection is as new as what is known.
    if (isNews && this.id !== undefined) this.#isStale = true;
    if (isNews || this.profile?.isClosed) {
      this.profile?.close();
      this.profile = null;
    }
    [owner, this.id, this.email] = [id, id, email];
    if (isNews) this.#tabs.postMessage(id);
  }

  async #need() {
    const { Profile } = await import("./profile.js");
    return this.profile ??= new Profile(this.#app, this.id ?? null, this.email ?? "");
  }

  /** The session is another one: so is the connection to be. */
  changed() {
    this.#isStale = true;
    return this.refresh();
  }

  /** Signs in, after a log-out that is under way, so that what it finds is older than the session. `takesAlong`: what this page set before becomes the account's. */
  signIn(path, values, takesAlong = false) {
    return this.#after(async () => {
      await ask("POST", path, values);
      browserStore.remove(LEFT);
      [this.#takesAlong, this.#isStale] = [takesAlong, true];
      await this.#refresh();
    });
  }

  /**
   * Somebody sets out for a provider, from where a new account comes back to `?new`. Not before the server has heard of a session that was
   * left here: nobody may come back to it, and it may not hear of it after the sign-in.
   */
  async setOut() {
    if (browserStore.get(LEFT)) await this.refresh().catch(() => {});
    if (browserStore.get(LEFT)) throw new Error("The server did not answer to the log-out before. Try again.");
    tabStore.set(OWN, JSON.stringify([...this.#own].map(([name, parts]) => [name, [...parts]])));
  }

  #comeBack() {
    const text = tabStore.get(OWN);
    tabStore.remove(OWN);
    const query = new URLSearchParams(location.search);
    if (!query.has("new")) return;
    query.delete("new");
    history.replaceState(null, "", location.pathname + (query.size ? `?${query}` : "") + location.hash);
    try {
      this.#own = new Map(JSON.parse(text).map(([name, parts]) => [name, new Map(parts)]));
      this.#takesAlong = true;
    } catch {
      // There is none, or it is broken.
    }
  }

  /** Signs out on this page at once. Resolves to whether the server has heard of it; if not, it does as soon as it answers. */
  async logOut() {
    browserStore.set(LEFT, this.id);
    this.leave();
    await this.changed().catch(() => {});
    return browserStore.get(LEFT) === null;
  }

  /** This page is nobody's from now on. */
  leave() {
    this.#become(null, null);
    this.onnames();
    this.onchange();
  }

  /**
   * The user changes a setting that an engine has, by `changes`: pairs of a part and its value. `present` is what the engine is to have, where
   * its state does not say so yet; null: nothing that accounts keep. `isHeld`: it is saved by `released`, or a moment later.
   */
  moved(name, changes, present, isHeld) {
    if (this.email) this.profile?.moved(name, changes, present, isHeld);
    else this.#own.set(name, new Map([...this.#own.get(name) ?? [], ...changes]));
  }

  /** The user lets go. */
  released(name) { if (this.email) this.profile?.flush(name); }

  /** The named values whose names begin so, by their own names. */
  named(prefix) { return this.profile?.named(prefix) ?? new Map(); }

  /** Keeps a named value, in the account or in this browser; null: no more. */
  async keep(name, value) { (await this.#need()).keep(name, value); }
}
