// Light, dark, or as the system has it.

import { kept } from './kept.js';

const ORDER = ['system', 'light', 'dark'];

function show(button, theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.textContent = `Theme: ${theme}`;
}

/** Makes a button go through the themes and remember the choice. */
export function theme(button) {
  let chosen = kept.get('theme');
  if (!ORDER.includes(chosen)) chosen = 'system';
  show(button, chosen);
  button.addEventListener('click', () => {
    chosen = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length];
    kept.set('theme', chosen);
    show(button, chosen);
  });
}
