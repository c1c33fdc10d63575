// The list of channels with marks at those where something was said since one was there last.

import { call } from './api.js';
import { byId, el } from './dom.js';
import { channelName } from './names.js';
import { go, place } from './place.js';

/** How often the list is asked for while the page is seen, in milliseconds. */
const EVERY = 4_000;
/** How many are listed. */
const MOST = 200;
const KEPT = 'read';

/** The newest message read in each channel, kept in the browser. */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? null;
  } catch {
    return null;
  }
}

/**
 * Makes the list work. `changed(newest)` is told when the open channel's newest message is another one than before.
 * Returns `refresh()`, `read(id)`, which marks the open channel as read, and `readUpTo(key)`.
 */
export function channels(changed) {
  const list = byId('channel-list');
  let known = [];
  let drawn = '';
  // on the first visit everything is old
  let first = kept() === null;
  const read = new Map(Object.entries(kept() ?? {}));

  function keep(key, id) {
    if ((read.get(key) ?? 0) >= id) return;
    read.set(key, id);
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(read)));
  }

  function draw() {
    const keys = known.map(({ channel }) => channel);
    // one that holds nothing yet stands first
    if (place.channel && !keys.includes(place.channel)) keys.unshift(place.channel);
    const newest = new Map(known.map(({ channel, newest: id }) => [channel, id]));
    const rows = keys.map((key) => ({ key, here: key === place.channel, unread: key !== place.channel && (newest.get(key) ?? 0) > (read.get(key) ?? 0) }));
    const news = JSON.stringify(rows);
    if (news === drawn) return;
    drawn = news;
    const focus = list.contains(document.activeElement) && document.activeElement.dataset.channel;
    list.replaceChildren(...rows.map(({ key, here, unread }) =>
      el('li', { class: unread ? 'unread' : '' },
        el('button', { type: 'button', 'data-channel': key, title: key, 'aria-current': here && 'page', onclick: () => enter(key) },
          el('span', { class: 'hash', 'aria-hidden': 'true' }, '#'), el('span', { class: 'name' }, channelName(key)),
          unread && [el('span', { class: 'mark', 'aria-hidden': 'true' }), el('span', { class: 'unseen' }, ', unread')]))));
    if (focus) list.querySelector(`[data-channel="${CSS.escape(focus)}"]`)?.focus();
  }

  function enter(key) {
    document.body.dataset.pane = 'talk';
    go({ channel: key, view: '', persona: '' });
    byId('message').focus();
  }

  async function refresh() {
    const { channels: all } = await call('GET', `/api/channels?limit=${MOST}`).catch(() => ({ channels: known }));
    known = all;
    if (first && all.length) all.forEach(({ channel, newest }) => keep(channel, newest));
    first = false;
    const here = all.find(({ channel }) => channel === place.channel);
    draw();
    if (here) changed(here.newest);
  }

  setInterval(() => document.hidden || refresh(), EVERY);
  return {
    refresh,
    draw,
    read: (id) => keep(place.channel, id),
    readUpTo: (key) => read.get(key),
  };
}
