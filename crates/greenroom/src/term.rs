//! Output for a terminal: colours, tables, JSON, questions. Control sequences are removed from foreign texts.

use std::{
    fmt::Display,
    io::{self, IsTerminal, Write},
};

pub use greenroom_core::harmless;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::failure::usage;

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Whether one stream uses colours.
    fn on(self, terminal: bool, no_color: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => terminal && !no_color,
        }
    }
}

/// The colours of speakers, bold: cyan, magenta, green, blue, orange, violet, tan, teal. They repeat from the ninth
/// speaker on. Red and yellow are reserved for errors and warnings.
const SPEAKERS: [&str; 8] =
    ["1;36", "1;35", "1;32", "1;34", "1;38;5;208", "1;38;5;141", "1;38;5;180", "1;38;5;37"];

/// How output to one stream is formatted.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    color: bool,
    /// Whether the stream is a terminal.
    pub terminal: bool,
}

impl Style {
    /// For standard output.
    pub fn stdout(color: Color) -> Self {
        Self::of(color, io::stdout().is_terminal())
    }
    /// For standard error.
    pub fn stderr(color: Color) -> Self {
        Self::of(color, io::stderr().is_terminal())
    }
    fn of(color: Color, terminal: bool) -> Self {
        let no_color = std::env::var_os(greenroom_persona::env::NO_COLOR)
            .is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self { color: color.on(terminal, no_color), terminal }
    }
    /// Whether colours are used.
    pub fn color(self) -> bool {
        self.color
    }
    /// For remarks.
    pub fn dim(self, text: impl Display) -> String {
        self.paint("2", text)
    }
    /// For warnings.
    pub fn yellow(self, text: impl Display) -> String {
        self.paint("33", text)
    }
    /// For checks that pass.
    pub fn green(self, text: impl Display) -> String {
        self.paint("32", text)
    }
    /// For errors.
    pub fn red(self, text: impl Display) -> String {
        self.paint("31", text)
    }
    /// For the name of a speaker, by the speaker's index.
    pub fn of_speaker(self, number: usize, name: &str) -> String {
        self.paint(SPEAKERS[number % SPEAKERS.len()], name)
    }
    /// For names.
    pub fn bold(self, text: impl Display) -> String {
        self.paint("1", text)
    }
    fn paint(self, code: &str, text: impl Display) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// A text on one line, [`harmless`] and cut to `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let flat = harmless(&flat);
    if flat.chars().count() <= limit {
        return flat.into_owned();
    }
    let mut cut: String = flat.chars().take(limit.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Prints a value as JSON on standard output.
///
/// # Errors
/// A closed pipe.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    writeln!(io::stdout(), "{}", serde_json::to_string_pretty(value)?)?;
    Ok(())
}

/// The serde name of a value without fields.
pub fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// Rows in aligned columns, two spaces apart. The last column is not padded, so it should contain the longest texts.
/// Chinese and Japanese characters count as two columns. Cells are made [`harmless`].
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
    let harmless = |row: &Vec<String>| row.iter().map(|cell| one_line(cell, usize::MAX)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(harmless).collect();
    let all = || std::iter::once(&header).chain(&rows);
    let width =
        |column: usize| all().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut out = String::new();
    for row in all() {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width()) + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A progress bar of `steps` steps on standard error; hidden without a terminal.
pub fn progress(style: Style, what: &'static str, steps: u64) -> ProgressBar {
    if !style.terminal {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps).with_message(what);
    match ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        Ok(template) => bar.with_style(template),
        Err(_) => bar,
    }
}

/// `1 memory`, `2 memories`.
pub fn count(count: impl TryInto<u64>, one: &str, more: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}

/// `98.4 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// Asks a question; `yes` answers it without asking. Any answer except yes means no, and prints `otherwise`.
///
/// # Errors
/// There is no terminal to ask at.
pub fn confirm(yes: bool, question: &str, otherwise: &str) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(usage(format!("{otherwise}: there is no terminal to ask at; add --yes")));
    }
    stderr_text!("{question} [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let confirmed = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if !confirmed {
        stderr_line!("{otherwise}");
    }
    Ok(confirmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_unless_asked_for() {
        for (color, terminal, no_color, on) in [
            (Color::Auto, true, false, true),
            (Color::Auto, true, true, false),
            (Color::Auto, false, false, false),
            (Color::Always, false, true, true),
            (Color::Never, true, false, false),
        ] {
            assert_eq!(color.on(terminal, no_color), on, "{color:?} {terminal} {no_color}");
        }
    }

    #[test]
    fn one_line_flattens_and_cuts() {
        assert_eq!(one_line("a\nb\t c", 10), "a b c");
        assert_eq!(one_line("abcdef", 4), "abc…");
        assert_eq!(one_line("äöüß", 4), "äöüß");
    }

    #[test]
    fn wide_characters_keep_the_columns_aligned() {
        let rows = ["絵里", "Ann"].map(|name| vec![name.to_owned(), "x".to_owned()]);
        assert_eq!(table(&["NAME", "SAYS"], &rows), "NAME  SAYS\n絵里  x\nAnn   x\n");
    }

    #[test]
    fn columns_are_aligned_and_nothing_trails() {
        let rows = [
            vec!["m1".into(), "fact".into(), "x".into()],
            vec!["m12".into(), "preference".into(), "y".into()],
        ];
        assert_eq!(
            table(&["ID", "KIND", "TEXT"], &rows),
            "ID   KIND        TEXT\nm1   fact        x\nm12  preference  y\n"
        );
    }
}
