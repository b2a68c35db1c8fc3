"""Parameters that the settings of several learners share."""

from __future__ import annotations

import param

__all__ = ["NoiseSettings", "PriorSettings", "TotalSettings"]


class TotalSettings(param.Parameterized):
    """The total of a fit; None means the file's."""

    total = param.Integer(
        None, bounds=(1, None), allow_None=True, doc="Observations that relative frequencies stand for"
    )


class NoiseSettings(param.Parameterized):
    """The evaluation noise of a fit; None means the file's, else the default."""

    noise = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Evaluation noise (default: the file's, else 2)",
    )


class PriorSettings(param.Parameterized):
    """The normal prior of a fit; None means none."""

    prior_sd = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc="Standard deviation of a normal prior with mean 0, for every constraint",
    )
    prior = param.Path(
        None,
        check_exists=False,
        allow_None=True,
        doc="File of normal priors: name, mean, sd, one constraint a line",
    )
