//! A turn without Greenroom: what cannot be left out, and nothing else. A message comes over HTTP, an actor
//! takes it, it is stored and is on the disk, the last 20 are read, 1,000 vectors are searched, a model is
//! asked over HTTP and its pieces are read, the reply is stored, and the answer goes out. No budget, no scopes,
//! no words, no receipt, no retry, no events; hand-written HTTP, and the same database with the same durability.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex},
};

use greenroom_index::{Change, Filter, Row, Shard, ShardWriter, Words};
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort, call};
use serde_json::{Value, json};
use sqlx::{
    ConnectOptions, Connection, Executor, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};

use crate::client::message;

const VECTORS: i64 = 1_000;
const DIMENSION: usize = 256;
const READERS: usize = 4;
/// Writes in one transaction.
const BATCH: usize = 128;

/// Everything a turn needs.
struct Stage {
    model: SocketAddr,
    /// Connections to the model nobody uses.
    idle: Mutex<Vec<TcpStream>>,
    writes: mpsc::Sender<Write>,
    readers: Vec<tokio::sync::Mutex<SqliteConnection>>,
    shard: Arc<Shard>,
    query: Vec<f32>,
}

struct Write {
    channel: String,
    text: String,
    done: oneshot::Sender<()>,
}

/// Serves from `file` until the process is killed.
pub fn serve(file: &str, model: u16) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = SqliteConnectOptions::new()
            .filename(Path::new(file))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full);
        let mut writer = options.connect().await.unwrap();
        let table = "CREATE TABLE messages (channel TEXT, id INTEGER, text TEXT, PRIMARY KEY (channel, id)) WITHOUT ROWID";
        writer.execute(table).await.unwrap();
        let mut readers = Vec::new();
        for _ in 0..READERS {
            readers.push(options.connect().await.unwrap().into());
        }
        let (writes, waiting) = mpsc::channel(256);
        tokio::spawn(write(writer, waiting));
        let (shard, query) = vectors();
        let model = SocketAddr::from(([127, 0, 0, 1], model));
        let stage = Arc::new(Stage { model, idle: Mutex::default(), writes, readers, shard, query });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        eprintln!("bare program listens on http://{}", listener.local_addr().unwrap());
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            tokio::spawn(connection(stage.clone(), stream));
        }
    });
}

/// One conversation: its requests go to an actor of its own.
async fn connection(stage: Arc<Stage>, mut stream: TcpStream) {
    let channel = stream.peer_addr().unwrap().to_string();
    let (actor, _) = Actor::spawn(None, Conversation, (stage, channel)).await.unwrap();
    while let Some(body) = message(&mut stream).await {
        let asked: Value = serde_json::from_slice(&body).unwrap();
        let text = asked["text"].as_str().unwrap().to_owned();
        let reply = call!(actor, Asked, text).unwrap();
        let answer = json!({ "state": "done", "text": reply }).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        stream.write_all((head + &answer).as_bytes()).await.unwrap();
    }
    actor.stop(None);
}

struct Conversation;

struct Asked(String, RpcReplyPort<String>);

impl Actor for Conversation {
    type Msg = Asked;
    type State = (Arc<Stage>, String);
    type Arguments = (Arc<Stage>, String);

    async fn pre_start(
        &self,
        _: ActorRef<Asked>,
        arguments: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(arguments)
    }

    async fn handle(
        &self,
        _: ActorRef<Asked>,
        Asked(text, reply): Asked,
        (stage, channel): &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        reply.send(stage.turn(channel, text).await)?;
        Ok(())
    }
}

impl Stage {
    async fn turn(&self, channel: &str, text: String) -> String {
        self.store(channel, &text).await;
        let history = self.history(channel).await;
        let near = self.shard.nearest(&self.query, 10, &Filter::default()).unwrap();
        let said: Vec<Value> =
            history.iter().map(|text| json!({ "role": "user", "content": text })).collect();
        let request = json!({ "model": "m", "stream": true, "messages": said, "n": near.hits.len().min(1) });
        let reply = self.ask(&request.to_string()).await;
        self.store(channel, &reply).await;
        reply
    }

    async fn store(&self, channel: &str, text: &str) {
        let (done, stored) = oneshot::channel();
        let write = Write { channel: channel.to_owned(), text: text.to_owned(), done };
        self.writes.send(write).await.unwrap_or_else(|_| panic!("the writer is gone"));
        stored.await.unwrap();
    }

    async fn history(&self, channel: &str) -> Vec<String> {
        let reader = self.readers.iter().find_map(|reader| reader.try_lock().ok());
        let mut reader = match reader {
            Some(reader) => reader,
            None => self.readers[channel.len() % READERS].lock().await,
        };
        let query =
            sqlx::query_scalar("SELECT text FROM messages WHERE channel = ? ORDER BY id DESC LIMIT 20");
        query.bind(channel).fetch_all(&mut *reader).await.unwrap()
    }

    /// What the model says, from its pieces.
    async fn ask(&self, body: &str) -> String {
        let idle = self.idle.lock().unwrap().pop();
        let mut stream = match idle {
            Some(stream) => stream,
            None => TcpStream::connect(self.model).await.unwrap(),
        };
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.model,
            body.len()
        );
        stream.write_all((head + body).as_bytes()).await.unwrap();
        let answer = message(&mut stream).await.unwrap();
        self.idle.lock().unwrap().push(stream);
        let answer = String::from_utf8(answer).unwrap();
        let pieces =
            answer.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]");
        let piece = |data| {
            let chunk: Value = serde_json::from_str(data).unwrap();
            chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default().to_owned()
        };
        pieces.map(piece).collect()
    }
}

/// Commits what waits together.
async fn write(mut connection: SqliteConnection, mut waiting: mpsc::Receiver<Write>) {
    let (mut id, mut batch) = (0_i64, Vec::new());
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        let mut transaction = connection.begin().await.unwrap();
        for Write { channel, text, .. } in &batch {
            id += 1;
            let insert = sqlx::query("INSERT INTO messages (channel, id, text) VALUES (?, ?, ?)");
            insert.bind(channel).bind(id).bind(text).execute(&mut *transaction).await.unwrap();
        }
        transaction.commit().await.unwrap();
        batch.drain(..).for_each(|write| _ = write.done.send(()));
    }
}

/// What is searched, and for what.
fn vectors() -> (Arc<Shard>, Vec<f32>) {
    let mut state = 1_u64;
    let mut vector = || -> Vec<f32> {
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..DIMENSION).map(|_| number()).collect()
    };
    let row = |id| {
        let words = Words::default();
        Change::Put(Row {
            id,
            at: id,
            expires_at: i64::MAX,
            source: 0,
            author: None,
            words,
            vector: Some(vector()),
        })
    };
    let shard = ShardWriter::new(DIMENSION).apply((0..VECTORS).map(row).collect::<Vec<_>>()).shard;
    (shard, vector())
}
