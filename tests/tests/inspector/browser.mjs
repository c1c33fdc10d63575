// Plays one scene: node browser.mjs FILE SCENE URL [KEY]. What it needs lies in target/tools, put there by
// scripts/test.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const tools = resolve(here, '../../../target/tools');
const [file, name, url, key] = process.argv.slice(2);

function fail(problem) {
  console.error(problem);
  process.exit(1);
}

function tool(module) {
  try {
    return createRequire(join(tools, 'here.js'))(module);
  } catch {
    return fail(`${module} is missing in ${tools}: run scripts/test, which installs what the tests need`);
  }
}

function chromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const places = process.env.PATH.split(delimiter).flatMap((folder) => names.map((each) => join(folder, each)));
  return places.find(existsSync) ?? fail('chromium is missing: run scripts/test, or install the package chromium');
}

/** Hands a value to the test that plays the scene. */
const seen = (value) => console.log(`seen ${JSON.stringify(value)}`);
/** Lets an answer of the endpoint that stalls go on. */
const release = () => console.log('release');

const { scenes } = await import(join(here, file));
/** What is waited for comes; this long only where something is wrong. The machine may be busy with other tests. */
const PATIENCE = 120_000;
const launched = { executablePath: chromium(), args: ['--no-sandbox'], timeout: PATIENCE };
const browser = await tool('playwright-core').chromium.launch(launched);
const wrong = [];

/** A page at the server, `init` run before its scripts; what goes wrong in it fails the scene. */
async function open({ fragment = '', init, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (error) => wrong.push(`an error in the page: ${error.message}`));
  page.on('dialog', (dialog) => (wrong.push(`a dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on('console', (line) => /Content Security Policy|Trusted/.test(line.text()) && wrong.push(line.text()));
  if (init) await page.addInitScript(init);
  await page.goto(url + '/' + fragment);
  return page;
}

/** Waits until the page hears the channel. */
const live = (page) => page.locator('#link', { hasText: 'live' }).waitFor();

/** Says something and waits for the end of the reply; gives the reply. */
async function converse(page, text) {
  await live(page);
  const before = await page.locator('#log .reply').count();
  await page.fill('#message', text);
  await page.press('#message', 'Enter');
  const reply = page.locator('#log .reply').nth(before);
  await reply.and(page.locator('[aria-busy=false]')).waitFor();
  return reply;
}

/** Asks why of a message: the inspector opens at it. */
async function why(row) {
  await row.hover();
  await row.locator('.trace').click();
}

/** Opens a channel by its name or address; nobody is invited. */
async function create(page, name) {
  await page.click('#new-channel');
  for (const box of await page.locator('#create input[type=checkbox]').all()) await box.uncheck();
  await page.fill('#channel', name);
  await page.click('#create .primary');
}

const axe = async (page) => {
  const { readFileSync } = await import('node:fs');
  await page.evaluate(readFileSync(join(tools, 'node_modules/axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
};

try {
  await scenes[name]({ open, live, converse, why, create, axe, seen, release, url, key });
  if (wrong.length) throw new Error(wrong.join('\n'));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  // a request of the page that the scene answers may be under way still, and its answer comes too late
  process.on('unhandledRejection', () => {});
  await browser.close();
}
