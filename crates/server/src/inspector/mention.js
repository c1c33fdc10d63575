// Mention completion: `@` and a few letters offer the personas whose names begin so.

import { el } from './dom.js';
import { called, everybody, nameplate } from './names.js';

/** How many are offered at a time. */
const MOST = 8;

/**
 * A text without code and quoted lines, as the server reads mentions; a text that is a quotation as a whole is read.
 */
function unquoted(text) {
  const open = text.replace(/(`+)([\s\S]*?)\1/g, ' ').split('\n');
  const said = open.filter((line) => !/^\s*>/.test(line));
  return (said.some((line) => line.trim()) ? said : open).join('\n');
}

/** Whether a text mentions a persona by its name. */
export function mentionsAny(text) {
  const words = unquoted(text).toLowerCase().matchAll(/(?:^|[^\p{L}\p{N}_])@([\p{L}\p{N}_-]+)/gu);
  return [...words].some(([, word]) => everybody().some((name) => name === word || called(name).toLowerCase().split(/\s+/)[0] === word));
}

/** The `@` before the caret with what follows it, or nothing. */
function begun(field) {
  const before = field.value.slice(0, field.selectionStart);
  const [, start, word] = /(^|[^\p{L}\p{N}_])@([\p{L}\p{N}_-]*)$/u.exec(before) ?? [];
  return word === undefined ? null : { at: before.length - word.length - 1, word: word.toLowerCase(), start };
}

/** The personas a word may mean, those who are here first. */
function meant(word, here) {
  const fits = (name) => name.startsWith(word) || called(name).toLowerCase().split(/\s+/).some((part) => part.startsWith(word));
  const all = everybody().filter(fits);
  return [...all.filter((name) => here.has(name)), ...all.filter((name) => !here.has(name))].slice(0, MOST);
}

/**
 * Makes a field complete mentions in a list. `here()` gives the names of the personas in the channel. Returns
 * `key(event)`, which says whether the list took the key, and `close()`.
 */
export function mentions(field, list, here) {
  let offered = [];
  let chosen = 0;

  function show() {
    list.hidden = offered.length === 0;
    list.replaceChildren(...offered.map((name, at) =>
      el('li', { role: 'option', id: `mention-${at}`, 'aria-selected': String(at === chosen), onpointerdown: (event) => (event.preventDefault(), take(at)) }, nameplate(name), here().has(name) && el('span', { class: 'quiet' }, ' · here'))));
    if (list.hidden) field.removeAttribute('aria-activedescendant');
    else field.setAttribute('aria-activedescendant', `mention-${chosen}`);
  }

  function close() {
    offered = [];
    show();
  }

  function look() {
    const found = begun(field);
    offered = found ? meant(found.word, here()) : [];
    // a whole name needs no list
    if (offered.length === 1 && offered[0] === found.word) offered = [];
    chosen = 0;
    show();
  }

  function take(at) {
    const found = begun(field);
    const name = offered[at];
    close();
    if (!found || !name) return;
    field.setRangeText(`@${name} `, found.at, field.selectionStart, 'end');
    field.dispatchEvent(new Event('input'));
    field.focus();
  }

  field.addEventListener('input', look);
  field.addEventListener('blur', close);

  function key(event) {
    if (!offered.length) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      chosen = (chosen + step + offered.length) % offered.length;
      show();
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      take(chosen);
    } else if (event.key === 'Escape') {
      close();
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }
  return { key, close };
}
