"""Draws of a sampler by name, with coordinates, seed, settings and versions."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.inference import diagnostics

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

__all__ = ["Posterior", "netcdf_bytes"]


@dataclass(frozen=True, repr=False)
class Posterior:
    """Draws from a posterior distribution.

    Parameters
    ----------
    draws
        Name -> array of shape ``(chains, draws, *dims)``, warm-up left out.
    coords
        Dimension name -> its labels: ``{"constraint": ("AL", "I_BR")}``.
    dims
        Name -> the names of the further dimensions.
    learner, seed, settings, versions
        How the draws were made; with these they can be reproduced.

    Examples
    --------
    >>> from otlab.ot import fit_gibbs, read
    >>> posterior = fit_gibbs(read("ilokano"), sweeps=2000, seed=1).posterior
    >>> posterior.summary("ranking_value")["mean"].round(1)
    constraint
    *C-ONS   -0.1
    AL        0.5
    I_BR     -0.5
    Name: mean, dtype: float64
    """

    draws: Mapping[str, np.ndarray]
    coords: Mapping[str, tuple[str, ...]]
    dims: Mapping[str, tuple[str, ...]]
    learner: str
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {' × '.join(map(str, d.shape))}" for name, d in self.draws.items())
        return f"<Posterior by {self.learner}: {shapes}, seed {self.seed}>"

    def pooled(self, name: str) -> np.ndarray:
        """Return the draws of all chains in one array, shape ``(chains * draws, *dims)``."""
        array = self.draws[name]
        return array.reshape(-1, *array.shape[2:])

    def summary(self, name: str, level: float = 0.95) -> pd.DataFrame:
        """Return mean, sd, median, interval, R-hat and ESS of a one-dimensional quantity.

        Parameters
        ----------
        name
            A quantity with one further dimension.
        level
            Mass of the equal-tailed interval.
        """
        import pandas as pd  # here, since it takes 40 MB that taggers do not need

        array = self.draws[name]
        pooled = self.pooled(name)
        low, median, high = np.quantile(pooled, [(1 - level) / 2, 0.5, (1 + level) / 2], axis=0)
        (dim,) = self.dims[name]
        trust = diagnostics.assess(array)
        return pd.DataFrame(
            {
                "mean": pooled.mean(axis=0),
                "sd": pooled.std(axis=0, ddof=1),
                "median": median,
                "low": low,
                "high": high,
                "rhat": trust.rhat,
                "ess": trust.ess,
            },
            index=pd.Index(self.coords[dim], name=dim),
        )

    def to_inferencedata(self) -> Any:
        """Return the draws as an ArviZ ``DataTree`` (needs the ``stats`` extra)."""
        import arviz_base

        return arviz_base.from_dict(
            {"posterior": dict(self.draws)},
            coords={k: list(v) for k, v in self.coords.items()},
            dims={k: list(v) for k, v in self.dims.items()},
            attrs={
                "posterior": {
                    "learner": self.learner,
                    "seed": self.seed,
                    "settings": json.dumps(dict(self.settings), default=str),
                    "versions": json.dumps(dict(self.versions)),
                }
            },
        )

    def to_netcdf(self) -> bytes:
        """Return the draws as the content of a NetCDF file, which ArviZ reads (needs the ``stats`` extra).

        Learner, seed, settings and versions are attributes of the group ``posterior``.
        """
        return netcdf_bytes(self.to_inferencedata())


def netcdf_bytes(tree: Any) -> bytes:
    """Return an ArviZ ``DataTree`` as the content of a NetCDF file (needs the ``stats`` extra)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "draws.nc"
        tree.to_netcdf(path, engine="h5netcdf")
        return path.read_bytes()
