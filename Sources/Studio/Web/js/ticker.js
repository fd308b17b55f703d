// Prices in a table, the candles of one symbol, and alerts.

import { blank, choice, figure, fixed, h, plot, say, segments, speak } from "./dom.js";
import { changeText, priceText, readPrices, readRows, UpdateRate } from "./readings.js";
import { shelf } from "./shelf.js";

/** The prices of a course, and the fewest over which it is as wide as its picture. */
const [HISTORY, SHORT] = [240, 30];
const CANDLES = 120;
/** What the names of settings with lists of symbols begin with. */
const LISTS = "ticker/";
const [UP, DOWN] = ["#58e69a", "#ff8a7a"];

/** The candles of a value of the topic `candles`. */
const readCandles = (value) => readRows(value, (text, number, integer) =>
  ({ symbol: text(), start: integer(), open: number(), high: number(), low: number(), close: number(), volume: number(), trades: integer() }));

/** How late the newest price of a value came, in ms; NaN: its time is past, as of a recording. */
const readLag = ({ view }) => view.getFloat64(view.byteLength - 16, true);
/** How many prices the server has missed. */
const readMissed = ({ view }) => Number(view.getBigUint64(view.byteLength - 8, true));

/** Counts the prices that were in no row: newer ones of their symbol replaced them, here, on the way or before the server. */
class Replaced {
  #counts = new Map();
  #missed = NaN;
  #sum = 0;

