//! The send rates of an account: per chat and in all. If personas have connections of their own, each connection has
//! its own rates, because the server counts per connection. The caller passes the time.

use std::{collections::HashMap, time::Duration};

use greenroom_core::PersonaName;
use tokio::time::Instant;

use crate::{Faces, Limits, Place, Rate, rate::Bucket};

/// From this number of buckets on, full buckets are removed.
const MANY: usize = 1024;

/// The persona of a connection. `None` where all personas share one.
type ConnectionKey = Option<PersonaName>;

/// The rates of an account.
#[derive(Default)]
pub(super) struct Rates {
    in_all: HashMap<ConnectionKey, Bucket>,
    per_chat: HashMap<(ConnectionKey, String), Bucket>,
}

impl Rates {
    /// Reserves the next slot for a message of a persona and returns the wait for it. The slots of the account are
    /// shared round robin: each chat reserves one at a time, behind those of the other chats. If the chat alone must
    /// wait for more than `longest`, reserves nothing and returns that wait as an error.
    pub(super) fn take(
        &mut self,
        limits: &Limits,
        place: &Place,
        persona: &PersonaName,
        now: Instant,
        longest: Duration,
    ) -> Result<Duration, Duration> {
        if self.per_chat.len() >= MANY {
            self.per_chat.retain(|_, bucket| !bucket.is_full(now));
        }
        let connection = connection(limits, persona);
        let new = |rate: Rate| Bucket::new(rate, now);
        let chat = self.per_chat.entry((connection.clone(), place.chat.clone()));
        let chat = chat.or_insert_with(|| new(limits.per_chat));
        let all = self.in_all.entry(connection).or_insert_with(|| new(limits.in_all));
        chat.set_rate(limits.per_chat);
        all.set_rate(limits.in_all);
        let own = chat.wait(now);
        if own > longest {
            return Err(own);
        }
        let wait = own.max(all.wait(now));
        chat.take(now);
        all.take(now);
        Ok(wait)
    }

    /// Pauses a chat because the platform asked to wait.
    pub(super) fn hold(
        &mut self,
        limits: &Limits,
        place: &Place,
        persona: &PersonaName,
        now: Instant,
        wait: Duration,
    ) {
        if let Some(bucket) = self.per_chat.get_mut(&(connection(limits, persona), place.chat.clone())) {
            bucket.hold(now, wait);
        }
    }
}

fn connection(limits: &Limits, persona: &PersonaName) -> ConnectionKey {
    (limits.faces == Faces::Connected).then(|| persona.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Unit};

    const SECOND: Duration = Duration::from_secs(1);

    fn limits(faces: Faces) -> Limits {
        let rate = Rate { burst: 5, every: 2 * SECOND };
        Limits {
            longest: 400,
            unit: Unit::Bytes,
            lines: false,
            dialect: Dialect::Plain,
            per_chat: rate,
            in_all: rate,
            key_lives: None,
            faces,
        }
    }

    /// With three or more chats the wait was once longer than `longest`, so the order was random.
    #[test]
    fn ad1_the_chats_of_an_account_take_turns_however_long_their_answers_are() {
        let (mut rates, limits, now) = (Rates::default(), limits(Faces::Own), Instant::now());
        let (chats, ada) = (["#a", "#b", "#c", "#d", "#e"].map(Place::chat), "ada".parse().unwrap());
        for _ in 0..5 {
            rates.take(&limits, &chats[0], &ada, now, 5 * SECOND).unwrap();
        }
        // the time at which the last line of each chat is sent
        let mut free_at = [now; 5];
        let mut order = Vec::new();
        for _ in 0..20 {
            let next = (0..5).min_by_key(|chat| free_at[*chat]).unwrap();
            let wait = rates.take(&limits, &chats[next], &ada, free_at[next], 5 * SECOND).unwrap();
            free_at[next] += wait;
            order.push(next);
        }
        assert!(order.as_chunks::<5>().0.iter().all(|turn| *turn == [0, 1, 2, 3, 4]), "{order:?}");
    }

    /// Replies of one persona once waited for those of another, up to 25 seconds on IRC.
    #[test]
    fn ad1_personas_with_connections_of_their_own_have_rates_of_their_own() {
        let second = SECOND;
        let (tea, den) = (Place::chat("net/#tea"), Place::chat("net/#den"));
        let [ada, vesper]: [PersonaName; 2] = ["ada", "vesper"].map(|name| name.parse().unwrap());
        let now = Instant::now();
        for (faces, waits) in [(Faces::Connected, Duration::ZERO), (Faces::Own, 2 * second)] {
            let (mut rates, limits) = (Rates::default(), limits(faces));
            let mut take = |place, persona| rates.take(&limits, place, persona, now, 5 * second);
            for _ in 0..5 {
                assert_eq!(take(&tea, &ada), Ok(Duration::ZERO));
            }
            assert_eq!(take(&den, &vesper), Ok(waits), "{faces:?}");
            assert_eq!(take(&tea, &ada).unwrap(), waits.max(2 * second) + waits, "{faces:?}: its own counts");
        }
        let (mut rates, limits) = (Rates::default(), limits(Faces::Connected));
        rates.take(&limits, &tea, &ada, now, second).unwrap();
        rates.hold(&limits, &tea, &ada, now, 30 * second);
        assert_eq!(rates.take(&limits, &tea, &ada, now, second), Err(30 * second));
        assert_eq!(rates.take(&limits, &tea, &vesper, now, second), Ok(Duration::ZERO));
    }
}
