"""Options of the learners of a system, drawn from its registry.

Each parameter of a learner's settings class becomes one option: ``prior_sd`` is
``--prior-sd``, its ``doc`` the help, its bounds and choices the values allowed.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import param

from otlab.errors import DataWarning, Fault, InputError
from otlab.inference.registry import allowed_values

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from otlab.inference.registry import LearnerEntry

__all__ = ["add_learner_options", "learner_settings"]

_METAVAR = {int: "N", float: "X", Path: "FILE", str: "NAME"}


def add_learner_options(
    parser: argparse.ArgumentParser,
    learners: Mapping[str, LearnerEntry],
    *,
    default: str = "",
    metavars: Mapping[str, str] | None = None,
) -> None:
    """Add ``--learner`` and every option of every learner, each once.

    Parameters
    ----------
    parser
        The parser of the command.
    learners
        The registry of the command's system.
    default
        The learner to use without ``--learner``; the first one if empty.
    metavars
        Parameter name -> what the help calls its value, for some of the options: ``{"dictionary": "FILE"}``.
    """
    chosen = default or next(iter(learners))
    parser.add_argument(
        "--learner", choices=list(learners), default=chosen, help=f"which learner (default: {chosen})"
    )
    for name, owners in _owners(learners).items():
        _add(parser, name, owners, (metavars or {}).get(name))


def learner_settings(args: argparse.Namespace, learners: Mapping[str, LearnerEntry]) -> param.Parameterized:
    """Return the settings of the chosen learner, with the options that were given.

    An option that the learner does not have is ignored, with a warning.

    Raises
    ------
    InputError
        If a value is not allowed; all such values are named.
    """
    entry = learners[args.learner]
    given = {name: getattr(args, name) for name in _owners(learners) if getattr(args, name) is not None}
    for name in sorted(given.keys() - set(entry.settings.param)):
        warnings.warn(f"{_option(name)} does not apply to {entry.name}; ignored", DataWarning, stacklevel=2)
    settings, wrong = entry.settings(), []
    for name, value in given.items():
        if name in entry.settings.param:
            try:
                setattr(settings, name, value)
            except ValueError:
                wrong.append(f"{_option(name)} {value}: {allowed_values(entry.settings.param[name])}")
    if wrong:
        raise InputError([Fault(what) for what in wrong])
    return settings


def _owners(learners: Mapping[str, LearnerEntry]) -> dict[str, list[LearnerEntry]]:
    """Return option name -> the learners that have it, in the order of the registry."""
    owners: dict[str, list[LearnerEntry]] = {}
    for entry in learners.values():
        for name in entry.settings.param:
            if name != "name":
                owners.setdefault(name, []).append(entry)
    return owners


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _add(parser: argparse.ArgumentParser, name: str, owners: list[LearnerEntry], metavar: str | None) -> None:
    """Add one option. Its default is None, which means that the settings keep theirs."""
    parameter = owners[0].settings.param[name]
    words: dict[str, Any] = {"default": None, "help": _help_of_all(name, owners).replace("%", "%%")}
    if isinstance(parameter, param.Boolean):
        words["action"] = "store_true"
    elif isinstance(parameter, param.Selector):
        words["choices"] = list(parameter.names or parameter.objects)
    else:
        words["type"] = _type(parameter)
        words["metavar"] = metavar or _METAVAR[words["type"]]
    parser.add_argument(_option(name), **words)


def _type(parameter: Any) -> type:
    if isinstance(parameter, param.Integer):
        return int
    if isinstance(parameter, param.Number):
        return float
    return Path if isinstance(parameter, param.Path) else str


def _help_of_all(name: str, owners: list[LearnerEntry]) -> str:
    """Return the help of an option; learners with the same text or the same default are named together."""
    texts: dict[str, dict[str, list[str]]] = {}
    for entry in owners:
        text, default = _help(entry.settings.param[name])
        texts.setdefault(text, {}).setdefault(default, []).append(entry.name)
    parts = []
    for text, defaults in texts.items():
        learners = ", ".join(learner for names in defaults.values() for learner in names)
        part = f"{text}{_default_text(defaults)}"
        parts.append(f"{learners}: {part}" if len(texts) > 1 else part)
    return "; ".join(parts)


def _default_text(defaults: dict[str, list[str]]) -> str:
    """Return " (default: 50; gibbs: 2000)" from default -> its learners; nothing if there is none to tell."""
    (first, _), *others = defaults.items()
    if not first and not others:
        return ""
    further = [f"{', '.join(learners)}: {default}" for default, learners in others]
    return f" (default: {'; '.join([first, *further])})"


def _help(parameter: Any) -> tuple[str, str]:
    """Return what a parameter's ``doc`` says, and its default; no default if the doc or a flag tells it."""
    text = " ".join((parameter.doc or "").split())
    text = text if text.endswith("...") else text.removesuffix(".")
    if "(default: " in text or isinstance(parameter, param.Boolean):
        return text, ""
    return text, "none" if parameter.default in (None, "") else str(parameter.default)
