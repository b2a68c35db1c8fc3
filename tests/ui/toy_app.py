"""Serve the toy lab: ``panel serve tests/ui/toy_app.py``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import panel as pn  # noqa: E402 - after the path, as below

from tests.ui.toy import ToyLab  # noqa: E402 - the tests are not an installed package

ToyLab(fail_at=200 if "fail" in pn.state.session_args else 0).page().servable()
