// The equalizer's steps, A and B: they outlive its screen.

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

  /** Notes changes of one control: lists of channel, band, gain before and after. */
  change(control, frequencies, changes) {
    const news = changes.filter(({ before, after }) => before !== after);
    if (!news.length) return;
    if (this.#open?.control !== control || this.#open.frequencies !== frequencies) {
      this.#open = { control, frequencies, changes: [] };
      this.#add(this.#open);
    }
    for (const { channel, band, before, after } of news) {
      const known = this.#open.changes.find((each) => each.channel === channel && each.band === band);
      if (known) known.after = after;
      else this.#open.changes.push({ channel, band, before, after });
    }
  }

  /** Notes a change of everything, before it is made: the filters of before, and the action with its argument. */
  replace(before, action, argument) {
    const step = { before, action, argument };
    this.#open = null;
    this.#add(step);
    return step;
  }

  /** Takes back the note of a change that was refused. */
  forget(step) { this.#past = this.#past.filter((each) => each !== step); }

  #add(step) {
    this.#past = [...this.#past, step].slice(-MOST);
    this.#future = [];
  }

  /** Whether there is a step to undo, or to redo, of these frequencies or of everything. */
  has(isRedo, frequencies) { return (isRedo ? this.#future : this.#past).some((step) => EqualizerHistory.#fits(step, frequencies)); }

  /** Takes the newest step back, or the last one again: the changes `{ channel, band, gain }`, or an action with its argument; null for none. */
  take(isRedo, frequencies) {
    const [from, to] = isRedo ? [this.#future, this.#past] : [this.#past, this.#future];
    this.#open = null;
    let step;
    // Those of other frequencies have lost their bands.
    do step = from.pop(); while (step && !EqualizerHistory.#fits(step, frequencies));
    if (!step) return null;
    to.push(step);
    if (!step.changes) return isRedo ? step : { action: "equalizer/import", argument: { text: step.before } };
    return { changes: step.changes.map(({ channel, band, before, after }) => ({ channel, band, gain: isRedo ? after : before })) };
  }

  static #fits(step, frequencies) { return !step.changes || step.frequencies === frequencies; }
}
