//! The metrics of accounts on chat platforms (AD8), read from their status with each request.

use std::sync::atomic::Ordering;

use greenroom_adapters::{AccountState, AccountStatus};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AccountLabels {
    account: String,
    platform: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    account: String,
    platform: &'static str,
    why: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    account: String,
    platform: &'static str,
    state: &'static str,
}

/// The metrics of accounts.
#[derive(Default)]
pub(crate) struct AccountMetrics {
    online: Family<AccountLabels, Gauge>,
    lag: Family<AccountLabels, Gauge>,
    received: Family<AccountLabels, Counter>,
    answered: Family<AccountLabels, Counter>,
    unanswered: Family<ReasonLabels, Counter>,
    deliveries: Family<StateLabels, Gauge>,
}

impl AccountMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("account_online", "Whether the account is connected", self.online.clone());
        let lag = "How long the last dated event was on its way, in milliseconds";
        registry.register("account_lag_milliseconds", lag, self.lag.clone());
        registry.register("account_events", "Events taken in", self.received.clone());
        registry.register("account_answered", "Messages that a persona answers", self.answered.clone());
        let unanswered = "Messages that were stored and not answered, by why: stale or limited";
        registry.register("account_unanswered", unanswered, self.unanswered.clone());
        let deliveries = "Replies that are not delivered, by state: waiting, uncertain or dead";
        registry.register("account_deliveries", deliveries, self.deliveries.clone());
    }

    /// Sets the metrics from the status of each account.
    pub(super) fn set(&self, accounts: &[AccountStatus]) {
        for status in accounts {
            let (account, platform) = (status.name.clone(), status.platform.as_str());
            let labels = AccountLabels { account: account.clone(), platform };
            self.online.get_or_create(&labels).set(i64::from(status.state == AccountState::Online));
            let lag = status.lag_ms.and_then(|lag| i64::try_from(lag).ok());
            self.lag.get_or_create(&labels).set(lag.unwrap_or_default());
            self.received.get_or_create(&labels).inner().store(status.events, Ordering::Relaxed);
            self.answered.get_or_create(&labels).inner().store(status.answered, Ordering::Relaxed);
            for (why, count) in [("stale", status.stale), ("limited", status.limited)] {
                let labels = ReasonLabels { account: account.clone(), platform, why };
                self.unanswered.get_or_create(&labels).inner().store(count, Ordering::Relaxed);
            }
            let deliveries =
                [("waiting", status.waiting), ("uncertain", status.uncertain), ("dead", status.dead)];
            for (state, count) in deliveries {
                let labels = StateLabels { account: account.clone(), platform, state };
                self.deliveries.get_or_create(&labels).set(i64::try_from(count).unwrap_or(i64::MAX));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text;

    use super::*;

    #[test]
    fn ad8_each_account_has_its_numbers() {
        let status: AccountStatus = serde_json::from_value(serde_json::json!({
            "name": "libera", "platform": "irc", "state": "online", "why": null, "as_user": "ada",
            "last_event_at": null, "lag_ms": 120, "events": 9, "answered": 4, "stale": 2, "limited": 1,
            "looked_back_to": null, "caught_up": null, "waiting": 3, "uncertain": 1, "dead": 0, "failed": []
        }))
        .unwrap();
        let mut registry = Registry::with_prefix("greenroom");
        let metrics = AccountMetrics::default();
        metrics.register(&mut registry);
        metrics.set(std::slice::from_ref(&status));
        metrics.set(&[AccountStatus { events: 10, ..status }]);
        let mut out = String::new();
        text::encode(&mut out, &registry).unwrap();
        for line in [
            r#"greenroom_account_online{account="libera",platform="irc"} 1"#,
            r#"greenroom_account_lag_milliseconds{account="libera",platform="irc"} 120"#,
            r#"greenroom_account_events_total{account="libera",platform="irc"} 10"#,
            r#"greenroom_account_answered_total{account="libera",platform="irc"} 4"#,
            r#"greenroom_account_unanswered_total{account="libera",platform="irc",why="stale"} 2"#,
            r#"greenroom_account_deliveries{account="libera",platform="irc",state="waiting"} 3"#,
            r#"greenroom_account_deliveries{account="libera",platform="irc",state="uncertain"} 1"#,
        ] {
            assert!(out.contains(line), "{line} is missing: {out}");
        }
    }
}
