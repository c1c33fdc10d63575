// The tab of memories: list, search, add; editing and forgetting is done on the cards.

import { call, path, query } from './api.js';
import { byId, count, el, say } from './dom.js';
import { card, pastMessage } from './memory.js';
import { nearMiss } from './near.js';
import { place } from './place.js';

/** How many are listed at first, and at most. */
const LIMIT = 200;
const MOST = 1000;
/** How much is found. */
const FOUND = 20;

const persona = () => byId('memory-persona').value;

/** The address of the chosen persona's memories, with what else is asked, seen from the open channel. */
const address = (rest = '', asked = {}) =>
  path`/api/personas/${persona()}/memories` + rest + query({ channel: place.channel, user: byId('user').value.trim(), ...asked });

/** A memory's address. */
const addressOf = ({ id }) => address(path`/${id}`);

/** The memories that are listed, or what a search finds. */
async function fetched(words, limit) {
  const scope = byId('scope').value;
  if (words) return call('GET', address('/search', { q: words, k: FOUND, scope }));
  const { memories } = await call('GET', address('', { scope, limit }));
  return { hits: memories.map((memory) => ({ memory })), near: [], notes: [] };
}

/** Says what a call did, unless a later one has overtaken it; null where it was refused. */
async function told(doing, done, overtaken = () => false) {
  const said = (text) => overtaken() || say(byId('memory-said'), text);
  try {
    const result = await doing;
    said(done(result));
    return result ?? true;
  } catch (error) {
    said(error.message);
    return null;
  }
}

const acts = {
  edits: (memory, text) =>
    told(call('PATCH', addressOf(memory), { text }), ({ id, version }) => `${id} is changed; version ${version}.`),
  shares: (memory, hidden) =>
    told(call('PATCH', addressOf(memory), { private: hidden }), ({ id }) => `${id} is recalled ${hidden ? 'one to one alone' : 'in groups too'} from now on.`),
  forgets: (memory) => told(call('DELETE', addressOf(memory)), (receipt) => forgotten(memory, receipt)),
};

/** The receipt of a forgetting in words. */
function forgotten({ id }, { vectors, relations, summaries = [], in_log: logged }) {
  const log = logged ? '; the store\'s log still holds its text until the next removal' : '';
  const told = summaries.length ? `${count(summaries.length, 'summary of a session', 'summaries of sessions')}, ` : '';
  return `${id} is forgotten, with ${told}${count(vectors, 'vector')} and ${count(relations, 'relation')}${log}.`;
}

/** A memory or a past message, as the list shows it. */
const row = ({ memory, message, score }) => (memory ? card(memory, score, acts) : pastMessage(message, score));

/** Makes the tab work. Returns `refresh()`. */
export function memories() {
  const list = byId('memory-list');
  let asked = 0;

  async function refresh(limit = LIMIT) {
    if (!persona()) return list.replaceChildren();
    // Enter is a submit and a search to the browser: what the first says must not stand over the other's list
    const mine = ++asked;
    const overtaken = () => mine !== asked;
    const words = byId('query').value.trim();
    const isFull = (hits) => hits.length === (words ? FOUND : limit);
    const counted = ({ hits, near, notes }) =>
      [`${isFull(hits) ? (words ? 'the best ' : 'the newest ') : ''}${count(hits.length, 'memory', 'memories')}${words ? ` for “${words}”` : ''}`, ...(near.length ? ['the nearest are below the threshold:'] : []), ...notes].join(' · ');
    const found = await told(fetched(words, limit), counted, overtaken);
    if (overtaken()) return;
    const { hits = [], near = [] } = found ?? {};
    list.replaceChildren(...(hits.length ? hits : near).map(row));
    if (found && !words && isFull(found.hits) && limit < MOST) list.append(el('li', {}, el('button', { type: 'button', onclick: () => more(limit) }, 'More memories')));
    if (found && !hits.length && !near.length) list.append(el('li', { class: 'empty' }, 'None.'));
  }

  /** Lists more; the focus goes to the first that was not listed. */
  async function more(listed) {
    await refresh(Math.min(listed + LIMIT, MOST));
    list.children[listed]?.querySelector('button')?.focus();
  }

  /** Shows what the words in the field would recall as a message, and what is near besides (MP8). */
  async function explain() {
    const words = byId('query').value.trim();
    if (!words) {
      say(byId('memory-said'), 'Write a question into the field, as you would to the persona.');
      return byId('query').focus();
    }
    const mine = ++asked;
    const overtaken = () => mine !== asked;
    const counted = ({ recalled, near, notes }) =>
      [`“${words}” recalls ${count(recalled.length, 'item')}; ${near.length} more are near`, ...notes].join(' · ');
    const found = await told(call('GET', address('/why', { q: words })), counted, overtaken);
    if (overtaken() || !found) return;
    const expects = async ({ memory, message, expected }) => {
      const kept = memory
        ? call('PATCH', addressOf(memory), { text: expected })
        : call('POST', address(), { text: expected, scope: 'channel' });
      if (await told(kept, () => 'It says the question now, too.')) explain();
    };
    list.replaceChildren(
      ...found.recalled.map(row),
      ...(found.recalled.length ? [] : [el('li', { class: 'empty' }, 'Nothing is recalled.')]),
      ...(found.near.length ? [el('li', { class: 'quiet' }, 'Near, and not recalled:')] : []),
      ...found.near.map((near) => nearMiss(near, row(near), expects)),
    );
  }

  byId('explain').addEventListener('click', explain);
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    refresh();
  });
  byId('query').addEventListener('search', () => refresh());
  byId('scope').addEventListener('change', () => refresh());
  byId('memory-persona').addEventListener('change', () => refresh());
  byId('add-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = byId('add-text').value.trim();
    const kind = byId('add-kind').value.trim();
    const scope = byId('add-scope').value;
    const added = call('POST', address(), { text, scope, ...(kind && { kind }) });
    const result = await told(added, ({ memory: { id }, known }) => (known ? `Known already as ${id}.` : `Remembered as ${id}.`));
    if (!result) return;
    byId('add-form').reset();
    if (!result.known) list.prepend(card(result.memory, null, acts));
    list.querySelector('.empty')?.remove();
    byId('add-text').focus();
  });
  return refresh;
}
