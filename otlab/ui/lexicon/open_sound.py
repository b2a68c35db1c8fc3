"""Open the user's own sound: one recording, or a ZIP of recordings with their gold times."""

from __future__ import annotations

import hashlib
import io
import shutil
import tempfile
import weakref
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

import numpy as np

from otlab.discovery.sound import audio
from otlab.discovery.sound.gold import GOLD_ENDINGS, files_in
from otlab.discovery.sound.speech import FEATURE_ENDINGS, Speech, read_recording, read_speech, speech_of
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["MOST_BYTES", "SOUND_ENDINGS", "OpenSound", "sound_of", "tiers_of_key"]

SOUND_ENDINGS = (*audio.ENDINGS, *FEATURE_ENDINGS, ".zip")
"""Files that the Sound tab opens."""

MOST_BYTES = 300_000_000
"""Largest file that is opened."""

MOST_UNPACKED, MOST_TIMES_PACKED = 500_000_000, 50
"""Most bytes that a ZIP may unpack to; times its size, if that is more than `SOUND_JUDGED_FROM`."""

SOUND_JUDGED_FROM = 100_000_000
"""Bytes to which a ZIP may unpack, however well it is packed, as silence is: 50 minutes."""

TEXT_JUDGED_FROM = 20_000_000
"""Bytes of gold times from which on they, too, may unpack to so many times their size at most."""

MOST_FILES = 50_000
MOST_HOURS = 12.0
"""Longest sound: its frames take 110 MB an hour."""
_ORIGINAL = "original"


class Folder:
    """A temporary folder, which is removed when nothing refers to it any longer."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="otlab-sound-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(frozen=True)
class OpenSound:
    """An opened sound.

    Attributes
    ----------
    title
        What it is called.
    speech
        Its frames.
    key
        Identifies the sound: the name of a shipped one, or the digest of a file, the tiers that were chosen
        for it, and its name.
    folder
        Where the files are if they were uploaded; the file itself is `original`.
    """

    title: str
    speech: Speech
    key: str = ""
    folder: Folder | None = None

    @property
    def original(self) -> Path | None:
        """The uploaded file; None for a shipped sound."""
        return None if self.folder is None else self.folder.path / _ORIGINAL

    @cached_property
    def frames_name(self) -> str:
        """Identifies the frames, which runs refer to: the sound, and what its features come to."""
        features = self.speech.features
        frames, width = features.shape
        return f"{self.key}: {frames} frames of {width}, {np.abs(features).mean():.6g}"


def sound_of(
    name: str,
    data: bytes,
    progress: Callable[[float], None] | None = None,
    tiers: Mapping[str, str] | None = None,
) -> OpenSound:
    """Return the sound in an uploaded file: one recording, or a ZIP of recordings with their gold.

    Parameters
    ----------
    name, data
        The file.
    progress
        Called with the share of the sound that has been read; an exception it raises ends the reading.
    tiers
        Names of the tiers of TextGrids with phones and words; those that are not given are chosen by name.

    Raises
    ------
    InputError
        If nothing in it can be used.
    """
    folder = Folder()
    (folder.path / _ORIGINAL).write_bytes(data)
    place = folder.path / "files"
    place.mkdir()
    if name.lower().endswith(".zip"):
        _unpack(name, data, place)
        _check_length(name, place)
        speech = read_speech(place, tiers=tiers, progress=progress)
    else:
        path = place / PurePosixPath(name.replace("\\", "/")).name
        path.write_bytes(data)
        _check_length(name, place)
        recording = read_recording(path, progress=progress)
        speech = speech_of(name, [recording], sources={recording.name: str(path)})
    chosen = f"?{urlencode(tiers)}" if tiers else ""
    return OpenSound(name, speech, f"{hashlib.sha256(data).hexdigest()[:32]}{chosen} {name}", folder)


def tiers_of_key(key: str) -> dict[str, str]:
    """Return the names of the tiers that were chosen for a sound; empty if none were."""
    return dict(parse_qsl(key.partition(" ")[0].partition("?")[2], keep_blank_values=True))


def _unpack(name: str, data: bytes, place: Path) -> None:
    """Write the sound and gold files of a ZIP into a folder, with the folders that they lie in."""
    endings = (*audio.ENDINGS, *audio.UNREAD, *FEATURE_ENDINGS, *GOLD_ENDINGS)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            wanted = [
                i for i in archive.infolist() if not i.is_dir() and i.filename.lower().endswith(endings)
            ]
            _check_size(name, wanted, len(data))
            for info in wanted:
                path = place.joinpath(*_inside(info.filename))
                if path.exists():
                    what = f"holds two files {path.relative_to(place).as_posix()}"
                    raise InputError(Fault(what, "rename one of them", file=name))
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as member, path.open("wb") as file:
                    shutil.copyfileobj(member, file)
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError):
        raise InputError(Fault("cannot be unpacked", "pack the folder again as ZIP", file=name)) from None


def _check_size(name: str, wanted: Sequence[zipfile.ZipInfo], packed: int) -> None:
    """Refuse a ZIP that would fill the disk or the memory."""
    use_command = "use the command line: otlab discover --audio"
    times = [info for info in wanted if info.filename.lower().endswith(GOLD_ENDINGS)]
    size, text = (sum(info.file_size for info in some) for some in (wanted, times))
    if len(wanted) > MOST_FILES:
        raise InputError(
            Fault(f"holds {len(wanted):,} files, more than {MOST_FILES:,}", use_command, file=name)
        )
    if size > MOST_UNPACKED:
        raise InputError(Fault(f"holds more than {MOST_UNPACKED / 1e6:g} MB", use_command, file=name))
    judged = size if size > SOUND_JUDGED_FROM else text if text > TEXT_JUDGED_FROM else 0
    if judged > MOST_TIMES_PACKED * packed:
        what = f"unpacks to {judged / packed:,.0f} times its size: this is no sound"
        raise InputError(Fault(what, "pack the folder again as ZIP", file=name))


def _check_length(name: str, place: Path) -> None:
    """Refuse sound whose frames would fill the memory, which some formats pack into a small file."""
    seconds = 0.0
    for _, path in files_in(place):
        if path.suffix.lower() in audio.ENDINGS:
            with suppress(InputError):  # reported when the file is read
                seconds += audio.describe(path).seconds
    if seconds > 3600 * MOST_HOURS:
        what = f"lasts {seconds / 3600:,.1f} hours, more than {MOST_HOURS:g}"
        raise InputError(Fault(what, "cut it, or use the command line: otlab discover --audio", file=name))


def _inside(name: str) -> list[str]:
    """Return the parts of a path in a ZIP, none of which leads out of it."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return [part.replace(":", "_") for part in parts if part not in ("/", "..")]
