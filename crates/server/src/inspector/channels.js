// The list of channels with marks at those where something was said since one was there last.

import { call, query } from './api.js';
import { byId, el } from './dom.js';
import { kept } from './kept.js';
import { channelName } from './names.js';
import { go, place } from './place.js';

/** How often the list is asked for while the page is seen, in milliseconds. */
const EVERY = 4_000;
/** How many are listed at first, and at a time when more are wanted. */
const MOST = 200;
const KEPT = 'read';

/**
 * Makes the list work. `changed(newest)` is told the open channel's newest message. `erased()` is called when something
 * was erased that may have been shown there; where it fails, it is called again with the next list.
 * Returns `refresh()`, `read(id)`, which marks the open channel as read, and `readUpTo(key)`.
 */
export function channels(changed, erased) {
  const list = byId('channel-list');
  // those with messages, those where nothing was said yet; the page behind the last, if there is one, and whether one was asked for
  let known = [];
  let empty = [];
  let next;
  let grown = false;
  // the newest erasure that was followed
  let erasure;
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
    // those that hold nothing yet stand first
    const keys = [...empty, ...known.map(({ channel }) => channel)];
    if (place.channel && !keys.includes(place.channel)) keys.unshift(place.channel);
    const newest = new Map(known.map(({ channel, newest: id }) => [channel, id]));
    const rows = keys.map((key) => ({ key, here: key === place.channel, unread: key !== place.channel && (newest.get(key) ?? 0) > (read.get(key) ?? 0) }));
    const news = JSON.stringify([rows, next !== undefined]);
    if (news === drawn) return;
    drawn = news;
    const focus = list.contains(document.activeElement) && document.activeElement.dataset.channel;
    list.replaceChildren(...rows.map(({ key, here, unread }) =>
      el('li', { class: unread ? 'unread' : '' },
        el('button', { type: 'button', 'data-channel': key, title: key, 'aria-current': here && 'page', onclick: () => enter(key) },
          el('span', { class: 'hash', 'aria-hidden': 'true' }, '#'), el('span', { class: 'name' }, channelName(key)),
          unread && [el('span', { class: 'mark', 'aria-hidden': 'true' }), el('span', { class: 'unseen' }, ', unread')]))));
    if (next !== undefined) list.append(el('li', {}, el('button', { type: 'button', onclick: more }, el('span', { class: 'name' }, 'More channels'))));
    if (focus) list.querySelector(`[data-channel="${CSS.escape(focus)}"]`)?.focus();
  }

  function enter(key) {
    document.body.dataset.pane = 'talk';
    go({ channel: key, view: '', persona: '' });
    byId('message').focus();
  }

  /** The channels of a page, and then those that are known and not on it. */
  const and = (page, others) => [...page, ...others.filter(({ channel }) => !page.some((entry) => entry.channel === channel))];

  /** Lists the channels before the last that is listed. */
  async function more() {
    const page = await call('GET', `/api/channels${query({ limit: MOST, before: next })}`).catch(() => null);
    if (!page) return;
    [known, next, grown] = [and(known, page.channels), page.before, true];
    const [{ channel } = {}] = page.channels;
    draw();
    if (channel) list.querySelector(`[data-channel="${CSS.escape(channel)}"]`)?.focus();
  }

  async function refresh() {
    const page = await call('GET', `/api/channels${query({ limit: MOST, erased_after: erasure })}`).catch(() => null);
    if (!page) return draw();
    const { channels: all, empty: invited = [], before, erased: { newest, channels: reached = [], anywhere } } = page;
    const isReached = erasure !== undefined && (anywhere || reached.includes(place.channel));
    // a channel that was erased is on no page
    if (anywhere && erasure !== undefined) grown = false;
    known = grown ? and(all, known) : all;
    if (!grown) next = before;
    empty = invited;
    if (first && all.length) all.forEach(({ channel, newest: id }) => keep(channel, id));
    first = false;
    const here = all.find(({ channel }) => channel === place.channel);
    draw();
    if (here) changed(here.newest);
    if (isReached && !(await erased().then(() => true, () => false))) return;
    erasure = newest;
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
