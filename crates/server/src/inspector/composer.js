// Speaking: the message field, memory off for one message, stop.

import { byId, say } from './dom.js';
import { freshId } from './channel.js';
import { place } from './place.js';
import { over } from './turn.js';

/**
 * Makes the form work. `channel()` is the open channel or null, `said(event, user, text)` hears of what
 * is being sent, `unsent(event, why)` of what was not. Returns `turn(turn, event)`, to be told of every
 * event, and `clear()`.
 */
export function composer({ channel, said, unsent }) {
  const field = byId('message');
  const stop = byId('stop');
  const forgetful = byId('forgetful');
  const problem = byId('problem');
  const running = new Set();

  function showStop() {
    const had = document.activeElement === stop;
    stop.hidden = running.size === 0;
    if (had && stop.hidden) field.focus();
  }

  async function send() {
    const text = field.value.trim();
    const here = channel();
    if (!text || !here) return;
    const event = freshId();
    const user = byId('user').value.trim();
    const message = { text, event_id: event };
    if (place.persona) message.persona = place.persona;
    if (user) Object.assign(message, { user, user_name: user });
    if (forgetful.checked) message.disable_memory = true;
    field.value = '';
    forgetful.checked = false;
    say(problem);
    said(event, user, text);
    try {
      await here.send(message);
    } catch (error) {
      unsent(event, error.message);
      say(problem, error.message);
      if (!field.value) field.value = text;
    }
  }

  async function cancel() {
    try {
      await channel()?.cancel();
    } catch (error) {
      say(problem, error.message);
    }
  }

  byId('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });
  stop.addEventListener('click', cancel);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
    if (event.key === 'Escape' && running.size) cancel();
  });

  return {
    turn(turn) {
      if (over(turn)) running.delete(turn.id);
      else running.add(turn.id);
      showStop();
    },
    clear() {
      running.clear();
      say(problem);
      showStop();
    },
  };
}
