"""Rank constraints so that the observed winners win, or explain why no ranking exists.

The winner of an input is its most frequent candidate, the first one on a tie; frequencies are not used
otherwise. Each pair of a winner and a rival is an ERC, and each algorithm of
:mod:`otlab.ot.analysis.strata` finds strata if some ranking satisfies all of them. If none
does, the *culprit* is a smallest set of ERCs that contradict each other: if any one of them is left out,
a ranking satisfies the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from otlab.errors import InputError, did_you_mean
from otlab.ot.analysis.reduction import bases, crucial_rankings
from otlab.ot.analysis.strata import demote, demote_biased, demote_low_faithfulness
from otlab.ot.conditions import (
    ERC,
    consistent,
    identical_rows,
    minimal_conflict,
    prune,
    row_ercs,
    uncounted_relations,
)
from otlab.ot.constraint_names import constraint_number, numbered_pairs
from otlab.ot.constraint_names import faithfulness as named_faithfulness
from otlab.ot.formatting import slashed
from otlab.ot.given import check_tableau
from otlab.ot.overt import parses_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from otlab.ot.analysis.reduction import Bases
    from otlab.ot.analysis.strata import Demotion
    from otlab.ot.conditions import Relation
    from otlab.ot.tableau import Tableau

__all__ = ["Algorithm", "Ranking", "erc_text", "rank", "tied_inputs", "winner_ercs", "winning_rows"]

Algorithm = Literal["rcd", "bcd", "lfcd"]


def winning_rows(tableau: Tableau) -> dict[int, int]:
    """Return the row of the winner of each input with data, by the input's number.

    Candidates with the same violations count as one, named by the first. Inputs of which an observed overt
    form has several parses are left out: which candidate won is not known.
    """
    winners, unknown = {}, set(parses_unknown(tableau))
    for k in range(len(tableau.inputs)):
        if tableau.inputs[k] in unknown:
            continue
        classes = identical_rows(tableau, k)
        counts = [tableau.frequencies[list(rows)].sum() for rows in classes]
        if max(counts) > 0:
            winners[k] = classes[int(np.argmax(counts))][0]
    return winners


def tied_inputs(tableau: Tableau) -> tuple[str, ...]:
    """Return the inputs with several most frequent candidates, of which the first is the winner."""
    tied = []
    for k, name in enumerate(tableau.inputs):
        counts = [tableau.frequencies[list(rows)].sum() for rows in identical_rows(tableau, k)]
        if max(counts) > 0 and counts.count(max(counts)) > 1:
            tied.append(name)
    return tuple(tied)


def winner_ercs(tableau: Tableau) -> tuple[ERC, ...]:
    """Return the ERCs of every winner against every rival, except empty ones.

    Examples
    --------
    >>> from otlab.ot import read
    >>> dutch = read("dutch_final_devoicing")
    >>> for erc in winner_ercs(dutch):
    ...     print(dutch.candidates[erc.rival], erc_text(erc, dutch.constraints), sep=":  ")
    bed:  *VoicedCoda or *VoicedObstruent >> Ident-IO(voice)
    pet:  Ident-IO(voice) >> *VoicedObstruent
    ped:  *VoicedCoda
    """
    ercs = []
    for k, winner in winning_rows(tableau).items():
        rivals = [rows[0] for rows in identical_rows(tableau, k) if rows[0] != winner]
        ercs += row_ercs(tableau, winner, rivals)
    return tuple(ercs)


def erc_text(erc: ERC, names: Sequence[str]) -> str:
    """Return an ERC as ``A or B >> C and D``."""
    higher = " or ".join(names[i] for i in sorted(erc.winners))
    lower = " and ".join(names[i] for i in sorted(erc.losers))
    if not erc.winners:
        return f"nothing >> {lower}"
    return f"{higher} >> {lower}" if lower else higher


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """The ranking of a tableau's constraints, with the conditions that the winners set.

    Attributes
    ----------
    tableau
        The tableau.
    algorithm
        ``"rcd"``, ``"bcd"`` or ``"lfcd"``.
    winners : dict
        The row of the winner of each input with data, by the input's number.
    demotion
        Strata, and the ERCs that could not be satisfied.
    ercs : tuple of ERC
        ERCs of the winners, and of the a priori rankings (whose rival is -1).
    faithfulness : frozenset of int
        The constraints that BCD and LFCD rank low.
    apriori : tuple of (int, int)
        A priori rankings, as (higher, lower).
    """

    tableau: Tableau
    algorithm: Algorithm
    winners: dict[int, int]
    demotion: Demotion
    ercs: tuple[ERC, ...]
    faithfulness: frozenset[int]
    apriori: tuple[tuple[int, int], ...]

    @property
    def consistent(self) -> bool:
        """Whether there is a ranking under which every winner wins."""
        return not self.demotion.unsatisfied

    @property
    def strata(self) -> tuple[tuple[str, ...], ...]:
        """Names of the constraints of each stratum, the highest first; empty if there is no ranking."""
        return tuple(map(self._names, self.demotion.strata)) if self.consistent else ()

    @cached_property
    def culprit(self) -> tuple[ERC, ...]:
        """A smallest set of ERCs that no ranking satisfies; empty if there is a ranking."""
        # An ERC that no constraint can satisfy is a sufficient reason by itself, so it is tried last.
        unsatisfied = sorted(prune(self.demotion.unsatisfied), key=lambda erc: -len(erc.winners))
        return tuple(minimal_conflict(unsatisfied)) if unsatisfied else ()

    @cached_property
    def bounded(self) -> tuple[Relation, ...]:
        """The classes of candidates that win under no ranking, with the candidates that bound them."""
        return tuple(relation for relation in uncounted_relations(self.tableau) if relation.bounded)

    @cached_property
    def bases(self) -> Bases:
        """The most informative and the skeletal basis; empty if there is no ranking."""
        return bases(self.ercs if self.consistent else ())

    @cached_property
    def crucial_rankings(self) -> tuple[tuple[str, str], ...]:
        """The (higher, lower) names of a Hasse diagram: pairs in the same order under every ranking."""
        pairs = crucial_rankings(self.bases.skeletal, self.tableau.n_constraints)
        return tuple((self.tableau.constraints[a], self.tableau.constraints[b]) for a, b in pairs)

    @cached_property
    def crucial_rivals(self) -> dict[tuple[str, str], str]:
        """The candidate that would win otherwise, for each crucial ranking required by a single one."""
        names = self.tableau.constraints
        rivals: dict[tuple[str, str], str] = {}
        for erc in self.ercs:
            if len(erc.winners) == 1 and erc.rival >= 0:
                (higher,) = erc.winners
                for lower in erc.losers:
                    rivals.setdefault((names[higher], names[lower]), self.tableau.candidates[erc.rival])
        return {pair: rivals[pair] for pair in self.crucial_rankings if pair in rivals}

    @cached_property
    def unnecessary(self) -> tuple[str, ...]:
        """The constraints that can be removed with a ranking remaining; empty if there is no ranking.

        Each can be removed by itself; :attr:`removable_together` says whether all can.
        """
        if not self.consistent:
            return ()
        k = self.tableau.n_constraints
        return self._names(c for c in range(k) if self._consistent_without({c}))

    @cached_property
    def removable_together(self) -> bool:
        """Whether there is a ranking without all the unnecessary constraints."""
        removed = {self.tableau.constraints.index(name) for name in self.unnecessary}
        return self.consistent and self._consistent_without(removed)

    def _consistent_without(self, removed: Collection[int]) -> bool:
        # An ERC without constraints is a rival that ties with the winner: the winner must win alone.
        rest = [ERC(erc.winners - set(removed), erc.losers - set(removed), erc.rival) for erc in self.ercs]
        return all(erc.winners or erc.rival < 0 for erc in rest) and consistent(rest)

    def _names(self, constraints: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.tableau.constraints[c] for c in constraints)

    @property
    def words(self) -> str:
        """A sentence about why there is no ranking; empty if there is one."""
        if not self.culprit:
            return ""
        if len(self.culprit) == 1:
            return f"No ranking does this: {self.comparison(self.culprit[0])}."
        comparisons = [f"  {self.comparison(erc)}" for erc in self.culprit]
        head = "No ranking does all of this; leaving out any one of them, there is one:"
        return "\n".join([head, *comparisons])

    def comparison(
        self, erc: ERC, form: Callable[[str], str] = str, constraint: Callable[[str], str] = str
    ) -> str:
        """Return an ERC in words, with its input, winner and rival.

        `form` and `constraint` return how a form and a constraint's name are written.
        """
        tableau, names = self.tableau, [constraint(name) for name in self.tableau.constraints]
        text = erc_text(erc, names)
        if erc.rival < 0:
            return f"given beforehand: {text}"
        k, rival = int(tableau.input_of_row[erc.rival]), form(tableau.candidates[erc.rival])
        winner = form(tableau.candidates[self.winners[k]])
        pair = f"{form(slashed(tableau.inputs[k]))}: {winner} beats {rival}"
        if not erc.winners:
            worse = ", ".join(names[c] for c in sorted(erc.losers))
            return f"{pair}, though no constraint prefers it ({rival} is better on {worse})"
        return f"{pair} only if {text}"

    def _erc_dict(self, erc: ERC) -> dict[str, Any]:
        """Return an ERC as a dict for JSON, with the candidates that it compares, if any."""
        tableau = self.tableau
        sides = {
            "prefer_winner": list(self._names(sorted(erc.winners))),
            "prefer_loser": list(self._names(sorted(erc.losers))),
        }
        if erc.rival < 0:
            return sides
        k = int(tableau.input_of_row[erc.rival])
        pair = {
            "input": tableau.inputs[k],
            "winner": tableau.candidates[self.winners[k]],
            "loser": tableau.candidates[erc.rival],
        }
        return {**pair, **sides}

    def _bounded_rows(self) -> list[dict[str, Any]]:
        tableau = self.tableau
        return [
            {
                "input": tableau.inputs[relation.input],
                "candidate": tableau.candidates[row],
                "by": [tableau.candidates[bounder] for bounder in relation.bounded.by],
                "kind": relation.bounded.kind,
            }
            for relation in self.bounded
            if relation.bounded
            for row in relation.members
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as ``otlab rank --json`` prints it."""
        tableau = self.tableau
        culprit = {"ercs": [self._erc_dict(erc) for erc in self.culprit], "words": self.words}
        return {
            "algorithm": self.algorithm,
            "constraints": list(tableau.constraints),
            "constraint_names": dict(zip(tableau.constraints, tableau.full_names, strict=True)),
            "winners": {tableau.inputs[k]: tableau.candidates[row] for k, row in self.winners.items()},
            "tied": list(tied_inputs(tableau)),
            "consistent": self.consistent,
            "strata": [list(stratum) for stratum in self.strata],
            "culprit": None if self.consistent else culprit,
            "bounded": self._bounded_rows(),
            "hasse": [list(pair) for pair in self.crucial_rankings],
            "skeletal_basis": [self._erc_dict(erc) for erc in self.bases.skeletal],
            "most_informative_basis": [self._erc_dict(erc) for erc in self.bases.most_informative],
            "unnecessary": list(self.unnecessary),
            "removable_together": self.removable_together,
            "faithfulness": [] if self.algorithm == "rcd" else list(self._names(sorted(self.faithfulness))),
        }

    def __str__(self) -> str:
        if not self.consistent:
            return self.words
        lines = [f"{n}. {', '.join(stratum)}" for n, stratum in enumerate(self.strata, 1)]
        needed = [erc_text(erc, self.tableau.constraints) for erc in self.bases.skeletal]
        basis = [f"  {text}" for text in needed or ["nothing"]]
        return "\n".join([*lines, "", "The winners need no more than:", *basis])

    def __repr__(self) -> str:
        name = self.tableau.name or "a tableau"
        outcome = f"{len(self.strata)} strata" if self.consistent else "no ranking"
        return f"<Ranking of {name} by {self.algorithm.upper()}: {outcome}>"


