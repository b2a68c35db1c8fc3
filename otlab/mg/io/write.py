"""Write lexicons: ``.mg`` and CSV; reading back gives the same lexicon."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from otlab.errors import InputError
from otlab.mg.features import format_features
from otlab.mg.sentences import sentence_text

if TYPE_CHECKING:
    from otlab.mg.lexicon import ExpectedSentence, LexicalItem, Lexicon

__all__ = ["dumps", "to_csv", "write"]


def write(lexicon: Lexicon, path: str | Path) -> None:
    """Write to ``.mg``, or ``.csv`` (without sentences).

    Raises
    ------
    InputError
        For another ending.
    """
    path = Path(path)
    writers = {".mg": dumps, ".csv": to_csv}
    if path.suffix not in writers:
        raise InputError(f"cannot write {path.name}; choose .mg or .csv")
    path.write_text(writers[path.suffix](lexicon), encoding="utf-8")


def dumps(lexicon: Lexicon) -> str:
    """Return the lexicon in ``.mg`` format.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> print(dumps(load_sample("figure1_wh")).splitlines()[-1])
    @sentence 0 | did you see
    """
    header = (("title", lexicon.title), ("source", lexicon.source), ("what", lexicon.description))
    head = [f"# {key}: {value}" for key, value in header if value]
    head += [f"@convention {lexicon.convention}", f"@start {' '.join(lexicon.start)}"]
    if lexicon.alpha != 1.0:
        head.append(f"@alpha {lexicon.alpha!r}")
    head += [f"@alpha {category} {alpha!r}" for category, alpha in lexicon.category_alpha.items()]
    entries = [_entry(i, text) for i, text in zip(lexicon.items, lexicon.texts, strict=True)]
    sentences = [_sentence(s) for s in lexicon.sentences]
    return "\n".join([*head, "", *entries, *([""] if sentences else []), *sentences, ""])


def _entry(item: LexicalItem, text: str) -> str:
    return text if item.alpha is None else f"{text} | {item.alpha!r}"


def _sentence(sentence: ExpectedSentence) -> str:
    return f"@sentence {sentence.derivations} | {sentence_text(sentence.words)}"


def to_csv(lexicon: Lexicon) -> str:
    """Return columns phon, features, alpha; the pseudo-count of each item is spelled out.

    Cells that a spreadsheet would take for a formula (``=d v``, ``-s``) begin with a blank, which
    reading leaves out.
    """
    out = io.StringIO()
    out.write(f"# start: {' '.join(lexicon.start)}\n# convention: {lexicon.convention}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["phon", "features", "alpha"])
    for item, alpha in zip(lexicon.items, lexicon.alphas(), strict=True):
        features = format_features(item.features, lexicon.convention)
        writer.writerow([_no_formula(item.phon), _no_formula(features), repr(float(alpha))])
    return out.getvalue()


def _no_formula(cell: str) -> str:
    return f" {cell}" if cell.startswith(("=", "+", "-", "@")) else cell
