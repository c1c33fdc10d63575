//! A fake: the state of a platform behind a server, with the controls that all fakes have in common.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{Router, middleware};
use tokio::{sync::watch, time::timeout};

use crate::{
    faults::{self, EventFault, Faults},
    post::Post,
    server::Server,
};

/// How long a control waits for the bot before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A platform: its state and its routes.
pub(crate) trait Platform: Send + Sized + 'static {
    /// An event for the bot.
    type Event: Clone + Send;

    fn router(shared: Shared<Self>) -> Router;

    /// Delivers an event to the bot now. `repeated`: whether it was delivered before.
    fn tell(shared: &Shared<Self>, event: Self::Event, repeated: bool);

    /// The messages of the bot, in order.
    fn posts(&self) -> Vec<Post>;
}

/// The state of a platform, shared by routes and controls. It survives a restart of the server.
pub(crate) struct Shared<P>(Arc<Inner<P>>);

struct Inner<P> {
    port: u16,
    state: Mutex<P>,
    changed: watch::Sender<()>,
    faults: Faults,
}

impl<P> Clone for Shared<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P> Shared<P> {
    pub(crate) fn faults(&self) -> &Faults {
        &self.0.faults
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.port
    }

    /// Changes the state and wakes the waiters.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut P) -> T) -> T {
        let result = change(&mut self.state());
        self.0.changed.send_replace(());
        result
    }

    /// Changes the state without waking the waiters.
    pub(crate) fn change_quietly<T>(&self, change: impl FnOnce(&mut P) -> T) -> T {
        change(&mut self.state())
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce(&P) -> T) -> T {
        read(&self.state())
    }

    /// A receiver that is notified of each change from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Waits until `find` returns a value. `find` may change the state; that wakes no other waiter.
    pub(crate) async fn wait<T>(&self, mut find: impl FnMut(&mut P) -> Option<T>) -> T {
        let mut changes = self.changes();
        loop {
            changes.mark_unchanged();
            if let Some(found) = find(&mut self.state()) {
                return found;
            }
            // cannot fail: the sender is part of this value
            let _ = changes.changed().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, P> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fake of one platform. Dropping it ends the server.
#[allow(private_bounds)]
pub struct Fake<P: Platform> {
    pub(crate) shared: Shared<P>,
    server: Server,
    held: Mutex<Option<P::Event>>,
}

#[allow(private_bounds)]
impl<P: Platform> Fake<P> {
    pub(crate) async fn serve(port: u16, state: P) -> io::Result<Self> {
        let (server, listener) = Server::bind(port).await?;
        let (changed, _) = watch::channel(());
        let (state, faults) = (Mutex::new(state), Faults::default());
        let shared = Shared(Arc::new(Inner { port: server.port(), state, changed, faults }));
        server.run(listener, router(&shared));
        Ok(Self { shared, server, held: Mutex::new(None) })
    }

    /// The base address, without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.port())
    }

    /// The faults that a test can order.
    pub fn faults(&self) -> &Faults {
        self.shared.faults()
    }

    /// Breaks every connection and closes the port. The state is kept.
    pub async fn kill(&self) {
        self.server.kill().await;
    }

    /// Serves again on the same port with the kept state.
    ///
    /// # Errors
    /// Another program has taken the port.
    pub async fn restart(&self) -> io::Result<()> {
        self.server.restart(router(&self.shared)).await
    }

    /// Breaks every connection. The bot can connect again at once.
    ///
    /// # Errors
    /// Another program has taken the port.
    pub async fn drop_connections(&self) -> io::Result<()> {
        self.server.drop_connections(router(&self.shared)).await
    }

    /// The messages of the bot, in order, with their later edits and deletions.
    pub fn posts(&self) -> Vec<Post> {
        self.shared.read(P::posts)
    }

    /// Waits until the bot has sent `count` messages, and returns all of them.
    ///
    /// # Panics
    /// After half a minute without these messages.
    pub async fn wait_for_posts(&self, count: usize) -> Vec<Post> {
        let what = format!("{count} posts");
        self.expect(&what, |state| Some(state.posts()).filter(|posts| posts.len() >= count)).await
    }

    /// The same without a time limit, for a fake that a person runs.
    pub async fn posts_when(&self, count: usize) -> Vec<Post> {
        self.shared.wait(|state| Some(state.posts()).filter(|posts| posts.len() >= count)).await
    }

    /// Waits for a change of the state that the bot causes.
    #[allow(clippy::panic)] // a fake says what is wrong with a test by panicking
    pub(crate) async fn expect<T>(&self, what: &str, find: impl FnMut(&mut P) -> Option<T>) -> T {
        match timeout(PATIENCE, self.shared.wait(find)).await {
            Ok(found) => found,
            Err(_) => panic!("the fake waited in vain for {what}"),
        }
    }

    /// Delivers an event to the bot, with the next ordered fault.
    pub(crate) fn tell(&self, event: P::Event) {
        let fault = self.faults().take_event();
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        match fault {
            None => P::tell(&self.shared, event, false),
            Some(EventFault::Twice) => {
                P::tell(&self.shared, event.clone(), false);
                P::tell(&self.shared, event, true);
            }
            Some(EventFault::AfterNext) => {
                *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(event);
            }
            Some(EventFault::Late(delay)) => {
                let shared = self.shared.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(delay).await;
                    P::tell(&shared, event, false);
                });
            }
        }
        if let Some(held) = held {
            P::tell(&self.shared, held, false);
        }
    }
}

fn router<P: Platform>(shared: &Shared<P>) -> Router {
    P::router(shared.clone()).layer(middleware::from_fn_with_state(shared.clone(), faults::layer::<P>))
}
