// Named values of a screen: chosen from its list, kept under a name, and forgotten.

import { h } from "./dom.js";

/**
 * The controls that keep named values of a kind, `noun`, whose settings' names begin with `prefix`. `value()`: what is kept; null: nothing
 * that can be. `chosen()`: the name of the one in the list.
 */
export function shelf(app, prefix, noun, { value, chosen }) {
  const { session } = app;
  const name = h("input", { type: "text", maxlength: "64", autocomplete: "off", "aria-label": "Name to keep it by", placeholder: "Name" });
  const button = (text, action) => h("button", { type: "button", onclick: () => app.attempt(action) }, text);
  const save = button(`Save ${noun}`, async () => {
    const own = name.value.trim().normalize();
    // These two are no names in an address.
    if (/^\.{0,2}$/.test(own)) throw new Error(`Expected a name of the ${noun}`);
    const kept = value();
    if (kept === null) throw new Error("Expected the 14 bands of the graphic equalizer");
    await session.keep(prefix + own, kept);
    name.value = "";
  });
  const remove = button(`Delete ${noun}`, () => session.keep(prefix + chosen(), null));
  return {
    elements: [name, save, remove],
    /** Shows whether there is one to delete. */
    show() { remove.disabled = chosen() === null; },
  };
}
