// Speaking: the message field with a draft for each channel, to whom, in reply to what, in place of what; memory off for
// one message; what was not sent; stop.

import { byId, composes, say } from './dom.js';
import { freshId } from './channel.js';
import { keptHere } from './kept.js';
import { mentions, mentionsAny } from './mention.js';
import { channelName } from './names.js';
import { authorOf, beginning, textOf } from './row.js';
import { over } from './turn.js';

/** Under this key the tab keeps what is not in the store. The page to sign in with looks for it. */
const WRITTEN = 'written';
/** A draft of nothing. */
const NOTHING = { text: '', about: null, failed: null, forgetful: false };
/** On a telephone there is no Shift+Enter: Enter breaks the line there. */
const coarse = window.matchMedia('(pointer: coarse)');

/** What is needed of an entry that is replied to or edited, also when it is no longer in the log. */
const brief = ({ event, id, kind, author, turn, text, replyTo }) => ({ event, id, kind, author, text: textOf({ turn, text }), replyTo });

/**
 * Makes the form work. `channel()` is the open channel or null, `here()` the names of the personas in it, `to()` who is
 * addressed, `last()` the entry that can be edited.
 * `said(message, { edited, instead })` hears of what is being sent, in place of which entry and of which event id that was
 * not sent; `shown(message, why)` of what is not in the store yet, with the reason where it was not sent;
 * `unsent(event, why)` of what was not sent, `answered(event, turns)` how many answered.
 */
