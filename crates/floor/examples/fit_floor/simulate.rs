//! Makes logs that resemble other channels from the logs at hand.

use greenroom_floor::log::{Label, Line, Log};
use std::collections::{HashMap, HashSet};

/// splitmix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn chance(&mut self, p: f64) -> bool {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 <= p
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn seed(id: &str) -> Random {
    Random(id.bytes().fold(7, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b))))
}

/// The first word of a line if it is a speaker's nick.
fn prefix<'a>(line: &'a Line, nicks: &HashSet<String>) -> Option<(&'a str, &'a str)> {
    let text = line.text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let bare = text[..end].trim_start_matches('@').trim_end_matches([':', ',', ';', '.', '!', '?', '>']);
    nicks.contains(&bare.to_lowercase()).then(|| (bare, text[end..].trim_start()))
}

fn nicks(log: &Log) -> HashSet<String> {
    log.messages.iter().filter(|m| !m.system).map(|m| m.speaker.to_lowercase()).collect()
}

/// The log without names at the beginning, for a share of the messages.
pub fn unprefixed(log: &Log, p: f64) -> Log {
    let (mut log, nicks, mut r) = (log.clone(), nicks(log), seed(&log.id));
    for line in log.messages.iter_mut().filter(|m| !m.system) {
        if let Some((_, rest)) = prefix(line, &nicks)
            && !rest.is_empty()
            && r.chance(p)
        {
            line.text = rest.to_owned();
        }
    }
    log
}

/// The log with names at the beginning written differently: 0 with `@`, 1 in lower case without a mark, 2 shortened, 3
/// with `@` at the end.
pub fn restyled(log: &Log, how: u8) -> Log {
    let (mut log, nicks, mut r) = (log.clone(), nicks(log), seed(&log.id));
    for line in log.messages.iter_mut().filter(|m| !m.system) {
        let Some((name, rest)) = prefix(line, &nicks) else { continue };
        let name = name.to_owned();
        line.text = match how {
            0 => format!("@{name} {rest}"),
            1 => format!("{} {rest}", name.to_lowercase()),
            2 => {
                let n = name.chars().count();
                let k = 3 + r.below(2);
                let short: String = name.chars().take(k.min(n)).collect();
                format!("{}: {rest}", short.to_lowercase())
            }
            _ => format!("{rest} @{name}"),
        };
    }
    log
}

/// The log, slower or faster.
pub fn stretched(log: &Log, by: f64) -> Log {
    let mut log = log.clone();
    log.messages.iter_mut().for_each(|m| m.at = (m.at as f64 * by) as i64);
    log
}

/// Spreads the lines of each minute over it.
pub fn seconds(log: &Log) -> Log {
    let mut log = log.clone();
    let mut i = 0;
    while i < log.messages.len() {
        let at = log.messages[i].at;
        let n = log.messages[i..].iter().take_while(|m| m.at == at).count();
        for k in 0..n {
            log.messages[i + k].at = at + (60 * k / n) as i64;
        }
        i += n;
    }
    log
}

/// The conversation of each message, by the links.
fn threads(log: &Log) -> HashMap<u64, u64> {
    let mut root: HashMap<u64, u64> = HashMap::new();
    fn find(root: &HashMap<u64, u64>, mut n: u64) -> u64 {
        while let Some(&p) = root.get(&n) {
            if p == n {
                break;
            }
            n = p;
        }
        n
    }
    for label in &log.labels {
        root.entry(label.n).or_insert(label.n);
        for to in &label.replies_to {
            root.entry(*to).or_insert(*to);
            let (a, b) = (find(&root, label.n), find(&root, *to));
            root.insert(a.max(b), a.min(b));
        }
    }
    root.keys().map(|n| (*n, find(&root, *n))).collect()
}

/// The log with a share of its conversations: a quiet channel. Unlabelled context goes with its speakers at random.
pub fn thinned(log: &Log, keep: f64) -> Log {
    let threads = threads(log);
    let mut r = seed(&log.id);
    let mut roots: Vec<u64> = threads.values().copied().collect::<HashSet<_>>().into_iter().collect();
    roots.sort_unstable();
    let kept: HashSet<u64> = roots.into_iter().filter(|_| r.chance(keep)).collect();
    let mut log = log.clone();
    let speakers: HashSet<String> = log
        .messages
        .iter()
        .filter(|m| threads.get(&m.n).is_some_and(|t| kept.contains(t)))
        .map(|m| m.speaker.to_lowercase())
        .collect();
    log.messages.retain(|m| match threads.get(&m.n) {
        Some(t) => kept.contains(t),
        None => speakers.contains(&m.speaker.to_lowercase()) || m.system,
    });
    let here: HashSet<u64> = log.messages.iter().map(|m| m.n).collect();
    log.labels.retain(|l| here.contains(&l.n));
    log
}

/// Two logs that run at the same time.
pub fn merged(a: &Log, b: &Log) -> Log {
    let shift = 10_000_000;
    let start =
        |l: &Log| l.labels.first().and_then(|f| l.messages.iter().find(|m| m.n == f.n)).map_or(0, |m| m.at);
    let (sa, sb) = (start(a), start(b));
    let mut lines: Vec<Line> = a.messages.iter().map(|m| Line { at: m.at - sa, ..m.clone() }).collect();
    lines.extend(b.messages.iter().map(|m| Line { n: m.n + shift, at: m.at - sb, ..m.clone() }));
    lines.sort_by_key(|m| m.at);
    let mut labels = a.labels.clone();
    labels.extend(
        b.labels
            .iter()
            .map(|l| Label { n: l.n + shift, replies_to: l.replies_to.iter().map(|n| n + shift).collect() }),
    );
    // in the order of time, as in every log
    let order: HashMap<u64, usize> = lines.iter().enumerate().map(|(i, m)| (m.n, i)).collect();
    labels.sort_by_key(|l| order.get(&l.n).copied());
    Log { id: format!("{}+{}", a.id, b.id), messages: lines, labels }
}

