//! One MCP server of one persona: connects in the background, lists its tools, and reconnects with backoff.

use std::{pin::pin, sync::Arc, time::Duration};

use greenroom_core::{PersonaName, ToolSchema, real_time};
use greenroom_persona::McpServer;
use rmcp::{
    Peer, RoleClient,
    model::{PaginatedRequestParams, Tool},
    service::ServiceError,
};
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{
    Approvals, Definition, ServerTool,
    approvals::Tools,
    connect::{Listener, Session, open},
    offer::{ServerState, ServerView},
    short,
};

/// How long connecting may take: `npx` may have to fetch the program first.
const CONNECT: Duration = Duration::from_secs(60);
/// How long a server may take to list its tools.
const LIST: Duration = Duration::from_secs(20);
/// The first wait before a reconnection, and the longest.
const WAITS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];
/// After a session of this length the waits start from the first again.
const STEADY: Duration = Duration::from_secs(60);
/// The pause between two listings of a server that constantly reports changed tools.
const SETTLE: Duration = Duration::from_millis(250);
/// The most pages and tools of a list.
const MOST_PAGES: usize = 20;
const MOST_TOOLS: usize = 500;

/// The state of a server.
#[derive(Clone)]
pub(super) enum ConnectionState {
    /// Not tried yet, or being tried for the first time since its approval.
    Connecting,
    /// The operator has not approved it as the file has it; it is neither started nor asked.
    NotApproved,
    /// Not there, and why; it is tried again.
    Down(String),
    /// Connected as defined, with these tools.
    Up(Peer<RoleClient>, Arc<[ServerTool]>, Arc<Definition>),
}

impl ConnectionState {
    /// The state, the tools, and those that are `approved`.
    pub(super) fn seen<'a>(&self, approved: impl Fn(&Definition) -> Option<&'a Tools>) -> ServerView<'a> {
        let without = |state| ServerView { state, tools: [].into(), approved: None };
        match self {
            Self::Connecting => without(ServerState::Connecting),
            Self::NotApproved => without(ServerState::NotApproved),
            Self::Down(reason) => without(ServerState::Down(reason.clone())),
            Self::Up(_, tools, definition) => ServerView {
                state: ServerState::Connected,
                tools: tools.clone(),
                approved: approved(definition),
            },
        }
    }
}

/// One server of one persona.
pub(super) struct Server {
    persona: PersonaName,
    pub(super) name: String,
    pub(super) spec: McpServer,
    state: watch::Sender<ConnectionState>,
}

/// Why a session is over.
enum End {
    /// The runtime stops, or the file no longer names the server.
    Stopped,
    /// Its approval was withdrawn.
    Disapproved,
    /// The connection broke or could not be made.
    Lost(String),
}

impl Server {
    pub(super) fn new(persona: PersonaName, name: String, spec: McpServer) -> Self {
        Self { persona, name, spec, state: watch::Sender::new(ConnectionState::Connecting) }
    }

