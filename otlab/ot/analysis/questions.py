r"""Which word to ask next: what hearing a word would tell about the grammar.

With draws of the grammar from its posterior, the expected information of an input is the mutual information
of its overt form and the grammar,

.. math:: I = H\big(\mathrm{E}\,p\big) - \mathrm{E}\,H(p) ,

the entropy of the mean prediction less the mean entropy of the predictions, in bits. A word that all grammars
pronounce alike tells nothing, and neither does one that every grammar pronounces at random.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from otlab.errors import Fault, InputError, did_you_mean, quoted
from otlab.ot.overt import overt_forms_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["questions", "with_heard"]


def questions(tableau: Tableau, probabilities: NDArray[np.float64]) -> pd.DataFrame:
    r"""Return the inputs without data and the bits that hearing each would tell, the best first.

    Parameters
    ----------
    tableau
        Inputs whose candidates all have a count of 0 have not been heard.
    probabilities : float64 (draws, rows)
        Of each candidate within its input, under each draw of the grammar.

    Examples
    --------
    >>> from otlab.ot import read_text
    >>> tableau = read_text("Input,Output,Count,C\nx,a,0,1\nx,b,0,0\ny,c,0,0\ny,d,0,1\n")
    >>> probabilities = np.array([[1.0, 0.0, 0.5, 0.5], [0.0, 1.0, 0.5, 0.5]])
    >>> questions(tableau, probabilities)
      input  information
    0     x          1.0
    1     y          0.0
    """
    forms = overt_forms_of(tableau)
    overt = forms.sums(probabilities)
    heard = np.bincount(forms.input_of, forms.sums(np.asarray(tableau.frequencies))) > 0
    found = []
    for k, name in enumerate(tableau.inputs):
        if not heard[k]:
            own = overt[:, forms.input_of == k]
            bits = _entropy(own.mean(axis=0)) - float(np.mean([_entropy(p) for p in own]))
            found.append((name, max(bits, 0.0)))
    frame = pd.DataFrame(found, columns=["input", "information"])
    return frame.sort_values("information", ascending=False, kind="stable", ignore_index=True)


def _entropy(p: NDArray[np.float64]) -> float:
    """Return the entropy of a distribution in bits."""
    positive = p[p > 0]
    return float(-(positive * np.log2(positive)).sum())


def with_heard(tableau: Tableau, heard: Mapping[str, str]) -> Tableau:
    """Return the tableau in which only these overt forms have been heard, once each.

    Parameters
    ----------
    tableau
        The tableau.
    heard
        Input -> overt form.

    Raises
    ------
    InputError
        With every input or overt form that the tableau does not have.
    """
    forms = overt_forms_of(tableau)
    frequencies, faults = np.zeros(tableau.n_rows), []
    for name, overt in heard.items():
        if name not in tableau.inputs:
            faults.append(Fault(f"no input is called {quoted(name)}", did_you_mean(name, tableau.inputs)))
            continue
        k = tableau.inputs.index(name)
        own = [n for n in np.flatnonzero(forms.input_of == k) if forms.names[n] == overt]
        if not own:
            known = [forms.names[n] for n in np.flatnonzero(forms.input_of == k)]
            what = f"{quoted(name)} has no overt form {quoted(overt)}"
            faults.append(Fault(what, did_you_mean(overt, known)))
            continue
        frequencies[int(np.flatnonzero(forms.of_row == own[0])[0])] = 1.0
    if faults:
        raise InputError(faults)
    return replace(tableau, frequencies=frequencies, total=None, groups=None)
