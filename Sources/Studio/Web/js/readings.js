// Reads the values of topics of which the overview shows a part; their own screens come later.

/** The reading of a value of the topic `pitch`. */
export function readPitch({ view, bytes }) {
  const [frequency, confidence, cents, , target] = Array.from({ length: 5 }, (_, place) => view.getFloat64(8 * place, true));
  return { frequency, confidence, cents, target, hasNote: frequency > 0, isInTune: view.getUint8(43) === 1, string: view.getUint8(44),
    name: new TextDecoder().decode(bytes.subarray(45)).replace("#", "♯").replace("b", "♭") };
}

/** The measures of a value of the topic `voice`: frequencies in Hz, 0 where there is none. */
export function readVoice({ view }) {
  const [pitch, f1, f2, f3, hnr, level] = Array.from({ length: 6 }, (_, place) => view.getFloat64(8 * place, true));
  return { pitch, formants: [f1, f2, f3], hnr, level };
}
