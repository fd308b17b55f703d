// Elements, numbers as text, and canvases in device pixels.

/** An element with attributes, listeners (on…), properties (.name) and children: elements, or texts. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  // An output would be read out at each change.
  if (tag === "output") {
    element.setAttribute("aria-live", "off");
    // A number for scripts, too.
    Object.defineProperty(element, "value", { get: () => element.textContent.replace("−", "-") });
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) element[name.slice(1)] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat());
  return element;
}

/** An SVG element with attributes and children. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Sets a text if it differs, so that nothing is laid out anew without a reason. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The least milliseconds from one text of a region that is read out to the next one. */
const SPEECH = 1000;
const spoken = new WeakMap();

/** Shows a text in a region that is read out, a second after the one before at the earliest: of several the newest. An empty one is silent. */
export function speak(region, text, show = () => say(region, text)) {
  const state = spoken.get(region) ?? { text: "", at: -SPEECH, timer: null };
  spoken.set(region, state);
  if (text === state.text) return;
  state.text = text;
  clearTimeout(state.timer);
  const now = () => {
    const rest = text ? state.at + SPEECH - performance.now() : 0;
    if (rest > 0) return void (state.timer = setTimeout(now, rest));
    show();
    if (!text) return;
    state.at = performance.now();
    // A reader gets it when what runs now, which may have more to show, has ended.
    queueMicrotask(() => { state.at = performance.now(); });
  };
  now();
}

/** A number with a fixed count of digits, zero without a sign; a dash for none. The minus sign is as wide as a digit. */
export function fixed(value, digits = 1) {
  return Number.isFinite(value) ? value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "−") : "–";
}

/** A labelled figure: the output, the unit, and the whole element. */
export function figure(label, unit = "", id = undefined) {
  const output = h("output", { id, "aria-label": label }, "–");
  const small = h("small", {}, unit);
  const element = h("div", { class: "figure" }, h("span", {}, label), h("div", {}, output, unit ? small : ""));
  return { output, element, unit: small };
}

/** A select with options of {id, name}. */
export function choice(label, options, change) {
  const select = h("select", { onchange: () => change(select.value) });
  const element = h("label", {}, h("span", {}, label), select);
  const set = (options, value) => {
    const texts = options.map((each) => each.id + "\n" + each.name).join("\t");
    if (select.dataset.options !== texts) {
      select.dataset.options = texts;
      select.replaceChildren(...options.map((each) => h("option", { value: each.id }, each.name)));
    }
    if (value !== undefined && document.activeElement !== select) select.value = value;
  };
  set(options);
  return { element, select, set };
}

/** Buttons of which one is pressed. */
export function segments(label, options, change) {
  const buttons = options.map(({ id, name }) =>
    h("button", { type: "button", "aria-pressed": "false", onclick: () => change(id) }, name));
  const element = h("div", { class: "group", role: "group", "aria-label": label }, buttons);
  const set = (value) => buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(options[place].id === value)));
  return { element, set };
}

/** A table in a region that scrolls sideways; on a phone each row is a card that names its cells. The roles stay with both. */
export function table(name, columns) {
  const body = h("tbody", { role: "rowgroup" });
  const heads = columns.map((column) => h("th", { scope: "col", role: "columnheader" }, column));
  const element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
    h("table", { class: "texts stack", role: "table" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)), body));
  const set = (rows) => body.replaceChildren(...rows.map((cells) =>
    h("tr", { role: "row" }, cells.map((cell, place) => h("td", { role: "cell", "data-column": columns[place] }, cell)))));
  return { element, set };
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** The milliseconds from one picture to the next where less motion is wanted. */
const CALM_PERIOD = 1000;

/**
 * A canvas with a name, as large as it is shown. `draw` receives the context and its size in CSS pixels. Where less motion is wanted it draws
 * once a second, unless it `isAtOnce`: it changes when a person or an event does something. The plot's `draw` says whether it drew: what it
 * is to show is not drawn twice in one size.
 */
export function plot(name, height, draw, isAtOnce = false) {
  const canvas = h("canvas", { role: "img", "aria-label": name });
  if (height) canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  let [size, drawn, shown] = [[0, 0], -Infinity, undefined];
  new ResizeObserver(([entry]) => {
    const { width, height } = entry.contentRect;
    const ratio = window.devicePixelRatio || 1;
    size = [width, height];
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    [drawn, shown] = [-Infinity, undefined];
  }).observe(canvas);
  return { canvas, draw: (what) => {
    const now = performance.now();
    if (size[0] === 0 || (what !== undefined && what === shown) || (calm.matches && !isAtOnce && now - drawn < CALM_PERIOD)) return false;
    [drawn, shown] = [now, what];
    draw(context, size[0], size[1]);
    return true;
  } };
}

/** Says in the middle of a picture why it is empty: its name is read out, and the reason is said beside it. */
export function blank(context, width, height, text) {
  context.save();
  [context.font, context.fillStyle, context.textAlign] = ["16px Roboto, sans-serif", "#a8aeaf", "center"];
  const across = context.measureText(text).width;
  // No line of the picture goes through it.
  context.clearRect((width - across) / 2 - 8, height / 2 - 20, across + 16, 30);
  context.fillText(text, width / 2, height / 2, width - 24);
  context.restore();
}

/** Why a picture of the sound is empty. */
export function unheard(context, width, height, { states: { sound }, paused }) {
  if (sound?.kind === "none") blank(context, width, height, "No sound: choose one in the header");
  else if (paused) blank(context, width, height, "Paused: Resume draws it");
}

/** Milliseconds from one point of a course to the next within which a line joins them. */
const JOINED = 150;

/** Draws a course: points `{ time, colour }` at places in the picture. */
export function trace(context, points, place) {
  [context.lineWidth, context.lineCap, context.lineJoin] = [3, "round", "round"];
  context.beginPath();
  let [last, before] = [null, null];
  for (const point of points) {
    const now = place(point);
    const isJoined = last && point.time - last.time < JOINED;
    if (!isJoined || point.colour !== last.colour) {
      context.stroke();
      context.beginPath();
      context.strokeStyle = point.colour;
      context.moveTo(...(isJoined ? before : now));
    }
    context.lineTo(...now);
    [last, before] = [point, now];
  }
  context.stroke();
}

/** A colour of the style sheet. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
