"""Documents: what is open in a lab, kept on this computer from the first edit on.

``store`` keeps documents in one SQLite file, ``safe_pickle`` writes what has no plain form (undo history,
runs), ``writer`` saves on a thread of its own, and ``keeper`` joins the page of a lab with its document.
"""
