"""Reading times beside what one or two lexicons predict: a picture, a table, correlations, a file."""

from __future__ import annotations

import csv
import math
from io import StringIO
from itertools import groupby
from typing import TYPE_CHECKING

from otlab.errors import counted
from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.mg.processing.reading_times import PREDICTORS, correlations, differences, gains
from otlab.viz.base.numbers import value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.mg.processing.reading_times import Correlation, Difference, WordPrediction
    from otlab.viz.base.tokens import Hue

    Predictions = Sequence[Sequence[WordPrediction]]

__all__ = ["READING_CSS", "correlations_html", "reading_csv", "reading_html", "reading_svg"]

LABELS = {"surprisal": "Surprisal", "entropy_reduction": "Entropy reduction", "tenure": "Tenure"}
_DIGITS = {"ms": 0, "surprisal": 2, "entropy_reduction": 2, "tenure": 0}
HUES: tuple[Hue, Hue] = ("gibbs", "em")
"""Colours of the first and the second lexicon."""
_MOST_SENTENCES = 60
_LEFT, _LETTER, _LEAST, _BAR, _GAP = 118, 7.6, 58, 15, 3  # px
_HIGH, _BETWEEN = 26, 7  # px: a row of bars, and between two rows

READING_CSS = """
table { width: 100%; border-collapse: collapse; }
th { position: sticky; top: 0; z-index: 1; background: var(--ot-surface); text-align: left; font-size: 11.5px;
  font-weight: 500; color: var(--ot-ink3); padding: 2px 10px 5px 0; vertical-align: bottom; }
td { height: 26px; padding: 0 10px 0 0; border-bottom: 1px solid var(--ot-line); }
th.num, .num { text-align: right; white-space: nowrap; }
.forms { font-family: var(--ot-forms); font-size: 14.5px; }
.first td { border-top: 1.5px solid var(--ot-line2); }
.best { font-weight: 650; color: var(--ot-good); }
.r0 { color: var(--ot-gibbs-text); } .r1 { color: var(--ot-em-text); }
.strip { display: block; max-width: none; margin: 0 0 10px; }
.strip text { font: 11px Inter, 'Noto Sans', system-ui, sans-serif; fill: var(--ot-ink3); }
.strip .w { font: 14.5px var(--ot-forms); fill: var(--ot-ink); }
"""


def correlations_html(found: Predictions, names: Sequence[str]) -> Markup:
    """Return the correlation of each predictor with the times, and which of two lexicons predicts better.

    Parameters
    ----------
    found
        The words with their predictions, by each lexicon.
    names
        What the lexicons are called.
    """
    if len(found) == 1:
        own = correlations(found[0])
        rows = [
            tr([td(LABELS[n]), td(_interval(c), "num"), td(f"{c.words:,}", "num")]) for n, c in own.items()
        ]
        heads = ["Predictor", th("Correlation with the times, 95 % interval", "num"), th("Words", "num")]
        return table(heads, rows, label="Correlations")
    rows = [
        tr(
            [
                td(LABELS[name]),
                *(td(_interval(c), f"num r{k}") for k, c in enumerate((d.first, d.second))),
                td(_interval(d), "num"),
                td(f"{d.first.words:,}", "num"),
                td(_better(d, names), "best" if d.better != "undecided" else "remark"),
            ]
        )
        for name, d in differences(*found).items()
    ]
    heads = [th(name, f"num r{k}") for k, name in enumerate(names)]
    more = [th(text, "num") for text in ("Difference, 95 % interval", "Words")]
    return table(["Predictor", *heads, *more, "Better"], rows, label="Correlations")


def _better(difference: Difference, names: Sequence[str]) -> str:
    if math.isnan(difference.low):
        return "unknown"
    if difference.low == difference.high == 0:
        return "the same"
    return {"first": names[0], "second": names[1]}.get(difference.better, "undecided")


def _interval(found: Correlation | Difference) -> str:
    if math.isnan(found.r):
        return "–"
    if math.isnan(found.low):
        return value_text(found.r, 2)
    return f"{value_text(found.r, 2)} ({value_text(found.low, 2)} to {value_text(found.high, 2)})"


def reading_html(found: Predictions, names: Sequence[str], by: str = "surprisal") -> Markup:
    """Return a row for each word: its time and its predictions.

    Parameters
    ----------
    found
        The words with their predictions, by each lexicon.
    names
        What the lexicons are called.
    by
        The predictor by which two lexicons are compared, word by word.
    """
    where = gains(found[0], found[1], by) if len(found) > 1 else None
    heads = [th(label, f"num r{k}") for label in LABELS.values() for k in range(len(found))]
    nearer = [] if where is None else [th("Nearer to the time")]
    rows = []
    for n, words in enumerate(zip(*found, strict=True)):
        word = words[0]
        cells = [td(word.sentence if word.position == 1 else ""), td(word.word, "forms"), _cell(word, "ms")]
        cells += [_cell(one, name, f"r{k}") for name in PREDICTORS for k, one in enumerate(words)]
        if where is not None:
            cells.append(td(_nearer(float(where[n]), names)))
        rows.append(tr(cells, "first" if word.position == 1 and n else ""))
    return table(["Sentence", "Word", th("ms", "num"), *heads, *nearer], rows, label="Words")


