// The page: wires what the other modules do. What stands in the page is painted before this runs.

import { call } from './api.js';
import { card } from './card.js';
import { cast } from './cast.js';
import { BACKOFF, Channel, isFinal, pause } from './channel.js';
import { channels } from './channels.js';
import { compare } from './compare.js';
import { composer } from './composer.js';
import { create } from './create.js';
import { byId, copy, el, offer, say } from './dom.js';
import { intro } from './intro.js';
import { Log } from './log.js';
import { gallery } from './gallery.js';
import { memories } from './memories.js';
import { called, channelName, everybody, isKnown, labelled, meet, nameplate } from './names.js';
import { panel } from './panel.js';
import { go, onMove, place } from './place.js';
import { Room } from './room.js';
import { textOf } from './row.js';
import { session } from './session.js';
import { theme } from './theme.js';
import { isWithdrawn, over, phase } from './turn.js';
import { unanswered } from './unanswered.js';
import { Inspection } from './why.js';

/** The persona of the settings: addressed where the room has no members. */
let standard = '';
/** Chosen where nobody is addressed. */
const ANYONE = '*';
/** How many pages back a message is looked for that another answers. */
const FAR = 40;

/** How often the members are read again, in milliseconds. */
const MEMBERS = 10_000;
/** How long a button says that it has copied, in milliseconds. */
const COPIED = 2_000;

let channel = null;
let me = '';
let role = '';
/** The cast as it was read last. */
let known = '';
const used = new Map();
const running = new Map();

const speaker = () => byId('user').value.trim() || me;
const newestId = () => log.newest(({ id }) => id !== undefined)?.id ?? 0;
const lastOfMine = () => log.newest(({ author, id, kind }) => kind === 'person' && author.id === speaker() && id !== undefined);

/** What can be done with a message. */
const CAN = {
  why: ({ id, turnId, kind }) => (kind === 'reply' ? Boolean(turnId) : id !== undefined),
  reply: ({ turn, unsent }) => !unsent && (!turn || over(turn)),
  remove: ({ unsent }) => unsent,
  edit: (entry) => entry === lastOfMine(),
  retry: ({ turn, unsent }) => unsent || (Boolean(turn) && ['failed', 'cancelled'].includes(turn.state) && !isWithdrawn(turn) && turn.trigger !== null),
};

/** Does what a button at a message says. */
const ACTS = {
  why: (entry) => inspection.ask(entry),
  reply: (entry) => speaking.reply(entry),
  edit: (entry) => speaking.edit(entry),
  remove(entry) {
    speaking.giveUp(entry);
    log.remove(entry);
  },
  async copy(entry, button) {
    const said = (await copy(textOf(entry))) ? 'Copied' : 'Not copied: select the text';
    say(button, said);
    say(byId('spoken'), said);
    setTimeout(() => say(button, 'Copy'), COPIED);
  },
  async retry(entry) {
    if (entry.unsent) return speaking.again(entry);
    try {
      await channel.retry(entry.turn.trigger, entry.turn.persona);
      log.remove(entry);
    } catch (error) {
      say(byId('problem'), error.message);
    }
  },
};

const log = new Log(byId('log'), {
  act: (name, entry, button) => ACTS[name](entry, button),
  can: (name, entry) => CAN[name](entry),
  older: () => channel?.earlier(),
  async seek(event) {
    for (let page = 0; page < FAR && !log.byEvent(event) && channel.next !== undefined; page += 1) await channel.earlier();
    if (log.byEvent(event)) log.visit(event);
  },
  removed: (entry) => inspection.removed(entry),
  arrived(count) {
    byId('newest').hidden = log.follows;
    say(byId('newest'), count ? `↓ ${count} new` : '↓ Newest messages');
  },
});
const room = new Room(addresses);
const silence = unanswered(log, room);
const inspection = new Inspection(log, room, () => channel);
const list = channels((id) => {
  // what nobody answers tells no event; what was erased neither
  if (channel?.opened && id !== newestId()) channel.history().catch(() => {});
  if (!document.hidden) list.read(id);
}, async () => {
  const read = channel?.erased();
  inspection.erased();
  say(byId('spoken'));
  await read;
});
const speaking = composer({
  channel: () => channel,
  here: () => room.here(),
  to: addressee,
  last: lastOfMine,
  said(message, { edited, instead }) {
    endIntro();
    for (const old of [edited?.event, instead].filter(Boolean).map((event) => log.byEvent(event))) if (old) log.remove(old);
    sayHere(message);
  },
  shown(message, why) {
    sayHere(message);
    if (why) notSent(message.event_id, why);
  },
  unsent(event, why) {
    notSent(event, why);
    // what was to be edited stands as it was
    channel?.history().catch(() => {});
  },
  async answered(event, turns, where) {
    if (where !== channel) return;
    where.history().catch(() => {});
    list.refresh();
    await room.refresh();
    if (turns > 0 || turns === undefined || where !== channel) return;
    silence.mark(event);
  },
});
const inspector = panel(() => inspection.back);
const showMemories = memories();
const showCast = cast(() => used, (name) => showCard(name));
const showCard = card({
  room,
  changed: () => showCast(),
  talk: (name) => enterNew(`api:${me}:${name}`, [name]),
  remembers(name) {
    byId('memory-persona').value = name;
    go({ view: 'memories' });
  },
});
const showGallery = gallery({
  opens: (name) => showCard(name),
  async imported(name) {
    await knows(name);
    showGallery();
    showCard(name);
  },
});
create({
  prefix: () => (role === 'user' ? `api:${me}:` : 'api:'),
  taken: () => new Set([...document.querySelectorAll('[data-channel]')].map(({ dataset }) => dataset.channel)),
  first: () => (isKnown(standard) ? standard : everybody()[0]),
  opened: enterNew,
});
theme(byId('theme'));
compare();
const endIntro = intro();

