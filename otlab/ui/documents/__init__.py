"""Documents: what is open in a lab, kept on this computer from the first edit on.

``store`` keeps documents in one SQLite file, ``encoding`` writes what has no plain form (undo history, runs)
as data of the classes in ``stored_classes``, ``writer`` saves on a thread of its own, and ``keeper`` joins
the page of a lab with its document.
"""
