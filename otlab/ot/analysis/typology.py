"""Factorial typology: the languages that rankings of the constraints generate.

A language is a winner for each input such that some ranking makes all of them win. Languages are found
without enumerating the rankings: inputs are added one by one, and a candidate is kept if its ERCs are
consistent with those of the candidates chosen before, which recursive constraint demotion decides. Each
branch ends in at least one language, so the work grows with the number of languages, not with the N!
rankings. Candidates with the same violations count as one, named by the first.

A *T-order* (Anttila & Andrus 2006) states that whenever one candidate wins, another one wins, in every
language and therefore in every evaluation of Stochastic OT. T-orders are computed from the ERCs of pairs
of candidates, whether or not all languages are listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError, counted
from otlab.inference import check_interrupt
from otlab.ot.conditions import ERC, uncounted_relations
from otlab.ot.constraint_names import numbered_pairs
from otlab.ot.given import check_tableau
from otlab.ot.kernels import typology as kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["MAX_LANGUAGES", "MOST_COUNTED", "Typology", "lay_out", "typology"]

MAX_LANGUAGES = 10_000
_MOST_CONSTRAINTS = 62
MOST_COUNTED = 20  # constraints; 20! is the last factorial below 2^63
_COUNTING = 2_000_000_000  # number of comparisons that take about a second
_STEPS_AT_ONCE = 20_000  # classes tried between two checks of the stop button, about 20 ms


@dataclass(frozen=True, eq=False, repr=False)
class Typology:
    """The languages of a tableau's constraints.

    Attributes
    ----------
    tableau
        The tableau; its frequencies are not used.
    winners : int64 (languages, inputs)
        The winning row of each input in each language.
    rankings : int64 (languages, constraints)
        A ranking of each language, constraints by number, the highest first.
    complete
        Whether these are all languages; if not, there are more than `max_languages`, or the search was
        stopped.
    stopped
        Whether the search was stopped.
    apriori : tuple of (int, int)
        A priori rankings, as (higher, lower).
    """

    tableau: Tableau
    winners: NDArray[np.int64]
    rankings: NDArray[np.int64]
    complete: bool
    stopped: bool
    apriori: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.winners)

    def language(self, n: int) -> dict[str, str]:
        """Return the winner of each input in language `n`, by name."""
        names = self.tableau.candidates
        return {k: names[row] for k, row in zip(self.tableau.inputs, self.winners[n].tolist(), strict=True)}

    def ranking(self, n: int) -> tuple[str, ...]:
        """Return a ranking that generates language `n`, the highest constraint first."""
        return tuple(self.tableau.constraints[c] for c in self.rankings[n].tolist())

    @cached_property
    def t_orders(self) -> tuple[tuple[int, int], ...]:
        """Pairs of rows of different inputs: the second wins in every language in which the first does."""
        return _t_orders(self.tableau, self.apriori)

    @cached_property
    def counts(self) -> NDArray[np.int64] | None:
        """Number of rankings of each language, int64 (languages,); None if counting takes too long.

        Examples
        --------
        >>> from otlab.ot import read
        >>> typology(read("cv_syllable_typology")).counts
        array([16,  8, 16, 16,  8, 16,  8, 24,  8])
        """
        return _count(self)

    def to_dict(self) -> dict[str, Any]:
        """Return languages and T-orders as ``otlab rank --typology --json`` prints them."""
        tableau = self.tableau
        names = [(tableau.inputs[k], tableau.candidates[row]) for row, k in enumerate(tableau.input_of_row)]
        return {
            "typology": {
                "languages": len(self),
                "complete": self.complete,
                "rankings_total": factorial(tableau.n_constraints),
                "patterns": [
                    {"winners": self.language(n), "ranking": list(self.ranking(n))} for n in range(len(self))
                ],
            },
            "t_orders": [[*names[a], *names[b]] for a, b in self.t_orders],
        }

    def __str__(self) -> str:
        lines = [f"{self._found}, {counted(factorial(self.tableau.n_constraints), 'ranking')}"]
        for n in range(len(self)):
            lines.append(f"{n + 1}. {', '.join(self.language(n).values())}: {' >> '.join(self.ranking(n))}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Typology of {self.tableau.name or 'a tableau'}: {self._found}>"

    @property
    def _found(self) -> str:
        return counted(len(self), "language") if self.complete else f"{len(self):,} or more languages"


def typology(
    tableau: Tableau,
    *,
    apriori: Iterable[tuple[int | str, int | str]] = (),
    max_languages: int = MAX_LANGUAGES,
    watch: Callable[[float], object] | None = None,
) -> Typology:
    """Return every language that some ranking of the constraints generates.

    Parameters
    ----------
    tableau
        The tableau. All inputs are used, with data or without.
    apriori
        (higher, lower) pairs of constraints, by name or number, that every ranking respects.
    max_languages
        Largest number of languages to find.
    watch
        Called during the search with the share done, 0 to 1. If it returns true, or at Ctrl-C, the
        search stops, and the languages found so far are returned.

    Raises
    ------
    InputError
        If there are more than 62 constraints, or `apriori` is cyclic.

    Examples
    --------
    >>> from otlab.ot import read
    >>> print(typology(read("dutch_final_devoicing")))
    3 languages, 6 rankings
    1. bed: Ident-IO(voice) >> *VoicedCoda >> *VoicedObstruent
    2. bet: *VoicedCoda >> Ident-IO(voice) >> *VoicedObstruent
    3. pet: *VoicedCoda >> *VoicedObstruent >> Ident-IO(voice)
    """
    if max_languages < 1:
        raise InputError(f"at most {max_languages} languages: choose 1 or more")
    pairs = numbered_pairs(tableau, apriori)
    rows, ercs = lay_out(tableau, pairs)
    state = _start(ercs, tableau.n_constraints)
    languages = np.empty((max_languages, len(tableau.inputs)), dtype=np.int64)
    rankings = np.empty((max_languages, tableau.n_constraints), dtype=np.int64)
    found, stopped = 0, False
    try:
        while state.position[0] >= 0:
            check_interrupt()
            found = kernels.search(ercs, state, languages, rankings, found, _STEPS_AT_ONCE)
            if found == max_languages and state.position[0] == len(tableau.inputs):
                break
            if watch is not None and watch(_share(ercs, state)):
                stopped = bool(state.position[0] >= 0)
                break
    except KeyboardInterrupt:
        if watch is None:
            raise
        stopped = True
    complete = bool(state.position[0] < 0)
    return Typology(tableau, rows[languages[:found]], rankings[:found].copy(), complete, stopped, pairs)


def lay_out(
    tableau: Tableau, apriori: Sequence[tuple[int, int]]
) -> tuple[NDArray[np.int64], kernels.ERCArrays]:
    """Return the row of each class, and the ERCs of all classes that can win; class 0 has no row."""
    check_tableau(tableau)
    if tableau.n_constraints > _MOST_CONSTRAINTS:
        raise InputError(
            f"{tableau.n_constraints} constraints: a typology can have {_MOST_CONSTRAINTS}; remove some"
        )
    rows = [-1]
    ercs = [tuple(ERC(frozenset({a}), frozenset({b})) for a, b in apriori)]
    classes = [1]
    for _, group in groupby(uncounted_relations(tableau), key=lambda relation: relation.input):
        for relation in group:
            if relation.bounded is None:
                rows.append(relation.row)
                ercs.append(relation.conjuncts)
        classes.append(len(rows))
    flat = [erc for of_class in ercs for erc in of_class]
    arrays = kernels.ERCArrays(
        np.array(classes, dtype=np.int64),
        np.cumsum([0, *map(len, ercs)], dtype=np.int64),
        np.array([_bits(erc.winners) for erc in flat], dtype=np.int64),
        np.array([_bits(erc.losers) for erc in flat], dtype=np.int64),
    )
    return np.array(rows, dtype=np.int64), arrays


def _bits(constraints: Iterable[int]) -> int:
    return sum(1 << c for c in constraints)


def _start(ercs: kernels.ERCArrays, n_constraints: int) -> kernels.Search:
    """Return the search before its first step, with the a priori rankings satisfied."""
    n = ercs.classes.size - 1
    sizes = np.diff(ercs.offsets)
    room = int(sizes[0] + sum(sizes[a:b].max() for a, b in zip(ercs.classes, ercs.classes[1:], strict=False)))
    state = kernels.Search(
        position=np.zeros(1, dtype=np.int64),
        cursor=np.ones(n + 1, dtype=np.int64),
        top=np.zeros(n + 1, dtype=np.int64),
        orders=np.zeros((n + 1, n_constraints), dtype=np.int64),
        winners=np.zeros(room, dtype=np.int64),
        losers=np.zeros(room, dtype=np.int64),
        left=np.zeros(room, dtype=np.int64),
    )
    given = int(sizes[0])
    state.winners[:given], state.losers[:given] = ercs.winners[:given], ercs.losers[:given]
    state.top[0] = given
    kernels.demotes(state.winners, state.losers, given, state.left, state.orders[0])
    return state


def _count(found: Typology) -> NDArray[np.int64] | None:
    """Return the number of rankings of each language."""
    k = found.tableau.n_constraints
    if k > MOST_COUNTED:
        return None
    rows, ercs = lay_out(found.tableau, found.apriori)
    if len(found) * 2**k * int(np.diff(ercs.offsets).max(initial=1)) * len(ercs.classes) > _COUNTING:
        return None
    class_of = {int(row): c for c, row in enumerate(rows)}
    counts, scratch = np.empty(len(found), np.int64), np.empty(2**k, np.int64)
    for n, winners in enumerate(found.winners.tolist()):
        chosen = [0, *(class_of[row] for row in winners)]
        parts = np.concatenate([np.arange(ercs.offsets[c], ercs.offsets[c + 1]) for c in chosen])
        counts[n] = kernels.count_orders(ercs.winners[parts], ercs.losers[parts], k, scratch)
    return counts


def _share(ercs: kernels.ERCArrays, state: kernels.Search) -> float:
    """Return the share of the search that is done, estimated from the classes tried at each level."""
    level = int(state.position[0])
    if level < 0:
        return 1.0
    done, width = 0.0, 1.0
    sizes = np.diff(ercs.classes)
    for k in range(min(level + 1, sizes.size)):
        tried = int(state.cursor[k] - ercs.classes[k])
        inside = k < level
        done += width * (tried - inside) / int(sizes[k])
        width /= int(sizes[k])
    return min(done, 1.0)


def _t_orders(tableau: Tableau, apriori: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return pairs of rows of different inputs such that the second wins whenever the first does."""
    rows, ercs = lay_out(tableau, apriori)
    n = rows.size
    input_of = np.searchsorted(ercs.classes, np.arange(n), side="right") - 1
    together = np.empty(n, dtype=np.bool_)
    pairs = []
    for a in range(1, n):
        check_interrupt()
        kernels.compatible(ercs, a, tableau.n_constraints, together)
        if not together[a]:
            continue
        # Of the rows that can win together with a, the only one of an input is implied.
        for k in range(ercs.classes.size - 1):
            others = np.arange(ercs.classes[k], ercs.classes[k + 1])
            possible = others[together[others]]
            if k != input_of[a] and possible.size == 1:
                pairs.append((int(rows[a]), int(rows[possible[0]])))
    return tuple(pairs)