/** Shows a message that is not in the store yet. */
function sayHere({ event_id: event, text, user, reply_to: replyTo }) {
  const who = user || me;
  log.say({ event, author: { id: who, name: who }, text, replyTo });
}

const notSent = (event, why) => log.mark(event, { problem: `not sent: ${why}`, unsent: true });

/** Goes to a channel where nothing was said yet. Personas that are no members there are addressed. */
function enterNew(key, personas) {
  document.body.dataset.pane = 'talk';
  go({ channel: key, view: '', persona: personas.length === 1 ? personas[0] : '' });
  const field = byId('message');
  if (personas.length > 1 && !field.value) field.value = personas.map((name) => `@${name} `).join('');
  field.focus();
}

function heard(turn, event) {
  log.turn(turn, event);
  // what had ended before the page came is no news
  if (turn.past) return;
  speaking.turn(turn);
  if (over(turn)) running.delete(turn.id);
  else running.set(turn.id, turn);
  typing();
  if (event.type === 'turn_started') {
    room.heard(turn.persona);
    if (!log.said(event.trigger)) channel.history().catch(() => {});
    inspection.began(log.byEvent(`turn:${turn.id}`));
    say(byId('spoken'), `${called(turn.persona)} answers`);
  }
  inspection.view.update(turn, event);
  if (event.type === 'done') count(turn);
  if (!over(turn)) return;
  room.refresh();
  if (turn.code === 'forgotten_meanwhile' && !log.said(turn.trigger)) log.remove(log.byEvent(`turn:${turn.id}`));
  say(byId('spoken'), turn.problem ? `${called(turn.persona)} failed: ${turn.problem}` : `${called(turn.persona)}: ${turn.text}`);
  list.refresh();
}

/** Says who is about to say something. */
function typing() {
  const phrases = [...running.values()].map((turn) => `${called(turn.persona)} ${phase(turn)}`);
  say(byId('typing'), phrases.length ? `${phrases.slice(0, 3).join(', ')} …` : '');
}

/** Adds up what this page hears of being used. */
function count({ persona, usage }) {
  const sum = used.get(persona) ?? { prompt_tokens: 0, completion_tokens: 0 };
  for (const name of Object.keys(sum)) sum[name] += usage[name];
  used.set(persona, sum);
}

/** Shows whether the channel is heard. */
function linked(state) {
  const link = byId('link');
  if (link.textContent === state) return;
  say(link, state);
  link.classList.toggle('live', state === 'live');
}

/** Opens the channel of the place. */
function enter(from) {
  channel?.close();
  log.clear(list.readUpTo(place.channel));
  byId('log').classList.remove('failed');
  speaking.enter(from, place.channel);
  running.clear();
  typing();
  inspection.clear();
  room.enter(place.channel);
  channel = new Channel(place.channel, {
    newest: newestId,
    messages(messages, whole) {
      speaking.stored(messages);
      log.messages(messages, ({ author }) => author.by === 'user' && author.id === speaker(), whole);
      const { id } = messages.at(-1) ?? {};
      if (id && !document.hidden) list.read(id);
      silence.look(place.channel);
      messages.filter(({ author }) => author.by === 'persona').forEach(({ author }) => room.spoke.add(author.name));
    },
    turn: heard,
    reason: (turn) => log.relabel(turn),
    link: linked,
    more() {
      room.draw();
      inspection.loaded();
    },
    problem(text) {
      say(byId('problem'), text);
      // a channel that cannot be read is not an empty one
      byId('log').classList.toggle('failed', Boolean(text));
    },
  });
  channel.open();
  list.draw();
  list.refresh();
  say(byId('talk-title'), channelName(place.channel));
  byId('talk-title').title = place.channel;
  document.title = `${channelName(place.channel)} · Greenroom`;
}

/** The addressed persona: the chosen one; else the only one in the channel; of several none, the room decides. */
function addressee() {
  if (place.persona) return place.persona === ANYONE ? '' : place.persona;
  // of members that are not known, the room knows more than the page
  if (!room.isKnown) return '';
  const here = [...room.here()];
  if (!here.length) return isKnown(standard) ? standard : everybody()[0] ?? '';
  return here.length === 1 ? here[0] : '';
}

