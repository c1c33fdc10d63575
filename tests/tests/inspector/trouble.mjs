// What the page does where something is missing.

import assert from 'node:assert/strict';

const post = (page, path, body) =>
  page.evaluate(([url, json]) => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }).then((answer) => answer.text()), [path, body]);

/** The request by which a text is sent. */
async function sent(page, text) {
  await page.fill('#message', text);
  const [request] = await Promise.all([page.waitForRequest((asked) => asked.method() === 'POST' && asked.url().endsWith('/messages')), page.press('#message', 'Enter')]);
  return request.postDataJSON();
}

const personas = async (page, channel) =>
  page.evaluate(async (key) => (await (await fetch(`/api/channels/${key}/members`)).json()).members.filter(({ kind }) => kind === 'persona').map(({ name }) => name), channel);

export const scenes = {
  async members({ open, live }) {
    const page = await open({ fragment: '#channel=api:hall' });
    await live(page);
    for (const channel of ['api:den', 'api:pub']) for (const persona of ['bob', 'vesper']) await post(page, `/api/channels/${channel}/members`, { persona });
    const before = await personas(page, 'api:den');
    await page.evaluate(() => (location.hash = '#channel=api:den'));
    await page.locator('#who', { hasText: 'Vesper' }).waitFor();
    assert.equal(await page.inputValue('#persona'), '*');
    // the members cannot be read for a moment
    await page.route('**/api/channels/*/members', (route) => route.abort());
    for (const tab of ['#who', '#tab-cast', '#who']) await Promise.all([tab === '#who' && page.waitForEvent('requestfailed'), page.click(tab)]);
    assert.equal((await sent(page, 'For the two of you.')).persona, undefined);
    assert.match(await page.locator('#who').textContent(), /Vesper/);
    // in a channel whose members are not known yet
    await page.evaluate(() => (location.hash = '#channel=api:pub'));
    await page.locator('#talk-title', { hasText: 'pub' }).waitFor();
    assert.equal((await sent(page, 'Hello you two')).persona, undefined);
    await page.unroute('**/api/channels/*/members');
    for (const channel of ['api:den', 'api:pub']) assert.deepEqual(await personas(page, channel), before);
  },

  async quoted({ open, live }) {
    const page = await open({ fragment: '#channel=api:den&persona=bob' });
    await live(page);
    for (const text of ['What does `@ada` mean?', 'And ``@ada ` `` or\n```\n@ada\n```', '> @ada: the door was open\n\nWhat do you make of that?', 'mail@ada.example']) {
      assert.equal((await sent(page, text)).persona, 'bob', text);
    }
    for (const text of ['`x` @ada `y`', '> so it was\n@ada?', '> @ada: a quotation alone', 'a ` and @ada']) {
      assert.equal((await sent(page, text)).persona, undefined, text);
    }
  },

  async first({ open, live, converse }) {
    const page = await open();
    await live(page);
    let fails = 2;
    await page.route(/\/api\/(session|personas)$/, (route) => (fails-- > 0 ? route.abort() : route.continue()));
    await page.reload();
    await page.locator('#problem', { hasText: 'cannot be reached' }).waitFor();
    await live(page);
    assert.equal(await page.locator('#problem').textContent(), '');
    await converse(page, 'Hello');
  },

  async blocked({ open, converse }) {
    const init = () => ['localStorage', 'sessionStorage'].forEach((name) => Object.defineProperty(window, name, { get: () => { throw new DOMException('denied', 'SecurityError'); } }));
    const page = await open({ init });
    await converse(page, 'Hello');
    await page.click('#theme');
    assert.equal(await page.textContent('#theme'), 'Theme: light');
    await page.reload();
    await page.locator('#log .reply', { hasText: 'ok' }).waitFor();
  },

  async cast({ open, live, converse }) {
    const page = await open({ fragment: '#channel=api:den' });
    await live(page);
    await converse(page, '@ada Hello');
    await page.selectOption('#persona', 'vesper');
    await page.route('**/api/personas', async (route) => {
      const { personas: all } = await (await route.fetch()).json();
      const changed = all.filter(({ name }) => name !== 'vesper').map((each) => (each.name === 'ada' ? { ...each, display_name: 'Supernova' } : each));
      await route.fulfill({ json: { personas: [...changed, { ...all[0], name: 'zed', display_name: 'Zed' }] } });
    });
    // it is read again after a while
    await page.locator('#cast-list', { hasText: 'Zed' }).waitFor();
    assert.doesNotMatch(await page.locator('#cast-list').textContent(), /Vesper/);
    await page.locator('#missed', { hasText: 'no persona “vesper”' }).waitFor();
    for (const list of ['#persona', '#memory-persona', '#compare-a', '#compare-b']) {
      const names = await page.locator(`${list} option`).evaluateAll((all) => all.map(({ value }) => value).filter((value) => value !== '*'));
      assert.deepEqual(names.filter((name) => ['ada', 'vesper', 'zed'].includes(name)), ['ada', 'zed'], list);
    }
    assert.equal(await page.locator('#log .reply .by b').textContent(), 'Supernova');
    assert.equal(await page.locator('#log .reply .sign').textContent(), 'S');
    await page.fill('#message', '');
    await page.locator('#message').pressSequentially('@ze');
    await page.locator('#mentions li', { hasText: 'Zed' }).waitFor();
  },

  async copies({ open, converse }) {
    const page = await open({ init: () => Object.defineProperty(navigator, 'clipboard', { value: undefined }) });
    const reply = await converse(page, 'A text to copy');
    const mine = page.locator('#log .person');
    await mine.hover();
    await mine.locator('[data-act=copy]').click();
    await mine.locator('[data-act=copy]', { hasText: 'Copied' }).waitFor();
    assert.equal(await page.locator('#spoken').textContent(), 'Copied');
    await page.locator('#message').press('Control+v');
    assert.equal(await page.inputValue('#message'), 'A text to copy');
    await reply.waitFor();
  },

  async user({ open, live, converse, why }) {
    const page = await open();
    await page.route('**/api/session', async (route) => route.fulfill({ json: { ...(await (await route.fetch()).json()), role: 'user' } }));
    await page.reload();
    await live(page);
    await page.click('#help');
    assert.ok(await page.getByText('who answered or stayed silent, what was recalled').isVisible());
    assert.equal(await page.getByText('every word the model got').isVisible(), false);
    await why(await converse(page, 'Hello'));
    const section = page.locator('#turn details.section', { has: page.locator('.label', { hasText: 'System' }) });
    await section.locator('summary').first().click();
    await section.locator('pre', { hasText: 'only an operator sees all of it' }).waitFor();
    assert.equal(await page.getByText('word for word').isVisible(), false);
  },

  async read({ open, live, converse, url }) {
    const page = await open({ fragment: '#channel=api:host' });
    await converse(page, 'Hello');
    const other = await page.context().newPage();
    await other.goto(`${url}/#channel=api:host`);
    await live(other);
    const unread = (tab, key) => tab.locator(`.unread [data-channel="${key}"]`);
    await post(page, '/api/channels/api:den/messages', { text: 'Knock', persona: 'bob', user: 'jo' });
    await Promise.all([page, other].map((tab) => unread(tab, 'api:den').waitFor()));
    await page.click('[data-channel="api:den"]');
    await Promise.all([page, other].map((tab) => unread(tab, 'api:den').waitFor({ state: 'hidden' })));
    // what the other reads stays read when this one reads something else
    await page.context().addInitScript(() => window.addEventListener('storage', (event) => event.stopImmediatePropagation(), true));
    await page.reload();
    await live(page);
    for (const key of ['api:attic', 'api:cellar']) await post(page, `/api/channels/${key}/messages`, { text: 'Knock', persona: 'bob', user: 'jo' });
    await Promise.all([page, other].map((tab) => unread(tab, 'api:cellar').waitFor()));
    await other.click('[data-channel="api:attic"]');
    await other.locator('#log .text', { hasText: 'Knock' }).waitFor();
    await page.click('[data-channel="api:cellar"]');
    await page.locator('#log .text', { hasText: 'Knock' }).waitFor();
    await page.reload();
    await page.locator('[data-channel="api:attic"]').waitFor();
    assert.equal(await page.locator('.unread').count(), 0);
  },

  async edited({ open, live, converse }) {
    const page = await open();
    await live(page);
    await converse(page, 'The WRONG text');
    await page.route('**/api/channels/api%3Ahost/messages?*', async (route) => {
      const read = await (await route.fetch()).json();
      for (const message of read.messages) message.text = message.text.replace('WRONG', 'right');
      await route.fulfill({ json: read });
    });
    await converse(page, 'And on');
    await page.locator('#log .person .text', { hasText: 'The right text' }).waitFor();
    assert.equal(await page.locator('#log', { hasText: 'WRONG' }).count(), 0);
  },
};
