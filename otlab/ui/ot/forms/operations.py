"""The operations of the Forms tab that generate candidates of an input: which are ticked, and how deep."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import param

from otlab.forms.gen import parse_operations
from otlab.ui.fields import Field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.forms.features import FeatureTable
    from otlab.forms.gen import Gen

__all__ = ["GenSettings"]


class GenSettings(param.Parameterized):
    """Operations that make candidates of an input."""

    insert = param.String("", label="Insert", doc="Segments that are put in anywhere, such as ʔi or ə.")
    change = param.String("", label="Change", doc="Features that change, such as voice or voice/nasal.")
    delete = param.Boolean(True, label="Delete a segment", doc="A segment is left out.")
    swap = param.Boolean(False, label="Swap", doc="Two neighbours change places.")
    syllabify = param.Boolean(
        False, label="Syllabify", doc="Every division into syllables with a vowel each."
    )
    foot = param.Boolean(False, label="Foot", doc="Every footing with one main stress.")
    depth = param.Integer(
        1, bounds=(1, 6), label="Depth", doc="How often each of the first four is applied, at most."
    )

    fields: ClassVar[Mapping[str, Field]] = {"depth": Field(wide=True)}

    def operations(self) -> str:
        """Return the operations as text, as the command line writes them."""
        parts = [name for name in ("delete", "swap", "syllabify", "foot") if getattr(self, name)]
        parts += [f"{name}:{what}" for name in ("insert", "change") if (what := getattr(self, name).strip())]
        return ",".join(parts).replace(", ", "/")

    def gen(self, table: FeatureTable | None = None) -> Gen:
        """Return the operations that are ticked.

        Raises
        ------
        InputError
            If none is, or segments or features are unknown.
        """
        made: Gen = parse_operations(self.operations(), self.depth, table)
        return made
