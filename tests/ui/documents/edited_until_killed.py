"""A lab that runs and is edited until its process is killed, for ``test_kill.py``.

    python -m tests.ui.documents.edited_until_killed ot STORE

keeps its document in the file STORE; it prints the document's id, then the seed of each edit once the
page says that it is saved.
"""

from __future__ import annotations

import os
import sys
import time

from tests.ui.documents.helpers import CASES, LONG, paged


def say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main(name: str, store: str) -> None:
    os.environ["OTLAB_DOCUMENTS"] = store
    case = CASES[name]
    lab = paged(case)
    lab.runner.enable([case.learner])
    lab.settings.param.update(**{**case.short, **LONG[name]})
    lab.runner.run()
    while lab.runner.runner.jobs[case.learner].last is None:  # its kernels are read first
        lab.runner.tick()
        time.sleep(0.01)
    case.edits[-1](lab)
    say(lab.document)
    seed = 1000
    while True:
        for _ in range(3):
            seed += 1
            lab.settings.seed = seed
            lab.runner.tick()
            time.sleep(0.02)
        while not lab.bar.saved.startswith("Saved"):
            lab.runner.tick()
            time.sleep(0.01)
        say(seed)


if __name__ == "__main__":
    main(*sys.argv[1:])
