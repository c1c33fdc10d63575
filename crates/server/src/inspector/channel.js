// One channel: what was said in it, its events as they come, and speaking in it.
//
// Turns are heard from the channel's own stream. A stream that was taken up again may repeat events; by their ids, what was
// heard already is passed over.

import { call, path, query, socket, stream } from './api.js';
import { begin, over, play } from './turn.js';

/** How many messages are fetched at first, and at a time when one goes back. */
const PAGE = 50;
const EARLIER = 200;
/** How many where a few new ones are looked for. */
const FEW = 10;
/** The server's heart beats every 15 s; a stream silent for longer than this is dead. */
const SILENCE = 40_000;
/** How long to wait before a stream is opened again, doubling. */
export const BACKOFF = { first: 500, most: 10_000 };

export const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

/** Whether asking again cannot help: the channel is none, or not ours. */
export const isFinal = ({ status }) => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** An id for a message, so that sending it twice is saying it once. */
export function freshId() {
  return `page-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A channel that is open on the page. */
export class Channel {
  /**
   * `ears` are called with what happens: `messages(messages, whole)` with the ids between which
   * these are all, `turn(turn, event)`, `reason(turn)` when it became known why it was cancelled, `link(state)` with `live` or `reconnecting`, `more(whether)` there are earlier
   * messages, `problem(text)`; `newest()` gives the id of the newest message that is shown.
   */
  constructor(key, ears) {
    this.key = key;
    this.ears = ears;
    this.turns = new Map();
    this.closing = new AbortController();
  }

  /** Leaves: nothing is called back any more. What was sent goes on at the server. */
  close() {
    this.closing.abort();
    this.ears = { newest: () => 0, messages() {}, turn() {}, reason() {}, link() {}, more() {}, problem() {} };
  }

  /** Fetches messages and tells them, and the turns they had no reply from: the newest, or those before one. */
  async history(which = { limit: FEW }) {
    const known = this.ears.newest();
    const read = await call('GET', path`/api/channels/${this.key}/messages` + query(which));
    const { messages, before } = read;
    // between these ids, what is not on the page is gone
    const from = before === undefined ? 0 : messages[0].id;
    const to = which.before === undefined ? Math.max(messages.at(-1)?.id ?? 0, known) : which.before - 1;
    this.ears.messages(messages, { from, to });
    for (const { id, ended_at: ended, message: reason } of read.turns) {
      const turn = this.turns.get(id);
      // the event that it was cancelled does not say why
      if (turn) this.ears.reason(Object.assign(turn, { reason }));
      else this.catchUp(id, { past: true, ended, reason });
    }
    return read;
  }

  /** Fetches the newest page, or the one before the oldest message that is known. */
  async page(before) {
    try {
      const { before: next } = await this.history({ before, limit: before === undefined ? PAGE : EARLIER });
      // what is read anew does not take the reader back to it
      if (before !== undefined || !this.opened) this.next = next;
      this.opened = true;
      this.ears.more(next !== undefined);
    } catch (error) {
      this.ears.problem(error.message);
    }
  }

  /**
   * Something that was said or shown here was erased: what is on the page is read again, and what ended turns were shown is
   * asked of the server again.
   */
  async erased() {
    for (const turn of this.turns.values()) if (over(turn)) Object.assign(turn, { stale: true, memories: [], calls: [], receipt: null, context: undefined });
    let before;
    do ({ before } = await this.history({ before, limit: EARLIER }));
    while (before !== undefined && before > (this.next ?? 0));
  }

  /** Fetches the page before the oldest message that is known; once at a time. */
  async earlier() {
    if (this.next === undefined || this.fetching) return;
    this.fetching = true;
    await this.page(this.next);
    this.fetching = false;
  }

  /** Says something; gives how many turns answer it. */
  send(message) {
    return this.answered('POST', path`/api/channels/${this.key}/messages`, message);
  }

  /** Says something in place of one's last message. */
  async edit(id, message) {
    const turns = await this.answered('PUT', path`/api/channels/${this.key}/messages/${id}`, message);
    // what was erased with it is no longer on the newest page
    this.history({ limit: PAGE }).catch(() => {});
    return turns;
  }

  /** Has a message answered once more. */
  retry(id, persona) {
    return this.answered('POST', path`/api/channels/${this.key}/messages/${id}/retry`, { persona });
  }

  /** Sends it; the answers are heard from the channel. A request that waited for them would hold a connection until then. */
  async answered(method, url, body) {
    const headers = { prefer: 'respond-async', ...(body.event_id && { 'idempotency-key': body.event_id }) };
    const { turns } = await call(method, url, body, { headers });
    return turns.length;
  }

  /** Stops what is being answered. */
  cancel() {
    return call('POST', path`/api/channels/${this.key}/cancel`);
  }

  /** A turn by its id: as it was heard, or as the server still knows it. */
  async turn(id) {
    const known = this.turns.get(id);
    return known && !known.stale ? known : this.follow(id, () => {});
  }

  /** Hears a turn from its beginning to its end, apart from the channel; `tell` hears of each event. What is known `about` it stands in it. */
  async follow(id, tell, about) {
    let turn;
    const { signal } = this.closing;
    for await (const { data } of stream('GET', path`/api/turns/${id}/events`, { signal })) {
      if (!data?.turn_id) continue;
      turn ??= { ...begin(data), late: true, ...about };
      this.turns.set(id, turn).set(data.turn_id, turn);
      play(turn, data, performance.now());
      tell(turn, data);
    }
    return turn;
  }

  /** Catches up with a turn whose beginning, or middle, was not heard; or that ended in the past. */
  catchUp(id, about) {
    this.follow(id, (turn, event) => this.ears.turn(turn, event), about).catch(() => {});
  }

  /** Takes an event in, once. An id is `RUN-NUMBER`, and the numbers of a run rise. */
  hear(id, event) {
    if (!event.turn_id) return;
    let turn = this.turns.get(event.turn_id);
    if (turn?.late) return;
    if (!turn) {
      this.turns.set(event.turn_id, (turn = begin(event)));
      if (event.type !== 'turn_started') {
        turn.late = true;
        return this.catchUp(event.turn_id);
      }
    }
    const number = id === undefined ? turn.heard + 1 : Number(id.split('-').at(-1));
    if (number <= turn.heard) return;
    turn.heard = number;
    play(turn, event, performance.now());
    this.ears.turn(turn, event);
  }

  /** Reads anew what cannot be heard any more. */
  resync() {
    this.page();
    for (const [id, turn] of this.turns) if (!over(turn)) this.catchUp(id);
  }

  /** Listens to the channel until it is closed; a stream that breaks is taken up where it broke. */
  async open() {
    const { signal } = this.closing;
    let wait = BACKOFF.first;
    while (!signal.aborted) {
      const attempt = new AbortController();
      const leave = () => attempt.abort();
      signal.addEventListener('abort', leave, { once: true });
      try {
        await this.listen(attempt, () => (wait = BACKOFF.first));
      } catch (error) {
        if (isFinal(error)) {
          this.ears.link('not connected');
          return this.ears.problem(error.message);
        }
      }
      signal.removeEventListener('abort', leave);
      if (signal.aborted) return;
      this.ears.link('reconnecting');
      await pause(wait, signal);
      wait = Math.min(wait * 2, BACKOFF.most);
    }
  }

  /** Listens until the stream ends or says nothing for too long: by a WebSocket, or where none opens by an event stream. */
  async listen(attempt, alive) {
    const { key, last } = this;
    if (await this.listenTo(socket(path`/api/channels/${key}/ws` + query({ last_event_id: last }), attempt.signal), attempt, alive)) return;
    const headers = last === undefined ? {} : { 'last-event-id': last };
    await this.listenTo(stream('GET', path`/api/channels/${key}/events`, { headers, signal: attempt.signal }), attempt, alive);
  }

  /** Takes in what a stream tells; gives whether it told anything. */
  async listenTo(events, attempt, alive) {
    let watchdog;
    let told = false;
    try {
      for await (const { id, event, data } of events) {
        told = true;
        clearTimeout(watchdog);
        watchdog = setTimeout(() => attempt.abort(), SILENCE);
        alive();
        this.ears.link('live');
        if (event === 'opened' && this.last === undefined) this.page();
        if (event === 'resync') this.resync();
        this.last = id ?? this.last;
        if (data) this.hear(id, data);
      }
    } finally {
      clearTimeout(watchdog);
    }
    return told;
  }
}
