// The patch of the show's fixtures, and the nodes of the network.

import { choice, h, say, speak, table } from "./dom.js";

const STATES = { online: "Online", late: "Late", lost: "Lost" };

export function fixtures(app) {
  const { link } = app;
  const patch = table("Patch", ["Id", "Protocol", "Universe", "Slots", "Profile", "Mode", "Name"]);
  // On a phone two lines for each: there may be many.
  patch.element.classList.add("brief");
  const nodes = table("Nodes", ["Name", "Address", "Port-Addresses", "State"]);
  const none = h("p", { class: "note" });
  const failure = h("p", { class: "error" });
  const network = choice("Network", [], () => {});
  const search = h("button", { type: "button", onclick: () => app.attempt(() => (link.states.fixtures.interface === null
    ? link.act("fixtures/search", { interface: network.select.value }) : link.act("fixtures/stop"))) }, "Search");
  const filter = h("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false", oninput: () => show() });
  const count = h("p", { class: "note", role: "status" });
  let [isLoaded, list] = [false, []];
  // Each word of the filter is in the id, the name, the universe or the profile.
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    const shown = list.filter(({ id, name, profile, universe }) => {
      const text = [id, name, profile, universe].join("\n").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    speak(count, `${shown.length} of ${list.length} fixtures`);
    patch.set(shown.map(({ id, name, profile, mode, protocol, universe, address, slots }) =>
      [id, { sacn: "sACN", artnet: "Art-Net" }[protocol], universe, `${address} to ${address + slots - 1}`, profile, mode, name || h("span", { class: "absent" }, "–")]));
  };
  const load = () => app.attempt(async () => {
    list = (await link.act("fixtures/list")).fixtures;
    show();
  });

  return {
    title: "Fixtures", lead: "The nodes that answer on the network, and where each fixture of the show is patched.",
    topics: [],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" }, h("h2", {}, "Nodes of Art-Net"), h("div", { class: "row" }, network.element, search), failure, none, nodes.element,
        h("p", { class: "row" }, h("a", { href: "#/setup", class: "note" }, "Give new nodes their network and place"), h("a", { href: "#/mapping", class: "note" }, "Find the fixtures with a camera"))),
      h("section", { class: "card wide" }, h("h2", {}, "Patch of the show"),
        h("div", { class: "row" }, h("label", { for: "filter" }, "Filter by name, id, universe or profile"), filter, count), patch.element))],
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
