"""Lexicon induction: what a sparse prior keeps of a pool."""

import pytest

from otlab.mg.learners.pool import induce_lexicon, pool_of
from otlab.mg.parsing.generation import generate
from otlab.samples import load_sample


def test_the_pool_has_every_word_with_every_frame():
    lexicon = load_sample("figure1_wh")
    pool = pool_of(lexicon)
    assert len(pool) == 4 * 4 + 1
    assert "did :: d -wh" in pool.texts
    assert pool.texts[-1] == "ε :: =i +wh c"
    assert len(pool_of(lexicon, ["fish"])) == 4 + 1


def test_survivors_are_the_entries_that_made_the_sentences():
    lexicon = load_sample("stabler_king")
    made = generate(lexicon, 120, seed=2, most_words=9)
    used = {item for derivation in made.derivations for item in derivation.items}
    found = induce_lexicon(pool_of(lexicon), made.sentences, iterations=100, restarts=4, seed=2)
    precision, recall = found.precision_and_recall(used)
    assert precision == recall == 1.0
    assert set(found.lexicon.items) == set(found.survivors)
    counts = found.induction.snapshot.counts
    assert sum(counts >= found.threshold) == len(found.survivors)


def test_the_best_start_is_kept_and_the_threshold_decides():
    lexicon = load_sample("attachment_wh")
    pool = pool_of(lexicon)
    few = induce_lexicon(pool, lexicon.corpus, iterations=50, restarts=3, seed=1, threshold=5.0)
    many = induce_lexicon(pool, lexicon.corpus, iterations=50, restarts=3, seed=1, threshold=0.5)
    assert set(few.survivors) < set(many.survivors)
    assert many.induction.elbo[-1] == max(many.induction.objectives)
    assert many.precision_and_recall(lexicon.items)[0] == pytest.approx(
        len(set(many.survivors) & set(lexicon.items)) / len(many.survivors)
    )
