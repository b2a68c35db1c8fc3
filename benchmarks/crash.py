"""Measure what is saved of a document when the server is killed: kill -9 at random moments of a run.

    python -m benchmarks crash [--kills 20] [--seed 1] [--longest 12]

For each kill: a server with a store of its own, and one page in Chromium on one of the labs in turn. A run is
started, and then an edit made as often as the page takes one: a new seed, and in turn with it a change of the
data, where the lab has a table or a text to type into. At a random moment the server is killed. A new one
is started at the same port, the page is loaded again, and its run is resumed to the end. In the grammar lab
an edit of the data ends the runs, so there every second page has its seed edited only.

An edit is made when the last key of it has been pressed. Three things must hold: no edit older than two
seconds is lost; the page opens; and what the resumed run shows at its end is, to the bit, what a run of the
same learner shows that was never stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import expect

from otlab.inference import run
from otlab.ui.documents.encoding import loads
from otlab.ui.documents.runs import RUN
from otlab.ui.documents.store import DocumentStore
from tests.test_every_learner import numbers
from tests.ui.browser import PATIENCE, Visit, free_port, launched, server

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OLDEST_LOST = 2.0  # seconds: younger edits may be lost
FIRST_EDIT = 1000  # the number that the first edit writes


def _type_violation(page: Any, number: int) -> None:
    page.locator(".tabulator-cell[tabulator-field='c_0']").first.click()
    page.keyboard.press("Control+A")
    page.keyboard.type(str(number))
    page.keyboard.press("Enter")


def _type_grammar(page: Any, number: int) -> None:
    box = page.get_by_label("Grammar", exact=True)
    text = box.input_value().split("\n# edit ")[0]
    box.fill(f"{text}\n# edit {number}")


def _type_item(page: Any, number: int) -> None:
    page.get_by_label("Item of row 1", exact=True).fill(f"word{number}")
    page.keyboard.press("Enter")


@dataclass(frozen=True)
class Lab:
    """A lab with runs of ten seconds or more; the edit of its data writes a number into them."""

    address: str
    learners: tuple[str, ...] = ()  # ticked beside those that are
    edit: Callable[[Any, int], None] | None = None
    written: str = ""  # how the data show the number of an edit
    under_way: re.Pattern[str] = re.compile(r"^(Sweep|Iteration) [\d,]+$")  # shown once learners have begun
    edits_end_runs: bool = False  # then data are edited at every second kill only


LABS = {
    "OT": Lab(
        "ot_lab?example=ilokano_reduplication&sweeps=100000",
        (),
        _type_violation,
        r"\b(\d{4})\b",
        re.compile(r"^[\d,]+ draws"),
    ),
    "Tagging": Lab("tagging_lab?iterations=60&states=30&runs=2"),
    "Grammar": Lab(
        "mg_lab?iterations=4000&sweeps=20000", ("Gibbs",), _type_item, r"word(\d{4})", edits_end_runs=True
    ),
    "Lexicon": Lab("lexicon_lab?iterations=100", (), _type_grammar, r"# edit (\d{4})"),
}


@dataclass
class Outcome:
    """One kill, a line of the table."""

    lab: str
    after: float
    edits: list[tuple[float, int, bool]] = field(default_factory=list)  # time, number, whether of the data
    killed: float = 0.0
    kept: dict[bool, int] = field(default_factory=dict)  # the last number in the data, and of the seed
    opened: bool = False
    resumed: dict[str, int] = field(default_factory=dict)  # sweep that each run went on from
    going: bool = False  # whether any of them had not ended
    same: dict[str, bool] = field(default_factory=dict)
    trouble: str = ""  # what the page did not do, and what it showed instead

    @property
    def lost(self) -> list[float]:
        """Age at the kill of each edit that is not in the document, in seconds."""
        return [self.killed - when for when, number, data in self.edits if number > self.kept.get(data, 0)]

    @property
    def holds(self) -> bool:
        kept = max(self.lost, default=0.0) <= OLDEST_LOST
        return kept and self.opened and all(self.same.values()) and not self.trouble


def one_kill(browser: Any, name: str, after: float, folder: Path, *, second: bool = False) -> Outcome:
    """Kill a server so many seconds after its run's first picture; return what the next one finds."""
    lab, outcome, port = LABS[name], Outcome(name, after), free_port()
    if lab.edits_end_runs and second:
        lab = replace(lab, edit=None)
    command = ("otlab", "serve", "--no-browser", "--port", "{port}")
    store = folder / "documents.sqlite"
    os.environ["OTLAB_DOCUMENTS"] = str(store)
    visit = Visit(browser)
    try:
        with server(*command, port=port, log=folder / "first.log") as (url, process):
            page = visit.open(f"{url}/{lab.address}")
            _edit_until_killed(page, lab, outcome, process)
        document = parse_qs(urlsplit(page.url).query).get("document", [""])[0]
        _note_kept(store, document, lab, outcome)
        if not document:  # killed before the page had one
            outcome.opened = True
            return outcome
        with server(*command, port=port, log=folder / "second.log"):
            page.goto(page.url)
            visit.ready()
            try:
                _resume(page, outcome)
                _compare(store, document, outcome)
            except (PlaywrightError, AssertionError, TimeoutError) as error:  # the next kill is tried, too
                shown = " ".join(page.locator("body").inner_text().split())
                outcome.trouble = f"{str(error).splitlines()[0]}; shown: {shown}"
    finally:
        visit.context.close()
    return outcome


