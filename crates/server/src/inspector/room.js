// Who belongs to the channel: its members, inviting and letting leave, quiet, and how far personas may talk on.

import { call, path } from './api.js';
import { byId, el, fact, number, say, time } from './dom.js';
import { called, everybody, face, nameOf, nameplate, personFace } from './names.js';

/** Why a persona belongs to a channel. */
const VIA = {
  file: 'its file says so',
  settings: 'the settings say so',
  invited: 'was invited',
  addressed: 'was addressed here',
  alone: 'is the only persona',
};

/** When a persona answers. */
export const POLICY = {
  never: 'answers nobody',
  mentioned: 'answers when it is mentioned',
  addressed: 'answers when it is spoken to',
  relevant: 'answers what concerns it',
  talkative: 'joins in now and then',
  always: 'answers everything',
};

/** Which personas of a room may answer. */
const ROOM_POLICY = {
  free: 'each persona by its own rule',
  'round-robin': 'one after the other',
  moderator: 'a moderator picks who answers',
  quiet: 'only who is mentioned',
};

const HOUR = 3600;
/** Later than this is never, in microseconds since 1970. */
const FOREVER = 8e15;

/** The members of the open channel. `changed()` is called when they are known, or others than before. */
export class Room {
  constructor(changed) {
    this.changed = changed;
    this.box = byId('room');
    this.menu();
    this.enter('');
  }

  /** Another channel is open. */
  enter(key) {
    Object.assign(this, { key, known: null, spoke: new Set() });
    this.draw();
    if (key) this.refresh();
  }

  /** Whether the server tells of members. */
  get isKnown() {
    return this.known !== null;
  }

  /** Whether nobody answers now. */
  get isQuiet() {
    return (this.known?.quiet_until ?? 0) > Date.now() * 1000;
  }

  /** The personas in the channel; without the server's word, those that have spoken. */
  here() {
    const members = this.known?.members.filter(({ kind }) => kind === 'persona').map(({ id, name }) => (everybody().includes(id) ? id : name));
    return new Set(members ?? this.spoke);
  }

  /** A persona was heard. */
  heard(persona) {
    if (this.here().has(persona)) return;
    this.spoke.add(persona);
    if (this.isKnown) this.refresh();
    else this.draw();
  }

  address(rest = '') {
    return path`/api/channels/${this.key}/` + rest;
  }

  async refresh() {
    const { key } = this;
    if (!key) return;
    // what was known stays so while the server cannot be asked
    const known = await call('GET', this.address('members')).catch(() => this.known);
    if (key !== this.key) return;
    const differs = JSON.stringify(known) !== JSON.stringify(this.known);
    this.known = known;
    if (!differs) return;
    this.draw();
    this.changed();
  }

  /** Does something and shows what came of it. */
  async act(method, rest, body) {
    try {
      await call(method, this.address(rest), body);
      this.problem = '';
    } catch (error) {
      this.problem = error.message;
    }
    await this.refresh();
    this.draw();
  }

  invite(persona) {
    return this.act('POST', 'members', { persona });
  }

  /** The row of a member. */
  member({ kind, id, name, via, since, policy }) {
    const isPersona = kind === 'persona';
    const persona = everybody().includes(id) ? id : name;
    const words = [isPersona ? POLICY[policy] ?? policy : kind === 'bot' ? 'a foreign bot' : 'a person', VIA[via] ?? via].filter(Boolean);
    return el('li', {},
      isPersona ? [face(persona), ...nameOf(persona)] : [personFace(id, name), el('b', {}, name)],
      el('p', { class: 'quiet' }, words.join(' · '), since && [' · since ', time(since)]),
      isPersona && el('button', { type: 'button', onclick: () => this.act('DELETE', path`members/${persona}`) }, `Let ${called(persona)} leave`));
  }

  quiet() {
    const { quiet_until: until } = this.known;
    const button = (text, act) => el('button', { type: 'button', onclick: act }, text);
    if (until) return [el('span', {}, 'Quiet until ', until < FOREVER ? time(until) : 'it is lifted'), button('Lift', () => this.act('DELETE', 'quiet'))];
    return [
      button('Quiet for an hour', () => this.act('POST', 'quiet', { for_secs: HOUR })),
      button('Quiet until lifted', () => this.act('POST', 'quiet', { for_secs: null })),
      el('span', { class: 'quiet' }, 'Then nobody answers.'),
    ];
  }

  draw() {
    const focus = this.box.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.box.replaceChildren(...[this.known ? this.whole() : this.partly()].flat().filter(Boolean));
    if (focus) ([...this.box.querySelectorAll('button')].find(({ textContent }) => textContent === focus) ?? this.box).focus();
    const names = [...this.here()].map(called);
    byId('who').hidden = !names.length;
    say(byId('who'), names.length > 3 ? `${number(names.length)} personas` : names.join(', '));
    byId('invite').hidden = !this.known || this.absent().length === 0;
  }

  absent() {
    const here = this.here();
    return everybody().filter((name) => !here.has(name));
  }

  whole() {
    const { policy, problem, bound, members } = this.known;
    const absent = this.absent();
    return [
      el('h2', {}, 'Members'),
      this.problem && el('p', { class: 'problem', role: 'alert' }, this.problem),
      el('ul', { class: 'cards members' }, members.map((member) => this.member(member))),
      !members.length && el('p', { class: 'quiet' }, 'Nobody yet. Invite a persona, or address one.'),
      absent.length > 0 && [el('h3', {}, 'Invite'), el('div', { class: 'row', role: 'group', 'aria-label': 'Invite' }, absent.map((name) => el('button', { type: 'button', onclick: () => this.invite(name) }, nameplate(name))))],
      el('h3', {}, 'Who answers'),
      problem && el('p', { class: 'problem' }, problem),
      el('dl', {}, fact('rule', ROOM_POLICY[policy] ?? policy), fact('after the last word of a person', bound && `at most ${number(bound.replies)} replies${bound.tokens ? `, ${number(bound.tokens)} tokens` : ''}`)),
      el('h3', {}, 'Quiet'),
      el('div', { class: 'row' }, this.quiet()),
    ].flat();
  }

  /** What is known where the server tells nothing of members. */
  partly() {
    const names = [...this.spoke];
    return [
      el('h2', {}, 'Personas that spoke here'),
      names.length ? el('ul', { class: 'cards members' }, names.map((name) => el('li', {}, nameplate(name)))) : el('p', { class: 'quiet' }, 'None yet. Mention one with @.'),
    ];
  }

  /** The menu behind the button that invites. */
  menu() {
    const button = byId('invite');
    const list = byId('invitable');
    const show = (open) => {
      list.hidden = !open;
      button.setAttribute('aria-expanded', String(open));
      if (!open) return;
      list.replaceChildren(...this.absent().map((name) => el('li', { role: 'none' }, el('button', { type: 'button', role: 'menuitem', tabindex: -1, onclick: () => (show(false), button.focus(), this.invite(name)) }, nameplate(name)))));
      list.querySelector('button')?.focus();
    };
    button.addEventListener('click', () => show(list.hidden));
    list.addEventListener('focusout', ({ relatedTarget }) => list.contains(relatedTarget) || relatedTarget === button || show(false));
    list.addEventListener('keydown', (event) => {
      const all = [...list.querySelectorAll('button')];
      const at = all.indexOf(document.activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
      if (event.key === 'Escape') (show(false), button.focus());
      if (to === undefined) return;
      event.preventDefault();
      all[(to + all.length) % all.length].focus();
    });
  }
}
