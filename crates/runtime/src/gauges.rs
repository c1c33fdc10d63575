//! The gauges of a runtime for Prometheus, read when they are scraped: what waits, what is live, what memory holds.

use std::{fmt, sync::Arc};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge},
};

use crate::services::Services;

/// Reads the gauges.
pub(crate) struct Gauges(pub(crate) Arc<Services>);

impl fmt::Debug for Gauges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gauges")
    }
}

impl Collector for Gauges {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let Self(services) = self;
        let mut gauge = |name, help, value: usize| {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
        };
        gauge("messages_waiting", "Messages let in and not yet answered", services.directory.waiting())?;
        gauge("exchanges_waiting", "Replies not yet captured", services.capture_queue.waiting())?;
        gauge("rooms", "Channels that are live", services.directory.rooms.len())?;
        gauge("index_bytes", "Memory of the search index, about", services.memory.index_bytes())?;
        gauge("event_bytes", "Memory of events kept for late listeners, about", services.hub.bytes())?;
        ConstCounter::new(services.capture_queue.postponed()).encode(encoder.encode_descriptor(
            "exchanges_postponed",
            "Replies whose capture was put off because too much waited",
            None,
            MetricType::Counter,
        )?)?;
        let states = services.directory.states();
        let mut actors =
            encoder.encode_descriptor("actors", "Live channel actors by state", None, MetricType::Gauge)?;
        for (state, count) in states {
            let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            gauge.encode(actors.encode_family(&[("state", state.to_string())])?)?;
        }
        Ok(())
    }
}
