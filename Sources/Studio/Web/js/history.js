// The equalizer's steps, A and B, and the order of what it does: they outlive its screen.

/** Steps that can be undone. */
const MOST = 100;
/** Milliseconds within which a second press belongs to the step of the first: a double click. */
const AGAIN = 500;

/**
 * Steps of the equalizer. One of bands holds only those that it changed, so that undoing it leaves others, also of other pages, as they
 * are; it is of the frequencies that the bands had. One of everything, such as an import, holds the filters of before as text, and the
 * action, whose argument may be the filters of after.
 */
export class EqualizerHistory {
  /** Whether left and right change together. */
  isLinked = true;
  /** The gains of the other one of A and B, with their frequencies. */
  slots = { A: null, B: null };
  slot = "A";

  #past = [];
  #future = [];
  /** The step that goes on, by dragging or holding a key. */
  #open = null;
  #pressed = { control: null, at: -Infinity };

  /** Begins another step: a control is used at a time in milliseconds. */
  press(control, at) {
    if (control !== this.#pressed.control || at - this.#pressed.at > AGAIN) this.#open = null;
    this.#pressed = { control, at };
  }

  /** Ends the step that goes on. */
  end() { this.#open = null; }

  /**
   * Notes changes of one control: lists of channel, band, gain before and after. Returns what takes the note back, if they are not made,
   * unless another step followed that stands; before that the notes after it are.
   */
  change(control, frequencies, changes) {
    const news = changes.filter(({ before, after }) => before !== after);
    if (!news.length) return () => {};
    const noted = { past: this.#past, future: this.#future };
    const isNew = this.#open?.control !== control || this.#open.frequencies !== frequencies;
    if (isNew) {
      this.#open = { control, frequencies, changes: [] };
      this.#add(this.#open);
    }
    const step = this.#open;
    const known = step.changes;
    step.changes = known.map((each) => ({ ...each, after: news.find(({ channel, band }) => each.channel === channel && each.band === band)?.after ?? each.after }));
    step.changes.push(...news.filter(({ channel, band }) => !known.some((each) => each.channel === channel && each.band === band)));
    return () => {
      this.#open = null;
      if (this.#past.at(-1) !== step) return;
      step.changes = known;
      if (isNew) this.forget(noted);
    };
  }

  /** Notes a change of everything, before it is made: the filters of before, and the action with its argument. Returns what `forget` takes. */
  replace(before, action, argument) {
    const noted = { past: this.#past, future: this.#future };
    this.#open = null;
    this.#add({ before, action, argument });
    return noted;
  }

  /** Takes back the note of a change that was refused: what could be undone and redone before it can be again. */
  forget({ past, future }) { [this.#past, this.#future] = [past, future]; }

  #add(step) {
    this.#past = [...this.#past, step].slice(-MOST);
    this.#future = [];
  }

  /** Whether there is a step to undo, or to redo, of these frequencies or of everything. */
  has(isRedo, frequencies) { return (isRedo ? this.#future : this.#past).some((step) => EqualizerHistory.#fits(step, frequencies)); }

  /**
   * Takes the newest step back, or the last one again: the changes `{ channel, band, gain }`, or an action with its argument; null for none.
   * If that is not done, `putBack` leaves the steps as they were.
   */
  take(isRedo, frequencies) {
    const [from, to] = isRedo ? [this.#future, this.#past] : [this.#past, this.#future];
    this.#open = null;
    let step;
    // Those of other frequencies have lost their bands.
    do step = from.pop(); while (step && !EqualizerHistory.#fits(step, frequencies));
    if (!step) return null;
    to.push(step);
    const putBack = () => { if (to.at(-1) === step) from.push(to.pop()); };
    if (!step.changes) return { ...isRedo ? step : { action: "equalizer/import", argument: { text: step.before } }, putBack };
    return { changes: step.changes.map(({ channel, band, before, after }) => ({ channel, band, gain: isRedo ? after : before })), putBack };
  }

  /** What was begun last: the next one follows its end. */
  #turn = Promise.resolve();
  /** The replacements of all bands that are not over, and what waits for them. */
  #replacements = 0;

  /** Does something after what was begun before. */
  after(work) {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Does what replaces all bands after what was begun before; `settle` follows, whatever came of it. */
  exchange(work, settle) {
    this.#replacements += 1;
    return this.after(async () => {
      try {
        await work();
      } finally {
        this.#replacements -= 1;
        settle();
      }
    });
  }

  /** Does something at once, or after replacements that are under way: it is about the bands that these leave. */
  onceReplaced(work) {
    if (!this.#replacements) return work();
    this.#replacements += 1;
    this.after(() => {
      // What it begins is over before the next one begins, which was asked for later.
      const rest = this.#turn;
      this.#turn = Promise.resolve();
      work();
      const own = this.#turn;
      this.#turn = rest;
      return own.then(() => { this.#replacements -= 1; });
    });
  }

  /** Waits until all is over that was begun. */
  async settled() {
    let turn;
    do await (turn = this.#turn); while (turn !== this.#turn);
  }

  static #fits(step, frequencies) { return !step.changes || step.frequencies === frequencies; }
}
