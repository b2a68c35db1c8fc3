"""Rankings edited by dragging: ranking values as bells on a line, or constraints in strata.

Beside the line stands each candidate's probability under the dragged values::

    view = RankingValues(tableau, values, noise=1.0, bound=6.0)
    view.values                        # where the bells are, shape (K,)
    view.show(medians)                 # put them somewhere else
    view.on_move(lambda values: ...)   # the user moved one

The curves move in the browser; probabilities come from Python, exact, at each message.

In the editor of strata each constraint is dragged, or moved by the arrow keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from otlab.html import escape
from otlab.ot.probability import predict
from otlab.ui.components import module
from otlab.ui.components.cards import Html
from otlab.ui.components.component import Component
from otlab.ui.components.layout import with_widths
from otlab.viz.base.js import script
from otlab.viz.base.names import name_parts
from otlab.viz.ot.predicted import BARS_CSS, bars_html, bars_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.ot.tableau import Tableau

__all__ = ["RankingLine", "RankingValues", "StrataEditor"]

_BARS_WIDTH = ":host { width: min(340px, 56cqi) !important; }"  # of the card, whose line needs the rest


def _on_phones(rules: str) -> str:
    """Return a style sheet for a part on a phone, where the bars are below the line."""
    return with_widths(f"@container ot-main (width <= PHONE) {{ :host {{ {rules} }} }}")


_WHOLE_WIDTH = _on_phones(
    "width: 100% !important; min-width: 0 !important; height: auto !important; flex: none !important;"
)
_BELOW = _WHOLE_WIDTH + _on_phones("flex-direction: column !important; gap: 6px !important;")
_NO_RULE = _on_phones("display: none !important;")


class RankingLine(Component):
    """A line with a slider for the ranking value of each constraint, as SVG.

    Parameters
    ----------
    names
        Names of the constraints, in any order.
    values
        Their ranking values, in the same order.
    home
        The values to which the Home key returns; empty if it does nothing.
    noise
        Standard deviation of the bells, above 0.
    bound
        Values stay within ``-bound`` and ``bound``.
    """

    names = param.List(default=[])
    values = param.List(default=[], item_type=float)
    home = param.List(default=[], item_type=float)
    noise = param.Number(default=1.0, bounds=(0, None), inclusive_bounds=(False, True))
    bound = param.Number(default=6.0, bounds=(0, None), inclusive_bounds=(False, True))

    _esm = module(script("ranking_line"), ())

    def __init__(self, names: Sequence[str] = (), **params: Any) -> None:
        self._moved: list[Callable[[np.ndarray, bool], None]] = []
        super().__init__(names=_spelled(names), **params)

    def on_move(self, callback: Callable[[np.ndarray, bool], None]) -> None:
        """Register a callback for the values, shape (K,), and whether the drag has ended."""
        self._moved.append(callback)

    def _handle_msg(self, message: Any) -> None:
        """Handle a move sent by the browser; one of other constraints is ignored."""
        values = np.asarray(message["values"], dtype=float)
        if values.shape == (len(self.names),) and np.isfinite(values).all():
            with pn.io.hold():
                self.values = np.clip(values, -self.bound, self.bound).tolist()
                for callback in self._moved:
                    callback(np.array(self.values), bool(message["done"]))
        self._send_msg({"taken": True})


class RankingValues(pn.viewable.Viewer):
    """The line and, beside it, the probability of every candidate.

    Parameters
    ----------
    tableau
        Whose candidates.
    values
        Ranking values to begin with, shape (K,).
    noise, bound
        Of the evaluation.
    """

    def __init__(
        self, tableau: Tableau, values: np.ndarray | None = None, *, noise: float, bound: float
    ) -> None:
        super().__init__()
        self._moved: list[Callable[[np.ndarray], None]] = []
        self._line = RankingLine(
            sizing_mode="stretch_both",
            min_height=130,
            margin=0,
            stylesheets=[_on_phones("flex: none !important; height: 150px !important;")],
        )
        self._line.on_move(self._move)
        self._bars = Html(css=BARS_CSS + _BARS_WIDTH + _WHOLE_WIDTH, width=340, sizing_mode="stretch_height")
        self._spoken = Html(width=1, height=1, css=":host { position: absolute; }")
        self.load(tableau, values, noise=noise, bound=bound)

    def load(self, tableau: Tableau, values: np.ndarray | None = None, *, noise: float, bound: float) -> None:
        """Show another tableau; all values are 0 if none are given."""
        self._tableau = tableau
        start = np.zeros(tableau.n_constraints) if values is None else np.asarray(values, dtype=float)
        names, home = _spelled(tableau.constraints), [] if values is None else start.tolist()
        with pn.io.hold():
            self._line.param.update(names=names, values=start.tolist(), home=home, noise=noise, bound=bound)
            self._update(start)

    @property
    def values(self) -> np.ndarray:
        """The ranking values of the bells, shape (K,)."""
        return np.array(self._line.values)

    def show(self, values: np.ndarray, *, home: bool = True) -> None:
        """Move the bells; if `home` is true, the Home key returns them to this place."""
        there = np.asarray(values, dtype=float)
        self._line.values = there.tolist()
        if home:
            self._line.home = there.tolist()
        self._update(there)

    def on_move(self, callback: Callable[[np.ndarray], None]) -> None:
        """Register a callback for the values, shape (K,), at each move by the user."""
        self._moved.append(callback)

    def _move(self, values: np.ndarray, done: bool) -> None:
        self._update(values, say=done)
        for callback in self._moved:
            callback(values)

    def _update(self, values: np.ndarray, *, say: bool = False) -> None:
        prediction = predict(self._tableau, values, self._line.noise)
        exact = prediction.method == "exact"
        self._bars.show(bars_html(self._tableau, prediction.probability, exact))
        if say:
            sentence = escape(bars_text(self._tableau, prediction.probability))
            self._spoken.show(f'<p class="hidden" aria-live="polite">{sentence}</p>')

    def __panel__(self) -> Any:
        """Return the line, a rule, and the bars."""
        rule = Html(
            '<div style="border-left:1px solid var(--ot-line);height:100%"></div>',
            _NO_RULE,
            width=1,
            sizing_mode="stretch_height",
        )
        row = [self._line, rule, self._bars, self._spoken]
        return pn.Row(
            *row, sizing_mode="stretch_both", margin=0, styles={"gap": "16px"}, stylesheets=[_BELOW]
        )


def _spelled(names: Sequence[str]) -> list[dict[str, str]]:
    """Return the parts of each name for the browser."""
    return [dict(zip(("stem", "below"), name_parts(name), strict=True)) for name in names]


class StrataEditor(Component):
    """Rows of constraints, the highest stratum at the top.

    Parameters
    ----------
    on_move
        Called with the constraint's number, the stratum it goes to, and whether it gets one of its own
        before that stratum.
    """

    names = param.List(default=[], doc="what stands on the line and below it, of each constraint")
    strata = param.List(default=[], doc="numbers of the constraints of each stratum")

    script = "strata"

    def __init__(self, on_move: Callable[[int, int, bool], None], **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._on_move = on_move

    def show(self, names: Sequence[str], strata: Sequence[Sequence[int]]) -> None:
        """Show these strata."""
        parts = [list(name_parts(name)) for name in names]
        self.param.update(names=parts, strata=[list(stratum) for stratum in strata])

    def _handle_msg(self, message: dict[str, Any]) -> None:
        known = 0 <= message["constraint"] < len(self.names)
        if known and 0 <= message["to"] <= len(self.strata):
            self._on_move(int(message["constraint"]), int(message["to"]), bool(message["between"]))
