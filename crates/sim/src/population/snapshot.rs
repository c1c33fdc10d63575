//! Snapshots of a population: the file `snapshots/STEP` has a line of JSON, the arrays of the rule in little endian,
//! and the CRC-32 of both (SM5).
//!
//! A population has no external input, so a run could always start from the beginning. Snapshots only save time: a
//! killed run continues from its newest one, and a branch from its parent's newest one before the branch. The result
//! does not depend on which snapshots exist, so a damaged one is skipped.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::error::SimError;

/// The number of snapshots that a run keeps. When there are more, every second one of the older ones is removed.
const KEPT: usize = 8;

/// A step and the values measured after it, as bits. Decimal numbers would not reliably be read back exactly.
pub(super) type Measured = (u64, Vec<u64>);

/// The header line before the arrays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The number of completed steps.
    pub(super) step: u64,
    /// Whether the last step changed nothing. Then the run is over.
    pub(super) settled: bool,
    /// All measured values so far.
    pub(super) measured: Vec<Measured>,
}

fn directory(run: &Path) -> PathBuf {
    run.join("snapshots")
}

/// The steps of a run's snapshots, sorted.
fn steps(run: &Path) -> Vec<u64> {
    let entries = fs::read_dir(directory(run)).into_iter().flatten().flatten();
    let mut steps: Vec<u64> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    steps.sort_unstable();
    steps
}

/// Writes a snapshot atomically.
pub(super) fn write(
    run: &Path,
    header: &Header,
    save: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), SimError> {
    let path = directory(run).join(header.step.to_string());
    let beside = directory(run).join("new");
    let written = || -> io::Result<()> {
        fs::create_dir_all(directory(run))?;
        let mut file = Summed { to: BufWriter::new(File::create(&beside)?), sum: crc32fast::Hasher::new() };
        serde_json::to_writer(&mut file, header)?;
        file.write_all(b"\n")?;
        save(&mut file)?;
        let Summed { to: mut file, sum } = file;
        file.write_all(&sum.finalize().to_le_bytes())?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
        fs::rename(&beside, &path)
    };
    written().map_err(|error| SimError::file(&path, error))?;
    let steps = steps(run);
    if steps.len() > KEPT {
        let older = steps.len() - 1;
        for step in steps.iter().take(older).skip(1).step_by(2) {
            let path = directory(run).join(step.to_string());
            fs::remove_file(&path).map_err(|error| SimError::file(&path, error))?;
        }
    }
    Ok(())
}

/// A writer that computes the checksum of the written bytes.
struct Summed<W> {
    to: W,
    sum: crc32fast::Hasher,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Reads the newest undamaged snapshot of a run with at most `until` steps. `load` converts its arrays. `None` if there
/// is no such snapshot.
pub(super) fn read<T>(
    run: &Path,
    until: u64,
    load: impl Fn(&Header, &mut dyn Read) -> io::Result<T>,
) -> Option<(Header, T)> {
    let steps = steps(run).into_iter().rev().filter(|step| *step <= until);
    steps.map(|step| directory(run).join(step.to_string())).find_map(|path| {
        let read = || -> io::Result<(Header, T)> {
            check(&path)?;
            let mut file = BufReader::with_capacity(1 << 20, File::open(&path)?);
            let mut line = String::new();
            file.read_line(&mut line)?;
            let header = serde_json::from_str(&line)?;
            let loaded = load(&header, &mut file)?;
            Ok((header, loaded))
        };
        read().ok()
    })
}

/// Fails if the last four bytes of the file are not the checksum of the rest.
fn check(path: &Path) -> io::Result<()> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "its checksum is another");
    let file = File::open(path)?;
    let length = file.metadata()?.len().checked_sub(4).ok_or_else(damaged)?;
    let mut file = BufReader::with_capacity(1 << 20, file);
    let (mut sum, mut left) = (crc32fast::Hasher::new(), length);
    while left > 0 {
        let bytes = file.fill_buf()?;
        let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if count == 0 {
            return Err(damaged());
        }
        sum.update(&bytes[..count]);
        file.consume(count);
        left -= count as u64;
    }
    let mut written = [0; 4];
    file.read_exact(&mut written)?;
    if sum.finalize().to_le_bytes() == written { Ok(()) } else { Err(damaged()) }
}

/// A number of four bytes or one byte.
pub(super) trait Number: Copy {
    /// The number's bytes in little endian.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Default;
    fn bytes(self) -> Self::Bytes;
    fn of(bytes: Self::Bytes) -> Self;
}

macro_rules! number {
    ($type:ty, $size:literal) => {
        impl Number for $type {
            type Bytes = [u8; $size];
            fn bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }
            fn of(bytes: Self::Bytes) -> Self {
                Self::from_le_bytes(bytes)
            }
        }
    };
}

number!(u8, 1);
number!(u32, 4);
number!(f32, 4);

/// The number of values that are converted at once.
const CHUNK: usize = 1 << 16;

