// How the page looks and acts, whoever looks and whatever stands on it.

import assert from 'node:assert/strict';

const HOSTILE = '<img src=x onerror=window.pwned=1>';

/** Presses Tab until the element has the focus, and checks that the focus can be seen. */
async function tabTo(page, selector, key = 'Tab') {
  for (let steps = 0; steps < 80; steps += 1) {
    await page.keyboard.press(key);
    const there = await page.evaluate((wanted) => document.activeElement.matches(wanted), selector);
    if (!there) continue;
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outline, 'none', `the focus is seen on ${selector}`);
    return;
  }
  assert.fail(`no Tab leads to ${selector}`);
}

export const scenes = {
  async keyboard({ open, live }) {
    const page = await open();
    await live(page);
    const { keyboard } = page;
    await keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip', 'the first stop skips to the message');
    await keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'message');
    await keyboard.type('Hello');
    await keyboard.press('Shift+Enter');
    await keyboard.type('there');
    await keyboard.press('Enter');
    await page.locator('#log .reply[aria-busy=false]').waitFor();
    assert.equal(await page.locator('#log .person .text').textContent(), 'Hello\nthere');
    // the buttons come with the stored messages, and the focus is still where one writes
    await page.locator('#log .reply .trace').waitFor();
    await page.locator('#log .person .trace').waitFor();
    await page.waitForFunction(() => document.activeElement.id === 'message');
    await tabTo(page, '#log .trace', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.locator('#panel').waitFor();
    await tabTo(page, '[role=tab][aria-selected=true]');
    await tabTo(page, 'details.section > summary');
    await keyboard.press('Enter');
    await page.locator('#turn .item pre', { hasText: 'You are Ada' }).waitFor();
    await tabTo(page, '[role=tab][aria-selected=true]', 'Shift+Tab');
    await keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-room');
    assert.ok(await page.isVisible('#room'));
    await keyboard.press('Escape');
    assert.ok(await page.isHidden('#panel'));
    assert.ok(await page.evaluate(() => document.activeElement.matches('.trace')), 'the focus goes back to where it was');
    await keyboard.press('Shift+Tab');
    await tabTo(page, '#log > li, #log', 'Shift+Tab');
    await keyboard.press('End');
    assert.ok(await page.evaluate(() => document.activeElement.matches('#log > li:last-child')), 'arrow keys go from message to message');
    await keyboard.press('ArrowUp');
    assert.ok(await page.evaluate(() => document.activeElement.matches('#log > .person')));
    await tabTo(page, '#open-memories', 'Shift+Tab');
    await keyboard.press('Enter');
    assert.ok(await page.isVisible('#memories'));
    await tabTo(page, '#add > summary');
    await keyboard.press('Enter');
    await tabTo(page, '#add-text');
    await keyboard.type('the office cat is called Turing');
    await tabTo(page, '#add-form button');
    await keyboard.press('Enter');
    await page.locator('#memory-said', { hasText: 'Remembered' }).waitFor();
    await tabTo(page, '.memory button[aria-label^=Forget]');
    await keyboard.press('Enter');
    await page.locator('#confirm').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.value), 'no', 'the dialog begins at what does no harm');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.locator('#memory-said', { hasText: 'is forgotten' }).waitFor();
    assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'BODY', 'the focus is not lost');
  },

  async themes({ open, live }) {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
    const page = await open({ colorScheme: 'dark' });
    await live(page);
    assert.ok((await ground(page)) < 60, 'dark as the system');
    await page.click('#theme');
    assert.ok((await ground(page)) > 200, 'light as chosen');
    await page.reload();
    assert.equal(await page.textContent('#theme'), 'Theme: light', 'the choice is kept');
    assert.ok((await ground(page)) > 200);
    await page.click('#theme');
    await page.emulateMedia({ colorScheme: 'light' });
    assert.ok((await ground(page)) < 60, 'dark as chosen');

    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    for (const width of [360, 560, 900, 1440]) {
      await page.setViewportSize({ width, height: 740 });
      const fits = async (what) => assert.ok((await wide()) <= 0, `${what} at ${width}: ${await wide()} px too wide`);
      await fits('the conversation');
      assert.ok(await page.isVisible('#message'));
      assert.equal(await page.isVisible('#channel-list'), width > 760);
      if (width <= 760) {
        await page.click('[data-show=side]');
        await fits('the channels');
        assert.equal(await page.isVisible('#message'), false, 'the list covers the conversation');
        await page.click('#channel-list button');
      }
      await page.click('#open-panel');
      assert.ok(await page.isVisible('#tab-turn'));
      await fits('the inspector');
      await page.click('#close-panel');
      await page.click('#open-memories');
      await fits('the memories');
      await page.click('#close-memories');
    }
  },

  async directions({ open, live, converse }) {
    const page = await open();
    await live(page);
    await page.fill('#message', 'שלום עולם! (a)');
    const direction = (part) => part.evaluateAll((all) => all.map((node) => getComputedStyle(node).direction));
    assert.deepEqual(await direction(page.locator('#message')), ['rtl']);
    const text = (await converse(page, 'שלום עולם! (a)')).locator('.text');
    assert.deepEqual(await direction(page.locator('#log .person .para')), ['rtl']);
    assert.deepEqual(await direction(text.locator('> .para')), ['rtl', 'ltr']);
    assert.deepEqual(await direction(text.locator('ul, li, blockquote, pre')), ['rtl', 'rtl', 'rtl', 'rtl', 'ltr'], 'a list, its items, a quotation, code');
    assert.equal(await text.locator('li').nth(1).evaluate((item) => getComputedStyle(item).textAlign), 'right', 'an item stays at its bullet');
  },

  async small({ open, live, converse }) {
    const page = await open({ viewport: { width: 320, height: 256 } });
    await live(page);
    assert.ok(await page.isVisible('#intro'));
    const inSight = (part) => page.waitForFunction((name) => {
      const node = document.querySelector(name);
      const { top, bottom, left, right } = node.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth && node.contains(document.elementFromPoint(x, y));
    }, part);
    for (const part of ['#intro .primary', '#persona', '#send', '#message', '#open-panel']) {
      await page.locator(part).scrollIntoViewIfNeeded();
      await inSight(part);
    }
    assert.ok((await page.locator('#log').evaluate((list) => list.clientHeight)) > 100, 'the messages have room');
    await page.setViewportSize({ width: 640, height: 400 });
    await page.locator('#persona').scrollIntoViewIfNeeded();
    await inSight('#persona');
    // a long draft is not covered by the way to the newest message
    await page.setViewportSize({ width: 1000, height: 700 });
    for (const words of ['One', 'Two', 'Three']) await converse(page, words);
    await page.locator('#log').evaluate((list) => (list.scrollTop = 0));
    await page.fill('#message', 'line\n'.repeat(30));
    await inSight('#newest');
    const [button, field] = await Promise.all(['#newest', '#message'].map((part) => page.locator(part).boundingBox()));
    assert.ok(button.y + button.height <= field.y, `${JSON.stringify([button, field])}`);
  },

  async accessible({ open, live, converse, why, axe }) {
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: { width: 360, height: 740 } }]) {
      const page = await open(options);
      await live(page);
      assert.deepEqual(await axe(page), [], 'before anything is said');
      const reply = await converse(page, 'When is the deploy?');
      assert.deepEqual(await axe(page), [], 'the conversation');
      await page.fill('#message', '@');
      await page.locator('#mentions [role=option]').first().waitFor();
      assert.deepEqual(await axe(page), [], 'mentions');
      await page.fill('#message', '');
      await why(reply);
      for (const section of await page.locator('#turn details.section > summary').all()) await section.click();
      await page.locator('#turn .item pre', { hasText: 'You are Ada' }).waitFor();
      assert.deepEqual(await axe(page), [], 'a turn, opened');
      for (const tab of ['room', 'cast']) {
        await page.click(`#tab-${tab}`);
        await page.locator(`#${tab} h2`).first().waitFor();
        assert.deepEqual(await axe(page), [], tab);
      }
      await page.click('#close-panel');
      await page.click('#open-memories');
      await page.locator('.memory').first().waitFor();
      await page.click('#add > summary');
      assert.deepEqual(await axe(page), [], 'memories');
      await page.locator('.memory').first().getByRole('button', { name: 'Forget' }).click();
      assert.deepEqual(await axe(page), [], 'the question before forgetting');
      await page.press('#confirm', 'Escape');
      await page.click('#close-memories');
      await page.click('#open-panel');
      await page.click('#tab-compare');
      await page.fill('#compare-text', 'Who are you?');
      await page.click('#compare-form button');
      await page.locator('#compared section').nth(1).waitFor();
      assert.deepEqual(await axe(page), [], 'a comparison');
      await page.click('#tab-cast');
      await page.locator('[aria-label=Actors] tbody tr').first().waitFor();
      assert.deepEqual(await axe(page), [], 'the cast');
      await page.locator('[aria-label=Personas] tbody button.plain').first().click();
      await page.locator('#card .primary').waitFor();
      assert.deepEqual(await axe(page), [], 'a card');
      await page.press('#card', 'Escape');
      await page.click('#close-panel');
      if (options.viewport) await page.click('[data-show=side]');
      assert.deepEqual(await axe(page), [], 'the channels');
      await page.click('#new-channel');
      assert.deepEqual(await axe(page), [], 'a new channel');
    }
  },

  async hostile({ open, live, converse, why, url }) {
    const page = await open({ fragment: `#channel=api:${encodeURIComponent('<b>x</b>')}` });
    await live(page);
    await page.fill('#user', HOSTILE);
    const reply = await converse(page, HOSTILE);
    assert.equal(await reply.locator('.text').textContent(), HOSTILE);
    // as the server calls the person: signs go
    await page.locator('#log .person .by b', { hasText: /^img srcx onerrorwindow.pwned1$/ }).waitFor();
    assert.equal(await page.locator('#log .person .text').textContent(), HOSTILE);
    await why(reply);
    await page.locator('#turn details.section').first().waitFor();
    for (const section of await page.locator('#turn details.section > summary').all()) await section.click();
    await page.click('text=Show the request, word for word');
    await page.locator('#turn .request pre').first().waitFor();
    for (const tab of ['room', 'compare', 'cast']) await page.click(`#tab-${tab}`);
    await page.locator('[aria-label=Personas] tbody tr', { hasText: `Bob ${HOSTILE}` }).waitFor();
    await page.click('#tab-compare');
    await page.fill('#compare-text', HOSTILE);
    await page.click('#compare-form button');
    await page.locator('#compared section').nth(1).waitFor();
    await page.click('#close-panel');
    await page.locator('[data-persona=bob]').click();
    await page.locator('#card pre', { hasText: HOSTILE }).waitFor({ state: 'attached' });
    await page.press('#card', 'Escape');
    await page.click('#open-memories');
    await page.locator('.memory .text', { hasText: HOSTILE }).first().waitFor();
    await page.locator('.memory').first().getByRole('button', { name: 'Forget' }).click();
    await page.locator('#confirm-text', { hasText: HOSTILE }).waitFor();
    await page.press('#confirm', 'Escape');
    await page.click('#close-memories');
    await page.reload();
    await page.locator('#log .reply .text', { hasText: HOSTILE }).waitFor();
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('img, script:not([src]), iframe, #log .text :not(.para), #log .by b *').count(), 0, 'none of it became an element');
    // on a page nobody listens to: the browser complains aloud
    const other = await page.context().newPage();
    await other.goto(url);
    const refused = await other.evaluate(() => {
      try {
        document.body.innerHTML = '';
        return false;
      } catch {
        return true;
      }
    });
    assert.ok(refused, 'the policy lets nobody parse HTML');
  },

  /** What the pictures in docs/ show; GREENROOM_BLESS=1 takes them anew. */
  async pictures({ open, live, converse, why }) {
    const size = { width: 1280, height: 860 };
    const fragment = '#persona=ada&channel=api:den';
    const light = await open({ fragment, viewport: size, colorScheme: 'light' });
    await live(light);
    await light.click('#intro button');
    await converse(light, 'Remember that the release train leaves on Tuesday at nine.');
    const corrected = await converse(light, 'Remember that the release train leaves on Wednesday at nine.');
    await corrected.locator('.notices', { hasText: 'supersedes m1' }).waitFor();
    await why(await converse(light, 'When does the release train leave? And what did I still have to do before?'));
    const dark = await open({ fragment, viewport: size, colorScheme: 'dark' });
    await live(dark);
    await dark.click('#intro button');
    await why(dark.locator('#log .reply').nth(2));
    for (const page of [light, dark]) {
      const recalled = page.locator('#turn .part.recall li .text');
      await recalled.first().waitFor();
      assert.deepEqual(await recalled.allTextContents(), ['the release train leaves on Wednesday at nine.'], 'the newest version alone');
      await page.locator('#turn details.section', { has: page.locator('.label', { hasText: 'Memories' }) }).locator('summary').first().click();
      await page.locator('#turn .item pre', { hasText: 'Wednesday' }).first().waitFor();
      await page.locator('#turn').evaluate((panel) => panel.scrollTo(0, 0));
      await page.locator('#message').focus();
    }
    if (process.env.GREENROOM_BLESS) {
      const docs = new URL('../../../docs/', import.meta.url).pathname;
      await light.screenshot({ path: `${docs}inspector-light.png` });
      await dark.screenshot({ path: `${docs}inspector-dark.png` });
    }
  },

  async fast({ open, live, url }) {
    const page = await open();
    await live(page);
    const sizes = await page.evaluate(() =>
      performance.getEntries().filter(({ name, entryType }) => entryType === 'navigation' || name.includes('/inspector/')).map(({ name, transferSize }) => [name, transferSize]),
    );
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    assert.ok(total > 20_000 && total < 120_000, `${total} bytes in ${sizes.length} files`);
    const { headers } = await page.evaluate(async () => ({ headers: Object.fromEntries((await fetch('/')).headers) }));
    assert.match(headers['content-security-policy'], /default-src 'self'/);

    const alone = await page.context().newPage();
    await alone.route('**/api/**', () => {});
    await alone.goto(url);
    for (const place of ['#message', '#open-panel', '#persona', '#new-channel']) assert.ok(await alone.isVisible(place), `${place} before any answer`);
    const painted = await alone.evaluate(() => performance.getEntriesByName('first-contentful-paint').length);
    assert.equal(painted, 1);
    await alone.unroute('**/api/**');
    await alone.route('**/api/**', (route) => route.abort());
    await alone.reload();
    await alone.locator('#problem', { hasText: 'cannot be reached' }).waitFor();
  },
};
