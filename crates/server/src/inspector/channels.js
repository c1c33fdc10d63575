// The list of channels with marks at those where something was said since one was there last.

import { call } from './api.js';
import { byId, el } from './dom.js';
import { kept } from './kept.js';
import { channelName } from './names.js';
import { go, place } from './place.js';

/** How often the list is asked for while the page is seen, in milliseconds. */
const EVERY = 4_000;
/** How many are listed. */
const MOST = 200;
const KEPT = 'read';

/**
 * Makes the list work. `changed(newest)` is told when the open channel's newest message is another one than before.
 * Returns `refresh()`, `read(id)`, which marks the open channel as read, and `readUpTo(key)`.
 */
export function channels(changed) {
  const list = byId('channel-list');
  let known = [];
  let drawn = '';
  // on the first visit everything is old
  let first = kept.get(KEPT) === null;
  // the newest message read in each channel
  const read = new Map();
  learn();

  /** Takes in what this and other tabs have read. */
  function learn() {
    for (const [key, id] of Object.entries(kept.get(KEPT) ?? {})) if ((read.get(key) ?? 0) < id) read.set(key, id);
  }

  function keep(key, id) {
    if ((read.get(key) ?? 0) >= id) return;
    learn();
    if ((read.get(key) ?? 0) < id) read.set(key, id);
    kept.set(KEPT, Object.fromEntries(read));
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

  window.addEventListener('storage', ({ key }) => key === KEPT && (learn(), draw()));
  setInterval(() => document.hidden || refresh(), EVERY);
  return {
    refresh,
    draw,
    read: (id) => keep(place.channel, id),
    readUpTo: (key) => read.get(key),
  };
}
