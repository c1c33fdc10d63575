// Memories on the page.

import assert from 'node:assert/strict';

async function add(page, text, scope = 'channel') {
  if (await page.isHidden('#memories')) await page.click('#open-memories');
  if (!(await page.locator('#add').evaluate((box) => box.open))) await page.click('#add > summary');
  await page.fill('#add-text', text);
  await page.selectOption('#add-scope', scope);
  await page.click('#add-form button');
  await page.locator('#memory-said', { hasText: 'Remembered as m' }).waitFor();
  await cards(page).filter({ hasText: text }).waitFor();
}

const cards = (page) => page.locator('#memory-list .memory');

export const scenes = {
  async lives({ open, live }) {
    const page = await open();
    await live(page);
    await add(page, 'the deploy window is Tuesday', 'global');
    await add(page, 'the office cat is called Turing');
    await page.reload();
    await cards(page).nth(1).waitFor();

    await page.fill('#query', 'deploy window');
    await page.press('#query', 'Enter');
    await page.locator('#memory-said', { hasText: 'for “deploy window”' }).waitFor();
    assert.match(await cards(page).first().locator('.text').textContent(), /deploy window is Tuesday/);
    assert.match(await cards(page).first().locator('.score').textContent(), /^\d\.\d\d$/);

    await cards(page).first().getByRole('button', { name: 'Edit' }).click();
    await page.locator('.memory textarea').fill('the deploy window is Wednesday');
    await page.click('.memory button.primary');
    await page.locator('#memory-said', { hasText: 'version 2' }).waitFor();
    assert.equal(await cards(page).first().locator('.text').textContent(), 'the deploy window is Wednesday');
    await page.reload();
    await page.locator('.memory .text', { hasText: 'Wednesday' }).waitFor();
    assert.equal(await page.locator('.memory .text', { hasText: 'Tuesday' }).count(), 0);

    const cat = cards(page).filter({ hasText: 'Turing' });
    await cat.getByRole('button', { name: 'Forget' }).click();
    await page.locator('#confirm', { hasText: 'Turing' }).waitFor();
    await page.press('#confirm', 'Escape');
    assert.equal(await cat.count(), 1, 'Escape keeps it');
    await cat.getByRole('button', { name: 'Forget' }).click();
    await page.click('#confirm button[value=yes]');
    await page.locator('#memory-said', { hasText: /m\d+ is forgotten, with \d+ vectors? and \d+ relations?/ }).waitFor();
    assert.equal(await cat.count(), 0);
    await page.reload();
    await cards(page).first().waitFor();
    assert.equal(await cat.count(), 0, 'and it stays forgotten');
  },

  /** A search within a scope finds what is there, and the list tells how much of it is shown. */
  async within({ open, live }) {
    const page = await open();
    await live(page);
    await page.evaluate(async () => {
      const add = (text, scope) => fetch('/api/personas/ada/memories?channel=api:host', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text, scope }) });
      for (let n = 0; n < 204; n += 1) await add(`The harbour has ship number ${n}`, 'global');
      await add('Jo hid the harbour key under the third ship', 'channel');
    });
    await page.click('#open-memories');
    await page.locator('#memory-said', { hasText: 'the newest 200 memories' }).waitFor();
    await page.getByRole('button', { name: 'More memories' }).click();
    await page.locator('#memory-said', { hasText: /^205 memories$/ }).waitFor();
    assert.equal(await cards(page).count(), 205);
    await page.selectOption('#scope', 'channel');
    await page.fill('#query', 'harbour ship');
    await page.press('#query', 'Enter');
    await page.locator('#memory-said', { hasText: '1 memory for “harbour ship”' }).waitFor();
    assert.match(await cards(page).locator('.text').textContent(), /harbour key/);
    await page.fill('#query', 'zebra');
    await page.press('#query', 'Enter');
    await page.locator('#memory-said', { hasText: '0 memories for “zebra” · the nearest are below the threshold:' }).waitFor();
    assert.equal(await cards(page).count(), 1);
  },

  /** Forgetting names the message that stays. */
  async stays({ open, live, converse }) {
    const page = await open();
    await live(page);
    await converse(page, 'Remember that my harbour pass is number 77');
    await page.click('#open-memories');
    await cards(page).filter({ hasText: 'number 77' }).getByRole('button', { name: 'Forget' }).click();
    await page.locator('#confirm', { hasText: 'The message that it was learned from, msg:1, stays in its channel.' }).waitFor();
    await page.click('#confirm button[value=yes]');
    await page.locator('#memory-said', { hasText: 'is forgotten' }).waitFor();
    assert.equal(await cards(page).count(), 0);
  },

  async shares({ open, live, converse }) {
    const page = await open();
    await live(page);
    await converse(page, 'Remember that my sister is called Nell.');
    await page.click('#open-memories');
    const card = cards(page).filter({ hasText: 'Nell' });
    await card.locator('.about', { hasText: 'known one to one with' }).waitFor();
    await card.getByRole('button', { name: 'Let others know' }).click();
    await page.locator('#memory-said', { hasText: 'in groups too' }).waitFor();
    await card.getByRole('button', { name: 'Keep private' }).click();
    await page.locator('#memory-said', { hasText: 'one to one alone' }).waitFor();
    await card.locator('.about', { hasText: 'known one to one with' }).waitFor();
  },

  async explains({ open, live }) {
    const page = await open();
    await live(page);
    await page.click('#open-memories');
    const persona = await page.inputValue('#memory-persona');
    for (let n = 1; n <= 12; n++) {
      const body = JSON.stringify({ text: `neighbour number ${n} sells apples at the market`, scope: 'global' });
      const added = ([name, body]) =>
        fetch(`/api/personas/${name}/memories`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
          .then(({ status }) => status);
      assert.ok((await page.evaluate(added, [persona, body])) < 300);
    }
    await page.click('#explain');
    await page.locator('#memory-said', { hasText: 'Write a question' }).waitFor();
    await page.fill('#query', 'who sells apples?');
    await page.click('#explain');
    await page.locator('#memory-said', { hasText: 'more are near' }).waitFor();
    const near = cards(page).filter({ hasText: 'Not recalled' });
    assert.match(await near.first().textContent(), /of its source, and memory\.knowledge\.limit is \d+/);
    const text = await near.first().locator('.text').textContent();
    await near.first().getByRole('button', { name: 'Let this be found' }).click();
    const found = cards(page).filter({ hasText: `${text} (about: who sells apples)` });
    await found.waitFor();
    assert.doesNotMatch(await found.textContent(), /Not recalled/);
  },

  async off_once({ open, live, converse, why }) {
    const page = await open();
    await live(page);
    await add(page, 'the deploy window is Tuesday', 'global');
    await page.click('#close-memories');
    await page.check('#forgetful');
    const without = await converse(page, 'When is the deploy window?');
    assert.doesNotMatch(await without.locator('.trace').textContent(), /recalled/);
    assert.equal(await page.isChecked('#forgetful'), false, 'off for one message');
    await why(without);
    await page.locator('#turn .part.context .notices', { hasText: 'memory is switched off for it' }).waitFor({ state: 'attached' });
    const recalled = await converse(page, 'When is the deploy window, again?');
    assert.match(await recalled.locator('.trace').textContent(), /recalled/);
    await why(recalled);
    const first = page.locator('#turn .part.recall li', { hasText: 'the deploy window is Tuesday' });
    assert.match(await first.locator('.score').textContent(), /^[01]\.\d\d$/);
    assert.match(await first.locator('.about').textContent(), /m1/);
  },
};
