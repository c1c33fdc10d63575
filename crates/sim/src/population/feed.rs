//! A feed: agents write posts, followers share some of them, and readers start to follow authors of shared posts. OASIS
//! simulates its platforms in this form with language models; here each choice is a rule.

use std::io::{self, Read, Write};

use super::{
    Rule, in_parts,
    snapshot::{read_lists, read_numbers, write_lists, write_numbers},
};
use crate::draw::{below, draw, mix, share};

/// The number of steps during which a post is shared.
const FRESH: u32 = 4;
/// The most posts of its feed that a reader sees in a step.
const SEEN: usize = 20;

/// A post: its author, its step, and how often it was shared.
#[derive(Debug, Clone, Copy)]
struct Post {
    author: u32,
    step: u32,
    shares: u32,
}

/// The actions of an agent in a step.
#[derive(Debug, Clone, Default)]
struct AgentActions {
    posts: bool,
    /// Posts that it shares.
    shares: Vec<u32>,
    /// Agents that it starts to follow.
    follows: Vec<u32>,
}

/// The population of a feed.
pub struct Feed {
    seed: u64,
    posts_in_a_step: f64,
    share: f64,
    follow: f64,
    /// The agents that each agent follows.
    follows: Vec<Vec<u32>>,
    /// The posts that each agent wrote or shared in the last step.
    fresh: Vec<Vec<u32>>,
    posts: Vec<Post>,
    shares: u64,
    follow_edges: u64,
}

impl Feed {
    /// A population in which each agent follows `follows` random others.
    pub fn new(size: usize, seed: u64, follows: usize, posts: f64, share: f64, follow: f64) -> Self {
        let others = |agent: usize| {
            let drawn = (0..follows as u64).map(|n| below(draw(seed, agent as u64, n), size));
            let mut others: Vec<u32> = drawn
                .filter(|other| *other != agent)
                .map(|other| u32::try_from(other).unwrap_or(0))
                .collect();
            others.sort_unstable();
            others.dedup();
            others
        };
        let follows: Vec<_> = (0..size).map(others).collect();
        Self {
            seed: mix(seed),
            posts_in_a_step: posts,
            share,
            follow,
            follow_edges: follows.iter().map(|others| others.len() as u64).sum(),
            follows,
            fresh: vec![Vec::new(); size],
            posts: Vec::new(),
            shares: 0,
        }
    }

    /// The actions of an agent, based on the state after the previous step.
    fn actions(&self, agent: usize, step: u64) -> AgentActions {
        let chance = |what: u64| share(draw(self.seed ^ mix(what), agent as u64, step));
        let mut actions = AgentActions { posts: chance(0) < self.posts_in_a_step, ..AgentActions::default() };
        let me = u32::try_from(agent).unwrap_or(u32::MAX);
        let feed = self.follows[agent]
            .iter()
            .flat_map(|other| self.fresh[*other as usize].iter().map(move |post| (*other, *post)));
        for (by, id) in feed.take(SEEN) {
            let post = self.posts[id as usize];
            if post.author == me {
                continue;
            }
            let what = u64::from(id) + 1;
            let is_fresh = step.saturating_sub(u64::from(post.step)) <= u64::from(FRESH);
            if is_fresh && chance(what) < self.share && !actions.shares.contains(&id) {
                actions.shares.push(id);
            }
            let is_new = by != post.author && self.follows[agent].binary_search(&post.author).is_err();
            if is_new && chance(mix(what)) < self.follow && !actions.follows.contains(&post.author) {
                actions.follows.push(post.author);
            }
        }
        actions
    }

    /// The number of shares of the most shared post.
    fn widest(&self) -> u32 {
        self.posts.iter().map(|post| post.shares).max().unwrap_or(0)
    }

    /// The share of all follow relations that the top hundredth of agents has.
    fn concentration(&self) -> f64 {
        let mut followers = vec![0_u32; self.follows.len()];
        self.follows.iter().flatten().for_each(|other| followers[*other as usize] += 1);
        followers.sort_unstable_by(|a, b| b.cmp(a));
        let top: u64 =
            followers.iter().take(self.follows.len().div_ceil(100)).map(|count| u64::from(*count)).sum();
        top as f64 / self.follow_edges.max(1) as f64
    }
}

impl Rule for Feed {
    fn step(&mut self, step: u64, threads: usize) -> bool {
        let mut actions = vec![AgentActions::default(); self.follows.len()];
        let this = &*self;
        in_parts(&mut actions, threads, |first, part| {
            for (n, actions) in part.iter_mut().enumerate() {
                *actions = this.actions(first + n, step);
            }
        });
        // in the order of agents, so that the order of threads does not matter
        for (agent, actions) in actions.into_iter().enumerate() {
            self.fresh[agent].clear();
            if actions.posts {
                let id = u32::try_from(self.posts.len()).unwrap_or(u32::MAX);
                let author = u32::try_from(agent).unwrap_or(u32::MAX);
                self.posts.push(Post { author, step: u32::try_from(step).unwrap_or(u32::MAX), shares: 0 });
                self.fresh[agent].push(id);
            }
            for id in actions.shares {
                self.posts[id as usize].shares += 1;
                self.shares += 1;
                self.fresh[agent].push(id);
            }
            for other in actions.follows {
                if let Err(at) = self.follows[agent].binary_search(&other) {
                    self.follows[agent].insert(at, other);
                    self.follow_edges += 1;
                }
            }
        }
        true
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("posts", self.posts.len() as f64),
            ("shares", self.shares as f64),
            ("follows", self.follow_edges as f64),
            ("widest", f64::from(self.widest())),
            ("top_hundredth", self.concentration()),
        ]
    }

    fn bytes(&self) -> usize {
        let list = |list: &Vec<u32>| size_of::<Vec<u32>>() + list.capacity() * size_of::<u32>();
        self.follows.iter().chain(&self.fresh).map(list).sum::<usize>()
            + self.posts.capacity() * size_of::<Post>()
    }

    fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        write_lists(to, &self.follows)?;
        write_lists(to, &self.fresh)?;
        let posts: Vec<u32> =
            self.posts.iter().flat_map(|post| [post.author, post.step, post.shares]).collect();
        write_numbers(to, &posts)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.follows = read_lists(from)?;
        self.fresh = read_lists(from)?;
        let posts: Vec<u32> = read_numbers(from)?;
        let post = |numbers: &[u32]| Post { author: numbers[0], step: numbers[1], shares: numbers[2] };
        self.posts = posts.chunks_exact(3).map(post).collect();
        self.shares = self.posts.iter().map(|post| u64::from(post.shares)).sum();
        self.follow_edges = self.follows.iter().map(|others| others.len() as u64).sum();
        Ok(())
    }
}
