"""The colours of a lab, and what is drawn in them: all follows when the page becomes dark or light."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Protocol

from otlab.viz.base.live import Live
from otlab.viz.base.tokens import DARK, LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Palette"]


class Colored(Protocol):
    """What has colours of its own."""

    def recolor(self, tokens: Tokens) -> None:
        """Draw in these colours."""


class Palette:
    """The present colours.

    Attributes
    ----------
    tokens
        The colours by name.
    """

    def __init__(self) -> None:
        self.tokens: Tokens = LIGHT
        self._colored: weakref.WeakSet[Colored] = weakref.WeakSet()

    def live(self, element: Any, colors: Mapping[str, Mapping[str, str]]) -> Live:
        """Return a new plot in these colours; arguments as of :class:`~otlab.viz.base.live.Live`."""
        live = Live(element, colors, self.tokens)
        self.follow(live)
        return live

    def follow(self, colored: Colored) -> None:
        """Draw something in other colours too when they change, as long as it lives."""
        self._colored.add(colored)

    def darken(self, dark: bool) -> None:
        """Draw everything in the colours of dark or light mode."""
        self.tokens = DARK if dark else LIGHT
        for colored in list(self._colored):
            colored.recolor(self.tokens)
