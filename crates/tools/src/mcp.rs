//! Tools of MCP servers, for the personas whose files name them.
//!
//! ```text
//! approvals.rs  the operator's approvals: a hash of each server and of each tool (X9)
//! address.rs    the addresses that may be connected to (X10)
//! definition.rs the program or address of a server: shown, and hashed for the approval (X9)
//! connect.rs    a program or an address becomes an MCP session
//! server.rs     one server of one persona: connected in the background, again with backoff
//! offer.rs      which of its tools a persona gets
//! call.rs       one call
//! ```
//! A turn never waits for a server. It uses the servers that are connected at that time, and its receipt names the
//! missing ones. A server without approval is neither started nor asked, so that a persona's file from another source
//! cannot run a program on its own.

mod address;
mod approvals;
mod call;
mod connect;
mod definition;
mod offer;
mod server;

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use greenroom_core::{PersonaName, ToolSchema, real_time};
use greenroom_persona::{McpServer, Persona};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{Tool, Toolbox};
use call::McpTool;
use server::{ConnectionState, Server};

pub use approvals::{Approvals, ApprovalsError};
pub use definition::Definition;
pub use offer::{Offer, ServerState, ServerStatus, Verdict, unoffered, unusable};
pub use server::look;

/// How often the file of approvals is checked for changes.
const LOOK: Duration = Duration::from_secs(1);
/// How long servers may take to end: 3 s after the end of their input, 3 s more after SIGTERM; then they are killed.
const GOODBYE: Duration = Duration::from_secs(7);

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerTool {
    /// The schema that a model would get.
    pub schema: ToolSchema,
    /// The hash of the schema, which the operator approves.
    pub hash: String,
}

impl ServerTool {
    /// A description and its hash.
    pub fn new(schema: ToolSchema) -> Self {
        let ToolSchema { name, description, parameters } = &schema;
        let hash = hash(&json!([name, description, parameters]));
        Self { schema, hash }
    }
}

