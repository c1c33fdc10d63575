// The context as a budget: a bar of its sections, which open into their items, which open into the
// exact text.

import { count, el, fact, number, percent, score, say } from './dom.js';

/** The sections in the order of the bar; `field` is where a receipt's budget counts them. */
const SECTIONS = [
  { name: 'system', label: 'System', field: 'system_tokens' },
  { name: 'tools', label: 'Tools', field: 'tool_tokens' },
  { name: 'project', label: 'Project', field: 'project_tokens' },
  { name: 'memories', label: 'Memories', field: 'memory_tokens' },
  { name: 'history', label: 'History', field: 'history_tokens' },
];

/** What became of an item: a sign beside the word, so that no colour is needed to tell. */
const SIGNS = { kept: '●', cut: '◐', dropped: '○' };

/** Below this share of the window what is used is drawn a second time, enlarged. */
const ENLARGE_BELOW = 0.25;

/** The parts of the window: the sections, what is kept for the reply, what is free. */
function parts({ budget, window, reserve }) {
  const used = SECTIONS.map(({ name, label, field }) => ({ name, label, tokens: budget[field] }));
  const free = Math.max(0, window - budget.total_tokens - reserve);
  return [
    ...used,
    { name: 'reserve', label: 'Reserve for the reply', tokens: reserve },
    { name: 'free', label: 'Free', tokens: free },
  ];
}

/** A bar, for the eye; the same numbers stand in the list below it. */
function bar(shown, whole, open) {
  const pieces = shown.filter(({ tokens }) => tokens > 0);
  const segment = ({ name, label, tokens }) => {
    const piece = el('span', {
      class: `piece ${name}`,
      title: `${label}: ${count(tokens, 'token')}, ${percent(tokens, whole)}`,
      onclick: () => open(name),
    });
    piece.style.flexGrow = String(tokens);
    return piece;
  };
  return el('div', { class: 'bar', 'aria-hidden': 'true' }, pieces.map(segment));
}

function item(entry, key) {
  const text = el('pre', { tabindex: 0, 'aria-label': `Text of ${entry.id}` });
  const head = el(
    'summary',
    {},
    el('span', { class: `outcome ${entry.outcome}` }, el('span', { 'aria-hidden': 'true' }, SIGNS[entry.outcome]), ` ${entry.outcome}`),
    ' ',
    el('code', {}, entry.id),
    ' ',
    el('span', { class: 'num' }, count(entry.tokens, 'token')),
    ' ',
    score(entry.score),
    el('span', { class: 'reason' }, entry.reason),
    el('span', { class: 'preview' }, entry.preview),
  );
  const box = el('details', { class: 'item', 'data-key': key }, head, text);
  return { entry, box, text, node: el('li', {}, box) };
}

/** Items of one section may share an id; the n-th of them is meant. */
function keys(items) {
  const seen = new Map();
  return items.map(({ section, id }) => {
    const key = `${section} ${id}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return `${key} ${seen.get(key)}`;
  });
}

/** Fills the exact texts in; without them the beginnings stand there, with the reason. */
function fill(items, exact, problem) {
  const texts = new Map();
  keys(exact).forEach((key, at) => texts.set(key, exact[at].text));
  const all = keys(items.map(({ entry }) => entry));
  items.forEach(({ entry, text }, at) => {
    const whole = texts.get(all[at]);
    text.classList.toggle('beginning', typeof whole !== 'string');
    say(text, typeof whole === 'string' ? whole : `${entry.preview}\n\n(${problem || 'only its beginning is known'})`);
  });
}

function outcomes(items) {
  const times = { kept: 0, cut: 0, dropped: 0 };
  items.forEach(({ entry }) => (times[entry.outcome] += 1));
  return Object.entries(times)
    .filter(([, n]) => n)
    .map(([word, n]) => `${n} ${word}`)
    .join(', ');
}

/**
 * A receipt as a bar that opens. `exact()` promises the items with their texts; it is asked when a
 * section is opened for the first time.
 */
export function budget(receipt, exact) {
  const names = keys(receipt.items);
  const all = receipt.items.map((entry, at) => item(entry, names[at]));
  const boxes = new Map();
  const open = (name) => {
    const box = boxes.get(name);
    if (!box) return;
    box.open = true;
    box.scrollIntoView({ block: 'nearest' });
  };
  let asked = false;
  const ask = () => {
    if (asked) return;
    asked = true;
    all.forEach(({ text }) => say(text, '…'));
    exact().then(
      (items) => fill(all, items),
      (error) => fill(all, [], error.message),
    );
  };
  const line = ({ name, label, tokens }) => {
    const mine = all.filter(({ entry }) => entry.section === name);
    const head = [
      el('span', { class: `swatch ${name}`, 'aria-hidden': 'true' }),
      el('span', { class: 'label' }, label),
      el('span', { class: 'num' }, number(tokens)),
      el('span', { class: 'num quiet' }, percent(tokens, receipt.window)),
      el('span', { class: 'quiet grow' }, outcomes(mine)),
    ];
    if (!mine.length) return el('div', { class: 'section flat' }, head);
    const box = el('details', { class: 'section', 'data-key': name }, el('summary', {}, head), el('ol', {}, mine.map(({ node }) => node)));
    const own = mine.filter(({ entry }) => entry.id !== 'frame');
    if (own.length === 1) own[0].box.open = true;
    box.addEventListener('toggle', ask, { once: true });
    boxes.set(name, box);
    return box;
  };

  const shown = parts(receipt);
  const { total_tokens: total, exhausted } = receipt.budget;
  const enlarged = total < receipt.window * ENLARGE_BELOW;
  const reused = typeof receipt.reusable_prefix === 'number' ? `${Math.round(receipt.reusable_prefix * 100)} % begins like the one before` : undefined;
  return el(
    'div',
    { class: 'budget' },
    el(
      'p',
      { class: 'total' },
      el('b', {}, number(total)),
      ` of ${count(receipt.window, 'token')} for this answer · ${percent(total, receipt.window)}`,
      exhausted && el('span', { class: 'warn' }, ' · no room for all of it'),
    ),
    bar(shown, receipt.window, open),
    enlarged && [el('p', { class: 'quiet lens' }, 'what is used, enlarged'), bar(shown.slice(0, SECTIONS.length), total, open)],
    el('div', { class: 'sections' }, shown.map(line)),
    el('dl', {}, fact('counted by', `${receipt.counter}${receipt.exact ? ', exact' : ', an estimate'}`), fact('reusable', reused)),
    receipt.notes?.length > 0 && el('ul', { class: 'notices' }, receipt.notes.map((note) => el('li', {}, note))),
  );
}
