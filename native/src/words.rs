//! Words: ICU4X's segmenter, dictionaries for scripts without blanks and UAX #29 elsewhere.

use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

thread_local! {
    // Built once per thread: it borrows compiled-in data, but is not promised to be Sync.
    static SEGMENTER: WordSegmenterBorrowed<'static> =
        WordSegmenter::new_dictionary(Default::default());
}

/// Calls `f` with the byte range of each word-like segment: letters, numbers or ideographs, not blanks or signs.
pub fn words(text: &str, mut f: impl FnMut(usize, usize)) {
    let segmenter = SEGMENTER.with(|segmenter| *segmenter);
    let mut start = 0;
    for (end, kind) in segmenter.segment_str(text).iter_with_word_type() {
        if kind.is_word_like() && end > start {
            f(start, end);
        }
        start = end;
    }
}

/// The number of word-like segments.
pub fn count_words(text: &str) -> usize {
    let mut count = 0;
    words(text, |_, _| count += 1);
    count
}

/// The segmenter and the version of its data, as figures about words have to name them.
pub fn segmenter_version() -> String {
    format!(
        "icu_segmenter {}, data {}, Unicode {}, CLDR {}",
        pinned("icu_segmenter"),
        pinned("icu_segmenter_data"),
        icu_segmenter_data::unicode_tag!(),
        icu_segmenter_data::cldr_tag!()
    )
}

/// The version of a dependency that the manifest pins exactly. The crates export their data's versions but not
/// their own.
fn pinned(name: &str) -> &'static str {
    include_str!("../Cargo.toml")
        .lines()
        .filter_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='))
        .find_map(|rest| rest.split_once("\"=")?.1.split_once('"'))
        .map_or("of unknown version", |(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        words(text, |start, end| found.push(&text[start..end]));
        found
    }

    #[test]
    fn word_like_segments_only() {
        assert_eq!(list(""), [""; 0]);
        assert_eq!(list(" \n…?!"), [""; 0]);
        assert_eq!(
            list("It's 3.14, isn't it?\r\n"),
            ["It's", "3.14", "isn't", "it"]
        );
        assert_eq!(list("a😀b"), ["a", "b"]);
    }

    #[test]
    fn dictionaries_for_scripts_without_blanks() {
        assert_eq!(list("我们研究语言。"), ["我们", "研究", "语言"]);
        assert_eq!(list("ภาษาไทย"), ["ภาษา", "ไทย"]);
        assert_eq!(list("世界 and 言葉"), ["世界", "and", "言葉"]);
        assert_eq!(count_words("我们研究语言。"), 3);
    }

    #[test]
    fn version_is_that_of_the_lock_file() {
        let lock = include_str!("../Cargo.lock");
        for name in ["icu_segmenter", "icu_segmenter_data"] {
            let entry = format!("name = \"{name}\"\nversion = \"{}\"\n", pinned(name));
            assert!(lock.contains(&entry), "{entry}");
        }
        let version = segmenter_version();
        assert!(version.starts_with("icu_segmenter 2."), "{version}");
        assert!(!version.contains("unknown"), "{version}");
    }
}
