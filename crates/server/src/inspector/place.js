// Where we are: channel, who is addressed, view and tab, kept in the URL's fragment, so that a reload, a bookmark and
// the back button come back to the same place.

const watchers = [];

/** The place as it stands. An empty persona leaves it to the room who answers, an empty tab closes the inspector. */
export const place = read();

function read() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const said = (name) => fragment.get(name) ?? '';
  return { persona: said('persona'), channel: said('channel'), view: said('view'), tab: said('tab') };
}

function told(before) {
  watchers.forEach((watcher) => watcher(place, before));
}

/** Calls back after every move, with where we are and where we were. */
export function onMove(watcher) {
  watchers.push(watcher);
}

/** Moves. Another channel or view is a step one can go back from, another tab is not. */
export function go(changes) {
  const before = { ...place };
  Object.assign(place, changes);
  const fragment = `#${new URLSearchParams(Object.entries(place).filter(([, value]) => value))}`;
  const step = before.channel && (before.channel !== place.channel || before.view !== place.view);
  history[step ? 'pushState' : 'replaceState'](null, '', fragment);
  told(before);
}

window.addEventListener('popstate', () => {
  const before = { ...place };
  Object.assign(place, read());
  told(before);
});
