//! Output generated from the definition of the command line: completion scripts for shells, manual pages for packages.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::{cli::Cli, failure::Outcome};

/// `greenroom completions`: the script on standard output.
pub fn completions(shell: Shell) -> anyhow::Result<Outcome> {
    // clap_complete panics if its writer fails, which happens if the reader of standard output closes it
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "greenroom", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Outcome::Done)
}

/// `greenroom man`: a page for the program and one for each command, such as `greenroom-memory-add.1`.
pub fn manual(directory: &Path) -> anyhow::Result<Outcome> {
    write_manual(directory)
        .with_context(|| format!("the manual cannot be written to {}", directory.display()))?;
    Ok(Outcome::Done)
}

fn write_manual(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(Cli::command(), directory)?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with("greenroom") {
            continue;
        }
        let page = entry.path();
        let text = fs::read_to_string(&page)?;
        // examples and tables keep their lines (`.nf`)
        fs::write(&page, text.replace(".SH EXTRA\n", ".SH NOTES\n.nf\n"))?;
    }
    Ok(())
}
