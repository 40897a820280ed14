//! Pages of 2 MiB for large tables and results, where the system has them.
//!
//! A table that is read at random places costs the processor a look-up of the page at nearly every one of them, which is
//! dear under a hypervisor; a large result costs the system a fault for every page. Warm, encoding takes a tenth to a
//! third less time so.

use std::alloc::{alloc_zeroed, handle_alloc_error, Layout};
use std::ops::Deref;
use std::ptr::NonNull;

use memmap2::MmapMut;

const PAGE: usize = 1 << 12;

/// Less than one such page gains nothing.
const LARGE_PAGE: usize = 1 << 21;

/// A table with room for so many entries.
pub fn with_capacity<T>(entries: usize) -> Vec<T> {
    let table = Vec::with_capacity(entries);
    advise(table.as_ptr() as usize, entries * size_of::<T>());
    table
}

/// A table of so many entries that are all the same.
pub fn filled<T: Clone>(entry: T, entries: usize) -> Vec<T> {
    let mut table = with_capacity(entries);
    table.resize(entries, entry);
    table
}

/// What all bytes are zero of is a value.
///
/// # Safety
///
/// It must be one.
pub unsafe trait Zero {}

/// A table of so many entries that are zero, which nothing has written to: its pages are made by whoever first comes to
/// each, many threads at once, and not by one thread before the work begins.
pub struct Zeroed<T> {
    entries: NonNull<[T]>,
    _owner: Owner<T>,
}

enum Owner<T> {
    Pages(#[allow(dead_code)] MmapMut),
    Table(#[allow(dead_code)] Vec<T>),
}

// Safety: it owns its entries, and lends them as a slice does.
unsafe impl<T: Send> Send for Zeroed<T> {}
unsafe impl<T: Sync> Sync for Zeroed<T> {}

impl<T: Zero + Default> Zeroed<T> {
    pub fn new(entries: usize) -> Self {
        let bytes = entries * size_of::<T>();
        if bytes >= LARGE_PAGE && align_of::<T>() <= PAGE {
            if let Ok(mut pages) = MmapMut::map_anon(bytes) {
                advise(pages.as_mut_ptr() as usize, bytes);
                let first = pages.as_mut_ptr().cast::<T>();
                let table = std::ptr::slice_from_raw_parts_mut(first, entries);
                return Zeroed {
                    entries: NonNull::new(table).expect("pages have an address"),
                    _owner: Owner::Pages(pages),
                };
            }
        }
        let mut table: Vec<T> = Vec::new();
        table.resize_with(entries, T::default);
        Zeroed {
            entries: NonNull::from(table.as_mut_slice()),
            _owner: Owner::Table(table),
        }
    }
}

impl<T> Deref for Zeroed<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // Safety: the owner has so many, in pages that are zero, which is a value, or in a table; it is never touched.
        unsafe { self.entries.as_ref() }
    }
}

/// A table of so many entries that are zero; the system's fresh pages are, and aren't written to.
pub fn zeroed<T: Zero>(entries: usize) -> Vec<T> {
    let layout = Layout::array::<T>(entries).expect("a table that memory has room for");
    if layout.size() == 0 {
        return Vec::new();
    }
    // Safety: the layout is that of a vector with so many entries, and zero is a value.
    let table = unsafe {
        let first = alloc_zeroed(layout);
        if first.is_null() {
            handle_alloc_error(layout);
        }
        Vec::from_raw_parts(first.cast::<T>(), entries, entries)
    };
    advise(table.as_ptr() as usize, layout.size());
    table
}

/// Asks for large pages for memory that nothing has been written to yet.
#[cfg(target_os = "linux")]
fn advise(start: usize, bytes: usize) {
    let (first, last) = (start.next_multiple_of(PAGE), (start + bytes) & !(PAGE - 1));
    if first + LARGE_PAGE <= last {
        // Safety: these are whole pages of the table's own memory, and the advice changes no byte of them. Where it
        // isn't taken, which is no matter, all is as before.
        unsafe { libc::madvise(first as *mut _, last - first, libc::MADV_HUGEPAGE) };
    }
}

/// Other systems have no such advice to take.
#[cfg(not(target_os = "linux"))]
fn advise(_: usize, _: usize) {}

/// Gives what the allocator keeps for later back to the system, where it can be asked to: it keeps most of what work on
/// many threads needed for a moment.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn release() {
    // Safety: the function may be called at any time, by any thread.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn release() {}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    unsafe impl Zero for u64 {}
    unsafe impl Zero for AtomicU64 {}

    #[test]
    fn tables_are_what_they_would_be() {
        for entries in [0, 1, 5_000, 3 << 20] {
            assert_eq!(filled(7_u8, entries), vec![7; entries]);
            assert!(with_capacity::<u64>(entries).capacity() >= entries);
            assert_eq!(zeroed::<u64>(entries), vec![0; entries]);
            let table = Zeroed::<AtomicU64>::new(entries);
            assert!(table.iter().all(|one| one.swap(3, Ordering::Relaxed) == 0));
            assert_eq!(table.len(), entries);
        }
    }
}
