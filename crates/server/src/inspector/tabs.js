// Tabs as the ARIA pattern has them: one stop for the Tab key, arrows, Home and End go through them.

/** Makes a tab list work. `opened` hears the name of the tab, which is the id of its panel. */
export function tabs(list, opened) {
  const all = [...list.querySelectorAll('[role=tab]')];
  const panel = (tab) => document.getElementById(tab.getAttribute('aria-controls'));

  /** Shows a tab by name; an unknown name shows the first. */
  function show(name) {
    const chosen = all.find((tab) => panel(tab).id === name) ?? all[0];
    for (const tab of all) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      panel(tab).hidden = tab !== chosen;
    }
    return chosen;
  }

  list.addEventListener('click', (event) => {
    const tab = event.target.closest('[role=tab]');
    if (tab) opened(panel(tab).id);
  });
  list.addEventListener('keydown', (event) => {
    const at = all.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const tab = all[(to + all.length) % all.length];
    opened(panel(tab).id);
    tab.focus();
  });
  return show;
}
