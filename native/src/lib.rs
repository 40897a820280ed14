//! The compiled core of evalkit: pretokenizing, counting, training, encoding and scoring.
//!
//! Algorithms only: names, policies and messages for people are Python's. `py` is the one place that knows Python.

pub mod bpe;
pub mod count;
pub mod encode;
mod filter;
mod groups;
pub mod ladder;
pub mod lexicon_learner;
mod memory;
pub mod places;
pub mod pretok;
mod py;
pub mod runs;
pub mod score;
pub mod table;
#[cfg(test)]
mod testing;
pub mod train;
pub mod unicode;
pub mod vocabulary;
pub mod words;
