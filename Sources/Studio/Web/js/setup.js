// New nodes over Bluetooth LE: which are in range, what they are given, and how far an attempt is.

import { choice, h, say, speak, table } from "./dom.js";

const FLAGS = { unprovisioned: "New", provisioned: "Works", provisioning: "Takes values", connecting: "Joins its network", connected: "In its network", error: "Error" };
/** The states of an attempt, in their order. */
const STEPS = [["SCANNING", "Find the node"], ["CONNECTING", "Connect"], ["READING_CONFIG", "Read its values"], ["WRITING_CONFIG", "Write"], ["APPLYING", "Apply"], ["VERIFYING", "Verify"]];
const ORDERS = { set: "Values for", read: "Values of", reboot: "Restart of", reset: "Reset of" };
/** Signals in dBm, and what they are called. */
const SIGNALS = [[-60, "strong"], [-75, "good"], [-88, "weak"], [-Infinity, "very weak"]];

/** The bytes of a password of WPA: of a text, and of a key in hexadecimal digits. */
const [SHORTEST, LONGEST] = [8, 63];

/** Why a network does not take a password; empty: it may. */
function passwordFault(text) {
  const length = new TextEncoder().encode(text).length;
  if (length >= SHORTEST && length <= LONGEST || /^[0-9a-f]{64}$/i.test(text)) return "";
  return `A password of WPA has ${SHORTEST} to ${LONGEST} characters, or 64 hexadecimal digits; this one has ${length}.`;
}

const signal = (level) => (level === null ? "–" : `${String(level).replace("-", "−")} dBm, ${SIGNALS.find(([least]) => level >= least)[1]}`);
const sentence = ({ message, advice }) => `${message}. ${advice}`;