  /** What comes until the next value is not counted: nobody wanted it. */
  pass() { [this.#counts, this.#missed] = [new Map(), NaN]; }

  count(prices, missed) {
    for (const { symbol, count } of prices) {
      // Fewer: they have begun anew.
      this.#sum += Math.max(0, count - (this.#counts.get(symbol) ?? count) - 1);
      this.#counts.set(symbol, count);
    }
    this.#sum += Math.max(0, missed - this.#missed) || 0;
    this.#missed = missed;
    return this.#sum;
  }
}

const clock = (time) => new Date(time).toTimeString().slice(0, 8);

export function ticker(app) {
  const { link } = app;
  let [rows, sequence, candles, candle, asked] = [new Map(), -1, [], -1, ""];
  const columns = ["Symbol", "Price", "Change", "Time", "Updates", "Course"];
  const body = h("tbody", { role: "rowgroup" });
  const [pace, lag, lost] = [figure("Updates per second", "/s"), figure("Lag", "ms"), figure("Replaced by newer ones", "")];
  const [counter, replaced] = [new UpdateRate(), new Replaced()];
  let renewals = link.renewals;
  let isPulling = false;
  const get = () => app.attempt(async () => {
    const { prices, lag: late } = await link.act("ticker/prices");
    show(prices.map(({ received, text, ...each }) => ({ ...each, count: received, digits: text })));
    say(lag.output, fixed(late ?? NaN));
  });
  const pull = h("button", { type: "button", ".hidden": true, onclick: get }, "Get the prices");
  const way = segments("How prices come", [{ id: "push", name: "As they change" }, { id: "pull", name: "On request" }], (id) => {
    isPulling = id === "pull";
    showWay();
  });
  const showWay = () => {
    way.set(isPulling ? "pull" : "push");
    pull.hidden = !isPulling;
    link.want(isPulling ? ["candles"] : ["prices", "candles"]);
    counter.reset();
    replaced.pass();
    for (const { output } of [pace, lag]) say(output, "–");
  };
  const rate = h("input", { type: "number", min: "0.1", max: "1000", step: "0.1", id: "price-rate", value: "2", onchange: () => again() });
  const names = h("input", { type: "text", id: "symbols", value: "BTC, ETH, SOL", autocomplete: "off", spellcheck: "false", oninput: () => showLists(), onchange: () => again() });
  const source = choice("Source", [], () => { showRate(); again(); });
  const simulated = h("label", {}, h("span", {}, "Updates per second of each"), rate);
  const connection = h("p", { class: "note" });
  const texts = (input) => input.value.split(/[\s,]+/).filter(Boolean);
  const begin = () => app.attempt(() => link.act("ticker/start",
    { source: source.select.value, symbols: texts(names), rate: rate.valueAsNumber, interval: Number(interval.select.value) }));
  /** What is changed while prices run holds from now on. */
  const again = () => { if (link.states.ticker?.running) begin(); };
  const start = h("button", { type: "button", class: "primary", onclick: () =>
    link.states.ticker?.running ? app.attempt(() => link.act("ticker/stop")) : begin() }, "Start");
  const lists = choice("List", [], (name) => {
    own.show();
    const symbols = app.session.named(LISTS).get(name.slice(LISTS.length));
    if (!symbols) return;
    names.value = symbols.join(", ");
    again();
  });
  const own = shelf(app, LISTS, "list", { value: () => texts(names), chosen: () => lists.select.value.slice(LISTS.length) || null });
  const showLists = () => {
    const [all, chosen] = [app.session.named(LISTS), lists.select.value];
    lists.set([{ id: "", name: "None" }, ...[...all.keys()].map((name) => ({ id: LISTS + name, name }))]);
    lists.select.value = chosen;
    const listed = texts(names).join(" ");
    const isListed = (symbols) => symbols?.join(" ") === listed;
    // Of several with the same symbols the one that was chosen stays.
    if (!isListed(all.get(lists.select.value.slice(LISTS.length)))) {
      lists.select.value = [...all].filter(([, symbols]) => isListed(symbols)).map(([name]) => LISTS + name)[0] ?? "";
    }
    own.show();
  };
  const showRate = () => { simulated.hidden = source.select.value !== "simulated"; };

  const symbol = choice("Symbol", [], () => load());
  const interval = choice("Interval", [], () => again());
  const amount = (price) => priceText({ price }, link.states.ticker, rows.get(symbol.select.value)?.digits);
  const newest = h("output", { "aria-label": "Newest candle" }, "–");
  const chart = plot("Candles; the newest is said below", 220, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    if (!candles.length) return void blank(context, width, height, link.paused ? "Paused: Resume draws it" : `No candle yet: one is complete after ${interval.select.selectedOptions[0]?.text ?? "its time"}`);
    const [low, high] = [Math.min(...candles.map((each) => each.low)), Math.max(...candles.map((each) => each.high))];
    const y = (price) => 10 + (height - 30) * (1 - (price - low) / (high - low || 1));
    context.fillStyle = "#a8aeaf";
    context.font = "12px Roboto, sans-serif";
    context.fillText(amount(high), 4, 20);
    context.fillText(amount(low), 4, height - 8);
    const step = Math.max(4, Math.min(16, width / CANDLES));
    candles.slice(-Math.floor(width / step)).reverse().forEach((each, place) => {
      const x = width - (place + 0.5) * step;
      // A falling candle is hollow: not by its colour alone.
      const isUp = each.close >= each.open;
      context.strokeStyle = context.fillStyle = isUp ? UP : DOWN;
      context.beginPath();
      context.moveTo(x, y(each.high));
      context.lineTo(x, y(each.low));
      context.stroke();
      const [top, bottom] = [y(Math.max(each.open, each.close)), y(Math.min(each.open, each.close))];
      if (isUp) return context.fillRect(x - step * 0.35, top, step * 0.7, Math.max(1, bottom - top));
      context.clearRect(x - step * 0.35, top, step * 0.7, Math.max(1, bottom - top));
      context.strokeRect(x - step * 0.35, top, step * 0.7, Math.max(1, bottom - top));
    });
  }, true);
  const showCandle = () => {
    const last = candles.at(-1);
    say(newest, last ? `${clock(last.start)} open ${amount(last.open)} high ${amount(last.high)} low ${amount(last.low)} close ${amount(last.close)}, ${last.trades} trades` : "–");
    chart.draw(candles);
  };
  // Those before the page was opened.
  const load = () => app.attempt(async () => {
    const name = asked = symbol.select.value;
    const result = name ? await link.act("ticker/candles", { symbol: name }) : { candles: [] };
    if (asked === name) { candles = result.candles; showCandle(); }
  });
  const choose = () => {
    const known = [...rows.keys()].map((id) => ({ id, name: id }));
    symbol.set(known, rows.has(symbol.select.value) ? symbol.select.value : known[0]?.id);
    if (symbol.select.value !== asked) load();
  };

  const setThresholds = () => {
    sent = thresholds.value;
    return app.attempt(() => link.act("ticker/thresholds", { thresholds: texts(thresholds) }));
  };
  const thresholds = h("input", { type: "text", id: "thresholds", placeholder: "BTC>65100, ETH<3490~5", autocomplete: "off", spellcheck: "false",
    onkeydown: ({ key }) => { if (key === "Enter") setThresholds(); } });
  // The server's, as they were shown last, and the text that was sent to it.
  let [known, sent] = ["", null];
  const alerts = h("ol", { class: "note" });

  const row = (symbol) => {
    const cell = (column, content) => h("td", { role: "cell", "data-column": columns[column] }, content);
    const cells = { price: cell(1, "–"), change: cell(2, "–"), time: cell(3, "–"), count: cell(4, "0") };
    const history = [];
    const spark = plot(`Course of ${symbol}`, 34, (context, width, height) => {
      context.clearRect(0, 0, width, height);
      if (history.length < 2) return;
      const [low, high] = [Math.min(...history), Math.max(...history)];
      context.beginPath();
      history.forEach((price, place) => {
        const x = (place / (Math.max(SHORT, history.length) - 1)) * width;
        const y = height - 4 - ((price - low) / (high - low || 1)) * (height - 8);
        if (place) context.lineTo(x, y); else context.moveTo(x, y);
      });
      // The change beside it has a colour: it is of another time.
      context.strokeStyle = "#7cc6fe";
      context.lineWidth = 1.5;
      context.stroke();
    });
    spark.canvas.style.width = "140px";
    const element = h("tr", { role: "row", class: "none" }, cell(0, symbol), cells.price, cells.change, cells.time, cells.count, cell(5, spark.canvas));
    body.append(element);
    rows.set(symbol, { ...cells, element, history, spark });
    return rows.get(symbol);
  };

  const show = (prices) => {
    for (const each of prices) {
      const { symbol, price, change, time, count } = each;
      const isNew = !rows.has(symbol);
      const cells = rows.get(symbol) ?? row(symbol);
      if (isNew) choose();
      cells.element.className = "";
      cells.digits = each.digits;
      say(cells.price, priceText(each, link.states.ticker));
      say(cells.change, changeText(each));
      cells.change.className = change >= 0 ? "up" : "down";
      say(cells.time, clock(time));
      if (cells.count.textContent !== String(count)) {
        say(cells.count, String(count));
        cells.history.push(price);
        if (cells.history.length > HISTORY) cells.history.shift();
        cells.spark.draw();
      }
    }
  };
  way.set("push");
  showLists();

  return {
    title: "Prices", lead: "The newest price of each symbol, candles and alerts, of a simulated market, a live feed or a recording.",
    topics: ["prices", "candles"],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" },
        h("div", { class: "row" }, start, source.element, h("label", { for: "symbols" }, "Symbols"), names, lists.element, simulated), connection,
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Prices" }, h("table", { class: "stack", role: "table" },
          h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((name) => h("th", { scope: "col", role: "columnheader" }, name)))), body)),
        h("div", { class: "row spread" }, h("div", { class: "figures" }, pace.element, lag.element, lost.element),
          h("div", { class: "row" }, pull, way.element)),
        h("details", {}, h("summary", {}, "Keep these symbols as a list"), h("div", { class: "row" }, own.elements)), app.session.bar(LISTS)),
      h("section", { class: "card wide" }, h("h2", {}, "Candles"), h("div", { class: "row" }, symbol.element, interval.element),
        chart.canvas, h("p", { class: "note" }, newest)),
      h("section", { class: "card wide" }, h("h2", {}, "Alerts"),
        h("div", { class: "row" }, h("label", { for: "thresholds" }, "Report a price above or below"), thresholds,
          h("button", { type: "button", onclick: setThresholds }, "Set")), h("div", { role: "log", "aria-label": "Alerts" }, alerts)))],
    names: showLists,
    state(name, state) {
      if (name !== "ticker") return;
      say(start, state.running ? "Stop" : "Start");
      source.set(state.sources, state.running || !source.select.value ? state.source : undefined);
      showRate();
      interval.set(state.intervals.map((each) => ({ id: String(each), name: each < 60 ? `${each} s` : `${each / 60} min` })),
        state.running || !interval.select.value ? String(state.interval) : undefined);
      say(connection, state.connection ?? "");
      connection.hidden = !state.connection;
      // What was typed stays until there are others.
      const present = state.thresholds.join(", ");
      if (present !== known && (document.activeElement !== thresholds || thresholds.value === sent)) thresholds.value = present;
      known = present;
      if (!link.paused) speak(alerts, state.alerts.map((each) => each.time + each.text).join("\n"), () =>
        alerts.replaceChildren(...state.alerts.toReversed().map((each) => h("li", {}, `${clock(each.time)} ${each.text}`))));
      const course = [state.source, state.interval, ...state.symbols].join();
      if (course === body.dataset.course) return;
      body.dataset.course = course;
      [rows, candles, asked] = [new Map(), [], ""];
      body.replaceChildren();
      state.symbols.forEach(row);
      choose();
      // What is being typed stays.
      if (document.activeElement !== names) names.value = state.symbols.join(", ");
      showLists();
      if (document.activeElement !== rate) rate.value = Number(state.rate.toFixed(1));
      // Those of before it was stopped.
      if (!state.running) get();
    },
    draw() {
      const closed = link.values.candles;
      if (closed && closed.sequence !== candle) {
        candle = closed.sequence;
        const last = readCandles(closed).find((each) => each.symbol === symbol.select.value);
        if (last && last.start !== candles.at(-1)?.start) { candles = [...candles, last].slice(-CANDLES); showCandle(); }
      }
      chart.draw(candles);
      const value = link.values.prices;
      if (!value || value.sequence === sequence) return;
      sequence = value.sequence;
      const prices = readPrices(value);
      show(prices);
      say(pace.output, fixed(counter.count(prices.reduce((sum, { count }) => sum + count, 0), value.at)));
      say(lag.output, fixed(readLag(value)));
      if (renewals !== link.renewals) replaced.pass();
      renewals = link.renewals;
      say(lost.output, String(replaced.count(prices, readMissed(value))));
    },
  };
}
