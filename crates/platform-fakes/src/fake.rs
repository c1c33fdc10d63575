//! A fake: a platform's state behind a server, with the controls that every fake has.

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

/// How long a control waits for the bot before the test has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// A platform: its state and its routes.
pub(crate) trait Platform: Send + Sized + 'static {
    /// An event on its way to the bot.
    type Event: Clone + Send;

    fn router(shared: Shared<Self>) -> Router;

    /// Tells the bot an event now. A `repeated` event was told before.
    fn tell(shared: &Shared<Self>, event: Self::Event, repeated: bool);

    /// What the bot has said, in order.
    fn posts(&self) -> Vec<Post>;
}

/// The state of a platform, shared by its routes and its controls. It outlives the server.
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

    /// Changes the state and wakes those that wait for it.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut P) -> T) -> T {
        let result = change(&mut self.state());
        self.0.changed.send_replace(());
        result
    }

    /// Changes the state in a way that no waiter waits for.
    pub(crate) fn change_quietly<T>(&self, change: impl FnOnce(&mut P) -> T) -> T {
        change(&mut self.state())
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce(&P) -> T) -> T {
        read(&self.state())
    }

    /// Becomes ready with each change from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Waits until `find` returns a value. It may change the state; that wakes no other waiter.
    pub(crate) async fn wait<T>(&self, mut find: impl FnMut(&mut P) -> Option<T>) -> T {
        let mut changes = self.changes();
        loop {
            changes.mark_unchanged();
            if let Some(found) = find(&mut self.state()) {
                return found;
            }
            // the sender is in this value, so it cannot be gone
            let _ = changes.changed().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, P> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fake of one platform. It ends when it is dropped.
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

    /// Faults to order.
    pub fn faults(&self) -> &Faults {
        self.shared.faults()
    }

    /// Breaks every connection and closes the port. The state stays.
    pub async fn kill(&self) {
        self.server.kill().await;
    }

    /// Serves again at the same port, with the state there was.
    ///
    /// # Errors
    /// When another program has taken the port.
    pub async fn restart(&self) -> io::Result<()> {
        self.server.restart(router(&self.shared)).await
    }

    /// Breaks every connection. The bot can connect again at once.
    ///
    /// # Errors
    /// When another program has taken the port.
    pub async fn drop_connections(&self) -> io::Result<()> {
        self.server.drop_connections(router(&self.shared)).await
    }

    /// What the bot has said, in order, with what was edited and deleted since.
    pub fn posts(&self) -> Vec<Post> {
        self.shared.read(P::posts)
    }

    /// Waits until the bot has said `count` messages, and returns all of them.
    ///
    /// # Panics
    /// After half a minute without them.
    pub async fn wait_for_posts(&self, count: usize) -> Vec<Post> {
        let what = format!("{count} posts");
        self.expect(&what, |state| Some(state.posts()).filter(|posts| posts.len() >= count)).await
    }

    /// The same, however long it takes: for a fake that a person runs.
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

    /// Tells the bot an event, with the next fault that is ordered.
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
