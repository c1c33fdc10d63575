// The conversation: messages in their order, replies as they come.
//
// A person's message is known by its event id, a reply by its turn; its place is the message id it has
// or answers, so that what is loaded late still stands where it was said.

import { count, el, number, say, time } from './dom.js';
import { markdown } from './markdown.js';
import { nameplate } from './names.js';
import { over, standing } from './turn.js';

/** While a reply comes it is drawn so often, in milliseconds; a long one less often. */
const OFTEN = 50;
const SELDOM = 500;
const LONG = 20_000;

/** The conversation in an `<ol>`; `inspect(turnId)` is called when a reply is chosen. */
export class Log {
  constructor(list, inspect) {
    this.list = list;
    this.inspect = inspect;
    // Only a move up leaves the end: what grows below is not a wish to stay where one is.
    list.addEventListener('scroll', () => {
      this.follows = this.atTheEnd() || (this.follows && list.scrollTop >= this.top);
      this.top = list.scrollTop;
    });
    // the other half of a narrow screen, a wider window, a keyboard on a phone
    new ResizeObserver(() => this.keepUp()).observe(list);
    this.clear();
  }

  /** Forgets everything shown. */
  clear() {
    this.follows = true;
    this.top = 0;
    this.people = new Map();
    this.replies?.forEach(({ drawing }) => clearTimeout(drawing));
    this.replies = new Map();
    this.list.replaceChildren();
  }

  /** Shows a stored message, or finds that it is shown. */
  message(message) {
    if (message.author.by === 'persona') return this.stored(message);
    const shown = this.people.get(message.event_id);
    if (shown) return this.place(shown, message.id);
    this.person(message.event_id, message.author.name, message.text, message.id, message.at);
  }

  /** Shows what somebody says; without an id it stands last until it has one. */
  person(event, name, text, id = Number.MAX_SAFE_INTEGER, at = Date.now() * 1000) {
    const by = el('p', { class: 'by' }, el('b', {}, name), ' ', time(at));
    const item = el('li', { class: 'person' }, by, el('p', { class: 'text' }, text));
    item.dataset.at = at;
    this.people.set(event, item);
    this.place(item, id);
  }

  /** What somebody said, by its id, if it stands here already. */
  said(id) {
    return [...this.people.values()].find((item) => Number(item.dataset.place) === id);
  }

  /** Whether a message stands here already. */
  knows(id) {
    return this.said(id) !== undefined;
  }

  /** Marks what could not be sent. */
  unsent(event, why) {
    this.people.get(event)?.append(el('p', { class: 'problem' }, `not sent: ${why}`));
  }

  /** Shows a reply from the history. */
  stored({ id, author, text, at, turn_id: turn }) {
    if (this.replies.has(turn ?? id)) return;
    const reply = this.reply(turn ?? id, author.name, id, at, Boolean(turn));
    this.speak(reply, text);
  }

  /** Shows what a reply says as Markdown. */
  speak(reply, text) {
    clearTimeout(reply.drawing);
    reply.drawing = null;
    reply.text.replaceChildren(...markdown(text));
    this.keepUp();
  }

  /** The same while it comes: not for every token. */
  speakSoon(reply, turn) {
    reply.drawing ??= setTimeout(() => this.speak(reply, turn.text), turn.text.length > LONG ? SELDOM : OFTEN);
  }

  reply(key, persona, place, at, inspectable = true) {
    const state = el('span', { class: 'state' });
    const why = el('p', { class: 'why' });
    const text = el('div', { class: 'text' });
    const notes = el('ul', { class: 'notices' });
    const trace = el('button', { type: 'button', class: 'trace', 'aria-pressed': 'false' }, 'Inspect');
    trace.addEventListener('click', () => this.inspect(key));
    const by = el('p', { class: 'by' }, nameplate(persona), ' ', time(at), ' ', state);
    const item = el('li', { class: 'reply' }, by, why, text, notes, inspectable && trace);
    const reply = { item, state, why, text, notes, trace, drawing: null };
    this.replies.set(key, reply);
    this.place(item, place);
    return reply;
  }

  /** Shows what an event changed in a turn. */
  turn(turn, event) {
    // a turn that is heard late has no time of its own
    const at = (turn.late && Number(this.said(turn.trigger)?.dataset.at)) || Date.now() * 1000;
    const place = turn.trigger === null ? Number.MAX_SAFE_INTEGER : turn.trigger + 0.5;
    const reply = this.replies.get(turn.id) ?? this.reply(turn.id, turn.persona, place, at);
    if (event.type === 'token_delta') this.speakSoon(reply, turn);
    else this.speak(reply, turn.text);
    if (event.type !== 'token_delta' || reply.state.textContent !== standing(turn)) this.label(reply, turn);
    this.keepUp();
  }

  /** Shows what became known of a turn apart from its events. */
  relabel(turn) {
    const reply = this.replies.get(turn.id);
    if (reply) this.label(reply, turn);
  }

  label(reply, turn) {
    const done = over(turn);
    reply.item.setAttribute('aria-busy', String(!done));
    reply.item.classList.toggle('running', !done);
    say(reply.state, turn.state === 'done' && standing(turn) === 'done' ? '' : standing(turn));
    say(reply.why, turn.why && `${turn.model} · ${turn.why}`);
    const notices = turn.notices.map(({ code, message }) => el('li', {}, el('b', {}, code), ' ', message));
    if (turn.problem) notices.push(el('li', { class: 'problem' }, el('b', {}, turn.code), ' ', turn.problem));
    reply.notes.replaceChildren(...notices);
    say(reply.trace, `Inspect: ${summary(turn)}`);
    this.keepUp();
  }

  /** Marks the reply that is inspected. */
  select(key) {
    for (const [known, { item, trace }] of this.replies) {
      item.classList.toggle('selected', known === key);
      trace.setAttribute('aria-pressed', String(known === key));
    }
  }

  place(item, id) {
    item.dataset.place = id;
    const before = [...this.list.children].reverse();
    const previous = before.find((other) => other !== item && Number(other.dataset.place) <= id);
    if (previous) previous.after(item);
    else this.list.prepend(item);
    this.keepUp();
  }

  atTheEnd() {
    return this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 60;
  }

  /** Stays at the end, unless somebody reads further up. */
  keepUp() {
    if (this.follows) this.list.scrollTop = this.list.scrollHeight;
  }
}

/** A turn in a few words. */
function summary(turn) {
  const parts = [];
  if (turn.memories.length) parts.push(`${number(turn.memories.length)} recalled`);
  if (turn.receipt) parts.push(`${number(turn.receipt.budget.total_tokens)} of ${number(turn.receipt.window)} tokens`);
  if (turn.calls.length) parts.push(count(turn.calls.length, 'tool call'));
  if (turn.usage) parts.push(`${number(turn.usage.completion_tokens)} answered`);
  return parts.join(' · ') || standing(turn);
}
