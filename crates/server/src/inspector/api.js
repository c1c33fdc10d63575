// The one way to the server: JSON calls, event streams, errors in words.

/** A call that was refused; `message` says what happened and what to do. */
export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** How long a WebSocket may take to open, and how often it is asked for a sign of life, in milliseconds. */
const OPENING = 5_000;
const BEAT = 15_000;

/** Called when a key is wanted; `session.js` sets it. */
export const needs = { key: () => {} };

/** Builds a path; what is put in is escaped: path`/api/turns/${id}`. */
export const path = (parts, ...values) => String.raw({ raw: parts }, ...values.map(encodeURIComponent));

/** A query string of what is set: `?a=1&b=2`, or nothing. */
export function query(values) {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return set.length ? `?${new URLSearchParams(set)}` : '';
}

async function refusal(response) {
  const text = await response.text();
  let error = {};
  try {
    error = JSON.parse(text).error ?? {};
  } catch {
    // not one of our answers: a proxy's page, or nothing at all
  }
  const wait = response.headers.get('retry-after');
  const message = error.message ?? `the server said ${response.status} ${response.statusText}`;
  if (response.status === 401) needs.key();
  return new Refused(response.status, error.code ?? '', wait ? `${message}; try again in ${wait} s` : message);
}

/** A request; a response that is not good is thrown as what it says. */
async function request(method, url, { body, raw, headers = {}, signal } = {}) {
  const init = { method, headers: { ...headers }, signal, body: raw };
  if (body !== undefined) {
    init.headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused(0, 'unreachable', 'the server cannot be reached; is greenroom serve running?');
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** A call that answers with JSON, or with nothing. */
export async function call(method, url, body, options = {}) {
  const response = await request(method, url, { body, ...options });
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

/** Reads an event stream: yields `{event: 'opened'}`, then `{id, event, data}`, and `{}` for a heartbeat. */
export async function* stream(method, url, { body, headers, signal } = {}) {
  const response = await request(method, url, {
    body,
    headers: { accept: 'text/event-stream', ...headers },
    signal,
  });
  yield { event: 'opened' };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) yield frame(block);
  }
}

/**
 * Reads the same events over a WebSocket: a browser opens six other connections to a host, for all of its tabs. Ends where
 * the socket ends; yields nothing where none can be opened.
 */
export async function* socket(url, signal) {
  let link;
  try {
    link = new WebSocket(new URL(url, location.href.replace(/^http/, 'ws')));
  } catch {
    return;
  }
  const heard = [];
  let wake;
  const hear = (what) => {
    heard.push(what);
    wake?.();
  };
  link.onopen = () => hear({ event: 'opened' });
  link.onmessage = ({ data }) => {
    const read = JSON.parse(data);
    hear({ id: read.id, event: read.type, data: read });
  };
  link.onclose = () => hear(null);
  // the end of a dead connection is not waited for
  const close = () => (link.close(), hear(null));
  signal.addEventListener('abort', close, { once: true });
  // a proxy may swallow the handshake
  const hurry = setTimeout(() => link.readyState === WebSocket.CONNECTING && close(), OPENING);
  const beat = setInterval(() => link.readyState === WebSocket.OPEN && link.send('{"type":"ping"}'), BEAT);
  try {
    for (;;) {
      if (!heard.length) await new Promise((resolve) => (wake = resolve));
      const next = heard.shift();
      if (!next) return;
      yield next;
    }
  } finally {
    clearTimeout(hurry);
    clearInterval(beat);
    signal.removeEventListener('abort', close);
    link.close();
  }
}

/** One block of an event stream. */
function frame(block) {
  const read = {};
  const data = [];
  for (const line of block.split('\n')) {
    const [, field, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field) read[field] = value;
  }
  if (data.length) read.data = JSON.parse(data.join('\n'));
  return read;
}
