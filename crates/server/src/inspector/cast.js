// The tab of the cast: every persona with what it used, every actor with its state.

import { call, path } from './api.js';
import { byId, el, money, number, say } from './dom.js';
import { nameplate } from './names.js';

/** A sign beside each state's word, so that no colour is needed to tell. */
const SIGNS = { idle: '○', thinking: '●', tool_call: '◆', error: '✕', stopped: '■', budget_exceeded: '▲', context_full: '▣' };

/** How often the states are asked for while the tab is seen. */
const EVERY = 2_000;

/** Names each cell by its column, for narrow screens, where a row is a block. */
function named(row, heads) {
  [...row.cells].forEach((cell, at) => at > 0 && heads[at] && (cell.dataset.head = heads[at]));
  return row;
}

function table(caption, heads, rows, none) {
  if (!rows.length) return [el('h2', {}, caption), el('p', { class: 'quiet' }, none)];
  const head = el('tr', {}, heads.map((name) => (name ? el('th', { scope: 'col' }, name) : el('td', {}))));
  return [
    el('h2', {}, caption),
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
      el('table', {}, el('thead', {}, head), el('tbody', {}, rows.map((row) => named(row, heads))))),
  ];
}

/** A state as a sign and a word. */
function stateOf(state) {
  return el('span', { class: `state ${state}` }, el('span', { 'aria-hidden': 'true' }, SIGNS[state] ?? '·'), ` ${state.replace('_', ' ')}`);
}

const tokens = (used) => (used ? number(used.prompt_tokens + used.completion_tokens) : '–');
const within = (used, limit) => (limit ? `${used} of ${limit}` : used);

/** What a persona used and may use, as cells; without the server's count, what this page heard. */
function costs(counted, name, heard) {
  const cell = (...content) => el('td', { class: 'num' }, ...content);
  if (!counted) return cell(tokens(heard));
  const row = counted.find(({ persona }) => persona === name);
  if (!row) return [cell('–'), cell('–'), cell('–')];
  const { hour, day, tokens_per_hour: most, cost_per_day: dear } = row;
  const cost = day.cost_micros ? money(day.cost_micros / 1e6) : '–';
  return [cell(within(tokens(hour), most && number(most))), cell(tokens(day)), cell(within(cost, dear && money(dear)))];
}

/** Makes the tab work. `heard()` gives what was used as far as this page heard, `opens(name)` shows a persona's card. Returns `refresh()`. */
export function cast(heard, opens) {
  const box = byId('cast-tables');
  let counts = true;
  let drawn = '';

  async function act(name, verb) {
    try {
      await call('POST', path`/api/personas/${name}/${verb}`);
      say(byId('cast-said'), `${name}: ${verb} done`);
    } catch (error) {
      say(byId('cast-said'), error.message);
    }
    await refresh();
    const other = { start: 'stop', stop: 'start' }[verb] ?? verb;
    box.querySelector(`[data-act="${CSS.escape(`${name} ${other}`)}"]`)?.focus();
  }

  const button = (name, verb) =>
    el('button', { type: 'button', 'data-act': `${name} ${verb}`, 'aria-label': `${verb} ${name}`, onclick: () => act(name, verb) }, verb);

  /** Tokens and cost by persona; null where the server does not say, or not to us. */
  async function used() {
    if (!counts) return null;
    try {
      return await call('GET', '/api/usage');
    } catch (error) {
      if (error.status !== 404 && error.status !== 403) throw error;
      counts = false;
      return null;
    }
  }

  async function refresh() {
    try {
      const [{ personas }, { actors }, counted] = await Promise.all([call('GET', '/api/personas'), call('GET', '/api/actors'), used()]);
      const here = heard();
      const news = JSON.stringify([personas, actors, counted, [...here]]);
      if (news === drawn) return;
      drawn = news;
      const focus = document.activeElement?.dataset?.act;
      const standing = (name) => counted?.find(({ persona }) => persona === name)?.standing ?? 'within';
      const warned = (name) => standing(name) !== 'within' && el('span', { class: 'warn' }, ` ▲ ${standing(name)}`);
      const person = ({ name, answers, limits, stopped }) =>
        el('tr', {},
          el('th', { scope: 'row' }, el('button', { type: 'button', class: 'plain', 'data-act': `${name} card`, onclick: () => opens(name) }, nameplate(name)), warned(name)),
          el('td', {}, standing(name) === 'downgraded' ? `${limits.downgrade_to} for now` : el('span', { title: answers?.chosen ?? answers?.model ?? '' }, answers?.name ?? 'none yet')),
          costs(counted, name, here.get(name)),
          el('td', { class: 'row operator' }, stopped ? button(name, 'start') : [button(name, 'stop'), button(name, 'restart')]),
        );
      const actor = ({ persona, channel, state }) =>
        el('tr', {}, el('th', { scope: 'row' }, nameplate(persona)), el('td', {}, el('code', {}, channel)), el('td', {}, stateOf(state)));
      const columns = counted ? ['tokens, hour', 'tokens, day', 'cost, day'] : ['tokens, on this page'];
      box.replaceChildren(
        ...table('Personas', ['persona', 'model', ...columns, ''], personas.map(person), 'There is none.'),
        ...table('Actors', ['persona', 'channel', 'state'], actors.map(actor), 'Nobody is live. A message wakes its room.'),
      );
      if (focus) box.querySelector(`[data-act="${CSS.escape(focus)}"]`)?.focus();
    } catch (error) {
      say(byId('cast-said'), error.message);
    }
  }

  setInterval(() => {
    if (!byId('cast').hidden && !document.hidden) refresh();
  }, EVERY);
  return refresh;
}
