"""The command line: one module a command, found through a registry.

A command is a module with ``NAME``, ``HELP``, ``add_arguments(parser)`` and
``execute(args, console) -> dict``: the dict is what ``--json`` prints, and the module's
``show(result, console)`` prints the same for people. Exit codes: 0 done, 1 a defect,
2 the input or an option is wrong, 3 stopped by the user.
"""

from __future__ import annotations

from otlab.cli.main import main

__all__ = ["main"]
