// The page: wires what the other modules do. What stands in the page is painted before this runs.

import { call } from './api.js';
import { cast } from './cast.js';
import { Channel } from './channel.js';
import { compare } from './compare.js';
import { composer } from './composer.js';
import { byId, el, offer, say } from './dom.js';
import { TurnView } from './inspect.js';
import { Log } from './log.js';
import { memories } from './memories.js';
import { called, isKnown, labelled, meet } from './names.js';
import { go, onMove, place } from './place.js';
import { session } from './session.js';
import { tabs } from './tabs.js';
import { theme } from './theme.js';
import { over } from './turn.js';

/** How many other channels an empty one offers. */
const MOST_OFFERED = 12;

let channel = null;
let me = '';
let chosen = null;
let newest = null;
const used = new Map();

const view = new TurnView(byId('turn'), (turn) => log.relabel(turn));
const log = new Log(byId('log'), (id) => inspect(id, true));
const speaking = composer({
  channel: () => channel,
  said: (event, user, text) => {
    log.follows = true;
    log.person(event, user || me, text);
  },
  unsent: (event, why) => log.unsent(event, why),
});
const showMemories = memories();
const showCast = cast(() => used);
const showTab = tabs(document.querySelector('[role=tablist]'), (tab) => go({ tab }));
theme(byId('theme'));
compare();

/** Shows a turn in the inspector; `asked` when somebody chose it. */
async function inspect(id, asked) {
  chosen = id;
  log.select(id);
  if (asked) {
    go({ tab: 'turn' });
    pane('inspect');
  }
  try {
    const turn = await channel.turn(id);
    if (chosen === id) view.show(turn);
  } catch (error) {
    view.empty(error.message);
  }
}

/** On a narrow screen one of the two halves is seen. */
function pane(name) {
  document.body.dataset.pane = name;
  for (const button of document.querySelectorAll('.panes button')) {
    button.setAttribute('aria-pressed', String(button.dataset.pane === name));
  }
}

function heard(turn, event) {
  log.turn(turn, event);
  // what had ended before the page came is no news
  if (turn.past) return;
  speaking.turn(turn);
  if (event.type === 'turn_started') {
    if (!log.knows(event.trigger)) channel.history({ limit: 10 }).catch(() => {});
    if (chosen === newest || chosen === turn.id) inspect(turn.id, false);
    newest = turn.id;
  }
  view.update(turn, event);
  if (event.type === 'done') count(turn);
  if (event.type === 'turn_started') say(byId('spoken'), `${called(turn.persona)} answers`);
  if (over(turn)) say(byId('spoken'), turn.problem ? `${called(turn.persona)} failed: ${turn.problem}` : `${called(turn.persona)}: ${turn.text}`);
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

/** Offers the channels there are: to the field, and as buttons where nothing was said yet. */
async function elsewhere() {
  const { channels } = await call('GET', '/api/channels').catch(() => ({ channels: [] }));
  const known = channels.map(({ channel: key }) => key);
  offer(byId('channels'), known.map((value) => ({ value, label: '' })));
  const others = known.filter((key) => key !== place.channel).slice(0, MOST_OFFERED);
  const enters = (key) => () => {
    go({ channel: key });
    byId('message').focus();
  };
  const button = (key) => el('button', { type: 'button', onclick: enters(key) }, key);
  byId('elsewhere').replaceChildren(...(others.length ? [el('span', { class: 'quiet' }, 'Elsewhere:'), ...others.map(button)] : []));
}

/** Opens the channel of the place; the persona alone changes nothing that is shown. */
function enter() {
  channel?.close();
  log.clear();
  byId('log').classList.remove('failed');
  speaking.clear();
  [chosen, newest] = [null, null];
  let latest = { id: 0 };
  view.empty('Say something, or choose a reply: here stands what the persona was shown for it, item by item.');
  channel = new Channel(place.channel, {
    message: (message) => {
      log.message(message);
      if (message.turn_id && message.id > latest.id) latest = message;
    },
    turn: heard,
    link: linked,
    more: (whether) => {
      byId('earlier').hidden = !whether;
      // a channel with a history opens with its newest reply
      if (chosen || !latest.turn_id) return;
      newest = latest.turn_id;
      inspect(newest, false);
    },
    problem: (text) => {
      say(byId('problem'), text);
      // a channel that cannot be read is not an empty one
      byId('log').classList.toggle('failed', Boolean(text));
    },
  });
  channel.open();
  elsewhere();
  document.title = `${place.channel} · Greenroom`;
}

/** Says that the address names nobody, as long as it does. */
function missed() {
  const nobody = place.persona && !isKnown(place.persona);
  say(byId('missed'), nobody ? `There is no persona “${place.persona}” here; choose one above.` : '');
}

/** Makes the page show where we are. */
function shown() {
  byId('persona').value = place.persona;
  byId('channel').value = place.channel;
  const tab = showTab(place.tab).id;
  if (tab === 'tab-memories') showMemories();
  if (tab === 'tab-cast') showCast();
}

onMove((now, before) => {
  if (now.persona !== before.persona && now.persona) byId('memory-persona').value = now.persona;
  shown();
  if (now.channel !== before.channel) enter();
  missed();
});

byId('persona').addEventListener('change', (event) => go({ persona: event.target.value }));
byId('where').addEventListener('submit', (event) => {
  event.preventDefault();
  go({ channel: byId('channel').value.trim(), persona: byId('persona').value });
});
byId('channel').addEventListener('change', (event) => event.target.checkValidity() && go({ channel: event.target.value.trim() }));
byId('earlier').addEventListener('click', () => channel.earlier());
for (const button of document.querySelectorAll('.panes button')) {
  button.addEventListener('click', () => pane(button.dataset.pane));
}
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  pane('talk');
  byId(event.target.dataset.focus).focus();
});

/** Asks who we are and who there is, then goes where the fragment says. */
async function start() {
  try {
    ({ user: me } = await session());
    const { personas } = await call('GET', '/api/personas');
    meet(personas);
    const options = personas.map(({ name }) => ({ value: name, label: labelled(name) }));
    offer(byId('persona'), [{ value: '', label: 'whoever is mentioned' }, ...options], place.persona);
    offer(byId('memory-persona'), options, place.persona || options[0]?.value);
    offer(byId('compare-a'), options, place.persona || options[0]?.value);
    offer(byId('compare-b'), options, options.find(({ value }) => value !== byId('compare-a').value)?.value);
    go({ channel: place.channel || `api:${me}`, persona: place.persona || (options[0]?.value ?? '') });
    if (!channel) enter();
    missed();
  } catch (error) {
    say(byId('link'), 'not connected');
    say(byId('problem'), error.message);
  }
}
start();
