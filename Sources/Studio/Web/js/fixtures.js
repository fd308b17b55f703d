// The patch of the show's fixtures, and the nodes of the network.

import { choice, h, say } from "./dom.js";

const table = (name, columns) => {
  const body = h("tbody");
  const element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, h("table", { class: "texts" },
    h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column)))), body));
  const set = (rows) => body.replaceChildren(...rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))));
  return { element, set };
};
const STATES = { online: "Online", late: "Late", lost: "Lost" };

export function fixtures(app) {
  const { link } = app;
  const patch = table("Patch", ["Id", "Protocol", "Universe", "Slots", "Profile", "Mode", "Name"]);
  const nodes = table("Nodes", ["Name", "Address", "Port-Addresses", "State"]);
  const none = h("p", { class: "note" });
  const failure = h("p", { class: "error" });
  const network = choice("Network", [], () => {});
  const search = h("button", { type: "button", onclick: () => app.attempt(() => (link.states.fixtures.interface === null
    ? link.act("fixtures/search", { interface: network.select.value }) : link.act("fixtures/stop"))) }, "Search");
  const load = () => app.attempt(async () => {
    const list = (await link.act("fixtures/list")).fixtures;
    patch.set(list.map(({ id, name, profile, mode, protocol, universe, address, slots }) =>
      [id, { sacn: "sACN", artnet: "Art-Net" }[protocol], universe, `${address} to ${address + slots - 1}`, profile, mode, name || "–"]));
  });
  let isLoaded = false;

  return {
    title: "Fixtures", lead: "Where each fixture of the show is patched, and the nodes that answer on the network.",
    topics: [],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" }, h("h2", {}, "Nodes of Art-Net"), h("div", { class: "row" }, network.element, search), failure, none, nodes.element),
      h("section", { class: "card wide" }, h("h2", {}, "Patch of the show"), patch.element),
      h("section", { class: "card wide" }, h("h2", {}, "Set-up"),
        h("p", {}, "Provisioning over Bluetooth LE and mapping with a camera are not in this version.")))],
    state(name, state) {
      if (name !== "fixtures") return;
      if (!isLoaded) { isLoaded = true; load(); }
      network.set(state.interfaces, state.interface ?? undefined);
      say(search, state.interface === null ? "Search" : "Stop");
      say(failure, state.error ?? "");
      failure.hidden = !state.error;
      nodes.set(state.nodes.map(({ name, address, ports, state }) => [name, address, ports.join(", "), STATES[state]]));
      nodes.element.hidden = state.nodes.length === 0;
      none.hidden = state.nodes.length > 0;
      say(none, state.interface === null ? "A search polls the network; no lamp changes." : "No node has answered yet.");
    },
  };
}