def rank(
    tableau: Tableau,
    algorithm: Algorithm = "rcd",
    *,
    apriori: Iterable[tuple[int | str, int | str]] = (),
    faithfulness: Iterable[int | str] | None = None,
) -> Ranking:
    """Return a ranking under which the most frequent candidate of every input wins.

    Parameters
    ----------
    tableau
        The tableau. Inputs without data are not used.
    algorithm
        ``"rcd"`` ranks each constraint as high as it can be; ``"bcd"`` and ``"lfcd"`` rank
        faithfulness low (:mod:`otlab.ot.analysis.strata`).
    apriori
        (higher, lower) pairs of constraints, by name or number, that every ranking respects.
    faithfulness
        The faithfulness constraints, for BCD and LFCD; if None, those whose names begin as
        :func:`otlab.ot.learners.schedules.faithfulness` expects.

    Raises
    ------
    InputError
        If there is no such algorithm or constraint, or the pairs are cyclic.

    Examples
    --------
    >>> from otlab.ot import read
    >>> print(rank(read("cv_syllable_typology")))
    1. Onset, NoCoda, Fill-Nuc
    2. Parse
    3. Fill-Ons
    <BLANKLINE>
    The winners need no more than:
      Fill-Nuc >> Parse
      NoCoda >> Parse
      Parse >> Fill-Ons
      Onset >> Fill-Ons
    >>> print(rank(read("inconsistent_demo")))
    No ranking does all of this; leaving out any one of them, there is one:
      /x1/: a beats b only if A >> B
      /x2/: c beats d only if B >> A
    """
    if algorithm not in get_args(Algorithm):
        hint = did_you_mean(algorithm, get_args(Algorithm))
        raise InputError(f"there is no algorithm {algorithm!r}; {hint}")
    check_tableau(tableau)
    pairs = numbered_pairs(tableau, apriori)
    low = (
        frozenset(np.flatnonzero(named_faithfulness(tableau.constraints)).tolist())
        if faithfulness is None
        else frozenset(constraint_number(tableau, which) for which in faithfulness)
    )
    ercs = (*(ERC(frozenset({a}), frozenset({b})) for a, b in pairs), *winner_ercs(tableau))
    distinct = list(dict.fromkeys(erc for erc in ercs if erc.losers))
    k = tableau.n_constraints
    if algorithm == "rcd":
        demotion = demote(distinct, k)
    elif algorithm == "bcd":
        demotion = demote_biased(distinct, k, low)
    else:
        demotion = demote_low_faithfulness(distinct, k, low, tableau.violations)
    return Ranking(tableau, algorithm, winning_rows(tableau), demotion, ercs, low, pairs)
