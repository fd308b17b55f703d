// The account: signing up and in, sessions, password, export and deletion.

import { h, table } from "./dom.js";
import { ask, keysOf } from "./session.js";
import { browserStore } from "./store.js";

const RESET = /^#\/account\/reset\/([\w-]+)$/;
const FAILED = /^#\/account\/failed\/(\w+)$/;
/** What a code of a sign-in by a provider means to a person. */
const FAULTS = {
  taken: "Your address has an account here already. Log in to it, and link the provider there.",
  limit: "There were too many tries. Wait a minute, and begin again.",
  disabled: "The account is disabled. Ask who runs this server.",
  busy: "The provider does not answer. Try again later.",
  signedOut: "Somebody else is signed in by now. Begin again.",
};
const PASSWORD_NOTE = "8 characters or more, of any kind; 15 are recommended.";
const when = (seconds) => new Date(1000 * seconds).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

/** A browser and its system, from what it calls itself; more of it says nothing to a person. */
function device(agent) {
  const browser = [["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]].find(([mark]) => agent.includes(mark));
  const system = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "macOS"], ["CrOS", "ChromeOS"], ["Linux", "Linux"]].find(([mark]) => agent.includes(mark));
  return browser ? `${browser[1]}${system ? ` on ${system[1]}` : ""}` : agent.slice(0, 40) || "Unknown";
}

/** The address of the account whose forms are shown. */
let owned = "";

/** A form of fields `{ name, label, type, autocomplete, note }`; what the action throws is said beside the field it is about. */
function form(title, fields, submit, action, ...more) {
  // Password managers learn from it whose password it is.
  const owner = fields.some(({ name }) => name === "email") ? "" : h("input", { type: "text", autocomplete: "username", hidden: true, ".value": owned });
  const inputs = {};
  const rows = fields.map(({ name, label, type = "password", autocomplete, note }) => {
    const id = `${title}-${name}`.toLowerCase().replace(/\W+/g, "-");
    const fault = h("p", { class: "error", id: `${id}-error`, hidden: true });
    const hint = note ? h("p", { class: "note", id: `${id}-note` }, note) : null;
    inputs[name] = h("input", { id, name, type, autocomplete, required: true, "aria-describedby": `${hint ? hint.id + " " : ""}${fault.id}` });
    return { name, fault, element: h("div", { class: "field" }, h("label", { for: id }, label), inputs[name], hint ?? "", fault) };
  });
  const general = h("p", { class: "error", role: "alert", hidden: true });
  const button = h("button", { class: "primary", type: "submit" }, submit);
  // The server's sentences begin with the name of the field.
  const sentence = (text) => text.replace(/^\w+: /, "").replace(/^./, (letter) => letter.toUpperCase());
  const show = (element, text) => { element.hidden = !text; element.textContent = text ?? ""; };
  return h("form", { class: "card form", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    for (const { name, fault } of rows) { show(fault); inputs[name].removeAttribute("aria-invalid"); }
    show(general);
    try {
      await action(Object.fromEntries(Object.entries(inputs).map(([name, { value }]) => [name, value])));
    } catch (error) {
      const row = rows.find(({ name }) => name === error.field);
      show(row?.fault ?? general, error.status ? sentence(error.message) : "The server does not answer.");
      if (row) { inputs[row.name].setAttribute("aria-invalid", "true"); inputs[row.name].focus(); }
    }
    button.disabled = false;
  } }, h("h2", {}, title), owner, ...rows.map(({ element }) => element), general, h("div", { class: "row" }, button), ...more);
}