/// The log with first names and common words as nicks, wherever nicks occur.
pub fn renamed(log: &Log) -> Log {
    const NAMES: &[&str] = &[
        "Rosie",
        "Ann",
        "Marc",
        "Gale",
        "Felicia",
        "Will",
        "Grace",
        "Mark",
        "Arie",
        "Bill",
        "Chanel",
        "Dave",
        "Eve",
        "Faith",
        "Guy",
        "Hope",
        "Iris",
        "Jo",
        "Kim",
        "Luc",
        "May",
        "Nan",
        "Olga",
        "Pat",
        "Quinn",
        "Rob",
        "Sue",
        "Tom",
        "Uma",
        "Vic",
        "Wes",
        "Xena",
        "Yan",
        "Zoe",
        "Andrea",
        "Bastian",
        "Carlos",
        "Dominique",
        "Ernst",
        "Francesca",
        "Giovanni",
        "Heinrich",
        "Isabel",
        "Jean-Luc",
        "Katharina",
        "Leandra",
        "Miguel",
        "Nadine",
        "Oskar",
        "Priscilla",
    ];
    let mut log = log.clone();
    let mut map: HashMap<String, String> = HashMap::new();
    for m in &log.messages {
        let k = map.len();
        map.entry(m.speaker.to_lowercase()).or_insert_with(|| {
            let n = NAMES[k % NAMES.len()];
            if k < NAMES.len() { n.to_owned() } else { format!("{n}{}", k / NAMES.len()) }
        });
    }
    for m in &mut log.messages {
        m.speaker = map[&m.speaker.to_lowercase()].clone();
        let mut text = String::new();
        for (i, word) in m.text.split(' ').enumerate() {
            if i > 0 {
                text.push(' ');
            }
            let bare = word.trim_start_matches('@').trim_end_matches([':', ',', ';', '.', '!', '?', '>']);
            match map
                .get(&bare.to_lowercase())
                .filter(|_| bare.len() > 2 || (i == 0 && word.ends_with([':', ','])))
            {
                Some(new) => {
                    let at = word.find(bare).unwrap_or(0);
                    text.push_str(&word[..at]);
                    text.push_str(new);
                    text.push_str(&word[at + bare.len()..]);
                }
                None => text.push_str(word),
            }
        }
        m.text = text;
    }
    log
}

fn pairs(logs: &[Log]) -> Vec<Log> {
    logs.chunks(2).filter(|c| c.len() == 2).map(|c| merged(&c[0], &c[1])).collect()
}

/// The logs as they are, and as other channels. The fitted models are measured on these.
pub fn all(logs: &[Log]) -> Vec<(&'static str, Vec<Log>)> {
    let each = |f: &dyn Fn(&Log) -> Log| logs.iter().map(f).collect::<Vec<_>>();
    vec![
        ("plain", logs.to_vec()),
        ("no prefix 50", each(&|l| unprefixed(l, 0.5))),
        ("no prefix", each(&|l| unprefixed(l, 1.0))),
        ("at", each(&|l| restyled(l, 0))),
        ("lower", each(&|l| restyled(l, 1))),
        ("short", each(&|l| restyled(l, 2))),
        ("renamed", each(&renamed)),
        ("x10", each(&|l| stretched(&seconds(l), 10.0))),
        ("/10", each(&|l| stretched(&seconds(l), 0.1))),
        ("thin 50", each(&|l| thinned(l, 0.5))),
        ("thin 15", each(&|l| thinned(l, 0.15))),
        (
            "thin 15 no prefix 50 x10",
            each(&|l| stretched(&seconds(&unprefixed(&thinned(l, 0.15), 0.5)), 10.0)),
        ),
        ("thin 40 no prefix 80", each(&|l| unprefixed(&thinned(l, 0.4), 0.8))),
        ("merged", pairs(logs)),
        ("no context", each(&|l| fresh(l, 5))),
    ]
}

/// A copy of each log that resembles another channel. The models are fitted on these too.
pub fn mixed(logs: &[Log]) -> Vec<Log> {
    let copy = |(i, log): (usize, &Log)| match i % 8 {
        0 => unprefixed(&thinned(log, 0.5), 0.4),
        1 => restyled(&thinned(log, 0.15), 0),
        2 => unprefixed(&merged(log, &logs[(i + 7) % logs.len()]), 0.4),
        3 => fresh(&unprefixed(log, 0.9), 20),
        4 => restyled(&unprefixed(log, 0.4), 0),
        5 => stretched(&seconds(&thinned(log, 0.5)), 10.0),
        6 => fresh(&unprefixed(&thinned(log, 0.15), 0.4), 20),
        _ => stretched(&seconds(&renamed(log)), 0.2),
    };
    logs.iter().enumerate().map(copy).collect()
}

/// The log without what was said long before the first label.
pub fn fresh(log: &Log, keep: usize) -> Log {
    let mut log = log.clone();
    let first = log.labels.first().map_or(0, |l| l.n);
    let at = log.messages.iter().position(|m| m.n == first).unwrap_or(0);
    log.messages.drain(..at.saturating_sub(keep));
    log
}
