"""Well-formed mass, prefix probabilities, surprisal: closed forms and enumeration."""

import math

import numpy as np
import pytest

from otlab.mg.io.read import loads
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.parsing.prefix import prefix_log_probabilities, surprisals, well_formed_mass
from otlab.samples import load_sample, samples


@pytest.mark.parametrize("t", [0.1, 0.5, 0.83])
def test_figure_1_loses_all_but_2t_1_minus_t(figure1, t):
    theta = figure1.prior_mean()
    theta[0], theta[2] = t, 1 - t
    assert well_formed_mass(Grammar(figure1), theta) == pytest.approx(2 * t * (1 - t), rel=1e-12)


def test_king_and_queen():
    lexicon = load_sample("stabler_king")
    assert well_formed_mass(Grammar(lexicon), lexicon.prior_mean()) == pytest.approx(0.2805, abs=5e-5)


@pytest.mark.parametrize("name", [s.name for s in samples("mg")])
def test_surprisals_sum_to_the_probability_given_well_formedness(name):
    lexicon = load_sample(name)
    grammar, theta = Grammar(lexicon), lexicon.prior_mean()
    log_w = math.log(well_formed_mass(grammar, theta))
    for sentence in lexicon.corpus:
        steps = surprisals(grammar, sentence, theta)
        assert len(steps) == len(sentence) + 1
        assert (steps >= 0).all()
        assert steps.sum() == pytest.approx(log_w - parse(grammar, sentence).log_probability, abs=1e-9)


def test_prefixes_against_the_sum_over_continuations():
    """A finite language: the prefix probability is the sum over its sentences."""
    lexicon = loads(
        "@start c\n :: =v +wh c\n :: =v c\nsaw :: =d d= v\nwho :: d -wh\nann :: d\nbob :: d\n"
        "of late :: =d d= v\n"
    )
    theta = np.random.default_rng(6).dirichlet(np.ones(len(lexicon)))
    theta = theta / np.bincount(lexicon.category_index, theta)[lexicon.category_index]
    grammar = Grammar(lexicon)
    names, verbs = (("who",), ("ann",), ("bob",)), (("saw",), ("of", "late"))
    language = {(*a, *v, *b) for a in names for b in names for v in verbs}
    language |= {(*a, *b, *v) for a in names for b in names for v in verbs}
    mass = {s: math.exp(parse(grammar, s, theta=theta).log_probability) for s in language}
    assert sum(mass.values()) == pytest.approx(well_formed_mass(grammar, theta), rel=1e-12)
    for words in (("ann", "saw", "bob"), ("who", "of", "late", "ann"), ("who", "ann", "of", "late")):
        prefixes = np.exp(prefix_log_probabilities(grammar, words, theta))
        for k in range(len(words) + 1):
            expected = sum(p for s, p in mass.items() if s[:k] == words[:k])
            assert prefixes[k] == pytest.approx(expected, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stabler_king", "copy_ww", "naive_english_remnant", "english_np_movement"])
def test_first_words_of_random_sentences(name):
    lexicon = load_sample(name)
    grammar, theta = Grammar(lexicon), lexicon.prior_mean()
    draws = 1200
    made = generate(lexicon, draws, seed=8, most_words=10_000, most_items=10_000)
    firsts = [s[0] if s else "" for s in made.sentences]
    for word in sorted(grammar.vocabulary):
        p = math.exp(-surprisals(grammar, (word,), theta)[0])
        sd = math.sqrt(p * (1 - p) / draws)
        assert abs(firsts.count(word) / draws - p) <= 4.5 * sd + 1e-12


def test_an_impossible_word_has_infinite_surprisal(figure1):
    steps = surprisals(Grammar(figure1), ("what", "you"), figure1.prior_mean())
    assert steps[0] == 0.0
    assert steps[1] == math.inf
    assert np.isnan(steps[2])
