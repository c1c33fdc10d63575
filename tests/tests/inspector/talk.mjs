// Talking, and what is seen of it.

import assert from 'node:assert/strict';

/** Opens a section of the context and one of its items; gives the text. */
async function textIn(page, label, id) {
  const section = page.locator('#turn details.section', { has: page.locator('.label', { hasText: label }) });
  await section.locator('summary').first().click();
  const item = section.locator('details.item', { hasText: id }).first();
  if (!(await item.evaluate((box) => box.open))) await item.locator('summary').click();
  const text = item.locator('pre');
  await text.filter({ hasNotText: /^…$/ }).waitFor();
  return text.textContent();
}

/** Lets the page's WebSocket break, and keeps it broken while `window.away` is true. */
function breakableSocket() {
  const { WebSocket, fetch } = window;
  window.fetch = (url, init) => (window.away && url.endsWith('/events') ? Promise.reject(new TypeError('away')) : fetch(url, init));
  window.WebSocket = class extends WebSocket {
    constructor(url) {
      if (window.away) throw new Error('away');
      super(url);
      window.leave = () => {
        window.away = true;
        this.close();
      };
    }
  };
}

/** Where no WebSocket opens: lets the page's event stream break, and keeps it broken while `window.away` is true. */
function breakable() {
  const { fetch } = window;
  window.WebSocket = class {
    constructor() {
      throw new Error('a proxy lets none through');
    }
  };
  window.fetch = (url, init) => {
    if (!url.endsWith('/events')) return fetch(url, init);
    if (window.away) return Promise.reject(new TypeError('away'));
    const broken = new AbortController();
    window.leave = () => {
      window.away = true;
      broken.abort();
    };
    return fetch(url, { ...init, signal: AbortSignal.any([init.signal, broken.signal]) });
  };
}

/** What is said while a page's stream is broken is heard when it is taken up again, once. */
async function reconnected({ page, other, resumed, live, converse }) {
  await Promise.all([live(page), live(other)]);
  await converse(page, 'First');
  await other.locator('#log .reply .text', { hasText: 'ok' }).waitFor();
  await other.locator('#log .person .text', { hasText: 'First' }).waitFor();
  assert.equal(await other.locator('#log .person').count(), 1, 'what is said elsewhere is seen, once');

  await other.evaluate(() => window.leave());
  await other.locator('#link', { hasText: 'reconnecting' }).waitFor();
  await converse(page, 'Second');
  const from = resumed();
  await other.evaluate(() => (window.away = false));
  assert.match(await from, /-\d+$/);
  await other.locator('#log .reply[aria-busy=false]').nth(1).waitFor();
  assert.equal(await other.locator('#log .reply').count(), 2);
  await other.locator('#log .person .text', { hasText: 'Second' }).waitFor();
}

