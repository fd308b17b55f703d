// The kinds of settings that follow their user: what is read and written, and the engine that has it.

/** The bands of a channel. */
const COUNT = 14;
const TUNER = ["a4", "instrument", "temperament", "method"];
const TUNER_NAMES = ["A4", "instrument", "temperament", "method"];
/** The tuner as a server starts it. */
const UNSET_TUNER = [440, "chromatic", "equal", "harmonic"];

/** Whether a value has nothing in it. */
export const isEmpty = (parts) => parts.every((part) => part === null);
/** Parts of a value of the server's `{ value }`: one text for a list, so that it changes as a whole. */
const list = (key, noun, isRight) => ({
  none: [null],
  read: ({ value }) => [Array.isArray(value?.[key]) && isRight(value[key]) ? JSON.stringify(value[key]) : null],
  write: ([text]) => ({ value: text === null ? null : { [key]: JSON.parse(text) } }),
  question: (own) => `the ${noun} ${own}`, noun: `${noun}s`,
});

/**
 * The kinds of settings, by what their names begin with. `read` makes parts of an answer of the server, `write` the other way round. Those
 * of an engine: `present` has its parts, `put` sets them, and of `isUnset` ones nobody has said anything.
 */
export const KINDS = {
  "eq": {
    none: Array(2 * COUNT).fill(0),
    read: ({ bands }) => bands,
    write: (bands) => ({ bands }),
    present: ({ equalizer }) => equalizer?.graphic ? [...equalizer.left, ...equalizer.right] : null,
    isUnset: (gains) => gains.every((gain) => gain === 0),
    put: (gains) => ["equalizer/set", { left: gains.slice(0, COUNT), right: gains.slice(COUNT), graphic: true }],
    noun: "gains", place: "sound",
    question: (_, parts, { equalizer }) => `the same bands: ${parts.map((band) => [band % COUNT, band < COUNT ? "left" : "right"]).map(([band, channel]) => `${equalizer.frequencies[channel][band]} Hz ${channel}`).join(", ")}`,
  },
  "tuner": {
    none: UNSET_TUNER,
    read: ({ value }) => TUNER.map((key, place) => value?.[key] ?? UNSET_TUNER[place]),
    write: (parts) => ({ value: Object.fromEntries(TUNER.map((key, place) => [key, parts[place]])) }),
    keys: TUNER,
    present: ({ tuner }) => tuner ? TUNER.map((key) => tuner[key]) : null,
    isUnset: (parts) => parts.join() === UNSET_TUNER.join(),
    put: (parts) => ["tuner/set", Object.fromEntries(TUNER.map((key, place) => [key, parts[place]]))],
    noun: "settings", place: "tuner",
    question: (_, parts) => `the tuner: ${parts.map((part) => TUNER_NAMES[part]).join(", ")}`,
  },
  "meter/": {
    none: [null],
    read: ({ value }) => [Number.isFinite(value?.offset) ? value.offset : null],
    write: ([offset]) => ({ value: offset === null ? null : { offset } }),
    present: ({ meter }, device) => meter ? [meter.calibrations[device] ?? null] : null,
    isUnset: isEmpty,
    put: ([offset], device) => offset === null ? ["meter/set", { device, calibrated: false }] : ["meter/calibrate", { device, offset }],
    noun: "calibration", place: "meter",
    /** The devices that the engine knows, and the one that is heard. */
    owns: ({ meter }) => Object.keys(meter?.calibrations ?? {}),
    shown: ({ meter }) => meter?.device ?? null,
    question: (device) => `the calibration of ${device}`,
  },
  "eq/presets/": list("bands", "preset", (bands) => bands.length === 2 * COUNT && bands.every(Number.isFinite)),
  "ticker/": list("symbols", "list", (symbols) => symbols.every((symbol) => typeof symbol === "string")),
};
/** What a setting's name begins with; undefined for a name of no kind. */
export const prefixOf = (name) => Object.keys(KINDS).find((prefix) => (prefix.endsWith("/") ? name.startsWith(prefix) && name !== prefix : name === prefix));