/// Writes the number of values and the values.
pub(super) fn write_numbers<N: Number>(to: &mut dyn Write, numbers: &[N]) -> io::Result<()> {
    to.write_all(&(numbers.len() as u64).to_le_bytes())?;
    let mut bytes = Vec::new();
    for chunk in numbers.chunks(CHUNK) {
        bytes.clear();
        chunk.iter().for_each(|number| bytes.extend_from_slice(number.bytes().as_ref()));
        to.write_all(&bytes)?;
    }
    Ok(())
}

/// Reads the values that [`write_numbers`] wrote.
pub(super) fn read_numbers<N: Number>(from: &mut dyn Read) -> io::Result<Vec<N>> {
    let mut count = [0; 8];
    from.read_exact(&mut count)?;
    let mut left = usize::try_from(u64::from_le_bytes(count)).map_err(io::Error::other)?;
    // a damaged count must not reserve memory without limit
    let mut numbers = Vec::with_capacity(left.min(1 << 24));
    let size = N::Bytes::default().as_ref().len();
    let mut bytes = vec![0; CHUNK * size];
    while left > 0 {
        let count = left.min(CHUNK);
        let bytes = &mut bytes[..count * size];
        from.read_exact(bytes)?;
        numbers.extend(bytes.chunks_exact(size).map(|chunk| {
            let mut own = N::Bytes::default();
            own.as_mut().copy_from_slice(chunk);
            N::of(own)
        }));
        left -= count;
    }
    Ok(numbers)
}

/// Writes lists: their lengths, then all their values.
pub(super) fn write_lists(to: &mut dyn Write, lists: &[Vec<u32>]) -> io::Result<()> {
    let lengths: Vec<u32> = lists.iter().map(|list| u32::try_from(list.len()).unwrap_or(u32::MAX)).collect();
    write_numbers(to, &lengths)?;
    write_numbers(to, &lists.concat())
}

/// Reads the lists that [`write_lists`] wrote.
pub(super) fn read_lists(from: &mut dyn Read) -> io::Result<Vec<Vec<u32>>> {
    let lengths: Vec<u32> = read_numbers(from)?;
    let numbers: Vec<u32> = read_numbers(from)?;
    let mut rest = numbers.as_slice();
    let list = |length: u32| {
        let (list, after) = rest.split_at_checked(length as usize)?;
        rest = after;
        Some(list.to_vec())
    };
    let lists: Option<Vec<_>> = lengths.into_iter().map(list).collect();
    lists.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "its lists are longer than its numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sm5_a_run_keeps_few_snapshots_and_finds_the_newest_before_a_step() {
        let run = tempfile::tempdir().unwrap();
        for step in 1..=40 {
            let header = Header { step, settled: false, measured: vec![(step, vec![0.1_f64.to_bits()])] };
            write(run.path(), &header, |to| write_numbers(to, &[step as u32, 7])).unwrap();
        }
        assert!(steps(run.path()).len() <= KEPT, "{:?}", steps(run.path()));
        let found = |until| {
            let found = read(run.path(), until, |_, from| read_numbers::<u32>(from));
            found.map(|(header, numbers)| (header.step, numbers[0]))
        };
        assert_eq!(found(100), Some((40, 40)));
        assert_eq!(found(0), None);
        let (step, number) = found(30).unwrap();
        assert!(step <= 30 && step == u64::from(number), "{step}");
    }

    #[test]
    fn sm5_a_damaged_snapshot_is_passed_over() {
        let run = tempfile::tempdir().unwrap();
        for step in [1, 2, 3] {
            let header = Header { step, ..Header::default() };
            write(run.path(), &header, |to| write_numbers(to, &[7_u32; 100])).unwrap();
        }
        let step = || read(run.path(), 9, |_, from| read_numbers::<u32>(from)).map(|(header, _)| header.step);
        let newest = directory(run.path()).join("3");
        let whole = fs::read(&newest).unwrap();
        assert_eq!(step(), Some(3));
        fs::write(&newest, &whole[..whole.len() / 2]).unwrap();
        assert_eq!(step(), Some(2), "one that was cut off");
        for at in [0, whole.len() / 2, whole.len() - 1] {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            fs::write(&newest, flipped).unwrap();
            assert_eq!(step(), Some(2), "a bit of byte {at}");
        }
        fs::write(&newest, "").unwrap();
        fs::remove_file(directory(run.path()).join("2")).unwrap();
        assert_eq!(step(), Some(1));
    }

    #[test]
    fn sm5_arrays_are_read_as_they_were_written() {
        let lists = vec![vec![1, 2, 3], vec![], vec![u32::MAX; 70_000]];
        let mut bytes = Vec::new();
        write_lists(&mut bytes, &lists).unwrap();
        assert_eq!(read_lists(&mut bytes.as_slice()).unwrap(), lists);
        assert!(read_lists(&mut &bytes[..bytes.len() - 1]).is_err(), "a file that was cut off");
        let mut bytes = Vec::new();
        write_numbers(&mut bytes, &[0.1_f32, -0.0, f32::MAX]).unwrap();
        assert_eq!(read_numbers::<f32>(&mut bytes.as_slice()).unwrap(), [0.1, -0.0, f32::MAX]);
    }
}
