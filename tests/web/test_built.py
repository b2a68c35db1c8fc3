"""The kernels of the page as they were built: as new as their sources, small, and in the page."""

import hashlib
import inspect
import re
import runpy
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import read
from otlab.web.digest import WASM, recorded, sources, sources_digest
from otlab.web.exports import EXPORTS
from otlab.web.page import lab_page, left_out, tableau_data


def test_the_kernels_are_as_new_as_their_sources():
    assert recorded()["sources"] == sources_digest(), "kernels of the page are old: run `make page`"
    assert recorded()["wasm"] == hashlib.sha256(WASM.read_bytes()).hexdigest()
    assert set(recorded()) == {"sources", "wasm", "numba", "llvmlite", "numpy", "zig", "binaryen"}


def test_sources_are_the_modules_that_an_exported_kernel_can_call():
    names = {path.as_posix().rsplit("otlab/", 1)[-1] for path in sources()}
    assert names == {
        *(f"ot/kernels/{name}.py" for name in ("gibbs", "gla", "probability", "update_rules")),
        *(f"web/{name}" for name in ("build.py", "exports.py", "log1p.zig", "runtime.c")),
        "inference/kernels/draws.py",
        "web/kernels/maxent.py",
        "web/kernels/trust.py",
    }


@pytest.mark.parametrize("name", EXPORTS)
def test_arguments_are_those_of_the_kernel(name):
    export = EXPORTS[name]
    module = import_module(export.module)
    function = getattr(module, export.kernel)
    assert list(export.arguments) == list(
        inspect.signature(getattr(function, "py_func", function)).parameters
    )
    for kind in export.arguments.values():
        if not isinstance(kind, str):
            assert tuple(kind[1]) == getattr(module, kind[0])._fields


def test_a_page_is_one_small_file_that_asks_for_nothing():
    page = lab_page(read("ilokano"))
    assert len(page.encode()) < 1_000_000
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|src=|@import|url\((?!#)", page.replace("data:", ""))


def test_names_stay_text():
    tableau = read("ilokano")
    hostile = "</script><script>alert(1)</script>"
    page = lab_page(tableau.rename_constraint(0, hostile))
    assert hostile not in page
    assert "\\u003c/script>" in page


def test_what_has_no_place_in_a_page_is_told():
    with pytest.raises(InputError, match="overt forms"):
        tableau_data(read("overt_stress"))
    assert left_out(read("ilokano")) == []
    assert left_out(read("final_devoicing_forms")) == ["formulas"]


def test_the_site_has_the_page_that_its_first_page_names(tmp_path):
    pytest.importorskip("latex2mathml")
    docs = Path(__file__).parents[2] / "docs"
    conf = runpy.run_path(str(docs / "conf.py"))
    site = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    conf["_write_lab"](site, None)
    (name,) = re.findall(r'<a href="([\w.]+)">the OT lab', (docs / "index.md").read_text(encoding="utf-8"))
    assert (tmp_path / name).read_text(encoding="utf-8") == lab_page(read("ilokano"))


def test_settings_of_the_file_are_those_of_the_page():
    data = tableau_data(read("ilokano"))
    assert (data["noise"], data["bound"], data["total"]) == (1.0, 6.0, 99)
    assert np.array(data["violations"]).tolist() == read("ilokano").violations.tolist()
