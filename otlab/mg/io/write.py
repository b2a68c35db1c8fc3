"""Write lexicons: ``.mg`` and CSV; reading back gives the same lexicon."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from otlab.errors import InputError
from otlab.mg.features import Convention, format_features
from otlab.mg.io.rows import check_alpha
from otlab.mg.io.spell_out import read_spell_out
from otlab.mg.lexicon import ExpectedSentence, Lexicon
from otlab.mg.sentences import sentence_text
from otlab.mg.spellout import SpellOut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.mg.lexicon import LexicalItem

__all__ = ["dumps", "from_head_values", "head_values", "to_csv", "write"]


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
    head += [f"@spell-out {line}" for line in lexicon.spell_out.lines]
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
    out.writelines(f"# spell-out: {line}\n" for line in lexicon.spell_out.lines)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["phon", "features", "alpha"])
    for item, alpha in zip(lexicon.items, lexicon.alphas(), strict=True):
        features = format_features(item.features, lexicon.convention)
        writer.writerow([_no_formula(item.phon), _no_formula(features), repr(float(alpha))])
    return out.getvalue()


def _no_formula(cell: str) -> str:
    return f" {cell}" if cell.startswith(("=", "+", "-", "@")) else cell


_KEPT = ("start", "convention", "convention_given", "alpha", "category_alpha")
_TEXTS = ("name", "title", "source", "description")


def head_values(lexicon: Lexicon) -> dict[str, Any]:
    """Return all of a lexicon but its items, as values that JSON can hold."""
    sentences = [[s.derivations, list(s.words)] for s in lexicon.sentences]
    spelled = {"spell_out": str(lexicon.spell_out)} if lexicon.spell_out else {}
    return {**{name: getattr(lexicon, name) for name in (*_KEPT, *_TEXTS)}, "sentences": sentences, **spelled}


def from_head_values(head: Mapping[str, Any]) -> Lexicon:
    """Return the lexicon without items of what :func:`head_values` returned.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it was changed on its way.
    """
    if head.get("convention", "seed") not in get_args(Convention):
        raise ValueError(f"there is no convention {head['convention']!r}")
    sentences = tuple(
        ExpectedSentence(n if isinstance(n, int) else float(n), tuple(map(str, words)))
        for n, words in head["sentences"]
    )
    table = str(head.get("spell_out", ""))
    texts: dict[str, Any] = {name: str(head.get(name, "")) for name in _TEXTS}
    by_category = dict(head.get("category_alpha", {}))
    return Lexicon(
        items=(),
        start=tuple(map(str, head["start"])),
        convention=head.get("convention", "seed"),
        sentences=sentences,
        alpha=_alpha(head.get("alpha", 1.0)),
        category_alpha={str(name): _alpha(value) for name, value in by_category.items()},
        spell_out=read_spell_out(table) if table else SpellOut(),
        convention_given=bool(head.get("convention_given", False)),
        **texts,
    )


def _alpha(value: Any) -> float:
    alpha = check_alpha(str(value))
    if not isinstance(alpha, float):
        raise ValueError(alpha)
    return alpha
