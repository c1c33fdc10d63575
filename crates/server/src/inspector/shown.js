// What else a persona was shown: what was recalled, and the request word for word.

import { count, el, score } from './dom.js';

/** What was recalled, best first. */
export function recalled(memories) {
  if (!memories.length) return el('p', { class: 'quiet' }, 'Nothing was recalled.');
  const row = ({ id, text, category, score: relevance, source }) =>
    el(
      'li',
      {},
      el('p', { class: 'text' }, text),
      el('p', { class: 'about' }, el('code', {}, id), ' ', score(relevance), el('span', {}, category), el('span', {}, source)),
    );
  return el('ol', { class: 'cards' }, memories.map(row));
}

/** The messages of a request as they are sent. */
export function request(messages) {
  const row = ({ role, content, tool_calls: calls = [] }) =>
    el(
      'li',
      {},
      el('b', { class: 'role' }, role),
      content && el('pre', { tabindex: 0, 'aria-label': `Message of ${role}` }, content),
      calls.map(({ name, arguments: given }) => el('pre', { tabindex: 0, 'aria-label': `Call of ${name}` }, `${name}(${given})`)),
    );
  return el(
    'details',
    { class: 'request', 'data-key': 'request' },
    el('summary', {}, `The request, word for word: ${count(messages.length, 'message')}`),
    el('ol', {}, messages.map(row)),
  );
}
