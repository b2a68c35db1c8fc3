"""What is changed in a page while the browser still builds it is drawn, and drawn once."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

# Parts that take 200 ms to build, put at the end of the page's first column.
_SLOW = """
  const [Column, Div] = [Bokeh.Models["panel.models.layout.Column"], Bokeh.Models.Div]
  const found = view => view.model instanceof Column ? view : view.child_views?.map(found).find(Boolean)
  const top = [...Bokeh.index.roots].map(found).find(Boolean), before = [...top.model.children]
  const built = Div.prototype.default_view.prototype, lazy = built.lazy_initialize
  const wait = ms => new Promise(done => setTimeout(done, ms))
  built.lazy_initialize = async function () { await lazy.call(this); await wait(200) }
  const part = text => new Div({ text })
  const put = (model, children) => model.setv({ children }, { sync: false })
  const texts = view => [...view.shadow_el.children].map(node => node.shadowRoot?.textContent ?? "")
  const count = (view, text) => texts(view).filter(one => one.includes(text)).length
"""
TWICE = f"""async () => {{ {_SLOW}
  const [a, b] = [part("first"), part("second")]
  put(top.model, [...before, a])
  put(top.model, [...before, a, b])
  await wait(1500)
  const seen = [count(top, "first"), count(top, "second")]
  put(top.model, before)
  await wait(1000)
  return [...seen, count(top, "first"), count(top, "second")]
}}"""
LATE = f"""async () => {{ {_SLOW}
  const inner = new Column({{ children: [] }}), outer = new Column({{ children: [inner, part("beside")] }})
  put(top.model, [...before, outer])
  await wait(100)
  put(inner, [part("late")])
  await wait(1500)
  const view = [...top.child_views].find(one => one.model === outer)
  return count([...view.child_views].find(one => one.model === inner), "late")
}}"""
# A table's column gets another title while the table is built anew.
COLUMNS = """async () => {
  const found = view => view.tabulator ? view : view.child_views?.map(found).find(Boolean)
  const view = [...Bokeh.index.roots].map(found).find(Boolean), model = view.model
  const named = c => c.field === "c_0" ? { ...c, title: "Renamed" } : c
  const entitled = c => c.columns ? { ...c, columns: c.columns.map(entitled) } : named(c)
  view.render()
  const configuration = { ...model.configuration, columns: model.configuration.columns.map(entitled) }
  model.setv({ configuration }, { sync: false, silent: true })
  model.properties.columns.change.emit()
  await new Promise(done => setTimeout(done, 1000))
  return view.shadow_el.querySelector(".tabulator-col[tabulator-field='c_0']").textContent
}"""


def test_parts_that_change_twice_while_they_are_built_stand_once(visit, toy_url):
    assert visit().open(toy_url).evaluate(TWICE) == [1, 1, 0, 0]


def test_parts_added_to_a_column_that_is_being_built_are_drawn(visit, toy_url):
    assert visit().open(toy_url).evaluate(LATE) == 1


def test_columns_that_change_while_their_table_is_built_are_drawn(opened):
    page, _ = opened()
    assert "Renamed" in page.evaluate(COLUMNS)
