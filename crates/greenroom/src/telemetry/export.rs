//! Traces on their way to a collector: OTLP over HTTP, in batches, in the background.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tokio::runtime::Handle;

use crate::failure::usage;

/// How long a collector may take.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// What hands spans to the collector at this address.
pub fn provider(collector: &str) -> anyhow::Result<SdkTracerProvider> {
    let wrong = |error: &dyn std::fmt::Display| {
        usage(format!("traces cannot be sent to {}: {error}", crate::choose::shown(collector)))
    };
    greenroom_models::install_tls();
    let client = reqwest::Client::builder().timeout(PATIENCE).build().map_err(|error| wrong(&error))?;
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(OnRuntime { client, runtime: Handle::current() })
        .with_endpoint(format!("{}/v1/traces", collector.trim_end_matches('/')))
        .build()
        .map_err(|error| wrong(&error))?;
    let ours = Resource::builder()
        .with_service_name("greenroom")
        .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(ours).build())
}

/// Batches are sent from a thread that knows no tokio; the requests are made where there is one.
#[derive(Debug)]
struct OnRuntime {
    client: reqwest::Client,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        self.runtime.spawn(async move { client.send_bytes(request).await }).await?
    }
}
