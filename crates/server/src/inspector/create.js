// A new channel: a name and who is there, in two clicks.

import { call, path } from './api.js';
import { byId, el } from './dom.js';
import { everybody, nameplate } from './names.js';

/** A free name, so that nothing has to be written. */
function free(taken, prefix) {
  for (let n = 1; ; n += 1) if (!taken.has(`${prefix}room-${n}`)) return `room-${n}`;
}

/** Whether a member came because somebody used the channel. */
const cameByUse = ({ kind, via }) => kind !== 'persona' || via === 'invited' || via === 'addressed';

/**
 * Makes the button and the dialog work. `prefix()` is what the names of our channels begin with, `taken()` the keys of
 * the channels there are, `first()` the persona that is ticked. `opened(key, personas)` is called with the new channel and the personas that could not be
 * invited.
 */
export function create({ prefix, taken, first, opened }) {
  const dialog = byId('create');
  const field = byId('channel');

  /** Suggests a name, and another one where that channel is in use: the list may not show it. */
  async function suggest(used) {
    const name = free(used, prefix());
    const key = prefix() + name;
    field.value = name;
    field.select();
    const { members } = await call('GET', path`/api/channels/${key}/members`).catch(() => ({ members: [] }));
    if (members.some(cameByUse) && field.value === name) suggest(used.add(key));
  }

  byId('new-channel').addEventListener('click', () => {
    const box = (name) => el('label', { class: 'check' }, el('input', { type: 'checkbox', name: 'persona', value: name, checked: name === first() }), nameplate(name));
    byId('create-cast').replaceChildren(el('legend', {}, 'Who is there'), ...everybody().map(box));
    byId('create-cast').hidden = everybody().length === 0;
    dialog.returnValue = 'no';
    dialog.showModal();
    suggest(taken());
  });
  byId('create-cancel').addEventListener('click', () => dialog.close('no'));
  dialog.addEventListener('close', async () => {
    // a key has no spaces
    const name = field.value.trim().replace(/\s+/g, '-');
    if (dialog.returnValue !== 'yes' || !name) return;
    const key = name.includes(':') ? name : prefix() + name;
    const chosen = [...dialog.querySelectorAll('input[name=persona]:checked')].map(({ value }) => value);
    const uninvited = [];
    for (const persona of chosen) await call('POST', path`/api/channels/${key}/members`, { persona }).catch(() => uninvited.push(persona));
    opened(key, uninvited);
  });
}
