r"""Files of Praat: OTGrammar (violations and a ranking) and PairDistribution (frequencies).

::

    "ooTextFile"
    "OTGrammar 2"
    <OptimalityTheory> 0 ! leak
    2 "N\s{O}C\s{ODA}" 100 100 1  "P\s{ARSE}" 90 90 1     name, ranking, disharmony, plasticity
    1 1 2                                                 fixed rankings: constraint 1 above 2
    2 "pat" 2  "pa" 0 1  "pat" 1 0                        tableaus: input, candidates, violations
      "pa" 1   "pa" 0 0

Version 1 has neither leak nor plasticities, version 0 no decision strategy either. A *collection*
holds both kinds in one file. What is read is kept as Praat has it, so that it is written back equal;
:mod:`otlab.ot.io.praat_tableau` makes a tableau of it.

Only free-standing strings, numbers and flags count, in their order; all else is a comment::

    constraint [1]: "N\s{O}C\s{ODA}" 100 99.7 1 ! NOCODA     "N\s{O}C\s{ODA}"  100  99.7  1
    pairs: size = 4                                          4

Jarosz's learners (github.com/gajajarosz/hidden-structure) have files of their own of nearly this form. The
class may be without quotes, and each pair is a line of five columns, the last of which is the input::

    "|L-L|" "[L1-L]" 1 1 |L-L|          not used, output, frequency, number of the datum, input

A string stands between double quotes, may go over several lines, and has ``""`` for a quote. A
word that begins with a digit or a sign is a number; a flag is ``<written so>``. ``!`` at the
beginning of a word starts a comment, to the end of the line. Any other word is skipped.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from otlab.errors import DataWarning, Fault, InputError, quoted
from otlab.files import file_bytes
from otlab.ot.io.delimited import decode
from otlab.ot.io.praat_names import shown_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.ot.io.cells import Progress

__all__ = [
    "STRATEGIES",
    "PairDistribution",
    "PraatConstraint",
    "PraatFile",
    "PraatGrammar",
    "PraatTableau",
    "Tokens",
    "number_text",
    "parse_praat",
    "quoted_string",
    "read_praat",
    "write_praat",
]

_TOKEN = re.compile(r'![^\r\n]*|("[^"]*(?:""[^"]*)*")(?=\s|\Z)|<([^>]*)>\S*|([-+0-9]\S*)|("\S*)|\S+')
_BARE_CLASS = re.compile(r'\A(\s*(?:File type\s*=\s*)?"ooTextFile"\s+)(OTGrammar|PairDistribution)\b(?!")')
_COUNT = re.compile(r"^[^\S\n]*(\d{1,9})\s+pairs\b", re.MULTILINE)
_DATUM = re.compile(
    r'^[^\S\n]*"[^"\n]*"\s+"([^"\n]*)"\s+(\d+)\s+\d[\d,]*[^\S\n]+(\S+)[^\S\n]*$', re.MULTILINE
)
_NUMBER = re.compile(r"([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(%?)")
_KINDS = ("a string", "a flag", "a number", "a quote that is not closed")
_STRING, _FLAG, _NUMERAL, _UNCLOSED = range(4)


class _Token(NamedTuple):
    """One of the four texts is not empty; a string has its quotes still."""

    string: str
    flag: str
    number: str
    unclosed: str

    @property
    def kind(self) -> int:
        return next(n for n, text in enumerate(self) if text)


class Tokens:
    """The tokens of a text, taken one after another.

    Parameters
    ----------
    text
        Of the whole file.
    file
        Its name, for faults.
    """

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._tokens = [token for token in _TOKEN.findall(text) if any(token)]
        self._next = 0

    @property
    def done(self) -> float:
        """Share of the tokens that have been taken, 0 to 1."""
        return self._next / max(len(self._tokens), 1)

    def string(self, what: str) -> str:
        """Return the next token, which must be a string; `what` describes it in messages."""
        return self._take(_STRING, what)[1:-1].replace('""', '"')

    def flag(self, what: str) -> str:
        """Return the next token, which must be a flag."""
        return self._take(_FLAG, what)

    def number(self, what: str) -> float:
        """Return the next token, which must be a number; NaN for ``--undefined--``."""
        text = self._take(_NUMERAL, what)
        match = _NUMBER.match(text)
        if match is None:
            if text == "--undefined--":
                return math.nan
            self.refuse(f"{quoted(text)} is no number, which {what} is", "write a number")
        return float(match[1]) / (100 if match[2] else 1)

    def whole(self, what: str, least: int | None = None) -> int:
        """Return the next token, which must be a whole number, of at least `least`."""
        number = self.number(what)
        if not number.is_integer() or (least is not None and number < least):
            limit = "" if least is None else f" of {least} or more"
            self.refuse(f"{number:g} is no whole number{limit}, which {what} is", "correct it")
        return int(number)

    def wholes(self, n: int, what: str) -> tuple[int, ...]:
        """Return the next `n` tokens, which must be whole numbers."""
        try:
            numbers = tuple(int(token[_NUMERAL]) for token in self._tokens[self._next : self._next + n])
        except ValueError:
            numbers = ()
        if len(numbers) == n:
            self._next += n
            return numbers
        return tuple(self.whole(what) for _ in range(n))

    def refuse(self, what: str, hint: str) -> NoReturn:
        """Raise an InputError at the token that was taken last."""
        raise InputError(Fault(what, hint, file=self.file, spot=f"token {self._next}"))

    def _take(self, kind: int, what: str) -> str:
        if self._next >= len(self._tokens):
            self._next += 1
            self.refuse(f"the file ends before {what}", "it is cut off: save it again")
        token = _Token(*self._tokens[self._next])
        self._next += 1
        if token.kind == _UNCLOSED:
            hint = "close it, or double it to mean a quote; leave a blank after it"
            self.refuse(f"the quote of {token.unclosed} is not closed", hint)
        if token.kind != kind:
            found = next(filter(None, token))
            self.refuse(f"found {found} in place of {_KINDS[kind]}, {what}", "correct what comes before it")
        return token[kind]


def quoted_string(text: str) -> str:
    """Return a string as a token.

    >>> print(quoted_string('a "b" c'))
    "a ""b"" c"
    """
    return '"' + text.replace('"', '""') + '"'


def number_text(number: float) -> str:
    """Return a number as a token.

    >>> number_text(100.0), number_text(0.1), number_text(math.nan)
    ('100', '0.1', '--undefined--')
    """
    if math.isnan(number):
        return "--undefined--"
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(float(number))


STRATEGIES = (
    "OptimalityTheory",
    "HarmonicGrammar",
    "LinearOT",
    "ExponentialHG",
    "MaximumEntropy",
    "PositiveHG",
    "ExponentialMaximumEntropy",
)
NEWEST = 2
"""The latest version of OTGrammar that is read, and the one that is written."""


class PraatConstraint(NamedTuple):
    """A constraint: its name as Praat has it, ranking value, disharmony of the last draw, plasticity."""

    name: str
    ranking: float = 100.0
    disharmony: float = 100.0
    plasticity: float = 1.0


class PraatTableau(NamedTuple):
    """An input with its candidates: the name of each, and one number of violations per constraint."""

    input: str
    candidates: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class PraatGrammar:
    """An OTGrammar of Praat.

    Attributes
    ----------
    constraints, tableaux
        As in the file.
    strategy
        One of :data:`STRATEGIES`.
    leak
        Praat's parameter of forgetting.
    fixed_rankings : tuple of (int, int)
        Higher and lower constraint, counted from 1 as in the file.
    """

    constraints: tuple[PraatConstraint, ...]
    tableaux: tuple[PraatTableau, ...]
    strategy: str = "OptimalityTheory"
    leak: float = 0.0
    fixed_rankings: tuple[tuple[int, int], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The constraints' names as they are shown."""
        return shown_names(tuple(constraint.name for constraint in self.constraints))

    @property
    def apriori(self) -> tuple[tuple[str, str], ...]:
        """The fixed rankings, as (higher, lower) names that are shown."""
        return tuple((self.names[a - 1], self.names[b - 1]) for a, b in self.fixed_rankings)

    @property
    def ranking_values(self) -> dict[str, float]:
        """The ranking value of each constraint, by the name that is shown."""
        return dict(zip(self.names, (c.ranking for c in self.constraints), strict=True))


