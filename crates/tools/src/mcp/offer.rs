//! Which tools of which servers a persona gets, and the notes about the others (X9).
//!
//! A tool has the name that its server gives it. A persona gets it if its file names it, in `tools` or in the
//! server's `allow`, and if its description is the one that the operator approved. A name of a built-in tool, or one
//! that two servers offer, is given to no persona: the meaning of a call must not depend on which server was faster.

use std::{collections::BTreeMap, sync::Arc};

use greenroom_core::PersonaName;
use greenroom_persona::{BUILT_IN_TOOLS, Persona};

use super::{ServerTool, approvals::Tools};
use crate::Tool;

/// The most bytes of a tool's description and schema: every request includes them.
const LARGEST: usize = 16_000;
/// Characters of a name, as endpoints take it.
const LONGEST_NAME: usize = 64;

/// The tools that a persona's servers offer it.
#[derive(Default)]
pub struct Offer {
    /// Tools to call.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The receipt's notes about missing tools.
    pub notes: Vec<String>,
}

/// The state of a server of a persona.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerStatus {
    /// Its name in the persona's file.
    pub name: String,
    /// Whether the server is connected.
    pub state: ServerState,
    /// Its tools with their verdicts, in the server's order.
    pub tools: Vec<(ServerTool, Verdict)>,
    /// Names of its `allow` that it does not offer.
    pub missing: Vec<String>,
}

/// The connection state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// The server is not connected yet.
    Connecting,
    /// The operator has not approved it as the file has it.
    NotApproved,
    /// The server cannot be reached, with the reason. It is tried again.
    Down(String),
    /// The server is connected.
    Connected,
}

/// Whether a persona gets a tool, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The persona has it.
    Offered,
    /// The persona's file does not name it.
    NotNamed,
    /// Endpoints do not accept such a name.
    BadName,
    /// Its description and schema are too large.
    TooLarge,
    /// A tool of Greenroom's own has this name.
    BuiltIn,
    /// The operator has not approved it.
    NotApproved,
    /// Its description changed after the approval: quarantined.
    Changed,
    /// These servers offer the same name.
    Clash(Vec<String>),
}

/// A server's state, its tools, and its approved tools.
pub(super) struct ServerView<'a> {
    pub(super) state: ServerState,
    pub(super) tools: Arc<[ServerTool]>,
    pub(super) approved: Option<&'a Tools>,
}

/// Judges every tool of every server of a persona; `seen` are those of `persona.mcp`, in its order.
pub(super) fn judge<'a>(
    persona: &Persona,
    seen: impl IntoIterator<Item = ServerView<'a>>,
) -> Vec<ServerStatus> {
    let servers = persona.mcp.iter().zip(seen);
    let mut all: Vec<ServerStatus> = servers
        .map(|((name, spec), ServerView { state, tools, approved })| {
            let named = |tool: &str| spec.allow.iter().chain(&persona.tools).any(|name| name == tool);
            let judged = tools.iter().map(|tool| (tool.clone(), verdict(tool, named, approved))).collect();
            let offers = |name: &&String| tools.iter().any(|tool| tool.schema.name == **name);
            let connected = state == ServerState::Connected;
            let missing = spec.allow.iter().filter(|name| connected && !offers(name)).cloned().collect();
            ServerStatus { name: name.clone(), state, tools: judged, missing }
        })
        .collect();
    refuse_clashes(&mut all);
    all
}

/// The verdict on a single tool.
fn verdict(tool: &ServerTool, named: impl Fn(&str) -> bool, approved: Option<&Tools>) -> Verdict {
    let name = tool.schema.name.as_str();
    if !named(name) {
        return Verdict::NotNamed;
    }
    unusable(tool).unwrap_or_else(|| match approved.and_then(|tools| tools.get(name)) {
        None => Verdict::NotApproved,
        Some(hash) if *hash != tool.hash => Verdict::Changed,
        Some(_) => Verdict::Offered,
    })
}

