// The inspector beside the conversation: closed until something is asked of it.

import { byId, composes } from './dom.js';
import { go, place } from './place.js';
import { tabs } from './tabs.js';

/** Makes the panel work; `back()` gives what gets the focus when it is closed, if anything. Returns `show()`, which shows it as the place says and gives the open tab's name, or ''. */
export function panel(back) {
  const box = byId('panel');
  const button = byId('open-panel');
  const showTab = tabs(box.querySelector('[role=tablist]'), (tab) => go({ tab }));
  function close() {
    go({ tab: '' });
    (back() || button).focus();
  }

  button.addEventListener('click', () => (place.tab ? close() : go({ tab: 'turn' })));
  byId('close-panel').addEventListener('click', close);
  for (const part of [box, byId('log')]) {
    part.addEventListener('keydown', (event) => event.key === 'Escape' && !event.defaultPrevented && !composes(event) && place.tab && close());
  }
  return {
    show() {
      const open = Boolean(place.tab);
      box.hidden = !open;
      button.setAttribute('aria-expanded', String(open));
      document.body.classList.toggle('inspecting', open);
      return open ? showTab(place.tab).id.slice('tab-'.length) : '';
    },
  };
}
