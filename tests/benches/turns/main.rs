//! What a turn over HTTP costs: 64 conversations of one persona with 1,000 memories and about 20 messages
//! of history each, against a model that answers at once. All are busy all along, and another begins where
//! one ends. And what the same costs a bare program, which does nothing but what cannot be left out: how
//! near the one is to the other does not depend on the machine.
//!
//! ```text
//! cargo bench --workspace --bench turns
//! ```
//! `BEFORE=PATH` names another build of the program, which is measured beside them: what a change costs.
//!
//! Prints for each turns a second, latencies, and the CPU time of the server alone for a turn. The client, the
//! model and the server share the machine, so the turns a second are those of all three together. Rounds of
//! the two take turns, so that a machine that is slow for a while is slow for both.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bare;
mod client;
mod model;

use std::{
    env,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use client::Client;
use greenroom_tests::{Home, Stderr, cpu_seconds, greenroom, resident_kib};
use tokio::runtime::{Builder, Runtime};

const WARM_UP: Duration = Duration::from_millis(500);
/// The time of a round in which turns are counted.
const WINDOW: Duration = Duration::from_secs(2);
const ROUNDS: usize = 6;
const MEMORIES: usize = 1_000;

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let [_, bare, file, model] = &arguments[..]
        && bare == "bare"
    {
        return bare::serve(file, model.parse().unwrap());
    }
    let (home, home_before, model) = (Home::new(), Home::new(), model::model());
    let mut greenroom = Measured::of("greenroom", greenroom_server(&home, &greenroom(), model));
    let mut before = env::var_os("BEFORE").map(|program| {
        Measured::of("greenroom before", greenroom_server(&home_before, Path::new(&program), model))
    });
    let mut bare = Measured::of("bare program", bare_server(&home, model));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for _ in 0..ROUNDS {
        greenroom.round(&runtime);
        before.iter_mut().for_each(|before| before.round(&runtime));
        bare.round(&runtime);
    }
    let (ours, before, floor) = (greenroom.print(), before.map(Measured::print), bare.print());
    println!("greenroom over the bare program: {:.1} times the CPU", ours / floor);
    if let Some(before) = before {
        println!("greenroom over the one before: {:.2} times the CPU", ours / before);
    }
}

/// A server, and what was measured of it.
struct Measured {
    name: &'static str,
    server: Child,
    address: String,
    client: Client,
    took: Vec<Duration>,
    elapsed: f64,
    cpu: f64,
}

impl Measured {
    fn of(name: &'static str, mut server: Child) -> Self {
        let address = Stderr::of(&mut server).listening();
        Self { name, server, address, client: Client::default(), took: Vec::new(), elapsed: 0.0, cpu: 0.0 }
    }

    fn round(&mut self, runtime: &Runtime) {
        let mut edges = Vec::with_capacity(2);
        let edge = || edges.push((Instant::now(), cpu_seconds(self.server.id())));
        self.took.extend(runtime.block_on(self.client.talk(&self.address, WARM_UP, WINDOW, edge)));
        if let [(begun, before), (ended, after)] = edges[..] {
            self.elapsed += (ended - begun).as_secs_f64();
            self.cpu += after - before;
        }
    }

    /// Says what was measured and ends the server; the CPU of a turn, in milliseconds.
    fn print(mut self) -> f64 {
        self.took.sort();
        let turns = self.took.len() as f64;
        let at = |share: f64| self.took[((turns - 1.0) * share) as usize].as_secs_f64() * 1e3;
        let (p50, p99, cpu) = (at(0.5), at(0.99), self.cpu / turns * 1e3);
        println!("{}", self.name);
        println!("  turns          {}, {:.0} a second", self.took.len(), turns / self.elapsed);
        println!("  server CPU     {cpu:.3} ms a turn");
        println!("  latency        p50 {p50:.1} ms, p99 {p99:.1} ms, ratio {:.1}", p99 / p50);
        println!("  server memory  {} MB", resident_kib(self.server.id()) / 1024);
        self.server.kill().unwrap();
        self.server.wait().unwrap();
        cpu
    }
}

/// The bare program, in a process of its own.
fn bare_server(home: &Home, model: u16) -> Child {
    let file = home.write("bare.db", "");
    let mut command = Command::new(env::current_exe().unwrap());
    command.arg("bare").arg(file).arg(model.to_string());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

/// A server in `home` whose persona knows [`MEMORIES`] statements.
fn greenroom_server(home: &Home, program: &Path, model: u16) -> Child {
    home.write(
        "greenroom.toml",
        &format!("[model]\nbase_url = \"http://127.0.0.1:{model}/v1\"\nname = \"gpt-4o-mini\"\n[limits]\ntokens_per_hour = 0\n"),
    );
    home.write("personas/ada.md", "---\nname: ada\n---\nYou are Ada, a patient systems engineer.");
    let lines: String = (1..=MEMORIES).map(memory).collect();
    let file = home.write("memories.jsonl", &lines);
    let imported = home.command(program).args(["memory", "import"]).arg(file).output().unwrap();
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    home.command(program).args(["serve", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped()).spawn().unwrap()
}

/// One line of an export: a statement about a thing nobody asks for.
fn memory(n: usize) -> String {
    let text =
        format!("the {} of rack {n} was replaced in {}", ["fan", "disk", "board"][n % 3], 1990 + n % 35);
    format!(
        "{{\"id\":\"m{n}\",\"persona\":\"ada\",\"scope\":\"global\",\"text\":\"{text}\",\"kind\":\"fact\",\"tier\":\"semantic\",\
         \"source\":{{\"via\":\"cli\"}},\"trust\":\"operator\",\"version\":1,\"created_at\":1790000000000000,\
         \"updated_at\":1790000000000000}}\n"
    )
}
