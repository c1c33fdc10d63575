//! Thousands of requests made from the description of the API, right ones and wrong ones.

use std::process::Command;

use crate::server::Server;

/// What is not asked for:
/// - `ignored_auth`: on loopback without keys nobody is asked for one.
/// - `positive_data_acceptance`: a schema cannot say that a text must not be blank, that a channel has at
///   most 256 bytes, or that two fields exclude each other; what is refused then is refused with 4xx.
/// - `/events`, `/ws`: answers without an end. `/mcp`: JSON-RPC. `/import`: lines of JSON. `/stop`,
///   `/restart`: nobody would answer the rest. They have tests of their own.
const EXCLUDED: [&str; 4] = [
    "--exclude-checks=ignored_auth,positive_data_acceptance",
    "--exclude-path-regex",
    "/(events|ws|import|stop|restart)$|^/mcp",
    "--suppress-health-check=all",
];

#[test]
fn schemathesis_finds_nothing() {
    let tools = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/schemathesis");
    assert!(
        tools.exists(),
        "schemathesis is missing: run scripts/test, or `. scripts/needs; need_schemathesis`"
    );
    let server = Server::start();
    let output = Command::new("python3")
        .args([
            "-m",
            "schemathesis.cli",
            "run",
            "--checks=all",
            "--seed=1",
            "--max-examples=15",
            "--no-color",
        ])
        .args(EXCLUDED)
        .arg(format!("http://{}/openapi.json", server.address))
        .env("PYTHONPATH", tools)
        .current_dir(server.home.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    // it may have told the channel to be quiet
    assert_eq!(server.delete("/api/channels/api:ann/quiet").status, 204);
    assert_eq!(server.say("api:ann", "Still there?").body["turns"][0]["state"], "done");
}
