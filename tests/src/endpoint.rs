//! An OpenAI-compatible endpoint on loopback that answers as a test specifies and records its requests.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Notify, oneshot},
};

use crate::{
    Answer, Request,
    http::{self, Sent},
    vectors::embedding,
};

/// How long [`MockEndpoint::wait_for`] waits before it fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

/// The path of chats.
const CHATS: &str = "/v1/chat/completions";

/// A running endpoint; it ends when it is dropped.
///
/// It has its own thread, so that a test may block on the program it drives, and paused time does not affect it. A
/// chat takes the next answer of [`push`](Self::push), or `ok` when there is none. `/v1/models` lists `mock`, and
/// `/v1/embeddings` gives every text the [`embedding`] of its words.
pub struct MockEndpoint {
    port: u16,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    released: Notify,
}

#[derive(Default)]
struct State {
    requests: Vec<Request>,
    chats: VecDeque<Answer>,
    embeddings: VecDeque<Answer>,
    models: VecDeque<Answer>,
    routes: HashMap<String, Route>,
    hang_ups: usize,
}

/// Answers every request of a path.
type Route = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    fn wait_until(&self, what: &str, done: impl Fn(&State) -> bool) {
        let waited = self.changed.wait_timeout_while(self.state(), PATIENCE, |state| !done(state));
        let (state, timeout) = waited.unwrap_or_else(|poisoned| poisoned.into_inner());
        let requests = state.requests.len();
        drop(state);
        assert!(!timeout.timed_out(), "the endpoint waited in vain for {what}; {requests} requests came");
    }
}

impl MockEndpoint {
    /// Starts an endpoint at a free port of 127.0.0.1.
    pub fn start() -> Self {
        Self::start_at(0)
    }

    /// Starts an endpoint at a free port of 127.0.0.1, for a server that comes later.
    pub fn start_at(port: u16) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", port)).expect("a free port");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared::default());
        let (stop, stopped) = oneshot::channel();
        let serving = shared.clone();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                tokio::select! {
                    () = serve(listener, serving) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { port, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// Its base URL, with `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// The port it listens at.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Puts an answer at the end of the chat queue.
    pub fn push(&self, answer: Answer) {
        self.shared.change(|state| state.chats.push_back(answer));
    }

    /// Puts an answer at the end of the embeddings queue.
    pub fn push_embeddings(&self, answer: Answer) {
        self.shared.change(|state| state.embeddings.push_back(answer));
    }

    /// Puts an answer at the end of the queue of `/v1/models`.
    pub fn push_models(&self, answer: Answer) {
        self.shared.change(|state| state.models.push_back(answer));
    }

    /// Answers every later request of a path with `route`, unless an answer is queued for it.
    pub fn answer(&self, path: &str, route: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.shared.change(|state| {
            state.routes.insert(path.to_owned(), Arc::new(route));
        });
    }

    /// From now on lists only these models, and refuses requests for others.
    pub fn only(&self, models: &[&str]) {
        let known: Vec<String> = models.iter().map(|&name| name.to_owned()).collect();
        let list: Vec<_> = known.iter().map(|id| json!({ "id": id, "object": "model" })).collect();
        let list = Answer::json(&json!({ "object": "list", "data": list }));
        self.answer("/v1/models", move |_| list.clone());
        self.answer("/v1/chat/completions", move |request| match request.body["model"].as_str() {
            Some(name) if known.iter().any(|model| model == name) && request.body["stream"] == json!(true) => {
                Answer::text("ok")
            }
            Some(name) if known.iter().any(|model| model == name) => Answer::unstreamed("ok"),
            name => {
                let message = format!("model {} not found", name.unwrap_or_default());
                let error = json!({ "error": { "message": message, "type": "invalid_request_error", "code": "model_not_found" } });
                Answer::status(404).body(error.to_string(), "application/json")
            }
        });
    }

    /// Lets one answer that stalls, now or next, go on.
    pub fn release(&self) {
        self.shared.released.notify_one();
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().requests.clone()
    }

    /// The bodies of the chat requests so far.
    pub fn chats(&self) -> Vec<Value> {
        self.bodies(CHATS)
    }

    /// The bodies of the embedding requests so far.
    pub fn embeddings(&self) -> Vec<Value> {
        self.bodies("/v1/embeddings")
    }

    fn bodies(&self, path: &str) -> Vec<Value> {
        let state = self.shared.state();
        let of_path = state.requests.iter().filter(|request| is_at(request, path));
        of_path.map(|request| request.body.clone()).collect()
    }

    /// Blocks until `count` chat requests have arrived. Requests about models do not count.
    pub fn wait_for(&self, count: usize) {
        let chats = |state: &State| state.requests.iter().filter(|request| is_at(request, CHATS)).count();
        self.shared.wait_until(&format!("{count} chats"), |state| chats(state) >= count);
    }

    /// Blocks until clients have hung up `count` times while an answer stalled.
    pub fn wait_for_hang_ups(&self, count: usize) {
        self.shared.wait_until(&format!("{count} hang-ups"), |state| state.hang_ups >= count);
    }
}

impl Drop for MockEndpoint {
    fn drop(&mut self) {
        // if the thread has already ended, there is nothing to stop
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

fn is_at(request: &Request, path: &str) -> bool {
    request.path.split('?').next() == Some(path)
}

async fn serve(listener: std::net::TcpListener, shared: Arc<Shared>) {
    let listener = TcpListener::from_std(listener).expect("a socket");
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, shared.clone()));
        }
    }
}

