// Something near a question that is not recalled: why, and one action that lets it be found.

import { el } from './dom.js';

/** A row of it: `shown` is its card. `expects` is called with it. */
export function nearMiss(near, shown, expects) {
  const why = el('p', { class: 'about' }, el('span', {}, `Not recalled: ${near.why}.`));
  shown.append(why);
  if (near.other_chat) {
    why.append(' It was told in another chat and stays between the two.');
    return shown;
  }
  const button = el('button', { type: 'button' }, 'Let this be found');
  button.title = `Keeps it as: ${near.expected}`;
  button.addEventListener('click', () => expects(near));
  why.append(' ', button);
  return shown;
}
