// A short introduction on the first visit; a button shows it again.

import { byId, el } from './dom.js';
import { kept } from './kept.js';

const KEPT = 'introduced';

const POINTS = [
  ['Talk.', 'Write a message below. @ mentions a persona; without one, the persona after “To” answers, or the room decides.'],
  ['Invite.', '“New channel” opens a place for several personas and people. Each remembers what it was present for.'],
  ['Ask why.', ['“Why” at any message shows who answered or stayed silent, what was recalled', el('span', { class: 'operator' }, ', and every word the model got'), '.']],
  ['Forget.', '“Memories” lists what a persona keeps. Correct it or have it forgotten, with all that was made of it; the message itself stays in its channel.'],
];

/** Makes the introduction and its button work. Returns what ends it: who talks needs it no more. */
export function intro() {
  const box = byId('intro');
  const show = (shown) => {
    box.hidden = !shown;
    if (!shown) kept.set(KEPT, 'yes');
  };
  const done = el('button', { type: 'button', class: 'primary', onclick: () => (show(false), byId('message').focus()) }, 'Got it');
  box.append(
    el('div', { class: 'row head' }, el('h2', { id: 'intro-title' }, 'Welcome to Greenroom'), done),
    el('p', {}, 'Personas that remember, alone or several in a room.'),
    el('ul', {}, POINTS.map(([term, text]) => el('li', {}, el('b', {}, term), ' ', text))),
  );
  byId('help').addEventListener('click', () => {
    document.body.dataset.pane = 'talk';
    show(true);
    done.focus();
  });
  show(kept.get(KEPT) === null);
  return () => box.hidden || show(false);
}
