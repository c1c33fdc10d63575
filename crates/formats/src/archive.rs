//! Zip archives: `.charx`, `.byaf` and packed folders. Bounded in files and bytes; paths must stay inside (X11, X12).

use std::io::{Cursor, Read, Write};

use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{Asset, FormatError};

/// The most files in an archive or a folder.
pub(crate) const MAX_FILES: usize = 500;
/// The most bytes of all files together, unpacked.
pub(crate) const MAX_BYTES: u64 = 24 << 20;

/// The most bytes of an archive's end record.
const MAX_END: usize = 22 + 65_535;

/// Whether the bytes are a zip archive, or one appended to a JPEG picture, as some programs write `.charx`.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    let end = &bytes[bytes.len().saturating_sub(MAX_END)..];
    let has_end = || end.windows(4).any(|part| part == b"PK\x05\x06");
    is_at_beginning(bytes) || bytes.starts_with(b"\xff\xd8\xff") && has_end()
}

/// Whether the archive starts at the beginning of the file. An empty archive has only an end record.
pub(crate) fn is_at_beginning(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// The files of an archive by their paths.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Asset>, FormatError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    if archive.len() > MAX_FILES {
        return Err(too_large(format!("{MAX_FILES} files")));
    }
    let mut left = MAX_BYTES;
    let mut files = Vec::new();
    for n in 0..archive.len() {
        let file = archive.by_index(n).map_err(damaged)?;
        if file.is_dir() {
            continue;
        }
        let path = file.name().map_err(damaged)?.into_owned();
        if file.is_symlink() || !is_inside(&path) {
            return Err(FormatError::Outside { path });
        }
        let mut content = Vec::new();
        // the size stated in the archive may be wrong
        file.take(left + 1).read_to_end(&mut content).map_err(|error| damaged(error.into()))?;
        left = left
            .checked_sub(content.len() as u64)
            .ok_or_else(|| too_large(format!("{} MB unpacked", MAX_BYTES >> 20)))?;
        files.push(Asset { path, content });
    }
    Ok(files)
}

/// An archive of these files.
pub(crate) fn write<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> Result<Vec<u8>, FormatError> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        archive.start_file(path, SimpleFileOptions::default()).map_err(damaged)?;
        archive.write_all(content).map_err(|error| damaged(error.into()))?;
    }
    Ok(archive.finish().map_err(damaged)?.into_inner())
}

/// Whether a relative path stays inside its base directory.
pub(crate) fn is_inside(path: &str) -> bool {
    let is_name =
        |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', ':', '\0']);
    path.split('/').all(is_name)
}

fn damaged(error: zip::result::ZipError) -> FormatError {
    FormatError::Damaged { container: "archive", message: error.to_string() }
}

fn too_large(limit: String) -> FormatError {
    FormatError::TooLarge { what: "the archive".into(), limit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pf8_a_path_out_of_an_archive_is_refused() {
        for path in ["../evil.json", "/etc/evil", "a/../../evil", "a\\..\\evil", "C:/evil"] {
            let bytes = write([(path, &b"{}"[..])].into_iter()).unwrap();
            assert_eq!(read(&bytes), Err(FormatError::Outside { path: path.into() }), "{path}");
        }
    }

    #[test]
    fn pf8_an_archive_that_grows_without_end_is_refused() {
        let zeros = vec![0; 9 << 20];
        let bytes = write(["a", "b", "c"].map(|path| (path, &zeros[..])).into_iter()).unwrap();
        assert!(bytes.len() < 1 << 20);
        assert!(matches!(read(&bytes), Err(FormatError::TooLarge { .. })));
    }
}