/// The hash of a JSON value. `serde_json` sorts the fields by name, so equal values have equal hashes.
fn hash(value: &serde_json::Value) -> String {
    Sha256::digest(value.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The MCP servers of a cast. Clones are handles to the same servers. Without a file of approvals no server is ever
/// connected.
#[derive(Clone)]
pub struct McpTools(Arc<Shared>);

struct Shared {
    /// The file of approvals.
    file: Option<PathBuf>,
    approvals: watch::Sender<Arc<Approvals>>,
    servers: Mutex<Servers>,
    closing: CancellationToken,
    tasks: TaskTracker,
}

#[derive(Default)]
struct Servers {
    running: BTreeMap<(PersonaName, String), Running>,
    /// Whether a task watches for new approvals.
    watched: bool,
}

struct Running {
    server: Arc<Server>,
    stop: CancellationToken,
}

impl Default for McpTools {
    fn default() -> Self {
        Self::of(None, Approvals::default())
    }
}

impl McpTools {
    /// Servers with the approvals of a file; an unreadable file approves nothing.
    pub fn new(file: PathBuf) -> Self {
        let approvals = Approvals::read(&file).unwrap_or_else(|error| {
            tracing::warn!("no MCP server is approved: {error}");
            Approvals::default()
        });
        Self::of(Some(file), approvals)
    }

    fn of(file: Option<PathBuf>, approvals: Approvals) -> Self {
        Self(Arc::new(Shared {
            file,
            approvals: watch::Sender::new(Arc::new(approvals)),
            servers: Mutex::default(),
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }))
    }

    /// Sets the personas whose servers run: new servers are connected in the background, changed ones reconnected,
    /// and removed ones ended. Call it within a tokio runtime.
    pub fn set<'a>(&self, personas: impl IntoIterator<Item = &'a Persona>) {
        if self.0.file.is_none() || self.0.closing.is_cancelled() {
            return;
        }
        let all = personas.into_iter().flat_map(|persona| persona.mcp.iter().map(move |m| (persona, m)));
        let wanted: BTreeMap<_, _> =
            all.map(|(persona, (name, spec))| ((persona.name.clone(), name.clone()), spec)).collect();
        let mut servers = self.servers();
        servers.running.retain(|key, running| {
            let stays = wanted.get(key).is_some_and(|spec| running.server.spec == **spec);
            if !stays {
                running.stop.cancel();
            }
            stays
        });
        for (key, spec) in wanted {
            if let Entry::Vacant(place) = servers.running.entry(key) {
                let (persona, name) = place.key().clone();
                place.insert(self.start(persona, name, spec.clone()));
            }
        }
        if !servers.running.is_empty() && !servers.watched {
            servers.watched = true;
            self.0.tasks.spawn(self.clone().watch());
        }
    }

    fn start(&self, persona: PersonaName, name: String, spec: McpServer) -> Running {
        let server = Arc::new(Server::new(persona, name, spec));
        let stop = self.0.closing.child_token();
        self.0.tasks.spawn(server.clone().run(self.0.approvals.subscribe(), stop.clone()));
        Running { server, stop }
    }

    /// Applies new approvals while the program runs.
    async fn watch(self) {
        let Some(file) = &self.0.file else { return };
        let mut before = None::<SystemTime>;
        while self.0.closing.run_until_cancelled(real_time().sleep(LOOK)).await.is_some() {
            let now = tokio::fs::metadata(file).await.and_then(|about| about.modified()).ok();
            if now == before {
                continue;
            }
            before = now;
            match Approvals::read(file) {
                // sent even when nothing changed: an operator who approves again wants a failed server tried again
                Ok(approvals) => drop(self.0.approvals.send_replace(Arc::new(approvals))),
                Err(error) => tracing::warn!("approvals stay as they were: {error}"),
            }
        }
    }

    /// Resolves when every server is connected, refused or down, or after `limit`: for a command that asks one
    /// question and ends.
    pub async fn settled(&self, limit: Duration) {
        let states: Vec<_> = self.servers().running.values().map(|r| r.server.subscribe()).collect();
        let all = async {
            for mut state in states {
                // an error means that the server's task has ended, which is settled too
                let _ = state.wait_for(|state| !matches!(state, ConnectionState::Connecting)).await;
            }
        };
        let _ = real_time().timeout(limit, all).await;
    }

    /// The state of a persona's servers, with the verdict on each of their tools.
    pub fn status(&self, persona: &Persona) -> Vec<ServerStatus> {
        self.seen(persona).into_iter().map(|(status, _)| status).collect()
    }

    /// The tools that a persona gets now, and the receipt's notes about the others. `others` has the tools that come
    /// from no server.
    pub fn offered(&self, persona: &Persona, others: &Toolbox) -> Offer {
        let mut offer = Offer::default();
        if self.0.file.is_none() || persona.mcp.is_empty() {
            return offer;
        }
        let (all, servers): (Vec<_>, Vec<_>) = self.seen(persona).into_iter().unzip();
        offer.notes.extend(unoffered(persona, &all, |name| others.has(name)));
        for (status, server) in all.into_iter().zip(servers) {
            offer.notes.extend(status.notes(&persona.name));
            let (Some(server), Some(spec)) = (server, persona.mcp.get(&status.name)) else { continue };
            for (tool, _) in status.tools.into_iter().filter(|(_, verdict)| *verdict == Verdict::Offered) {
                let tool = McpTool::new(tool.schema, server.clone(), spec.timeout);
                offer.tools.push(Arc::new(tool) as Arc<dyn Tool>);
            }
        }
        offer
    }

    fn seen(&self, persona: &Persona) -> Vec<(ServerStatus, Option<Arc<Server>>)> {
        let approvals = self.0.approvals.borrow().clone();
        let running: Vec<Option<Arc<Server>>> = {
            let servers = self.servers();
            let find = |name: &String| servers.running.get(&(persona.name.clone(), name.clone()));
            persona.mcp.keys().map(|name| find(name).map(|running| running.server.clone())).collect()
        };
        let state =
            |server: &Option<Arc<Server>>| server.as_ref().map_or(ConnectionState::Connecting, |s| s.state());
        let states: Vec<ConnectionState> = running.iter().map(state).collect();
        let seen = persona
            .mcp
            .keys()
            .zip(&states)
            .map(|(name, state)| state.seen(|definition| approvals.of(&persona.name, name, definition)));
        offer::judge(persona, seen).into_iter().zip(running).collect()
    }

    /// Ends every server: its session, and its process if Greenroom started it.
    pub async fn close(&self) {
        self.0.closing.cancel();
        self.0.tasks.close();
        let _ = real_time().timeout(GOODBYE, self.0.tasks.wait()).await;
    }

    fn servers(&self) -> MutexGuard<'_, Servers> {
        self.0.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A foreign text in one short line, without anything that looks like a secret (X5).
fn short(text: &str) -> String {
    let line = greenroom_persona::blot(text).split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(300).collect()
}
