// Simulated prices in a table.

import { colour, fixed, h, plot, say } from "./dom.js";

const HISTORY = 240;
const ROW = 34;

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
      const { view } = value;
      for (let place = 0; place < view.getUint16(0, true); place++) {
        const at = 2 + ROW * place;
        const cells = rows[view.getUint16(at, true)];
        if (!cells) continue;
        const [price, change] = [view.getFloat64(at + 2, true), view.getFloat64(at + 10, true)];
        cells.element.className = "";
        say(cells.price, `$${price.toFixed(2)}`);
        say(cells.change, `${change >= 0 ? "▲" : "▼"} ${fixed(100 * Math.abs(change), 2)} %`);
        cells.change.className = change >= 0 ? "up" : "down";
        say(cells.time, new Date(Number(view.getBigInt64(at + 18, true))).toTimeString().slice(0, 8));
        const count = String(view.getBigUint64(at + 26, true));
        if (cells.count.textContent !== count) {
          cells.count.textContent = count;
          cells.history.push(price);
          if (cells.history.length > HISTORY) cells.history.shift();
          cells.spark.draw();
        }
      }
      say(lost, String(value.lost));
    },
  };
}
