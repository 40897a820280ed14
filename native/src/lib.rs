//! The compiled core of evalkit: pretokenizing, counting, training, encoding and scoring.

pub mod count;
pub mod pretok;
pub mod table;
pub mod train;
pub mod unicode;
pub mod words;
