// A value that follows its user: saved by comparing revisions, merged band by band when two devices change it.

const isSame = (left, right) => left.every((each, place) => each === right[place]);

/**
 * One setting on one device. `send(rev, bands)` resolves to `{ rev }`, or to `{ rev, bands, isConflict: true }` with what is there instead;
 * it rejects without an answer, after which the value may be stored or not. `report()` is called after every change.
 */
export class Sync {
  /** The newest revision that is known, and its value. */
  rev;
  base;
  /** What is not saved yet; null: nothing. */
  local = null;
  /** Bands that two devices changed, with both values: `{ bands, theirs }`; null: none. Nothing is saved before it is answered. */
  question = null;
  /** Whether the last save had no answer. */
  isOffline = false;

  #send;
  #report;
  #isSending = false;
  /** What was sent without an answer: the server may have it. */
  #unanswered = null;
  /** The newest revision that came while a save was on its way. */
  #late = null;

  constructor(send, report, { rev, bands }) { [this.#send, this.#report, this.rev, this.base] = [send, report, rev, bands]; }

  /** What this device shows. */
  get value() { return this.local ?? this.base; }

  /** Takes up what was not saved when the page was left, and the value on which it was based. */
  resume({ rev, base, local }) {
    const present = { rev: this.rev, bands: this.base };
    if (rev > present.rev) return;
    [this.rev, this.base, this.local] = [rev, base, local];
    if (present.rev > rev) this.#rebase(present);
    this.#report();
  }

  /** The user changes the value. */
  change(bands) {
    this.local = isSame(bands, this.base) ? null : bands;
    this.#ask(this.question?.bands ?? []);
    this.#report();
  }

  /** Saves what is not saved yet. */
  async flush() {
    while (this.local && !this.question && !this.#isSending) {
      const sent = this.local;
      this.#isSending = true;
      let answer = null;
      try {
        answer = await this.#send(this.rev, sent);
        this.isOffline = false;
      } catch {
        this.isOffline = true;
        this.#unanswered = sent;
      }
      this.#isSending = false;
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
  receive({ rev, bands }) {
    if (rev <= this.rev) return;
    if (this.#isSending) {
      if (rev > (this.#late?.rev ?? 0)) this.#late = { rev, bands };
      return;
    }
    this.#rebase({ rev, bands });
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
    [this.rev, this.base, this.#unanswered] = [rev, sent, null];
    if (this.local && isSame(this.local, sent)) this.local = null;
  }

  /** Puts what this device changed on top of a newer revision. */
  #rebase({ rev, bands }) {
    if (rev <= this.rev) return;
    if (this.#unanswered && isSame(bands, this.#unanswered)) return this.#accept(rev, bands);
    const [before, mine] = [this.base, this.local];
    [this.rev, this.base] = [rev, bands];
    if (!mine) return;
    const isMoved = mine.map((each, band) => each !== before[band]);
    const both = isMoved.flatMap((moved, band) => (moved && bands[band] !== before[band] ? [band] : []));
    this.local = mine.map((each, band) => (isMoved[band] ? each : bands[band]));
    this.#ask([...(this.question?.bands ?? []), ...both]);
    if (isSame(this.local, bands)) this.local = null;
  }

  /** Asks about the bands of which both values still differ. */
  #ask(bands) {
    const open = [...new Set(bands)].filter((band) => this.local && this.local[band] !== this.base[band]);
    const theirs = () => this.local.map((each, band) => (open.includes(band) ? this.base[band] : each));
    this.question = open.length ? { bands: open, theirs: theirs() } : null;
  }
}
