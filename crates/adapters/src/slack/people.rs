//! A cache of user names; an entry is valid for a day.

use std::time::{Duration, Instant};

use dashmap::DashMap;

use super::api::Api;

/// How long a cached name is valid.
const KNOWN: Duration = Duration::from_hours(24);
/// The most names that are kept.
const MOST: usize = 10_000;

/// The cached names.
#[derive(Default)]
pub(super) struct People {
    names: DashMap<String, (Instant, User)>,
}

/// A user.
#[derive(Debug, Clone)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) is_bot: bool,
}

impl People {
    /// A user. If Slack does not tell, a person with the id as the name.
    pub(super) async fn user(&self, api: &Api, id: &str) -> User {
        let known = self.names.get(id).filter(|known| known.0.elapsed() < KNOWN).map(|known| known.1.clone());
        if let Some(user) = known {
            return user;
        }
        let Ok(answer) = api.call("users.info", &[("user", id)]).await else {
            return User { name: id.to_owned(), is_bot: false };
        };
        let user = &answer["user"];
        let names = [&user["profile"]["display_name"], &user["real_name"], &user["name"]];
        let name = names.into_iter().filter_map(|name| name.as_str()).find(|name| !name.trim().is_empty());
        let user = User { name: name.unwrap_or(id).to_owned(), is_bot: user["is_bot"] == true };
        if self.names.len() >= MOST {
            self.names.clear();
        }
        self.names.insert(id.to_owned(), (Instant::now(), user.clone()));
        user
    }
}
