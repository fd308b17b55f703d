// A picture that is held where it would flash: three flashes a second are the most that is safe for photosensitive people (WCAG 2.2, 2.3.1).

import { h } from "./dom.js";

/** The cells of a picture, across and down, each of which is judged by itself: smaller than a lamp. */
const [ACROSS, DOWN] = [160, 90];
const CELLS = ACROSS * DOWN;
/** Three flashes are six changes, one there and one back: the seventh comes a second after the first, and the time from one picture of a screen to the next later. */
const [CHANGES, SECOND] = [6, 1000 + 50];
/** The least change of the relative luminance, of which one end is darker than 0.8, and that of a saturated red. */
const [STEP, DARKER, RED_STEP] = [0.1, 0.8, 20 / 320];
/** The share of red in a saturated one. */
const SATURATED = 0.8;
/** Linear light of an sRGB component. */
const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/** The changes of one quantity in each cell: to and fro counts, how it gets there does not. */
class Changes {
  /** The newest extremes, and on which side of the ones before they are. */
  #levels = null;
  #sides = new Int8Array(CELLS);
  /** The times of each cell's newest changes, and the place of its oldest. */
  #times = new Float64Array(CHANGES * CELLS).fill(-Infinity);
  #oldest = new Uint8Array(CELLS);
  #isChange;

  constructor(isChange) { this.#isChange = isChange; }

  #changes(levels, cell) {
    const [before, level] = [this.#levels[cell], levels[cell]];
    return Math.sign(level - before) !== this.#sides[cell] && this.#isChange(before, level);
  }

  /** Whether no cell changes too often with these levels. */
  allow(levels, now) {
    return !this.#levels || levels.every((_, cell) => !this.#changes(levels, cell) || now - this.#times[CHANGES * cell + this.#oldest[cell]] >= SECOND);
  }

  /** Notes the levels that are shown. */
  note(levels, now) {
    this.#levels ??= levels.slice();
    for (let cell = 0; cell < CELLS; cell++) {
      const side = Math.sign(levels[cell] - this.#levels[cell]);
      if (this.#changes(levels, cell)) {
        this.#sides[cell] = side;
        this.#times[CHANGES * cell + this.#oldest[cell]] = now;
        this.#oldest[cell] = (this.#oldest[cell] + 1) % CHANGES;
      } else if (side !== this.#sides[cell]) continue;
      this.#levels[cell] = levels[cell];
    }
  }
}

/** Decides which pictures of a sequence are shown, so that no part of what is shown flashes more than three times a second. */
export class FlashLimit {
  #context = h("canvas", { width: ACROSS, height: DOWN }).getContext("2d", { willReadFrequently: true });
  #luminance = new Changes((one, other) => Math.abs(one - other) >= STEP && Math.min(one, other) < DARKER);
  #red = new Changes((one, other) => Math.abs(one - other) > RED_STEP);

  /** Whether a picture may be shown now, which it is then taken to be. */
  allows(picture, now = performance.now()) {
    [this.#context.imageSmoothingQuality, this.#context.globalCompositeOperation] = ["medium", "copy"];
    this.#context.drawImage(picture, 0, 0, ACROSS, DOWN);
    const { data } = this.#context.getImageData(0, 0, ACROSS, DOWN);
    const [luminance, red] = [new Float64Array(CELLS), new Float64Array(CELLS)];
    for (let cell = 0; cell < CELLS; cell++) {
      const [r, g, b] = [LINEAR[data[4 * cell]], LINEAR[data[4 * cell + 1]], LINEAR[data[4 * cell + 2]]];
      luminance[cell] = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      if (r >= SATURATED * (r + g + b)) red[cell] = Math.max(0, r - g - b);
    }
    if (!this.#luminance.allow(luminance, now) || !this.#red.allow(red, now)) return false;
    this.#luminance.note(luminance, now);
    this.#red.note(red, now);
    return true;
  }
}
