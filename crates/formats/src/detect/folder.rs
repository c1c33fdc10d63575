//! Detects folders and archives: cards with their assets, Backyard archives, and the SOUL.md family.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{MAX_TEXT, kind::json_format, no_utf8, text_of, twice, unknown};
use crate::{
    Asset, Format, FormatError, Source,
    json::{self, Order},
    png::is_png,
    read::{card, soul},
};

pub(super) fn folder(name: &str, files: Vec<Asset>) -> Result<Source, FormatError> {
    let (system, files) = take(files, is_of_system);
    let mut source = folder_of(name, without_common_root(files))?;
    let line = |file: Asset| (file.path, "a note of the system that packed the archive".to_owned());
    source.changes.extend(system.into_iter().map(line));
    Ok(source)
}

/// Whether macOS added this file to the archive.
fn is_of_system(path: &str) -> bool {
    path.starts_with("__MACOSX/") || path.rsplit('/').next() == Some(".DS_Store")
}

fn folder_of(name: &str, files: Vec<Asset>) -> Result<Source, FormatError> {
    let has = |path: &str| files.iter().any(|file| file.path == path);
    if has("card.json") {
        let (card, assets) = take(files, |path| path == "card.json");
        let card = card.into_iter().next().map(|file| file.content).unwrap_or_default();
        let mut documents = json::Documents::within();
        let data = read_json(&mut documents, "card.json", &card)?;
        let format = json_format(&data).filter(|format| format.is_card());
        let format = format.ok_or_else(|| unknown("an archive whose card.json is no card"))?;
        let icon = card::icon(&data);
        let is_icon = |asset: &&Asset| Some(&asset.path) == icon.as_ref();
        let mut pictures = assets.iter().filter(|asset| is_png(&asset.content));
        let picture = pictures.clone().find(is_icon).or_else(|| pictures.next());
        let picture = picture.map(|asset| asset.content.clone());
        let changes = twice(&documents.twice).collect();
        let source = Source { assets, picture, changes, ..Source::new(format, name, data) };
        return Ok(source.ordered(documents.order));
    }
    if has("manifest.json") && files.iter().any(|file| file.path.starts_with("characters/")) {
        let (texts, assets) = take(files, |path| path.ends_with(".json"));
        let (mut data, mut orders) = (Map::new(), Vec::new());
        let mut documents = json::Documents::within();
        for file in texts {
            let document = read_json(&mut documents, &file.path, &file.content)?;
            orders.push((file.path.clone(), std::mem::take(&mut documents.order)));
            data.insert(file.path, document);
        }
        let picture = assets.iter().find(|asset| is_png(&asset.content)).map(|asset| asset.content.clone());
        let changes = twice(&documents.twice).collect();
        let source = Source { assets, picture, changes, ..Source::new(Format::Byaf, name, data.into()) };
        return Ok(source.ordered(Order::of_sorted(orders)));
    }
    if files.is_empty() {
        return Err(unknown("an empty folder or archive"));
    }
    if has("AGENTS.md") && !soul::is_signed(&has) {
        let beside: Vec<&str> =
            files.iter().map(|file| file.path.as_str()).filter(|path| !soul::is_of_workspace(path)).collect();
        if !beside.is_empty() {
            let beside = beside[..beside.len().min(3)].join(", ");
            return Err(FormatError::Project { beside });
        }
    } else if !soul::is_signed(&has) {
        let found: Vec<&str> = files.iter().take(5).map(|file| file.path.as_str()).collect();
        return Err(unknown(&format!(
            "a folder or archive without SOUL.md, IDENTITY.md, AGENTS.md, soul.json or card.json (it has: {}); name files of \
             it to import each alone",
            found.join(", ")
        )));
    }
    let mut data = Map::new();
    let mut assets = Vec::new();
    let mut left = json::MAX_WITHIN;
    let mut documents = json::Documents::within();
    for file in files {
        let text = match text_of(&file.content) {
            // an export writes it in UTF-8
            Ok(Cow::Owned(text)) if soul::is_prompt(&file.path) || file.path == "soul.json" => Ok(text),
            _ => String::from_utf8(file.content),
        };
        match text {
            Ok(text) if text.len() > MAX_TEXT.min(left) && soul::is_prompt(&file.path) => {
                return Err(FormatError::TooLarge {
                    what: file.path,
                    limit: format!("{} MB", MAX_TEXT >> 20),
                });
            }
            Ok(text) if text.len() > MAX_TEXT.min(left) => {
                assets.push(Asset { path: file.path, content: text.into_bytes() });
            }
            Ok(text) if file.path == "soul.json" => {
                let manifest = read_json(&mut documents, &file.path, text.as_bytes())?;
                data.insert(file.path, manifest);
            }
            Ok(text) => {
                left -= text.len();
                data.insert(file.path, text.into());
            }
            Err(error) if soul::is_prompt(&file.path) || file.path == "soul.json" => {
                return Err(no_utf8(&error.into_bytes()).within(&file.path));
            }
            Err(error) => assets.push(Asset { path: file.path, content: error.into_bytes() }),
        }
    }
    let changes = twice(&documents.twice).collect();
    let order = Order::of_sorted([("soul.json".into(), documents.order)]);
    Ok(Source { assets, changes, ..Source::new(Format::Soul, name, data.into()) }.ordered(order))
}

/// Parses a file of a folder or an archive as JSON.
fn read_json(documents: &mut json::Documents, path: &str, content: &[u8]) -> Result<Value, FormatError> {
    let read = text_of(content).and_then(|text| documents.parse(&text));
    read.map_err(|error| error.within(path))
}

/// Removes a common root folder. Archives often contain a single folder with everything in it.
fn without_common_root(mut files: Vec<Asset>) -> Vec<Asset> {
    let root = files.first().and_then(|file| file.path.split_once('/')).map(|(root, _)| format!("{root}/"));
    if let Some(root) = root.filter(|root| files.iter().all(|file| file.path.starts_with(root))) {
        files.iter_mut().for_each(|file| file.path.drain(..root.len()).for_each(drop));
    }
    files
}

fn take(files: Vec<Asset>, is_wanted: impl Fn(&str) -> bool) -> (Vec<Asset>, Vec<Asset>) {
    files.into_iter().partition(|file| is_wanted(&file.path))
}
