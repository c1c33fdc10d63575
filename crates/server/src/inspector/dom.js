// Elements made of text and nothing else. Whatever comes from outside becomes a text node or an
// attribute that cannot act; nothing on this page is ever parsed as HTML.

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * An element. `attributes` are set as they stand, `on…` are listeners; null, undefined and false are
 * left out, among children too. Texts become text nodes.
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  // before the attributes: with dir=auto a browser reads the whole text again for every child that comes
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  return node;
}

/** Whether a key belongs to an input method: in Safari the Enter that ends a composition comes after it, as key 229. */
export const composes = (event) => event.isComposing || event.keyCode === 229;

/** Copies a text; gives whether it could. Only a page over HTTPS, or of this machine, has a clipboard of its own. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const field = el('textarea', { class: 'unseen', 'aria-hidden': 'true' });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    focused?.focus({ preventScroll: true });
    return done;
  }
}

/** Shows a text in an element, or hides what it said before. */
export function say(node, text = '') {
  node.textContent = text;
}

/** A term and what it is, for a `<dl>`; left out where there is nothing to say. */
export function fact(term, value) {
  if (value === null || value === undefined || value === '') return null;
  return el('div', {}, el('dt', {}, term), el('dd', {}, value instanceof Node ? value : String(value)));
}

/** `12,345`. */
export const number = (value) => Number(value ?? 0).toLocaleString('en');

/** An amount of money, `1.50` or `0.00045`: to a millionth, as it is counted. */
export const money = (amount) => amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });

/** `12 tokens`, `1 token`. */
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/** A share of a whole, `12 %`; anything above nothing is at least `<1 %`. */
export function percent(part, whole) {
  if (!whole || !part) return '0 %';
  const share = (part / whole) * 100;
  return share < 1 ? '<1 %' : `${Math.round(share)} %`;
}

/** A score between 0 and 1 with a bar beside it. */
export function score(value) {
  if (typeof value !== 'number') return null;
  const bar = el('span', { class: 'score-bar', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', String(Math.max(0, Math.min(1, value))));
  return el('span', { class: 'score', title: 'relevance, 0 to 1' }, value.toFixed(2), bar);
}

/** A moment of the API, microseconds since 1970, as a `<time>`: the day only where it is not today. */
export function time(microseconds) {
  const date = new Date(microseconds / 1000);
  const today = date.toDateString() === new Date().toDateString();
  const clock = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const day = date.toLocaleDateString('en-CA');
  return el('time', { datetime: date.toISOString(), title: date.toLocaleString() }, today ? clock : `${day} ${clock}`);
}

/** The time of day of a moment of the API, with the whole moment as its title. */
export function clock(microseconds) {
  const date = new Date(microseconds / 1000);
  const text = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return el('time', { datetime: date.toISOString(), title: date.toLocaleString() }, text);
}

/** The day of a moment in words: `Today`, `Yesterday`, `Monday, 3 March 2025`. */
export function day(microseconds) {
  const date = new Date(microseconds / 1000);
  const back = (days) => new Date(Date.now() - days * 86_400_000).toDateString();
  if (date.toDateString() === back(0)) return 'Today';
  if (date.toDateString() === back(1)) return 'Yesterday';
  return date.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
}

/** Fills a `<select>` and keeps its choice where it is still offered. */
export function offer(select, options, chosen = select.value) {
  select.replaceChildren(...options.map(({ value, label }) => el('option', { value }, label)));
  if (options.some(({ value }) => value === chosen)) select.value = chosen;
}
