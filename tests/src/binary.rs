//! The program itself, built when a test first asks for it.

use std::{path::PathBuf, process::Command, sync::OnceLock};

/// The `greenroom` binary of the tree the tests belong to, as it stands now: built once a process,
/// in the profile and with the features of the tests, so that there is nothing else to build.
pub fn greenroom() -> PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(build).clone()
}

fn build() -> PathBuf {
    // target/<profile>/deps/<this test>
    let this = std::env::current_exe().expect("the path of this test");
    let profile = this.parent().and_then(|deps| deps.parent()).expect("a target directory");
    let mut cargo = Command::new(env!("CARGO"));
    // as `cargo test --workspace` or `cargo bench --workspace --bench NAME` builds it: with fewer packages
    // or targets cargo would choose other features and build everything anew
    cargo.args(["build", "--workspace", "--bins", "--locked", "--quiet"]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    let name = this.file_stem().and_then(|name| name.to_str()).and_then(|name| name.rsplit_once('-'));
    match (profile.file_name().and_then(|name| name.to_str()), name) {
        (Some(profile @ ("release" | "dist")), Some((bench, _))) => {
            cargo.args(["--profile", profile, "--bench", bench])
        }
        _ => cargo.arg("--tests"),
    };
    let built = cargo.status().expect("cargo");
    assert!(built.success(), "the program does not build");
    profile.join(format!("greenroom{}", std::env::consts::EXE_SUFFIX))
}
