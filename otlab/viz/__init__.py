"""Pictures: pure functions from results to HoloViews elements, SVG or HTML.

These modules do not learn and know no page. All colours come from :mod:`otlab.viz.base.tokens`. A plot
that changes during a run is rendered once, and then its data are replaced (:mod:`otlab.viz.base.live`).
"""
