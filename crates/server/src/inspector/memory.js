// One memory as a card: what it says, where it is from, edit, forget.

import { byId, composes, el, say, score, time } from './dom.js';
import { channelName } from './names.js';
import { tier, trust, way } from './words.js';

const HOLDS = { channel: 'known in', global: 'known in every channel', user: 'known with', private: 'known one to one with' };

/** Asks whether a memory is to be forgotten; the dialog gives the focus back where it was. */
function confirmed(memory) {
  const dialog = byId('confirm');
  say(byId('confirm-text'), memory.text);
  const { message } = memory.source;
  say(byId('confirm-source'), message ? `The message that it was learned from, msg:${message}, stays in its channel.` : '');
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/** Asks once more, then has it forgotten; the focus goes to what stands next. */
async function forget(card, memory, forgets) {
  if (!(await confirmed(memory))) return;
  const gone = await forgets(memory);
  if (!gone) return;
  // the summaries that told it are gone as well
  for (const id of gone.summaries ?? []) document.querySelector(`[data-memory="${id}"]`)?.remove();
  const next = card.nextElementSibling ?? card.previousElementSibling;
  card.remove();
  (next?.querySelector('button') ?? byId('query')).focus();
}

function about(memory, relevance) {
  const { id, kind, tier: duration, trust: whose, source, said_by: speaker, version, scope, of, updated_at: updated, expires_at: expires } = memory;
  return el(
    'p',
    { class: 'about' },
    el('code', {}, id),
    ' ',
    score(relevance),
    el('span', {}, kind),
    tier(duration),
    el('span', {}, scope === 'global' ? HOLDS.global : `${HOLDS[scope] ?? scope} ${scope === 'channel' ? channelName(of) : of}`),
    trust(whose),
    // a summary is made in one way
    kind !== 'summary' && way(source.via),
    speaker && el('span', { title: source.user }, `said by ${speaker}`),
    source.message && el('code', { title: 'The message it was learned from' }, `msg:${source.message}`),
    version > 1 && el('span', {}, `version ${version}`),
    el('span', {}, time(updated)),
    expires && el('span', {}, 'until ', time(expires)),
  );
}

/**
 * The card of a memory. `edits(memory, text)` promises the memory as it then stands, `forgets(memory)`
 * whether it is gone, `shares(memory, hidden)` the memory that groups may no longer recall, or may (MP1). Each says
 * itself what went wrong.
 */
export function card(memory, relevance, { edits, shares, forgets }) {
  const node = el('li', { class: 'memory', 'data-memory': memory.id });

  function shown() {
    const edit = el('button', { type: 'button', 'aria-label': `Edit ${memory.id}`, onclick: () => editing() }, 'Edit');
    const gone = () => forget(node, memory, forgets);
    const buttons = [edit, el('button', { type: 'button', 'aria-label': `Forget ${memory.id}`, onclick: gone }, 'Forget')];
    if (['user', 'private'].includes(memory.scope)) {
      const hidden = memory.scope !== 'private';
      const share = async () => {
        memory = { ...memory, ...(await shares(memory, hidden)) };
        shown();
        node.querySelector('.share').focus();
      };
      buttons.push(el('button', { type: 'button', class: 'share', onclick: share }, hidden ? 'Keep private' : 'Let others know'));
    }
    node.replaceChildren(
      el('p', { class: 'text' }, memory.text),
      about(memory, relevance),
      el('div', { class: 'row' }, buttons),
    );
    return edit;
  }

  function editing() {
    const field = el('textarea', { rows: 3, dir: 'auto', required: true, 'aria-label': `Text of ${memory.id}` });
    field.value = memory.text;
    const back = () => shown().focus();
    const form = el(
      'form',
      {},
      field,
      el('div', { class: 'row' }, el('button', { class: 'primary' }, 'Save'), el('button', { type: 'button', onclick: back }, 'Cancel')),
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const edited = await edits(memory, field.value.trim());
      if (!edited) return;
      memory = { ...memory, ...edited };
      back();
    });
    form.addEventListener('keydown', (event) => event.key === 'Escape' && !composes(event) && back());
    node.replaceChildren(form);
    field.focus();
  }

  shown();
  return node;
}

/** A past message that a search found: it can be read, not changed. */
export function pastMessage(message, relevance) {
  return el(
    'li',
    { class: 'memory' },
    el('p', { class: 'text' }, message.text),
    el(
      'p',
      { class: 'about' },
      el('code', {}, `msg:${message.id}`),
      ' ',
      score(relevance),
      el('span', {}, 'past message'),
      el('span', {}, `${message.author.name} in ${message.channel}`),
      el('span', {}, time(message.at)),
    ),
  );
}
