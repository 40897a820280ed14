"""Declares the Rust core; everything else is in pyproject.toml.

The core is optional: where it cannot be compiled (no cargo, no network for the crates, an unknown
platform) the install still succeeds and the pure-Python reference serves. Set EVALKIT_REQUIRE_NATIVE=1
to turn a failed build into a failed install, as CI does.
"""

import os
import shutil
import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools_rust import Binding, RustExtension

REQUIRED = os.environ.get("EVALKIT_REQUIRE_NATIVE", "0") not in ("", "0")
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

# A failed optional build would otherwise ship the compiled module that an earlier one left here.
for folder in Path(__file__).parent.glob("build/lib*"):
    shutil.rmtree(folder, ignore_errors=True)

setup(
    rust_extensions=[
        RustExtension(
            "tokenizers_impl._native",
            "native/Cargo.toml",
            binding=Binding.PyO3,
            debug=False,  # editable installs are otherwise built without optimisation
            optional=not REQUIRED,
            features=[] if FREE_THREADED else ["abi3"],
        )
    ],
    options={} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp310"}},
)
