"""Lessons: states of a lab one after another, each with a caption, in one file of Markdown."""
