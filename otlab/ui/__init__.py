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

Names are fetched when first used: importing the package, or the state of a lab, loads no Panel.
"""

from __future__ import annotations

from otlab.importing import lazy_names

_MODULES = {
    "Badge": "components.badge",
    "Stat": "components.badge",
    "TrustReport": "components.badge",
    "badge": "components.badge",
    "from_chains": "components.badge",
    "Card": "components.cards",
    "Html": "components.cards",
    "dashed": "components.cards",
    "observed": "components.cards",
    "stroke": "components.cards",
    "swatch": "components.cards",
    "Field": "fields",
    "Fold": "fields",
    "Seed": "fields",
    "Lab": "lab",
    "LexiconLab": "lexicon.lab",
    "MGLab": "mg.lab",
    "OTLab": "ot.lab",
    "RunPanel": "run_panel",
    "LearnerRow": "runner",
    "SettingsForm": "settings_form",
    "State": "state",
    "Part": "tab",
    "Tab": "tab",
    "TaggingLab": "tagging.lab",
}

__all__ = list(_MODULES)

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
