//! Installation, the last step of a pull: makes the files that a model loads from verified downloads, all of them or
//! none.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufReader, BufWriter, Write},
    path::Path,
};

use candle_core::{
    Device,
    quantized::{GgmlDType, QTensor, gguf_file},
};
use serde::{Deserialize, Serialize};

use super::{Progress, WeightsEntry, WeightsError, WeightsFile, verify::part_path};

const MANIFEST: &str = "manifest.json";
/// Increased whenever the conversion changes, so that files of an older version are converted again.
const CONVERSION: u32 = 1;

/// The contents of a model's directory. It is written last: without it the directory does not count.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Manifest {
    conversion: u32,
    files: BTreeMap<String, Stored>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Stored {
    /// The sha256 of the download from which the file was made.
    source: String,
    /// The size of the file in bytes.
    bytes: u64,
}

/// Whether every file of the manifest exists and was made from the download that the catalogue pins.
pub(super) fn is_complete(entry: &WeightsEntry, dir: &Path) -> bool {
    let Ok(text) = fs::read(dir.join(MANIFEST)) else { return false };
    let Ok(manifest) = serde_json::from_slice::<Manifest>(&text) else { return false };
    manifest.conversion == CONVERSION
        && entry.files.iter().all(|file| {
            let found = fs::metadata(dir.join(file.name)).map(|found| found.len());
            matches!((manifest.files.get(file.name), found), (Some(stored), Ok(bytes))
                if stored.source == file.sha256 && stored.bytes == bytes)
        })
}

/// Turns the `.part` files of `entry` into its installed files.
pub(super) async fn install(
    entry: &'static WeightsEntry,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<(), WeightsError> {
    progress.step("installing");
    let dir = dir.to_owned();
    let work = tokio::task::spawn_blocking(move || install_blocking(entry, &dir));
    work.await.unwrap_or_else(|error| {
        Err(WeightsError::Convert {
            name: entry.name.to_owned(),
            path: entry.name.into(),
            reason: error.to_string(),
        })
    })
}

fn install_blocking(entry: &WeightsEntry, dir: &Path) -> Result<(), WeightsError> {
    let mut files = BTreeMap::new();
    for file in entry.files {
        let bytes = install_file(entry, file, dir)?;
        files.insert(file.name.to_owned(), Stored { source: file.sha256.to_owned(), bytes });
    }
    let path = dir.join(MANIFEST);
    write_manifest(&path, &Manifest { conversion: CONVERSION, files })
        .map_err(|error| WeightsError::write(&path, &error))
}

/// Moves one file into place; returns its size.
fn install_file(entry: &WeightsEntry, file: &WeightsFile, dir: &Path) -> Result<u64, WeightsError> {
    let (part, target) = (part_path(dir, file), dir.join(file.name));
    let write = |error: io::Error| WeightsError::write(&target, &error);
    if file.requantise {
        let converted = dir.join(format!("{}.new", file.name));
        requantise(&part, &converted).map_err(|error| WeightsError::Convert {
            name: entry.name.to_owned(),
            path: part.clone(),
            reason: error.to_string(),
        })?;
        fs::rename(&converted, &target).map_err(write)?;
        fs::remove_file(&part).map_err(write)?;
    } else {
        fs::rename(&part, &target).map_err(write)?;
    }
    Ok(fs::metadata(&target).map_err(write)?.len())
}

fn write_manifest(path: &Path, manifest: &Manifest) -> io::Result<()> {
    let new = path.with_extension("json.new");
    let mut file = File::create(&new)?;
    file.write_all(&serde_json::to_vec_pretty(manifest)?)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

/// Writes the GGUF file `from` with all matrices in Q8_0 to `to`. Metadata, which includes the tokenizer, is kept;
/// vectors such as norms become f32.
fn requantise(from: &Path, to: &Path) -> candle_core::Result<()> {
    let mut reader = BufReader::new(File::open(from)?);
    let content = gguf_file::Content::read(&mut reader)?;
    let mut tensors = Vec::with_capacity(content.tensor_infos.len());
    for name in content.tensor_infos.keys() {
        let values = content.tensor(&mut reader, name, &Device::Cpu)?.dequantize(&Device::Cpu)?;
        let kind = if values.rank() > 1 { GgmlDType::Q8_0 } else { GgmlDType::F32 };
        tensors.push((name.as_str(), QTensor::quantize(&values, kind)?));
    }
    // the maps of `Content` have no fixed order, but the same input must give the same bytes
    tensors.sort_by_key(|(name, _)| *name);
    let mut metadata: Vec<_> = content.metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    metadata.sort_by_key(|(key, _)| *key);
    let tensors: Vec<_> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
    let mut writer = BufWriter::new(File::create(to)?);
    gguf_file::write(&mut writer, &metadata, &tensors)?;
    writer.into_inner().map_err(|error| candle_core::Error::Io(error.into_error()))?.sync_all()?;
    Ok(())
}
