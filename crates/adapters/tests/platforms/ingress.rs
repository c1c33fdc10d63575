//! The HTTP server that receives requests of platforms: the bridge and the Events API of Slack.

use std::sync::{Arc, Mutex, Weak};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use greenroom_adapters::{
    Adapter, ConnectionState, Inlet, WebhookError, WebhookRequest, WebhookResponse, testing::Recorder,
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

use crate::stage::within;

/// An inlet that tells whether its adapter is online.
pub trait Listening: Inlet {
    fn is_online(&self) -> bool;
}

impl Listening for Recorder {
    fn is_online(&self) -> bool {
        matches!(self.reports().last(), Some(ConnectionState::Online { .. }))
    }
}

/// Counts of refused requests.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Requests whose event was not stored.
    refused: usize,
    /// Requests that repeated an earlier one unchanged.
    replayed: usize,
}

type Current = Arc<Mutex<Option<(Weak<dyn Adapter>, Arc<dyn Listening>)>>>;

/// Passes requests to the connected adapter, as Greenroom's own server does.
pub struct Ingress {
    pub url: String,
    current: Current,
    counts: watch::Sender<Counts>,
    task: JoinHandle<()>,
}

impl Ingress {
    /// `names`: the names of the two headers, for the timestamp and for the signature.
    pub async fn start(names: [&'static str; 2]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/in", listener.local_addr().unwrap());
        let current = Current::default();
        let counts = watch::Sender::new(Counts::default());
        let state = (current.clone(), counts.clone(), names);
        let router = Router::new().route("/in", post(called)).with_state(state);
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, current, counts, task }
    }

    /// Waits until an event has been rejected because it was not stored.
    pub async fn refused(&self) {
        within(self.counts.subscribe().wait_for(|counts| counts.refused > 0)).await.unwrap();
    }

    /// The number of requests that repeated the signature of an earlier one.
    pub fn replayed(&self) -> usize {
        self.counts.borrow().replayed
    }

    pub fn attach(&self, adapter: &Arc<dyn Adapter>, listener: Arc<dyn Listening>) {
        *self.current.lock().unwrap() = Some((Arc::downgrade(adapter), listener));
    }
}

impl Drop for Ingress {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn called(
    State((current, counts, names)): State<(Current, watch::Sender<Counts>, [&'static str; 2])>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let header = |name| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let call =
        WebhookRequest { timestamp: header(names[0]), signature: header(names[1]), body: body.to_vec() };
    let connected = current.lock().unwrap().clone();
    let connected = connected.and_then(|(adapter, listener)| Some((adapter.upgrade()?, listener)));
    let Some((adapter, listener)) = connected.filter(|(_, listener)| listener.is_online()) else {
        return (StatusCode::SERVICE_UNAVAILABLE, String::new());
    };
    match adapter.webhook(listener.as_ref() as &dyn Inlet, &call).await {
        Ok(WebhookResponse::Taken(_)) => (StatusCode::OK, String::new()),
        Ok(WebhookResponse::Challenge(challenge)) => (StatusCode::OK, challenge),
        Err(WebhookError::Unsigned | WebhookError::Stale) => (StatusCode::UNAUTHORIZED, String::new()),
        Err(WebhookError::Replayed) => {
            counts.send_modify(|counts| counts.replayed += 1);
            (StatusCode::CONFLICT, String::new())
        }
        Err(WebhookError::Busy) => (StatusCode::TOO_MANY_REQUESTS, String::new()),
        Err(WebhookError::Invalid(why)) => (StatusCode::BAD_REQUEST, why),
        Err(WebhookError::NotTaken(_)) => {
            counts.send_modify(|counts| counts.refused += 1);
            (StatusCode::SERVICE_UNAVAILABLE, String::new())
        }
    }
}
