"""Refuse what callers give in place of a tableau, such as the name of its file."""

from __future__ import annotations

from otlab.errors import check_data
from otlab.ot.tableau import Tableau

__all__ = ["check_tableau"]


def check_tableau(given: object) -> None:
    """Refuse what is no tableau, and say how to make one.

    Examples
    --------
    >>> check_tableau("my table.csv")
    Traceback (most recent call last):
    ...
    otlab.errors.InputError: this takes a Tableau, but was given a str; read a file with otlab.ot.read
    """
    check_data("this", given, Tableau, "read a file with otlab.ot.read")
