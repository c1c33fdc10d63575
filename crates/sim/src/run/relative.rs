//! Paths relative to the directory of a run. So a run can be moved, and a group of runs can be moved together.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

/// The relative path from a directory to another path. Both must exist.
pub(super) fn path(from: &Path, to: &Path) -> io::Result<PathBuf> {
    let (from, to) = (from.canonicalize()?, to.canonicalize()?);
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        // on another drive there is no relative path
        return Ok(to);
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    Ok(up.chain(to.components().skip(shared)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sm5_the_way_between_two_directories() {
        let root = tempfile::tempdir().unwrap();
        let [run, input, other] = ["runs/a", "runs/a/input", "b"].map(|name| root.path().join(name));
        for directory in [&run, &input, &other] {
            std::fs::create_dir_all(directory).unwrap();
        }
        assert_eq!(path(&run, &input).unwrap(), Path::new("input"));
        assert_eq!(path(&other, &run).unwrap(), Path::new("../runs/a"));
        assert!(path(&run, &root.path().join("gone")).is_err());
    }
}
