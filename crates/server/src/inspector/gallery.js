// The gallery: every persona with its picture, and the import of a file that is dropped on the page. The receipt and the
// card are shown before anything is written.

import { call, path, query } from './api.js';
import { byId, count, el, say } from './dom.js';
import { called, portrait } from './names.js';

const FATES = { effective: '●', kept: '○', refused: '✕' };

/** What becomes of each field, as a table. */
function receipt(lines) {
  const row = ({ field, fate, reason }) =>
    el('tr', {}, el('th', { scope: 'row' }, el('code', {}, field)), el('td', {}, el('span', { 'aria-hidden': 'true' }, FATES[fate]), ` ${fate}`), el('td', {}, reason));
  const head = el('tr', {}, ['field', 'fate', 'where or why'].map((name) => el('th', { scope: 'col' }, name)));
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Receipt' }, el('table', {}, el('thead', {}, head), el('tbody', {}, lines.map(row))));
}

/** The picture of a preview as an address of this page. */
function pictured({ picture }) {
  const bytes = picture && Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
  return bytes && URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
}

/** One persona of the file. */
function preview(persona, picture, isBook) {
  const { display_name: name, description, greetings, prompt, lorebook_entries: entries, knowledge, receipt: lines } = persona;
  const facts = [
    greetings.length && count(greetings.length, 'greeting'),
    entries && count(entries, 'lorebook entry', 'lorebook entries'),
    knowledge && count(knowledge, 'memory', 'memories'),
  ].filter(Boolean);
  return el('section', {},
    el('div', { class: 'row head' }, picture && el('img', { class: 'portrait', src: picture, alt: '' }), el('div', { class: 'grow' }, el('h3', {}, name), el('p', { class: 'quiet' }, [description, facts.join(', ')].filter(Boolean).join(' · ')))),
    greetings[0] && el('blockquote', {}, greetings[0]),
    !isBook && el('details', {}, el('summary', {}, 'Prompt'), el('pre', { tabindex: 0 }, prompt)),
    receipt(lines));
}

/**
 * Makes gallery and import work. `opens(name)` shows a persona's card, `imported(name)` hears of a new persona. Returns
 * `refresh()`.
 */
export function gallery({ opens, imported }) {
  const dialog = byId('import');
  const chooser = byId('import-file');

  const send = (file, shown) =>
    call('POST', '/api/personas/import' + query({ file: file.name, preview: shown }), undefined, { raw: file });

  /** The choice of the persona that gets a lorebook. */
  async function readers() {
    const { personas } = await call('GET', '/api/personas');
    const options = personas.map(({ name }) => el('option', { value: name }, called(name)));
    return el('select', { 'aria-label': 'Persona that gets the lorebook' }, options);
  }

  async function take(file, { folder = false, others = 0 } = {}) {
    const close = el('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel');
    const title = el('h2', { id: 'import-title' }, `Import ${file.name}`);
    const said = el('p', { role: 'status' }, 'Reading …');
    dialog.replaceChildren(title, said, el('div', { class: 'row' }, close));
    if (!dialog.open) dialog.showModal();
    if (folder) {
      said.className = 'problem';
      say(said, 'A folder cannot be read here: drop a zip archive of it, or run greenroom persona import with its path.');
      return;
    }
    try {
      const { format, personas } = await send(file, true);
      const pictures = personas.map(pictured);
      dialog.addEventListener('close', () => pictures.forEach((picture) => picture && URL.revokeObjectURL(picture)), { once: true });
      const [first] = personas;
      const isThere = personas.every((persona) => persona.is_there);
      const reader = format === 'lorebook' && (await readers());
      const add = async () => {
        await call('POST', path`/api/personas/${reader.value}/lorebooks` + query({ file: file.name }), undefined, { raw: file });
        return reader.value;
      };
      const make = async () => (await send(file, false)).personas[0].name;
      const write = el('button', { type: 'button', class: 'primary', onclick: async () => {
        write.disabled = true;
        try {
          const name = await (reader ? add() : make());
          dialog.close();
          imported(name);
        } catch (error) {
          say(said, error.message);
          write.disabled = false;
        }
      } }, reader ? 'Add' : isThere ? `Show ${first.display_name}` : 'Import');
      const rest = others ? ` One file is read at a time: drop the other ${others === 1 ? 'one' : others} again.` : '';
      say(said, isThere ? `${format}. This file was imported before, as ${first.name}. Nothing will be written.${rest}` : `${format}. Nothing is written yet.${rest}`);
      dialog.replaceChildren(title, said, ...personas.map((persona, n) => preview(persona, pictures[n], Boolean(reader))), el('div', { class: 'row' }, [close, reader, write].filter(Boolean)));
      // the card is at the top, and is seen first
      write.focus({ preventScroll: true });
      dialog.scrollTop = 0;
    } catch (error) {
      said.className = 'problem';
      say(said, error.message);
    }
  }

  byId('choose-file').addEventListener('click', () => chooser.click());
  chooser.addEventListener('change', () => {
    if (chooser.files[0]) take(chooser.files[0]);
    chooser.value = '';
  });
  document.addEventListener('dragover', (event) => event.dataTransfer?.types.includes('Files') && event.preventDefault());
  document.addEventListener('drop', (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    const folder = event.dataTransfer.items[0]?.webkitGetAsEntry?.()?.isDirectory;
    take(file, { folder, others: event.dataTransfer.files.length - 1 });
  });

  return async function refresh() {
    try {
      const { personas } = await call('GET', '/api/personas');
      say(byId('gallery-said'), count(personas.length, 'persona'));
      byId('gallery-list').replaceChildren(...personas.map((persona) =>
        el('li', {}, el('button', { type: 'button', class: 'plain', onclick: () => opens(persona.name) },
          portrait(persona), el('b', {}, called(persona.name)), el('span', { class: 'quiet' }, persona.description)))));
    } catch (error) {
      say(byId('gallery-said'), error.message);
    }
  };
}
