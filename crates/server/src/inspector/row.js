// One message as a row: a sign, who and when, what it answers, the text, what became of it, what can be done with it.

import { clock, count, day, el, number, say } from './dom.js';
import { markdown } from './markdown.js';
import { called, face, nameOf, personFace } from './names.js';
import { isWithdrawn, over, phase, standing } from './turn.js';
import { notice } from './words.js';

/** While a reply comes it is drawn so often, in milliseconds; a long one less often. */
const OFTEN = 50;
const SELDOM = 500;
const LONG = 20_000;
/** A message within this time after one of the same author stands below it without a head, in microseconds. */
const TOGETHER = 5 * 60 * 1_000_000;
/** How much of a message is quoted where another answers it. */
const QUOTED = 140;

/** Whether a persona says it. */
const isReply = ({ kind }) => kind === 'reply';

/** What the author of an entry is called. */
export const authorOf = (entry) => (isReply(entry) ? called(entry.author.id) : entry.author.name);

/** The beginning of an entry's text on one line. */
export function beginning(entry) {
  const line = textOf(entry).replace(/\s+/g, ' ').trim();
  return line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
}

/** What an entry says. */
export const textOf = ({ turn, text }) => (turn ? turn.text : text);

/** A turn in a few words. */
function summary(turn) {
  const parts = [];
  if (turn?.memories.length) parts.push(`${number(turn.memories.length)} recalled`);
  if (turn?.calls.length) parts.push(count(turn.calls.length, 'tool call'));
  return parts.map((part) => ` · ${part}`).join('');
}

/** The row of an entry. `acts` says what can be done and does it: see `log.js`. */
export class Row {
  constructor(entry, acts) {
    this.entry = entry;
    this.acts = acts;
    const { author, at } = entry;
    this.day = el('p', { class: 'day', hidden: true });
    this.state = el('span', { class: 'state' });
    this.text = el('div', { class: 'text' });
    this.notes = el('ul', { class: 'notices' });
    this.quoted = el('div', {});
    this.buttons = el('div', { class: 'acts' });
    this.by = el('span', {}, this.name());
    this.sign = isReply(entry) ? face(author.id) : personFace(author.id, author.name);
    const said = el('div', { class: 'said' },
      el('p', { class: 'by' }, this.by, ' ', clock(at), ' ', this.state),
      this.quoted, this.text, this.notes, this.buttons);
    this.node = el('li', { class: isReply(entry) ? 'reply' : `person${entry.mine ? ' mine' : ''}`, tabindex: -1 }, this.day, this.sign, said);
    this.draw();
  }

  /** Who says it. What a person or a bot is called is their label, which the server makes (RM7). */
  name() {
    const { author } = this.entry;
    if (isReply(this.entry)) return nameOf(author.id);
    return [el('b', {}, author.name), author.bot && ' ', author.bot && el('span', { class: 'tag' }, 'bot')].filter(Boolean);
  }

  /** Shows what its persona is called now. */
  rename() {
    if (isReply(this.entry)) {
      const sign = face(this.entry.author.id);
      this.sign.replaceWith(sign);
      this.sign = sign;
    }
    this.quote();
    this.label();
  }

  /** Draws everything that may change. */
  draw() {
    this.speak();
    this.quote();
    this.label();
  }

  /** How it stands below another: with its day where that is new, without a head where it goes on. */
  decorate(previous, isFresh) {
    const { entry } = this;
    const today = day(entry.at);
    const newDay = !previous || day(previous.at) !== today;
    this.day.hidden = !newDay && !isFresh;
    say(this.day, isFresh ? (newDay ? `${today} · new` : 'new') : today);
    this.node.classList.toggle('fresh', isFresh);
    const same = previous && previous.kind === entry.kind && previous.author.id === entry.author.id && previous.author.name === entry.author.name;
    const goesOn = same && !newDay && !isFresh && !entry.replyTo && entry.at - previous.at < TOGETHER;
    this.node.classList.toggle('goes-on', Boolean(goesOn));
  }

