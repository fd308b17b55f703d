// Reads the values of topics of which the overview shows a part; their own screens come later.

import { fixed } from "./dom.js";

/** The classes of the levels. */
export const ZONES = ["Silent", "Quiet", "Average", "Noisy", "Loud"];
/** The highest value of the display scale. */
export const FULL = 120;

/** The reading of a value of the topic `meter`. */
export function readMeter({ view }) {
  const [level, equivalent, minimum, maximum, loudness, peak, display] = Array.from({ length: 7 }, (_, place) => view.getFloat64(8 * place, true));
  return { level, equivalent, minimum, maximum, loudness, peak, display, zone: view.getUint8(56), isCalibrated: view.getUint8(57) === 1 };
}

/** The unit of the levels: of a meter that is not calibrated relative to full scale. */
export const decibels = (state) => (state.offset === null ? "dBFS" : "dB");

/** Fills a bar of a class with a share, 0 to 1. */
export function fillBar(fill, share) {
  const part = Math.min(Math.max(share, 0), 1);
  fill.style.width = `${100 * part}%`;
  fill.style.setProperty("--full", part > 0 ? `${100 / part}%` : "100%");
}

/** The rows of a value: their count, then each after the name of its symbol. */
export function readRows({ view, bytes }, row) {
  let at = 2;
  const text = () => {
    const start = at + 1;
    at = start + bytes[at];
    return new TextDecoder().decode(bytes.subarray(start, at));
  };
  const number = (read) => { at += 8; return view[read](at - 8, true); };
  return Array.from({ length: view.getUint16(0, true) }, () => row(text, () => number("getFloat64"), () => Number(number("getBigInt64"))));
}

/** The rows of a value of the topic `prices`. */
export const readPrices = (value) => readRows(value, (text, number, integer) =>
  ({ symbol: text(), price: number(), change: number(), time: integer(), count: integer(), digits: text() }));

/** A price as text: of a simulated market in dollars. One without its own digits has as many decimals as `like`, or more. */
export function priceText({ price, digits }, { source }, like = "") {
  if (source === "simulated") return `$${price.toFixed(2)}`;
  if (digits !== undefined) return digits;
  const decimals = (text) => text.split(".")[1]?.length ?? 0;
  const shortest = String(price);
  return shortest.includes("e") ? shortest : price.toFixed(Math.max(decimals(shortest), decimals(like)));
}

/** A change as text. */
export const changeText = ({ change }) => `${change >= 0 ? "▲" : "▼"} ${fixed(100 * Math.abs(change), 2)} %`;

/** Counts the updates of all symbols: `count` returns those a second, anew after each second. */
export class UpdateRate {
  #last = null;
  #rate = NaN;

  reset() { [this.#last, this.#rate] = [null, NaN]; }

  count(total, at) {
    if (!this.#last || total < this.#last.total) this.#last = { total, at };
    if (at - this.#last.at > 1000) {
      this.#rate = (1000 * (total - this.#last.total)) / (at - this.#last.at);
      this.#last = { total, at };
    }
    return this.#rate;
  }
}

/** The reading of a value of the topic `pitch`. */
export function readPitch({ view, bytes }) {
  const [frequency, confidence, cents, , target] = Array.from({ length: 5 }, (_, place) => view.getFloat64(8 * place, true));
  return { frequency, confidence, cents, target, hasNote: frequency > 0, isInTune: view.getUint8(43) === 1, string: view.getUint8(44),
    isPolyphonic: view.getUint8(45) === 1, name: new TextDecoder().decode(bytes.subarray(46)).replace("#", "♯").replace("b", "♭") };
}

/** The measures of a value of the topic `voice`: frequencies in Hz, 0 where there is none. */
export function readVoice({ view }) {
  const [pitch, f1, f2, f3, hnr, level] = Array.from({ length: 6 }, (_, place) => view.getFloat64(8 * place, true));
  return { pitch, formants: [f1, f2, f3], hnr, level };
}
