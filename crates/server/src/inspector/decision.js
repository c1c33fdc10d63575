// Why a message was answered, or was not: the decision of the room, for every member and after every reply.

import { call, path } from './api.js';
import { byId, el, percent } from './dom.js';
import { everybody, face, personFace } from './names.js';

/** What decided, in words. */
const EVIDENCE = {
  meant: 'the message is for it',
  speaks: 'it would speak next',
  rival: 'the message is for another member',
  opens: 'the message answers nobody',
};

/** The head of the decision about a message, and what stands below it where there was none. */
const ABOUT = 'Who answers it';
const UNDECIDED = 'There was nothing to decide: one persona is here, and the message was for it.';

function evidence(given) {
  const facts = Object.entries(given ?? {}).filter(([, value]) => typeof value === 'number');
  if (!facts.length) return null;
  const row = ([name, value]) => el('div', {}, el('dt', {}, EVIDENCE[name] ?? name.replaceAll('_', ' ')), el('dd', {}, EVIDENCE[name] ? percent(value, 1) : String(value)));
  return el('details', {}, el('summary', {}, 'Evidence'), el('dl', {}, facts.map(row)));
}

function verdict({ member, name, kind, position, text, why, evidence: given }) {
  const id = everybody().find((known) => known === member || known === name);
  const sign = id ? face(id) : personFace(String(member), name);
  return el('li', { class: position ? 'speaks' : 'silent' },
    sign, el('span', { class: 'position' }, position ? `${position}.` : 'silent'),
    el('span', { class: 'what' }, text ?? `${name}: ${why}`), kind === 'bot' && el('span', { class: 'quiet' }, ' bot'), evidence(given));
}

function round({ after, problem, verdicts }, at, said, what) {
  const order = [...verdicts].sort((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity));
  const title = at === 0 ? what : `Asked again after ${said(after) ?? 'a reply'}`;
  return [el('h2', {}, title), problem && el('p', { class: 'warn' }, problem), el('ol', { class: 'verdicts' }, order.map(verdict))];
}

/** The decision about a message as it is read, or why it cannot be. */
async function read(channel, id) {
  try {
    return await call('GET', path`/api/channels/${channel}/messages/${id}/decision`);
  } catch (error) {
    return { problem: error.status === 404 ? '' : error.message };
  }
}

/** Makes the part work. `said(id)` names a message. Returns `show(channel, id, reply)`: the decision about a message, and
 * the one about a reply to it; without an id nothing is shown. Gives the turns that answer the message, where they are known. */
export function decisions(said) {
  const box = byId('decision');
  let asked = 0;
  const shown = ({ rounds, stopped, problem, tries }, what) => [
    rounds?.length === 0 && !problem && what === ABOUT && [el('h2', {}, what), el('p', { class: 'quiet' }, UNDECIDED)],
    ...(rounds ?? []).flatMap((each, at) => round(each, at, said, what)),
    stopped && el('p', { class: 'warn' }, `It ended there: ${stopped}`),
    ...(tries ?? []).map((told) => el('p', { class: 'quiet' }, told)),
    problem && el('p', { class: 'problem' }, problem),
  ];
  return async function show(channel, id, reply) {
    const mine = ++asked;
    box.replaceChildren();
    if (!id) return;
    const [about, after] = await Promise.all([read(channel, id), reply ? read(channel, reply) : {}]);
    if (mine !== asked) return;
    const parts = [...shown(about, ABOUT), ...shown(after, 'Who answers this reply')];
    box.replaceChildren(...parts.flat().filter(Boolean));
    return about.answers;
  };
}
