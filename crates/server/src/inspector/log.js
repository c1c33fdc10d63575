// The conversation: all messages that are known, of which a window stands in the page.
//
// A person's message is known by its event id, a reply by its turn; its place is the message id it has, or half a step
// behind the message it answers, so that what is loaded late still stands where it was said. However many messages
// there are, the page holds at most `MOST` rows.

import { Row, textOf } from './row.js';
import { over } from './turn.js';

/** Rows in the page; how many come at a time; how near to an end more are wanted, in pixels. */
const MOST = 160;
const STEP = 40;
const NEAR = 800;
/** Behind everything, until it is stored. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The conversation in an `<ol>`. */
export class Log {
  /**
   * `ears` is told `act(name, entry)` (why, retry, reply, edit), `older()` when messages before the first are wanted,
   * `seek(event)` when one is that is not known, `arrived(count)` how many came below what is seen; `can(name, entry)`
   * says what can be done.
   */
  constructor(list, ears) {
    this.list = list;
    this.ears = ears;
    const act = (name, entry) => (name === 'copy' ? navigator.clipboard?.writeText(textOf(entry)) : ears.act(name, entry));
    this.acts = { act, can: ears.can, find: (event) => this.byEvent(event), visit: (event) => this.visit(event) };
    list.addEventListener('scroll', () => this.scrolled());
    list.addEventListener('keydown', (event) => this.key(event));
    list.addEventListener('focusin', ({ target }) => this.activate(this.rowOf(target)));
    new ResizeObserver(() => this.keepUp()).observe(list);
    this.clear();
  }

  /** Forgets everything. `read` is the newest message that was read before. */
  clear(read = LAST) {
    this.rows?.forEach((row) => row.remove());
    [this.entries, this.keys, this.rows] = [[], new Map(), new Map()];
    [this.first, this.last, this.top, this.news] = [0, 0, 0, 0];
    [this.follows, this.active, this.selected, this.read] = [true, null, null, read];
    this.list.replaceChildren();
  }

  get size() {
    return this.entries.length;
  }

  /** Takes in stored messages, oldest first; between the ids `whole` names, what is not among them is gone. */
  messages(messages, mine, whole) {
    this.keeping(() => {
      for (const message of messages) this.message(message, mine(message));
      this.reconcile(messages, whole);
      // replies that came before the message they answer was known
      for (const entry of this.entries.filter(({ place, turn }) => place === LAST && turn)) this.move(entry, this.placeOf(entry.turn));
      if (this.follows) this.trimTop();
      else this.trimBottom();
      this.offer();
    });
  }

  /** Offers anew what can be done with what one said oneself: only the last of it can be edited. */
  offer() {
    for (const row of this.rows.values()) if (row.entry.kind === 'person') row.offer();
  }

