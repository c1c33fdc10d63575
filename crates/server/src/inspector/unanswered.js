// Says that nobody answers a message: on the page that sent it, on every other, and after a reload.

import { call, path } from './api.js';

/** Makes the part work. Returns `mark(event)`, which says it of a message, and `look(channel)`, which asks the server about the newest. */
export function unanswered(log, room) {
  let asked = 0;
  const mark = (event) => {
    const remedy = room.isQuiet ? 'The room is quiet; the tab “Channel” lifts that.' : 'Mention a persona with @, or choose one after “To”.';
    log.mark(event, { unanswered: `Nobody answers this. ${remedy}` });
  };
  const look = async (channel) => {
    const last = log.newest(() => true);
    if (last?.kind !== 'person' || last.id === undefined || last.id === asked) return;
    try {
      const { rounds, answers } = await call('GET', path`/api/channels/${channel}/messages/${last.id}/decision`);
      const decided = answers.length > 0 || rounds.length > 0;
      // it is asked again while a moderator thinks
      if (decided) asked = last.id;
      if (decided && !answers.length && log.newest(() => true) === last) mark(last.event);
    } catch {
      // what cannot be read is not said; the next look tries again
    }
  };
  return { mark, look };
}