@dataclass(frozen=True)
class PairDistribution:
    """A PairDistribution of Praat: how often each pair of input and output occurs.

    Attributes
    ----------
    pairs : tuple of (str, str, float)
        Input, output and weight, on any scale.
    """

    pairs: tuple[tuple[str, str, float], ...]

    @property
    def weights(self) -> dict[tuple[str, str], float]:
        """The weight of each pair, summed where it occurs several times."""
        weights: defaultdict[tuple[str, str], float] = defaultdict(float)
        for first, second, weight in self.pairs:
            weights[first, second] += weight
        return dict(weights)


class PraatFile(NamedTuple):
    """What a file holds: a grammar, a distribution, or both; None for what it does not hold."""

    grammar: PraatGrammar | None
    pairs: PairDistribution | None


# ---- reading


def read_praat(path: str | Path) -> PraatFile:
    """Return what a text file of Praat holds: an OTGrammar, a PairDistribution, or a collection of both.

    Raises
    ------
    InputError
        With what is wrong, and at which token.
    """
    return parse_praat(file_bytes(path), Path(path).name)


def parse_praat(data: bytes, file: str, progress: Progress | None = None) -> PraatFile:
    """Return what the content of a text file of Praat holds, as :func:`read_praat`.

    Parameters
    ----------
    data, file
        The content, and the file's name for faults.
    progress
        Called during reading with the share done, 0 to 1.
    """
    text = _BARE_CLASS.sub(r'\1"\2"', decode(data, file).replace("\r\n", "\n"))
    learning_data = _learning_data(text)
    if learning_data is not None:
        return PraatFile(None, learning_data)
    tokens = Tokens(text, file)
    if not tokens.string("the file's type").startswith("ooTextFile"):
        tokens.refuse("this is no text file of Praat", "save it in Praat with 'Save as text file...'")
    kind = tokens.string("the object's class")
    if kind.split()[0:1] != ["Collection"]:
        return PraatFile(*_object(tokens, kind, progress))
    grammars: list[PraatGrammar] = []
    distributions: list[PairDistribution] = []
    for n in range(1, tokens.whole("the number of objects", 0) + 1):
        kind = tokens.string(f"the class of object {n}")
        name = tokens.string(f"the name of object {n}")
        if kind.split()[0:1] in (["Distributions"], ["TableOfReal"]):
            _pass_over_table(tokens)
            what = f"{file}: the {kind.split()[0]} {quoted(name)} of the collection was left out"
            warnings.warn(DataWarning(what), stacklevel=2)
            continue
        grammar, pairs = _object(tokens, kind, progress)
        grammars += [grammar] if grammar else []
        distributions += [pairs] if pairs else []
    for objects, noun in ((grammars, "OTGrammars"), (distributions, "PairDistributions")):
        if len(objects) > 1:
            tokens.refuse(f"the collection holds {len(objects)} {noun}", "save one of them")
    return PraatFile(next(iter(grammars), None), next(iter(distributions), None))


