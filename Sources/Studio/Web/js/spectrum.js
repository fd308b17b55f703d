// The newest row as a line with its peaks, over a waterfall of the rows before.

import { choice, figure, fixed, h, plot, say, unheard } from "./dom.js";

const POINTS = 512;
const ROWS = 220;
const LINES = [50, 100, 200, 500, 1000, 2000, 5000, 10000];
/** Bytes that a peak falls with each row. */
const FALL = 0.8;
const HEADER = 20;

/** 256 colours from black over blue, green and orange to white, as RGBA. */
const COLOURS = Array.from({ length: 256 }, (_, level) => {
  const stops = [[13, 13, 20], [40, 60, 130], [60, 170, 190], [88, 230, 154], [255, 198, 137], [255, 255, 255]];
  const place = (level / 255) * (stops.length - 1);
  const [low, share] = [Math.min(Math.floor(place), stops.length - 2), place - Math.min(Math.floor(place), stops.length - 2)];
  return stops[low].map((value, part) => value + (stops[low + 1][part] - value) * share);
});

export function spectrum(app) {
  const { link } = app;
  const peaks = new Float32Array(POINTS);
  const past = h("canvas", { ".width": POINTS, ".height": ROWS });
  const history = past.getContext("2d");
  const row = history.createImageData(POINTS, 1);
  let [points, range, isFrozen] = [null, [20, 20000], false];
  const strongest = figure("Strongest frequency", "Hz", "peak");
  const level = figure("Its level", "dBFS");
  const sizes = [256, 512, 1024, 2048, 4096, 8192, 16384].map((size) => ({ id: String(size), name: `${size} samples` }));
  const size = choice("Frame length", sizes, (value) => app.attempt(() => link.act("spectrum/set", { size: Number(value) })));
  const shape = choice("Window", [], (value) => app.attempt(() => link.act("spectrum/set", { window: value })));
  const ranges = [[20, 20000, "20 Hz to 20 kHz"], [20, 500, "20 to 500 Hz"], [200, 4000, "200 Hz to 4 kHz"], [2000, 20000, "2 to 20 kHz"]]
    .map(([low, high, name]) => ({ id: `${low},${high}`, name }));
  const frequencies = choice("Range", ranges, (value) => {
    const [low, high] = value.split(",").map(Number);
    return app.attempt(() => link.act("spectrum/set", { low, high }));
  });
  const freeze = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
    isFrozen = !isFrozen;
    freeze.setAttribute("aria-pressed", String(isFrozen));
  } }, "Freeze");

  const line = plot("Spectrum, level over frequency", 260, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    context.font = "12px Roboto, sans-serif";
    context.strokeStyle = "#2c3238";
    context.fillStyle = "#a8aeaf";
    context.lineWidth = 1;
    context.beginPath();
    for (const frequency of LINES) {
      const x = (width * Math.log(frequency / range[0])) / Math.log(range[1] / range[0]);
      context.moveTo(x, 0);
      context.lineTo(x, height - 18);
      const text = frequency >= 1000 ? `${frequency / 1000} k` : String(frequency);
      context.fillText(text, x - context.measureText(text).width / 2, height - 4);
    }
    for (const decibels of [-30, -60, -90]) {
      const y = ((height - 18) * -decibels) / 120;
      context.moveTo(0, y);
      context.lineTo(width, y);
      context.fillText(`${decibels}`.replace("-", "−"), 4, y - 4);
    }
    context.stroke();
    if (!points) return void unheard(context, width, height, link);
    const trace = (values) => {
      context.beginPath();
      for (let place = 0; place < POINTS; place++) {
        context.lineTo((place / (POINTS - 1)) * width, (height - 18) * (1 - values[place] / 255));
      }
    };
    trace(peaks);
    context.strokeStyle = "#d0a5ff";
    context.stroke();
    trace(points);
    context.strokeStyle = "#58e69a";
    context.lineWidth = 2;
    context.stroke();
  });
  const fall = plot("Waterfall, the spectra of the last seconds", 240, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    if (!points) return void unheard(context, width, height, link);
    context.imageSmoothingEnabled = false;
    context.drawImage(past, 0, 0, width, height);
  });
  fall.canvas.className = "fall";

  return {
    title: "Spectrum", lead: "Level over frequency, 25 times per second. The violet line holds the peaks.",
    topics: ["spectrum"], courses: ["spectrum"],
    elements: [h("section", { class: "card" },
      h("div", { class: "row spread" }, h("div", { class: "figures" }, strongest.element, level.element), h("div", { class: "row" }, size.element, shape.element, frequencies.element, freeze)),
      line.canvas, fall.canvas)],
    state(name, state) {
      if (name !== "spectrum") return;
      size.set(sizes, String(state.size));
      shape.set(state.windows.map((id) => ({ id, name: id[0].toUpperCase() + id.slice(1) })), state.window);
      frequencies.set(ranges, `${state.low},${state.high}`);
    },
    draw(fresh) {
      const values = isFrozen ? [] : fresh.spectrum;
      for (const value of values) {
        const now = [value.view.getFloat32(0, true), value.view.getFloat32(4, true)];
        // Rows and peaks of another range are of other frequencies.
        if (now.join() !== range.join()) { peaks.fill(0); history.clearRect(0, 0, POINTS, ROWS); }
        range = now;
        points = value.bytes.subarray(HEADER, HEADER + POINTS);
        for (let place = 0; place < POINTS; place++) {
          peaks[place] = Math.max(points[place], peaks[place] - FALL);
          row.data.set(COLOURS[points[place]], 4 * place);
          row.data[4 * place + 3] = 255;
        }
        history.drawImage(past, 0, 1);
        history.putImageData(row, 0, 0);
      }
      const newest = values.at(-1);
      if (newest) {
        const decibels = newest.view.getFloat32(12, true);
        say(strongest.output, decibels > -110 ? fixed(newest.view.getFloat32(8, true)) : "–");
        say(level.output, decibels > -110 ? fixed(decibels) : "–");
      }
      line.draw();
      fall.draw();
    },
  };
}