export const scenes = {
  async streams({ open, live, why, release }) {
    const page = await open();
    await live(page);
    await page.fill('#message', 'Count');
    await page.click('#send');
    const reply = page.locator('#log .reply').first();
    await reply.locator('.text', { hasText: 'One two' }).waitFor();
    assert.equal(await reply.locator('.text').textContent(), 'One two ', 'two tokens came and are shown');
    assert.equal(await reply.getAttribute('aria-busy'), 'true');
    assert.equal(await page.locator('#message').inputValue(), '', 'the field is free for the next message');
    release();
    await reply.locator('.text', { hasText: 'One two three four' }).waitFor();
    await page.locator('#spoken', { hasText: 'ada: One two three four' }).waitFor({ state: 'attached' });
    assert.ok(await page.locator('#panel').isHidden(), 'the inspector is closed until it is asked');
    await why(reply);
    const head = page.locator('#turn .part.head');
    await head.getByText('answers because').waitFor();
    assert.match(await head.textContent(), /answers because\S.*modelmock/, 'who answers and why');
    await page.press('#close-panel', 'Enter');
    assert.ok(await page.locator('#panel').isHidden());
    assert.ok(await reply.locator('.trace').evaluate((button) => button === document.activeElement), 'the focus goes back');
    assert.equal(await page.locator('#stop').isVisible(), false);

    await page.fill('#message', 'More');
    await page.press('#message', 'Enter');
    const second = page.locator('#log .reply').nth(1);
    await second.locator('.text', { hasText: 'Five' }).waitFor();
    await why(second);
    await page.click('text=Show the request, word for word');
    await page.locator('#turn .request pre', { hasText: 'More' }).waitFor();
    await page.click('#stop');
    await second.locator('.state', { hasText: 'cancelled' }).waitFor();
    await page.locator('#turn .part.head', { hasText: 'cancelled' }).waitFor();
    assert.ok(await page.locator('#turn .request pre', { hasText: 'More' }).isVisible(), 'what one reads stays open at the end');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'message', 'the focus is not lost with the button');
  },

  /** A browser opens six connections to a host, for all tabs. */
  async busy({ open, live, url }) {
    const page = await open();
    await live(page);
    await page.fill('#message', 'Count');
    await page.press('#message', 'Enter');
    await page.locator('#log .reply .text', { hasText: 'One' }).waitFor();
    for (let n = 1; n < 6; n += 1) {
      await page.fill('#message', `And ${n}`);
      await page.press('#message', 'Enter');
      await page.locator('#log .person', { hasText: `And ${n}` }).waitFor();
    }
    for (let n = 0; n < 7; n += 1) {
      const tab = await page.context().newPage();
      await tab.goto(`${url}/#channel=api:tab-${n}`);
      await live(tab);
    }
    await page.bringToFront();
    await page.click('#stop');
    await page.locator('#log .reply .state', { hasText: 'cancelled' }).first().waitFor();
    const { messages } = await page.evaluate(() => fetch('/api/channels/api:host/messages').then((answer) => answer.json()));
    assert.equal(messages.filter(({ author }) => author.by === 'user').length, 6, 'all are stored');
  },

  async standard({ open, live, converse }) {
    const page = await open({ fragment: '#channel=api:fresh' });
    await live(page);
    assert.equal(await page.inputValue('#persona'), 'bob');
    const reply = await converse(page, 'Hello');
    assert.match(await reply.locator('.by b').textContent(), /^Bob /);
    await page.click('#new-channel');
    assert.deepEqual(await page.locator('#create input:checked').evaluateAll((boxes) => boxes.map(({ value }) => value)), ['bob']);
  },

  async stopped({ open, live }) {
    const page = await open();
    await live(page);
    await page.selectOption('#persona', '*');
    await page.fill('#message', '@ada @bob Count, please');
    await page.click('#send');
    await page.locator('#log .reply .text', { hasText: 'Two' }).waitFor();
    await page.click('#stop');
    const expected = ['Count', 'One', 'Two'];
    const seen = async () => {
      await page.locator('#log .reply .state', { hasText: 'cancelled' }).waitFor();
      const rows = await page.locator('#log li').evaluateAll((items) => items.map((item) => item.querySelector('.text')?.textContent ?? ''));
      assert.deepEqual(rows.map((text) => expected.find((word) => text.includes(word))), expected);
    };
    await seen();
    await page.reload();
    await seen();
  },

  async context({ open, live, converse, why, seen }) {
    const page = await open();
    await live(page);
    await why(await converse(page, 'Why is the sky blue?\nShortly, please.'));
    await page.locator('#turn .bar').first().waitFor();
    const pieces = await page.locator('#turn .bar').first().locator('.piece').evaluateAll((all) => all.map((piece) => piece.title));
    for (const part of ['System', 'Tools', 'History', 'Reserve', 'Free']) {
      assert.ok(pieces.some((title) => title.startsWith(part)), `${part} in the bar: ${pieces}`);
    }
    const system = await textIn(page, 'System', 'system');
    const history = await textIn(page, 'History', 'msg:');
    assert.match(await page.locator('#turn .item .outcome').first().textContent(), /kept/);
    await page.click('text=Show the request, word for word');
    const request = await page.locator('#turn .request pre').allTextContents();
    seen({ system, history, request });
  },

  async tools({ open, live, converse, why }) {
    const page = await open();
    await live(page);
    const reply = await converse(page, 'When is the deploy?');
    assert.match(await reply.locator('.trace').textContent(), /1 tool call/);
    await why(reply);
    const tools = page.locator('#turn .part.tools');
    await tools.getByText('answered').waitFor();
    assert.match(await tools.locator('pre').first().textContent(), /"text": "the deploy is on Tuesday"/);
    assert.match(await tools.locator('pre').nth(1).textContent(), /m1/);
  },

  async fails({ open, live, converse, why }) {
    const page = await open();
    await live(page);
    const reply = await converse(page, 'Hello');
    assert.match(await reply.locator('.notices .problem').textContent(), /refuses the key/);
    await why(reply);
    await page.locator('#turn .part.head', { hasText: /Ada failed: unauthorized/ }).waitFor();
    assert.match(await page.locator('#spoken').textContent(), /Ada failed/);

    await page.reload();
    const again = page.locator('#log .reply');
    await again.locator('.notices .problem', { hasText: 'refuses the key' }).waitFor();
    assert.equal(await again.count(), 1, 'it is there once');
    assert.equal(await page.locator('#spoken').textContent(), '', 'and is no news');
    assert.ok(await page.locator('#panel').isVisible(), 'the inspector is open as before');
    assert.match(await again.locator('.state').textContent(), /failed/);
    const order = await page.locator('#log li').evaluateAll((items) => items.map((item) => item.className.split(' ')[0]));
    assert.deepEqual(order.slice(0, 2), ['person', 'reply'], 'behind what it answers');
    await why(again);
    await page.locator('#turn .part.head', { hasText: 'failed: unauthorized' }).waitFor();
    await page.click('#close-panel');
    await again.hover();
    await again.getByRole('button', { name: 'Retry' }).click();
    await page.locator('#log .reply[aria-busy=false] .text', { hasText: 'ok' }).waitFor();
    assert.equal(await page.locator('#log .reply').count(), 1, 'the answer stands in place of the failure');
    await page.reload();
    await page.locator('#log .reply .text', { hasText: 'ok' }).waitFor();
    assert.equal(await page.locator('#log .person').count(), 1, 'the message is stored once');
  },

  async reload({ open, live, converse, why, create, url }) {
    const page = await open({ fragment: '#persona=bob&channel=api:den:night' });
    await live(page);
    const reply = await converse(page, 'Hello Bob');
    assert.match(await reply.locator('.by b').textContent(), /^Bob /, 'by the name it shows');
    assert.equal(await reply.locator('.by code').textContent(), 'bob', 'and by its own');
    await page.reload();
    await page.locator('#log .reply .text', { hasText: 'ok' }).waitFor();
    assert.equal(await page.locator('#persona').inputValue(), 'bob');
    assert.equal(await page.locator('#talk-title').textContent(), 'den › night');
    assert.equal(await page.locator('#channel-list [aria-current=page]').getAttribute('data-channel'), 'api:den:night');
    assert.equal(await page.locator('#log .person .text').textContent(), 'Hello Bob');
    await page.locator('#log .reply.selected').waitFor(); // the newest reply is chosen
    await page.click('#open-panel');
    await page.locator('#turn .total').waitFor();
    await why(page.locator('#log .reply'));
    await page.locator('#turn .total').waitFor();
    await page.reload();
    await page.locator('#turn .total').waitFor(); // the inspector stays open

    await create(page, 'elsewhere');
    await page.waitForFunction(() => document.querySelectorAll('#log li').length === 0);
    assert.match(page.url().slice(url.length), /channel=api%3Aelsewhere/);
    await page.locator('#channel-list [data-channel="api:den:night"]').waitFor();
    await page.goBack();
    await page.locator('#log .reply .text', { hasText: 'ok' }).waitFor();
  },

  async early({ open, live, converse }) {
    const page = await open();
    await live(page);
    let proceed;
    const held = new Promise((resume) => (proceed = resume));
    await page.route('**/api/personas', async (route) => (await held, route.continue()));
    await page.reload();
    await page.fill('#message', 'Too early');
    await page.press('#message', 'Enter');
    await page.locator('#problem', { hasText: 'your text stays here' }).waitFor();
    proceed();
    await live(page);
    assert.equal(await page.inputValue('#message'), 'Too early');
    assert.equal(await page.locator('#problem').textContent(), '');
    await page.press('#message', 'Enter');
    await page.locator('#log .person .text', { hasText: 'Too early' }).waitFor();
    assert.equal(await (await converse(page, 'And on')).locator('.text').textContent(), 'ok');
  },

  async settles({ open, live, converse, why }) {
    const page = await open();
    await live(page);
    let proceed;
    const held = new Promise((resume) => (proceed = resume));
    await page.route('**/api/turns/*/context', async (route) => (await held, route.continue()));
    await why(await converse(page, 'When is the deploy?'));
    const section = page.locator('#turn details.section', { has: page.locator('.label', { hasText: 'System' }) });
    await section.locator('summary').first().click();
    await page.locator('#turn details.section > summary', { has: page.locator('.label', { hasText: 'History' }) }).press('Enter');
    proceed();
    await page.getByText('As it was for the last request').waitFor();
    await section.locator('pre', { hasText: 'You are Ada' }).waitFor();
    assert.match(await page.evaluate(() => document.activeElement.textContent), /^History/, 'the focus stays where one reads');
  },

  async reconnects({ open, live, converse }) {
    const other = await open({ init: breakable });
    const resumed = () => other.waitForRequest((request) => request.headers()['last-event-id'] !== undefined).then((request) => request.headers()['last-event-id']);
    await reconnected({ page: await open(), other, resumed, live, converse });
  },

  async reconnects_socket({ open, live, converse }) {
    const other = await open({ init: breakableSocket });
    const resumed = () => other.waitForEvent('websocket').then((socket) => new URL(socket.url()).searchParams.get('last_event_id'));
    await reconnected({ page: await open(), other, resumed, live, converse });
  },

  async compares({ open, live }) {
    const page = await open({ fragment: '#tab=compare' });
    await live(page);
    await page.fill('#compare-text', 'Who are you?');
    await page.selectOption('#compare-a', 'ada');
    await page.selectOption('#compare-b', 'bob');
    await page.click('#compare-form button');
    const sides = page.locator('#compared section');
    await sides.nth(1).waitFor();
    for (const [at, prompt] of ['You are Ada', 'You are Bob'].entries()) {
      const side = sides.nth(at);
      await side.locator('details.section summary').first().click();
      await side.locator('pre', { hasText: prompt }).first().waitFor();
    }
    assert.match(await page.locator('#compare-said').textContent(), /tokens; 0 and 0 recalled/);
    assert.equal(await page.locator('#log li').count(), 0, 'nothing was said');
  },

  async cast({ open, live, converse }) {
    const page = await open();
    await live(page);
    await converse(page, 'Hello');
    await page.click('#open-panel');
    await page.click('#tab-cast');
    const actors = page.locator('[aria-label=Actors] tbody tr');
    await actors.filter({ hasText: 'api:host' }).filter({ hasText: 'idle' }).waitFor();
    const bob = page.locator('[aria-label=Personas] tbody tr', { hasText: 'bob' }).locator('th');
    assert.match(await bob.textContent(), / bob$/, 'the name stands apart from the display name');
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 740 });
    const cut = await page.locator('#cast .scroll').evaluateAll((all) => all.map((box) => box.scrollWidth - box.clientWidth));
    assert.deepEqual(cut, [0, 0], 'no table is cut off on a narrow screen');
    await page.setViewportSize(size);
    const ada = page.locator('[aria-label=Personas] tbody tr', { hasText: 'ada' });
    await ada.locator('td.num', { hasText: '15' }).first().waitFor();
    await ada.getByRole('button', { name: 'stop ada', exact: true }).click();
    await actors.filter({ hasText: 'stopped' }).waitFor();
    await ada.getByRole('button', { name: 'start ada', exact: true }).click();
    await page.locator('#cast-said', { hasText: 'start' }).waitFor();
    await page.click('#close-panel');
    const reply = await converse(page, 'Are you back?');
    assert.equal(await reply.locator('.text').textContent(), 'ok');
  },

  async markdown({ open, live, converse }) {
    const page = await open();
    await live(page);
    const reply = (await converse(page, 'Tell me.')).locator('.text');
    const texts = (selector) => reply.locator(selector).allTextContents();
    assert.deepEqual(await texts('[role=heading]'), ['Plan for today']);
    assert.deepEqual(await texts('strong'), ['bold', 'very']);
    assert.deepEqual(await texts('em'), ['slanted', 'a very b']);
    assert.deepEqual(await texts(':not(pre) > code'), ['a*b*c', '<i>']);
    assert.deepEqual(await texts('pre.code'), ['let x = "<b>*no*</b>";\n\n# none']);
    assert.equal(await reply.locator('pre.code').getAttribute('aria-label'), 'Code, rust');
    assert.deepEqual(await texts('ul > li'), ['one\nstill one', 'twonested', 'nested']);
    assert.equal(await reply.locator('ol').getAttribute('start'), '3');
    assert.deepEqual(await texts('ol > li'), ['three', 'four']);
    assert.deepEqual(await texts('blockquote'), ['said\nso']);
    assert.deepEqual(await texts('thead th'), ['a', 'b | c']);
    assert.deepEqual(await texts('tbody td'), ['1', '2', '3', '']);
    const links = await reply.locator('a').evaluateAll((all) => all.map(({ href, rel, target, textContent }) => [textContent, href, rel, target]));
    const rel = 'noopener noreferrer nofollow';
    assert.deepEqual(links, [
      ['docs', 'https://docs.example/a_(b)', rel, '_blank'],
      ['https://bare.example/x_y_z', 'https://bare.example/x_y_z', rel, '_blank'],
      ['mail', 'mailto:a@b.example', rel, '_blank'],
      ['image: cat', 'https://img.example/cat.png', rel, '_blank'],
    ]);
    assert.match(await reply.textContent(), /snake_case_name 2 \* 3 \* 4 \*not slanted\* \*\*open/);
    assert.equal(await page.locator('img').count(), 0, 'no image is loaded from anywhere');
    // the same when it comes from the history
    const drawn = await reply.innerHTML();
    await page.reload();
    await page.locator('#log .reply .text strong').first().waitFor();
    assert.equal(await page.locator('#log .reply .text').innerHTML(), drawn);
  },

  async attacked({ open, live, converse }) {
    const page = await open();
    await live(page);
    const asked = [];
    page.on('request', (request) => new URL(request.url()).host !== new URL(page.url()).host && asked.push(request.url()));
    const reply = (await converse(page, 'Attack.')).locator('.text');
    const elements = await reply.locator('*').evaluateAll((all) => all.map((node) => [node.localName, ...node.getAttributeNames()].join(' ')));
    const harmless = /^(p class dir|p class dir role aria-level|strong|em|code|pre class dir tabindex aria-label|ul dir|li|blockquote dir|a href target rel)$/;
    assert.deepEqual(elements.filter((element) => !harmless.test(element)), []);
    const hrefs = await reply.locator('a').evaluateAll((all) => all.map((link) => link.protocol));
    assert.ok(hrefs.length > 0 && hrefs.every((protocol) => ['http:', 'https:', 'mailto:'].includes(protocol)), `${hrefs}`);
    const banks = await reply.locator('a', { hasText: 'bank.example' }).evaluateAll((all) => all.map(({ hostname }) => hostname));
    assert.deepEqual(banks, ['evil.example', 'evil.example'], 'a link has no other link in its label');
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.deepEqual(asked, [], 'nothing is fetched from elsewhere');
    // texts that are written to be slow are read in time
    const took = await page.evaluate(async () => {
      const { markdown } = await import('/inspector/markdown.js');
      const n = 90_000;
      const pieces = ['*', '**', '_', '`', '``', '[', '![', '](', '[a](', '> ', '- ', '1. ', '#', '# ', '|', '|-', 'https://', '<https://', '\\', '~~', ' ', '*a ', '**a ', '_a *b ', '[a](b ', '\n> ', '\n- ', '\n  - ', '\n|a|\n|-|', '-' + ' '.repeat(99), '`a``b'];
      const texts = pieces.flatMap((piece) => [piece.repeat(n / piece.length), `${piece.repeat(n / piece.length)}x`, `- ${' '.repeat(n)}x${piece}`]);
      let slowest = [0, ''];
      for (const text of texts) {
        const begun = performance.now();
        markdown(text);
        const took = performance.now() - begun;
        if (took > slowest[0]) slowest = [took, text.slice(0, 20)];
      }
      return slowest;
    });
    assert.ok(took[0] < 5_000, `${took}`);
  },

  async end({ open, live, converse }) {
    const page = await open();
    await live(page);
    for (const text of ['One', 'Two', 'Three']) await converse(page, text);
    const ended = () => {
      const list = document.getElementById('log');
      const replies = [...document.querySelectorAll('#log .reply[aria-busy=false]')];
      const { bottom } = replies.at(-1)?.getBoundingClientRect() ?? {};
      return replies.length === 3 && list.scrollHeight - list.scrollTop - list.clientHeight < 1.5 && bottom <= list.getBoundingClientRect().bottom + 1;
    };
    await page.waitForFunction(ended);
    const again = await open();
    await live(again);
    await again.waitForFunction(ended);
    await page.setViewportSize({ width: 390, height: 500 });
    await page.waitForFunction(ended);

    // who reads further up stays there
    await page.setViewportSize({ width: 1440, height: 600 });
    await page.waitForFunction(ended);
    await page.locator('#log').hover();
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(() => {
      const list = document.getElementById('log');
      return list.scrollHeight - list.scrollTop - list.clientHeight > 100;
    });
    const top = await page.locator('#log').evaluate((list) => list.scrollTop);
    await converse(again, 'Four');
    await page.locator('#log .reply[aria-busy=false]').nth(3).waitFor({ state: 'attached' });
    assert.ok(Math.abs((await page.locator('#log').evaluate((list) => list.scrollTop)) - top) < 2, 'it did not jump');
  },

  async lost({ open, live, create }) {
    const bad = await open({ fragment: '#channel=nowhere' });
    await bad.locator('#problem', { hasText: 'channel' }).waitFor();
    assert.ok(await bad.isVisible('#problem'));
    assert.equal(await bad.locator('#link').textContent(), 'not connected');
    await create(bad, 'somewhere');
    await live(bad);
    assert.equal(await bad.locator('#problem').textContent(), '', 'and it is over');

    const nobody = await open({ fragment: '#persona=nobody&channel=api:den' });
    await nobody.locator('#missed', { hasText: 'There is no persona “nobody” here' }).waitFor();
    await live(nobody);
    assert.ok(await nobody.isVisible('#missed'));
    await nobody.selectOption('#persona', 'ada');
    await nobody.locator('#missed').waitFor({ state: 'hidden' });
  },

  async resent({ open, live, converse }) {
    const page = await open();
    await live(page);
    await page.route('**/api/channels/*/messages', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
    await page.fill('#message', 'Hello there');
    await page.press('#message', 'Enter');
    await page.locator('#log .person', { hasText: 'not sent' }).waitFor();
    await page.waitForFunction(() => document.querySelector('#message').value === 'Hello there');
    await page.unroute('**/api/channels/*/messages');
    await page.press('#message', 'Enter');
    await page.locator('#log .reply[aria-busy=false] .text', { hasText: 'ok' }).waitFor();
    assert.equal(await page.locator('#log .person').count(), 1, 'the attempt that failed is gone');
    assert.equal(await page.locator('#log', { hasText: 'not sent' }).count(), 0);
    assert.equal(await (await converse(page, 'And on')).locator('.text').textContent(), 'ok');
  },

  async names({ open, live, converse }) {
    const page = await open({ fragment: '#persona=ada&channel=api:den' });
    await live(page);
    const ada = await converse(page, 'Hello Ada');
    await page.selectOption('#persona', 'bob');
    const bob = await converse(page, 'Hello Bob');
    assert.equal(await ada.locator('.by b').textContent(), 'Ada');
    assert.match(await bob.locator('.by b').textContent(), /^Bob /);
    const colour = (reply) => reply.locator('.sign').evaluate((sign) => getComputedStyle(sign).backgroundColor);
    assert.notEqual(await colour(ada), await colour(bob));
    assert.deepEqual([await ada.locator('.sign').textContent(), await bob.locator('.sign').textContent()], ['A', 'B']);
    for (const width of [1440, 1100, 950, 390]) {
      await page.setViewportSize({ width, height: 740 });
      const middle = (part) => page.locator(part).evaluate((node) => { const { top, bottom } = node.getBoundingClientRect(); return (top + bottom) / 2; });
      const beside = async (field, button) => {
        const middles = [await middle(field), await middle(button)];
        assert.ok(Math.abs(middles[0] - middles[1]) < 12, `${button} does not wrap alone at ${width}: ${middles}`);
      };
      await page.click('#open-panel');
      await page.click('#tab-compare');
      await beside('#compare-forgetful', '#compare-form button');
      await page.click('#close-panel');
      await page.click('#open-memories');
      await beside('#query', '#search button:not([type])');
      await page.click('#close-memories');
    }
  },

  async usage({ open, live }) {
    const page = await open();
    const used = { prompt_tokens: 1200, completion_tokens: 34, estimated: false, cost_micros: 450 };
    const row = { persona: 'ada', hour: used, day: used, tokens_per_hour: 2000, cost_per_day: 0.0001, standing: 'warned' };
    await page.route('**/api/usage', (route) => route.fulfill({ json: [row] }));
    await live(page);
    await page.click('#open-panel');
    await page.click('#tab-cast');
    const ada = page.locator('[aria-label=Personas] tbody tr', { hasText: 'ada' });
    await ada.getByText('1,234 of 2,000').waitFor();
    await ada.getByText('0.00045 of 0.0001').waitFor();
    assert.match(await ada.locator('th').textContent(), /Ada.* ▲ warned/);
  },
};
