// One setting on this device: kept until it is saved, and followed by the engine that has it.

import { isEmpty, KINDS, prefixOf } from "./kinds.js";
import { UNSAVED } from "./session.js";
import { browserStore } from "./store.js";
import { Sync } from "./sync.js";

/** Milliseconds after the last change after which it is saved, and between two previews. */
const [SAVE, PREVIEW] = [1000, 50];
/** Milliseconds for which values of another device are on their way to the shared engine. */
const SETTLE = 400;
/** Milliseconds for which a preview is new. */
const MOVING = 1500;
/** Milliseconds without a save after which it is taken back, because its device is gone, and after which one that is there repeats it. */
const [LOST, REPEAT] = [8000, 2500];

/**
 * What the browser keeps of a value of a kind; null: nothing. What is no value of it, as another version of the page may have left it, is
 * removed: it would stand in the way of all others for good.
 */
export function keptAt(key, kind) {
  const isFit = (parts) => parts.length === kind.none.length && parts.join() === kind.read(kind.write(parts)).join();
  try {
    const kept = JSON.parse(browserStore.get(key));
    const { rev, base, local, sent, asked } = kept;
    if (Number.isInteger(rev) && [base, local, sent ?? local].every(isFit) && (asked ?? []).every((part) => part in kind.none)) return kept;
  } catch {
    // It is none.
  }
  browserStore.remove(key);
  return null;
}

/** One setting, and the engine that has it. */
export class Setting {
  /** Whether the account and the engine differ, and nobody has said which one counts. */
  isAsking = false;
  /** Whether the browser keeps what is not saved, for when the page was left. */
  isKept = true;
  /** Why the server refused the last save; null: it did not, or it did not answer. */
  fault = null;

  #profile;
  #key;
  /** What this page keeps in the browser, where another tab may keep something else; null: nothing. */
  #kept = null;
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
    const kept = keptAt(this.#key, this.kind);
    this.#kept = browserStore.get(this.#key);
    if (kept) this.sync.resume(kept);
  }

  /** The engine's parts; null: it has none that accounts keep, or there is no engine. */
  get present() { return this.kind.present?.(this.#profile.states, this.own) ?? null; }

  get differs() { return this.present !== null && this.present.join() !== this.sync.value.join(); }

  /** Whether the engine has something that the account has nothing of. */
  get isOffered() {
    const { sync, kind } = this;
    return this.differs && !sync.local && (sync.rev === 0 || isEmpty(sync.value)) && !kind.isUnset(this.present);
  }

  /** Whether the engine differs from the account's value by nothing but these parts and their values. */
  isOf(own) { return this.present.every((part, place) => part === this.sync.value[place] || part === own?.get(this.kind.keys?.[place] ?? place)); }

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

  /** Whether the engine is to get the account's value, and has not yet. */
  get isSettling() { return Boolean(this.#timers.settle); }

  /** Lets the engine follow, a moment later: a page of this server that made the change has set the engine itself, a moment before or after. */
  follow() {
    if (this.#profile.isClosed) return;
    clearTimeout(this.#timers.settle);
    const settle = setTimeout(async () => {
      // One that another device moves at present is followed when it is saved.
      if (!this.isAsking && !this.#timers.moving && this.differs && this.#profile.isLive) await this.apply();
      // Without a connection it is still to follow: at the next one.
      if (this.#timers.settle === settle && this.#profile.isLive) this.#timers.settle = null;
    }, SETTLE);
    this.#timers.settle = settle;
  }

  /** The engine has the account's value. */
  settle() {
    clearTimeout(this.#timers.settle);
    this.#timers.settle = null;
  }

  moved(changes, present, isHeld) {
    // While values of another device are on their way to the engine, its other parts are those of before.
    const isFollowing = !this.isAsking && (this.isSettling || this.#timers.moving) && !isEmpty(this.sync.value);
    // What is asked about is answered by a person, and not by what the engine has meanwhile.
    const parts = [...(isFollowing || this.sync.question ? this.sync.value : present)];
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

  /** Notes that another device moves it, and where to. */
  seePreview(parts) {
    this.endPreview();
    this.#timers.moving = setTimeout(() => { this.#timers.moving = null; this.#profile.show(this.prefix); }, MOVING);
    this.#timers.lost = setTimeout(() => {
      if (!this.differs || !this.#profile.isLive) return;
      // Of what somebody has set since then a person decides.
      if (this.present.join() === parts.join()) this.apply();
      else this.compare();
      this.#profile.show(this.prefix);
    }, LOST);
  }

  /** What was moved is saved, or moved again. */
  endPreview() {
    for (const name of ["moving", "lost"]) {
      clearTimeout(this.#timers[name]);
      this.#timers[name] = null;
    }
  }

  close() { for (const timer of Object.values(this.#timers)) clearTimeout(timer); }

  /** Shows other devices where this one moves it, and again until it is saved, whatever that waits for: until then they leave the engine as it is. */
  #preview() {
    clearTimeout(this.#timers.preview);
    const wait = this.#previewed + PREVIEW - performance.now();
    if (wait > 0) return void (this.#timers.preview = setTimeout(() => this.#preview(), wait));
    this.#previewed = performance.now();
    this.#profile.preview(this.sync);
    this.#timers.preview = setTimeout(() => { if (this.sync.local) this.#preview(); }, REPEAT);
  }

  /** The value has changed: what is not saved is kept in this browser, and the engine follows. */
  #changed() {
    // What the account leaves is in the browser already, or was deleted with it.
    if (this.#profile.isClosed) return;
    const { rev, base, local, sent, question } = this.sync;
    if (local) {
      this.#kept = JSON.stringify({ rev, base, local, sent, asked: question?.parts });
      this.isKept = browserStore.set(this.#key, this.#kept);
    } else if (browserStore.get(this.#key) === this.#kept) browserStore.remove(this.#key);
    if (this.isAsking) this.compare();
    this.follow();
    this.#profile.show(this.prefix);
  }
}
