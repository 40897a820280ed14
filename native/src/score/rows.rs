//! The figures of texts, one row each.

use super::{Asked, Scorer};

/// What is found of some texts, row by row.
pub struct Rows {
    /// Pretokens, then tokens under each encoder.
    pub tokens: Vec<i64>,
    /// As [`crate::places::Places::add`] has them; of no text where they aren't asked for.
    pub places: Vec<i64>,
    /// By pair of tokenizers: the boundaries inside the text that both have; of no pair where that isn't asked for.
    pub both: Vec<i64>,
    widths: (usize, usize, usize),
}

impl Rows {
    pub(super) fn new(texts: usize, scorer: &Scorer) -> Self {
        let places = scorer.asked.as_ref().map_or(0, Asked::row_width);
        let widths = (1 + scorer.encoders.len(), places, scorer.compared());
        Rows {
            tokens: vec![0; texts * widths.0],
            places: vec![0; texts * widths.1],
            both: vec![0; texts * widths.2],
            widths,
        }
    }

    /// Of a text its pretokens and tokens, and what each two tokenizers have both.
    pub(super) fn counts_of(&mut self, text: usize) -> (&mut [i64], &mut [i64]) {
        let (tokens, _, both) = self.widths;
        (
            &mut self.tokens[text * tokens..][..tokens],
            &mut self.both[text * both..][..both],
        )
    }

    pub(super) fn places_of(&mut self, text: usize) -> &mut [i64] {
        &mut self.places[text * self.widths.1..][..self.widths.1]
    }

    /// Adds the rows of some of the texts, the first of them this one.
    pub(super) fn add(&mut self, first: usize, some: &Rows) {
        let add = |all: &mut [i64], some: &[i64]| {
            all.iter_mut().zip(some).for_each(|(sum, one)| *sum += one);
        };
        add(&mut self.tokens[first * self.widths.0..], &some.tokens);
        add(&mut self.places[first * self.widths.1..], &some.places);
        add(&mut self.both[first * self.widths.2..], &some.both);
    }

    /// Leaves out the beginnings of these texts, which are everyone's, and inside of nothing.
    pub(super) fn without_beginnings(&mut self, texts: &[&str]) {
        let pairs = self.widths.2;
        for (number, _) in texts.iter().enumerate().filter(|text| !text.1.is_empty()) {
            let both = &mut self.both[number * pairs..][..pairs];
            both.iter_mut().for_each(|both| *both -= 1);
        }
    }
}
