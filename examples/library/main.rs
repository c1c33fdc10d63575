//! The memory as a library, for a program that brings its own agent: no actor, no model, no settings.

use std::{error::Error, sync::Arc};

use greenroom_core::{SystemClock, Viewer};
use greenroom_memory::Library;
use greenroom_models::StaticEmbedder;
use greenroom_store_sqlite::SqliteStore;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // a real program keeps its file with its data; this one forgets everything at the end
    let directory = tempfile::tempdir()?;
    let store = Arc::new(SqliteStore::open(&directory.path().join("agent.db")).await?);
    let embedder = Arc::new(StaticEmbedder::new());
    let library = Library::new(store, Some(embedder), Arc::new(SystemClock));
    // whose memory, in which conversation, with whom: every read and write needs this
    let viewer = Viewer::new("agent".parse()?, "api:den".parse()?, Some("jo".parse()?));

    library.add_knowledge(&viewer, "The harbour opens at nine", "handbook", None).await?;
    library.persist_turn(&viewer, "Is the boat ready?", "It still needs paint.").await?;

    let context = library.get_context_for_message(&viewer, "When does the harbour open?").await?;
    for known in &context.knowledge {
        println!("known: {} (from {})", known.content, known.source);
    }
    let found = library.search(&viewer, "paint for the boat").await?;
    for message in &found.messages {
        println!("found: {}", message.text);
    }
    Ok(())
}
