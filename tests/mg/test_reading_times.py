"""Reading times beside predictions: reading tables, correlations by hand, coverage of the intervals."""

import math

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.mg.io.read import loads
from otlab.mg.io.times import ReadSentence, read_times
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.processing.reading_times import (
    WordPrediction,
    correlate,
    correlations,
    differences,
    gains,
    predict_reading,
    unpredicted,
)

TABLE = "sentence,word,ms\ns1,what,400\ns1,did,310\ns1,you,NA\ns1,see,420\ns2,what,395\ns2,you,300\n"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_of_times(separator):
    sentences = read_times(TABLE.replace(",", separator))
    assert [s.words for s in sentences] == [("what", "did", "you", "see"), ("what", "you")]
    assert sentences[1] == ReadSentence("s2", ("what", "you"), (395.0, 300.0))
    assert math.isnan(sentences[0].times[2])
    in_other_order = "ms\tsentence\tword\n400\ts1\twhat\n"
    assert read_times(in_other_order) == [ReadSentence("s1", ("what",), (400.0,))]
    assert read_times("s1\twhat\t400\n") == read_times(in_other_order)


def test_faults_of_a_table_are_all_told():
    with pytest.raises(InputError) as error:
        read_times("1,what,400\n1,did\n1,you see,3\n1,see,fast\n1,see,-3\n", "times.csv")
    assert [(f.line, f.what) for f in error.value.faults] == [
        (2, "2 columns"),
        (3, "'you see' is not one word"),
        (4, "'fast' is not a time"),
        (5, "'-3' is not a time"),
    ]
    with pytest.raises(InputError, match="no reading times"):
        read_times("\n# nothing\n")


def test_predictors_are_those_of_the_sentence(figure1):
    found = predict_reading(figure1, read_times(TABLE))
    told = word_by_word(parse(figure1, "what did you see"))
    assert [p.word for p in found] == ["what", "did", "you", "see", "what", "you"]
    assert [p.surprisal for p in found[:4]] == told.surprisal[:4].tolist()
    assert [p.entropy_reduction for p in found[:4]] == told.reduction[:4].tolist()
    assert [p.tenure for p in found[:4]] == [1, 4, 1, 2]
    # 'what you' is no sentence: its second word has no surprisal, and no word a tenure.
    assert np.isnan([found[4].tenure, found[5].tenure, found[5].surprisal]).all()
    assert found[4].surprisal == told.surprisal[0]
    assert correlations(found)["tenure"].words == 3  # one of four has no time
    assert math.isnan(correlations(found)["tenure"].r)
    why = "because no sentence of the grammar goes on with 'you' (s2)"
    assert unpredicted(found) == f"1 of 5 words has no prediction, {why}"
    assert unpredicted(found[:4]) == ""


def test_words_that_are_not_predicted_are_told(figure1):
    sentences = [ReadSentence(str(n), ("why", "did", "you", "see"), (300.0,) * 4) for n in range(7)]
    told = unpredicted(predict_reading(figure1, sentences))
    assert told.startswith(
        "28 of 28 words have no prediction, because no sentence of the grammar goes on with"
    )
    assert told.endswith("'why' (4) and 2 more")


def test_a_correlation_by_hand():
    x, y = np.array([1.0, 2, 3, 4, np.nan]), np.array([1.0, 3, 2, 5, 7])
    # Sums of squares 5 and 8.75, of products 5.5.
    r = 5.5 / math.sqrt(5 * 8.75)
    found = correlate(x, y)
    assert (found.words, found.r) == (4, pytest.approx(r))
    assert math.atanh(found.high) - math.atanh(found.low) == pytest.approx(2 * 1.959964, abs=1e-5)
    assert math.isnan(correlate(x, np.ones(5)).r)
    assert correlate(x[:4], 2 * x[:4]).low == pytest.approx(1)


@pytest.mark.slow
def test_intervals_cover_the_true_values():
    """Each of two predictors is correlated with the times, and with the other."""
    rng = np.random.default_rng(11)
    truth = np.array([[1, 0.5, 0.4], [0.5, 1, 0.2], [0.4, 0.2, 1]])
    repeats, n = 3000, 40
    draws = rng.multivariate_normal(np.zeros(3), truth, (repeats, n))
    single = both = 0
    for a, b, times in draws.transpose(0, 2, 1):
        one = correlate(a, times)
        single += one.low <= 0.4 <= one.high
        made = [
            [_prediction(value, ms) for value, ms in zip(column, times, strict=True)] for column in (a, b)
        ]
        found = differences(*made)["surprisal"]
        assert found.r == pytest.approx(one.r - correlate(b, times).r)
        both += found.low <= 0.2 <= found.high
    # Both intervals are approximations for large samples: within one percent, and 4.5 sigma.
    for covered in (single, both):
        assert abs(covered / repeats - 0.95) < 0.01 + 4.5 * math.sqrt(0.95 * 0.05 / repeats)


def _prediction(value, ms):
    return WordPrediction("s", 1, "w", ms, value, value, value)


def test_the_better_of_two_lexicons_is_told():
    """Times that follow one lexicon's probabilities; the other has the opposite ones."""
    nouns = [f"w{k}" for k in range(30)]
    common, rare = (
        loads(
            "@start s\nruns :: n= s\n"
            + "".join(f"{w} :: n | {a}\n" for w, a in zip(nouns, alphas, strict=True))
        )
        for alphas in (range(1, 31), range(30, 0, -1))
    )
    shares = np.arange(1, 31) / sum(range(1, 31))
    sentences = [
        ReadSentence(w, (w, "runs"), (300 - 20 * math.log(p), 300.0))
        for w, p in zip(nouns, shares, strict=True)
    ]
    a, b = (predict_reading(lexicon, sentences) for lexicon in (common, rare))
    assert correlations(a)["surprisal"].r == pytest.approx(1)
    noise = np.random.default_rng(2).normal(0, 2, 60)
    a, b = ([p._replace(ms=p.ms + e) for p, e in zip(each, noise, strict=True)] for each in (a, b))
    assert differences(a, b)["surprisal"].better == "first"
    assert differences(b, a)["surprisal"].better == "second"
    same = differences(a, a)["surprisal"]
    assert (same.r, same.low, same.high, same.better) == (0, 0, 0, "undecided")


def test_gains_are_differences_of_residuals():
    """Against residuals of two regressions on an orthogonal basis; one word has no prediction."""
    rng = np.random.default_rng(4)
    x, y, ms = rng.normal(size=(3, 12))
    first = [
        WordPrediction("1", n, "w", 300 + t, v, 0, 0) for n, (t, v) in enumerate(zip(ms, x, strict=True))
    ]
    second = [p._replace(surprisal=v) for p, v in zip(first, y, strict=True)]
    second[5] = second[5]._replace(surprisal=math.nan)
    kept = np.arange(12) != 5

    def residuals(values):
        centred = values[kept] - values[kept].mean()
        times = ms[kept] - ms[kept].mean()
        return np.abs(times - centred * (centred @ times) / (centred @ centred))

    found = gains(first, second)
    assert found[kept] == pytest.approx(residuals(y) - residuals(x))
    assert math.isnan(found[5])
    assert np.isnan(gains(first[:3], second[:3])).all()
    assert np.isnan(gains(first, second, "tenure")).all(), "a predictor that does not vary"
