//! Opens an MCP session to the server of an entry in a persona's file.

use std::{
    collections::{BTreeMap, HashMap},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use greenroom_persona::{Reference, env};
use process_wrap::tokio::{CommandWrap, KillOnDrop};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::{
    ClientHandler, RoleClient, ServiceExt,
    model::{ClientCapabilities, ClientConfig, Implementation},
    service::{ClientInitializeError, NotificationContext, RunningService},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio::{
    io::AsyncReadExt,
    process::{ChildStderr, Command},
    sync::Notify,
};

use super::{
    Definition,
    address::{Guarded, redirects},
    definition::Target,
    short,
};

/// How long the connection to an address may take.
const CONNECT: Duration = Duration::from_secs(10);
/// The most bytes of one event from an address.
const LARGEST_EVENT: usize = 4 << 20;

/// Greenroom's side of a session. It offers servers nothing (no model, no files, no questions to a person) and
/// listens for changes of their tools.
#[derive(Clone, Default)]
pub(super) struct Listener(pub(super) Arc<Notify>);

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("greenroom", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

/// A session that runs.
pub(super) type Session = RunningService<RoleClient, Listener>;

/// Connects, or returns the reason in one line. If it fails, a started program is ended.
pub(super) async fn open(name: &str, definition: &Definition, listener: Listener) -> Result<Session, String> {
    let failed = |error: ClientInitializeError| short(&error.to_string());
    match &definition.target {
        Target::Address { url, headers } => listener.serve(endpoint(url, headers)?).await.map_err(failed),
        Target::Program { program, arguments, directory, env } => {
            let mut command = Command::new(program);
            command.args(arguments).current_dir(directory);
            let process = process(name, command, env)?;
            let group = ProcessGroup(process.id());
            let opened = listener.serve(process).await;
            group.keep();
            opened.map_err(failed)
        }
    }
}

/// Ends the processes of a program whose opening is given up. The transport ends them in a task, which does not run when
/// Greenroom exits at once.
struct ProcessGroup(Option<u32>);

impl ProcessGroup {
    /// From here on the session ends the program.
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // on Windows the job ends with the transport
        #[cfg(unix)]
        if let Some(group) = self.0.and_then(|id| i32::try_from(id).ok()) {
            use nix::{
                sys::signal::{Signal, killpg},
                unistd::Pid,
            };
            // fails if the program has ended
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
    }
}

/// Starts the program in its own process group, with only those environment variables that its file names. The
/// process group keeps a Ctrl-C from the program, and lets its child processes end with it.
fn process(
    name: &str,
    mut command: Command,
    env: &BTreeMap<String, Reference>,
) -> Result<TokioChildProcess, String> {
    command.env_clear().envs(env::passed_on());
    for (variable, value) in env {
        command.env(variable, resolved(value)?);
    }
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    let started = TokioChildProcess::builder(command).stderr(Stdio::piped()).spawn();
    let (process, stderr) =
        started.map_err(|error| short(&format!("its program cannot be started: {error}")))?;
    if let Some(stderr) = stderr {
        tokio::spawn(log(name.to_owned(), stderr));
    }
    Ok(process)
}

/// A program's standard error goes to the log at a low level.
async fn log(name: String, mut stderr: ChildStderr) {
    let mut bytes = [0; 2048];
    while let Ok(read @ 1..) = stderr.read(&mut bytes).await {
        tracing::debug!(server = name, "{}", short(&String::from_utf8_lossy(&bytes[..read])));
    }
}

/// Without a proxy: Greenroom checks the addresses it connects to, and a proxy would choose its own (X10).
fn endpoint(
    url: &str,
    headers: &BTreeMap<String, Reference>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    greenroom_models::install_tls();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .no_proxy()
        .redirect(redirects())
        .dns_resolver(Arc::new(Guarded))
        .build()
        .map_err(|error| short(&error.to_string()))?;
    let mut sent = HashMap::new();
    for (name, value) in headers {
        let key = HeaderName::try_from(name).map_err(|_| format!("`{}` is no header", short(name)))?;
        let mut value = HeaderValue::try_from(resolved(value)?)
            .map_err(|_| format!("the value of the header `{key}` holds what no header may"))?;
        value.set_sensitive(true);
        sent.insert(key, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(sent)
        .max_sse_event_size(LARGEST_EVENT);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn resolved(reference: &Reference) -> Result<String, String> {
    reference
        .resolved(env::referred)
        .map_err(|name| format!("the environment variable {name} is not set; set it and start again"))
}
