// The tab that shows what two personas would be shown for the same message, side by side.

import { call, path } from './api.js';
import { budget } from './budget.js';
import { byId, el, fact, say } from './dom.js';
import { called } from './names.js';
import { place } from './place.js';
import { recalled, request } from './shown.js';

function preview(persona) {
  const user = byId('user').value.trim();
  return call('POST', path`/api/channels/${place.channel}/preview`, {
    text: byId('compare-text').value.trim(),
    persona,
    ...(user && { user, user_name: user }),
    ...(byId('compare-forgetful').checked && { disable_memory: true }),
  });
}

/** One side: what a persona would be shown, or why that cannot be said. */
function side(persona, { status, value: seen, reason }) {
  const title = el('h2', {}, called(persona));
  if (status === 'rejected') return el('section', { 'aria-label': persona }, title, el('p', { class: 'problem' }, reason.message));
  return el(
    'section',
    { 'aria-label': persona },
    title,
    el('dl', {}, fact('model', seen.model)),
    seen.full && el('p', { class: 'problem' }, seen.full),
    budget(seen.receipt, async () => seen.items),
    el('h3', {}, 'Recalled'),
    recalled(seen.memories),
    request(seen.messages),
  );
}

/** What differs at a glance. */
function difference([a, b]) {
  if (a.status !== 'fulfilled' || b.status !== 'fulfilled') return '';
  const ids = (seen) => new Set(seen.value.memories.map(({ text }) => text));
  const [left, right] = [ids(a), ids(b)];
  const shared = [...left].filter((text) => right.has(text)).length;
  const tokens = (seen) => seen.value.receipt.budget.total_tokens.toLocaleString('en');
  return `${tokens(a)} and ${tokens(b)} tokens; ${left.size} and ${right.size} recalled, ${shared} of them the same`;
}

/** Makes the tab work. */
export function compare() {
  byId('compare-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const said = byId('compare-said');
    const personas = [byId('compare-a').value, byId('compare-b').value];
    say(said, 'assembling …');
    const seen = await Promise.allSettled(personas.map(preview));
    byId('compared').replaceChildren(...personas.map((persona, at) => side(persona, seen[at])));
    say(said, difference(seen));
  });
}
