"""Serve the home page: ``panel serve apps/*.py --index index``."""

from otlab.ui.server.home import home_page

home_page().servable()
