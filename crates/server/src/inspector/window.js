// The window: of a list of entries a few rows stand in the page, and what is read stays where it is seen.
//
// Rows are as high as their texts need, so no height is known beforehand: rows are added and removed at both ends while
// one scrolls, and the scroll position moves by what came or went above.

import { Row } from './row.js';

/** Rows in the page; how many come at a time; how near to an end more are wanted, in pixels. */
const MOST = 160;
const STEP = 40;
const NEAR = 800;
/** Behind everything, until it is stored. */
export const LAST = Number.MAX_SAFE_INTEGER;

/** Whether an entry stands before another. At one place stand turns without a message, which began in the order of their ids. */
const inOrder = (one, other) => one.place < other.place || (one.place === other.place && !(one.turn && other.turn && one.turn.id > other.turn.id));

/** A window over `entries` in an `<ol>`; `acts` is what a row can do, `ears` as in `log.js`. */
export class Window {
  constructor(list, ears) {
    this.list = list;
    this.ears = ears;
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

  /** Puts an entry where it belongs. */
  insert(entry) {
    const at = this.entries.findLastIndex((other) => inOrder(other, entry)) + 1;
    this.entries.splice(at, 0, entry);
    this.keys.set(entry.key, entry);
    // above the first row of somebody who reads there: rows would push out the one that is read
    const isAbove = at < this.first || (at === this.first && this.last > this.first && !this.follows);
    if (isAbove) {
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

  /** Removes an entry: it was erased, or something else stands in its place. */
  remove(entry) {
    this.take(entry);
    this.ears.removed(entry);
  }

  /** Takes an entry out. */
  take(entry) {
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

  /** Puts an entry elsewhere, if its place is not between its neighbours. */
  move(entry, place) {
    if (entry.place === place) return;
    const at = this.entries.indexOf(entry);
    const [before, after] = [this.entries[at - 1], this.entries[at + 1]];
    entry.place = place;
    if ((!before || before.place <= place) && (!after || after.place >= place)) return;
    const row = this.rows.get(entry.key);
    const had = row?.node.contains(document.activeElement) && document.activeElement;
    this.take(entry);
    this.insert(entry);
    if (had) this.rows.get(entry.key)?.node.focus();
  }

  /** Takes out what is too much: above, where one reads the end, else below. */
  trim() {
    if (this.follows) this.trimTop();
    else this.trimBottom();
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

  /** Takes a row out of the page. */
  unmount(at) {
    const { key } = this.entries[at];
    this.rows.get(key)?.remove();
    this.rows.delete(key);
  }

  /** Shows how a row stands below the one before it. */
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

  /** Shows more rows above where one reads the first of the page: what was fetched moves nothing, so nothing else would. */
  fill() {
    if (!this.follows && this.list.scrollTop < NEAR && this.first > 0) this.extend(-1);
  }

  /** Stays at the end, unless the reader has scrolled up. */
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
