// What the personas are called, and a sign that tells one from another.

import { el } from './dom.js';

/** How many colours there are in the style sheet. */
const COLOURS = 6;

const known = new Map();

/** Takes in the personas of the server, in their order. */
export function meet(personas) {
  personas.forEach(({ name, display_name: shown }, at) => known.set(name, { shown: shown || name, colour: at % COLOURS }));
}

/** Whether there is a persona of this name. */
export const isKnown = (name) => known.has(name);

/** What a persona is called. */
export const called = (name) => known.get(name)?.shown ?? name;

/** What a persona is called, for a list to choose from: with its name where that is another. */
export const labelled = (name) => (called(name).toLowerCase() === name ? called(name) : `${called(name)} (${name})`);

/** A persona's sign and name; its short name too where that is another. */
export function nameplate(name) {
  const shown = called(name);
  const sign = el('span', { class: `sign colour-${known.get(name)?.colour ?? 0}`, 'aria-hidden': 'true' }, [...shown][0]?.toUpperCase() ?? '?');
  return [sign, el('b', {}, shown), ...(shown.toLowerCase() === name ? [] : [' ', el('code', { class: 'quiet' }, name)])];
}
