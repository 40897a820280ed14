//! `Scorer`.

use std::sync::{Arc, Mutex};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;

use super::counter::Counter;
use super::encoder::Encoder;
use super::places::{type_rows, wanted_of, IntRows, Marks, TypeCounts};
use super::{splitting, strs, Splitter};
use crate::{pretok, score};

type DifferenceRows<'py> = Vec<(Bound<'py, PyBytes>, u64, u32, u32)>;

type Histograms<'py> = (IntRows<'py>, IntRows<'py>);

fn table<'py>(py: Python<'py>, rows: &[(u64, u64)]) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let flat: Vec<i64> = rows
        .iter()
        .flat_map(|&(count, number)| [count as i64, number as i64])
        .collect();
    flat.into_pyarray(py).reshape([rows.len(), 2])
}

#[pyclass(frozen, module = "tokenizers_impl._native")]
pub struct Scorer {
    scorer: score::Scorer,
    encoders: usize,
    splitter: Arc<pretok::Splitter>,
    threads: usize,
}

impl Scorer {
    fn check(&self, encoder: usize) -> PyResult<usize> {
        if encoder < self.encoders {
            return Ok(encoder);
        }
        Err(PyIndexError::new_err(format!(
            "there are {} encoders",
            self.encoders
        )))
    }
}

#[pymethods]
impl Scorer {
    #[new]
    #[pyo3(signature = (splitter, encoders, threads, marks=0, pairs=0, placed=None))]
    fn new(
        splitter: &Splitter,
        encoders: Vec<PyRef<'_, Encoder>>,
        threads: usize,
        marks: usize,
        pairs: usize,
        placed: Option<(usize, Vec<String>, bool)>,
    ) -> PyResult<Self> {
        let encoders: Vec<_> = encoders
            .iter()
            .map(|encoder| encoder.core.clone())
            .collect();
        let number = encoders.len();
        let mut scorer = score::Scorer::new(splitter.0.clone(), encoders, threads)
            .with_marks(marks)
            .with_pairs(pairs);
        if let Some((tokenizers, wanted, words)) = placed {
            let places = tokenizers.min(number);
            if marks > 0 && places != marks.min(number) {
                return Err(PyValueError::new_err(
                    "places and marks are asked for of as many tokenizers, or one of them of none",
                ));
            }
            scorer = scorer.with_places(score::Asked {
                tokenizers: places,
                words,
                wanted: wanted_of(&wanted)?,
            });
        }
        Ok(Scorer {
            encoders: number,
            splitter: splitter.0.clone(),
            threads: threads.max(1),
            scorer,
        })
    }

    fn add<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let rows = splitting(py, || py.detach(|| self.scorer.add(&strs(&texts))))?;
        rows.into_pyarray(py)
            .reshape([texts.len(), 1 + self.encoders])
    }

    fn add_marked<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<(Bound<'py, PyArray2<i64>>, Marks)> {
        let found = splitting(py, || py.detach(|| self.scorer.add_marked(&strs(&texts))));
        let (rows, marks) = found?;
        let rows = rows
            .into_pyarray(py)
            .reshape([texts.len(), 1 + self.encoders])?;
        Ok((rows, Marks(marks)))
    }

    fn add_placed<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<(IntRows<'py>, IntRows<'py>, IntRows<'py>, Marks)> {
        let found = splitting(py, || py.detach(|| self.scorer.add_placed(&strs(&texts))));
        let (rows, marks) = found?;
        let shape = |flat: Vec<i64>| {
            let width = flat.len() / texts.len().max(1);
            let texts = if width == 0 { 0 } else { texts.len() };
            flat.into_pyarray(py).reshape([texts, width])
        };
        let tokens = rows
            .tokens
            .into_pyarray(py)
            .reshape([texts.len(), 1 + self.encoders])?;
        Ok((tokens, shape(rows.places)?, shape(rows.both)?, Marks(marks)))
    }

    fn types<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<TypeCounts<'py>>>> {
        let found = py.detach(|| self.scorer.types());
        found.map(|found| type_rows(py, found)).transpose()
    }

    fn pair_counts<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Histograms<'py>>>> {
        let Some(found) = py.detach(|| self.scorer.pair_counts()) else {
            return Ok(None);
        };
        let rows = found
            .into_iter()
            .map(|one| Ok((table(py, &one.pairs)?, table(py, &one.firsts)?)));
        rows.collect::<PyResult<Vec<_>>>().map(Some)
    }

    fn id_counts<'py>(
        &self,
        py: Python<'py>,
        encoder: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let encoder = self.check(encoder)?;
        Ok(py
            .detach(|| self.scorer.id_counts(encoder))
            .into_pyarray(py))
    }

    fn broken<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, usize)> {
        let found = self.scorer.broken().into_iter();
        found
            .map(|(pretoken, encoder)| (PyBytes::new(py, &pretoken), encoder))
            .collect()
    }

    fn differences<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        second: usize,
        limit: usize,
    ) -> PyResult<DifferenceRows<'py>> {
        let (first, second) = (self.check(first)?, self.check(second)?);
        let rows = py.detach(|| self.scorer.differences(first, second, limit));
        Ok(rows
            .into_iter()
            .map(|row| {
                (
                    PyBytes::new(py, &row.pretoken),
                    row.count,
                    row.first,
                    row.second,
                )
            })
            .collect())
    }

    fn counter(&self, py: Python<'_>) -> PyResult<Counter> {
        let Some(counts) = py.detach(|| self.scorer.pretokens()) else {
            let pruned = self.scorer.pruned();
            return Err(PyValueError::new_err(format!(
                "{pruned} pretokens were let go for lack of memory, so that not all can be counted"
            )));
        };
        Ok(Counter {
            splitter: self.splitter.clone(),
            specials: None,
            threads: self.threads,
            counts: Mutex::new(counts),
        })
    }

    #[getter]
    fn pruned(&self) -> u64 {
        self.scorer.pruned()
    }

    #[getter]
    fn distinct(&self, py: Python<'_>) -> usize {
        py.detach(|| self.scorer.distinct())
    }
}