  message({ id, author, text, at, bot, event_id: event, reply_to: replyTo, turn_id: turnId }, mine) {
    const isReply = author.by === 'persona';
    const key = isReply ? `turn ${turnId ?? id}` : `event ${event}`;
    const known = this.keys.get(key);
    if (known) {
      Object.assign(known, { id, event, local: '' });
      this.rows.get(key)?.label();
      return this.move(known, id);
    }
    const who = isReply ? { id: author.name, name: author.name } : { id: author.id, name: author.name, bot };
    this.insert({ key, kind: isReply ? 'reply' : 'person', place: id, id, at, author: who, event, replyTo, text, turnId, mine });
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

  /** Shows what somebody says before it is stored. */
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

  byEvent(event) {
    const turn = event.startsWith('turn:') && this.keys.get(`turn ${event.slice('turn:'.length)}`);
    return turn || this.keys.get(`event ${event}`);
  }

  /** What was said under an id, if it is known. */
  said(id) {
    return this.entries.find((entry) => entry.id === id);
  }

  /** The newest entry that fits. */
  newest(fits) {
    return this.entries.findLast(fits);
  }

  /** Where a turn that is not stored yet stands: behind what it answers; last while that is on its way. */
  placeOf({ trigger }) {
    const newest = this.newest(({ id }) => id !== undefined)?.id ?? 0;
    return trigger === null || trigger > newest ? LAST : trigger + 0.5;
  }

  /** Shows what an event changed in a turn. */
  turn(turn, event) {
    const key = `turn ${turn.id}`;
    this.keeping(() => {
      let entry = this.keys.get(key);
      if (entry) entry.turn ??= turn;
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

  /** Shows what became known of a turn apart from its events. */
  relabel(turn) {
    const entry = this.keys.get(`turn ${turn.id}`);
    if (!entry) return;
    entry.turn ??= turn;
    this.keeping(() => this.rows.get(entry.key)?.label());
  }

  /** Removes an entry. */
  remove(entry) {
    const at = this.entries.indexOf(entry);
    if (at < 0) return;
    this.entries.splice(at, 1);
    this.keys.delete(entry.key);
    this.rows.get(entry.key)?.remove();
    this.rows.delete(entry.key);
    if (at < this.first) this.first -= 1;
    if (at < this.last) this.last -= 1;
    this.decorate(at);
  }

  move(entry, place) {
    if (entry.place === place) return;
    const at = this.entries.indexOf(entry);
    const [before, after] = [this.entries[at - 1], this.entries[at + 1]];
    entry.place = place;
    if ((!before || before.place <= place) && (!after || after.place >= place)) return;
    const row = this.rows.get(entry.key);
    const had = row?.node.contains(document.activeElement) && document.activeElement;
    this.remove(entry);
    this.insert(entry);
    if (had) this.rows.get(entry.key)?.node.focus();
  }

  insert(entry) {
    const before = this.entries.findLastIndex(({ place }) => place <= entry.place);
    const at = before + 1;
    this.entries.splice(at, 0, entry);
    this.keys.set(entry.key, entry);
    if (at < this.first) {
      this.first += 1;
      this.last += 1;
    } else if (at < this.last || (at === this.last && this.last === this.entries.length - 1)) {
      this.last += 1;
      this.mount(at);
      this.decorate(at);
      this.decorate(at + 1);
    }
    if (!this.follows && at === this.entries.length - 1) this.ears.arrived((this.news += 1));
  }

  /** Puts the row of an entry into the page. */
  mount(at) {
    const entry = this.entries[at];
    const row = new Row(entry, this.acts);
    this.rows.set(entry.key, row);
    const next = this.entries.slice(at + 1, this.last).find(({ key }) => this.rows.has(key));
    this.list.insertBefore(row.node, next ? this.rows.get(next.key).node : null);
    if (entry.key === this.selected) row.select(true);
    if (!this.active || at === this.entries.length - 1) this.activate(row);
  }

  unmount(at) {
    const { key } = this.entries[at];
    this.rows.get(key)?.remove();
    this.rows.delete(key);
  }

  decorate(at) {
    const entry = this.entries[at];
    const row = entry && this.rows.get(entry.key);
    const previous = this.entries[at - 1];
    const isFresh = Boolean(previous) && previous.place <= this.read && entry?.place > this.read && !entry.mine;
    row?.decorate(previous, isFresh);
  }

  /** Changes rows while what is read stays where it is seen; who is at the end stays there. */
  keeping(change) {
    const { list } = this;
    const seen = this.follows ? null : [...list.children].find((node) => node.offsetTop + node.offsetHeight > list.scrollTop);
    const top = seen?.offsetTop;
    change();
    if (seen?.isConnected) list.scrollTop += seen.offsetTop - top;
    this.keepUp();
  }

  trimTop() {
    while (this.last - this.first > MOST) this.unmount(this.first++);
    this.decorate(this.first);
  }

  trimBottom() {
    while (this.last - this.first > MOST) this.unmount(--this.last);
  }

  /** Shows more rows above or below. */
  extend(by) {
    this.keeping(() => {
      const count = by < 0 ? Math.min(STEP, this.first) : Math.min(STEP, this.entries.length - this.last);
      for (let n = 0; n < count; n += 1) this.mount(by < 0 ? --this.first : this.last++);
      for (let n = 0; n <= count; n += 1) this.decorate(by < 0 ? this.first + n : this.last - n);
      if (by < 0) this.trimBottom();
      else this.trimTop();
    });
  }

  scrolled() {
    const { list } = this;
    const below = list.scrollHeight - list.scrollTop - list.clientHeight;
    const whole = this.last === this.entries.length;
    // only a move up leaves the end: what grows below is not a wish to stay where one is
    this.follows = whole && (below < 60 || (this.follows && list.scrollTop >= this.top));
    this.top = list.scrollTop;
    if (this.follows) this.ears.arrived((this.news = 0));
    else this.ears.arrived(this.news);
    if (list.scrollTop < NEAR && this.first > 0) this.extend(-1);
    else if (list.scrollTop < NEAR && list.scrollHeight > list.clientHeight) this.ears.older();
    if (below < NEAR && !whole) this.extend(1);
  }

  /** Stays at the end, unless somebody reads further up. */
  keepUp() {
    if (!this.follows) return;
    if (this.last - this.first > MOST) this.trimTop();
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** Shows the window around an entry. */
  around(at) {
    if (at < this.first || at >= this.last) {
      for (let n = this.first; n < this.last; n += 1) this.unmount(n);
      this.first = Math.max(0, Math.min(at - STEP, this.entries.length - 2 * STEP));
      this.last = this.first;
      while (this.last < Math.min(this.first + 2 * STEP, this.entries.length)) this.mount(this.last++);
      for (let n = this.first; n < this.last; n += 1) this.decorate(n);
    }
  }

  /** Goes to the newest message. */
  toEnd() {
    if (this.entries.length) this.around(this.entries.length - 1);
    this.follows = true;
    this.ears.arrived((this.news = 0));
    this.keepUp();
  }

  /** Goes to the message with an event id; one that is not known yet is looked for. */
  visit(event) {
    const entry = this.byEvent(event);
    if (entry) this.focus(this.entries.indexOf(entry));
    else this.ears.seek(event);
  }

  focus(at) {
    if (at < 0 || at >= this.entries.length) return;
    this.around(at);
    const { node } = this.rows.get(this.entries[at].key);
    this.follows = at === this.entries.length - 1;
    node.scrollIntoView({ block: this.follows ? 'end' : 'nearest' });
    node.focus();
  }

  rowOf(node) {
    const item = node.closest('#log > li');
    return [...this.rows.values()].find((row) => row.node === item);
  }

  /** The Tab key leads to the buttons of one row. */
  activate(row) {
    if (!row || row.entry.key === this.active) return;
    this.rows.get(this.active)?.activate(false);
    this.active = row.entry.key;
    row.activate(true);
  }

  /** Arrow keys go from message to message, Home and End to the first that is known and the last. */
  key(event) {
    if (event.target !== this.list && !event.target.matches('#log > li')) return;
    const active = this.entries.findIndex(({ key }) => key === this.active);
    const at = event.target === this.list && event.key === 'ArrowUp' ? active + 1 : active;
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: this.entries.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.focus(to);
  }

  /** The button that asks why, if the entry is in the page. */
  whyOf(entry) {
    return this.rows.get(entry?.key)?.buttons.querySelector('.trace');
  }

  /** Marks the entry that is inspected. */
  select(key) {
    this.rows.get(this.selected)?.select(false);
    this.selected = key;
    this.rows.get(key)?.select(true);
  }
}
