// One channel: what was said in it, its events as they come, and speaking in it.
//
// A turn is heard twice, from the stream of the message that was sent and from the channel's own; both
// tell a turn's events in the same order with the same ids, so what was heard already is passed over.

import { Refused, call, path, query, stream } from './api.js';
import { begin, play, stored } from './turn.js';

/** How many messages are fetched at a time. */
const PAGE = 50;
/** The server's heart beats every 15 s; a stream silent for longer than this is dead. */
const SILENCE = 40_000;
/** What comes within this time of listening is what happened before. */
const REPLAY = 500;
/** How long to wait before a stream is opened again, doubling. */
const BACKOFF = { first: 500, most: 10_000 };

const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

/** An id for a message, so that sending it twice is saying it once. */
export function freshId() {
  return `page-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A channel that is open on the page. */
export class Channel {
  /**
   * `ears` are called with what happens: `message(message)`, `turn(turn, event)`, `link(state)` with
   * `live` or `reconnecting`, `more(whether)` there are earlier messages, `problem(text)`.
   */
  constructor(key, ears) {
    this.key = key;
    this.ears = ears;
    this.turns = new Map();
    this.oldest = null;
    this.listening = 0;
    this.closing = new AbortController();
  }

  /** Loads what was said, then listens until it is closed. */
  async open() {
    await this.earlier();
    await this.listen();
  }

  /** Leaves: nothing is called back any more. What was sent goes on at the server. */
  close() {
    this.closing.abort();
    this.ears = { message() {}, turn() {}, link() {}, more() {}, problem() {} };
  }

  /** Fetches a page of messages before the oldest that is known. */
  async earlier() {
    try {
      const page = await this.history({ before: this.oldest, limit: PAGE });
      this.oldest = page[0]?.id ?? this.oldest;
      this.ears.more(page.length === PAGE);
    } catch (error) {
      this.ears.problem(error.message);
    }
  }

  /** Fetches messages, oldest first, and tells them. */
  async history(which) {
    const { messages } = await call('GET', path`/api/channels/${this.key}/messages` + query(which));
    messages.forEach((message) => this.ears.message(message));
    return messages;
  }

  /** Says something and hears the turns that answer it. */
  async send(message) {
    const url = path`/api/channels/${this.key}/messages`;
    const headers = { 'idempotency-key': message.event_id };
    try {
      for await (const { id, data } of stream('POST', url, { body: message, headers })) {
        if (data) this.hear(id, data);
      }
    } catch (error) {
      // a stream that broke off is heard on from the channel's own
      if (error instanceof Refused) throw error;
    }
  }

  /** A turn by its id: as it was heard, or as it is stored. */
  async turn(id) {
    const heard = this.turns.get(id);
    if (heard?.receipt || heard?.state === 'running') return heard;
    return stored(await call('GET', path`/api/turns/${id}`));
  }

  /** Stops what is being answered. */
  cancel() {
    return call('POST', path`/api/channels/${this.key}/cancel`);
  }

  /** Takes an event in, once. */
  hear(id, event) {
    if (!event.turn_id) return;
    let turn = this.turns.get(event.turn_id);
    if (!turn) this.turns.set(event.turn_id, (turn = begin(event)));
    if (!turn.marks.length) turn.late = performance.now() - this.listening < REPLAY;
    if (id !== undefined && Number(id) <= turn.heard) return;
    if (id !== undefined) turn.heard = Number(id);
    play(turn, event, performance.now());
    this.ears.turn(turn, event);
  }

  /**
   * Listens to the channel, from the oldest event the server still knows, so that a page that is loaded
   * anew shows what the last turns were shown. A stream that breaks is taken up where it broke.
   */
  async listen() {
    const { signal } = this.closing;
    let last = '0';
    let wait = BACKOFF.first;
    while (!signal.aborted) {
      const attempt = new AbortController();
      const leave = () => attempt.abort();
      signal.addEventListener('abort', leave, { once: true });
      let watchdog = setTimeout(leave, SILENCE);
      try {
        this.listening = performance.now();
        const headers = { 'last-event-id': last };
        const url = path`/api/channels/${this.key}/events`;
        for await (const { id, data } of stream('GET', url, { headers, signal: attempt.signal })) {
          clearTimeout(watchdog);
          watchdog = setTimeout(leave, SILENCE);
          this.ears.link('live');
          wait = BACKOFF.first;
          last = id ?? last;
          if (data) this.hear(id, data);
        }
      } catch (error) {
        if (error.status === 401 || error.status === 403) return this.ears.problem(error.message);
      }
      clearTimeout(watchdog);
      signal.removeEventListener('abort', leave);
      if (signal.aborted) return;
      this.ears.link('reconnecting');
      await pause(wait, signal);
      wait = Math.min(wait * 2, BACKOFF.most);
    }
  }
}
