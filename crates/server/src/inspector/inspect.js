// The tab of one turn: who answered and why, what was recalled, the context, tools, time.

import { call, path } from './api.js';
import { budget } from './budget.js';
import { el, fact, money, number } from './dom.js';
import { called, nameplate } from './names.js';
import { recalled, request } from './shown.js';
import { over, standing } from './turn.js';
import { notice } from './words.js';

/** After which events which part is drawn anew; the others keep what is open in them. */
const REDRAWN = {
  turn_started: ['head', 'time'],
  memory_context: ['head', 'recall', 'time'],
  context_assembled: ['head', 'context', 'recall', 'time', 'request'],
  reply_discarded: ['head', 'notices', 'time'],
  tool_call: ['head', 'tools', 'time'],
  tool_result: ['head', 'tools', 'time'],
  notice: ['notices', 'time'],
  done: ['head', 'time', 'request'],
  failed: ['head', 'context', 'time', 'request'],
  cancelled: ['head', 'context', 'time', 'request'],
};

/** What the server says of a turn whose reason is not kept. */
const STORED = 'read from the store';

const PARTS = {
  head(turn) {
    const { usage } = turn;
    return [
      el('h2', {}, called(turn.persona), ' ', el('span', { class: `state ${turn.state}` }, standing(turn))),
      turn.problem && el('p', { class: 'problem' }, turn.problem),
      el(
        'dl',
        {},
        fact('answers because', turn.why === STORED ? '' : turn.why),
        fact('model', turn.model),
        fact('asked', usage && `${number(usage.prompt_tokens)} tokens${usage.estimated ? ', estimated' : ''}`),
        fact('answered', usage && `${number(usage.completion_tokens)} tokens`),
        fact('cost', usage?.cost_micros ? money(usage.cost_micros / 1e6) : undefined),
        fact('turn', el('code', {}, turn.id)),
      ),
    ];
  },
  notices(turn) {
    return turn.notices.length > 0 && el('ul', { class: 'notices' }, turn.notices.map(notice));
  },
  context(turn) {
    const head = el('h3', {}, 'Context');
    if (!turn.receipt) return [head, el('p', { class: 'quiet' }, over(turn) ? 'It ended before one was assembled.' : 'Not assembled yet.')];
    const which = turn.settled && el('p', { class: 'quiet' }, 'As it was for the last request, after the tools.');
    return [head, which, budget(turn.receipt, () => exact(turn))];
  },
  recall(turn) {
    return [el('h3', {}, 'Recalled'), recalled(turn.memories.length ? turn.memories : shownBy(turn.receipt))];
  },
  tools(turn) {
    if (!turn.calls.length) return null;
    return [el('h3', {}, 'Tools'), el('ol', { class: 'cards' }, turn.calls.map(toolCall))];
  },
  request(turn, before) {
    if (!turn.receipt) return null;
    const box = el('div', {});
    const show = async () => {
      try {
        const { messages } = await context(turn);
        const [shown, focused] = [request(messages), box.contains(document.activeElement)];
        shown.open = box.querySelector('details.request')?.open ?? true;
        box.replaceChildren(shown);
        if (focused) shown.querySelector('summary').focus();
      } catch (error) {
        box.replaceChildren(el('p', { class: 'quiet', role: 'status' }, error.message));
      }
    };
    const shown = before.querySelector('details.request');
    // after tools the last request is another one than that which is shown, and takes its place
    if (shown) show();
    box.append(shown ?? el('button', { type: 'button', onclick: show }, 'Show the request, word for word'));
    return [el('h3', {}, 'Request'), box];
  },
  time(turn) {
    if (!turn.marks.length || turn.late) return null;
    const row = ({ type, at, until, times }) =>
      el(
        'tr',
        {},
        el('td', { class: 'num' }, `${number(Math.round(at))} ms`),
        el('td', {}, el('code', {}, type), times > 1 && ` × ${number(times)}`),
        el('td', { class: 'num quiet' }, times > 1 && `until ${number(Math.round(until))} ms`),
      );
    const table = el('table', {}, el('caption', { class: 'unseen' }, 'Events of the turn'), el('tbody', {}, turn.marks.map(row)));
    return [el('h3', {}, 'Timeline'), table];
  },
};

