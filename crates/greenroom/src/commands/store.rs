//! `greenroom store`: the file of the store as a whole.

use std::{io::Write, path::Path};

use greenroom_store_sqlite::backup;

use crate::{cli::StoreCommand, failure::Outcome, wiring::App};

/// Runs the command.
pub async fn run(app: &App, command: StoreCommand) -> anyhow::Result<Outcome> {
    let StoreCommand::Backup { file } = command;
    back_up(app, &file).await
}

async fn back_up(app: &App, file: &Path) -> anyhow::Result<Outcome> {
    backup(&app.store_file(), file).await?;
    writeln!(std::io::stdout(), "{}", file.display())?;
    Ok(Outcome::Done)
}
