// What is inspected: the message that a person asks about, or else the newest reply.

import { decisions } from './decision.js';
import { byId } from './dom.js';
import { TurnView } from './inspect.js';
import { go, place } from './place.js';
import { authorOf, beginning } from './row.js';

/** What the inspector shows of the conversation in a log. */
export class Inspection {
  /** `room` tells whether decisions are known, `channel()` is the open channel. */
  constructor(log, room, channel) {
    Object.assign(this, { log, room, channel });
    this.view = new TurnView(byId('shown-to'), (turn) => log.relabel(turn));
    this.decision = decisions((id) => {
      const entry = log.said(id);
      return entry && `${authorOf(entry)}: ${beginning(entry)}`;
    });
    this.clear();
  }

  /** Shows nothing: another channel is open. */
  clear() {
    [this.chosen, this.newest, this.asked] = [null, null, false];
    this.empty();
  }

  empty() {
    this.view.empty('Choose “Why” at a message: here stands who answered or stayed silent, and what each was shown.');
    this.decision();
  }

  /** Something was erased that may have been shown: what is inspected is asked of the server again. */
  erased() {
    this.empty();
    return this.show();
  }

  /** What gets the focus when the inspector closes: the button at the message that opened it. */
  get back() {
    return this.asked ? this.log.whyOf(this.chosen) : null;
  }

  /** Shows a message because a person asked why, and leads there. */
  ask(entry) {
    this.asked = true;
    go({ tab: 'turn' });
    byId('panel').querySelector('[role=tab][aria-selected=true]').focus();
    return this.show(entry);
  }

  /** A message is gone: nothing of it is shown any more. */
  removed(entry) {
    if (this.chosen === entry) this.clear();
  }

  /** Shows a message, as far as the inspector is open. */
  async show(entry = this.chosen) {
    if (!entry) return;
    this.chosen = entry;
    this.log.select(entry.key);
    if (!place.tab) return;
    try {
      if (entry.kind === 'person') await this.person(entry);
      else await this.reply(entry);
    } catch (error) {
      this.view.empty(error.message);
    }
  }

  /** Shows why a message was answered, where the server tells. */
  explain(id, reply) {
    return this.decision(place.channel, this.room.isKnown ? id : null, reply);
  }

  async person(entry) {
    const answers = this.explain(entry.id);
    const show = (turns) => this.view.message(entry, turns, (turn) => this.ask(this.log.byEvent(`turn:${turn.id}`) ?? entry));
    show([]);
    const turns = await answers;
    // a turn that was heard on this page says more of itself
    if (turns?.length && this.chosen === entry) show(turns.map((turn) => this.channel().turns.get(turn.id) ?? turn));
  }

  async reply(entry) {
    const known = entry.turn?.stale ? null : entry.turn;
    const turn = known ?? (await this.channel().turn(entry.turnId));
    if (this.chosen !== entry) return;
    if (entry.turn?.stale) entry.turn = turn;
    this.view.show(turn);
    this.log.relabel(turn);
    this.explain(turn.trigger, entry.id);
  }

  /** A turn began: it is shown, unless another one was chosen. */
  began(entry) {
    if (!this.chosen || this.chosen.key === this.newest || this.chosen === entry) this.show(entry);
    this.newest = entry.key;
  }

  /** A channel with a history opens with its newest reply. */
  loaded() {
    const last = this.log.newest(({ turnId, kind }) => kind === 'reply' && turnId);
    if (this.chosen || !last) return;
    this.newest = last.key;
    this.show(last);
  }
}
