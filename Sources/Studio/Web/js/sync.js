// A value of several parts that follows its user: saved by comparing revisions, merged part by part when two devices change it.

const isSame = (left, right) => left.every((each, place) => each === right[place]);

/** The statuses that refuse a value itself: it would have been refused before as well. */
const UNFIT = [400, 413];

/**
 * One setting on one device. `send(rev, parts)` resolves to `{ rev }`, or to `{ rev, parts, isConflict: true }` with what is there instead;
 * it rejects without an answer, after which the value may be stored or not, and with an error whose `status` is below 500 when it is not. `report()` is called after every change.
 */
export class Sync {
  /** The newest revision that is known, and its value. */
  rev;
  base;
  /** What is not saved yet; null: nothing. */
  local = null;
  /** Parts that two devices changed, with both values: `{ parts, theirs }`; null: none. Nothing is saved before it is answered. */
  question = null;
  /** Whether the last save had no answer. */
  isOffline = false;
  /** What was sent and has no answer: the server may have it. It goes again before anything newer does, so that it is one value. Null: none. */
  sent = null;

  #send;
  #report;
  #isSending = false;
  /** The newest revision that came while a save was on its way. */
  #late = null;

  constructor(send, report, { rev, parts }) { [this.#send, this.#report, this.rev, this.base] = [send, report, rev, parts]; }

  /** What this device shows. */
  get value() { return this.local ?? this.base; }

  /** Takes up what was not saved when the page was left: the value on which it was based, what had no answer, and the parts that were asked about. */
  resume({ rev, base, local, sent = null, asked = [] }) {
    // One that is older is not known yet, or of a backup: the answer to the next save says what there is.
    const present = { rev: this.rev, parts: this.base };
    [this.rev, this.base, this.local, this.sent] = [rev, base, local, sent];
    this.#ask(asked);
    if (present.rev > rev) this.#rebase(present);
    this.#report();
  }

  /** The user changes the value. */
  change(parts) {
    // Back to what it was is a change as well, of what may be on the server by now.
    this.local = isSame(parts, this.base) && !this.sent ? null : parts;
    this.#ask(this.question?.parts ?? []);
    this.#report();
  }

  /** Saves what is not saved yet. */
  async flush() {
    while (this.local && !this.question && !this.#isSending) {
      const isNew = !this.sent;
      const sent = this.sent ??= this.local;
      this.#isSending = true;
      // The page may be left before the answer.
      if (isNew) this.#report();
      let answer = null;
      try {
        answer = await this.#send(this.rev, sent);
        this.isOffline = false;
      } catch (error) {
        this.isOffline = true;
        // What the server refuses it does not have, unless it has it of another time.
        if (isNew ? error.status < 500 : UNFIT.includes(error.status)) this.sent = null;
        if (!this.sent && isSame(this.local, this.base)) this.local = null;
      }
      this.#isSending = false;
      // It may name an older revision: of a backup to which the server went back.
      if (answer?.isConflict) this.#rebase(answer);
      else if (answer) this.#accept(answer.rev, sent);
      const late = this.#late;
      this.#late = null;
      if (late) this.receive(late);
      this.#report();
      if (!answer) return;
    }
  }

  /** Takes a revision of the server. */
  receive({ rev, parts }) {
    if (rev <= this.rev) return;
    if (this.#isSending) {
      if (rev > (this.#late?.rev ?? 0)) this.#late = { rev, parts };
      return;
    }
    this.#rebase({ rev, parts });
    this.#report();
  }

  /** Answers the question: this device's value, or the other one's. */
  choose(isMine) {
    if (!isMine && this.question) this.local = this.question.theirs;
    if (this.local && isSame(this.local, this.base)) this.local = null;
    this.question = null;
    this.#report();
    return this.flush();
  }

  /** The server has what was sent. */
  #accept(rev, sent) {
    [this.rev, this.base, this.sent] = [rev, sent, null];
    if (this.local && isSame(this.local, sent)) this.local = null;
  }

  /** Puts what this device changed on top of another revision. */
  #rebase({ rev, parts }) {
    if (this.sent && isSame(this.sent, parts)) return this.#accept(rev, parts);
    const [before, sent, mine] = [this.base, this.sent ?? this.base, this.local];
    [this.rev, this.base, this.sent] = [rev, parts, null];
    if (!mine) return;
    const isMoved = mine.map((each, part) => each !== before[part] || each !== sent[part]);
    const both = isMoved.flatMap((moved, part) => (moved && parts[part] !== before[part] ? [part] : []));
    this.local = mine.map((each, part) => (isMoved[part] ? each : parts[part]));
    this.#ask([...(this.question?.parts ?? []), ...both]);
    if (isSame(this.local, parts)) this.local = null;
  }

  /** Asks about the parts of which both values still differ. */
  #ask(parts) {
    const open = [...new Set(parts)].filter((part) => this.local && this.local[part] !== this.base[part]);
    const theirs = () => this.local.map((each, part) => (open.includes(part) ? this.base[part] : each));
    this.question = open.length ? { parts: open, theirs: theirs() } : null;
  }
}
