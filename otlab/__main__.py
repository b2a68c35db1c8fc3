"""``python -m otlab``: the command line."""

from otlab.cli import main

raise SystemExit(main())
