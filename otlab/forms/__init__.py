"""Forms: violations that count themselves, candidates that generate themselves, overt forms.

::

    feature table, formula, input, candidate  --count-->  violations, with the places that were counted

Names are fetched when first used, so importing the package loads no Numba.
"""

from __future__ import annotations

from otlab.importing import lazy_names

_MODULES = {
    "FeatureTable": "features",
    "Formula": "formula",
    "Forms": "counting",
    "count": "counting",
    "hayes": "features",
    "parse_formula": "formula",
    "read_features": "features",
    "read_footed": "feet",
    "read_tiers": "tiers",
    "recognised": "names",
    "segments": "notation",
}

__all__ = sorted(_MODULES)

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
