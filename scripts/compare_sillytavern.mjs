// Has SillyTavern and Greenroom answer with the same cards, and compares what they send: see scripts/compare-sillytavern.

import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';

import { differences } from './compare_sillytavern/differences.mjs';
import { samples } from './compare_sillytavern/samples.mjs';

const run = promisify(execFile);
const tools = resolve('target/tools');
const tavern = join(tools, 'sillytavern/node_modules/sillytavern');
const program = resolve(process.env.GREENROOM_BIN ?? 'target/debug/greenroom');
const { chromium } = createRequire(join(tools, 'here.js'))('playwright-core');
const MODEL = 'gpt-4o-mini';
const USER = 'Mia';
const PATIENCE = 240_000;
/** SillyTavern's numbers for entries before and after the examples. */
const AT_EXAMPLES = [5, 6];
const place = mkdtempSync(join(tmpdir(), 'compare-'));
const ended = [() => rmSync(place, { recursive: true, force: true })];

/** What is said to a card that is not ours; its keys are said, too. */
const SAID = ['Hello, who are you?', 'Tell me about this place.', 'And what happens next?'];

/** An endpoint that answers "Reply 1.", "Reply 2." … and keeps the requests. */
async function endpoint() {
  let asked = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const head = { id: 'x', created: 0, model: MODEL };
    if (request.url.endsWith('/models')) return response.end(JSON.stringify({ object: 'list', data: [{ id: MODEL }] }));
    if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end();
    const { messages, stream } = JSON.parse(body);
    asked.push(messages);
    const content = `Reply ${asked.length}.`;
    if (!stream) {
      response.setHeader('content-type', 'application/json');
      const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content } };
      return response.end(JSON.stringify({ ...head, object: 'chat.completion', choices: [choice] }));
    }
    response.setHeader('content-type', 'text/event-stream');
    for (const choice of [{ delta: { role: 'assistant', content } }, { delta: {}, finish_reason: 'stop' }]) {
      const chunk = { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  ended.push(() => server.close());
  const taken = () => [asked, (asked = [])][0];
  return { url: `http://127.0.0.1:${server.address().port}/v1`, taken };
}

/** SillyTavern's page in a browser, connected to the endpoint. */
async function openTavern(url) {
  const config = join(place, 'config.yaml');
  cpSync(join(tavern, 'default/config.yaml'), config);
  const port = 18_000 + (process.pid % 1_000);
  const flags = ['--dataRoot', join(place, 'tavern'), '--configPath', config, '--port', port];
  const server = spawn('node', ['server.js', ...flags, '--browserLaunchEnabled', 'false', '--disableCsrf'], { cwd: tavern });
  ended.push(() => server.kill());
  let log = '';
  await new Promise((up, failed) => {
    const read = (data) => {
      log += data;
      if (/is listening/.test(log)) up();
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('exit', () => failed(new Error(log)));
  });
  const file = join(place, 'tavern/default-user/settings.json');
  const settings = JSON.parse(readFileSync(existsSync(file) ? file : join(tavern, 'default/content/settings.json'), 'utf8'));
  Object.assign(settings, { firstRun: false, username: USER, main_api: 'openai' });
  Object.assign(settings.oai_settings, {
    chat_completion_source: 'custom',
    custom_url: url,
    custom_model: MODEL,
    max_context_unlocked: true,
    openai_max_context: 32_000,
    stream_openai: false,
    bypass_status_check: true,
  });
  // the lorebook of a card is imported below
  settings.power_user.world_import_dialog = false;
  writeFileSync(file, JSON.stringify(settings));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  ended.push(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForFunction(() => globalThis.SillyTavern?.getContext && !document.querySelector('#preloader'));
  await page.evaluate(() => document.querySelector('#api_button_openai').click());
  await page.waitForFunction(() => SillyTavern.getContext().onlineStatus !== 'no_connection');
  return page;
}

/** Has SillyTavern import a card. Returns its number and its data, or nothing where SillyTavern does not import it. */
async function openInTavern(page, file) {
  const upload = { bytes: readFileSync(file, 'base64'), name: basename(file), kind: extname(file).slice(1) };
  return page.evaluate(async ({ upload, user }) => {
    const context = SillyTavern.getContext();
    const form = new FormData();
    form.append('avatar', new File([Uint8Array.from(atob(upload.bytes), (c) => c.charCodeAt(0))], upload.name));
    form.append('file_type', upload.kind);
    form.append('user_name', user);
    const headers = context.getRequestHeaders({ omitContentType: true });
    const answer = await fetch('/api/characters/import', { method: 'POST', body: form, headers });
    const { file_name } = answer.ok ? await answer.json() : {};
    if (!file_name) return undefined;
    await context.getCharacters();
    const id = context.characters.findIndex((character) => character.avatar === `${file_name}.png`);
    const body = JSON.stringify({ avatar_url: `${file_name}.png` });
    const character = await fetch('/api/characters/get', { method: 'POST', body, headers: context.getRequestHeaders() });
    return { id, data: JSON.parse((await character.json()).json_data) };
  }, { upload, user: USER });
}

/** Whether SillyTavern sees the same card in two files. It gives each import a date, a chat and a picture of its own. */
function sameInTavern(one, other) {
  const [before, after] = [one, other].map(({ data: { create_date, chat, avatar, ...data } }) => data);
  return isDeepStrictEqual(before, after);
}

/** Has SillyTavern talk in the role of a card. Returns what was said, and what the comparison has to know of the card. */
async function talkInTavern(page, id, wanted) {
  await page.evaluate((id) => SillyTavern.getContext().selectCharacterById(id), id);
  await page.evaluate(async (id) => {
    const context = SillyTavern.getContext();
    const book = context.characters[id].data?.character_book;
    if (!book?.entries?.length) return;
    const worlds = await import('/scripts/world-info.js');
    const name = `Book ${id}`;
    await worlds.saveWorldInfo(name, worlds.convertCharacterBook(book), true);
    await worlds.updateWorldInfoList();
    await context.writeExtensionField(id, 'world', name);
  }, id);
  const data = await page.evaluate((id) => SillyTavern.getContext().characters[id].data ?? {}, id);
  const entries = data.character_book?.entries ?? [];
  const keys = entries.flatMap((entry) => entry.keys ?? []).filter((key) => /^[\p{L}\d ]+$/u.test(key));
  const said = wanted ?? [...SAID, ...(keys.length ? [`What of ${keys.slice(0, 6).join(', ')}?`] : [])];
  const texts = (wanted) => entries.filter(wanted).map(({ content }) => content);
  const dropped = texts(({ extensions }) => AT_EXAMPLES.includes(extensions?.position));
  const moved = texts(({ position, extensions }) => extensions?.position === undefined && position === 'before_char_defs');
  for (const text of said) {
    await page.evaluate((text) => SillyTavern.getContext().executeSlashCommandsWithOptions(`/send ${text} | /trigger await=true`), text);
  }
  const spoken = [data.description, data.first_mes, data.mes_example, ...entries.map(({ content }) => content)];
  return { said, card: { name: data.name, nickname: data.nickname, dropped, moved, texts: spoken.filter(Boolean) } };
}

/** Has Greenroom talk in the role of a card, and write the card again. Returns the file that it wrote. */
async function talkInGreenroom(file, said, url) {
  const home = mkdtempSync(join(place, 'home-'));
  const env = { ...process.env, GREENROOM_DATA: join(home, 'data'), GREENROOM_PERSONAS: join(home, 'personas') };
  const here = { cwd: home, env };
  const { stdout } = await run(program, ['persona', 'import', file], here);
  const name = basename(stdout.trim(), '.md');
  for (const text of said) {
    await run(program, ['chat', name, text, '--user', USER, '--no-memory', '--base-url', url, '--model', MODEL], here);
  }
  const exported = join(home, `exported${extname(file)}`);
  await run(program, ['persona', 'export', name, '--out', exported], here);
  return exported;
}

async function main() {
  const model = await endpoint();
  const page = await openTavern(model.url);
  const cards = process.argv.slice(2).map((file) => ({ file: resolve(file) }));
  if (cards.length === 0) {
    for (const { name, card, said } of samples) {
      const file = join(place, `${name}.json`);
      writeFileSync(file, JSON.stringify(card));
      cards.push({ file, said });
    }
  }
  let [unlisted, refused] = [0, 0];
  for (const { file, said: wanted } of cards) {
    const opened = await openInTavern(page, file);
    if (!opened) {
      console.log(`${basename(file)}: SillyTavern does not import it`);
      refused += 1;
      continue;
    }
    const { said, card } = await talkInTavern(page, opened.id, wanted);
    const theirs = model.taken();
    const exported = await talkInGreenroom(file, said, model.url);
    const ours = model.taken();
    if (process.env.SHOW) console.log(JSON.stringify({ theirs, ours }, null, 1));
    const found = theirs.map((messages, n) => differences(messages, ours[n] ?? [], card));
    const listed = [...new Set(found.flatMap(({ listed }) => listed))];
    const same = found.reduce((sum, { same }) => sum + same, 0);
    console.log(`${basename(file)}: ${theirs.length} prompts, ${same} lines the same; listed differences: ${listed.join(', ') || 'none'}`);
    found.forEach(({ others }, n) => others.forEach((other) => console.log(`  prompt ${n + 1}: ${other}`)));
    if (!sameInTavern(opened, (await openInTavern(page, exported)) ?? { data: {} })) {
      console.log('  SillyTavern sees another card in what Greenroom exports');
      unlisted += 1;
    }
    unlisted += found.reduce((sum, { others }) => sum + others.length, 0) + (theirs.length === ours.length ? 0 : 1);
  }
  console.log(`${cards.length} cards, ${refused} that SillyTavern does not import, ${unlisted} differences that are not listed`);
  return unlisted ? 1 : 0;
}

let code = 1;
try {
  code = await main();
} catch (error) {
  console.error(error);
} finally {
  for (const end of ended.reverse()) await end();
}
process.exit(code);
