//! Pages of 2 MiB for large tables and results, where the system has them.
//!
//! A table that is read at random places costs the processor a look-up of the page at nearly every one of them, which is
//! dear under a hypervisor; a large result costs the system a fault for every page. Warm, encoding takes a tenth to a
//! third less time so.

/// A table with room for so many entries.
pub fn with_capacity<T>(entries: usize) -> Vec<T> {
    let mut table = Vec::with_capacity(entries);
    advise(&mut table);
    table
}

/// A table of so many entries that are all the same.
pub fn filled<T: Clone>(entry: T, entries: usize) -> Vec<T> {
    let mut table = with_capacity(entries);
    table.resize(entries, entry);
    table
}

/// Asks for large pages for memory that nothing has been written to yet.
#[cfg(target_os = "linux")]
fn advise<T>(table: &mut Vec<T>) {
    const PAGE: usize = 1 << 12;
    /// Less than one such page gains nothing.
    const LARGE_PAGE: usize = 1 << 21;
    let start = table.as_mut_ptr() as usize;
    let end = start + table.capacity() * size_of::<T>();
    let (first, last) = (start.next_multiple_of(PAGE), end & !(PAGE - 1));
    if first + LARGE_PAGE <= last {
        // Safety: these are whole pages of the table's own memory, and the advice changes no byte of them. Where it
        // isn't taken, which is no matter, all is as before.
        unsafe { libc::madvise(first as *mut _, last - first, libc::MADV_HUGEPAGE) };
    }
}

/// Other systems have no such advice to take.
#[cfg(not(target_os = "linux"))]
fn advise<T>(_: &mut Vec<T>) {}

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
    use super::*;

    #[test]
    fn tables_are_what_they_would_be() {
        for entries in [0, 1, 5_000, 3 << 20] {
            assert_eq!(filled(7_u8, entries), vec![7; entries]);
            assert!(with_capacity::<u64>(entries).capacity() >= entries);
        }
    }
}
