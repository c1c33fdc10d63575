//! A scripted platform in memory: the test supplies its events and the outcome of each request.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use greenroom_adapters::{
    Adapter, ConnectionState, Dialect, Ended, Event, Faces, Finding, Inlet, Limits, NotTaken, Outcome, Place,
    Post, Rate, Request, Taken, Unit,
};
use greenroom_core::Platform;
use tokio::sync::{mpsc, oneshot, watch};

use crate::house::within;

type Said = (Event, oneshot::Sender<Result<Taken, NotTaken>>);

/// The platform. It outlives accounts, as a real platform does.
pub struct Paper {
    events: mpsc::UnboundedSender<Said>,
    arriving: tokio::sync::Mutex<mpsc::UnboundedReceiver<Said>>,
    state: Mutex<State>,
    changed: watch::Sender<u64>,
    terms: Terms,
}

/// The limits of the platform.
pub struct Terms {
    pub key_lives: Option<Duration>,
    pub longest: usize,
    pub faces: Faces,
    /// Whether a message may have several lines.
    pub lines: bool,
    /// The ids under which the account speaks.
    pub own_ids: Vec<String>,
}

impl Default for Terms {
    fn default() -> Self {
        Self { key_lives: None, longest: 1000, faces: Faces::Own, lines: true, own_ids: Vec::new() }
    }
}

#[derive(Default)]
struct State {
    requests: Vec<Request>,
    outcomes: VecDeque<Outcome>,
    deletions: VecDeque<Outcome>,
    notices: VecDeque<Outcome>,
    /// How many of the next requests to post are accepted and then panic.
    panics: usize,
    /// Requests to post are accepted and never answered.
    hangs: bool,
    /// Requests to post are accepted, and answered once this is false.
    holds: bool,
    sent: u64,
    /// The ids of posts, in order.
    ids: Vec<String>,
    /// The files that were fetched, in order.
    fetched: Vec<String>,
    /// Events that the adapter has begun to hand to its inlet.
    arrived: usize,
}

impl Paper {
    pub fn new() -> Self {
        Self::on(Terms::default())
    }

    pub fn on(terms: Terms) -> Self {
        let (events, arriving) = mpsc::unbounded_channel();
        Self {
            events,
            arriving: tokio::sync::Mutex::new(arriving),
            state: Mutex::default(),
            changed: watch::channel(0).0,
            terms,
        }
    }

    /// Lets an event arrive; returns the inlet's answer.
    pub async fn happens(&self, event: Event) -> Result<Taken, NotTaken> {
        let (taken, answer) = oneshot::channel();
        self.events.send((event, taken)).unwrap();
        within(answer).await.unwrap()
    }

    /// Sets the outcomes of the next requests to post. Later requests succeed.
    pub fn will(&self, outcomes: impl IntoIterator<Item = Outcome>) {
        self.state.lock().unwrap().outcomes.extend(outcomes);
    }

    /// Sets the outcomes of the next requests to delete. Later requests succeed.
    pub fn will_delete(&self, outcomes: impl IntoIterator<Item = Outcome>) {
        self.state.lock().unwrap().deletions.extend(outcomes);
    }

    /// Sets the outcomes of the next notices. Later notices succeed.
    pub fn will_tell(&self, outcomes: impl IntoIterator<Item = Outcome>) {
        self.state.lock().unwrap().notices.extend(outcomes);
    }

    /// The adapter accepts the next requests to post, and then panics.
    pub fn will_panic(&self, times: usize) {
        self.state.lock().unwrap().panics = times;
    }

    pub fn hang(&self, hangs: bool) {
        self.state.lock().unwrap().hangs = hangs;
    }

    /// Whether the platform holds back its answers to posts from now on.
    pub fn hold(&self, holds: bool) {
        self.state.lock().unwrap().holds = holds;
        self.changed.send_modify(|n| *n += 1);
    }

    /// The ids of posts, including posts whose answer is held back.
    pub fn ids(&self) -> Vec<String> {
        self.state.lock().unwrap().ids.clone()
    }

    /// The files that were fetched, in order.
    pub fn fetched(&self) -> Vec<String> {
        self.state.lock().unwrap().fetched.clone()
    }

    /// How many events the adapter has begun to hand to its inlet.
    pub fn arrived(&self) -> usize {
        self.state.lock().unwrap().arrived
    }

