"""Serve the toy lab: ``panel serve tests/ui/toy_app.py``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import panel as pn

from tests.ui.gallery import GalleryLab

GalleryLab(fail_at=200 if "fail" in pn.state.session_args else 0).page().servable()
