"""How many words have to be heard until a language of stress is known, by the rule and in random order.

    python -m benchmarks questions FOLDER [--every N]

``FOLDER`` is as for ``python -m benchmarks metrical``. What is possible beforehand, and equally probable, are
the languages of 20,000 rankings drawn at random and those of the folder. A word that is heard leaves those in
which it sounds so; the language is known when one is left. The next word is the first of
:func:`otlab.ot.analysis.questions.questions`, which is what ``otlab ask`` prints, or any other one.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.forms import kept, languages, metrics
from otlab.ot.analysis.candidates import could_win
from otlab.ot.analysis.questions import questions
from otlab.ot.kernels.overt import best_rows
from otlab.ot.learners.error_driven import lay_out
from otlab.ot.overt import heard_tableau, overt_forms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.ot import Tableau

RANKINGS, ORDERS = 20_000, 5


class Possible:
    """The languages that are possible: a row for each, with the overt form of each word, int64."""

    def __init__(self, folder: Path) -> None:
        grammar = kept(metrics(), could_win)
        forms = overt_forms_of(grammar)
        drawn = forms.of_row[winners(grammar, RANKINGS)]
        number = {(forms.input_of[n], name): n for n, name in enumerate(forms.names)}
        named = [
            [number[k, heard[word]] for k, word in enumerate(grammar.inputs)] for heard in languages(folder)
        ]
        self.heard: Tableau = replace(heard_tableau(grammar), frequencies=np.zeros(len(forms.names)))
        self.all = np.unique(np.array([*drawn, *named]), axis=0)
        self.asked = np.array(named)
        self._best: dict[tuple[tuple[int, int], ...], int] = {}

    def left(self, answers: dict[int, int]) -> NDArray[np.int64]:
        """Return the languages in which each word asked has this overt form."""
        words, forms = [*answers], [*answers.values()]
        found: NDArray[np.int64] = self.all[(self.all[:, words] == forms).all(axis=1)]
        return found

    def next_word(self, answers: dict[int, int]) -> int:
        """Return the word that would tell most."""
        key = tuple(answers.items())
        if key not in self._best:
            left = self.left(answers)
            p = np.zeros((len(left), self.heard.n_rows))
            np.put_along_axis(p, left, 1.0, axis=1)
            frequencies = np.zeros(self.heard.n_rows)
            frequencies[list(answers.values())] = 1
            first = questions(replace(self.heard, frequencies=frequencies), p).input[0]
            self._best[key] = self.heard.inputs.index(first)
        return self._best[key]

    def words_needed(self, language: NDArray[np.int64], order: Sequence[int] = ()) -> int:
        """Return how many words are heard until one language is left; those of an order, or by the rule."""
        answers: dict[int, int] = {}
        while len(self.left(answers)) > 1:
            word = order[len(answers)] if len(order) else self.next_word(answers)
            answers[word] = int(language[word])
        return len(answers)


def winners(grammar: Tableau, rankings: int) -> NDArray[np.int64]:
    """Return the rows that win under rankings drawn at random, int64 (rankings, inputs)."""
    rng = np.random.default_rng(1)
    rivals = lay_out(replace(grammar, frequencies=np.ones(grammar.n_rows)))
    found = np.empty((rankings, len(grammar.inputs)), np.int64)
    for row in found:
        best_rows(rivals, rng.permutation(grammar.n_constraints).astype(float), row)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the medians, and how often the rule needs fewer words."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks questions", description=__doc__.split("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="with a CSV file for each language")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th of them")
    args = parser.parse_args(argv)
    possible = Possible(args.folder)
    asked = possible.asked[:: args.every]
    rng, words = np.random.default_rng(2), asked.shape[1]
    ruled = np.array([possible.words_needed(one) for one in asked])
    by_chance = np.array(
        [[possible.words_needed(one, rng.permutation(words)) for _ in range(ORDERS)] for one in asked]
    )
    print(
        f"{len(asked)} languages of {len(possible.all)} possible ones, {words} words, {ORDERS} random orders"
    )
    for name, counts in (("by the rule", ruled), ("in random order", by_chance)):
        low, middle, high = np.quantile(counts, (0.1, 0.5, 0.9))
        print(f"{name}: median {middle:g} words, 80 % of runs {low:g} to {high:g}")
    fewer = float(np.mean(ruled[:, None] < by_chance))
    print(f"the rule needs fewer words than a random order in {100 * fewer:.0f} % of pairs")
    return 0


if __name__ == "__main__":
    main()