    pub fn requests(&self) -> Vec<Request> {
        self.state.lock().unwrap().requests.clone()
    }

    pub fn posts(&self) -> Vec<Post> {
        let post = |request| match request {
            Request::Post(post) => Some(post),
            _ => None,
        };
        self.requests().into_iter().filter_map(post).collect()
    }

    pub fn texts(&self) -> Vec<String> {
        self.posts().into_iter().map(|post| post.text).collect()
    }

    /// Waits for a condition, which is checked after every request.
    pub async fn until(&self, condition: impl Fn(&Self) -> bool) {
        let mut changes = self.changed.subscribe();
        within(async {
            while !condition(self) {
                changes.changed().await.unwrap();
            }
        })
        .await;
    }
}

/// The adapter of an account on the scripted platform.
pub struct PaperAdapter(pub Arc<Paper>);

#[async_trait]
impl Adapter for PaperAdapter {
    fn platform(&self) -> Platform {
        Platform::Discord
    }

    /// A chat whose name begins with `other` is of another account.
    fn serves(&self, place: &Place) -> bool {
        !place.chat.starts_with("other")
    }

    fn own_ids(&self, _: &Place) -> Vec<String> {
        self.0.terms.own_ids.clone()
    }

    fn limits(&self, _: &Place) -> Limits {
        let rate = Rate { burst: 1000, every: Duration::from_millis(1) };
        Limits {
            longest: self.0.terms.longest,
            unit: Unit::Chars,
            lines: self.0.terms.lines,
            dialect: Dialect::Markdown,
            per_chat: rate,
            in_all: rate,
            key_lives: self.0.terms.key_lives,
            faces: self.0.terms.faces,
        }
    }

    async fn run(&self, inlet: &dyn Inlet) -> Ended {
        inlet.report(ConnectionState::Online { as_user: "paper".into() });
        let closing = inlet.closing();
        let mut arriving = self.0.arriving.lock().await;
        loop {
            tokio::select! {
                Some((event, taken)) = arriving.recv() => {
                    self.0.state.lock().unwrap().arrived += 1;
                    self.0.changed.send_modify(|n| *n += 1);
                    let _ = taken.send(inlet.take(event).await);
                }
                () = closing.cancelled() => return Ended::Stopped,
            }
        }
    }

    async fn perform(&self, request: Request) -> Outcome {
        let is_post = matches!(request, Request::Post(_));
        let is_deletion = matches!(request, Request::Delete { .. });
        let is_notice = matches!(request, Request::Notice(_));
        let (hangs, panics, outcome) = {
            let mut state = self.0.state.lock().unwrap();
            state.requests.push(request);
            state.sent += 1;
            let id = format!("p{}", state.sent);
            if is_post {
                state.ids.push(id.clone());
            }
            let done = Outcome::Done { event_id: Some(id) };
            let outcome = match (is_post, is_deletion) {
                (true, _) => state.outcomes.pop_front(),
                (_, true) => state.deletions.pop_front(),
                _ if is_notice => state.notices.pop_front(),
                _ => None,
            };
            let panics = is_post && state.panics > 0;
            state.panics -= usize::from(panics);
            (state.hangs && is_post, panics, outcome.unwrap_or(done))
        };
        self.0.changed.send_modify(|n| *n += 1);
        assert!(!panics, "the adapter panics");
        if hangs {
            std::future::pending::<()>().await;
        }
        if is_post {
            let mut changes = self.0.changed.subscribe();
            let _ = changes.wait_for(|_| !self.0.state.lock().unwrap().holds).await;
        }
        outcome
    }

    /// `png` is an image. `late` is an image from the second fetch on. `page` is HTML. Any other source is gone.
    async fn fetch(&self, source: &str, _most: usize) -> Result<Vec<u8>, String> {
        let is_first = {
            let fetched = &mut self.0.state.lock().unwrap().fetched;
            let is_first = !fetched.iter().any(|one| one == source);
            fetched.push(source.to_owned());
            is_first
        };
        match source {
            "late" if is_first => Err("it is not there yet".into()),
            "png" | "late" => Ok(b"\x89PNG\r\n\x1a\n".to_vec()),
            "page" => Ok(b"<html>".to_vec()),
            _ => Err("it is gone".into()),
        }
    }

    async fn check(&self) -> Vec<Finding> {
        Vec::new()
    }
}
