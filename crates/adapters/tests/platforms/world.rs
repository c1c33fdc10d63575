//! Real servers with people at real clients. A task performs each action once and in order, and postpones actions while
//! the server is down.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use greenroom_platform_fakes::Post as Posted;
use tokio::sync::{mpsc, oneshot, watch};

use crate::stage::within;

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Who {
    Person,
    Bot,
    Impostor,
}

/// A server and its people.
#[async_trait]
pub trait People: Send + 'static {
    /// Sends a message, and returns once the server has it. `name`: the name of the message for `edit` and `delete`.
    async fn say(&mut self, who: Who, name: &str, text: &str);
    async fn edit(&mut self, name: &str, text: &str);
    async fn delete(&mut self, name: &str);
    /// The next post of the account. Cancel-safe: no post is lost if the wait ends early.
    async fn hear(&mut self) -> Posted;
    async fn kill(&mut self);
    async fn restart(&mut self);
    /// Stops the server for a moment.
    fn slow(&mut self);
}

enum Deed {
    Say(Who, String, String),
    Edit(String, String),
    Delete(String),
    Slow(oneshot::Sender<()>),
    Kill(oneshot::Sender<()>),
    Restart(oneshot::Sender<()>),
}

/// The handle with which a test orders actions.
pub struct World {
    deeds: mpsc::UnboundedSender<Deed>,
    heard: watch::Receiver<Vec<Posted>>,
    count: AtomicUsize,
}

impl World {
    pub fn of(people: impl People) -> Self {
        let (deeds, ordered) = mpsc::unbounded_channel();
        let (sender, heard) = watch::channel(Vec::new());
        tokio::spawn(live(people, ordered, sender));
        Self { deeds, heard, count: AtomicUsize::new(0) }
    }

    pub fn say(&self, who: Who, text: &str) -> String {
        let name = self.count.fetch_add(1, Ordering::Relaxed).to_string();
        self.order(Deed::Say(who, name.clone(), text.to_owned()));
        name
    }

    pub fn edit(&self, said: &str, text: &str) {
        self.order(Deed::Edit(said.to_owned(), text.to_owned()));
    }

    pub fn delete(&self, said: &str) {
        self.order(Deed::Delete(said.to_owned()));
    }

    pub async fn heard(&self, count: usize) -> Vec<Posted> {
        within(self.heard.clone().wait_for(|heard| heard.len() >= count)).await.unwrap().clone()
    }

    pub async fn slow(&self) {
        let (done, wait) = oneshot::channel();
        self.order(Deed::Slow(done));
        within(wait).await.unwrap();
    }

    pub async fn kill(&self) {
        let (done, wait) = oneshot::channel();
        self.order(Deed::Kill(done));
        within(wait).await.unwrap();
    }

    pub async fn restart(&self) {
        let (done, wait) = oneshot::channel();
        self.order(Deed::Restart(done));
        within(wait).await.unwrap();
    }

    fn order(&self, deed: Deed) {
        assert!(self.deeds.send(deed).is_ok(), "the people are there");
    }
}

async fn live(
    mut people: impl People,
    mut deeds: mpsc::UnboundedReceiver<Deed>,
    heard: watch::Sender<Vec<Posted>>,
) {
    let (mut later, mut is_down) = (VecDeque::new(), false);
    loop {
        let deed = tokio::select! {
            deed = deeds.recv() => deed,
            post = people.hear(), if !is_down => {
                heard.send_modify(|heard| heard.push(post));
                continue;
            }
        };
        match deed {
            None => return,
            Some(Deed::Slow(done)) => {
                people.slow();
                let _ = done.send(());
            }
            Some(Deed::Kill(done)) => {
                people.kill().await;
                is_down = true;
                let _ = done.send(());
            }
            Some(Deed::Restart(done)) => {
                people.restart().await;
                is_down = false;
                let _ = done.send(());
                for deed in later.drain(..) {
                    perform(&mut people, deed).await;
                }
            }
            Some(deed) if is_down => later.push_back(deed),
            Some(deed) => perform(&mut people, deed).await,
        }
    }
}

async fn perform(people: &mut impl People, deed: Deed) {
    match deed {
        Deed::Say(who, name, text) => people.say(who, &name, &text).await,
        Deed::Edit(name, text) => people.edit(&name, &text).await,
        Deed::Delete(name) => people.delete(&name).await,
        Deed::Slow(_) | Deed::Kill(_) | Deed::Restart(_) => {}
    }
}
