// Simulated prices in a table.

import { colour, fixed, h, plot, say } from "./dom.js";

const HISTORY = 240;

/** The rows of a value of the topic `prices`. */
export function readPrices({ view, bytes }) {
  let at = 2;
  return Array.from({ length: view.getUint16(0, true) }, () => {
    const start = at + 1 + bytes[at];
    const symbol = new TextDecoder().decode(bytes.subarray(at + 1, start));
    at = start + 32;
    return { symbol, price: view.getFloat64(start, true), change: view.getFloat64(start + 8, true),
      time: Number(view.getBigInt64(start + 16, true)), count: Number(view.getBigUint64(start + 24, true)) };
  });
}

export function ticker(app) {
  const { link } = app;
  let [symbols, rows, sequence] = [[], [], -1];
  const body = h("tbody");
  const lost = h("output", { "aria-label": "Values replaced by newer ones" }, "0");
  const rate = h("input", { type: "number", min: "0.1", max: "1000", step: "0.1", id: "price-rate", value: "2" });
  const names = h("input", { type: "text", id: "symbols", value: "BTC, ETH, SOL", autocomplete: "off", spellcheck: "false" });
  const start = h("button", { type: "button", class: "primary", onclick: () => app.attempt(async () => {
    if (link.states.ticker?.running) return link.act("ticker/stop");
    const symbols = names.value.split(/[\s,]+/).filter(Boolean);
    await link.act("ticker/start", { symbols, rate: Number(rate.value) });
  }) }, "Start");

  const row = (symbol) => {
    const cells = { price: h("td", {}, "–"), change: h("td", {}, "–"), time: h("td", {}, "–"), count: h("td", {}, "0") };
    const history = [];
    const spark = plot(`Course of ${symbol}`, 34, (context, width, height) => {
      context.clearRect(0, 0, width, height);
      if (history.length < 2) return;
      const [low, high] = [Math.min(...history), Math.max(...history)];
      context.beginPath();
      history.forEach((price, place) => {
        const x = (place / (HISTORY - 1)) * width;
        const y = height - 4 - ((price - low) / (high - low || 1)) * (height - 8);
        if (place) context.lineTo(x, y); else context.moveTo(x, y);
      });
      context.strokeStyle = history.at(-1) >= history[0] ? "#58e69a" : "#ff8a7a";
      context.lineWidth = 1.5;
      context.stroke();
    });
    spark.canvas.style.width = "140px";
    const element = h("tr", { class: "none" }, h("td", {}, symbol), cells.price, cells.change, cells.time, cells.count, h("td", {}, spark.canvas));
    return { ...cells, element, history, spark };
  };

  return {
    title: "Prices", lead: "A simulated market. The table shows the newest price of each symbol; what was replaced meanwhile is counted.",
    topics: ["prices"],
    elements: [
      h("section", { class: "card" },
        h("div", { class: "row" }, start, h("label", { for: "symbols" }, "Symbols"), names, h("label", { for: "price-rate" }, "Updates a second of each"), rate),
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Prices" }, h("table", {},
          h("thead", {}, h("tr", {}, ["Symbol", "Price", "Change", "Time", "Updates", "Course"].map((name) => h("th", { scope: "col" }, name)))), body)),
        h("p", { class: "note" }, "Values replaced by newer ones on the way here: ", lost))],
    state(name, state) {
      if (name !== "ticker") return;
      say(start, state.running ? "Stop" : "Start");
      if (state.symbols.join() === symbols.join()) return;
      symbols = state.symbols;
      rows = symbols.map(row);
      body.replaceChildren(...rows.map((each) => each.element));
      names.value = symbols.join(", ");
      rate.value = Number(state.rate.toFixed(1));
    },
    draw() {
      const value = link.values.prices;
      if (!value || value.sequence === sequence) return;
      sequence = value.sequence;
      for (const { symbol, price, change, time, count } of readPrices(value)) {
        const cells = rows[symbols.indexOf(symbol)];
        if (!cells) continue;
        cells.element.className = "";
        say(cells.price, `$${price.toFixed(2)}`);
        say(cells.change, `${change >= 0 ? "▲" : "▼"} ${fixed(100 * Math.abs(change), 2)} %`);
        cells.change.className = change >= 0 ? "up" : "down";
        say(cells.time, new Date(time).toTimeString().slice(0, 8));
        if (cells.count.textContent !== String(count)) {
          say(cells.count, String(count));
          cells.history.push(price);
          if (cells.history.length > HISTORY) cells.history.shift();
          cells.spark.draw();
        }
      }
      say(lost, String(value.lost));
    },
  };
}