export function setup(app) {
  const { link } = app;
  const act = (name, argument) => app.attempt(() => link.act(`provisioning/${name}`, argument));
  const button = (name, action, extra = {}) => h("button", { type: "button", onclick: action, ...extra }, name);
  const field = (label, input) => h("div", { class: "field" }, h("label", { for: input.id }, label), input);
  const text = (id, extra = {}) => h("input", { type: "text", id, autocomplete: "off", spellcheck: "false", ...extra });
  const integer = (id, min, max, extra = {}) => h("input", { type: "number", id, min, max, step: "1", ...extra });

  // The nodes in range.
  const radio = choice("Radio", [{ id: "", name: "Bluetooth of the server" }, { id: "demo", name: "Demo, without a radio" }, { id: "named", name: "Another adapter" }], () => showRadio());
  const adapter = text("adapter", { "aria-label": "Adapter, by name or address", placeholder: "hci1" });
  const showRadio = () => { adapter.hidden = radio.select.value !== "named"; };
  const chosenAdapter = () => (radio.select.value === "named" ? adapter.value.trim() : radio.select.value);
  const scan = button("Scan", () => act(link.states.provisioning.scanning ? "stop" : "scan", { adapter: chosenAdapter() }), { class: "primary" });
  const scanError = h("p", { class: "error", role: "alert" });
  const none = h("p", { class: "note", role: "status" });
  const nodes = table("Nodes in range", ["Name", "Address", "Signal", "State", "Firmware", "Node"]);
  const rows = new Map();
  const makeRow = ({ id, name }) => {
    const cells = Array.from({ length: 5 }, () => h("span", {}));
    const choose = button("Choose", () => { node.value = id; showChosen(); (name ? rename : node).focus(); }, { "aria-label": `Choose ${name || id}` });
    rows.set(id, { cells, choose });
    return [...cells, choose];
  };
  const showNodes = (list) => {
    if (list.map(({ id }) => id).join() !== [...rows.keys()].join()) {
      const focused = [...rows.values()].findIndex(({ choose }) => choose === document.activeElement);
      rows.clear();
      nodes.set(list.map(makeRow));
      [...rows.values()][Math.min(focused, rows.size - 1)]?.choose.focus();
      known.replaceChildren(...list.map(({ id, name }) => h("option", { value: id }, name)));
    }
    for (const each of list) {
      const texts = [each.name || "–", each.id, signal(each.signal), each.done && each.flag === "unprovisioned" ? "Set up here" : FLAGS[each.flag] ?? each.flag ?? "–", each.firmware ?? "–"];
      rows.get(each.id).cells.forEach((cell, place) => say(cell, texts[place]));
    }
    showChosen();
  };
  const showChosen = () => rows.forEach(({ choose }, id) => choose.setAttribute("aria-pressed", String(id === node.value.trim())));

  // What is written.
  const known = h("datalist", { id: "nodes-in-range" });
  const node = text("node", { list: known.id, placeholder: "The strongest", oninput: showChosen });
  const rename = text("node-name", { required: true });
  const ssid = text("node-ssid", { required: true });
  const secret = (id) => {
    const input = h("input", { type: "password", id, autocomplete: "off", required: true, oninput: () => input.setCustomValidity(input.value ? passwordFault(input.value) : "") });
    return input;
  };
  const password = secret("node-password");
  const shown = h("input", { type: "checkbox", onchange: () => { password.type = shown.checked ? "text" : "password"; } });
  const open = h("input", { type: "checkbox", onchange: () => { password.disabled = open.checked; } });
  const universe = integer("node-universe", 0, 32767, { value: "1", required: true });
  const start = integer("node-start", 1, 512, { value: "1", required: true });
  const footprint = integer("node-slots", 1, 512, { placeholder: "Not known" });
  const time = integer("node-time", 1, 3600, { value: "20", required: true });
  const pairs = h("input", { type: "checkbox" });
  const file = h("input", { type: "file", id: "node-table", accept: ".csv,text/csv", onchange: () => showTable() });
  const write = h("button", { type: "submit", class: "primary" }, "Write and verify");
  const others = [button("Read its values", () => act("read", { ...options(), node: node.value.trim() })),
    button("Restart", () => act("reset", { ...options(), node: node.value.trim(), reboot: true })), button("Reset…", () => ask())];
  const single = [rename, universe, start];
  // The rows of a table have their own names and places.
  const showTable = () => {
    const isTable = file.files.length > 0;
    for (const each of [...single, footprint, node]) each.disabled = isTable;
    drop.hidden = !isTable;
  };
  const drop = button("Without the table", () => { file.value = ""; showTable(); });
  const options = () => ({ adapter: chosenAdapter(), timeout: Number(time.value) || 20, encrypt: pairs.checked });
  /** Begins to write. */
  const set = async (values) => {
    await link.act("provisioning/set", values);
    attempt.scrollIntoView({ block: "nearest" });
  };
  const part = (number, title, ...children) => h("section", { class: "part" }, h("h3", {}, `${number}. ${title}`), ...children);
  const form = h("form", { onsubmit: (event) => {
    event.preventDefault();
    app.attempt(async () => {
      const access = open.checked ? { open: true } : { password: password.value };
      const values = file.files.length > 0 ? { table: await file.files[0].text() } : {
        node: node.value.trim(), name: rename.value, universe: Number(universe.value), start: Number(start.value),
        footprint: footprint.value ? Number(footprint.value) : null };
      await set({ ...options(), ...values, ...access, ssid: ssid.value });
      password.value = "";
    });
  } },
    part(2, "Choose the node", h("div", { class: "fields" }, field("Node, by name or address", node), field("New name", rename)), known,
      h("div", { class: "row" }, h("label", { for: file.id }, "Or a table of nodes, CSV: node, name, universe, start"), file, drop)),
    part(3, "Its network", h("div", { class: "fields" }, field("Network (SSID)", ssid), field("Password of the network", password)),
      h("div", { class: "row" }, h("label", {}, shown, "Show the password"), h("label", {}, open, "The network has no password"))),
    part(4, "Its place", h("div", { class: "fields" }, field("Universe", universe), field("Start address", start), field("Slots of the fixture", footprint))),
    part(5, "Write", h("div", { class: "fields" }, field("Seconds at most", time)), h("label", {}, pairs, "Pair first, or write nothing"),
      h("p", { class: "note" }, "The password goes in clear over the air, unless the node pairs: whoever listens to Bluetooth nearby can read it. Nothing is changed before; what was written can be undone."),
      h("div", { class: "row" }, write, others)));
  const question = h("p", {});
  const sure = h("dialog", { "aria-label": "Reset a node" }, question, h("div", { class: "row" }, button("Keep", () => sure.close()),
    button("Reset", () => { sure.close(); act("reset", { ...options(), node: node.value.trim() }); }, { class: "danger" })));
  const ask = () => {
    if (!node.value.trim()) return app.report("Choose a node first: a reset needs its name or address");
    say(question, `Reset ${node.value.trim()}? It forgets its name, its network and its place.`);
    sure.showModal();
  };

  // What a node had before. It is kept while a person is asked: another page may begin something else meanwhile.
  let former = null;
  const formerValues = h("dl", {});
  const formerPassword = secret("former-password");
  const formerOpen = h("input", { type: "checkbox", onchange: () => { formerPassword.disabled = formerOpen.checked; } });
  const formerNote = h("p", { class: "note" });
  const undo = h("dialog", { "aria-label": "Write the former values back", onclose: () => { formerPassword.value = ""; } }, h("form", { class: "form", onsubmit: (event) => {
    event.preventDefault();
    const access = formerOpen.checked ? { open: true } : { password: formerPassword.value };
    undo.close();
    app.attempt(() => set({ ...options(), ...former, ...access }));
  } }, h("h2", {}, "Write the former values back"), formerValues, formerNote, field("Password of the former network", formerPassword), h("label", {}, formerOpen, "The former network has no password"),
    h("div", { class: "row" }, button("Keep the new values", () => undo.close()), h("button", { type: "submit", class: "primary" }, "Write"))));
  const askUndo = () => {
    const { attempt: { adapter, encrypt, updates, former: values } } = link.states.provisioning;
    const { name, ssid, universe, start } = values;
    former = { adapter, encrypt, node: updates[0].node, name, ssid, universe, start };
    [formerOpen.checked, formerPassword.disabled] = [false, false];
    showValues(formerValues, values);
    say(formerNote, `Nodes do not return their passwords: enter that of ${ssid}.`);
    undo.showModal();
  };

  // How far it is.
  const heading = h("h2", {}, "Attempt");
  const status = h("p", { role: "status" });
  const bar = h("progress", { max: "1", hidden: true, "aria-label": "Progress" });
  const steps = h("ol", { class: "steps", "aria-label": "Steps" }, STEPS.map(([, name]) => h("li", {}, h("span", { "aria-hidden": "true" }), ` ${name}`, h("span", { class: "hidden" }))));
  const failure = h("p", { class: "error" });
  const values = h("dl", { class: "values" });
  const results = table("Nodes of the table", ["Node", "State", "Result"]);
  results.element.classList.add("wraps");
  const use = button("Use these values", () => {
    const { values: read } = link.states.provisioning.attempt;
    [rename.value, ssid.value] = [read.name, read.ssid];
    [universe.value, start.value] = [read.universe ?? "", read.start ?? ""];
    rename.focus();
  });
  const cancel = button("Cancel", () => act("cancel"));
  const back = button("Write the former values back…", askUndo);
  const noFormer = h("p", { class: "note" }, "The node had no network before: a reset makes it forget the new values.");
  const attempt = h("section", { class: "card wide" }, heading, status, bar, steps, failure, values, results.element, noFormer, h("div", { class: "row" }, cancel, use, back));

  const wordOf = ({ state, error }) => (error ? "✕ Failed" : state === "SUCCESS" ? "✓ Done" : STEPS.find(([id]) => id === state)?.[1] ?? "Waits");
  const showValues = (list, { name, ssid, universe, start, firmware, flag }) => {
    const pairs = [["Name", name || "None"], ["Network", ssid || "None"], ["Universe", universe ?? "None"], ["Start address", start ?? "None"],
      ["Firmware", firmware || "None"], ["State", FLAGS[flag] ?? flag ?? "None"]];
    list.replaceChildren(...pairs.flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, String(value))]));
  };
  const showAttempt = (state) => {
    attempt.hidden = state === null;
    if (state === null) return;
    const { order, updates, running, cancelled } = state;
    const [newest] = updates.slice(-1);
    const isTable = (newest?.count ?? 1) > 1;
    const error = state.error ?? (isTable ? null : newest?.error);
    const failed = updates.filter((each) => each.error).length;
    const name = newest?.name || newest?.node || state.node || "the strongest node";
    say(heading, `${ORDERS[order]} ${isTable ? `${newest.count} nodes` : name}`);
    const word = running ? (cancelled ? "Disconnects" : newest && !isTable ? wordOf(newest) : isTable ? `Node ${newest.index + 1} of ${newest.count}: ${wordOf(newest)}` : "At work")
      : cancelled ? "Cancelled. Read the node before it is used: some values may be written." : error ? "✕ Failed" : failed ? `${failed} of ${newest.count} nodes failed` : "✓ Done";
    speak(status, newest && !newest.disconnected && !running ? `${word}. The disconnection was not confirmed in its time.` : word);
    const isNew = bar.hidden;
    bar.hidden = !running;
    // One without a value moves.
    if (link.paused) bar.value = isNew ? 0 : bar.value;
    else if (order === "set" && newest) bar.value = isTable ? (newest.index + newest.progress) / newest.count : newest.progress;
    else bar.removeAttribute("value");
    steps.hidden = order !== "set" || isTable || !newest;
    const place = newest ? STEPS.findIndex(([id]) => id === newest.step) : -1;
    [...steps.children].forEach((item, index) => {
      const isOver = index < place || newest?.state === "SUCCESS";
      const [mark, spoken] = isOver ? ["✓", "done"] : index > place ? ["○", "to come"] : newest?.error ? ["✕", "failed"] : cancelled ? ["–", "cancelled"] : ["●", "now"];
      item.dataset.mark = mark;
      say(item.firstChild, mark);
      say(item.lastChild, `: ${spoken}`);
      if (spoken === "now") item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
    });
    say(failure, error ? `${sentence(error)} (${error.code})` : "");
    failure.hidden = !error;
    const read = state.values ?? (isTable ? null : newest?.values);
    values.hidden = !read;
    use.hidden = !state.values;
    const isUndoable = !running && Boolean(state.former);
    const isWhole = isUndoable && [state.former.name, state.former.ssid].every(Boolean) && [state.former.universe, state.former.start].every((each) => each !== null);
    back.hidden = !isWhole;
    noFormer.hidden = !isUndoable || isWhole;
    if (read) showValues(values, read);
    results.element.hidden = !isTable;
    if (isTable) results.set(updates.map((each) => [each.name || each.node, wordOf(each), each.error ? sentence(each.error) : each.values?.name ?? "–"]));
    cancel.hidden = !running;
    cancel.disabled = cancelled;
  };

  showRadio();
  showTable();
  return {
    title: "Fixture set-up", lead: "New nodes get their network, name and place over Bluetooth LE, and are asked whether they have them.",
    topics: [],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" }, h("h2", {}, "1. Nodes in range"), h("div", { class: "row" }, radio.element, adapter, scan), scanError, none, nodes.element),
      h("section", { class: "card wide" }, h("h2", {}, "Values"), form, sure, undo), attempt)],
    state(name, state) {
      if (name !== "provisioning") return;
      say(scan, state.scanning ? "Stop" : "Scan");
      radio.select.disabled = adapter.disabled = state.scanning;
      if (state.scanning) {
        radio.select.value = ["", "demo"].includes(state.adapter) ? state.adapter : "named";
        if (radio.select.value === "named") adapter.value = state.adapter;
        showRadio();
      }
      say(scanError, state.error ? `${sentence(state.error)} (${state.error.code})` : "");
      scanError.hidden = !state.error;
      // Signals that change each second.
      if (!link.paused) showNodes(state.nodes);
      nodes.element.hidden = rows.size === 0;
      none.hidden = rows.size > 0 || Boolean(state.error);
      if (!none.hidden) say(none, link.paused && (state.scanning || state.nodes.length > 0) ? "Paused: Resume shows the nodes in range." : !state.scanning ? "A scan shows the nodes in range. It changes nothing." : "No node is in range yet. One that is connected does not advertise.");
      for (const each of [write, back, ...others]) each.disabled = state.attempt?.running === true;
      showAttempt(state.attempt);
    },
  };
}