export function account(app) {
  const { session } = app;
  const place = h("div", { class: "cards" });
  const email = { name: "email", label: "E-mail address", type: "email", autocomplete: "username" };
  const button = (name, action, kind) => h("button", { type: "button", class: kind, onclick: () => app.attempt(action) }, name);
  // The token leaves the address, and the history of the browser, at once.
  let token = RESET.exec(location.hash)?.[1] ?? null;
  if (token) history.replaceState(null, "", "#/account");
  let failed = FAILED.exec(location.hash)?.[1] ?? null;
  if (failed) history.replaceState(null, "", "#/account");
  const done = (text) => { app.announce(text); place.querySelector("#done")?.remove(); place.prepend(h("p", { id: "done", class: "card wide" }, text)); };

  const reset = () => [form("New password", [{ name: "password", label: "New password", autocomplete: "new-password", note: PASSWORD_NOTE }], "Set the password",
    async ({ password }) => {
      const { removed } = await ask("POST", "api/password/reset", { token, password });
      token = null;
      await session.changed();
      show();
      done(`The password is set, and all sessions have ended. Log in with it.${removed ? " The linked sign-ins were removed: link yours again." : ""}`);
    })];

  const providers = (title, action) => session.providers.length
    ? [h("section", { class: "card" }, h("h2", {}, title), h("div", { class: "row" }, session.providers.map(({ id, name }) => action(id, name))))] : [];

  const setOut = (event) => {
    const { href } = event.currentTarget;
    event.preventDefault();
    app.attempt(async () => { await session.setOut(); location.href = href; });
  };

  const signedOut = () => [
    ...providers("Other ways", (id, name) => h("a", { class: "button", href: `auth/login?provider=${encodeURIComponent(id)}`, onclick: setOut }, `Continue with ${name}`)),
    form("Log in", [email, { name: "password", label: "Password", autocomplete: "current-password" }], "Log in", (values) => session.signIn("api/login", values)),
    form("Sign up", [email, { name: "password", label: "Password", autocomplete: "new-password", note: PASSWORD_NOTE }], "Sign up",
      (values) => session.signIn("api/register", values, true), h("p", { class: "note" }, "What you have set on this page is taken along.")),
    session.sendsMail
      ? form("Forgotten password", [email], "Send a link", async (values) => {
        await ask("POST", "api/password/forgot", values);
        done("If the address has an account, a link is on its way. It holds for 30 minutes.");
      })
      : h("section", { class: "card" }, h("h2", {}, "Forgotten password"), h("p", {}, "This server sends no mails. Who runs it gets a link for you by ",
        h("code", {}, "rustle-studio account reset"), " with your address.")),
  ];

  const signedIn = () => {
    const list = table("Sessions", ["Device", "Network", "Since", "Last use", "Action"]);
    const refresh = async () => {
      const { sessions } = await ask("GET", "api/sessions");
      list.set(sessions.map((each) => [device(each.agent), each.network, when(each.created), when(each.seen), each.current ? "This one"
        : h("button", { type: "button", "aria-label": `End the session of ${device(each.agent)}, ${when(each.created)}`, onclick: () => app.attempt(async () => { await ask("DELETE", `api/sessions/${each.id}`); await refresh(); }) }, "End")]));
    };
    app.attempt(refresh);
    const links = table("Linked sign-ins", ["Provider", "Subject", "Action"]);
    const linked = h("section", { class: "card wide", hidden: true }, h("h2", {}, "Linked sign-ins"), links.element);
    const refreshLinks = async () => {
      const { identities } = await ask("GET", "api/identities");
      linked.hidden = !identities.length;
      links.set(identities.map((each) => [each.issuer, each.subject,
        h("button", { type: "button", "aria-label": `Remove ${each.subject} of ${each.issuer}`, onclick: () => { parting = each; leave.showModal(); } }, "Remove")]));
    };
    app.attempt(refreshLinks);
    const proof = session.hasPassword ? [{ name: "password", label: "Password", autocomplete: "current-password" }] : [];
    const fresh = () => session.hasPassword ? [] : [h("p", { class: "note" }, "Within 10 minutes of a sign-in by the provider: log out and continue with it, if it is longer ago.")];
    let parting = null;
    const leave = h("dialog", { "aria-labelledby": "unlink-title" });
    const unlink = form("Remove the sign-in", proof, "Remove it", async (values) => {
      await ask("DELETE", "api/identities", { password: "", ...values, ...parting });
      show();
      done("The linked sign-in is removed.");
    }, ...fresh());
    unlink.querySelector("[type=submit]").after(h("button", { type: "button", onclick: () => leave.close() }, "Keep it"));
    unlink.classList.remove("card");
    unlink.querySelector("h2").id = "unlink-title";
    leave.append(unlink);
    linked.append(leave);
    const dialog = h("dialog", { "aria-labelledby": "delete-title" });
    const erase = form("Delete the account", proof, "Delete everything", async (values) => {
      await ask("DELETE", "api/account", { password: "", ...values });
      dialog.close();
      const { email } = session;
      session.leave();
      for (const key of keysOf(email)) browserStore.remove(key);
      await session.changed().catch(() => {});
      done("The account is deleted.");
    });
    erase.querySelector("[type=submit]").after(h("button", { type: "button", onclick: () => dialog.close() }, "Keep it"));
    erase.classList.remove("card");
    erase.querySelector("[type=submit]").className = "danger";
    erase.querySelector("h2").after(h("p", {}, "Its settings and sessions are deleted on this server at once, and nothing brings them back."));
    erase.querySelector("h2").id = "delete-title";
    dialog.append(erase);
    return [
      h("section", { class: "card wide" }, h("h2", {}, "Signed in"), h("p", {}, session.email, session.isVerified ? h("span", { class: "note" }, " – confirmed") : ""),
        h("div", { class: "row" }, button("Log out", async () => {
          if (!await session.logOut()) done("You are signed out here. The server did not answer: the session ends there as soon as this browser reaches it.");
        }),
          button("Export", async () => {
            const url = URL.createObjectURL(new Blob([JSON.stringify(await ask("GET", "api/account/export"))], { type: "application/json" }));
            h("a", { href: url, download: "rustle-account.json" }).click();
            setTimeout(() => URL.revokeObjectURL(url), 60000);
          }),
          h("button", { type: "button", class: "danger", onclick: () => dialog.showModal() }, "Delete the account")), dialog),
      h("section", { class: "card wide" }, h("h2", {}, "Sessions"), list.element,
        h("div", { class: "row" }, button("End all others", async () => { await ask("DELETE", "api/sessions"); await refresh(); }))),
      linked,
      ...session.providers.map(({ id, name }) => form(`Link ${name}`, proof, "Link", async (values) => {
        location.href = (await ask("POST", "api/identities", { provider: id, password: "", ...values })).location;
      }, ...fresh())),
      form("Change the password", [...(session.hasPassword ? [{ name: "current", label: "Present password", autocomplete: "current-password" }] : []),
        { name: "new", label: "New password", autocomplete: "new-password", note: PASSWORD_NOTE }], "Change", async (values) => {
        try {
          await ask("POST", "api/password", { current: "", ...values });
        } catch (error) {
          // The same rules have another field's name here.
          throw Object.assign(error, { field: error.status === 401 ? "current" : "new" });
        }
        await session.changed().catch(() => {});
        show();
        done("The password is changed. All other sessions have ended.");
      }, ...fresh()),
    ];
  };

  const show = () => {
    owned = session.email ?? "";
    const elements = !session.isKept ? [h("section", { class: "card" }, h("p", {}, "This server keeps no accounts."))]
      : token ? reset() : session.email ? signedIn() : signedOut();
    place.replaceChildren(...elements);
  };
  /** Shows other forms: what somebody types stays in those that are among them, as when the server says later by whom people sign in. */
  const change = () => {
    const typed = owned === (session.email ?? "") ? [...place.querySelectorAll(":scope > form input:not([hidden])")] : [];
    const focused = typed.find((input) => input === document.activeElement);
    show();
    for (const input of typed) {
      const same = document.getElementById(input.id);
      if (same) same.value = input.value;
      if (same && input === focused) same.focus();
    }
  };
  const kind = () => JSON.stringify([session.isKept, token ?? [session.email, session.sendsMail, session.providers]]);
  let shown = kind();
  const explain = () => { if (failed) done(FAULTS[failed] ?? "The sign-in by the provider did not succeed. Begin again."); };
  session.onchange = () => {
    if (kind() !== shown) { shown = kind(); change(); explain(); }
    if (session.id !== undefined) failed = null;
  };
  show();
  explain();
  return {
    title: "Account", lead: "With an account your settings follow you to every device.", topics: [], elements: [place],
  };
}
