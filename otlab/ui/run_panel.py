"""The run panel of every lab: run, pause, step, stop, reset; progress, learners, convergence, settings.

A lab gives it rows, settings and callbacks::

    self.runner = RunPanel(
        [LearnerRow("gibbs", "Gibbs", "gibbs", self._plan_gibbs, detail=lambda: "4 chains"), ...],
        self.settings,
        on_ticks=self._draw,          # {row name: newest tick}, up to six times per second
        trust=self._trust,            # every second or two, and at the end
    )

All callbacks run on the page's own thread, inside ``pn.io.hold()``: they may change
any pane or source. Without a page (a test, a script) nothing ticks by itself: call
:meth:`RunPanel.tick`, or :meth:`RunPanel.wait` to the end.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from otlab.inference.replay import TickHistories
from otlab.ui.components.badge import TrustReport, from_chains
from otlab.ui.components.layout import down
from otlab.ui.components.run_head import RunHead
from otlab.ui.fields import values_of
from otlab.ui.refresh import Refresh
from otlab.ui.run_messages import fault_words, progress_words, trust_words
from otlab.ui.runner import LearnerRow, Runner
from otlab.ui.session_watchdog import SessionWatchdog
from otlab.ui.settings_form import SettingsForm
from otlab.ui.timers import Later, drawing, page_idle

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from otlab.inference import Run, Tick

__all__ = ["LearnerRow", "RunPanel"]

_FIRST_LOOK_MS = 90  # milliseconds after which a learner has usually sent its first tick
_TRUST_SECONDS = 1.5
_MOST_ROWS = 6  # if there are more learners, those not ticked at first are folded


def _nothing(*_: Any) -> None:
    """Do nothing: the default callback."""


class RunPanel(pn.viewable.Viewer):
    """The left column of a lab.

    Parameters
    ----------
    rows
        The learners, in the order of their rows.
    settings
        Fields below; while a run goes, those changed say "from the next run".
    on_start
        Called when Run (or the first Step) is pressed, before runs are made. May raise
        :class:`~otlab.errors.InputError` to refuse.
    on_ticks
        Called with the newest tick of each row that has a new one.
    on_end
        Called once with ``"done"``, ``"stopped"`` or ``"failed"``.
    on_reset
        Called by Reset: forget results, keep data, settings and seed.
    trust
        Returns the answer to "Can I trust it?", or None to show nothing.
    placeholder
        What is shown until there is a report: usually R-hat and ESS as dashes.
    on_replay
        Called with a share of the run that has ended, from 0 to 1, to show it as it was then.
    on_replay_ticks
        Called with the tick of each row that is nearest to this share, and whether they are the last, for
        learners that keep no draws: some of their ticks are kept then. Without both there is no slider.
    title
        Heading of the learner rows ("Learners", "Estimators").
    above, extra
        Further blocks of the lab, above and below the settings.
    """

    phase = param.String("idle", doc="Where the run is; see otlab.ui.runner.Phase.")
    verdict = param.String(doc='The answer to "Can I trust it?" about a run that has ended; else empty.')
    locked = param.Boolean(doc="Whether the learners can be neither ticked nor left out.")
    hides = param.Boolean(doc="Whether an exercise hides results, and so the figures about the run.")
    held = param.String(doc="Why Run and Step wait, as a sentence; empty if they do not.")

    def __init__(
        self,
        rows: Iterable[LearnerRow],
        settings: param.Parameterized | None = None,
        *,
        on_ticks: Callable[[dict[str, Tick[Any]]], None],
        on_start: Callable[[], None] = _nothing,
        on_end: Callable[[str], None] = _nothing,
        on_reset: Callable[[], None] = _nothing,
        trust: Callable[[], TrustReport | None] | None = None,
        placeholder: TrustReport | None = None,
        on_replay: Callable[[float], None] | None = None,
        on_replay_ticks: Callable[[dict[str, Tick[Any]], bool], None] | None = None,
        title: str = "Learners",
        above: Iterable[Any] = (),
        extra: Iterable[Any] = (),
    ) -> None:
        super().__init__()
        self.runner = Runner(rows)
        self.settings = settings or param.Parameterized()
        self.report: TrustReport | None = None
        self._on_start, self._on_ticks, self._on_end, self._on_reset = on_start, on_ticks, on_end, on_reset
        self._trust, self._on_replay, self._on_replay_ticks = trust, on_replay, on_replay_ticks or _nothing
        self.runner.replays = on_replay_ticks is not None
        self.replayed = 1.0
        self._placeholder = placeholder or from_chains(None)
        self._trust_due = 0.0
        self._used: Mapping[str, Any] = {}
        self._by_hand = False
        self._end_handled = True
        self._on_enable: Callable[[list[str]], None] = _nothing
        self._next_look = Later(self._look)
        self._refresh = Refresh()
        self._watchdog = SessionWatchdog()
        self._above, self._extra = tuple(above), tuple(extra)
        self._head = RunHead(self._message, group=title, sizing_mode="stretch_width", margin=0)
        self.form = SettingsForm(self.settings)
        self.settings.param.watch(self._settings_changed, list(values_of(self.settings)))
        self.param.watch(lambda *_: self._show(), ["locked", "held", "hides"])
        self._show()

    # The buttons' actions; the lab may call these too.

    def toggle(self) -> None:
        """Run, pause or resume, as the label of the primary button says."""
        if self.phase == "paused":
            self.resume()
        elif self.runner.alive:
            self.pause()
        else:
            self.run()

    def run(self) -> None:
        """Start a new run of every ticked learner."""
        self._by_hand = False
        self._begin(self.runner.start)

    def pause(self) -> None:
        """Pause after the tick in progress."""
        self.runner.pause()
        self.tick()

    def resume(self) -> None:
        """Resume a paused run."""
        self._by_hand = False
        self.runner.resume()
        self.tick()

    def step(self) -> None:
        """Do one sweep, trial or iteration of every learner."""
        self._by_hand = True
        if self.runner.alive:
            self.runner.step()
            self.tick()
        else:
            self._begin(self.runner.step)

    def stop(self) -> None:
        """End the run; its pictures stay."""
        self.runner.stop()
        self.tick()

    def reset(self) -> None:
        """Delete the run; data, settings and seed stay."""
        with pn.io.hold():
            self.runner.clear()
            self.runner.forget()
            self.clear()
            self._on_reset()

    @property
    def status(self) -> str:
        """The state of the run, for lists: "Converged", "Sweep 3,180 of 20,000"; empty without a run."""
        if self.phase == "done" and self.verdict:
            return str(self.verdict)
        if self.phase in ("idle", "waiting", "preparing", "failed"):
            return ""
        progress = self.runner.progress
        of = f" of {progress.total:,}" if progress.total > progress.sweep else ""
        return f"{progress.unit.capitalize()} {progress.sweep:,}{of}"

    def clear(self) -> None:
        """Stop and delete the run, without calling the lab back."""
        self.runner.clear()
        self.replayed = 1.0
        self._rest()
        self._end_handled = True
        self._by_hand = False
        self.report, self.verdict = None, ""
        self._used = {}
        self.form.show_pending()
        self._show()

    def reassess(self) -> None:
        """Update the assessment of the results by the lab, and show it."""
        with pn.io.hold():
            self.runner.guard(self._assess)
            self._show()

    def enable(self, names: Iterable[str]) -> None:
        """Tick exactly these learners; a run in progress is not changed."""
        self.runner.enabled = set(names) & self.runner.rows.keys()
        self._on_enable(sorted(self.runner.enabled))
        self._show()

    def on_enable(self, callback: Callable[[list[str]], None]) -> None:
        """Register a callback for the names of the ticked learners, called when they change."""
        self._on_enable = callback

    def run_longer(self) -> None:
        """Continue after the end by as many steps in each chain as the learners offer."""
        rows = [self.runner.rows[name] for name in self.runner.longer]
        if not rows:
            return
        self.replay(1.0)
        self.runner.extend({row.name: row.more for row in rows})
        for row in rows:
            row.prolong(row.more)
        self._used = values_of(self.settings)
        self._end_handled = False
        self._watch()
        self.tick()

    def replay(self, share: float) -> None:
        """Show the results after this share of the run; 1 is its end. Does nothing during a run."""
        share = min(1.0, max(0.0, share))
        if not self._can_replay or self.runner.alive or share == self.replayed:
            return
        with drawing():
            self.replayed = share
            if self._on_replay is not None:
                self._on_replay(share)
            else:
                self._on_replay_ticks(self.runner.histories.at(share), share == 1.0)
            self._show()

    def end_replay(self) -> None:
        """Hide the replay slider: the pictures no longer show the results of the run."""
        self.replayed, self.runner.histories = 1.0, TickHistories()
        self._show()

    @property
    def _can_replay(self) -> bool:
        return self._on_replay is not None or self.runner.histories.replayable

    def restore(
        self,
        runs: Mapping[str, Run[Any, Any]],
        ticks: Mapping[str, Iterable[Tick[Any]]] | None = None,
        ids: Mapping[str, str] | None = None,
    ) -> None:
        """Show runs that were saved, by row: those at their end with their results, others paused.

        `ticks` are earlier ones of these runs, for the replay slider; `ids` those of the runs.
        """
        self.clear()
        self.runner.page_idle = page_idle()
        self.runner.restore(runs, ticks, ids)
        self._used, self._end_handled, self._trust_due = values_of(self.settings), False, time.monotonic()
        self._watch()
        self.tick()

    def restart_paused(self, names: Collection[str]) -> None:
        """Make new runs of some rows with the current settings, paused before their first step.

        Those that are shown of other rows stay.
        """
        if not self.runner.jobs:
            self._begin(lambda: self.runner.start_beside(names, paused=True))
            return
        with pn.io.hold():
            self.runner.start_beside(names, paused=True)
        self._end_handled = False
        self._watch()
        self.tick()

    def remedy(self, at: int) -> None:
        """Do the action of a button below the advice, by its number."""
        if self.report is not None and at < len(self.report.remedies):
            self.report.remedies[at].do()

    def close(self) -> None:
        """Stop all jobs and the timer; called when the page is closed."""
        self.runner.stop()
        self._rest()
        self._end_handled = True

    def seen(self, seen: bool) -> None:
        """Record whether the page is visible; draw the run when it becomes visible again."""
        self._refresh.hidden = not seen
        if seen and not self._end_handled:
            self._look()

    # Ticks.

    def _look(self) -> None:
        """Show new ticks, and schedule the next call for when the server has time."""
        delay = self._refresh.delay()
        if delay:
            self._next_look.call(delay)
            return
        begin, unseen = time.perf_counter(), False
        try:
            self.tick()
            unseen = not self._end_handled  # also if the run ended during the drawing
        finally:
            milliseconds = self._refresh.took(time.perf_counter() - begin)
            if unseen or self.runner.alive:
                self._next_look.call(milliseconds)

    def tick(self) -> None:
        """Show the ticks of the learners since the last call."""
        if self._watchdog.gone():
            self.close()
            self._show()  # for a page that becomes active again
            return
        alive = self.runner.alive  # before draining, so that a later tick is shown at the next call
        ticks = self.runner.drain()
        with drawing():
            if ticks:
                self.runner.guard(self._on_ticks, ticks)
            if self.runner.jobs and (not alive or (ticks and time.monotonic() >= self._trust_due)):
                self.runner.guard(self._assess)
            if not alive:
                self._end()
            elif not self.runner.alive:  # the last tick is shown together with the end
                self.tick()
                return
            self._show()

    def wait(self, timeout: float = 60.0) -> bool:
        """Wait for the end of the run, updating the page; return whether it came in time. For scripts."""
        until = time.monotonic() + timeout
        while self.runner.alive and time.monotonic() < until:
            time.sleep(0.02)
            self.tick()
        self.tick()
        return not self.runner.alive

    def _begin(self, start: Callable[[], None]) -> None:
        self.replayed = 1.0
        self.runner.clear()
        self.report, self.verdict, self._trust_due = None, "", time.monotonic() + _TRUST_SECONDS
        self._used = values_of(self.settings)
        self.form.show_pending()
        self._end_handled = False
        with pn.io.hold():
            self.runner.guard(self._on_start)
            if not self.runner.failures:
                self.runner.page_idle = page_idle()
                start()
        self._watch()
        self.tick()

    def _assess(self) -> None:
        if self._trust is None:
            return
        begin = time.monotonic()
        self.report = self._trust()
        report = self.report if self.runner.phase == "done" else None
        self.verdict = "" if report is None else report.badge.text
        cost = time.monotonic() - begin
        self._trust_due = begin + max(_TRUST_SECONDS, 10 * cost)

    def _end(self) -> None:
        self._rest()
        self.form.show_pending()
        if not self._end_handled:
            self._end_handled = True
            self.runner.guard(self._on_end, self.runner.phase)
            self.runner.end_histories()

    def _watch(self) -> None:
        self._watchdog.enter()
        self._next_look.call(_FIRST_LOOK_MS)

    def _rest(self) -> None:
        self._next_look.cancel()
        self._refresh.stop()

    def _settings_changed(self, *_: Any) -> None:
        if self.runner.alive:
            self.form.show_pending(n for n, v in values_of(self.settings).items() if self._used.get(n) != v)
        self._show()  # a learner's row may name a setting

    def _message(self, data: dict[str, Any]) -> None:
        kind = data["kind"]
        if kind == "alive":
            self._watchdog.heard()
        elif kind == "seen":
            self.seen(bool(data["on"]))
        elif kind == "row" and not self.locked:
            others = self.runner.enabled - {data["name"]}
            self.enable(others | {data["name"]} if data["on"] else others)
        elif kind == "replay":
            self.replay(float(data["share"]))
        elif kind == "remedy":
            self.remedy(int(data["at"]))
        elif self.held and kind in ("toggle", "step"):
            self._show()
        elif kind == "toggle":
            if data.get("label", self._primary) == self._primary:
                self.toggle()
        elif kind in ("step", "stop", "reset", "run_longer"):
            getattr(self, kind)()

    def _show(self) -> None:
        self.phase = self.runner.phase
        self.form.show_learners(self.runner.enabled)
        state = self._state()
        if state != self._head.state:
            self._head.state = state

    @property
    def _primary(self) -> str:
        """The label of the primary button."""
        return "Resume" if self.runner.phase == "paused" else "Pause" if self.runner.alive else "Run"

    def _state(self) -> dict[str, Any]:
        alive, phase = self.runner.alive, self.phase
        return {
            "phase": phase,
            "primary": self._primary,
            "can_run": alive or (bool(self.runner.enabled) and not self.held),
            "held": self.held,
            "can_stop": alive,
            "can_reset": phase != "idle",
            "progress": progress_words(
                phase,
                self.runner.progress,
                self.runner.ahead,
                by_hand=self._by_hand,
                preparation=self.runner.preparation,
                failures=self.runner.failures.values(),
            ),
            "rows": [self._row(row) for row in self.runner.rows.values()],
            "trust": self._trust_words(),
            "fault": fault_words(self.runner),
            "replay": self._replay_words(),
        }

    def _trust_words(self) -> dict[str, Any] | None:
        words = trust_words(self.report or self._placeholder, self.runner) if self._trust else None
        return {**words, "stats": [], "advice": "", "remedies": []} if words and self.hides else words

    def _replay_words(self) -> dict[str, Any] | None:
        """Return the position of the replay in words; None without a run that has ended."""
        if not self._can_replay or self.phase not in ("done", "stopped") or not self.runner.jobs:
            return None
        progress = self.runner.progress
        sweep = max(1, round(self.replayed * progress.sweep))
        if self.runner.histories:  # the nearest kept tick is shown
            nearest = (tick.sweep for tick in self.runner.histories.at(self.replayed).values())
            sweep = min(nearest, key=lambda kept: abs(kept - sweep))
        at = f"{progress.unit} {sweep:,} of {progress.sweep:,}"
        return {"share": self.replayed, "text": f"{at[0].upper()}{at[1:]}"}

    def _row(self, row: LearnerRow) -> dict[str, Any]:
        on = row.name in self.runner.enabled
        changed = self.runner.alive and on != (row.name in self.runner.jobs)
        status = "from the next run" if changed else self.runner.row_text(row.name)
        failed = row.name in self.runner.failures or row.name in self.runner.refused
        return {
            "name": row.name,
            "label": row.label,
            "spoken": row.label,
            "hue": row.hue,
            "detail": row.detail(),
            "status": status,
            "on": on,
            "locked": self.locked,
            "failed": failed,
            "folded": len(self.runner.rows) > _MOST_ROWS and not row.enabled,
        }

    def __panel__(self) -> Any:
        rule = {"border-top": "1px solid var(--ot-line)", "margin": "2px 0"}
        rows: list[Any] = [self._head, *self._above]
        if values_of(self.settings):
            rows += [pn.Spacer(height=1, styles=rule, sizing_mode="stretch_width"), self.form]
        return down(*rows, *self._extra, sizing_mode="stretch_width")
