// What is written and is not in the store yet.

import assert from 'node:assert/strict';

const POST = (route) => route.request().method() === 'POST';

/** Lets what is sent in a channel fail, after the server has it where `after` says so. Returns what lets it pass again. */
async function failing(page, channel, { after = false, until = Promise.resolve() } = {}) {
  const url = `**/api/channels/${encodeURIComponent(channel)}/messages`;
  await page.route(url, async (route) => {
    if (!POST(route)) return route.continue();
    if (after) await route.fetch();
    await until;
    await route.abort('connectionreset');
  });
  return () => page.unroute(url);
}

const stored = (page, channel) =>
  page.evaluate(async (key) => (await (await fetch(`/api/channels/${encodeURIComponent(key)}/messages`)).json()).messages, channel);

const said = async (page, channel) => (await stored(page, channel)).filter(({ author }) => author.by === 'user').map(({ text }) => text);

/** Presses a key as a browser tells it while an input method composes. */
const composing = (page, key, init) =>
  page.locator('#message').evaluate((field, event) => field.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...event })), { key, ...init });

export const scenes = {
  async once({ open, live, converse }) {
    const page = await open({ fragment: '#channel=api:den' });
    await live(page);
    // the history does not come before the failure
    let proceed;
    const held = new Promise((resume) => (proceed = resume));
    await page.route('**/api/channels/api%3Aden/messages?*', async (route) => (await held, route.continue()));
    const pass = await failing(page, 'api:den', { after: true });
    await page.fill('#message', 'pay jo ten');
    await page.press('#message', 'Enter');
    await page.locator('#log .person', { hasText: 'not sent' }).waitFor();
    await page.waitForFunction(() => document.querySelector('#message').value === 'pay jo ten');
    await pass();
    await page.press('#message', 'Enter');
    await page.locator('#log .reply[aria-busy=false]').waitFor();
    proceed();
    await page.locator('#log .person [data-act=why]').waitFor({ state: 'attached' });
    assert.deepEqual(await said(page, 'api:den'), ['pay jo ten']);
    assert.equal(await page.locator('#log .person').count(), 1);

    // where the page hears that it is stored, it says so and takes the text back
    const again = await failing(page, 'api:den', { after: true });
    await page.fill('#message', 'and mia five');
    await page.press('#message', 'Enter');
    await page.locator('#log .person', { hasText: 'and mia five' }).locator('[data-act=why]').waitFor({ state: 'attached' });
    await page.waitForFunction(() => document.querySelector('#message').value === '');
    assert.equal(await page.locator('#log', { hasText: 'not sent' }).count(), 0);
    assert.equal(await page.locator('#problem').textContent(), '');
    await again();
    await converse(page, 'and mia five');
    assert.deepEqual(await said(page, 'api:den'), ['pay jo ten', 'and mia five', 'and mia five'], 'the same words may be said twice');
  },

  async late({ open, live, create }) {
    const page = await open({ fragment: '#channel=api:private' });
    await live(page);
    let proceed;
    const pass = await failing(page, 'api:private', { until: new Promise((resume) => (proceed = resume)) });
    await page.fill('#message', 'the password is swordfish');
    await page.press('#message', 'Enter');
    await create(page, 'public');
    await page.locator('#talk-title', { hasText: 'public' }).waitFor();
    await live(page);
    proceed();
    await page.locator('#problem', { hasText: 'Not sent in private' }).waitFor();
    assert.equal(await page.inputValue('#message'), '', 'it does not turn up elsewhere');
    await page.goBack();
    await page.locator('#talk-title', { hasText: 'private' }).waitFor();
    await page.locator('#log .person', { hasText: 'not sent' }).waitFor();
    assert.equal(await page.inputValue('#message'), 'the password is swordfish');
    await pass();
    await page.press('#message', 'Enter');
    await page.locator('#log .reply[aria-busy=false]').waitFor();
    assert.equal(await page.locator('#log .person').count(), 1);
    assert.deepEqual(await said(page, 'api:private'), ['the password is swordfish']);
    assert.deepEqual(await said(page, 'api:public'), []);
  },

  async again({ open, live, converse }) {
    const page = await open({ fragment: '#channel=api:den' });
    await live(page);
    await converse(page, 'Hello');
    const unsent = page.locator('#log .person:has(.notices .problem)');
    const act = (name) => unsent.getByRole('button', { name, exact: true });
    let pass = await failing(page, 'api:den');
    await page.fill('#message', 'a text that fails');
    await page.press('#message', 'Enter');
    await unsent.waitFor();
    await pass();
    // changed, it is another message in place of the first
    await page.fill('#message', 'a text that fails, and is changed');
    const busy = page.locator('#log .reply').nth(1);
    await page.press('#message', 'Enter');
    await busy.and(page.locator('[aria-busy=false]')).waitFor();
    assert.equal(await unsent.count(), 0);
    pass = await failing(page, 'api:den');
    for (const text of ['one', 'two']) {
      await page.fill('#message', text);
      await page.press('#message', 'Enter');
      await unsent.filter({ hasText: text }).waitFor();
      // what was emptied is not what is written next
      await page.fill('#message', '');
    }
    await unsent.first().hover();
    await act('Remove').first().click();
    await page.waitForFunction(() => !document.querySelector('#log').textContent.includes('one'));
    assert.equal(await act('Reply').count(), 0, 'what is not stored has no reply');
    await pass();
    await page.fill('#message', 'a draft');
    await act('Retry').click();
    await page.locator('#log .reply').nth(2).and(page.locator('[aria-busy=false]')).waitFor();
    assert.equal(await unsent.count(), 0);
    assert.equal(await page.inputValue('#message'), 'a draft');
    assert.deepEqual(await said(page, 'api:den'), ['Hello', 'a text that fails, and is changed', 'two']);
  },

  async forgetful({ open, live }) {
    const page = await open();
    await live(page);
    const pass = await failing(page, 'api:host');
    await page.check('#forgetful');
    await page.fill('#message', 'between us');
    await page.press('#message', 'Enter');
    await page.locator('#log .person', { hasText: 'not sent' }).waitFor();
    await page.locator('#forgetful:checked').waitFor();
    await pass();
    const [request] = await Promise.all([page.waitForRequest((request) => request.method() === 'POST'), page.press('#message', 'Enter')]);
    assert.equal(request.postDataJSON().disable_memory, true);
    assert.equal(await page.isChecked('#forgetful'), false, 'for one message alone');
  },

  async session({ open, live, converse, create, key }) {
    const page = await open({ fragment: '#channel=api:den' });
    const said = page.locator('#said');
    assert.match(await said.textContent(), /greenroom key create/);
    const signIn = async () => {
      await page.fill('#key', key);
      await page.press('#key', 'Enter');
      await live(page);
    };
    const end = () => page.evaluate(() => fetch('/api/session', { method: 'DELETE' }));
    await signIn();
    await converse(page, 'first');
    await page.fill('#message', 'a draft of the den');
    await create(page, 'attic');
    await live(page);
    await page.fill('#message', 'a long draft');
    await end();
    await said.filter({ hasText: 'what you wrote is kept' }).waitFor();
    await signIn();
    assert.equal(await page.inputValue('#message'), 'a long draft');
    // sent at that moment
    await end();
    await page.press('#message', 'Enter');
    await said.waitFor();
    await signIn();
    await page.locator('#log .person', { hasText: 'not sent' }).waitFor();
    assert.equal(await page.inputValue('#message'), 'a long draft');
    await page.press('#message', 'Enter');
    await page.locator('#log .reply[aria-busy=false]').waitFor();
    assert.equal(await page.locator('#log .person').count(), 1);
    await page.click('[data-channel="api:den"]');
    await page.waitForFunction(() => document.querySelector('#message').value === 'a draft of the den');
    // signing out takes it all along
    await page.click('#signout');
    await said.filter({ hasText: 'greenroom key create' }).waitFor();
    assert.equal(await page.evaluate(() => JSON.stringify(sessionStorage).includes('draft')), false);
  },

  async edits({ open, live, converse }) {
    const page = await open();
    await live(page);
    await converse(page, 'first');
    const edit = async (text) => {
      await page.locator('#log .person').last().hover();
      await page.locator('#log .person [data-act=edit]').click();
      await page.waitForFunction((now) => document.querySelector('#message').value === now, text);
    };
    await page.fill('#message', 'an unsent draft');
    await edit('first');
    await page.press('#message', 'Escape');
    assert.equal(await page.inputValue('#message'), 'an unsent draft');
    await edit('first');
    await page.fill('#message', 'better');
    await page.press('#message', 'Enter');
    await page.locator('#log .person .text', { hasText: 'better' }).waitFor();
    assert.equal(await page.inputValue('#message'), 'an unsent draft');
    await page.locator('#log .reply[aria-busy=false]').waitFor();
    await page.locator('#log .person [data-act=edit]').waitFor({ state: 'attached' });
    // an edit that is not made, then one whose answer does not come
    let taken = false;
    await page.route('**/api/channels/api%3Ahost/messages/*', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      if (taken) await route.fetch();
      await route.abort('connectionreset');
    });
    await edit('better');
    await page.fill('#message', 'best');
    await page.press('#message', 'Enter');
    await page.locator('#log .person', { hasText: 'not sent' }).waitFor();
    await page.waitForFunction(() => document.querySelector('#message').value === 'best');
    assert.match(await page.locator('#about').textContent(), /editing/);
    await page.locator('#log .person .text', { hasText: 'better' }).waitFor();
    taken = true;
    await page.press('#message', 'Enter');
    await page.locator('#log .person', { hasText: 'best' }).locator('[data-act=why]').waitFor({ state: 'attached' });
    await page.waitForFunction(() => document.querySelector('#message').value === 'an unsent draft' && document.querySelectorAll('#log .person').length === 1);
    assert.equal(await page.locator('#log', { hasText: 'not sent' }).count(), 0);
    assert.deepEqual(await said(page, 'api:host'), ['best']);
    assert.ok(await page.isHidden('#about'));
  },

  async composed({ open, live, converse, release }) {
    const page = await open();
    await live(page);
    const field = page.locator('#message');
    await field.fill('count');
    await field.press('Enter');
    await page.locator('#log .reply .text', { hasText: 'One' }).waitFor();
    await composing(page, 'Escape', { isComposing: true });
    release();
    await page.locator('#log .reply[aria-busy=false] .text', { hasText: 'One two' }).waitFor();
    await page.locator('#log .person [data-act=edit]').waitFor({ state: 'attached' });
    await field.press('ArrowUp');
    await field.fill('count, longer');
    await composing(page, 'Escape', { isComposing: true });
    assert.equal(await field.inputValue(), 'count, longer');
    // the Enter of Safari that ends a composition comes after it
    await composing(page, 'Enter', { keyCode: 229 });
    assert.equal(await field.inputValue(), 'count, longer', 'nothing was sent');
    await field.press('Escape');

    const phone = await open({ viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true });
    await live(phone);
    await phone.fill('#message', 'line one');
    await phone.press('#message', 'Enter');
    await phone.locator('#message').pressSequentially('line two');
    assert.equal(await phone.inputValue('#message'), 'line one\nline two');
    await phone.click('#send');
    await phone.locator('#log .person .text', { hasText: 'line two' }).waitFor();
  },
};