  /** Shows what it answers, with a way to it: what it replies to, or, of a reply that comes late, its message. */
  quote() {
    const late = this.entry.replyTo ? undefined : this.acts.late(this.entry);
    const replyTo = this.entry.replyTo ?? late?.event;
    if (!replyTo) return;
    const to = late ?? this.acts.find(replyTo);
    const text = to ? `${authorOf(to)}: ${beginning(to)}` : 'an earlier message';
    this.quoted.replaceChildren(el('button', { type: 'button', class: 'quoted', tabindex: -1, onclick: () => this.acts.visit(replyTo) }, `↱ ${text}`));
  }

  /** Shows the text as Markdown. */
  speak() {
    clearTimeout(this.drawing);
    this.drawing = null;
    this.text.replaceChildren(...markdown(textOf(this.entry)));
  }

  /** The same while it comes: not for every token. */
  speakSoon(drawn) {
    const often = textOf(this.entry).length > LONG ? SELDOM : OFTEN;
    this.drawing ??= setTimeout(() => (this.speak(), drawn()), often);
  }

  /** Shows how it stands and what can be done. */
  label() {
    const { entry, node } = this;
    const { turn } = entry;
    this.by.replaceChildren(...this.name());
    const running = Boolean(turn) && !over(turn);
    if (isReply(entry)) node.setAttribute('aria-busy', String(running));
    node.classList.toggle('running', running);
    node.classList.toggle('withdrawn', Boolean(turn) && isWithdrawn(turn));
    const words = turn ? (running ? phase(turn) : turn.state === 'failed' ? 'failed' : standing(turn)) : entry.local ?? '';
    say(this.state, words === 'done' ? '' : words);
    this.state.className = `state ${turn?.state ?? ''}`;
    const notices = (turn?.notices ?? []).map(notice);
    if (turn?.problem) notices.push(el('li', { class: 'problem' }, turn.problem));
    if (entry.problem) notices.push(el('li', { class: 'problem' }, entry.problem));
    if (entry.unanswered) notices.push(el('li', {}, entry.unanswered));
    this.notes.replaceChildren(...notices);
    if (isReply(entry)) this.quote();
    this.offer();
  }

  /** The buttons, as far as each fits now. */
  offer() {
    const { entry, acts } = this;
    const focused = this.buttons.contains(document.activeElement) ? document.activeElement.dataset.act : null;
    const button = (act, text, attributes = {}) =>
      el('button', { type: 'button', tabindex: this.active ? 0 : -1, 'data-act': act, onclick: ({ target }) => acts.act(act, entry, target), ...attributes }, text);
    const chosen = this.node.classList.contains('selected');
    const all = [
      acts.can('why', entry) && button('why', `Why${summary(entry.turn)}`, { class: 'trace', 'aria-pressed': String(chosen) }),
      acts.can('retry', entry) && button('retry', 'Retry'),
      acts.can('remove', entry) && button('remove', 'Remove'),
      acts.can('reply', entry) && button('reply', 'Reply'),
      acts.can('edit', entry) && button('edit', 'Edit'),
      button('copy', 'Copy'),
    ];
    this.buttons.replaceChildren(...all.filter(Boolean));
    this.buttons.classList.toggle('told', Boolean(summary(entry.turn)));
    if (focused) this.buttons.querySelector(`[data-act=${focused}]`)?.focus();
  }

  /** Whether the Tab key leads to its buttons. */
  activate(active) {
    this.active = active;
    for (const button of this.node.querySelectorAll('.acts button, .quoted')) button.tabIndex = active ? 0 : -1;
  }

  select(chosen) {
    this.node.classList.toggle('selected', chosen);
    this.buttons.querySelector('.trace')?.setAttribute('aria-pressed', String(chosen));
  }

  remove() {
    clearTimeout(this.drawing);
    this.node.remove();
  }
}
