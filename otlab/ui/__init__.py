"""The labs: pages for a server, widgets for a notebook.

How to build a lab
------------------
``tests/ui/toy.py`` is a whole one in 150 lines: a :class:`State` (what the lab knows), a
:class:`Tab` (what it shows, redrawn by the parameters of the state that it depends on) and a
:class:`Lab` that puts both beside a :class:`RunPanel`.

- Register it in :mod:`otlab.ui.server.registry`; ``apps/toy_lab.py`` serves it. It appears
  as soon as its module (``otlab.ui.toy.lab``) can be found.
- Callbacks of the run panel run on the page's thread inside ``pn.io.hold()``; a
  learner's ``make`` is called when Run is pressed and may raise ``InputError``.
- Update texts only when they change (:meth:`otlab.ui.components.cards.Html.show` does that);
  colours come from :mod:`otlab.viz.base.tokens` by name, in CSS as ``var(--ot-name)``.
- A component of your own in the browser: a :class:`~otlab.ui.components.component.Component` with
  ``script = "my_file"``, beside its module.
- A system's kernels are compiled at server start if it has ``otlab.<system>.warm``
  with ``STEPS``, functions that compile them.

``OTLab`` and the other labs are fetched when first used: importing ``otlab.ui`` costs
Panel, no system.
"""

from __future__ import annotations

import otlab.ui.server.notebook_size  # noqa: F401 - before any component  # isort: skip
from typing import Any

from otlab.importing import import_alone
from otlab.ui.components.badge import Badge, Stat, TrustReport, badge, from_chains
from otlab.ui.components.cards import Card, Html, dashed, observed, stroke, swatch
from otlab.ui.fields import Field, Fold, Seed
from otlab.ui.lab import Lab
from otlab.ui.run_panel import RunPanel
from otlab.ui.runner import LearnerRow
from otlab.ui.settings_form import SettingsForm
from otlab.ui.state import State
from otlab.ui.tab import Part, Tab

__all__ = [
    "Badge",
    "Card",
    "Field",
    "Fold",
    "Html",
    "Lab",
    "LearnerRow",
    "Part",
    "RunPanel",
    "Seed",
    "SettingsForm",
    "Stat",
    "State",
    "Tab",
    "TrustReport",
    "badge",
    "dashed",
    "from_chains",
    "observed",
    "stroke",
    "swatch",
]

_LABS = {
    "OTLab": "otlab.ui.ot.lab",
    "TaggingLab": "otlab.ui.tagging.lab",
    "MGLab": "otlab.ui.mg.lab",
    "LexiconLab": "otlab.ui.lexicon.lab",
}


def __getattr__(name: str) -> Any:
    """Fetch a lab from its own package when it is first asked for."""
    if name in _LABS:
        return getattr(import_alone(_LABS[name]), name)
    raise AttributeError(f"module 'otlab.ui' has no attribute {name!r}")
