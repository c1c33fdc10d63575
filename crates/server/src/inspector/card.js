// The card of a persona: what it is, when it speaks, what it keeps, what it costs, and what can be done with it.

import { call, path } from './api.js';
import { byId, count, el, fact, money, number } from './dom.js';
import { called, face, portrait } from './names.js';
import { POLICY } from './room.js';

const tokens = (used) => used.prompt_tokens + used.completion_tokens;
const cost = (used) => (used.cost_micros ? `, ${money(used.cost_micros / 1e6)}` : '');
const limit = (text, most) => (most ? `${text} of ${most}` : text);

/** What it used and may use, in words. */
function usage(row) {
  if (!row) return [];
  const { hour, day, tokens_per_hour: most, cost_per_day: dear, standing } = row;
  return [
    fact('last hour', limit(count(tokens(hour), 'token'), most && number(most))),
    fact('last day', `${count(tokens(day), 'token')}${cost(day)}${dear ? `, may cost ${money(dear)}` : ''}`),
    standing !== 'within' && fact('budget', el('span', { class: 'warn' }, `▲ ${standing}`)),
  ];
}

function memory({ enabled, profile, auto_retrieve: always }) {
  if (!enabled) return 'none';
  return `${always ? 'recalled for each message' : 'recalled when it asks'}, profile ${profile}`;
}

/** The other first messages of its card, each with the button that `choice(number)` makes. */
function greetings({ greetings: all = [] }, choice) {
  if (all.length < 2) return [];
  const item = (text, n) => el('li', {}, el('blockquote', {}, text), choice(n + 1));
  return [el('details', {}, el('summary', {}, count(all.length, 'first message')), el('ol', {}, all.map(item)))];
}

/** Everything the server tells about a persona, as far as we may see it. */
async function known(name) {
  const none = () => null;
  const [persona, { actors }, used] = await Promise.all([
    call('GET', path`/api/personas/${name}`),
    call('GET', '/api/actors'),
    call('GET', '/api/usage').catch(none),
  ]);
  return { persona, actors: actors.filter((actor) => actor.persona === name), used: used?.find((row) => row.persona === name) };
}

/**
 * Makes the card work. `room` is the open channel's; `talk(name)`, `remembers(name)` and `reset(name)` do what the
 * buttons say. Returns `open(name)`.
 */
export function card({ room, talk, remembers, changed }) {
  const dialog = byId('card');
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());

  async function draw(name, said = '') {
    const { persona, actors, used } = await known(name);
    const stopped = persona.stopped || actors.some(({ state }) => state === 'stopped');
    const here = actors.find(({ channel }) => channel === room.key);
    const member = room.known?.members.find(({ kind, id, name: shown }) => kind === 'persona' && (id === name || shown === name));
    const does = (text, act, attributes = {}) =>
      el('button', { type: 'button', ...attributes, onclick: async () => {
        try {
          await act();
          await draw(name, `${text}: done`);
        } catch (error) {
          await draw(name, error.message);
        }
        changed();
      } }, text);
    const leaves = (act) => () => (dialog.close(), act(name));
    const order = (verb) => () => call('POST', path`/api/personas/${name}/${verb}`);
    const policy = member?.policy ?? persona.room?.answer;
    dialog.replaceChildren(
      el('div', { class: 'row head' }, persona.picture ? portrait(persona) : face(name), el('div', { class: 'grow' }, el('h2', { id: 'card-title' }, called(name)), el('p', { class: 'quiet' }, persona.description || `@${name}`)),
        el('button', { type: 'button', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕')),
      ...[persona.greeting && el('blockquote', {}, persona.greeting)].filter(Boolean),
      ...greetings(persona, (number) => does('Begin with this', () => call('PUT', path`/api/personas/${name}/greeting`, { number }), { class: 'operator' })),
      el('dl', {}, [
        fact('mention it as', el('code', {}, `@${name}`)),
        fact('speaks', POLICY[policy] ?? policy),
        fact('here', stopped ? 'stopped' : here ? here.state.replace('_', ' ') : member ? 'at rest' : room.isKnown ? 'not a member' : ''),
        fact('active in', count(actors.length, 'channel')),
        fact('model', persona.answers?.name ?? persona.model ?? 'none yet'),
        fact('model’s window', persona.answers?.window && count(persona.answers.window, 'token')),
        fact('memory', memory(persona.memory)),
        fact('tools', persona.tools.join(', ')),
        usage(used),
      ].flat()),
      ...[persona.prompt && el('details', {}, el('summary', {}, 'Prompt'), el('pre', { tabindex: 0, 'aria-label': `Prompt of ${called(name)}` }, persona.prompt))].filter(Boolean),
      el('p', { role: 'status', class: 'quiet' }, said),
      el('div', { class: 'row' }, [
        el('button', { type: 'button', class: 'primary', onclick: leaves(talk) }, 'Talk alone'),
        room.isKnown && !member && does('Invite here', () => room.invite(name)),
        room.isKnown && member && does('Let it leave', () => room.act('DELETE', path`members/${name}`)),
        el('button', { type: 'button', onclick: leaves(remembers) }, 'Memories'),
        room.key && does('Start afresh here', () => call('POST', path`/api/channels/${room.key}/personas/${name}/reset`), { title: 'What was said before is kept and can be recalled, but is no longer shown as history.' }),
        !stopped && does('Stop', order('stop'), { class: 'operator' }),
        stopped && does('Start', order('start'), { class: 'operator' }),
        !stopped && actors.length > 0 && does('Restart', order('restart'), { class: 'operator' }),
      ].filter(Boolean)),
    );
  }

  return async function open(name) {
    dialog.replaceChildren(el('h2', { id: 'card-title' }, called(name)));
    dialog.showModal();
    try {
      await draw(name);
      dialog.querySelector('.primary').focus({ preventScroll: true });
    } catch (error) {
      dialog.append(el('p', { class: 'problem' }, error.message));
    }
  };
}
