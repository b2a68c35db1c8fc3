"""Serve the home page: ``panel serve apps/*.py --index index``."""

from otlab.ui.home import home_page

home_page().servable()
