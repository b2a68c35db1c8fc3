"""The convergence badge: a verdict, two figures, and advice if the result cannot be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from otlab.html import escape
from otlab.inference.diagnostics import ESS_NEEDED, RHAT_NEEDED
from otlab.ui.components.icons import icon
from otlab.viz.base.numbers import duration_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference.diagnostics import Trust

__all__ = ["Badge", "Kind", "Remedy", "Stat", "TrustReport", "badge", "from_chains"]

Kind = Literal["good", "warn", "bad", "plain"]
_ICONS: dict[Kind, str] = {"good": "check", "warn": "warn", "bad": "warn", "plain": "dot"}


@dataclass(frozen=True)
class Badge:
    """A verdict with an icon besides its colour: ``Badge("Converged", "good")``."""

    text: str
    kind: Kind = "plain"

    def html(self) -> str:
        """Return the pill as HTML."""
        mark = icon(_ICONS[self.kind])
        return f'<span class="badge {self.kind}" role="status">{mark}{escape(self.text)}</span>'


@dataclass(frozen=True)
class Stat:
    """One figure of the run panel.

    Attributes
    ----------
    label, value
        What stands above, and the figure; a dash where it is not known.
    note
        Small words after the figure: "bits", "± 4.1".
    term
        Key of the glossary entry that explains the label.
    """

    label: str
    value: str
    note: str = ""
    term: str = ""


@dataclass(frozen=True)
class Remedy:
    """A button that may help: its label and its callback."""

    words: str
    do: Callable[[], None]


@dataclass(frozen=True)
class TrustReport:
    """The answer to "Can I trust it?": a badge, figures, and a banner when it is no.

    Attributes
    ----------
    advice
        Why the figures cannot be read yet, and what to do; shown as a warning.
    heading
        Whose figures they are: "VB, mean of 3 runs".
    meaning
        What the badge means, in a sentence or two below the figures.
    remedies
        Buttons below the advice.
    """

    badge: Badge
    stats: tuple[Stat, ...] = ()
    advice: str = ""
    heading: str = ""
    meaning: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    remedies: tuple[Remedy, ...] = ()


_BADGES: dict[str, Badge] = {
    "Converged": Badge("Converged", "good"),
    "Keep running": Badge("Keep running", "warn"),
    "Not converged": Badge("Not converged", "bad"),
    "Two modes": Badge("Two modes", "warn"),
    "Too early to say": Badge("Too early to say", "plain"),
    "ELBO never fell": Badge("ELBO never fell"),  # plain: of the result it says nothing
}


def badge(text: str) -> Badge:
    """Return one of the usual badges by its text.

    Raises
    ------
    KeyError
        For any other text; make a :class:`Badge` for it.
    """
    return _BADGES[text]


def from_chains(
    trust: Trust | None,
    *,
    two_modes: bool = False,
    draws_per_second: float | None = None,
    why: str = "",
    remedies: tuple[Remedy, ...] = (),
) -> TrustReport:
    """Return the report on a sampler's draws.

    Parameters
    ----------
    trust
        From :func:`otlab.inference.diagnostics.assess`; None before there are draws.
    two_modes
        Whether the posterior is bimodal: no single value stands for it then. Said only of chains
        that have converged or may soon: modes of chains that never met are no modes.
    draws_per_second
        Effective draws gained a second, for "takes about 40 s more".
    why, remedies
        Why the chains do not converge, and what may help; shown where they do not.
    """
    if trust is None:
        return TrustReport(badge("Too early to say"), _stats(math.nan, math.nan))
    rhat, ess = trust.largest_rhat, trust.smallest_ess
    if trust.verdict == "Not converged":
        advice = f"{_advice(rhat, ess, draws_per_second)} {why}".strip()
        return TrustReport(badge("Not converged"), _stats(rhat, ess), advice, remedies=remedies)
    verdict = "Two modes" if two_modes and trust.verdict != "Too early to say" else trust.verdict
    return TrustReport(badge(verdict), _stats(rhat, ess))


def _stats(rhat: float, ess: float) -> tuple[Stat, ...]:
    return (
        Stat("Largest R-hat", f"{rhat:.3f}" if math.isfinite(rhat) else "–", term="rhat"),
        Stat("Smallest ESS", f"{ess:,.0f}" if math.isfinite(ess) else "–", term="ess"),
    )


def _advice(rhat: float, ess: float, draws_per_second: float | None) -> str:
    sentence = (
        f"Smallest ESS is {ess:,.0f} (needs {ESS_NEEDED}), largest R-hat {rhat:.2f} (needs {RHAT_NEEDED})."
    )
    if draws_per_second and ess < ESS_NEEDED:
        wait = duration_text(max(1.0, (ESS_NEEDED - ess) / draws_per_second))
        sentence += f" At this speed ESS {ESS_NEEDED} takes about {wait} more."
    return sentence
