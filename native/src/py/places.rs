//! `Marks` and `Places`.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use super::strs;
use crate::places::{self, Wanted, Words};
use crate::score::marks;

/// Where tokens begin in some texts under some tokenizers.
#[pyclass(frozen, module = "tokenizers_impl._native")]
pub struct Marks(pub(super) marks::Marks);

#[pymethods]
impl Marks {
    #[staticmethod]
    fn of_lengths(
        texts: Vec<PyBackedStr>,
        lengths: PyReadonlyArray1<'_, i64>,
        offsets: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        marks::Marks::of_lengths(&strs(&texts), lengths.as_slice()?, offsets.as_slice()?)
            .map(Marks)
            .ok_or_else(|| PyValueError::new_err("the tokens have not the lengths of the texts"))
    }

    /// The places of the bytes where tokens begin, by text, under one of the tokenizers.
    fn places(&self, tokenizer: usize) -> PyResult<Vec<Vec<usize>>> {
        if tokenizer >= self.0.width {
            return Err(no_tokenizer(self.0.width));
        }
        let texts = 0..self.0.starts.len() - 1;
        Ok(texts.map(|text| self.0.places(text, tokenizer)).collect())
    }
}

fn no_tokenizer(there: usize) -> PyErr {
    PyIndexError::new_err(format!("there are {there} tokenizers"))
}

pub(super) fn wanted_of(names: &[String]) -> PyResult<Wanted> {
    const KNOWN: [&str; 4] = ["types", "characters", "numbers", "shared"];
    if let Some(other) = names.iter().find(|one| !KNOWN.contains(&one.as_str())) {
        return Err(PyValueError::new_err(format!(
            "there is no {other:?} to be found"
        )));
    }
    let has = |name: &str| names.iter().any(|one| one == name);
    Ok(Wanted {
        types: has("types"),
        characters: has("characters"),
        numbers: has("numbers"),
        shared: has("shared"),
    })
}

pub(super) type IntRows<'py> = Bound<'py, PyArray2<i64>>;
pub(super) type TypeCounts<'py> = (u64, u64, u64, IntRows<'py>);

#[pyclass(frozen, module = "tokenizers_impl._native")]
pub struct Places {
    places: places::Places,
    tokenizers: usize,
}

#[pymethods]
impl Places {
    #[new]
    #[pyo3(signature = (tokenizers, threads, wanted, budget=None))]
    fn new(
        tokenizers: usize,
        threads: usize,
        wanted: Vec<String>,
        budget: Option<usize>,
    ) -> PyResult<Self> {
        let mut found = places::Places::new(tokenizers, wanted_of(&wanted)?, threads);
        if let Some(budget) = budget {
            found = found.with_budget(budget);
        }
        Ok(Places {
            places: found,
            tokenizers,
        })
    }

    #[pyo3(signature = (texts, marks, words=true, given=None))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        marks: Vec<PyRef<'py, Marks>>,
        words: bool,
        given: Option<(PyReadonlyArray2<'py, i64>, PyReadonlyArray1<'py, i64>)>,
    ) -> PyResult<(IntRows<'py>, IntRows<'py>)> {
        let texts = strs(&texts);
        let marks: Vec<&marks::Marks> = marks.iter().map(|marks| &marks.0).collect();
        let fit = |marks: &&marks::Marks| marks.fit(&texts);
        if marks.iter().map(|marks| marks.width).sum::<usize>() != self.tokenizers
            || !marks.iter().all(fit)
        {
            return Err(PyValueError::new_err("the marks are those of other texts"));
        }
        let pairs: Vec<(usize, usize)>;
        let words = match &given {
            None if words => Words::Segmenter,
            None => Words::Nowhere,
            Some((ranges, offsets)) => {
                let flat = ranges.as_slice()?;
                pairs = flat
                    .chunks_exact(2)
                    .map(|two| (two[0] as usize, two[1] as usize))
                    .collect();
                let by_text = by_text(&texts, &pairs, offsets.as_slice()?);
                Words::Given(by_text.ok_or_else(|| {
                    PyValueError::new_err("the words are not ranges of the texts")
                })?)
            }
        };
        let found = py.detach(|| self.places.add(&texts, &marks, &words));
        let shape = |flat: Vec<i64>, width| flat.into_pyarray(py).reshape([texts.len(), width]);
        Ok((
            shape(found.rows, self.places.row_width())?,
            shape(found.both, self.places.pairs())?,
        ))
    }

    fn types<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<TypeCounts<'py>>>> {
        let found = py.detach(|| self.places.types());
        found.map(|found| type_rows(py, found)).transpose()
    }
}

pub(super) fn type_rows(
    py: Python<'_>,
    found: Vec<places::TypeCounts>,
) -> PyResult<Vec<TypeCounts<'_>>> {
    let rows = found.into_iter().map(|one| {
        let mixed: Vec<i64> = one
            .mixed
            .iter()
            .flat_map(|&(whole, count, types)| [whole as i64, count as i64, types as i64])
            .collect();
        let mixed = mixed.into_pyarray(py).reshape([one.mixed.len(), 3])?;
        Ok((one.types, one.whole, one.consistent, mixed))
    });
    rows.collect()
}

/// The ranges of each text; none where one isn't a range of its text.
fn by_text<'r>(
    texts: &[&str],
    ranges: &'r [(usize, usize)],
    offsets: &[i64],
) -> Option<Vec<&'r [(usize, usize)]>> {
    if offsets.len() != texts.len() + 1 {
        return None;
    }
    let found = texts.iter().zip(offsets.windows(2)).map(|(text, ends)| {
        let (start, end) = (
            usize::try_from(ends[0]).ok()?,
            usize::try_from(ends[1]).ok()?,
        );
        let some = ranges.get(start..end)?;
        let good = |&(start, end): &(usize, usize)| start < end && end <= text.len();
        some.iter().all(good).then_some(some)
    });
    found.collect()
}