def _pass_over_table(tokens: Tokens) -> None:
    """Take the tokens of a table of numbers, as of Distributions that a grammar was made to produce."""
    columns = tokens.whole("the number of columns", 0)
    for n in range(columns):
        tokens.string(f"the label of column {n + 1}")
    for row in range(tokens.whole("the number of rows", 0)):
        tokens.string(f"the label of row {row + 1}")
        for _ in range(columns):
            tokens.number(f"a number of row {row + 1}")


def _learning_data(text: str) -> PairDistribution | None:
    """Return the pairs of a file whose lines name the input last, as Jarosz's learners read it; else None."""
    count, data = _COUNT.search(text), _DATUM.findall(text)
    if count is None or len(data) != int(count[1]) or '"PairDistribution"' not in text[: count.start()]:
        return None
    pairs = tuple((source, output, float(weight)) for output, weight, source in data)
    return PairDistribution(pairs) if pairs else None


def _object(
    tokens: Tokens, kind: str, progress: Progress | None
) -> tuple[PraatGrammar | None, PairDistribution | None]:
    name, _, version = kind.partition(" ")
    if name == "PairDistribution":
        return None, _pairs(tokens)
    if name != "OTGrammar":
        hint = "save an OTGrammar or a PairDistribution"
        tokens.refuse(f"is a Praat {name or 'text'} file, not a tableau", hint)
    if not (version or "0").isdecimal() or float(version or 0) > NEWEST:
        tokens.refuse(f"is an OTGrammar of version {version[:20]}", f"versions up to {NEWEST} are read")
    return _grammar(tokens, int(version or 0), progress), None


def _grammar(tokens: Tokens, version: int, progress: Progress | None) -> PraatGrammar:
    strategy = tokens.flag("the decision strategy") if version >= 1 else STRATEGIES[0]
    if strategy not in STRATEGIES:
        tokens.refuse(f"<{strategy}> is no decision strategy", f"choose from {', '.join(STRATEGIES)}")
    leak = tokens.number("the leak") if version >= 2 else 0.0
    size = tokens.whole("the number of constraints", 1)
    constraints = tuple(_constraint(tokens, n, version) for n in range(1, size + 1))
    fixed = tuple(
        _fixed_ranking(tokens, size) for _ in range(tokens.whole("the number of fixed rankings", 0))
    )
    tableaux = []
    for k in range(1, tokens.whole("the number of tableaus", 1) + 1):
        if progress is not None:
            progress(tokens.done)
        tableaux.append(_tableau(tokens, k, size))
    return PraatGrammar(constraints, tuple(tableaux), strategy, leak, fixed)


