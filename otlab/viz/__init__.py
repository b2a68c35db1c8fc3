"""Pictures: pure functions from results to HoloViews elements, SVG or HTML.

Nothing here learns, waits or owns a page. Colours come from :mod:`otlab.viz.base.tokens`
alone; a live plot is described once and then fed (:mod:`otlab.viz.base.live`).
"""
