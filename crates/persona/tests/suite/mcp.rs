//! MCP servers in a persona's file.

use super::{check, files, problems_of};

#[test]
fn a_file_names_programs_and_addresses_and_what_of_them_may_be_used() {
    let dir = files(&[(
        "ada.md",
        "---
tools: [recall, echo]
mcp:
  files:
    command: [npx, -y, server-files, /srv]
    env: { FILES_TOKEN: \"${FILES_TOKEN}\" }
    allow: [read_file]
  search: { url: \"https://search.example/mcp\", headers: { Authorization: \"Bearer ${KEY}\" }, timeout: 5s }
---
You are Ada.
",
    )]);
    let cast = check(dir.path());
    assert_eq!(cast.problems, []);
    let ada = &cast.personas[0];
    assert_eq!(ada.tools, ["recall", "echo"], "which tools a server has is known when it is asked");
    let (files, search) = (&ada.mcp["files"], &ada.mcp["search"]);
    assert_eq!(
        (files.command.len(), &files.allow[..], files.timeout.as_secs()),
        (4, &["read_file".into()][..], 30)
    );
    assert_eq!((search.url.as_deref(), search.timeout.as_secs()), (Some("https://search.example/mcp"), 5));
    let header = search.headers["Authorization"].resolved(|name| (name == "KEY").then(|| "k".into()));
    assert_eq!(header.as_deref(), Ok("Bearer k"));
}

#[test]
fn x5_what_is_wrong_with_a_server_is_said_and_a_secret_in_it_is_not_shown() {
    let text = "---
mcp:
  both: { command: [a], url: \"http://localhost/mcp\" }
  neither: { allow: [echo] }
  'no name': { command: [a] }
  literal: { url: \"http://localhost/mcp\", headers: { X_TOKEN: canary } }
  wrong: { command: npx, colour: red }
  headers: { command: [a], headers: { A: \"${B}\" } }
---
You are Ada.
";
    insta::assert_snapshot!(problems_of("ada.md", text));
}
