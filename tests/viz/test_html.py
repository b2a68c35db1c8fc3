"""HTML tables: all text is escaped, HTML is not."""

from __future__ import annotations

from otlab.html import Markup, element, joined, table, td, th, tr


def test_text_is_escaped_and_html_is_not():
    cells = [td("a < b"), td(element("b", "<i>")), td(Markup("<u>x</u>"), "num", title='"')]
    assert tr(cells) == (
        '<tr><td>a &lt; b</td><td><b>&lt;i&gt;</b></td><td class="num" title="&#34;"><u>x</u></td></tr>'
    )


def test_zero_is_shown_and_an_empty_attribute_is_left_out():
    assert td(0, data_draw=0, title="", aria_current=None, hidden=False) == '<td data-draw="0">0</td>'


def test_a_table_has_heads_only_if_there_are_any():
    made = table(["<", th("n", "num")], [tr([td("x")])], label="Sizes & <n>", kind="small")
    assert made == (
        '<table class="small" aria-label="Sizes &amp; &lt;n&gt;"><thead><tr><th scope="col">&lt;</th>'
        '<th scope="col" class="num">n</th></tr></thead><tbody><tr><td>x</td></tr></tbody></table>'
    )
    assert table([], []) == "<table><tbody></tbody></table>"


def test_parts_are_joined_by_escaped_text():
    assert joined(["a", "<", Markup("<br>")], " & ") == "a &amp; &lt; &amp; <br>"
