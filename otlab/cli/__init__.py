"""The command line: one module per command, listed in :data:`otlab.cli.main.COMMANDS`.

A command is a module with ``HELP``, ``add_arguments(parser)`` and
``execute(args, console) -> dict``. The dict is what ``--json`` prints; the module's
``show(result, console)`` prints it as tables and text. Exit codes: 0 done, 1 an error in otlab,
2 the input or an option is wrong, 3 stopped by the user.
"""

from __future__ import annotations

from otlab.cli.main import main

__all__ = ["main"]
