// Cards of our own, each for a part of a card's behaviour, with what is said to them.

const card = (data) => ({
  spec: 'chara_card_v2',
  spec_version: '2.0',
  data: {
    name: 'Nova',
    description: '{{char}} flies a ship with {{user}}.\n\nShe is a captain.',
    personality: 'brave',
    scenario: 'A dock at night.',
    first_mes: 'Welcome, {{user}}.',
    mes_example: '<START>\n{{user}}: Where to?\n{{char}}: Out.\n<START>\n{{char}}: Hm.',
    creator_notes: '',
    system_prompt: '',
    post_history_instructions: '',
    alternate_greetings: [],
    tags: [],
    creator: '',
    character_version: '',
    extensions: {},
    ...data,
  },
});

let id = 0;
const entry = (keys, content, fields = {}, extensions = {}) => ({
  id: id++,
  keys: [keys].flat(),
  content,
  enabled: true,
  insertion_order: 100,
  position: 'before_char',
  ...fields,
  extensions,
});
const book = (...entries) => ({ character_book: { name: `Book ${id}`, extensions: {}, entries } });

export const samples = [
  { name: 'plain', card: card({}), said: ['Hello.', 'Where are we?'] },
  {
    name: 'instructions',
    card: card({
      system_prompt: '{{original}} Be brief, {{char}}.',
      post_history_instructions: 'Stay calm, {{char}}.',
      extensions: { depth_prompt: { prompt: 'Fuel is low for {{user}}.', depth: 2, role: 'system' } },
    }),
    said: ['Hello.', 'Where are we?', 'Go on.'],
  },
  { name: 'own-prompt', card: card({ system_prompt: 'Speak as {{char}}.', first_mes: '', mes_example: '' }), said: ['Hello.', 'Again.'] },
  {
    name: 'places',
    card: card(
      book(
        entry('engine', 'The engine hums for {{char}}.', { insertion_order: 10 }),
        entry('engine', 'It is old.', { insertion_order: 5 }),
        entry('engine', 'After the prompt.', { position: 'after_char' }),
        entry('engine', 'Among messages.', {}, { position: 4, depth: 1, role: 0 }),
        entry('engine', 'The user knows it.', {}, { position: 4, depth: 2, role: 1 }),
        entry('engine', 'She thinks so.', {}, { position: 4, depth: 0, role: 2 }),
        entry('engine', 'Before the examples.', {}, { position: 5 }),
        entry('engine', 'After the examples.', {}, { position: 6 }),
      ),
    ),
    said: ['Hello.', 'How is the engine?', 'Thanks.', 'Bye.'],
  },
  {
    name: 'keys',
    card: card(
      book(
        entry('cat', 'A whole word.'),
        entry('old ship', 'Several words.'),
        entry('Port', 'With its case.', { case_sensitive: true }, { case_sensitive: true }),
        entry('/drag(on)?s/i', 'An expression.'),
        entry('{{char}}', 'Her own name.'),
        entry('welcome', 'Said in the greeting.'),
        entry('ship', 'With a second key.', { selective: true, secondary_keys: ['old'] }),
        entry('ship', 'Without a second key.', { selective: true, secondary_keys: ['new'] }, { selectiveLogic: 2 }),
        entry('ship', 'Not all.', { selective: true, secondary_keys: ['old', 'new'] }, { selectiveLogic: 1 }),
        entry('ship', 'All.', { selective: true, secondary_keys: ['old', 'rusty'] }, { selectiveLogic: 3 }),
        entry('ship', 'Not selective.', { secondary_keys: ['absent'] }),
        entry([], 'Always.', { constant: true }),
        entry('Always', 'Found in another entry.'),
        entry('Always', 'Not found there.', {}, { exclude_recursion: true }),
        entry('Found', 'Only in another entry.', {}, { delay_until_recursion: true }),
        entry('ship', 'Keeps to itself: zebra.', {}, { prevent_recursion: true }),
        entry('zebra', 'Never found.'),
        entry('ship', 'No place given.', { position: undefined }),
        entry('port', 'Far back.', {}, { scan_depth: 6 }),
      ),
    ),
    said: ['Hello.', 'I see the port and a concatenation.', 'The old ship, with two DRAGONS and a cat.', 'A new, rusty, old ship.', 'So.', 'So?'],
  },
  {
    name: 'time',
    card: card(
      book(
        entry('bell', 'It rings on.', {}, { sticky: 4 }),
        entry('bell', 'It rests.', {}, { cooldown: 4 }),
        entry('bell', 'Both.', {}, { sticky: 2, cooldown: 4 }),
        entry('bell', 'Late.', {}, { delay: 6 }),
        entry('bell', 'The first of a group.', { insertion_order: 50 }, { group: 'g', group_override: true }),
        entry('bell', 'The second of a group.', { insertion_order: 60 }, { group: 'g', group_override: true }),
      ),
    ),
    said: ['The bell.', 'Quiet.', 'The bell again.', 'So.', 'So?', 'The bell once more.', 'Well.', 'The bell at last.'],
  },
];