def _constraint(tokens: Tokens, n: int, version: int) -> PraatConstraint:
    name = tokens.string(f"the name of constraint {n}")
    ranking = tokens.number(f"the ranking of constraint {n}")
    disharmony = tokens.number(f"the disharmony of constraint {n}")
    plasticity = tokens.number(f"the plasticity of constraint {n}") if version >= 2 else 1.0
    return PraatConstraint(name, ranking, disharmony, plasticity)


def _fixed_ranking(tokens: Tokens, size: int) -> tuple[int, int]:
    pair = tokens.whole("a fixed ranking", 1), tokens.whole("a fixed ranking", 1)
    if max(pair) > size:
        tokens.refuse(
            f"there is no constraint {max(pair)}, which a fixed ranking names", f"choose 1 to {size}"
        )
    return pair


def _tableau(tokens: Tokens, k: int, size: int) -> PraatTableau:
    name = tokens.string(f"input {k}")
    count = tokens.whole(f"the number of candidates of {quoted(name)}", 1)
    what = f"a number of violations of {quoted(name)}"
    return PraatTableau(
        name,
        tuple(
            (tokens.string(f"candidate {c} of {quoted(name)}"), tokens.wholes(size, what))
            for c in range(1, count + 1)
        ),
    )


def _pairs(tokens: Tokens) -> PairDistribution:
    pairs = []
    for n in range(1, tokens.whole("the number of pairs", 0) + 1):
        first, second = tokens.string(f"the input of pair {n}"), tokens.string(f"the output of pair {n}")
        weight = tokens.number(f"the weight of pair {n}")
        if not 0 <= weight < math.inf:
            tokens.refuse(f"{weight:g} is no weight", "write 0 or more")
        pairs.append((first, second, weight))
    return PairDistribution(tuple(pairs))


# ---- writing


def write_praat(*objects: PraatGrammar | PairDistribution, name: str = "otlab") -> str:
    """Return the text of a file that Praat and :func:`read_praat` read: of one object, or of a collection.

    Parameters
    ----------
    *objects
        One, or a grammar and a distribution.
    name
        What Praat calls the objects of a collection.
    """
    if len(objects) == 1:
        return _header(_class_of(objects[0])) + "".join(f"{line}\n" for line in _lines(objects[0]))
    text = _header("Collection") + f"size = {len(objects)}\nitem []:\n"
    for n, one in enumerate(objects, 1):
        text += f"    item [{n}]:\n        class = {quoted_string(_class_of(one))}\n"
        text += f"        name = {quoted_string(name)}\n"
        text += "".join(f"{line}\n" for line in _lines(one))
    return text


def _header(kind: str) -> str:
    return f'File type = "ooTextFile"\nObject class = {quoted_string(kind)}\n\n'


def _class_of(one: PraatGrammar | PairDistribution) -> str:
    return f"OTGrammar {NEWEST}" if isinstance(one, PraatGrammar) else "PairDistribution"


def _lines(one: PraatGrammar | PairDistribution) -> Iterator[str]:
    return _grammar_lines(one) if isinstance(one, PraatGrammar) else _pair_lines(one)


def _grammar_lines(grammar: PraatGrammar) -> Iterator[str]:
    yield f"<{grammar.strategy}>"
    yield f"{number_text(grammar.leak)} ! leak"
    yield f"{len(grammar.constraints)} constraints"
    for n, (name, *numbers) in enumerate(grammar.constraints, 1):
        yield f"constraint [{n}]: {quoted_string(name)} {' '.join(map(number_text, numbers))}"
    yield f"\n{len(grammar.fixed_rankings)} fixed rankings"
    yield from (f"   {higher} {lower}" for higher, lower in grammar.fixed_rankings)
    yield f"\n{len(grammar.tableaux)} tableaus"
    for k, (name, candidates) in enumerate(grammar.tableaux, 1):
        yield f"input [{k}]: {quoted_string(name)} {len(candidates)}"
        for c, (candidate, violations) in enumerate(candidates, 1):
            yield f"   candidate [{c}]: {quoted_string(candidate)} {' '.join(map(str, violations))}"


def _pair_lines(distribution: PairDistribution) -> Iterator[str]:
    yield f"pairs: size = {len(distribution.pairs)}"
    for n, (first, second, weight) in enumerate(distribution.pairs, 1):
        yield f"pairs [{n}]:"
        yield f"    string1 = {quoted_string(first)}"
        yield f"    string2 = {quoted_string(second)}"
        yield f"    weight = {number_text(weight)}"