def _nearer(gain: float, names: Sequence[str]) -> Markup | str:
    """Return which of two lexicons is nearer to a word's time, and by how much."""
    if math.isnan(gain) or abs(gain) < 0.5:
        return ""
    side = int(gain < 0)
    return element("span", f"{names[side]}, by {abs(gain):.0f} ms", class_=f"r{side}")


def _cell(word: WordPrediction, name: str, kind: str = "") -> Markup:
    value = getattr(word, name)
    return td("–" if math.isnan(value) else f"{value:.{_DIGITS[name]}f}", f"num {kind}".strip())


def reading_svg(found: Predictions, names: Sequence[str]) -> Markup:
    """Return a strip for each sentence: bars of times and predictors above its words, on common scales.

    Parameters
    ----------
    found
        The words with their predictions, by each lexicon.
    names
        What the lexicons are called.
    """
    series = [("ms", [found[0]], ("ink3",)), *((name, found, HUES) for name in PREDICTORS)]
    known = {
        name: [v for words in lexicons for w in words if math.isfinite(v := getattr(w, name))]
        for name, lexicons, _ in series
    }
    most = {name: max(values, default=0) or 1.0 for name, values in known.items()}
    least = {"ms": 0.8 * min(known["ms"], default=0.0)}  # times are far from 0
    keys = [w.sentence for w in found[0]]
    parts = []
    for _, group in groupby(range(len(keys)), lambda n: keys[n]):
        parts.append(_strip([*group], series, least, most))
    left = len(parts) - _MOST_SENTENCES
    more = (
        element(
            "p",
            f"{counted(left, 'more sentence')} {'is' if left == 1 else 'are'} in the table.",
            class_="remark",
        )
        if left > 0
        else ""
    )
    return joined(parts[:_MOST_SENTENCES]) + more


def _strip(
    numbers: Sequence[int],
    series: Sequence[tuple[str, Sequence[Sequence[WordPrediction]], Sequence[str]]],
    least: dict[str, float],
    most: dict[str, float],
) -> Markup:
    """Return the picture of one sentence."""
    words = [series[0][1][0][n] for n in numbers]
    widths = [max(_LEAST, _LETTER * len(w.word) + 14) for w in words]
    starts = [_LEFT + sum(widths[:k]) for k in range(len(words))]
    height, parts = len(series) * (_HIGH + _BETWEEN) + 24, []
    for row, (name, lexicons, tokens) in enumerate(series):
        ground = (row + 1) * (_HIGH + _BETWEEN)
        label = "Time, ms" if name == "ms" else LABELS[name]
        parts.append(_text(_LEFT - 10, ground - 8, label, "end"))
        parts.append(f'<path d="M{_LEFT} {ground}H{_LEFT + sum(widths):.0f}" stroke="var(--ot-line2)"/>')
        low = least.get(name, 0.0)
        for k, n in enumerate(numbers):
            for side, words_of in enumerate(lexicons):
                value, left = getattr(words_of[n], name), starts[k] + side * (_BAR + 1)
                if math.isfinite(value):
                    high = _HIGH * max(0.0, value - low) / (most[name] - low or 1.0)
                    parts.append(
                        f'<path d="M{left:.0f} {ground}v{-high:.1f}h{_BAR}v{high:.1f}z" '
                        f'fill="var(--ot-{escape(tokens[side])})"/>'
                    )
            only = getattr(lexicons[0][n], name)
            if len(lexicons) == 1 and math.isfinite(only):
                shown = f"{only:.{_DIGITS[name]}f}"
                parts.append(_text(starts[k] + _BAR + _GAP, ground - 8, shown))
    parts += [_text(at, height - 6, w.word, kind="w") for at, w in zip(starts, words, strict=True)]
    parts.append(_text(_LEFT - 10, height - 6, words[0].sentence, "end"))
    width = _LEFT + sum(widths)
    told = f"Sentence {words[0].sentence}: {' '.join(w.word for w in words)}"
    return Markup(
        f'<svg class="strip" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" role="img" aria-label="{escape(told)}">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    of = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{of}>{escape(text)}</text>'


def reading_csv(found: Predictions, names: Sequence[str]) -> str:
    r"""Return the table for a spreadsheet; unknown values are empty.

    Parameters
    ----------
    found
        The words with their predictions, by each lexicon.
    names
        What the lexicons are called; the second lexicon's columns begin with its name.

    Examples
    --------
    >>> from otlab.mg.processing.reading_times import WordPrediction
    >>> reading_csv([[WordPrediction("1", 1, "what", 400.0, 0.0, 1.25, float("nan"))]], ["this"])
    'sentence,position,word,ms,surprisal,entropy_reduction,tenure\n1,1,what,400,0,1.25,\n'
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    own = ["sentence", "position", "word", "ms", *PREDICTORS]
    more = [f"{name} {predictor}" for name in names[1 : len(found)] for predictor in PREDICTORS]
    where = gains(found[0], found[1]) if len(found) > 1 else None
    writer.writerow([*own, *more, *([] if where is None else ["surprisal gain ms"])])
    for n, words in enumerate(zip(*found, strict=True)):
        numbers = [getattr(one, name) for one in words for name in PREDICTORS]
        ends = [] if where is None else [float(where[n])]
        row = (words[0].ms, *numbers, *ends)
        writer.writerow([*words[0][:3], *("" if math.isnan(v) else f"{v:.8g}" for v in row)])
    return text.getvalue()
