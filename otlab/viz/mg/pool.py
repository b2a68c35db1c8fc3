"""Table of candidate items after learning: expected uses, probabilities, and which items are kept."""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING

from otlab.html import Markup, element, table, td, th, tr
from otlab.viz.base.numbers import count_text, probability_text, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["POOL_CSS", "TABLE_TO_COME", "Candidate", "pool_html", "restarts_html"]

TABLE_TO_COME = (
    '<svg width="132" height="84" fill="none" stroke="var(--ot-ctl)" stroke-width="1.5" '
    'stroke-dasharray="4 4" aria-hidden="true">'
    + "".join(
        f'<path d="M2 {y}h34"/><rect x="48" y="{y - 5}" width="{w}" height="10" rx="3"/>'
        for y, w in ((10, 80), (30, 62), (50, 46), (70, 12))
    )
    + "</svg>"
)

POOL_CSS = """
table { width: 100%; border-collapse: collapse; }
th { position: sticky; top: 0; z-index: 1; background: var(--ot-surface); text-align: left; font-size: 11.5px;
  font-weight: 500; color: var(--ot-ink3); padding: 2px 6px 5px 0; }
td { height: 26px; padding: 0 6px 0 0; border-bottom: 1px solid var(--ot-line); }
th.num, .num { text-align: right; white-space: nowrap; }
:is(th, td):last-child { padding-right: 4px; }
.phon { font-family: var(--ot-forms); font-size: 14.5px; font-weight: 500; }
.phon, .features { white-space: nowrap; }
.features { color: var(--ot-ink2); }
.uses { width: 44%; min-width: 24px; }
.track { position: relative; height: 8px; border-radius: 3px; background: var(--ot-shade); }
.track i { position: absolute; inset: 0 auto 0 0; border-radius: 3px; background: var(--ot-vb);
  box-shadow: inset 0 0 0 .8px var(--ot-vb-edge); }
.track b { position: absolute; top: -4px; bottom: -4px; width: 0; border-left: 1.5px solid var(--ot-ink); }
.gone td { color: var(--ot-ink3); }
.gone .phon { font-weight: 400; }
.gone .track i { background: var(--ot-line2); box-shadow: none; }
.cut td { border-bottom: 1.5px dashed var(--ot-ink); height: 20px; font-size: 11.5px; color: var(--ot-ink2); }
.mark { display: inline-block; min-width: 56px; white-space: nowrap; padding: 1px 6px; border-radius: 999px;
  font-size: 11.5px; font-weight: 600; text-align: center; color: var(--ot-good);
  background: var(--ot-good-bg); }
.gone .mark { background: var(--ot-shade); color: var(--ot-ink2); }
.starts { display: flex; flex-direction: column; gap: 3px; }
.starts div { display: grid; grid-template-columns: 62px 1fr 76px; gap: 8px; align-items: center;
  font-size: 12px; }
.starts .track i { background: var(--ot-line2); box-shadow: none; }
.starts .best { font-weight: 650; }
.starts .best .track i { background: var(--ot-vb); box-shadow: inset 0 0 0 .8px var(--ot-vb-edge); }
"""
_MOST_ROWS = 300


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entry of the pool.

    Attributes
    ----------
    phon, features
        Phonetic form and features, as text.
    uses
        Expected uses in the corpus.
    probability
        Posterior mean of the probability in its category.
    known
        Whether the lexicon has it.
    """

    phon: str
    features: str
    uses: float
    probability: float
    known: bool


def pool_html(candidates: Sequence[Candidate], threshold: float) -> Markup:
    """Return the table, sorted by expected uses, with a dashed line at the threshold.

    Parameters
    ----------
    candidates
        Candidates, in any order.
    threshold
        Fewest expected uses of an item that is kept.
    """
    rows = sorted(candidates, key=lambda c: -c.uses)
    kept = sum(c.uses >= threshold for c in rows)
    most = log1p(max(rows[0].uses, threshold, 1.0)) if rows else 1.0
    mark = log1p(threshold) / most
    body = [_row(c, most, mark, survives=i < kept) for i, c in enumerate(rows[:_MOST_ROWS])]
    if kept < len(body):
        words = f"below {value_text(threshold)} expected uses"
        body.insert(kept, tr([td(words, colspan=6)], "cut"))
    left = len(rows) - _MOST_ROWS
    more = element("p", f"{left:,} more.", class_="remark") if left > 0 else ""
    heads = ["Item", "Features", "Expected uses", th("Uses", "num"), th("Probability", "num"), ""]
    return table(heads, body, label="Candidate items") + more


def _row(candidate: Candidate, most: float, mark: float, *, survives: bool) -> Markup:
    word = "survives" if survives else "pruned"
    known = "" if candidate.known == survives else (" · lost" if candidate.known else " · new")
    bar = element("i", style=f"width:{100 * log1p(candidate.uses) / most:.1f}%")
    line = element("b", style=f"left:{100 * mark:.1f}%")
    cells = [
        td(candidate.phon, "phon"),
        td(candidate.features, "features"),
        td(element("div", bar + line, class_="track"), "uses"),
        td(_uses(candidate.uses), "num"),
        td(probability_text(candidate.probability), "num"),
        td(element("span", word + known, class_="mark")),
    ]
    return tr(cells, "" if survives else "gone")


def _uses(value: float) -> str:
    return count_text(value) if value >= 99.5 else value_text(value, 2 if value < 9.95 else 1)


def restarts_html(objectives: Sequence[float], seeds: Sequence[int] = ()) -> str:
    """Return the ELBO of every restart, with the best one first and marked.

    Parameters
    ----------
    objectives
        ELBO of each restart.
    seeds
        The seed that reproduces each restart, for the tooltip of its row.
    """
    if not objectives:
        return ""
    order = sorted(range(len(objectives)), key=lambda i: -objectives[i])
    best, worst = objectives[order[0]], objectives[order[-1]]
    span = max(best - worst, 1e-9)
    rows = [
        f'<div class="{"best" if i == order[0] else ""}"{_seed_title(seeds, i)}><span>Restart {i + 1}</span>'
        f'<span class="track"><i style="width:{100 - 88 * (best - objectives[i]) / span:.1f}%"></i></span>'
        f'<span class="num">{value_text(objectives[i], 1)}</span></div>'
        for i in order
    ]
    return f'<div class="starts">{"".join(rows)}</div>'


def _seed_title(seeds: Sequence[int], number: int) -> str:
    return f' title="Seed {seeds[number]} repeats it alone"' if number < len(seeds) else ""
