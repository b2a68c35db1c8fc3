"""Serve one lab: ``panel serve apps/*.py --index index``."""

from otlab.ui.server.serving import lab_page

lab_page("lexicon_lab").servable()
