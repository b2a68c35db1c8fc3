"""The run panel without a browser: what it says and does at each moment."""

from __future__ import annotations

from itertools import count

import panel as pn
import param
import pytest

from otlab.errors import Fault, InputError
from otlab.inference import run
from otlab.ui import LearnerRow, RunPanel, Seed, TrustReport, run_panel
from otlab.ui.components.badge import Badge, Remedy, badge
from otlab.ui.refresh import DrawingThread, Refresh
from otlab.ui.run_messages import progress_words
from otlab.ui.runner import Progress
from otlab.ui.session_watchdog import SessionWatchdog
from tests.ui.page import component, send
from tests.ui.toy import ToyLab, Walk
from tests.ui.waiting import until


class RunSettings(param.Parameterized):
    sweeps = param.Integer(1, bounds=(1, None))
    seed = Seed()


class Watched:
    """A panel and everything it called back with."""

    def __init__(self, sweeps=30, rows=None, **callbacks):
        self.ticks, self.ends, self.resets, self.starts = [], [], 0, 0
        self.settings = RunSettings(sweeps=sweeps)
        made = LearnerRow("a", "Gibbs", "gibbs", plan=lambda: self.make, detail=lambda: "1 chain")
        self.panel = RunPanel(
            rows or [made],
            self.settings,
            **{
                "on_ticks": self.ticks.append,
                "on_end": self.ends.append,
                "on_reset": self.reset,
                **callbacks,
            },
        )

    def make(self, **walk):
        return run(Walk(**walk), sweeps=self.settings.sweeps, seed=self.settings.seed, every=5)

    def reset(self):
        self.resets += 1

    @property
    def shown(self):
        return component(self.panel, "RunHead").state


def slow(watched):
    return LearnerRow("a", "Gibbs", "gibbs", plan=lambda: lambda: watched().make(pause=0.002))


@pytest.fixture
def running():
    """A panel in the middle of a long run."""
    box = []
    watched = Watched(10_000, rows=[slow(lambda: box[0])])
    box.append(watched)
    watched.panel.run()
    until(lambda: watched.panel.tick() or watched.ticks)
    yield watched
    watched.panel.close()


def test_before_the_first_run():
    shown = Watched().shown
    assert (shown["phase"], shown["primary"], shown["can_stop"], shown["can_reset"]) == (
        "idle",
        "Run",
        False,
        False,
    )
    assert shown["progress"]["title"] == "Ready"


def test_a_whole_run():
    watched = Watched()
    watched.panel.run()
    assert watched.panel.wait(20)
    assert watched.ticks[-1]["a"].sweep == 30
    assert watched.ends == ["done"]
    assert watched.shown["primary"] == "Run"
    assert watched.shown["progress"]["title"] == "Sweep 30"
    assert watched.shown["progress"]["share"] == 1.0


def test_the_primary_button_reads_run_pause_resume(running):
    assert running.shown["primary"] == "Pause"
    running.panel.toggle()
    assert running.shown["primary"] == "Resume"
    assert running.shown["progress"]["title"] == "Paused"
    running.panel.toggle()
    assert running.shown["primary"] == "Pause"


def test_stop_keeps_what_was_seen(running):
    sweep = running.ticks[-1]["a"].sweep
    running.panel.stop()
    assert running.ends == ["stopped"]
    assert running.shown["primary"] == "Run"
    assert running.shown["progress"]["rest"].endswith("sweeps kept")
    assert running.ticks[-1]["a"].sweep >= sweep
    assert running.resets == 0


def test_reset_forgets_results_and_keeps_settings(running):
    running.settings.param.update(seed=77)
    running.panel.reset()
    assert running.resets == 1
    assert running.shown["phase"] == "idle"
    assert running.settings.seed == 77


def test_steps_by_hand():
    watched = Watched()
    watched.panel.step()
    until(lambda: watched.panel.tick() or watched.ticks)
    assert watched.ticks[-1]["a"].sweep == 1
    assert watched.shown["progress"]["title"] == "Sweep 1"
    assert watched.shown["progress"]["left"] == "stepping by hand"
    watched.panel.stop()