/// Serves a connection until it ends; a client may leave at any moment.
async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let (mut from, mut to) = http::split(stream);
    while let Ok(Some(request)) = http::read(&mut from).await {
        let answer = answer(&shared, request);
        match http::send(&mut to, &mut from, &answer, &shared.released).await {
            Ok(Sent::Whole) => {}
            Ok(Sent::Broken { silent }) => {
                if silent {
                    let stream = to.reunite(from.into_inner()).expect("the two halves of one connection");
                    let _ = stream.set_zero_linger();
                }
                return;
            }
            Ok(Sent::HungUp) => return shared.change(|state| state.hang_ups += 1),
            Err(_) => return,
        }
    }
}

/// Remembers the request and finds its answer.
fn answer(shared: &Shared, request: Request) -> Answer {
    let path = request.path.split('?').next().unwrap_or_default().to_owned();
    let body = request.body.clone();
    let (mut scripted, mut route) = (None, None);
    shared.change(|state| {
        state.requests.push(request.clone());
        route = state.routes.get(&path).cloned();
        scripted = match path.as_str() {
            "/v1/chat/completions" => state.chats.pop_front(),
            "/v1/embeddings" => state.embeddings.pop_front(),
            "/v1/models" => state.models.pop_front(),
            _ => None,
        };
    });
    let scripted = scripted.or_else(|| route.map(|route| route(&request)));
    scripted.unwrap_or_else(|| match path.as_str() {
        "/v1/chat/completions" if body["stream"] == json!(true) => Answer::text("ok"),
        "/v1/chat/completions" => Answer::unstreamed("ok"),
        "/v1/embeddings" => Answer::json(&embeddings(&body)),
        "/v1/models" => {
            Answer::json(&json!({ "object": "list", "data": [{ "id": "mock", "object": "model" }] }))
        }
        _ => Answer::error(404, "no such path"),
    })
}

fn embeddings(body: &Value) -> Value {
    let texts = match &body["input"] {
        Value::Array(texts) => texts.clone(),
        text => vec![text.clone()],
    };
    let item = |(index, text): (usize, &Value)| json!({ "index": index, "embedding": embedding(text.as_str().unwrap_or_default()) });
    let data: Vec<_> = texts.iter().enumerate().map(item).collect();
    json!({ "object": "list", "model": body["model"], "data": data })
}
