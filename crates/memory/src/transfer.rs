//! Export and import of memories as lines of JSON. The export reads page by page. The import stores all lines or none.

use std::sync::Arc;

use futures::{Stream, stream};
use greenroom_core::{MemoryId, PersonaName};
use greenroom_store::{Exported, Store, StoreError};

/// The maximum length of a line in bytes: a memory of 4,000 escaped characters, with 30,000 edges.
const LONGEST_LINE: usize = 1 << 20;

/// The number of memories per page.
const PAGE: usize = 500;

/// Why an import failed. None of its lines was stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// This line is too long (X12).
    #[error("{line}: a line has at most {LONGEST_LINE} bytes, and nothing was imported; shorten the line")]
    LongLine {
        /// The number of the line, from 1.
        line: usize,
    },
    /// The import exceeds its limit with this line (X12).
    #[error("{line}: an import has at most {most} bytes, and nothing was imported; split the file")]
    TooLong {
        /// The number of the line, from 1.
        line: usize,
        /// The limit of the whole import, in bytes.
        most: usize,
    },
    /// This line is no valid memory.
    #[error(
        "{line}: {reason}; a line is one memory as `greenroom memory export` writes it, and nothing was imported"
    )]
    NoMemory {
        /// The number of the line, from 1.
        line: usize,
        /// The parser's error.
        reason: String,
    },
}

/// Streams the memories of a store as lines, optionally of one persona. It reads page by page, so that a large store
/// does not fill the process's memory.
pub fn export_lines(
    store: Arc<dyn Store>,
    persona: Option<PersonaName>,
) -> impl Stream<Item = Result<Vec<u8>, StoreError>> + Send + 'static {
    let start: Option<Option<MemoryId>> = Some(None);
    stream::try_unfold((store, persona, start), |(store, persona, after)| async move {
        let Some(after) = after else { return Ok(None) };
        let page = store.export(persona.as_ref(), after, PAGE).await?;
        let Some(last) = page.last().map(|last| last.memory.id) else { return Ok(None) };
        let next = (page.len() == PAGE).then_some(Some(last));
        Ok(Some((lines(&page)?, (store, persona, next))))
    })
}