def test_settings_changed_in_a_run_say_from_the_next_run(running):
    running.settings.param.update(seed=9)
    assert running.panel.form.state["pending"] == ["seed"]
    running.settings.param.update(seed=2005)
    assert running.panel.form.state["pending"] == []
    running.settings.param.update(seed=9)
    running.panel.stop()
    assert running.panel.form.state["pending"] == []


def test_a_learner_unticked_in_a_run_says_from_the_next_run(running):
    send(running.panel, {"kind": "row", "name": "a", "on": False}, "RunHead")
    assert running.shown["rows"][0]["status"] == "from the next run"


def test_without_a_learner_there_is_nothing_to_run():
    watched = Watched()
    send(watched.panel, {"kind": "row", "name": "a", "on": False}, "RunHead")
    assert watched.shown["can_run"] is False


def test_a_failure_is_shown_with_its_details():
    watched = Watched(rows=[LearnerRow("a", "Gibbs", "gibbs", plan=lambda: lambda: watched.make(fail_at=7))])
    watched.panel.run()
    watched.panel.wait(20)
    fault = watched.shown["fault"]
    assert fault["title"] == "Gibbs stopped because of an error"
    assert "the toy was asked to fail" in fault["rows"][0]["what"]
    assert "Traceback" in fault["detail"]
    assert watched.ends == ["failed"]


def test_bad_data_show_every_fault_and_no_traceback():
    def refuse():
        raise InputError([Fault("one", "mend it", "x.csv", 3), Fault("two", "mend that", "x.csv", 4, 2)])

    watched = Watched(rows=[LearnerRow("a", "Gibbs", "gibbs", plan=lambda: refuse)])
    watched.panel.run()
    fault = watched.shown["fault"]
    assert [row["place"] for row in fault["rows"]] == ["x.csv, line 3", "x.csv, line 4, column 2"]
    assert fault["detail"] == ""


def test_a_lab_that_cannot_draw_ends_the_run_and_says_so():
    def broken(ticks):
        raise KeyError("bars")

    watched = Watched(10_000, on_ticks=broken)
    watched.panel.run()
    watched.panel.wait(20)
    assert watched.shown["phase"] == "failed"
    assert "KeyError" in watched.shown["fault"]["rows"][0]["what"]


def test_on_start_may_refuse():
    def refuse():
        raise InputError("the table has no counts")

    watched = Watched(on_start=refuse)
    watched.panel.run()
    assert watched.shown["phase"] == "failed"
    assert watched.panel.runner.jobs == {}


def test_running_again_clears_a_failure():
    fail = [True]

    def make():
        if fail[0]:
            raise InputError("not yet")
        return watched.make()

    watched = Watched(rows=[LearnerRow("a", "Gibbs", "gibbs", plan=lambda: make)])
    watched.panel.run()
    watched.panel.wait(20)
    fail[0] = False
    watched.panel.run()
    assert watched.panel.wait(20)
    assert watched.shown["fault"] is None
    assert watched.ends == ["failed", "done"]


def test_trust_is_asked_at_the_end():
    asked = []

    def trust():
        asked.append(1)
        return TrustReport(badge("Converged"))

    watched = Watched(trust=trust)
    assert watched.shown["trust"]["text"] == "Too early to say"
    assert [stat["value"] for stat in watched.shown["trust"]["stats"]] == ["–", "–"]
    watched.panel.run()
    watched.panel.wait(20)
    assert asked
    assert watched.shown["trust"]["text"] == "Converged"


def test_of_two_quick_clicks_on_run_the_second_is_no_pause():
    watched = Watched(sweeps=10**9)
    head = component(watched.panel, "RunHead")
    for _ in range(2):
        send(head, {"kind": "toggle", "label": "Run"})
    assert watched.panel.phase in ("preparing", "running")
    send(head, {"kind": "toggle", "label": "Pause"})
    assert watched.panel.phase == "paused"
    watched.panel.close()


