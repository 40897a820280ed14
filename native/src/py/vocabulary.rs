//! `Vocabulary`.

use std::collections::HashSet;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::Splitter;
use crate::{encode, vocabulary};

type Numbers<'py> = Vec<Bound<'py, PyArray1<u32>>>;

#[pyclass(frozen, module = "tokenizers_impl._native")]
pub struct Vocabulary(vocabulary::Vocabulary);

#[pymethods]
impl Vocabulary {
    #[new]
    fn new(tokens: Vec<(u32, PyBackedBytes)>) -> Self {
        Vocabulary(vocabulary::Vocabulary::new(tokens))
    }

    #[staticmethod]
    fn parse_ranks(py: Python<'_>, data: &[u8]) -> Option<Self> {
        py.detach(|| vocabulary::Vocabulary::parse_ranks(data))
            .map(Vocabulary)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn get<'py>(&self, py: Python<'py>, id: u32) -> Option<Bound<'py, PyBytes>> {
        self.0.get(id).map(|token| PyBytes::new(py, token))
    }

    fn ids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.0.ids().to_vec().into_pyarray(py)
    }

    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.0.lengths().into_pyarray(py)
    }

    fn items<'py>(&self, py: Python<'py>) -> Vec<(u32, Bound<'py, PyBytes>)> {
        let items = self.0.iter();
        items
            .map(|(id, token)| (id, PyBytes::new(py, token)))
            .collect()
    }

    fn first(&self, room: usize) -> Self {
        Vocabulary(self.0.first(room))
    }

    fn listed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.0.listed()))
    }

    /// By rank, which is the id.
    fn encoder(&self, py: Python<'_>, splitter: &Splitter) -> PyResult<Encoder> {
        let splitter = splitter.0.clone();
        let tokens: Vec<_> = self.0.iter().collect();
        Encoder::from_core(py.detach(|| encode::Encoder::from_ranks(splitter, &tokens)))
    }

    fn decoder(&self, specials: Vec<(u32, PyBackedBytes)>) -> Decoder {
        let specials = specials.iter().map(|(id, token)| (*id, token.as_ref()));
        let tokens: Vec<(u32, &[u8])> = self.0.iter().chain(specials).collect();
        Decoder(encode::Tokens::new(&tokens))
    }
}

#[pyfunction]
pub fn token_numbers<'py>(
    py: Python<'py>,
    vocabularies: Vec<PyRef<'py, Vocabulary>>,
    without: Vec<Vec<PyBackedBytes>>,
) -> Numbers<'py> {
    let vocabularies: Vec<_> = vocabularies.iter().map(|one| &one.0).collect();
    let without: Vec<HashSet<Vec<u8>>> = without
        .iter()
        .map(|texts| texts.iter().map(|text| text.to_vec()).collect())
        .collect();
    let numbers = py.detach(|| vocabulary::token_numbers(&vocabularies, &without));
    numbers
        .into_iter()
        .map(|some| some.into_pyarray(py))
        .collect()
}