/** What was recalled, as far as a receipt says it: what is read from the store has no events. */
function shownBy(receipt) {
  const memories = receipt?.items.filter(({ id, section, outcome }) => section === 'memories' && outcome !== 'dropped' && id !== 'frame') ?? [];
  return memories.map(({ id, preview, score }) => ({ id, text: preview, score, category: '', source: 'only its beginning is kept' }));
}

function toolCall({ name, round, arguments: given, result }) {
  const ok = result && (result.ok ? '● answered' : '○ failed');
  return el(
    'li',
    {},
    el('p', { class: 'about' }, el('b', {}, name), el('span', {}, `round ${round}`), el('span', { class: result && !result.ok ? 'warn' : '' }, ok || 'runs')),
    el('pre', { tabindex: 0, 'aria-label': `Arguments of ${name}` }, typeof given === 'string' ? given : JSON.stringify(given, null, 2)),
    result && el('pre', { tabindex: 0, 'aria-label': `Result of ${name}` }, result.content),
  );
}

/** The exact context of a turn; asked once when it is over, anew while it runs. */
async function context(turn) {
  const context = turn.context ?? (await call('GET', path`/api/turns/${turn.id}/context`));
  if (over(turn)) turn.context = context;
  return context;
}

/** The exact texts of the items; a user has their beginnings. */
function exact(turn) {
  if (document.body.dataset.role === 'user') return Promise.reject(new Error('only an operator sees all of it'));
  return context(turn).then(({ items }) => items);
}

/** What is open in a part, closed, and has the focus: `restore()` makes it so again after the part was drawn anew. */
function reading(box) {
  const boxes = () => [...box.querySelectorAll('details[data-key]')];
  const open = new Map(boxes().map((each) => [each.dataset.key, each.open]));
  const focused = document.activeElement.closest?.('details[data-key] > summary');
  const key = box.contains(focused) ? focused.parentElement.dataset.key : undefined;
  return {
    restore() {
      for (const each of boxes()) {
        each.open = open.get(each.dataset.key) ?? each.open;
        if (each.dataset.key === key) each.querySelector('summary').focus();
      }
    },
  };
}

/** The tab: `show(turn)` draws it, `update(turn, event)` what an event changed. */
export class TurnView {
  /** `settled(turn)` is called when another receipt than the one that was heard is that of a turn. */
  constructor(panel, settled) {
    this.panel = panel;
    this.settled = settled;
    this.turn = null;
    this.boxes = {};
  }

  show(turn) {
    this.turn = turn;
    for (const name of Object.keys(PARTS)) this.boxes[name] = el('div', { class: `part ${name}${name === 'request' ? ' operator' : ''}` });
    this.panel.replaceChildren(...Object.values(this.boxes));
    Object.keys(PARTS).forEach((name) => this.draw(name));
    this.panel.parentElement.scrollTop = 0;
    if (over(turn) && turn.calls.length && !turn.settled) this.settle(turn);
  }

  /** Shows which turns answered the message of a person; `opens(turn)` shows one of them. */
  message({ author, text }, turns, opens) {
    this.turn = null;
    const button = (turn) => el('button', { type: 'button', onclick: () => opens(turn) }, nameplate(turn.persona), ` ${standing(turn)}`);
    this.panel.replaceChildren(
      el('h2', {}, 'Message'),
      el('blockquote', {}, el('b', {}, author.name), ` ${text}`),
      turns.length ? el('div', { class: 'row' }, turns.map(button)) : el('p', { class: 'quiet' }, 'Choose “Why” at a reply to see what its persona was shown.'),
    );
  }

  /** Shows that there is nothing to show, and why. */
  empty(why) {
    this.turn = null;
    this.panel.replaceChildren(el('p', { class: 'empty' }, why));
  }

  update(turn, event) {
    if (this.turn !== turn) return;
    const first = event.type === 'token_delta' && turn.marks.at(-1).times === 1;
    (REDRAWN[event.type] ?? (first ? ['head', 'time'] : [])).forEach((name) => this.draw(name));
    if (event.type === 'done' && turn.calls.length) this.settle(turn);
  }

  /** After tool rounds the context is that of the last call; for operators, who may see it. */
  async settle(turn) {
    const { receipt } = await context(turn).catch(() => turn);
    Object.assign(turn, { receipt, settled: turn.context !== undefined });
    if (this.turn === turn) this.draw('context');
    this.settled(turn);
  }

  draw(name) {
    const box = this.boxes[name];
    const opened = reading(box);
    box.replaceChildren(...[PARTS[name](this.turn, box)].flat().filter(Boolean));
    opened.restore();
  }
}