export function composer({ channel, here, to, said, shown, unsent, answered, last }) {
  const field = byId('message');
  const stop = byId('stop');
  const forgetful = byId('forgetful');
  const problem = byId('problem');
  const running = new Set();
  const drafts = new Map();
  // by event id, what the server has not confirmed: { key, message, about, why }, with the reason where it was not sent
  const pending = new Map();
  if (coarse.matches) say(byId('keys'), 'Enter breaks the line');
  const list = mentions(field, byId('mentions'), here);
  let about = null; // { entry, edits, draft }: what is replied to, or edited while the draft waits
  let failed = null; // the event id of what was not sent and is in the field again
  let writer = ''; // who writes

  function showStop() {
    const had = document.activeElement === stop;
    stop.hidden = running.size === 0;
    if (had && stop.hidden) field.focus();
  }

  function shows(now) {
    about = now;
    byId('about').hidden = !about;
    say(byId('about-text'), about ? (about.edits ? 'You are editing your last message; its replies go with the old text.' : `Reply to ${authorOf(about.entry)}: ${beginning(about.entry)}`) : '');
    say(byId('send'), about?.edits ? 'Save' : 'Send');
  }

  const draft = () => ({ text: field.value, about, failed, forgetful: forgetful.checked });

  function write(from) {
    field.value = from.text;
    failed = from.failed;
    forgetful.checked = from.forgetful;
    shows(from.about);
  }

  function edit(entry = last()) {
    if (!entry) return;
    // who edits one message after another still has the draft from before
    const waiting = about?.edits ? about.draft : draft();
    write({ ...NOTHING, text: textOf(entry), about: { entry: brief(entry), edits: true, draft: waiting } });
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  function drop() {
    if (about?.edits) write(about.draft);
    else shows(null);
    field.focus();
  }

  /** The message as it is sent. What is sent again as it was has the same id, so that it is stored once. */
  function written(text) {
    const user = byId('user').value.trim();
    const message = { text };
    // who is mentioned answers, not who stands after “To”
    if (to() && !mentionsAny(text)) message.persona = to();
    if (user) Object.assign(message, { user, user_name: user });
    if (forgetful.checked) message.disable_memory = true;
    const replyTo = about?.edits ? about.entry.replyTo : about?.entry.event;
    if (replyTo) message.reply_to = replyTo;
    const before = pending.get(failed);
    const isSame = before && ['text', 'user', 'reply_to'].every((name) => before.message[name] === message[name]) && editedBy(before)?.id === editedBy({ about })?.id;
    message.event_id = isSame ? failed : freshId();
    return message;
  }

  const editedBy = ({ about: of }) => (of?.edits ? of.entry : undefined);

  async function send() {
    const text = field.value.trim();
    const at = channel();
    if (!text) return;
    if (!at) return say(problem, 'No channel is open yet; your text stays here. Send it again in a moment.');
    const message = written(text);
    const sent = { key: at.key, message, about };
    const instead = failed;
    pending.delete(instead);
    list.close();
    write(about?.edits ? about.draft : NOTHING);
    said(message, { edited: editedBy(sent), instead });
    await post(at, sent);
  }

  async function post(at, sent) {
    const { key, message } = sent;
    const event = message.event_id;
    const edited = editedBy(sent);
    const waits = field.value;
    say(problem);
    pending.set(event, { ...sent, why: '' });
    try {
      const turns = await (edited ? at.edit(edited.id, message) : at.send(message));
      pending.delete(event);
      answered(event, turns, at);
    } catch (error) {
      // it was stored though the answer did not come
      if (!pending.has(event)) return answered(event, undefined, at);
      pending.set(event, { ...sent, why: error.message });
      const meant = edited ? { ...sent.about, draft: draft() } : sent.about;
      const again = { text: message.text, about: meant, failed: event, forgetful: Boolean(message.disable_memory) };
      if (channel()?.key !== key) {
        if (!drafts.get(key)?.text) drafts.set(key, again);
        return say(problem, `Not sent in ${channelName(key)}: ${error.message}`);
      }
      unsent(event, error.message);
      say(problem, error.message);
      if (field.value === waits && (!waits || edited)) write(again);
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
  // who has emptied the field writes something else
  field.addEventListener('input', () => field.value || (failed = null));
  field.addEventListener('keydown', (event) => {
    if (composes(event) || list.key(event)) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey || !(event.shiftKey || coarse.matches))) {
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

  function keep() {
    if (!writer) return;
    const open = channel()?.key;
    const all = open ? new Map(drafts).set(open, draft()) : drafts;
    keptHere.set(WRITTEN, { writer, drafts: [...all], pending: [...pending] });
  }
  window.addEventListener('pagehide', keep);
  document.addEventListener('visibilitychange', keep);

  return {
    turn(turn) {
      if (over(turn)) running.delete(turn.id);
      else running.add(turn.id);
      showStop();
    },
    /** Takes up what this person wrote before a reload. */
    resume(who) {
      writer = who;
      const left = keptHere.get(WRITTEN);
      if (left?.writer !== who) return;
      left.drafts.forEach(([key, of]) => drafts.set(key, of));
      left.pending.forEach(([event, of]) => pending.set(event, { ...of, why: of.why || 'the page was left before the server had it' }));
    },
    /** Somebody signs out: nothing of theirs stays in the browser. */
    leave() {
      writer = '';
      keptHere.drop(WRITTEN);
    },
    /** Another channel is open: what was written for the one before waits there. */
    enter(from, key) {
      if (from) drafts.set(from, draft());
      running.clear();
      // what was written before any channel was open belongs to the first
      const early = from ? '' : field.value;
      const waiting = drafts.get(key) ?? NOTHING;
      const isNew = early && early !== waiting.text;
      write(isNew ? { ...waiting, text: [waiting.text, early].filter(Boolean).join('\n') } : waiting);
      say(problem);
      showStop();
      for (const each of pending.values()) if (each.key === key) shown(each.message, each.why);
    },
    /** Messages are in the store: none of them is sent again. */
    stored(messages) {
      for (const { event_id: event } of messages) {
        const sent = pending.get(event);
        if (!sent) continue;
        pending.delete(event);
        if (failed !== event) continue;
        failed = null;
        say(problem);
        if (field.value.trim() === sent.message.text) write(about?.edits ? about.draft : NOTHING);
      }
    },
    /** Sends what was not sent once more. */
    again({ event }) {
      const sent = pending.get(event);
      if (!sent || !channel()) return;
      if (failed === event && field.value.trim() === sent.message.text) write(about?.edits ? about.draft : NOTHING);
      said(sent.message, { edited: editedBy(sent), instead: event });
      return post(channel(), sent);
    },
    /** Gives up what was not sent; its text may be in the field still. */
    giveUp: ({ event }) => pending.delete(event),
    reply(entry) {
      // a reply is no edit: the draft comes back
      if (about?.edits) write(about.draft);
      shows({ entry: brief(entry), edits: false });
      field.focus();
    },
    edit,
  };
}