fn lines(page: &[Exported]) -> Result<Vec<u8>, StoreError> {
    let mut lines = Vec::new();
    for memory in page {
        serde_json::to_writer(&mut lines, memory).map_err(|error| StoreError::Other(error.to_string()))?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Parser of an import, which is fed in chunks of any size.
#[derive(Debug)]
pub struct ImportLines {
    memories: Vec<Exported>,
    /// The part of the current line that has arrived.
    line: Vec<u8>,
    number: usize,
    most: usize,
    left: usize,
}

impl ImportLines {
    /// Accepts at most `most` bytes in total, because all memories are held in memory until they are stored.
    pub fn new(most: usize) -> Self {
        Self { memories: Vec::new(), line: Vec::new(), number: 1, most, left: most }
    }

    /// Parses the next chunk.
    ///
    /// # Errors
    /// [`ImportError`] with the line's number. The caller must not feed more after an error.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), ImportError> {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + part.len() > LONGEST_LINE {
                return Err(ImportError::LongLine { line: self.number });
            }
            if part.len() > self.left {
                return Err(ImportError::TooLong { line: self.number, most: self.most });
            }
            self.left -= part.len();
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.end_line()?;
            }
        }
        Ok(())
    }

    /// Returns all memories after the last chunk.
    ///
    /// # Errors
    /// [`ImportError`] if the last line is no valid memory.
    pub fn finish(mut self) -> Result<Vec<Exported>, ImportError> {
        self.end_line()?;
        Ok(self.memories)
    }

    fn end_line(&mut self) -> Result<(), ImportError> {
        // some editors and exports of Windows begin a file with a byte-order mark
        let line =
            self.line.strip_prefix("\u{feff}".as_bytes()).filter(|_| self.number == 1).unwrap_or(&self.line);
        if !line.trim_ascii().is_empty() {
            let memory = serde_json::from_slice(line)
                .map_err(|error| ImportError::NoMemory { line: self.number, reason: error.to_string() })?;
            self.memories.push(memory);
        }
        self.line.clear();
        self.number += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use greenroom_core::{Kind, Memory, RelationKind, Scope, Source, Tier, Timestamp, Trust};
    use greenroom_store::ExportedRelation;

    fn memory(id: i64, text: &str) -> Exported {
        let memory = Memory {
            id: MemoryId(id),
            persona: "ada".parse().unwrap(),
            scope: Scope::Global,
            text: text.into(),
            kind: Kind::new("fact"),
            tier: Tier::Semantic,
            source: Source { via: "cli".into(), message: None, user: None },
            trust: Trust::Operator,
            version: 1,
            key: None,
            expires_at: None,
            created_at: Timestamp(0),
            updated_at: Timestamp(1),
        };
        Exported {
            memory,
            relations: vec![ExportedRelation { to: MemoryId(9), kind: RelationKind::Refines }],
        }
    }

    #[test]
    fn x12_a_line_that_nests_without_end_is_an_error() {
        for open in ["[", "{\"memory\":", "{\"relations\":["] {
            let error = read(open.repeat(60_000 / open.len()).as_bytes(), 1 << 20).unwrap_err();
            assert!(matches!(error, ImportError::NoMemory { line: 1, .. }), "{error}");
        }
    }

    fn read(text: &[u8], piece: usize) -> Result<Vec<Exported>, ImportError> {
        let mut lines = ImportLines::new(1 << 20);
        text.chunks(piece).try_for_each(|piece| lines.feed(piece))?;
        lines.finish()
    }

    #[test]
    fn gr10_a_memory_is_read_as_it_was_written_in_whatever_pieces_it_comes() {
        let all = [memory(1, "two\nlines “ü”"), memory(2, "another")];
        let mut text = lines(&all).unwrap();
        text.extend_from_slice(b"\n");
        for piece in [1, 7, text.len()] {
            assert_eq!(read(&text, piece).unwrap(), all);
        }
        assert_eq!(read(text.trim_ascii_end(), 7).unwrap(), all, "the last line needs no end");
        let marked = ["\u{feff}".as_bytes(), &text].concat();
        assert_eq!(read(&marked, 7).unwrap(), all, "a byte-order mark is no part of the memory");
    }

    #[test]
    fn x12_a_line_without_an_end_is_refused_and_so_is_too_much_of_all() {
        let mut lines = ImportLines::new(2 * LONGEST_LINE);
        let long = lines.feed(b"\n").and_then(|()| lines.feed(&vec![b' '; LONGEST_LINE + 1]));
        assert_eq!(long, Err(ImportError::LongLine { line: 2 }));
        let many = read(&b"\n".repeat((1 << 20) + 1), 1000);
        assert_eq!(many, Err(ImportError::TooLong { line: (1 << 20) + 1, most: 1 << 20 }));
    }

    #[test]
    fn gr10_a_memory_with_thousands_of_relations_is_read_as_it_was_written() {
        let relation = |n| ExportedRelation { to: MemoryId(n), kind: RelationKind::RelatesTo };
        let relations = (2..=2_500).map(relation).collect();
        let all = [Exported { relations, ..memory(1, "one for all") }];
        let text = lines(&all).unwrap();
        assert!(text.len() > 64 << 10);
        assert_eq!(read(&text, text.len()).unwrap(), all);
    }

    #[test]
    fn a_line_that_is_no_memory_is_named() {
        let mut text = lines(&[memory(1, "a")]).unwrap();
        text.extend_from_slice(b"{}\n");
        let error = read(&text, 100).unwrap_err().to_string();
        assert!(error.starts_with("2: missing field") && error.ends_with("nothing was imported"), "{error}");
    }
}
