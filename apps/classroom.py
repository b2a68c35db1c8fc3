"""Serve the teacher's page of an exercise: ``panel serve apps/*.py --index index``."""

from otlab.ui.classroom.teacher import board_page

board_page().servable()