def _edit_until_killed(page: Any, lab: Lab, outcome: Outcome, process: Any) -> None:
    """Start a run, edit, and kill the server meanwhile."""
    for learner in lab.learners:
        page.get_by_role("checkbox", name=learner, exact=True).check()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text(lab.under_way).first.wait_for()

    def kill() -> None:
        process.kill()
        outcome.killed = time.monotonic()

    timer = threading.Timer(outcome.after, kill)
    timer.start()
    seed = page.get_by_role("textbox", name="Seed", exact=True)
    number = FIRST_EDIT
    while process.poll() is None:
        number += 1
        data = lab.edit is not None and number % 2 == 0
        begin = time.monotonic()
        if data:
            lab.edit(page, number)
        else:
            seed.fill(str(number))
            seed.press("Enter")
        if not outcome.killed:
            outcome.edits.append((time.monotonic(), number, data))
        page.wait_for_timeout(max(0.0, 300 - 1000 * (time.monotonic() - begin)))
    timer.join()
    outcome.edits = [edit for edit in outcome.edits if edit[0] < outcome.killed]


def _note_kept(path: Path, document: str, lab: Lab, outcome: Outcome) -> None:
    """Note the numbers of the last edits in the document, and how far its runs were saved."""
    store = DocumentStore(path)
    saved = store.load(document)
    store.close()
    if saved is None:
        return
    outcome.kept[False] = int(saved.values["settings"]["seed"])
    if lab.written:
        found = re.findall(lab.written, json.dumps(saved.values["document"]))
        outcome.kept[True] = max(map(int, found), default=0)
    for name, data in saved.parts.items():
        if name.startswith(RUN) and data:
            record = loads(data)
            waiting = isinstance(record, dict)  # for its first turn
            outcome.resumed[name.removeprefix(RUN)] = 0 if waiting else record.sweep
            outcome.going |= waiting or not record.run().finished
    if lab.edits_end_runs and outcome.kept.get(True):
        outcome.resumed = {}


def _resume(page: Any, outcome: Outcome) -> None:
    """Let the runs of a reopened document continue to their end."""
    outcome.opened = page.get_by_text("Start over").count() == 0
    if not outcome.resumed:
        return
    if outcome.going:
        page.get_by_role("button", name="Resume", exact=True).click()
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=4 * PATIENCE)


def _compare(path: Path, document: str, outcome: Outcome) -> None:
    """Compare the end of each resumed run with that of one that was never stopped."""
    store = DocumentStore(path)
    for name in outcome.resumed:
        until = time.monotonic() + PATIENCE / 1000
        while not (record := loads(store.load(document).parts[RUN + name])).run().finished:
            if time.monotonic() > until:
                raise TimeoutError(f"the end of {name} was not saved")
            time.sleep(0.2)
        whole = run(record.learner, sweeps=record.total, seed=record.seed, chains=len(record.chains))
        outcome.same[name] = numbers(whole.finish().views) == numbers(record.run().tick().views)
    store.close()


def report(outcomes: Sequence[Outcome]) -> str:
    """Return the table of all kills, and what they say together."""
    lines = ["    lab      killed after edits lost oldest lost opens  runs"]
    for n, one in enumerate(outcomes, 1):
        runs = ", ".join(
            f"{name} from {sweep:,}: {'same' if one.same.get(name) else 'NOT THE SAME'}"
            for name, sweep in one.resumed.items()
        )
        runs = f"{runs} TROUBLE: {one.trouble}" if one.trouble else runs
        oldest = f"{max(one.lost):.2f} s" if one.lost else "-"
        lines.append(
            f"{n:3d} {one.lab:8} {one.after:10.2f} s {len(one.edits):5d} {len(one.lost):4d} {oldest:>11} "
            f"{'yes' if one.opened else 'NO':>5}  {runs or 'none saved'}"
        )
    edits, lost = sum(len(one.edits) for one in outcomes), [age for one in outcomes for age in one.lost]
    same = [each for one in outcomes for each in one.same.values()]
    lines.append(
        f"{len(outcomes)} kills: {sum(one.opened for one in outcomes)} pages open again, "
        f"{sum(bool(one.trouble) for one in outcomes)} with trouble; {len(lost)} of "
        f"{edits:,} edits lost, the oldest {max(lost, default=0):.2f} s old; {sum(same)} of {len(same)} runs "
        "end with the numbers of a run that was never stopped"
    )
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks crash", description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument(
        "--longest", type=float, default=12.0, help="seconds from the first picture to the kill"
    )
    parser.add_argument("--lab", choices=LABS, help="only this one")
    args = parser.parse_args(argv)
    moments = np.random.default_rng(args.seed).uniform(0.2, args.longest, args.kills)
    labs = [args.lab] if args.lab else list(LABS)
    outcomes = []
    with launched() as browser:
        expect.set_options(timeout=PATIENCE)
        for n, after in enumerate(moments):
            with tempfile.TemporaryDirectory() as folder:
                lab, second = labs[n % len(labs)], n // len(labs) % 2 == 1
                outcomes.append(one_kill(browser, lab, float(after), Path(folder), second=second))
            print(report(outcomes[-1:]).splitlines()[1], file=sys.stderr, flush=True)
    print(report(outcomes))
    return 0 if all(one.holds for one in outcomes) else 1
