// What the browser keeps for this page. A browser that keeps nothing, as with cookies blocked, has a page that forgets.

const storage = (where) => ({
  /** What was kept under a key, or null. */
  get(key) {
    try {
      const text = where().getItem(key);
      return /^[[{]/.test(text) ? JSON.parse(text) : text;
    } catch {
      return null;
    }
  },
  /** Keeps a text, or what can be written as JSON. */
  set(key, value) {
    try {
      where().setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
    } catch {
      // blocked, or full
    }
  },
  drop(key) {
    try {
      where().removeItem(key);
    } catch {
      // blocked
    }
  },
});

/** For every tab and for good. */
export const kept = storage(() => localStorage);
/** For this tab, over a reload. */
export const keptHere = storage(() => sessionStorage);
