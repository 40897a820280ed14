//! The compiled core of evalkit: pretokenizing, counting, training, encoding and scoring.

pub mod table;
