// What personas, people and channels are called, and a sign in a colour of its own for each of them.

import { path } from './api.js';
import { el } from './dom.js';

/** The angle between the colours of two personas that stand one behind the other: no two are alike for long. */
const GOLDEN = 137.508;

const known = new Map();

/** Takes in the personas of the server, in their order. */
export function meet(personas) {
  known.clear();
  personas.forEach(({ name, display_name: shown }, at) => known.set(name, { shown: shown || name, hue: (150 + at * GOLDEN) % 360 }));
}

/** Whether there is a persona of this name. */
export const isKnown = (name) => known.has(name);

/** The names of all personas, in their order. */
export const everybody = () => [...known.keys()];

/** What a persona is called. */
export const called = (name) => known.get(name)?.shown ?? name;

/** What a persona is called, for a list to choose from: with its name where that is another. */
export const labelled = (name) => (called(name).toLowerCase() === name ? called(name) : `${called(name)} (${name})`);

/** A person's colour, or that of a persona that is gone: always the same. */
function hueOf(id) {
  let hash = 7;
  for (const character of id) hash = (hash * 31 + character.codePointAt(0)) % 3600;
  return hash / 10;
}

/** The first letter of a name, or of both its words. */
function initials(name) {
  const words = name.trim().split(/\s+/);
  const letters = words.length === 2 && words.every((word) => /^\p{L}/u.test(word)) ? words : words.slice(0, 1);
  return letters.map((word) => [...word][0]?.toUpperCase() ?? '').join('') || '?';
}

function sign(id, name, hue, kind) {
  const node = el('span', { class: `sign ${kind}`, 'aria-hidden': 'true' }, initials(name));
  node.style.setProperty('--hue', String(hue ?? hueOf(id)));
  return node;
}

/** A persona's sign: round. */
export const face = (name) => sign(name, called(name), known.get(name)?.hue, 'round');

/** A person's sign: square, so that no colour is needed to tell a person from a persona. */
export const personFace = (id, name) => sign(id, name, undefined, 'square');

/** A persona's name; its short name too where that is another. */
export function nameOf(name) {
  const shown = called(name);
  return [el('b', {}, shown), ...(shown.toLowerCase() === name ? [] : [' ', el('code', { class: 'quiet' }, name)])];
}

/** A persona's sign and name. */
export const nameplate = (name) => [face(name), ...nameOf(name)];

/** What a channel is called: `den`, `den › night`, `discord › 42`. */
export function channelName(key) {
  const [provider, chat, ...thread] = key.split(':');
  const parts = [chat ?? '', thread.join(':')].filter(Boolean);
  if (provider !== 'api' || !parts.length) parts.unshift(provider);
  return parts.join(' › ');
}

/** A picture, or the sign of the name where there is none. */
export const portrait = ({ name, picture }) =>
  picture
    ? el('img', { class: 'portrait', src: path`/api/personas/${name}/picture`, alt: '', loading: 'lazy' })
    : el('span', { class: 'portrait', 'aria-hidden': 'true' }, face(name));