    pub(super) fn state(&self) -> ConnectionState {
        self.state.borrow().clone()
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<ConnectionState> {
        self.state.subscribe()
    }

    /// Keeps the server connected until it is stopped.
    pub(super) async fn run(
        self: Arc<Self>,
        mut approvals: watch::Receiver<Arc<Approvals>>,
        stop: CancellationToken,
    ) {
        let [first, longest] = WAITS;
        let mut wait = first;
        loop {
            let definition = Definition::of(&self.spec).map(Arc::new);
            if !self.may_try(&approvals.borrow_and_update(), &definition) {
                // published once, even if other approvals change repeatedly
                if !matches!(self.state(), ConnectionState::NotApproved) {
                    tracing::warn!(
                        "{}",
                        self.line(
                            "is not approved and not connected; `greenroom mcp approve` shows it and asks"
                        )
                    );
                    self.state.send_replace(ConnectionState::NotApproved);
                }
                match stop.run_until_cancelled(approvals.changed()).await {
                    Some(Ok(())) => continue,
                    _ => return,
                }
            }
            if matches!(self.state(), ConnectionState::NotApproved) {
                self.state.send_replace(ConnectionState::Connecting);
            }
            let begun = real_time().instant();
            let end = match definition {
                Ok(definition) => self.session(definition, &mut approvals, &stop).await,
                Err(reason) => End::Lost(reason),
            };
            match end {
                End::Stopped => return,
                End::Disapproved => continue,
                End::Lost(reason) => {
                    tracing::warn!("{}", self.line(&format!("is down: {reason}")));
                    self.state.send_replace(ConnectionState::Down(reason));
                }
            }
            if real_time().elapsed(begun) >= STEADY {
                wait = first;
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = real_time().sleep(wait) => wait = (wait * 2).min(longest),
                // the operator may have repaired the server before approving it again
                Ok(()) = approvals.changed() => wait = first,
            }
        }
    }

    /// One session, from connecting to its end.
    async fn session(
        &self,
        definition: Arc<Definition>,
        approvals: &mut watch::Receiver<Arc<Approvals>>,
        stop: &CancellationToken,
    ) -> End {
        let changed = Arc::new(Notify::new());
        let opening = real_time().timeout(CONNECT, open(&self.name, &definition, Listener(changed.clone())));
        let session = match stop.run_until_cancelled(opening).await {
            None => return End::Stopped,
            Some(Err(_)) => return End::Lost(format!("it did not answer within {CONNECT:?}")),
            Some(Ok(Err(reason))) => return End::Lost(reason),
            Some(Ok(Ok(session))) => session,
        };
        let (peer, cancel) = (session.peer().clone(), session.cancellation_token());
        let mut ended = pin!(session.waiting());
        let gone = || End::Lost("it ended the session".to_owned());
        let end = loop {
            let tools = tokio::select! {
                tools = tools_of(&peer) => tools,
                _ = &mut ended => return gone(),
                () = stop.cancelled() => break End::Stopped,
            };
            match tools {
                Ok(tools) => self.state.send_replace(ConnectionState::Up(
                    peer.clone(),
                    tools.into(),
                    definition.clone(),
                )),
                Err(reason) => break End::Lost(reason),
            };
            tracing::info!("{}", self.line("is connected"));
            tokio::select! {
                () = stop.cancelled() => break End::Stopped,
                _ = &mut ended => return gone(),
                () = changed.notified() => {}
                () = self.disapproved(approvals, &definition) => break End::Disapproved,
            }
            real_time().sleep(SETTLE).await;
        };
        cancel.cancel();
        // wait for the process, which is killed if it does not end
        let _ = ended.await;
        end
    }

    /// Resolves when the server is no longer approved.
    async fn disapproved(&self, approvals: &mut watch::Receiver<Arc<Approvals>>, definition: &Definition) {
        let gone = |approvals: &Arc<Approvals>| approvals.of(&self.persona, &self.name, definition).is_none();
        // without a source of approvals an approval can no longer be withdrawn
        if approvals.wait_for(gone).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether it is approved. If its program is not found now, any approval for its name counts, so that the missing
    /// program becomes the reported reason.
    fn may_try(&self, approvals: &Approvals, definition: &Result<Arc<Definition>, String>) -> bool {
        match definition {
            Ok(definition) => approvals.of(&self.persona, &self.name, definition).is_some(),
            Err(_) => approvals.has_any(&self.persona, &self.name),
        }
    }

    fn line(&self, what: &str) -> String {
        format!("the MCP server {} of {} {what}", self.name, self.persona)
    }
}

/// The tools of a server, listed once, for an operator who decides about them.
///
/// # Errors
/// Why it cannot be asked, in one line.
pub async fn look(name: &str, definition: &Definition) -> Result<Vec<ServerTool>, String> {
    let opened = real_time().timeout(CONNECT, open(name, definition, Listener::default())).await;
    let mut session: Session = opened.map_err(|_| format!("it did not answer within {CONNECT:?}"))??;
    let tools = tools_of(session.peer()).await;
    // the session ends whether or not the list succeeded
    let _ = session.close().await;
    tools
}

async fn tools_of(peer: &Peer<RoleClient>) -> Result<Vec<ServerTool>, String> {
    let listed = real_time().timeout(LIST, list(peer)).await;
    let listed = listed.map_err(|_| format!("it did not list its tools within {LIST:?}"))?;
    let tools = listed.map_err(|error| short(&error.to_string()))?;
    Ok(tools.into_iter().map(described).collect())
}

/// All pages of tools, up to a limit.
async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..MOST_PAGES {
        let page = peer.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor))).await?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() >= MOST_TOOLS {
            break;
        }
    }
    tools.truncate(MOST_TOOLS);
    Ok(tools)
}

fn described(tool: Tool) -> ServerTool {
    ServerTool::new(ToolSchema {
        name: tool.name.into_owned(),
        description: tool.description.unwrap_or_default().into_owned(),
        parameters: Value::Object((*tool.input_schema).clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_down_is_tried_at_once_when_somebody_approves() {
        let ada: PersonaName = "ada".parse().unwrap();
        // an address that refuses
        let url = Some("http://127.0.0.1:1/mcp".to_owned());
        let spec = McpServer { url, ..McpServer::default() };
        let mut approved = Approvals::default();
        approved.approve(&ada, "files", &Definition::of(&spec).unwrap(), []);
        let (approvals, stop) = (watch::Sender::new(Arc::new(approved.clone())), CancellationToken::new());
        let server = Arc::new(Server::new(ada, "files".into(), spec));
        let mut state = server.subscribe();
        let running = tokio::spawn(server.clone().run(approvals.subscribe(), stop.clone()));
        let mut waits = Vec::new();
        for _ in 0..8 {
            let begun = tokio::time::Instant::now();
            state.changed().await.unwrap();
            waits.push(begun.elapsed().as_secs());
        }
        assert_eq!(waits, [0, 1, 2, 4, 8, 16, 32, 60]);
        assert!(matches!(server.state(), ConnectionState::Down(_)));
        for wait in [0, 1, 2] {
            let begun = tokio::time::Instant::now();
            if wait == 0 {
                approvals.send_replace(Arc::new(approved.clone()));
            }
            state.changed().await.unwrap();
            assert_eq!(begun.elapsed().as_secs(), wait);
        }
        approvals.send_replace(Arc::default());
        state.changed().await.unwrap();
        assert!(matches!(server.state(), ConnectionState::NotApproved));
        stop.cancel();
        running.await.unwrap();
    }

    /// E: the file of approvals is read once a second. Each read used to announce the server again.
    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_not_approved_is_announced_once() {
        let ada: PersonaName = "ada".parse().unwrap();
        let spec = McpServer { command: vec!["sh".into()], ..McpServer::default() };
        let (approvals, stop) = (watch::Sender::new(Arc::<Approvals>::default()), CancellationToken::new());
        let server = Arc::new(Server::new(ada, "files".into(), spec));
        let mut state = server.subscribe();
        let running = tokio::spawn(server.clone().run(approvals.subscribe(), stop.clone()));
        state.changed().await.unwrap();
        assert!(matches!(*state.borrow_and_update(), ConnectionState::NotApproved));
        for _ in 0..3 {
            approvals.send_replace(Arc::default());
            // with the clock stopped, all other tasks run until they wait
            real_time().sleep(SETTLE).await;
        }
        assert!(!state.has_changed().unwrap());
        stop.cancel();
        running.await.unwrap();
    }
}
