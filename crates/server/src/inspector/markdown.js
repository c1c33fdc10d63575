// Markdown of a reply as elements: paragraphs, headings, lists, quotes, tables, code, emphasis, links.
//
// Our own, since the page's policy lets nobody parse HTML, which is what the libraries hand out. It only
// makes elements and text nodes: HTML in a reply stays text, an image becomes a link to it, and a link
// leads to http, https or mailto and nowhere else.

import { el } from './dom.js';

/** Longer texts are shown as they are. */
const LONGEST = 100_000;
/** Lists and quotes in each other, emphasis in emphasis. */
const DEEPEST = 6;
/** Lines of a table, beyond which it is shown as text. */
const MOST_ROWS = 500;

// Every pattern reads each character a bounded number of times: a reply may be written to be slow.
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+)(?=\S)/;
const blank = (line) => !/\S/.test(line);

/** The nodes of a text. */
export function markdown(text) {
  if (text.length > LONGEST) return [text];
  return blocks(text.split('\n'), 0);
}

/** The direction of the first letter of some lines: dir=auto does not read what is in blocks that have a direction of their own. */
function direction(lines) {
  const [letter] = /\p{L}/u.exec(lines.find((line) => /\p{L}/u.test(line))) ?? [];
  return letter && (/[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(letter) ? 'rtl' : 'ltr');
}

/** Where a link leads, if it may be followed. */
export function target(address) {
  try {
    const { protocol, href } = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : null;
  } catch {
    return null;
  }
}

function blocks(lines, depth) {
  const nodes = [];
  for (let at = 0; at < lines.length; ) {
    if (blank(lines[at])) {
      at += 1;
      continue;
    }
    const read = depth < DEEPEST ? BLOCKS.map((block) => block(lines, at, depth)).find(Boolean) : null;
    const [node, next] = read ?? paragraph(lines, at, depth);
    nodes.push(node);
    at = next;
  }
  return nodes;
}

/** Each reads a block at a line: its element and the line behind it; null where there is none. */
const BLOCKS = [fenced, heading, rule, quote, table, list];

function fenced(lines, at) {
  const [whole, fence] = FENCE.exec(lines[at]) ?? [];
  if (!fence || lines[at].includes('`', whole.length)) return null;
  const [language] = lines[at].slice(whole.length).trim().split(/\s/);
  const closes = (line) => line.trim().startsWith(fence) && !line.trim().replaceAll(fence[0], '');
  let end = at + 1;
  while (end < lines.length && !closes(lines[end])) end += 1;
  const code = lines.slice(at + 1, end).join('\n');
  const label = language ? `Code, ${language}` : 'Code';
  return [el('pre', { class: 'code', dir: 'ltr', tabindex: 0, 'aria-label': label }, el('code', {}, code)), end + 1];
}

function heading(lines, at) {
  const [whole, marks] = HEADING.exec(lines[at]) ?? [];
  if (!marks) return null;
  const text = lines[at].slice(whole.length).trim();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  // a level below the conversation's own, whatever the reply begins with
  return [el('p', { class: `heading h${marks.length}`, dir: 'auto', role: 'heading', 'aria-level': 3 }, inline(text.slice(0, end).trim(), 0)), at + 1];
}

function rule(lines, at) {
  return RULE.test(lines[at]) ? [el('hr'), at + 1] : null;
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  if (end === at) return null;
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return [el('blockquote', { dir: direction(inside) }, blocks(inside, depth + 1)), end];
}

function cells(line) {
  const inner = line.trim().replace(/^\|/, '').replace(/(^|[^\\])\|$/, '$1');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const divides = (line) => /^[\s|:-]+$/.test(line) && cells(line).every((cell) => /^:?-+:?$/.test(cell));

function table(lines, at) {
  if (!lines[at].includes('|') || !divides(lines[at + 1] ?? '')) return null;
  const head = cells(lines[at]);
  if (cells(lines[at + 1]).length !== head.length) return null;
  let end = at + 2;
  while (end < lines.length && lines[end].includes('|') && !blank(lines[end])) end += 1;
  if (end - at > MOST_ROWS) return null;
  const row = (line) => {
    const all = cells(line);
    return el('tr', {}, head.map((_, n) => el('td', { dir: 'auto' }, inline(all[n] ?? '', 0))));
  };
  const top = el('tr', {}, head.map((cell) => el('th', { scope: 'col', dir: 'auto' }, inline(cell, 0))));
  const body = lines.slice(at + 2, end).map(row);
  return [
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table' },
      el('table', { dir: direction(lines.slice(at, end)) }, el('thead', {}, top), el('tbody', {}, body))),
    end,
  ];
}

const ordered = (mark) => /\d/.test(mark);

function list(lines, at, depth) {
  const [, { length: margin }, mark] = ITEM.exec(lines[at]) ?? [, '', null];
  if (!mark) return null;
  const items = [];
  let end = at;
  while (end < lines.length) {
    const [whole, { length: left }, own] = ITEM.exec(lines[end]) ?? ['', '', null];
    // what stands two columns further in is part of the item
    const inner = left >= margin + 2 && items.length > 0;
    if (own && !inner && ordered(own) === ordered(mark)) {
      items.push([lines[end].slice(whole.length)]);
      items.at(-1).indent = whole.length;
    } else if (blank(lines[end])) {
      const next = lines[end + 1] ?? '';
      if (!ITEM.test(next) && !/^ {2,}\S/.test(next)) break;
      items.at(-1).push('');
    } else if (/^\s/.test(lines[end])) {
      const { indent } = items.at(-1);
      items.at(-1).push(lines[end].replace(new RegExp(`^ {0,${indent}}`), ''));
    } else if (own || starts(lines, end)) {
      break;
    } else {
      items.at(-1).push(lines[end]);
    }
    end += 1;
  }
  const entry = (inside) => {
    const nodes = blocks(inside, depth + 1);
    // one paragraph is the item itself
    return el('li', {}, nodes.length && nodes[0].className === 'para' ? [...nodes[0].childNodes, ...nodes.slice(1)] : nodes);
  };
  const start = ordered(mark) ? Number.parseInt(mark, 10) : null;
  return [el(start === null ? 'ul' : 'ol', { dir: direction(lines.slice(at, end)), start: start === 1 ? null : start }, items.map(entry)), end];
}

/** Whether a line begins a block that ends a paragraph. */
function starts(lines, at) {
  return [FENCE, HEADING, RULE, QUOTE].some((block) => block.test(lines[at]));
}

function paragraph(lines, at, depth) {
  let end = at + 1;
  const ends = () => blank(lines[end]) || (depth < DEEPEST && (starts(lines, end) || ITEM.test(lines[end])));
  while (end < lines.length && !ends()) end += 1;
  return [el('p', { class: 'para', dir: 'auto' }, inline(lines.slice(at, end).join('\n'), 0)), end];
}

const MARKS = { '**': 'strong', __: 'strong', '~~': 's', '*': 'em', _: 'em' };
const SPECIAL = /[\\`*_~![<h]/g;
const ESCAPED = /[!-/:-@[-`{-~]/;
const LINK = /!?\[([^[\]]{0,1000})\]\(\s{0,9}(<[^<>\s]{0,2000}>|[^\s()]{0,2000}(?:\([^\s()]{0,99}\)[^\s()]{0,99}){0,9})(?:\s{1,9}"[^"]{0,500}")?\s{0,9}\)/y;
const BARE = /https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}*_~]/y;
const ANGLE = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y;
const word = (c) => c !== undefined && /[\p{L}\p{N}]/u.test(c);

function link(address, ...content) {
  const href = target(address);
  return href ? el('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, content) : null;
}

/** The nodes of a line's text. Marks that are not closed are text. In the label of a link, `isLabel`, no other link begins. */
function inline(text, depth, isLabel = false) {
  const nodes = [];
  // from where on a mark does not come again, so that each is looked for once
  const none = new Map();
  const next = (mark, from) => {
    if (from >= (none.get(mark) ?? Infinity)) return -1;
    const at = text.indexOf(mark, from);
    if (at < 0) none.set(mark, from);
    return at;
  };
  const sticky = (pattern, at) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  let plain = '';
  const push = (node) => {
    if (plain) nodes.push(plain);
    plain = '';
    nodes.push(node);
  };

  /** Reads something at a special character: gives where it ends, or nothing where it is text. */
  function special(at) {
    const c = text[at];
    if (c === '\\') {
      if (!ESCAPED.test(text[at + 1] ?? '')) return 0;
      plain += text[at + 1];
      return at + 2;
    }
    if (c === '`') {
      const [run] = /^`+/.exec(text.slice(at, at + 20));
      const end = next(run, at + run.length);
      if (end < 0) return 0;
      const code = text.slice(at + run.length, end);
      const padded = code.startsWith(' ') && code.endsWith(' ') && !blank(code);
      push(el('code', {}, padded ? code.slice(1, -1) : code));
      return end + run.length;
    }
    if (isLabel && 'h<[!'.includes(c)) return 0;
    if (c === 'h' || c === '<') {
      if (c === 'h' && word(text[at - 1])) return 0;
      const found = sticky(c === 'h' ? BARE : ANGLE, at);
      const node = found && link(found[1] ?? found[0], found[1] ?? found[0]);
      if (!node) return 0;
      push(node);
      return at + found[0].length;
    }
    if (c === '[' || c === '!') {
      if (next('](', at) < 0) return 0;
      const found = sticky(LINK, at);
      if (!found) return 0;
      const [whole, label, address] = found;
      const inside = c === '!' ? [`image: ${label || address}`] : depth < DEEPEST ? inline(label, depth + 1, true) : [label];
      const node = link(address.replace(/^<|>$/g, ''), ...inside);
      if (!node) return 0;
      push(node);
      return at + whole.length;
    }
    return emphasis(at);
  }

  function emphasis(at) {
    const mark = MARKS[text.slice(at, at + 2)] ? text.slice(at, at + 2) : text[at];
    const after = text[at + mark.length];
    if (!MARKS[mark] || depth >= DEEPEST || after === undefined || /\s/.test(after)) return 0;
    if (mark[0] === '_' && word(text[at - 1])) return 0;
    let end = next(mark, at + mark.length + 1);
    // `*` ends at a `*` that is no half of a `**`
    for (let tries = 0; mark.length === 1 && end > 0 && text[end + 1] === mark; tries += 1) {
      end = tries < 50 ? next(mark, end + 2) : -1;
    }
    if (end < 0 || /\s/.test(text[end - 1]) || (mark[0] === '_' && word(text[end + mark.length]))) return 0;
    push(el(MARKS[mark], {}, inline(text.slice(at + mark.length, end), depth + 1, isLabel)));
    return end + mark.length;
  }

  for (let at = 0; at < text.length; ) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    const to = found?.index ?? text.length;
    plain += text.slice(at, to);
    if (!found) break;
    const end = special(to);
    if (!end) plain += text[to];
    at = end || to + 1;
  }
  if (plain) nodes.push(plain);
  return nodes;
}
