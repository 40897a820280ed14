//! `Decoder`: from ids to bytes.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};

use super::encoder::owned;
use super::texts::RELEASE_UNITS;
use crate::encode;

#[pyclass(frozen, module = "tokenizers_impl._native")]
pub struct Decoder(pub(super) encode::Tokens);

#[pymethods]
impl Decoder {
    #[new]
    fn new(tokens: Vec<(u32, PyBackedBytes)>) -> Self {
        Decoder(encode::Tokens::new(&owned(tokens)))
    }

    fn decode<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (array, list);
        let ids = if ids.is_instance_of::<PyList>() {
            list = ids.extract::<Vec<u32>>()?;
            &list[..]
        } else {
            array = ids.extract::<PyReadonlyArray1<'_, u32>>()?;
            array.as_slice()?
        };
        let large = ids.len() >= RELEASE_UNITS;
        let length = if large {
            py.detach(|| self.0.joined_length(ids))
        } else {
            self.0.joined_length(ids)
        };
        let length = length.map_err(PyKeyError::new_err)?;
        PyBytes::new_with(py, length, |joined| {
            if large {
                py.detach(|| self.0.join(ids, joined));
            } else {
                self.0.join(ids, joined);
            }
            Ok(())
        })
    }

    fn decode_batch<'py>(
        &self,
        py: Python<'py>,
        ids: PyReadonlyArray1<'py, u32>,
        offsets: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let (ids, offsets) = (ids.as_slice()?, offsets.as_slice()?);
        let parts = offsets.windows(2).map(|ends| {
            let part = ids.get(ends[0] as usize..ends[1] as usize);
            let part = part.ok_or_else(|| PyIndexError::new_err((ends[0], ends[1])))?;
            let length = self.0.joined_length(part).map_err(PyKeyError::new_err)?;
            PyBytes::new_with(py, length, |joined| {
                self.0.join(part, joined);
                Ok(())
            })
        });
        parts.collect()
    }
}
