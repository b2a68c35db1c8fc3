"""Sample a MaxEnt grammar of speakers by NUTS in NumPyro, for ``python -m benchmarks speakers --numpyro``.

    python speakers_numpyro.py DATA.npz CHAINS

It writes draws of m and tau beside the data and prints their file and the CPU seconds, compilation left out.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

WARMUP, DRAWS = 500, 500


def model(x, first, second, group, sd, spread, groups):
    """Weights differ by speaker; the first of two candidates wins with a logistic probability."""
    k = x.shape[1]
    m = numpyro.sample("m", dist.Normal(0, sd).to_event(1))
    tau = numpyro.sample("tau", dist.HalfNormal(spread).expand([k]).to_event(1))
    z = numpyro.sample("z", dist.Normal(0, 1).expand([groups, k]).to_event(2))
    logit = (x * (m + tau * z)[group]).sum(axis=1)
    numpyro.factor("heard", (first * jax.nn.log_sigmoid(logit) + second * jax.nn.log_sigmoid(-logit)).sum())


def main(path: str, chains: int) -> None:
    """Sample, and print where the draws are and what they took."""
    numpyro.enable_x64()
    with np.load(path) as file:
        data = {name: jnp.asarray(file[name]) for name in file.files}
    groups = int(data["group"].max()) + 1
    sampler = MCMC(
        NUTS(partial(model, groups=groups)),
        num_warmup=WARMUP,
        num_samples=DRAWS,
        num_chains=chains,
        chain_method="sequential",
        progress_bar=False,
        jit_model_args=True,
    )
    sampler.run(jax.random.PRNGKey(0), **data)  # compiles
    begin = time.process_time()
    sampler.run(jax.random.PRNGKey(1), **data)
    found = sampler.get_samples(group_by_chain=True)
    jax.block_until_ready(found)
    taken = time.process_time() - begin
    draws = Path(path).with_name("draws.npz")
    np.savez(draws, m=np.asarray(found["m"]), tau=np.asarray(found["tau"]))
    print(json.dumps({"seconds": taken, "draws": str(draws)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
