// Something near a question that is not recalled: why, and one action that lets it be found.

import { el } from './dom.js';

/** A row of it: `shown` is its card. `expects` is called with it. */
export function nearMiss(near, shown, expects) {
  const button = el('button', { type: 'button' }, 'Let this be found');
  button.title = `Keeps it as: ${near.expected}`;
  button.addEventListener('click', () => expects(near));
  shown.append(el('p', { class: 'about' }, el('span', {}, `Not recalled: ${near.why}.`), ' ', button));
  return shown;
}
