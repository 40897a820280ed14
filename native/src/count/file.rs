//! Counting a file through a memory map: checked once, cut anywhere, and given back as it is read.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::AhoCorasick;
use memmap2::Mmap;

use super::{block_size, on_threads, CountError, Job, PretokenCounts, Watch};
use crate::pretok::Splitter;

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

pub struct FileCounts {
    pub counts: PretokenCounts,
    /// The file began with a byte order mark, which isn't part of its text.
    pub byte_order_mark: bool,
}

/// Counts the pretokens of a file as of one text; like [`super::count_texts`].
///
/// The file must not be changed meanwhile: one that shrinks under its memory map ends the process.
pub fn count_file(
    path: &Path,
    splitter: &Splitter,
    specials: Option<&AhoCorasick>,
    threads: usize,
    watch: &Watch,
) -> Result<FileCounts, CountError> {
    let content = Content::open(path).map_err(CountError::Io)?;
    let size = block_size(content.bytes().len(), threads);
    count_content(&content, splitter, specials, threads, watch, size)
}

pub(super) fn count_content(
    content: &Content,
    splitter: &Splitter,
    specials: Option<&AhoCorasick>,
    threads: usize,
    watch: &Watch,
    size: usize,
) -> Result<FileCounts, CountError> {
    let text = content.check(threads, size, watch)?;
    let stripped = text.strip_prefix(BYTE_ORDER_MARK);
    let done = |piece: &str| content.give_back(piece.as_bytes());
    let job = Job {
        splitter,
        specials,
        watch,
        done: &done,
    };
    Ok(FileCounts {
        counts: job.run(&[stripped.unwrap_or(text)], threads, size)?,
        byte_order_mark: stripped.is_some(),
    })
}

pub(super) enum Content {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl Content {
    fn open(path: &Path) -> std::io::Result<Self> {
        let mut file = File::open(path)?;
        if file.metadata()?.is_file() {
            // Safety: nobody may change the file while it is mapped, which the documentation of `count_file`
            // asks of the caller; there is no way to make sure of it.
            return Ok(Content::Mapped(unsafe { Mmap::map(&file)? }));
        }
        // A pipe, say, can't be mapped.
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Content::Read(bytes))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Content::Mapped(map) => map,
            Content::Read(bytes) => bytes,
        }
    }

    /// The bytes as text, checked block by block on several threads.
    fn check(&self, threads: usize, size: usize, watch: &Watch) -> Result<&str, CountError> {
        let bytes = self.bytes();
        let blocks = bytes.len().div_ceil(size);
        let next = AtomicUsize::new(0);
        let first_errors = on_threads(threads.min(blocks), || {
            // Blocks are taken in order, so that a thread's first error is its least.
            while !watch.stopped() {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= blocks {
                    break;
                }
                let start = boundary(bytes, block * size);
                let end = boundary(bytes, (block + 1) * size);
                if let Err(error) = simdutf8::compat::from_utf8(&bytes[start..end]) {
                    next.store(blocks, Ordering::Relaxed);
                    return Some(start + error.valid_up_to());
                }
                self.give_back(&bytes[start..end]);
            }
            None
        });
        if watch.stopped() {
            return Err(CountError::Interrupted);
        }
        if let Some(offset) = first_errors.into_iter().flatten().min() {
            return Err(CountError::InvalidUtf8 {
                offset: offset as u64,
            });
        }
        // Safety: the blocks join to the whole, each is valid, and valid texts join to a valid text.
        Ok(unsafe { std::str::from_utf8_unchecked(bytes) })
    }

    /// Tells the system that this process doesn't need a part of its map for now, so that the memory it is
    /// charged with is that of a few blocks and not of the file.
    fn give_back(&self, part: &[u8]) {
        #[cfg(unix)]
        if let Content::Mapped(map) = self {
            const PAGE: usize = 4096;
            // A block of whole texts comes with an empty piece, which may lie anywhere.
            let offset = (part.as_ptr() as usize).wrapping_sub(map.as_ptr() as usize);
            if part.is_empty() || offset >= map.len() {
                return;
            }
            let start = offset.next_multiple_of(PAGE);
            let end = (offset + part.len()) / PAGE * PAGE;
            if start < end {
                // Safety: the map is shared and read-only, so that its pages come back from the file unchanged.
                // A refusal (a system with larger pages) costs memory only.
                let advice = memmap2::UncheckedAdvice::DontNeed;
                let _ = unsafe { map.unchecked_advise_range(advice, start, end - start) };
            }
        }
        #[cfg(not(unix))]
        let _ = part;
    }
}

/// The first place from `at` on where a code point can begin. A code point has at most three bytes after its
/// first, and where there are more the block before this place is invalid, at the right offset.
fn boundary(bytes: &[u8], at: usize) -> usize {
    if at == 0 || at >= bytes.len() {
        return at.min(bytes.len());
    }
    let continues = |byte: &&u8| **byte & 0xC0 == 0x80;
    at + bytes[at..].iter().take(3).take_while(continues).count()
}

#[cfg(test)]
impl Content {
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Content::Read(bytes.to_vec())
    }
}