def test_results_do_not_depend_on_pauses():
    plain, paused = Watched(200), Watched(200)
    plain.panel.run()
    plain.panel.wait(20)
    for _ in range(3):
        paused.panel.step()
    paused.panel.resume()
    paused.panel.wait(20)
    assert (plain.ticks[-1]["a"].view == paused.ticks[-1]["a"].view).all()


@pytest.mark.parametrize(
    ("phase", "ahead", "by_hand", "title", "rest", "left"),
    [
        ("waiting", 2, False, "Waiting", "2 runs ahead of yours", ""),
        ("waiting", 1, False, "Waiting", "1 run ahead of yours", ""),
        ("waiting", 0, False, "Waiting", "next in line", ""),
        ("running", 0, False, "Sweep 3,180", "of 20,000", "2,410 sweeps a second"),
        ("paused", 0, False, "Paused", "at sweep 3,180", ""),
        ("paused", 0, True, "Sweep 3,180", "of 20,000", "stepping by hand"),
        ("stopped", 0, False, "Stopped", "3,180 sweeps kept", ""),
    ],
)
def test_the_words_around_the_bar(phase, ahead, by_hand, title, rest, left):
    words = progress_words(phase, Progress("sweep", 3180, 20_000, 2410.0, 7.0), ahead, by_hand=by_hand)
    assert (words["title"], words["rest"], words["left"]) == (title, rest, left)


@pytest.mark.parametrize(
    ("failures", "title", "rest"),
    [
        ([InputError("no blanks between the words")], "Cannot run", "the reason is below"),
        ([InputError("no words"), ZeroDivisionError()], "Stopped", "by an error"),
        ([], "Stopped", "by an error"),
    ],
)
def test_only_a_fault_of_the_program_is_called_an_error(failures, title, rest):
    words = progress_words("failed", Progress("sweep"), 0, by_hand=False, failures=failures)
    assert (words["title"], words["rest"]) == (title, rest)


def test_a_run_that_settles_says_after_how_many_steps():
    words = progress_words("done", Progress("iteration", 73, 73, 900.0, 0.0, True), 0, by_hand=False)
    assert (words["title"], words["rest"]) == ("Finished", "after 73 iterations")
    assert (words["left"], words["right"], words["share"]) == ("no further change", "done", 1.0)


def test_a_run_without_end_has_no_percent_and_no_time_left():
    words = progress_words("running", Progress("trial", 3180, rate=2410.0), 0, by_hand=False)
    assert (words["title"], words["rest"], words["left"]) == (
        "Trial 3,180",
        "without end",
        "2,410 trials a second",
    )
    assert (words["endless"], words["share"], words["right"]) == (True, None, "")


@pytest.mark.parametrize(
    ("kind", "offered"), [("good", None), ("warn", "Run 20 more"), ("bad", "Run 20 more")]
)
def test_where_the_answer_is_no_the_run_may_go_on(kind, offered):
    added = []
    box = []
    row = LearnerRow("a", "Gibbs", "gibbs", plan=lambda: lambda: box[0].make(), more=20, prolong=added.append)
    box.append(Watched(30, rows=[row], trust=lambda: TrustReport(Badge("so", kind))))
    watched = box[0]
    watched.panel.run()
    assert watched.panel.wait()
    longer = watched.shown["trust"]["longer"]
    assert (longer and longer["text"]) == offered
    send(watched.panel, {"kind": "run_longer"}, "RunHead")
    assert watched.panel.wait()
    assert watched.ticks[-1]["a"].sweep == 50
    assert (added, watched.ends) == ([20], ["done", "done"])


def test_time_left_and_slow_rates():
    words = progress_words("running", Progress("iteration", 70, 200, 9.04, 14.4), 0, by_hand=False)
    assert (words["left"], words["right"]) == ("9.0 iterations a second", "14 s left")


