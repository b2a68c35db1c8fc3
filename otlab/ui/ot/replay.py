"""Earlier results of a finished run, shown by the replay slider."""

from __future__ import annotations

from typing import Any

from otlab.inference.replay import tick_at
from otlab.ui.ot.results import RESULTS

__all__ = ["Replay"]


class Replay:
    """Results at any share of a run that has ended.

    Moving forward adds only the new draws, as in the run itself; moving back starts from the beginning.

    Parameters
    ----------
    ended
        The results at the end, by the name of the row.
    """

    def __init__(self, ended: dict[str, Any]) -> None:
        self.ended = ended
        self._shown: dict[str, Any] = {}

    def at(self, share: float) -> dict[str, Any]:
        """Return the results after this share of the run, from 0 to 1.

        Those of a learner that kept no draws, or whose fit takes long, are those of the end.
        """
        self._shown = {name: self._earlier(name, result, share) for name, result in self.ended.items()}
        return self._shown

    def _earlier(self, name: str, ended: Any, share: float) -> Any:
        tick = tick_at(ended.run, ended.tick, share) if name in RESULTS and ended.tick else None
        if tick is None:
            return ended
        shown = self._shown.get(name)
        if shown is None or shown is ended or shown.tick.sweep > tick.sweep:
            shown = RESULTS[name](ended.run)
            before = tick_at(ended.run, ended.tick, 0.9 * share)
            if before is not None:  # a few predictions first: their time says how many more can be made
                shown.take(before)
        shown.take(tick)
        return shown
