"""Rules about the tree itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def sources(package: str) -> list[Path]:
    found = sorted((ROOT / package).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("path", sources("tokenizers_impl"), ids=lambda path: path.name)
def test_tokenizers_know_nothing_of_suites(path: Path) -> None:
    assert not [name for name in imported(path) if name.split(".")[0] in ("evalkit", "corpora", "tests")]


@pytest.mark.parametrize("path", sources("evalkit"), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_suite_speaks_to_the_core_through_tokenizers_impl(path: Path) -> None:
    assert not [name for name in imported(path) if "_native" in name]


@pytest.mark.parametrize("package", ["evalkit", "tokenizers_impl"])
def test_dataclasses_are_those_that_cost_nothing_at_import(package: str) -> None:
    standard = [
        str(path.relative_to(ROOT))
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        if "dataclass" in {alias.name for alias in node.names}
    ]
    assert standard == (["tokenizers_impl/deferred.py"] if package == "tokenizers_impl" else [])


def test_one_file_speaks_pyo3() -> None:
    speaking = [
        path.relative_to(ROOT / "native/src").parts[0]
        for path in (ROOT / "native/src").rglob("*.rs")
        if re.search(r"\bpyo3::", path.read_text(encoding="utf-8"))
    ]
    assert {Path(name).stem for name in speaking} == {"py"}


def test_the_version_is_the_same_everywhere() -> None:
    versions = {
        re.search(r'^version = "(.+?)"', (ROOT / name).read_text(encoding="utf-8"), flags=re.M).group(1)  # type: ignore[union-attr]
        for name in ("pyproject.toml", "native/Cargo.toml")
    }
    assert len(versions) == 1


def test_the_interface_of_the_core_has_one_version() -> None:
    native = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "native/src").glob("py*/**/*.rs"))
    native += "".join(path.read_text(encoding="utf-8") for path in (ROOT / "native/src").glob("py.rs"))
    there = re.findall(r"const API_VERSION: u32 = (\d+);", native)
    here = re.findall(
        r"^API_VERSION = (\d+)", (ROOT / "tokenizers_impl/engine.py").read_text(encoding="utf-8"), flags=re.M
    )
    assert there == here
    assert len(here) == 1


def test_both_engines_have_what_the_interface_file_names() -> None:
    from engines import native, reference

    tree = ast.parse((ROOT / "tokenizers_impl/_native.pyi").read_text(encoding="utf-8"))
    named = [node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    assert len(named) > 6
    for core in (native(), reference()):
        for node in named:
            there = getattr(core, node.name)
            for member in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                    if any(isinstance(d, ast.Name) and d.id == "property" for d in member.decorator_list):
                        continue  # the reference has plain attributes
                    assert hasattr(there, member.name), f"{core.__name__}.{node.name}.{member.name}"


def test_every_package_is_installed() -> None:
    """A package that the list leaves out is there in a checkout, and missing where evalkit is installed."""
    listed = set(
        re.findall(r'^    "((?:evalkit|tokenizers_impl)[\w.]*)",$', (ROOT / "pyproject.toml").read_text(), re.M)
    )
    found = {
        ".".join(init.parent.relative_to(ROOT).parts)
        for top in ("evalkit", "tokenizers_impl")
        for init in (ROOT / top).rglob("__init__.py")
    }
    assert listed - {"evalkit._corpora"} == found
