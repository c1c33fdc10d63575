// The conversation: all messages that are known, of which a window stands in the page.
//
// A person's message is known by its event id, a reply by its turn; its place is the message id it has, or half a step
// behind the message after which it began or ended, so that what is loaded late still stands where it was said.
// `window.js` shows them.

import { textOf } from './row.js';
import { over } from './turn.js';
import { LAST, Window } from './window.js';

/** The conversation in an `<ol>`. */
export class Log extends Window {
  /**
   * `ears` is told `act(name, entry, button)` (why, retry, remove, reply, edit, copy), `older()` when messages before the first are wanted,
   * `seek(event)` when one is that is not known, `arrived(count)` how many came below what is seen; `can(name, entry)`
   * says what can be done.
   */
  constructor(list, ears) {
    super(list, ears);
    this.acts = { act: ears.act, can: ears.can, find: (event) => this.byEvent(event), late: (entry) => this.late(entry), visit: (event) => this.visit(event) };
  }

  /** Takes in stored messages, oldest first; between the ids `whole` names, what is not among them is gone. */
  messages(messages, mine, whole) {
    this.keeping(() => {
      for (const message of messages) this.message(message, mine(message));
      this.reconcile(messages, whole);
      // replies that came before the message they answer was known
      for (const entry of this.entries.filter(({ place, turn }) => place === LAST && turn)) this.move(entry, this.placeOf(entry.turn));
      this.trim();
      this.offer();
      // what a message answers may have come now, or be gone
      for (const row of this.rows.values()) row.quote();
    });
    this.fill();
  }

  /** Offers anew what can be done with what one said oneself: only the last of it can be edited. */
  offer() {
    for (const row of this.rows.values()) if (row.entry.kind === 'person') row.offer();
  }

  /** Takes in a stored message. */
  message({ id, author, label, text, at, bot, event_id: event, reply_to: replyTo, turn_id: turnId, answers }, mine) {
    const isReply = author.by === 'persona';
    const key = isReply ? `turn ${turnId ?? id}` : `event ${event}`;
    const who = isReply ? { id: author.name, name: author.name } : { id: author.id, name: label ?? author.name, bot };
    const known = this.keys.get(key);
    if (known) {
      const before = textOf(known);
      // it is in the store: what was said of it not being sent is over, and its text may have been edited elsewhere
      Object.assign(known, { id, event, author: who, local: '', answers, text, problem: '', unsent: false });
      if (textOf(known) !== before) this.rows.get(key)?.speak();
      this.rows.get(key)?.label();
      return this.move(known, id);
    }
    this.insert({ key, kind: isReply ? 'reply' : 'person', place: id, id, at, author: who, event, replyTo, text, turnId, mine, answers });
  }

  /** Removes what is not among the messages between two ids: it was erased. */
  reconcile(messages, { from, to }) {
    const there = new Set(messages.map(({ id }) => id));
    const gone = this.entries.filter(({ id, turn }) => {
      const stands = id ?? turn?.trigger ?? null;
      return stands !== null && stands >= from && stands <= to && !there.has(stands);
    });
    gone.forEach((entry) => this.remove(entry));
  }

  /** Shows the message of a person before it is stored. */
  say({ event, author, text, replyTo }) {
    this.toEnd();
    const entry = { key: `event ${event}`, kind: 'person', place: LAST, at: Date.now() * 1000, author, event, replyTo, text, mine: true };
    this.keeping(() => (this.insert(entry), this.offer()));
    return entry;
  }

  /** Marks what could not be sent, or what nobody answers. */
  mark(event, what) {
    const entry = this.byEvent(event);
    if (entry) this.keeping(() => (Object.assign(entry, what), this.rows.get(entry.key)?.label()));
  }


  /** What was said under an event id, if it is known. */
  byEvent(event) {
    const turn = event.startsWith('turn:') && this.keys.get(`turn ${event.slice('turn:'.length)}`);
    return turn || this.keys.get(`event ${event}`);
  }

  /** The message that a reply answers, where a person has spoken between them or another try stands there. */
  late({ answers, turn, id, author }) {
    const to = answers ?? turn?.trigger;
    if (to === undefined || to === null) return undefined;
    const isBefore = (said) => id === undefined || said.place < id;
    const isOtherTry = (said) => said.turn && said.turn !== turn && said.turn.trigger === to && said.author.id === author.id;
    const between = (said) => isBefore(said) && (said.kind === 'person' ? said.id > to : isOtherTry(said));
    return this.entries.some(between) ? this.said(to) : undefined;
  }

  /** What was said under an id, if it is known. */
  said(id) {
    return this.entries.find((entry) => entry.id === id);
  }

  /** Of this many newest entries, those of people that no reply follows. */
  withoutReply(count) {
    const newest = this.entries.slice(-count);
    return newest.filter(({ kind, id }, at) => kind === 'person' && id !== undefined && newest[at + 1]?.kind !== 'reply');
  }

  /** The newest entry that fits. */
  newest(fits) {
    return this.entries.findLast(fits);
  }

  /**
   * Where a turn without a stored reply stands: behind what it answers and what was said until it began, or, of one that
   * is over for long, until it ended; last while what it answers is on its way.
   */
  placeOf({ trigger, ended }) {
    const newest = this.newest(({ id }) => id !== undefined)?.id ?? 0;
    if (trigger === null || trigger > newest) return LAST;
    const until = ended ? this.newest(({ id, at }) => id !== undefined && at <= ended)?.id ?? 0 : newest;
    return Math.max(trigger, until) + 0.5;
  }

  /** Shows what an event changed in a turn. */
  turn(turn, event) {
    const key = `turn ${turn.id}`;
    this.keeping(() => {
      let entry = this.keys.get(key);
      // a turn that is caught up with is another object than the one that was heard before the connection broke
      if (entry) entry.turn = turn;
      else {
        // a turn that is heard late has no time of its own
        const at = (turn.late && this.said(turn.trigger)?.at) || Date.now() * 1000;
        entry = { key, kind: 'reply', place: this.placeOf(turn), at, author: { id: turn.persona, name: turn.persona }, event: `turn:${turn.id}`, turnId: turn.id, turn };
        this.insert(entry);
      }
      if (event.type === 'done' && event.message_id) {
        entry.id = event.message_id;
        this.move(entry, event.message_id);
      }
      const row = this.rows.get(key);
      if (!row) return;
      if (event.type === 'token_delta' && !over(turn)) row.speakSoon(() => this.keepUp());
      else row.speak();
      if (event.type !== 'token_delta' || row.phase !== turn.phase) row.label();
      row.phase = turn.phase;
    });
  }

  /** Shows anew what personas are called. */
  rename() {
    this.keeping(() => this.rows.forEach((row) => row.rename()));
  }

  /** Shows what became known of a turn apart from its events. */
  relabel(turn) {
    const entry = this.keys.get(`turn ${turn.id}`);
    if (!entry) return;
    entry.turn ??= turn;
    this.keeping(() => this.rows.get(entry.key)?.label());
  }

  /** Goes to the message with an event id; one that is not known yet is looked for. */
  visit(event) {
    const entry = this.byEvent(event);
    if (entry) this.focus(this.entries.indexOf(entry));
    else this.ears.seek(event);
  }

}
