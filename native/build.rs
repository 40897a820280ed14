//! Tells the core which sources it is made of: a checksum of `src` and `Cargo.toml`, by which Python notices, in a
//! checkout, that the sources have changed since. `tokenizers_impl.engine` computes the same.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=Cargo.toml");
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut files = vec![root.join("Cargo.toml")];
    collect(&root.join("src"), &mut files);
    let mut named: Vec<(String, PathBuf)> = files
        .into_iter()
        .map(|file| (name_of(&file, &root), file))
        .collect();
    named.sort();
    let mut sum = 0;
    for (name, file) in named {
        sum = crc32(sum, name.as_bytes());
        sum = crc32(
            sum,
            &fs::read(&file).expect("a source that was just listed"),
        );
    }
    println!("cargo:rustc-env=EVALKIT_SOURCES={sum:08x}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder of the sources") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// With `/` between its parts on every system, so that the order is one.
fn name_of(file: &Path, root: &Path) -> String {
    let parts = file.strip_prefix(root).expect("it is below").components();
    parts
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// The sum that zlib has.
fn crc32(start: u32, bytes: &[u8]) -> u32 {
    let mut sum = !start;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 {
                (sum >> 1) ^ 0xedb8_8320
            } else {
                sum >> 1
            };
        }
    }
    !sum
}
