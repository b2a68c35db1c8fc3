"""Tables of reading times: correlations of one lexicon or two, and the words."""

import math
import re

import pytest

from otlab.mg.io.read import loads
from otlab.mg.io.times import read_times
from otlab.mg.processing.reading_times import correlations, predict_reading
from otlab.viz.mg.reading import correlations_html, reading_html

LEXICON = "@start v\nmary :: n -f\njohn :: n -f\nsleeps :: =n +f v\n"


def cells(html):
    return [[re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
            for row in re.findall(r"<tr.*?</tr>", html)]  # fmt: skip


@pytest.fixture
def found():
    rows = [("mary", 300), ("john", 420), ("mary", 305), ("john", 425)]
    text = "".join(f"{n},{who},{ms}\n{n},sleeps,290\n" for n, (who, ms) in enumerate(rows))
    times = read_times(f"sentence,word,ms\n{text}")
    lexicons = (LEXICON, LEXICON.replace("mary :: n -f", "mary :: n -f | 9"))
    return [predict_reading(loads(lexicon), times) for lexicon in lexicons]


def test_one_lexicon_has_its_correlations(found):
    rows = cells(correlations_html(found[:1], ["A"]))
    known = correlations(found[0])["surprisal"]
    interval = f"{known.r:.2f} ({known.low:.2f} to {known.high:.2f})".replace("-", "−")
    assert rows[1] == ["Surprisal", interval, "8"]
    few = predict_reading(loads(LEXICON), read_times("sentence,word,ms\n1,mary,300\n1,sleeps,290\n"))
    assert math.isnan(correlations(few)["surprisal"].r)
    assert cells(correlations_html([few], ["A"]))[1][1] == "–"
    assert cells(correlations_html([few, few], ["A", "B"]))[1][-1] == "unknown"


def test_of_two_lexicons_the_better_one_is_named(found):
    rows = cells(correlations_html(found, ["A", "B"]))
    assert rows[1][-1] == "B"
    assert cells(correlations_html([found[0], found[0]], ["A", "B"]))[1][-1] == "the same"


def test_each_word_says_which_lexicon_is_nearer(found):
    alone, both = cells(reading_html(found[:1], ["A"])), cells(reading_html(found, ["A", "B"]))
    assert len(alone[1]) + 4 == len(both[1])  # three predictions, and who is nearer
    assert both[0][-1] == "Nearer to the time"
    nearer = [row[-1] for row in both[1:]]
    assert any(re.fullmatch(r"B, by \d+ ms", one) for one in nearer)
    assert {one.partition(",")[0] for one in nearer} <= {"", "A", "B"}
    assert cells(reading_html([found[0]] * 2, ["A", "B"]))[1][-1] == ""
