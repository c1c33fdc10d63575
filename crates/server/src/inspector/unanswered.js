// Says that nobody answers a message: on the page that sent it, on every other, and after a reload.

import { call, path } from './api.js';

/** How many of the newest messages are looked at. */
const LOOKED_AT = 20;

/** Makes the part work. Returns `mark(event)`, which says it of a message, and `look(channel)`, which asks the server about the newest. */
export function unanswered(log, room) {
  const decided = new Set();
  const mark = (event) => {
    const remedy = room.isQuiet ? 'The room is quiet; the tab “Channel” lifts that.' : 'Mention a persona with @, or choose one after “To”.';
    log.mark(event, { unanswered: `Nobody answers this. ${remedy}` });
  };
  const look = async (channel) => {
    for (const entry of log.withoutReply(LOOKED_AT)) {
      if (decided.has(`${channel} ${entry.id}`)) continue;
      try {
        const { rounds, answers } = await call('GET', path`/api/channels/${channel}/messages/${entry.id}/decision`);
        // it is asked again while a moderator thinks
        if (!answers.length && !rounds.length && entry === log.newest(() => true)) continue;
        decided.add(`${channel} ${entry.id}`);
        if (!answers.length && rounds.length) mark(entry.event);
      } catch {
        // what cannot be read is not said; the next look tries again
      }
    }
  };
  return { mark, look };
}