/// Why no persona gets a tool, approved or not.
pub fn unusable(tool: &ServerTool) -> Option<Verdict> {
    let schema = &tool.schema;
    let name = schema.name.as_str();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        Some(Verdict::BadName)
    } else if BUILT_IN_TOOLS.contains(&name) {
        Some(Verdict::BuiltIn)
    } else if schema.description.len() + schema.parameters.to_string().len() > LARGEST {
        Some(Verdict::TooLarge)
    } else {
        None
    }
}

/// Refuses every tool whose name several servers offer.
fn refuse_clashes(all: &mut [ServerStatus]) {
    let mut offering: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for server in &*all {
        for (tool, _) in server.tools.iter().filter(|(_, verdict)| *verdict == Verdict::Offered) {
            offering.entry(tool.schema.name.clone()).or_default().push(server.name.clone());
        }
    }
    for (tool, verdict) in all.iter_mut().flat_map(|server| &mut server.tools) {
        let servers = offering.get(&tool.schema.name).filter(|servers| servers.len() > 1);
        if let (Verdict::Offered, Some(servers)) = (&verdict, servers) {
            *verdict = Verdict::Clash(servers.clone());
        }
    }
}

/// The note about tools that a persona's file names but no server offers. `None` until every server is connected.
pub fn unoffered(
    persona: &Persona,
    servers: &[ServerStatus],
    is_ours: impl Fn(&str) -> bool,
) -> Option<String> {
    if servers.iter().any(|server| server.state != ServerState::Connected) {
        return None;
    }
    let offered = |name: &str| {
        let mut tools = servers.iter().flat_map(|server| &server.tools);
        tools.any(|(tool, _)| tool.schema.name == name)
    };
    let names = persona.tools.iter().map(String::as_str);
    let missing: Vec<&str> = names.filter(|name| !is_ours(name) && !offered(name)).collect();
    (!missing.is_empty()).then(|| {
        let (missing, persona) = (missing.join(", "), &persona.name);
        format!("{missing}: not built in, and no MCP server of {persona} offers it; take it out of the file's tools")
    })
}

impl Verdict {
    /// The meaning of the verdict for its tools, and the remedy; `None` where all is as the file says.
    pub fn remedy(&self, persona: &PersonaName, server: &str) -> Option<String> {
        let approve = format!("look at it with `greenroom mcp approve {persona} {server}`");
        Some(match self {
            Self::Offered | Self::NotNamed => return None,
            Self::BadName => "left out: a name is 1 to 64 of a-z, A-Z, 0-9, `_` and `-`".to_owned(),
            Self::TooLarge => format!("left out: description and schema are larger than {LARGEST} bytes"),
            Self::BuiltIn => "refused: Greenroom's own tools have this name".to_owned(),
            Self::NotApproved => format!("left out: not approved; {approve}"),
            Self::Changed => format!("quarantined: described otherwise than when approved; {approve}"),
            Self::Clash(servers) => {
                let servers = servers.join(" and ");
                format!("refused: {servers} offer the same name; let the file of {persona} name it for one")
            }
        })
    }
}

impl ServerStatus {
    /// A line for everything that the persona's file names and the persona does not have.
    pub fn notes(&self, persona: &PersonaName) -> Vec<String> {
        let name = &self.name;
        let of_all = match &self.state {
            ServerState::Connected => None,
            ServerState::Connecting => Some("it is not connected yet".to_owned()),
            ServerState::NotApproved => {
                Some(format!("nobody approved it; look at it with `greenroom mcp approve {persona} {name}`"))
            }
            ServerState::Down(reason) => Some(reason.clone()),
        };
        let mut notes: Vec<String> =
            of_all.map(|why| format!("no tools of the MCP server {name}: {why}")).into_iter().collect();
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for (tool, verdict) in &self.tools {
            let Some(remedy) = verdict.remedy(persona, name) else { continue };
            match lines.iter_mut().find(|(line, _)| *line == remedy) {
                Some((_, tools)) => tools.push(&tool.schema.name),
                None => lines.push((remedy, vec![&tool.schema.name])),
            }
        }
        notes
            .extend(lines.into_iter().map(|(line, tools)| format!("{} of {name}: {line}", tools.join(", "))));
        if !self.missing.is_empty() {
            notes.push(format!("{} of {name}: it offers no such tool", self.missing.join(", ")));
        }
        notes
    }
}

#[cfg(test)]
mod tests;
