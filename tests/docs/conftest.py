"""The scripts of the documentation, loaded by their path: docs is no package."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _script(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def make_glossary():
    return _script("make_glossary")


@pytest.fixture(scope="session")
def make_examples():
    return _script("make_examples")


@pytest.fixture(scope="session")
def make_forms():
    return _script("make_forms")


@pytest.fixture(scope="session")
def make_speakers():
    return _script("make_speakers")
