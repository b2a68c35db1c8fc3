"""A server is killed: what its page called saved is kept, and its run continues with the same numbers.

``python -m benchmarks crash`` does this twenty times with a server and a browser.
"""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

from otlab.inference import run
from tests.test_every_learner import numbers
from tests.ui.browser import ROOT
from tests.ui.documents.helpers import CASES, paged

pytestmark = pytest.mark.slow


def killed(name, store, after):
    """Edit and run a lab in another process, killed some seconds later; return its document and last edit."""
    command = [sys.executable, "-m", "tests.ui.documents.edited_until_killed", name, str(store.path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        document = process.stdout.readline().strip()
        saved = [process.stdout.readline()]
        threading.Timer(after, process.kill).start()
        saved += process.stdout.readlines()  # until it is killed
    assert document
    return document, int([line for line in saved if line.endswith("\n")][-1])


@pytest.mark.parametrize("name", ["ot", "lexicon", "sound"])
def test_what_was_called_saved_outlives_a_kill_and_the_run_goes_on(name, store):
    case = CASES[name]
    after = float(np.random.default_rng([13, *name.encode()]).uniform(0.5, 3))
    document, seed = killed(name, store, after)
    lab = paged(case, document=document)
    assert lab.settings.seed >= seed
    assert lab.state.history.can_undo
    lab.runner.tick()
    assert lab.runner.phase in ("paused", "done")
    job = lab.runner.runner.jobs[case.learner]
    begun_at = job.last.sweep if job.last else 0
    lab.runner.resume()
    assert lab.runner.wait(200)
    learner, ended = job.run.learner, job.last
    assert ended.sweep > begun_at or ended.finished
    whole = run(learner, sweeps=ended.total, seed=job.run.seed, chains=job.run.chains).finish()
    assert numbers(ended.views) == numbers(whole.views)
