// Speaking: the message field with a draft for each channel, to whom, in reply to what, in place of what; memory off for
// one message; stop.

import { byId, say } from './dom.js';
import { freshId } from './channel.js';
import { mentions, mentionsAny } from './mention.js';
import { authorOf, beginning, textOf } from './row.js';
import { over } from './turn.js';

/**
 * Makes the form work. `channel()` is the open channel or null, `here()` the names of the personas in it, `to()` who is
 * addressed. `said(message)`
 * hears of what is being sent, `unsent(event, why)` of what was not, `answered(event, turns)` how many answered,
 * `last()` gives the entry that can be edited.
 */
export function composer({ channel, here, to, said, unsent, answered, last }) {
  const field = byId('message');
  const stop = byId('stop');
  const forgetful = byId('forgetful');
  const problem = byId('problem');
  const running = new Set();
  const drafts = new Map();
  const list = mentions(field, byId('mentions'), here);
  let about = null; // { entry, edits }: what is replied to, or edited

  function showStop() {
    const had = document.activeElement === stop;
    stop.hidden = running.size === 0;
    if (had && stop.hidden) field.focus();
  }

  function shows(entry, edits) {
    about = entry && { entry, edits };
    byId('about').hidden = !about;
    say(byId('about-text'), about ? (edits ? 'You are editing your last message; its replies go with the old text.' : `Reply to ${authorOf(entry)}: ${beginning(entry)}`) : '');
    say(byId('send'), edits ? 'Save' : 'Send');
    if (about) field.focus();
  }

  function edit(entry = last()) {
    if (!entry) return;
    field.value = textOf(entry);
    shows(entry, true);
    field.setSelectionRange(field.value.length, field.value.length);
  }

  function drop() {
    if (about?.edits) field.value = '';
    shows(null);
    field.focus();
  }

  /** The message as it is sent. */
  function written(text, event) {
    const user = byId('user').value.trim();
    const message = { text, event_id: event };
    // who is mentioned answers, not who stands after “To”
    if (to() && !mentionsAny(text)) message.persona = to();
    if (user) Object.assign(message, { user, user_name: user });
    if (forgetful.checked) message.disable_memory = true;
    if (about && !about.edits) message.reply_to = about.entry.event;
    if (about?.edits && about.entry.replyTo) message.reply_to = about.entry.replyTo;
    return message;
  }

  async function send() {
    const text = field.value.trim();
    const here = channel();
    if (!text) return;
    if (!here) return say(problem, 'No channel is open yet; your text stays here. Send it again in a moment.');
    const event = freshId();
    const message = written(text, event);
    const edited = about?.edits ? about.entry : null;
    field.value = '';
    forgetful.checked = false;
    say(problem);
    list.close();
    const replies = about;
    shows(null);
    said(message, edited);
    try {
      answered(event, await (edited ? here.edit(edited.id, message) : here.send(message)), here);
    } catch (error) {
      unsent(event, error.message);
      say(problem, error.message);
      if (field.value) return;
      field.value = text;
      if (replies) shows(replies.entry, replies.edits);
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
  byId('about-end').addEventListener('click', drop);
  field.addEventListener('keydown', (event) => {
    if (list.key(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
    if (event.key === 'ArrowUp' && !field.value && last()) {
      event.preventDefault();
      edit();
    }
    if (event.key !== 'Escape') return;
    if (about) drop();
    else if (running.size) cancel();
  });

  return {
    turn(turn) {
      if (over(turn)) running.delete(turn.id);
      else running.add(turn.id);
      showStop();
    },
    /** Another channel is open: what was written for the one before waits there. */
    enter(from, to) {
      if (from) drafts.set(from, about?.edits ? '' : field.value);
      running.clear();
      shows(null);
      // what was written before any channel was open belongs to the first
      field.value = drafts.get(to) ?? (from ? '' : field.value);
      say(problem);
      showStop();
    },
    reply: (entry) => shows(entry, false),
    edit,
  };
}