def test_the_buttons_below_the_advice_act_and_others_are_ignored():
    done = []
    report = TrustReport(Badge("so", "warn"), remedies=(Remedy("More draws", lambda: done.append("more")),))
    watched = Watched(trust=lambda: report)
    send(watched.panel, {"kind": "remedy", "at": 0}, "RunHead")
    assert done == [], "there is no advice before a run"
    watched.panel.run()
    assert watched.panel.wait()
    assert len(watched.shown["trust"]["remedies"]) == 1
    send(watched.panel, {"kind": "remedy", "at": 0}, "RunHead")
    send(watched.panel, {"kind": "remedy", "at": 7}, "RunHead")
    assert done == ["more"]


def test_without_a_run_there_is_none_to_go_on():
    watched = Watched()
    send(watched.panel, {"kind": "run_longer"}, "RunHead")
    assert (watched.panel.phase, watched.ticks, watched.ends) == ("idle", [], [])


class _Session:
    destroyed = False
    connection_count = 1


class _Page:
    def __init__(self):
        self.session_context = type("Context", (), {"session": _Session()})()


def test_a_page_that_nobody_looks_at_is_given_up(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("otlab.ui.session_watchdog.time.monotonic", lambda: now[0])
    watchdog, page = SessionWatchdog(), _Page()
    monkeypatch.setattr(type(pn.state), "curdoc", page)
    watchdog.enter()
    now[0] = 100.0
    assert not watchdog.gone(), "connected, and hidden tabs are slow to give signs of life"
    page.session_context.session.connection_count = 0
    now[0] = 140.0
    assert not watchdog.gone(), "a reload takes a moment"
    now[0] = 146.0
    assert watchdog.gone()


def test_a_half_open_connection_is_given_up(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("otlab.ui.session_watchdog.time.monotonic", lambda: now[0])
    watchdog = SessionWatchdog()
    monkeypatch.setattr(type(pn.state), "curdoc", _Page())
    watchdog.enter()
    now[0] = 149.0
    assert not watchdog.gone()
    watchdog.heard()
    now[0] = 298.0
    assert not watchdog.gone()
    now[0] = 300.0
    assert watchdog.gone()


def test_a_script_is_never_given_up(monkeypatch):
    monkeypatch.setattr("otlab.ui.session_watchdog.time.monotonic", lambda: 1e9)
    assert not SessionWatchdog().gone()


def test_a_lab_ends_its_jobs_when_closed():
    lab = ToyLab(pause=0.001)
    lab.runner.run()
    jobs = list(lab.runner.runner.jobs.values())
    lab.close()
    assert all(job.join(10.0) for job in jobs)


class Call:
    """Stands for the timer of a panel: notes when it is started; `now` calls back at once."""

    def __init__(self, callback):
        self.now, self.waits = callback, []

    def call(self, milliseconds):
        self.waits.append(milliseconds)

    def cancel(self):
        self.waits.clear()


def test_a_run_that_ends_while_it_is_drawn_is_shown_to_its_end(monkeypatch):
    timers, ending = [], []
    monkeypatch.setattr(run_panel, "Later", lambda callback: timers.append(Call(callback)) or timers[0])
    monkeypatch.setattr(run_panel, "Refresh", lambda: Refresh(DrawingThread(clock=count().__next__)))

    def end_meanwhile():
        for job in ending:
            job.cancel()
            job.join(60)
        return ""

    row = LearnerRow("a", "Gibbs", "gibbs", lambda: lambda: watched.make(pause=0.002), end_meanwhile)
    watched = Watched(10_000, rows=[row])
    panel, timer = watched.panel, timers[0]
    panel.run()
    until(lambda: panel.tick() or watched.ticks)
    ending.append(panel.runner.jobs["a"])
    timer.waits.clear()
    timer.now()
    assert not panel.runner.alive
    assert timer.waits, "no call is scheduled to show the end"
    timer.now()
    assert len(watched.ends) == 1
    timer.waits.clear()
    timer.now()
    assert not timer.waits
