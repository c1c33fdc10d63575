//! The first source of weights: the Hugging Face hub, over HTTP with resumed downloads.

use std::{path::Path, time::Duration};

use futures::StreamExt;
use reqwest::{Client, StatusCode, header::RANGE};

use super::{Progress, WeightsEntry, WeightsFile, verify::Part};
use crate::tls;

/// The connection timeout. It is short, because without the hub there is another source to try.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a download may receive no data.
const STALL_TIMEOUT: Duration = Duration::from_secs(20);

/// Fetches every file of `entry` into its `.part` file. The error is a reason in one line.
pub(super) async fn fetch(
    base: &str,
    entry: &WeightsEntry,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<(), String> {
    let (repository, revision) = entry.hub.ok_or("the hub does not have it")?;
    tls::install_tls();
    let client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(STALL_TIMEOUT)
        .build()
        .map_err(|error| format!("no HTTP client: {error}"))?;
    for file in entry.files {
        let url = format!("{base}/{repository}/resolve/{revision}/{}", file.hub_path);
        progress.step(&format!("downloading {} ({})", entry.name, file.hub_path));
        fetch_file(&client, &url, file, dir, progress)
            .await
            .map_err(|reason| format!("{base} failed: {reason}"))?;
    }
    Ok(())
}

async fn fetch_file(
    client: &Client,
    url: &str,
    file: &WeightsFile,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<(), String> {
    let write = |error: std::io::Error| format!("cannot write below {}: {error}", dir.display());
    let mut part = Part::resume(dir, file).map_err(write)?;
    if part.len < file.bytes {
        let mut request = client.get(url);
        if part.len > 0 {
            request = request.header(RANGE, format!("bytes={}-", part.len));
        }
        let response = request.send().await.map_err(|error| cause(&error))?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {}
            StatusCode::OK => part.restart().map_err(write)?,
            status => return Err(format!("it answered {status}")),
        }
        let mut body = response.bytes_stream();
        while let Some(bytes) = body.next().await {
            let bytes = bytes.map_err(|error| cause(&error))?;
            if part.len + bytes.len() as u64 > file.bytes {
                part.restart().map_err(write)?;
                return Err(format!("{} is longer there than {} bytes", file.name, file.bytes));
            }
            part.push(&bytes).map_err(write)?;
            progress.at(part.len, file.bytes);
        }
    }
    part.finish(file)
}

/// The innermost cause; the outer errors only repeat the address.
fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
