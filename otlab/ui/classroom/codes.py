"""Short codes of students' links: to be read from a projector and typed by hand.

A code leads where the students' link leads, and no further. It counts only while a teacher's page of the
exercise is open. There are 20 letters ^ 6 = 64 million codes; at most 60 wrong ones are looked up in a
minute, so that guessing for three hours finds a given one with a probability below 0.0002.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = ["LENGTH", "LETTERS", "WrongCodes", "new_code", "typed_code", "wrong_codes"]

LETTERS = "ABCDEFGHJKMNPRSTWXYZ"
"""Letters that are not taken for others or for digits: no I, L, O, Q, U, V."""
LENGTH = 6
_MOST_WRONG = 60
_MINUTE = 60.0


def new_code(taken: Collection[str] = ()) -> str:
    """Return a random code that is not taken."""
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        if code not in taken:
            return code


def typed_code(text: str) -> str:
    """Return a code as it is kept, from one that was typed; empty if it cannot be one.

    >>> typed_code(" kct-rbn ")
    'KCTRBN'
    >>> typed_code("a longer word"), typed_code("O1O1O1")
    ('', '')
    """
    code = "".join(letter for letter in text[:40].upper() if letter not in " -")
    return code if len(code) == LENGTH and set(code) <= set(LETTERS) else ""


class WrongCodes:
    """Counts the wrong codes of the last minute, whoever typed them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: deque[float] = deque(maxlen=_MOST_WRONG)

    def add(self) -> None:
        """Count one."""
        self._times.append(self._clock())

    def too_many(self) -> bool:
        """Return whether there were so many within a minute that no code counts now."""
        return len(self._times) == _MOST_WRONG and self._clock() - self._times[0] < _MINUTE


wrong_codes = WrongCodes()
"""Those of this process."""
