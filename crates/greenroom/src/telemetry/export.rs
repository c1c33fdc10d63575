//! Sends traces to a collector: OTLP over HTTP, in batches, in the background.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tokio::runtime::Handle;

use crate::failure::usage;

/// The time a collector has for a batch.
pub const TIMEOUT: Duration = Duration::from_secs(3);

/// A provider that sends spans to the collector at this address.
pub fn provider(collector: &str) -> anyhow::Result<SdkTracerProvider> {
    let wrong = |error: &dyn std::fmt::Display| {
        usage(format!("traces cannot be sent to {}: {error}", crate::model_choice::shown(collector)))
    };
    greenroom_models::install_tls();
    let client = reqwest::Client::builder().timeout(TIMEOUT).build().map_err(|error| wrong(&error))?;
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

/// Makes the requests on the tokio runtime. The exporter sends batches from a thread without one.
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
