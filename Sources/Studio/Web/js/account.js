// Accounts are to come.

import { h } from "./dom.js";

export function account() {
  return {
    title: "Account", lead: "Everybody who opens this page shares its settings.",
    topics: [],
    elements: [h("section", { class: "card" }, h("p", {}, "Accounts, with settings of your own on every device, are not in this version."))],
  };
}
