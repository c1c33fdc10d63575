//! The program itself, built when a test first asks for it.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command},
    sync::OnceLock,
    thread,
};

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

/// The port a server says it listens at. What it has said until then is put behind `said`.
pub fn port_of(lines: &mut impl BufRead, said: &mut String) -> u16 {
    loop {
        let begun = said.len();
        assert!(lines.read_line(said).expect("text") > 0, "the server does not start: {said}");
        if let Some((_, address)) = said[begun..].split_once("listens on http://") {
            return address.trim().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        }
    }
}

/// Where a server whose standard error is piped says it listens, as HOST:PORT. What it says after that
/// is read and let go.
pub fn listening(server: &mut Child) -> String {
    let said = server.stderr.take().expect("standard error is piped");
    let mut lines = BufReader::new(said).lines().map_while(Result::ok);
    let address =
        lines.find_map(|line| line.split_once("listens on http://").map(|(_, at)| at.trim().to_owned()));
    thread::spawn(move || lines.for_each(drop));
    address.expect("the server says where it listens")
}
