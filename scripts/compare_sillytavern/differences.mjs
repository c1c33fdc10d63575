// The differences of two prompts, line by line. Names of differences are those of docs/persona-formats.md.

/** What each program says of its own. */
const OWN = [
  /Write .+?'s next reply in a fictional chat between .+? and .+?\.(?= |$)/,
  /You are [^.]+?, in a conversation with .+?\. Write .+?'s next reply and stay in character\.(?= |$)/,
];
const MARKS = ['[Example Chat]', '[Start a new Chat]', '## Personality', '## Scenario', 'Example conversation:'];

/** The lines of a prompt with their roles; `note` for a text of the host that has the role of the user. */
function lines(messages) {
  const names = { example_user: 'user', example_assistant: 'char' };
  return messages.flatMap(({ role, content, name }) => {
    let text = String(content);
    if (role === 'user' && text.startsWith('[Note: ') && text.endsWith(']')) {
      [role, text] = ['note', text.slice('[Note: '.length, -1)];
    }
    const speaker = names[name];
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .map((line) => ({ role, line, example: Boolean(speaker) }));
  });
}

/** An example of ours begins with the speaker; theirs has the speaker as a field. */
const bare = (line) => line.replace(/^[^:]{1,40}: /, '');

/** Takes the sentence that a program says of its own from a line. */
function withoutOwn(found, listed) {
  return found.flatMap((each) => {
    if (MARKS.includes(each.line)) {
      listed.add(each.line.startsWith('##') ? 'headings' : 'examples');
      return [];
    }
    for (const own of OWN) {
      if (own.test(each.line)) {
        listed.add('own sentence');
        const rest = each.line.replace(own, '').trim();
        return rest ? [{ ...each, line: rest }] : [];
      }
    }
    return [each];
  });
}

/** The longest common subsequence, as pairs of indices. */
function common(one, other, same) {
  const length = Array.from({ length: one.length + 1 }, () => new Array(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      length[i][j] = same(one[i], other[j]) ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (same(one[i], other[j])) pairs.push([i++, j++]);
    else if (length[i + 1][j] >= length[i][j + 1]) i++;
    else j++;
  }
  return pairs;
}

/** The lines of a card's texts that chance fills in, as expressions that match every outcome. */
export function chances(texts) {
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const byChance = texts.flatMap((text) => text.split('\n')).filter((line) => /\{\{(random|roll|pick)\b/i.test(line));
  return byChance.map((line) => new RegExp(`^${bare(line.trim()).split(/\{\{.*?\}\}/).map(escaped).join('.*')}$`));
}

/**
 * Compares SillyTavern's messages with Greenroom's, for a card of a `name` and perhaps a `nickname`. Of its entries,
 * SillyTavern leaves those in `dropped` out by their place, and puts those in `moved` somewhere else. `texts` are those of
 * the card.
 */
export function differences(theirMessages, ourMessages, { name, nickname, dropped, moved, texts }) {
  const listed = new Set();
  const theirs = withoutOwn(lines(theirMessages), listed);
  const ours = withoutOwn(lines(ourMessages), listed);
  const plain = ({ line }) => (nickname ? line.replaceAll(nickname, name) : line);
  const same = (their, our) => plain(their) === plain(our) || (their.example && plain(their) === bare(plain(our)));
  const pairs = common(theirs, ours, same);
  const others = [];
  for (const [i, j] of pairs) {
    const [their, our] = [theirs[i], ours[j]];
    if (nickname && their.line !== our.line && our.line.includes(nickname)) listed.add('nickname');
    if (their.example) listed.add('examples');
    else if (their.role === 'system' && our.role === 'note') listed.add('notes');
    else if (their.role !== our.role) others.push(`“${their.line}” is ${their.role} there, ${our.role} here`);
  }
  const left = theirs.filter((_, i) => !pairs.some(([n]) => n === i));
  const right = ours.filter((_, j) => !pairs.some(([, n]) => n === j));
  for (const their of left) {
    const at = right.findIndex((our) => same(their, our));
    const drawn = right.findIndex((our) => chances(texts).some((line) => [their, our].every((it) => line.test(it.line) || line.test(bare(it.line)))));
    if (at < 0 && drawn >= 0) {
      right.splice(drawn, 1);
      listed.add('chance');
      continue;
    }
    if (at < 0) {
      others.push(`only SillyTavern (${their.role}): ${their.line}`);
      continue;
    }
    const [{ line }] = right.splice(at, 1);
    if (moved.some((text) => text.includes(line))) listed.add('words for places');
    else others.push(`another order: ${line}`);
  }
  for (const our of right) {
    if (dropped.some((text) => text.includes(our.line))) listed.add('entries at examples');
    else others.push(`only Greenroom (${our.role}): ${our.line}`);
  }
  return { same: pairs.length, listed: [...listed], others };
}
