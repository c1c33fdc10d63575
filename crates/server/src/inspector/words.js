// Plain words for what the API calls by short names, each with a sentence that explains it.

import { el } from './dom.js';

/** Who stands behind a memory. */
const TRUST = {
  operator: ['from the operator', 'Written by the operator of this server.'],
  persona: ['from the persona', 'Written by the persona’s own tools while it answered nobody.'],
  stranger: ['from a conversation', 'Learned from a person who spoke here: it is quoted to the model and never taken as an instruction.'],
};

/** The way a memory came. */
const WAYS = {
  api: ['written by hand', 'Written on this page or over the API.'],
  asked: ['on request', 'Somebody said “remember …”.'],
  cli: ['written by hand', 'Written with the command `greenroom memory`.'],
  event: ['from an event', 'Reported by a program.'],
  import: ['imported', 'Read from an export.'],
  learned: ['noticed', 'A fact that a model noticed in the conversation.'],
  mcp: ['over MCP', 'Written by an MCP host.'],
  preference: ['noticed', 'A preference that a person stated.'],
  session: ['summary', 'What a conversation was about, in short.'],
  tool: ['by the persona', 'Written by the persona with its tool `remember`.'],
  tool_result: ['from a tool', 'What a tool answered.'],
};

/** How long a memory lasts. */
const TIERS = {
  semantic: ['knowledge', 'Kept until it is changed or forgotten.'],
  episodic: ['event', 'Something that happened: kept for a while.'],
  conversation: ['conversation', 'What a conversation was about: kept for a few days.'],
};

/** What a notice of a turn is about. */
const NOTICES = {
  memory_degraded: ['memory', 'Recall or capture did not do all of its work.'],
  context_warning: ['context', 'The context is nearly full.'],
  remembered: ['memory', 'What was remembered, and who may know it.'],
  budget_warning: ['cost', 'A limit is reached.'],
  retrying: ['again', 'The model was asked again.'],
  tools_cut_off: ['tools', 'Calls of tools were cut off.'],
  not_sent: ['not sent', 'The reply nearly repeated an earlier one.'],
  reply_discarded: ['afresh', 'The reply began again.'],
};

/** A word with its explanation; one that is not known stands as it is. */
function word(words, name) {
  const [text, title] = words[name] ?? [name];
  return el('span', { title }, text);
}

export const notice = ({ code, message }) => el('li', {}, el('b', {}, word(NOTICES, code)), ' ', message);
export const trust = (name) => word(TRUST, name);
export const way = (name) => word(WAYS, name);
export const tier = (name) => word(TIERS, name);
