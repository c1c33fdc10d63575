//! The program itself, built when a test first needs it.

use std::{path::PathBuf, process::Command, sync::OnceLock};

/// The `greenroom` binary of the present source tree: built once per process, with the profile and the features of
/// the tests, so that cargo has nothing else to build.
pub fn greenroom() -> PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(build).clone()
}

fn build() -> PathBuf {
    // target/<profile>/deps/<this test>
    let this = std::env::current_exe().expect("the path of this test");
    let profile = this.parent().and_then(|deps| deps.parent()).expect("a target directory");
    let mut cargo = Command::new(env!("CARGO"));
    // the same arguments as `cargo test --workspace` or `cargo bench --workspace --bench NAME`: with fewer packages
    // or targets cargo would choose other features and build everything again
    cargo.args(["build", "--workspace", "--bins", "--locked", "--quiet"]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    // cargo tells a test of its own package; the build script of `ring` would take these for a change, and everything
    // above it would be built again
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_"))
        {
            cargo.env_remove(name);
        }
    }
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
