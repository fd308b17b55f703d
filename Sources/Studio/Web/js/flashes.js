// A picture that is held where it would flash: three flashes a second are the most that is safe for photosensitive people (WCAG, 2.3.1).

import { h } from "./dom.js";

/** The cells of a picture, across and down, each of which is judged by itself: smaller than a lamp. */
const [ACROSS, DOWN] = [160, 90];
const CELLS = ACROSS * DOWN;
/** Three flashes are six changes, one there and one back: the seventh comes a second after the first, and the time from one picture of a screen to the next later. */
const [CHANGES, SECOND] = [6, 1000 + 50];
/** The least change of the relative luminance, of which one end is darker than 0.8, and of what red exceeds green and blue by: WCAG 2.1 asks that of saturated colours alone. */
const [STEP, DARKER, RED_STEP] = [0.1, 0.8, 20 / 320];
/** The milliseconds after which a picture that was held is tried again. */
const AGAIN = 50;
/** Linear light of an sRGB component. */
const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/** The changes of one quantity in each cell: to and fro counts, how it gets there does not. */
class Changes {
  /** The least and the greatest levels since the last change, and whether that one went up or down; 0: there was none. */
  #low = null;
  #high = null;
  #sides = new Int8Array(CELLS);
  /** The times of each cell's newest changes, and the place of its oldest. */
  #times = new Float64Array(CHANGES * CELLS).fill(-Infinity);
  #oldest = new Uint8Array(CELLS);
  #isChange;

  constructor(isChange) { this.#isChange = isChange; }

  /** Whether a level goes up from the least one so far, or down from the greatest; 0: neither. */
  #change(cell, level) {
    const [low, high, side] = [this.#low[cell], this.#high[cell], this.#sides[cell]];
    if (side <= 0 && level > low && this.#isChange(low, level)) return 1;
    return side >= 0 && level < high && this.#isChange(high, level) ? -1 : 0;
  }

  /** Whether no cell changes too often with these levels. */
  allow(levels, now) {
    return !this.#low || levels.every((level, cell) => now - this.#times[CHANGES * cell + this.#oldest[cell]] >= SECOND || !this.#change(cell, level));
  }

  /** Notes the levels that are shown. */
  note(levels, now) {
    this.#low ??= levels.slice();
    this.#high ??= levels.slice();
    levels.forEach((level, cell) => {
      const side = this.#change(cell, level);
      if (!side) {
        this.#low[cell] = Math.min(this.#low[cell], level);
        this.#high[cell] = Math.max(this.#high[cell], level);
        return;
      }
      [this.#low[cell], this.#high[cell], this.#sides[cell]] = [level, level, side];
      this.#times[CHANGES * cell + this.#oldest[cell]] = now;
      this.#oldest[cell] = (this.#oldest[cell] + 1) % CHANGES;
    });
  }
}

/** Decides which pictures of a sequence are shown, so that no part of what is shown flashes more than three times a second. */
export class FlashLimit {
  #context = h("canvas", { width: ACROSS, height: DOWN }).getContext("2d", { willReadFrequently: true });
  #luminance = new Changes((one, other) => Math.abs(one - other) >= STEP && Math.min(one, other) < DARKER);
  #red = new Changes((one, other) => Math.abs(one - other) > RED_STEP);

  #timer = 0;

  /** Shows a picture as soon as it may be, unless another one is offered before. */
  offer(picture, show) {
    clearTimeout(this.#timer);
    if (this.allows(picture)) show();
    else this.#timer = setTimeout(() => this.offer(picture, show), AGAIN);
  }

  /** Whether a picture may be shown now, which it is then taken to be. */
  allows(picture, now = performance.now()) {
    [this.#context.imageSmoothingQuality, this.#context.globalCompositeOperation] = ["medium", "copy"];
    this.#context.drawImage(picture, 0, 0, ACROSS, DOWN);
    const { data } = this.#context.getImageData(0, 0, ACROSS, DOWN);
    const [luminance, red] = [new Float64Array(CELLS), new Float64Array(CELLS)];
    for (let cell = 0; cell < CELLS; cell++) {
      const [r, g, b] = [LINEAR[data[4 * cell]], LINEAR[data[4 * cell + 1]], LINEAR[data[4 * cell + 2]]];
      luminance[cell] = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      red[cell] = Math.max(0, r - g - b);
    }
    if (!this.#luminance.allow(luminance, now) || !this.#red.allow(red, now)) return false;
    this.#luminance.note(luminance, now);
    this.#red.note(red, now);
    return true;
  }
}
