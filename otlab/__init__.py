"""Probabilistic grammars, learnt live.

Four systems share one way of working: data in, a learner run for some sweeps,
ticks to watch while it runs, a result with its uncertainty.

========================  ==================================================
``otlab.ot``              Stochastic OT: Gibbs, GLA, MaxEnt (Lin 2005)
``otlab.tagging``         HMM taggers: EM, VB, Gibbs (Johnson 2007)
``otlab.mg``              minimalist grammars: chart, VB (Portelance et al. 2022)
``otlab.discovery``       lexicon discovery (Stengel-Eskin 2017)
========================  ==================================================

Importing ``otlab`` loads neither Numba nor Panel; names below are fetched when
first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "Tableau": "otlab.ot",
    "fit_gibbs": "otlab.ot",
    "fit_gla": "otlab.ot",
    "fit_maxent": "otlab.ot",
    "load_sample": "otlab.samples",
    "open_document": "otlab.ui.opened_document",
    "OTLab": "otlab.ui",
    "TaggingLab": "otlab.ui",
    "MGLab": "otlab.ui",
    "LexiconLab": "otlab.ui",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    """Fetch a public name from the package that defines it."""
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    if name in {"ot", "tagging", "mg", "discovery", "ui", "samples", "inference"}:
        return import_module(f"otlab.{name}")
    raise AttributeError(f"module 'otlab' has no attribute {name!r}")


def _register_in_notebook() -> None:
    """Tell a running notebook how otlab's trees are shown."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        import_module("otlab.viz.notebook").register(shell)


_register_in_notebook()


def __dir__() -> list[str]:
    return sorted([*__all__, "ot", "tagging", "mg", "discovery", "ui", "samples"])
