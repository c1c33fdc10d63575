// The gallery of personas, and imports.

import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';

const CARD = {
  spec: 'chara_card_v2', spec_version: '2.0',
  data: {
    name: 'Nova <img src=x onerror=window.pwned=1>', description: 'Flies.', first_mes: 'Welcome <b>aboard</b>, {{user}}.', tags: ['space'],
    character_book: { entries: [{ keys: ['engine'], content: 'It hums.', enabled: true, insertion_order: 1 }] },
  },
};

/** A picture of one pixel with the card in a text chunk. */
function picture() {
  const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  const text = Buffer.concat([Buffer.from('tEXtchara\0'), Buffer.from(Buffer.from(JSON.stringify(CARD)).toString('base64'))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length - 4);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(text));
  const end = pixel.length - 12;
  return Buffer.concat([pixel.subarray(0, end), length, text, sum, pixel.subarray(end)]);
}

/** Drops a file on the page, as a person does. */
const drop = (page, name, text) =>
  page.evaluate(([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: 'application/json' }));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, text]);

const names = (page) => page.evaluate(async () => (await (await fetch('/api/personas')).json()).personas.map(({ name }) => name));

export const scenes = {
  async drops({ open, live }) {
    const page = await open();
    await live(page);
    await drop(page, 'nova.json', JSON.stringify(CARD));
    await page.locator('#import [role=status]', { hasText: 'Character Card V2. Nothing is written yet.' }).waitFor();
    await page.locator('#import tr', { hasText: 'tags' }).filter({ hasText: 'kept' }).waitFor();
    await page.locator('#import tr', { hasText: 'description' }).filter({ hasText: 'effective' }).waitFor();
    await page.locator('#import .head', { hasText: '1 lorebook entry' }).waitFor();
    assert.equal(await page.locator('#import h3').innerText(), CARD.data.name, 'the name as it is written');
    assert.equal(await page.locator('#import blockquote').textContent(), 'Welcome <b>aboard</b>, {{user}}.');
    await page.locator('#import').getByRole('button', { name: 'Cancel' }).click();
    const fields = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`unheard_of_${n}`, n]));
    await drop(page, 'long.json', JSON.stringify({ ...CARD, data: { ...CARD.data, ...fields } }));
    await page.locator('#import tr', { hasText: 'unheard_of_79' }).waitFor();
    const inSight = (part) => part.evaluate((it) => {
      const { top, bottom } = it.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    assert.ok(await inSight(page.locator('#import .head')), 'the card is seen first');
    assert.ok(await inSight(page.locator('#import').getByRole('button', { name: 'Import', exact: true })), 'and the choice with it');
    await page.locator('#import').getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual((await names(page)).filter((name) => name.startsWith('nova')), [], 'nothing was written');
    await drop(page, 'bad.json', '{"name": }');
    await page.locator('#import .problem', { hasText: '1:10: no valid JSON' }).waitFor();
    assert.equal(await page.evaluate(() => window.pwned), undefined);
  },

  async imports({ open, live }) {
    const page = await open();
    await live(page);
    await page.click('#open-gallery');
    await page.locator('#gallery-list li').nth(1).waitFor();
    await page.setInputFiles('#import-file', { name: 'nova.png', mimeType: 'image/png', buffer: picture() });
    await page.locator('#import img.portrait').waitFor();
    await page.locator('#import').getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('#card h2', { hasText: 'Nova' }).waitFor();
    await page.waitForFunction(() => document.querySelector('#card .portrait')?.naturalWidth === 1);
    await page.press('#card', 'Escape');
    const shown = page.locator('#gallery-list li', { hasText: 'Nova' }).locator('img');
    await shown.waitFor();
    await page.waitForFunction((image) => image.naturalWidth === 1, await shown.elementHandle());
    await page.locator('#cast-list', { hasText: 'Nova' }).waitFor();
    await page.setInputFiles('#import-file', { name: 'nova.png', mimeType: 'image/png', buffer: picture() });
    await page.locator('#import [role=status]', { hasText: 'This file was imported before, as nova' }).waitFor();
    await page.locator('#import').getByRole('button', { name: 'Show Nova' }).click();
    await page.locator('#card h2', { hasText: 'Nova' }).waitFor();
    assert.equal((await names(page)).filter((name) => name.startsWith('nova')).length, 1, 'the same file makes no second persona');
    await page.locator('#card').getByRole('button', { name: 'Talk alone' }).click();
    await page.locator('#talk-title', { hasText: 'host › nova' }).waitFor();
    await live(page);
    const [nova] = (await names(page)).filter((name) => name.startsWith('nova'));
    assert.equal(await page.inputValue('#persona'), nova);
    await page.click('#open-memories');
    await page.selectOption('#memory-persona', nova);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
  },

  async chooses({ open, live }) {
    const page = await open();
    await live(page);
    const card = { ...CARD, data: { ...CARD.data, name: 'Captain', alternate_greetings: ['Ahoy, {{user}}.'] } };
    await drop(page, 'captain.json', JSON.stringify(card));
    await page.locator('#import').getByRole('button', { name: 'Import', exact: true }).click();
    await page.locator('#card h2', { hasText: 'Captain' }).waitFor();
    await page.locator('#card summary', { hasText: '2 first messages' }).click();
    await page.locator('#card li', { hasText: 'Ahoy' }).getByRole('button', { name: 'Begin with this' }).click();
    await page.locator('#card [role=status]', { hasText: 'Begin with this: done' }).waitFor();
    await page.waitForFunction(async () => {
      const { greeting } = await (await fetch('/api/personas/captain')).json();
      return greeting.startsWith('Ahoy');
    });
    await page.press('#card', 'Escape');
    await drop(page, 'world.json', JSON.stringify({ entries: { 0: { key: ['castle'], content: 'It is old.' } } }));
    await page.locator('#import [role=status]', { hasText: 'lorebook. Nothing is written yet.' }).waitFor();
    await page.selectOption('#import select', 'captain');
    await page.locator('#import').getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('#card h2', { hasText: 'Captain' }).waitFor();
  },
};
