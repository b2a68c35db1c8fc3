"""Read lexicons: ``.mg``, Stabler's Prolog, mgtdb's Python lists, CSV and TSV.

The ``.mg`` format, one entry or directive a line::

    what :: d -wh                 words :: features
    ε :: =i +wh c | 0.5           silent; with a pseudo-count of its own
    @start c                      start categories
    @convention seed              or stabler2011, nondirectional
    @alpha 0.1                    for all items;  @alpha d 0.1  for one category
    @sentence 1 | what did you see
    @spell-out see -s -> sees     how words are pronounced together
    # a comment
    % a comment as in Prolog

All faults of a file are reported at once and nothing is half-loaded.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import DataWarning, Fault, InputError, condensed, did_you_mean, quoted
from otlab.files import check_no_nul, file_text
from otlab.foreign_formats import foreign_format
from otlab.mg.features import CONVENTIONS
from otlab.mg.io import other_formats as formats
from otlab.mg.io.rows import Draft, Row, categories, check_alpha, check_rows
from otlab.mg.io.spell_out import spell_out_of
from otlab.mg.lexicon import ExpectedSentence, Lexicon
from otlab.mg.sentences import composed, is_count, split_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from otlab.mg.features import Convention
    from otlab.mg.lexicon import LexicalItem

__all__ = ["StartNeeded", "loads", "read"]

_COMMENT = re.compile(r"\s*(?:%|//)(?!\s*::)")  # of Prolog, of Java; "% :: n" is the sign as an item
FEWEST_IN_LIST = 2  # items with a bullet or a number
_BULLET = re.compile(r"\s*(?P<mark>[•·▪◦‣*–—-]|\d+[.)])\s+")
_AFTER = re.compile(r"(?<=\S)\s+(?:%|//).*")  # behind features
_DIRECTIVES = ("@start", "@convention", "@alpha", "@sentence", "@spell-out")
_PROGRESS_LINES = 500
_USUAL_STARTS = ("c", "cp", "s", "t", "tp", "i", "ip")
_ITEM_FORM = "write one a line, such as: john :: d"
_ITEM_FORMS = {
    ".pl": "write them as: [john]::[d].",
    ".py": "write a list of them, such as: [(['john'],[('cat','d')])]",
    ".csv": "write one a line, such as: john,d",
    ".tsv": "write one a line: the word, a tab, the features",
}
_START_FORMS = {
    ".pl": "a clause such as: startCategory({}).",
    ".py": "a line such as: start = '{}'",
    ".csv": "a line such as: # start: {}",
    ".tsv": "a line such as: # start: {}",
}


class StartNeeded(InputError):
    """A lexicon that is in order except that it names no start category.

    Attributes
    ----------
    categories : tuple of str
        The categories to choose from, the likeliest first: one that no item selects, then
        names such as C or S.
    """

    def __init__(self, faults: Fault | str | Iterable[Fault], categories: tuple[str, ...] = ()) -> None:
        super().__init__(faults)
        self.categories = categories

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.faults, self.categories))


def read(
    path: str | Path,
    *,
    start: str = "",
    convention: Convention | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Lexicon:
    """Return the lexicon of a file; its ending decides the format.

    Parameters
    ----------
    path
        ``.mg`` or any other text, ``.pl`` (Stabler's Prolog), ``.py`` (mgtdb), ``.csv``, ``.tsv``.
    start
        Start categories, separated by blanks, in place of the file's own; mgtdb's Python files name none.
    convention
        For files that name none.
    progress
        Called with lines read and lines in all, every 500 lines.

    Raises
    ------
    StartNeeded
        If nothing is wrong except that no start category is given: read again with `start`.
    InputError
        With every fault of the file; if it cannot be read.

    Warns
    -----
    DataWarning
        For each entry or clause that is left out; the lexicon's ``remarks`` list them too.
    """
    path = Path(path)
    return loads(
        file_text(path),
        kind=path.suffix.lower(),
        name=path.stem,
        file=path.name,
        start=start,
        convention=convention,
        progress=progress,
    )


def loads(
    text: str,
    *,
    kind: str = ".mg",
    name: str = "",
    file: str = "",
    start: str = "",
    convention: Convention | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Lexicon:
    r"""Return the lexicon written in `text`.

    Parameters
    ----------
    text
        The content of a file.
    kind
        The ending that names its format, as in :func:`read`.
    name, file
        Of the lexicon, and of the file in messages.
    start, convention, progress
        As in :func:`read`.

    Raises
    ------
    StartNeeded
        If nothing is wrong except that no start category is given.
    InputError
        With every fault of the text.

    Warns
    -----
    DataWarning
        As in :func:`read`.

    Examples
    --------
    >>> loads("@start v\nMary :: d\nsleeps :: d= v")
    <Lexicon without a name: 2 items, categories d, v>
    """
    check_no_nul(text, file)
    text = composed(text.replace("\ufeff", "").removesuffix("\x1a"))
    readers = {".pl": formats.prolog, ".py": formats.mgtdb, ".csv": formats.table, ".tsv": formats.table}
    draft = Draft(file, kind)
    draft.convention_given = convention is not None
    draft.convention = convention or ("nondirectional" if kind in (".pl", ".py") else "seed")
    if foreign := foreign_format(text):
        hint = _ITEM_FORMS.get(kind, _ITEM_FORM).replace("write one", "write a lexical item")
        raise InputError(Fault(f"{foreign}, and no lexicon", hint, file))
    if kind in readers:
        readers[kind](text, draft)
    elif formats.looks_like_ocaml(text):
        formats.ocaml(text, draft)
    else:
        _native(text, draft, progress)
    draft.start = tuple(dict.fromkeys(categories(start) or draft.start))
    return _finish(draft, name)


def _finish(draft: Draft, name: str) -> Lexicon:
    """Return the lexicon of a draft.

    Raises
    ------
    StartNeeded
        If only the start category is missing.
    InputError
        With every fault of the draft, in the order of the file.

    Warns
    -----
    DataWarning
        For what is left out of the lexicon: an entry that is there twice, code.
    """
    items, remarks = check_rows(draft.rows, draft.convention)
    spell_out, misspelled = spell_out_of(draft.spell_out, draft.file)
    faults = draft.faults + misspelled + [r.fault(draft.file) for r in remarks if r.code != "E201"]
    if not draft.rows and not faults:
        faults.append(Fault("there is no lexical item", _ITEM_FORMS.get(draft.kind, _ITEM_FORM), draft.file))
    elif not draft.start and draft.rows:
        choices = _likely_starts(items)
        missing = _start_fault(draft, choices)
        if not faults:
            raise StartNeeded(missing, choices)
        faults.append(missing)
    if faults:
        raise InputError(sorted(faults, key=lambda fault: fault.line or 0))
    left_out = (*draft.remarks, *remarks)
    for fault in condensed(r.fault(draft.file) for r in left_out):
        warnings.warn(str(fault), DataWarning, stacklevel=3)
    return Lexicon(
        tuple(items),
        draft.start,
        draft.convention,
        tuple(draft.sentences),
        draft.alpha,
        draft.category_alpha,
        name,
        draft.header.get("title", ""),
        draft.header.get("source", ""),
        draft.header.get("what", ""),
        spell_out,
        draft.convention_given,
        left_out,
    )


def _likely_starts(items: Sequence[LexicalItem]) -> tuple[str, ...]:
    """Return all categories: first those that no item selects, then usual names of sentences."""
    selected = {f.name for i in items for f in i.features if f.selects and not f.adjoins}
    names = dict.fromkeys(i.category for i in items if not i.features[-1].adjoins)
    return tuple(sorted(names, key=lambda n: (n in selected, n.lower() not in _USUAL_STARTS)))


def _start_fault(draft: Draft, choices: tuple[str, ...]) -> Fault:
    form = _START_FORMS.get(draft.kind, "a line such as: @start {}").format(choices[0] if choices else "c")
    return Fault("no start category is given", f"add {form}", draft.file)


def _native(text: str, draft: Draft, progress: Callable[[int, int], None] | None) -> None:
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        bare = _without_comment(line.replace("\N{PROPORTION}", "::"))
        if _COMMENT.match(bare):
            pass
        elif bare.lstrip().startswith("@"):
            _directive(bare, number, draft)
        elif bare.strip():
            _entry(bare, number, draft)
        elif line.startswith("#") and not draft.rows:
            key, _, value = line.lstrip("# ").partition(":")
            draft.header.setdefault(key.strip().lower(), value.strip())
        if progress and (number % _PROGRESS_LINES == 0 or number == len(lines)):
            progress(number, len(lines))
    _drop_bullets(draft)


def _drop_bullets(draft: Draft) -> None:
    """Take the bullets or numbers of a list off its items, if all of several have one."""
    heads = [_BULLET.match(row.phon) for row in draft.rows]
    if len(heads) < FEWEST_IN_LIST or not all(heads):
        return
    marks = [head["mark"] for head in heads if head]
    if len(set(marks)) > 1 and [mark[:-1] for mark in marks] != [str(n) for n in range(1, len(marks) + 1)]:
        return
    draft.rows = [
        replace(row, phon=row.phon[head.end() :]) for row, head in zip(draft.rows, heads, strict=True) if head
    ]
    what = f"{quoted(marks[0])} at the beginning of each item is taken for the mark of a list"
    warnings.warn(str(Fault(what, "it is left out", draft.file)), DataWarning, stacklevel=5)


def _without_comment(line: str) -> str:
    """Drop ``# ...`` at the beginning or after a blank: a # inside a word stays."""
    if line.lstrip().startswith("#"):
        return ""
    cut = min((line.find(mark) for mark in (" #", "\t#") if mark in line), default=len(line))
    return line[:cut]


def _entry(line: str, number: int, draft: Draft) -> None:
    mark = "::" if "::" in line else " : "
    phon, found, rest = line.partition(mark)
    if not found:
        hint = "write it as: word :: features"
        draft.fault(f"{line.strip()!r} has no '::'", hint, number, len(line) - len(line.lstrip()) + 1)
        return
    features, bar, alpha = _AFTER.sub("", rest).partition("|")
    begin = len(phon) + len(mark) + 1
    if bar and not alpha.strip():
        draft.fault("there is no number after '|'", "write one, or leave out '|'", number, len(line))
    draft.rows.append(Row(phon, features, alpha, number, begin, begin + len(features) + 2))


def _directive(line: str, number: int, draft: Draft) -> None:
    name, *values = _AFTER.sub("", line).split()
    name = name.removesuffix(":")
    column = line.index("@") + 1
    if name == "@start" and values:
        draft.start += categories(" ".join(values))
    elif name == "@convention" and len(values) == 1 and values[0] in CONVENTIONS:
        draft.convention = next(c for c in CONVENTIONS if c == values[0])
        draft.convention_given = True
    elif name == "@alpha" and len(values) in (1, 2):
        _alpha(values, line, number, draft)
    elif name == "@sentence" and "|" in line:
        _sentence(line, number, draft)
    elif name == "@spell-out":
        draft.spell_out.append((number, line.split(maxsplit=1)[1] if values else ""))
    else:
        draft.fault(f"{line.strip()!r} is not understood", _cure(name), number, column)


def _cure(name: str) -> str:
    forms = {
        "@start": "name a category: @start c",
        "@convention": f"choose from {', '.join(CONVENTIONS)}",
        "@alpha": "write @alpha 0.5, or @alpha d 0.5",
        "@sentence": "write the number of derivations, then the words: @sentence 1 | john slept",
    }
    return forms.get(name) or did_you_mean(name, _DIRECTIVES)


def _alpha(values: list[str], line: str, number: int, draft: Draft) -> None:
    alpha = check_alpha(values[-1])
    if isinstance(alpha, str):
        column = line.rindex(values[-1]) + 1
        draft.fault(alpha, "write a number above 0, such as 0.5", number, column)
    elif len(values) == 2:
        draft.category_alpha[values[0]] = alpha
    else:
        draft.alpha = alpha


def _sentence(line: str, number: int, draft: Draft) -> None:
    head, _, words = line.partition("|")
    count = head.split()[1:]
    if len(count) == 1 and (is_count(count[0]) or count[0] in ("inf", "∞")):
        value = float("inf") if count[0] in ("inf", "∞") else int(count[0])
        draft.sentences.append(ExpectedSentence(value, split_sentence(words)))
    else:
        draft.fault("the number of derivations is missing", _cure("@sentence"), number, 1)