/** Shows who is addressed. */
function addresses() {
  byId('persona').value = addressee() || ANYONE;
}

/** Says that the address names nobody, as long as it does. */
function missed() {
  const nobody = place.persona && place.persona !== ANYONE && !isKnown(place.persona);
  say(byId('missed'), nobody ? `There is no persona “${place.persona}” here; choose one after “To”.` : '');
}

/** Makes the page show where we are. */
function shown() {
  addresses();
  byId('memories').hidden = place.view !== 'memories';
  byId('gallery').hidden = place.view !== 'gallery';
  byId('talk').hidden = place.view === 'memories' || place.view === 'gallery';
  if (place.view === 'gallery') showGallery();
  if (place.view === 'memories') showMemories();
  const tab = inspector.show();
  if (tab === 'cast') showCast();
  if (tab === 'room') room.refresh();
}

onMove((now, before) => {
  if (now.persona !== before.persona && isKnown(now.persona)) byId('memory-persona').value = now.persona;
  shown();
  if (now.channel !== before.channel) enter(before.channel);
  else if (now.tab === 'turn' && before.tab !== 'turn') inspection.show();
  missed();
});

byId('persona').addEventListener('change', (event) => go({ persona: event.target.value }));
byId('open-panel').addEventListener('click', () => (inspection.asked = false));
byId('newest').addEventListener('click', () => log.toEnd());
byId('who').addEventListener('click', () => go({ tab: 'room' }));
byId('open-memories').addEventListener('click', () => {
  // the memories of a persona of this channel
  const [here, field] = [[...room.here()], byId('memory-persona')];
  if (here.length && !here.includes(field.value)) field.value = here[0];
  go({ view: 'memories' });
  byId('query').focus();
});
byId('open-gallery').addEventListener('click', () => {
  document.body.dataset.pane = 'talk';
  go({ view: 'gallery' });
  byId('close-gallery').focus();
});
byId('close-gallery').addEventListener('click', () => (go({ view: '' }), byId('open-gallery').focus()));
byId('close-memories').addEventListener('click', () => (go({ view: '' }), byId('open-memories').focus()));
for (const button of document.querySelectorAll('[data-show]')) {
  button.addEventListener('click', () => {
    document.body.dataset.pane = button.dataset.show;
    byId('new-channel').focus();
  });
}
// on a small screen the list of channels makes room for where one goes back to
window.addEventListener('popstate', () => (document.body.dataset.pane = 'talk'));
document.addEventListener('visibilitychange', () => list.refresh());
// no event tells that a persona came, left or was stopped, or that its file was written
setInterval(() => document.hidden || (room.refresh(), recast().catch(() => {})), MEMBERS);
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  document.body.dataset.pane = 'talk';
  go({ view: '' });
  byId('message').focus();
});

/** Shows the cast wherever a persona is listed, named or chosen. */
function introduce(personas) {
  meet(personas);
  const options = personas.map(({ name }) => ({ value: name, label: labelled(name) }));
  const first = isKnown(place.persona) ? place.persona : options[0]?.value;
  const chosen = (select) => (isKnown(select.value) ? select.value : first);
  offer(byId('persona'), [{ value: ANYONE, label: 'anyone' }, ...options], addressee() || ANYONE);
  for (const select of [byId('memory-persona'), byId('compare-a')]) offer(select, options, chosen(select));
  const [one, other] = [byId('compare-a'), byId('compare-b')];
  offer(other, options, isKnown(other.value) ? other.value : options.find(({ value }) => value !== one.value)?.value);
  byId('cast-list').replaceChildren(...everybody().map((name) =>
    el('li', {}, el('button', { type: 'button', 'data-persona': name, onclick: () => showCard(name) }, nameplate(name)))));
}

/** The cast is read again until it has a persona that was just written; the server notices new files within a second. */
async function knows(name) {
  for (let tries = 0; tries < 20 && !isKnown(name); tries += 1) {
    await recast();
    if (!isKnown(name)) await pause(250);
  }
}

/** Reads the cast again, and shows it where it is another one than before. */
async function recast() {
  const { personas, default: chosen } = await call('GET', '/api/personas');
  const read = JSON.stringify([chosen, ...personas.map(({ name, display_name: shown }) => [name, shown])]);
  if (read === known) return;
  [known, standard] = [read, chosen ?? ''];
  introduce(personas);
  room.draw();
  log.rename();
  addresses();
  missed();
}

/** Asks who we are and who there is, then goes where the fragment says. */
async function start() {
  for (let wait = BACKOFF.first; !me; wait = Math.min(wait * 2, BACKOFF.most)) {
    try {
      const who = await session(() => speaking.leave());
      await recast();
      ({ user: me, role } = who);
    } catch (error) {
      say(byId('link'), 'not connected');
      say(byId('problem'), error.message);
      if (isFinal(error)) return;
      await pause(wait);
    }
  }
  say(byId('problem'));
  speaking.resume(me);
  go({ channel: place.channel || `api:${me}` });
  if (!channel) enter('');
  missed();
}
start();
