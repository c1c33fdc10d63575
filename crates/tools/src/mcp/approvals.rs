//! What the operator approved: each server as its persona's file names it, and each of its tools as
//! the server described it then (X9). A file of hashes in the data directory.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use greenroom_core::PersonaName;
use greenroom_persona::McpServer;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ServerTool, hash};

/// Why approvals cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalsError {
    /// The file cannot be read or written.
    #[error("{}: {source}; check the permissions of the data directory", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file holds something else.
    #[error(
        "{}: {source}; move it away and approve again with `greenroom mcp approve PERSONA`",
        path.display()
    )]
    Broken {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// Everything that is approved, by persona and by the server's name there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Approvals(BTreeMap<PersonaName, BTreeMap<String, Approved>>);

/// What is approved of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Approved {
    /// Of what the persona's file says of it: command, env, url, headers.
    server: String,
    /// Of each tool, by its name.
    pub(super) tools: BTreeMap<String, String>,
}

impl Approvals {
    /// Reads a file; one that is not there holds nothing.
    ///
    /// # Errors
    /// Where it cannot be read or is no file of approvals.
    pub fn read(path: &Path) -> Result<Self, ApprovalsError> {
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|source| ApprovalsError::Broken { path: path.to_owned(), source }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(ApprovalsError::Io { path: path.to_owned(), source }),
        }
    }

    /// Writes the file anew; whoever reads it meanwhile sees the old one or the new one.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), ApprovalsError> {
        let failed = |source| ApprovalsError::Io { path: path.to_owned(), source };
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        let beside = path.with_extension("new");
        let mut file = fs::File::create(&beside).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&beside, path).map_err(failed)
    }

    /// Approves a server as the persona's file names it, with these tools and no others.
    pub fn approve<'a>(
        &mut self,
        persona: &PersonaName,
        name: &str,
        spec: &McpServer,
        tools: impl IntoIterator<Item = &'a ServerTool>,
    ) {
        let tools = tools.into_iter().map(|tool| (tool.schema.name.clone(), tool.hash.clone())).collect();
        let approved = Approved { server: hash_of(spec), tools };
        self.0.entry(persona.clone()).or_default().insert(name.to_owned(), approved);
    }

    /// What is approved of a server, if it still is the one that was.
    pub(super) fn of(&self, persona: &PersonaName, name: &str, spec: &McpServer) -> Option<&Approved> {
        self.0.get(persona)?.get(name).filter(|approved| approved.server == hash_of(spec))
    }
}

/// Of what is started or asked, and with which secrets; not of which tools are used.
fn hash_of(spec: &McpServer) -> String {
    let McpServer { command, env, url, headers, allow: _, timeout: _ } = spec;
    hash(&json!([command, env, url, headers]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use greenroom_core::ToolSchema;
    use greenroom_persona::Reference;

    #[test]
    fn x9_another_command_or_another_secret_needs_another_approval_and_another_tool_list_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("approvals.json");
        let ada: PersonaName = "ada".parse().unwrap();
        let spec = McpServer { command: vec!["serve".into()], ..McpServer::default() };
        let mut approvals = Approvals::read(&file).unwrap();
        assert!(approvals.of(&ada, "files", &spec).is_none());
        approvals.approve(&ada, "files", &spec, []);
        approvals.write(&file).unwrap();
        let approvals = Approvals::read(&file).unwrap();
        assert!(approvals.of(&ada, "files", &spec).is_some());
        assert!(approvals.of(&"bob".parse().unwrap(), "files", &spec).is_none(), "of this persona alone");
        let wider = McpServer { allow: vec!["echo".into()], ..spec.clone() };
        assert!(approvals.of(&ada, "files", &wider).is_some());
        let other = McpServer { command: vec!["serve".into(), "--all".into()], ..spec.clone() };
        assert!(approvals.of(&ada, "files", &other).is_none());
        let secret = McpServer { env: [("A".into(), Reference::new("${B}"))].into(), ..spec };
        assert!(approvals.of(&ada, "files", &secret).is_none());
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
