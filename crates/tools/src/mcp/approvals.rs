//! The operator's approvals: each server as its persona's file names it, and each of its tools as the server
//! described it at that time (X9). A file of hashes in the data directory.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use greenroom_core::PersonaName;
use serde::{Deserialize, Serialize};

use super::{Definition, ServerTool};

/// Why approvals cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalsError {
    /// The file cannot be read or written.
    #[error("{}: {source}; check the permissions of the data directory", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is no file of approvals.
    #[error(
        "{}: {source}; move it away and approve again with `greenroom mcp approve PERSONA`",
        path.display()
    )]
    Broken {
        /// Which file.
        path: PathBuf,
        /// The parse error.
        source: serde_json::Error,
    },
}

/// All approvals, by persona and by the server's name in its file: one for each working directory of a program, one
/// for an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Approvals(BTreeMap<PersonaName, BTreeMap<String, Vec<Approved>>>);

/// The approval of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Approved {
    /// The working directory of its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<PathBuf>,
    /// The hash of its definition.
    server: String,
    tools: Tools,
}

/// The hash of each approved tool, by its name.
pub(super) type Tools = BTreeMap<String, String>;

impl Approvals {
    /// Reads a file; a missing file holds no approvals.
    ///
    /// # Errors
    /// If it cannot be read or is no file of approvals.
    pub fn read(path: &Path) -> Result<Self, ApprovalsError> {
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|source| ApprovalsError::Broken { path: path.to_owned(), source }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(ApprovalsError::Io { path: path.to_owned(), source }),
        }
    }

    /// Replaces the file; a concurrent reader sees the old content or the new one.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), ApprovalsError> {
        let failed = |source| ApprovalsError::Io { path: path.to_owned(), source };
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        let beside = path.with_extension("new");
        let mut file = fs::File::create(&beside).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&beside, path).map_err(failed)
    }

    /// Approves a server as it was shown, with exactly these tools. Replaces an earlier approval for the same
    /// directory.
    pub fn approve<'a>(
        &mut self,
        persona: &PersonaName,
        name: &str,
        definition: &Definition,
        tools: impl IntoIterator<Item = &'a ServerTool>,
    ) {
        let tools = tools.into_iter().map(|tool| (tool.schema.name.clone(), tool.hash.clone())).collect();
        let directory = definition.directory().map(Path::to_owned);
        let all = self.0.entry(persona.clone()).or_default().entry(name.to_owned()).or_default();
        all.retain(|approved| approved.directory != directory);
        all.push(Approved { directory, server: definition.hash().to_owned(), tools });
    }

    /// The approved tools of a server, if the server is still the one that was shown.
    pub(super) fn of(&self, persona: &PersonaName, name: &str, definition: &Definition) -> Option<&Tools> {
        let mut all = self.0.get(persona)?.get(name)?.iter();
        all.find(|approved| approved.server == definition.hash()).map(|approved| &approved.tools)
    }

    /// Whether anything of a server is approved.
    pub(super) fn has_any(&self, persona: &PersonaName, name: &str) -> bool {
        self.0.get(persona).is_some_and(|servers| servers.get(name).is_some_and(|all| !all.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use greenroom_core::ToolSchema;
    use greenroom_persona::{McpServer, Reference};

    #[test]
    fn x9_another_command_or_another_secret_needs_another_approval_and_another_tool_list_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("approvals.json");
        let ada: PersonaName = "ada".parse().unwrap();
        let spec = McpServer { command: vec!["sh".into()], ..McpServer::default() };
        let defined = |spec: &McpServer| Definition::of(spec).unwrap();
        let mut approvals = Approvals::read(&file).unwrap();
        assert!(approvals.of(&ada, "files", &defined(&spec)).is_none() && !approvals.has_any(&ada, "files"));
        approvals.approve(&ada, "files", &defined(&spec), []);
        approvals.write(&file).unwrap();
        let mut approvals = Approvals::read(&file).unwrap();
        let of =
            |approvals: &Approvals, spec: &McpServer| approvals.of(&ada, "files", &defined(spec)).is_some();
        assert!(of(&approvals, &spec) && approvals.has_any(&ada, "files"));
        let bob = "bob".parse().unwrap();
        assert!(approvals.of(&bob, "files", &defined(&spec)).is_none(), "of this persona alone");
        let wider = McpServer { allow: vec!["echo".into()], ..spec.clone() };
        assert!(of(&approvals, &wider));
        let other = McpServer { command: vec!["sh".into(), "--all".into()], ..spec.clone() };
        assert!(!of(&approvals, &other));
        let secret = McpServer { env: [("A".into(), Reference::new("${B}"))].into(), ..spec.clone() };
        assert!(!of(&approvals, &secret));
        approvals.approve(&ada, "files", &defined(&other), []);
        assert!(of(&approvals, &other) && !of(&approvals, &spec), "in place of what was approved here");
        let url = McpServer { url: Some("https://tools.example".into()), ..McpServer::default() };
        approvals.approve(&ada, "files", &defined(&url), []);
        assert!(of(&approvals, &other) && of(&approvals, &url));
        fs::write(&file, "{").unwrap();
        assert!(Approvals::read(&file).unwrap_err().to_string().contains("greenroom mcp approve"));
    }

    #[test]
    fn x9_a_hash_covers_all_a_model_is_told_and_no_order_of_fields() {
        let tool = |description: &str, parameters: &str| {
            let parameters = serde_json::from_str(parameters).unwrap();
            ServerTool::new(ToolSchema { name: "echo".into(), description: description.into(), parameters })
                .hash
        };
        let first = tool("Says it.", r#"{"type": "object", "properties": {}}"#);
        assert_eq!(first, tool("Says it.", r#"{"properties": {}, "type": "object"}"#));
        assert_ne!(first, tool("Says it twice.", r#"{"type": "object", "properties": {}}"#));
        assert_ne!(first, tool("Says it.", r#"{"type": "object", "properties": {"a": {}}}"#));
    }
}
