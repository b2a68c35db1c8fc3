"""What is not known (scores of an untagged text, the objective while it is annealed) is a dash or empty."""

from __future__ import annotations

import re

import pytest

from otlab.tagging.io.read import parse
from otlab.ui.tagging.lab import TaggingLab
from otlab.ui.tagging.tabs.data import FILES, file_bytes, result_html
from otlab.ui.tagging.trust import trust_report
from tests.ui.page import shown_text
from tests.ui.tagging.helpers import TABS, finished, view_of

NAN = re.compile(r"(?<![\w.])-?(nan|NaN)(?!\w)")
TAGGED = "the/DT dog/NN barks/VBZ\nit/PRP sleeps/VBZ\nthe/DT cat/NN sleeps/VBZ\n" * 8
UNTAGGED = TAGGED.replace("/DT", "").replace("/NN", "").replace("/VBZ", "").replace("/PRP", "")


@pytest.mark.parametrize("text", [TAGGED, UNTAGGED], ids=["tagged", "untagged"])
@pytest.mark.parametrize("learner", ["vb", "em", "gibbs"])
def test_no_tab_and_no_download_has_nan(text, learner):
    lab = TaggingLab(parse(text, "a"))
    lab.settings.param.update(iterations=3, runs=2, states=3, temperature=3.0, cooling=100)
    lab.runner.enable([learner])
    lab.layout = lab.main()
    finished(lab)
    view = view_of(lab)
    if learner == "vb":
        assert trust_report(lab.state.result).badge.text == "Still annealed"
    for title in TABS:
        view.go(title)
        found = NAN.search(shown_text(view.tab(title)))
        assert found is None, (title, shown_text(view.tab(title))[found.start() - 80 : found.end() + 40])
    for key in FILES.keys() - {"model", "page"}:
        assert not NAN.search(file_bytes(lab.state.result, key).decode()), key
    visible = re.sub(
        r"<script.*?</script>|<style.*?</style>", "", result_html(lab.state).decode(), flags=re.S
    )
    assert not NAN.search(visible)
    lab.close()
