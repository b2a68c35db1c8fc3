"""Open the user's own sound: one recording, or a ZIP of recordings with their gold times."""

from __future__ import annotations

import hashlib
import io
import shutil
import tempfile
import weakref
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

import numpy as np

from otlab.discovery.sound import audio
from otlab.discovery.sound.gold import GOLD_ENDINGS
from otlab.discovery.sound.speech import FEATURE_ENDINGS, Speech, read_recording, read_speech, speech_of
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["SOUND_ENDINGS", "OpenSound", "sound_of", "tiers_of_key"]

SOUND_ENDINGS = (*audio.ENDINGS, *FEATURE_ENDINGS, ".zip")
"""Files that the Sound tab opens."""

MOST_UNPACKED = 500_000_000
MOST_TIMES_PACKED = 50
"""A ZIP of recordings and times unpacks to 1 to 10 times its size."""
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
        Called with the share of recordings that have been read.
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
        speech = read_speech(place, tiers=tiers, progress=progress)
    else:
        path = place / PurePosixPath(name.replace("\\", "/")).name
        path.write_bytes(data)
        recording = read_recording(path)
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
            size = sum(info.file_size for info in wanted)
            if size > MOST_UNPACKED:
                fault = Fault(
                    "holds more than 500 MB", "use the command line: otlab discover --audio", file=name
                )
                raise InputError(fault)
            if size > MOST_TIMES_PACKED * len(data):
                what = f"unpacks to {size / len(data):,.0f} times its size: this is no sound"
                raise InputError(Fault(what, "pack the folder again as ZIP", file=name))
            for info in wanted:
                path = place.joinpath(*_inside(info.filename))
                if path.exists():
                    what = f"holds two files {path.relative_to(place).as_posix()}"
                    raise InputError(Fault(what, "rename one of them", file=name))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(info))
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError):
        raise InputError(Fault("cannot be unpacked", "pack the folder again as ZIP", file=name)) from None


def _inside(name: str) -> list[str]:
    """Return the parts of a path in a ZIP, none of which leads out of it."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return [part.replace(":", "_") for part in parts if part not in ("/", "..")]
