// The tab of memories: list, search, add; editing and forgetting is done on the cards.

import { call, path, query } from './api.js';
import { byId, count, el, say } from './dom.js';
import { card, pastMessage } from './memory.js';
import { place } from './place.js';

/** How many are listed. */
const LIMIT = 200;

const persona = () => byId('memory-persona').value;
const user = () => byId('user').value.trim();

/** The memories of the chosen persona as they are seen from the channel that is open. */
async function fetched(words) {
  const base = path`/api/personas/${persona()}/memories`;
  const scope = byId('scope').value;
  const view = { channel: place.channel, user: user() };
  if (!words) {
    const { memories } = await call('GET', base + query({ ...(scope === 'channel' || scope === 'user' ? view : {}), scope, limit: LIMIT }));
    return { hits: memories.map((memory) => ({ memory })), notes: [] };
  }
  const { hits, notes } = await call('GET', `${base}/search${query({ ...view, q: words, k: 20 })}`);
  return { hits: hits.filter(({ memory }) => !scope || memory?.scope === scope), notes };
}

/** Says what a call did; null where it was refused. */
async function told(doing, done) {
  const said = byId('memory-said');
  try {
    const result = await doing;
    say(said, done(result));
    return result ?? true;
  } catch (error) {
    say(said, error.message);
    return null;
  }
}

const acts = {
  edits: (memory, text) =>
    told(
      call('PATCH', path`/api/personas/${memory.persona}/memories/${memory.id}`, { text }),
      (edited) => `${edited.id} changed; version ${edited.version}.`,
    ),
  forgets: (memory) =>
    told(
      call('DELETE', path`/api/personas/${memory.persona}/memories/${memory.id}`),
      (receipt) => forgotten(memory, receipt),
    ),
};

/** The receipt of a forgetting in words. */
function forgotten(memory, receipt) {
  const parts = Object.entries(receipt ?? {})
    .filter(([, n]) => typeof n === 'number' && n > 0)
    .map(([what, n]) => `${what.replaceAll('_', ' ')} ${n}`);
  return `${memory.id} is forgotten${parts.length ? `: ${parts.join(', ')}` : ''}.`;
}

/** Makes the tab work. Returns `refresh()`. */
export function memories() {
  const list = byId('memory-list');
  let asked = 0;

  async function refresh() {
    if (!persona()) return list.replaceChildren();
    const mine = ++asked;
    const words = byId('query').value.trim();
    const found = await told(fetched(words), ({ hits, notes }) =>
      [`${count(hits.length, 'memory', 'memories')}${words ? ` for “${words}”` : ''}`, ...notes].join(' · '),
    );
    if (mine !== asked) return;
    const row = ({ memory, message, score }) => (memory ? card(memory, score, acts) : pastMessage(message, score));
    list.replaceChildren(...(found?.hits ?? []).map(row));
    if (found && !found.hits.length) list.append(el('li', { class: 'empty' }, 'None.'));
  }

  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    refresh();
  });
  byId('query').addEventListener('search', refresh);
  byId('scope').addEventListener('change', refresh);
  byId('memory-persona').addEventListener('change', refresh);
  byId('add-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = byId('add-text').value.trim();
    const kind = byId('add-kind').value.trim();
    const scope = byId('add-scope').value;
    const statement = { text, scope, ...(kind && { kind }), ...(scope === 'channel' && { channel: place.channel }) };
    const added = call('POST', path`/api/personas/${persona()}/memories`, statement);
    const memory = await told(added, ({ memory: { id } }) => `Remembered as ${id}.`);
    if (!memory) return;
    byId('add-form').reset();
    list.querySelector('.empty')?.remove();
    list.prepend(card(memory.memory, null, acts));
    byId('add-text').focus();
  });
  return refresh;
}
