// What the browser keeps, for good or for the time of a tab. It may refuse to, or have no room: then the page keeps it as long as it is open.

const store = (name) => {
  const own = new Map();
  /** To read the storage's name is refused already. */
  const attempt = (work, otherwise) => { try { return work(globalThis[name]); } catch { return otherwise; } };
  return {
    get: (key) => own.get(key) ?? attempt((storage) => storage.getItem(key), null),
    /** Whether the browser keeps it. */
    set(key, text) {
      own.set(key, text);
      return attempt((storage) => { storage.setItem(key, text); return own.delete(key); }, false);
    },
    remove(key) {
      own.delete(key);
      attempt((storage) => storage.removeItem(key));
    },
    keys: () => [...new Set([...own.keys(), ...attempt(Object.keys, [])])],
  };
};

export const [browserStore, tabStore] = ["localStorage", "sessionStorage"].map(store);
