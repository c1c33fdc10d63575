// A turn as it is heard: one record, changed by one event after the other.

/** A turn of which nothing is known but its name. */
export function begin({ turn_id: id, persona, channel }) {
  return {
    id,
    persona,
    channel,
    state: 'running',
    phase: 'waiting',
    model: '',
    why: '',
    trigger: null,
    text: '',
    memories: [],
    receipt: null,
    calls: [],
    notices: [],
    marks: [],
    code: '',
    problem: '',
    reason: '',
    finish: '',
    usage: null,
    heard: -1,
    since: null,
    late: false,
  };
}

/** What each event does to the record. */
const EFFECTS = {
  turn_started(turn, { model, why, trigger }) {
    Object.assign(turn, { model, why, trigger, phase: 'recalling' });
  },
  memory_context(turn, { memories }) {
    turn.memories = memories;
  },
  context_assembled(turn, { receipt }) {
    Object.assign(turn, { receipt, phase: 'thinking' });
  },
  token_delta(turn, { text }) {
    turn.text += text;
    turn.phase = 'speaking';
  },
  reply_discarded(turn, { reason }) {
    turn.text = '';
    turn.notices.push({ code: 'reply_discarded', message: `the reply began afresh: ${reason}` });
  },
  tool_call(turn, call) {
    turn.calls.push({ ...call, result: null });
    turn.phase = `calling ${call.name}`;
  },
  tool_result(turn, { id, ok, content }) {
    const call = turn.calls.findLast((known) => known.id === id && !known.result);
    if (call) call.result = { ok, content };
    turn.phase = 'thinking';
  },
  notice(turn, { code, message }) {
    turn.notices.push({ code, message });
  },
  done(turn, { text, finish, usage, message_id: reply }) {
    Object.assign(turn, { state: 'done', text, finish, usage, reply });
  },
  failed(turn, { code, message }) {
    Object.assign(turn, { state: 'failed', code, problem: message });
  },
  cancelled(turn, { text }) {
    const unsent = turn.notices.find(({ code }) => code === 'not_sent');
    Object.assign(turn, { state: 'cancelled', text });
    if (!unsent) return;
    turn.reason = unsent.message;
    turn.notices = turn.notices.filter((notice) => notice !== unsent);
  },
};

/** Plays an event on the record; `at` is when it was heard, in milliseconds of the page's clock. */
export function play(turn, event, at) {
  turn.since ??= at;
  EFFECTS[event.type]?.(turn, event);
  const last = turn.marks.at(-1);
  if (last?.type === event.type) Object.assign(last, { times: last.times + 1, until: at - turn.since });
  else turn.marks.push({ type: event.type, at: at - turn.since, until: at - turn.since, times: 1 });
}

/** Whether it was cancelled for another reason than a stop: another has answered, or it left. */
export const isWithdrawn = ({ state, reason }) => state === 'cancelled' && Boolean(reason) && reason !== 'stopped';

/** Whether it has ended. */
export const over = (turn) => turn.state !== 'running';

/** What a persona is doing, as a sentence goes on: `is thinking`. */
export function phase(turn) {
  if (turn.phase.startsWith('calling ')) return `uses ${turn.phase.slice('calling '.length)}`;
  return { waiting: 'is next', recalling: 'remembers', thinking: 'is thinking', speaking: 'is writing' }[turn.phase] ?? turn.phase;
}

/** How it stands, in words. */
export function standing(turn) {
  if (turn.state === 'running' && turn.phase) return turn.phase;
  if (turn.state === 'failed' && turn.code) return `failed: ${turn.code}`;
  if (isWithdrawn(turn)) return `said nothing: ${turn.reason}`;
  if (turn.state === 'done' && turn.finish && turn.finish !== 'stop') return `done: ${turn.finish}`;
  return turn.state;
}
