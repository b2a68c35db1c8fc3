"""The taggers against hmmlearn, against matrix products, and against each other.

All on one corpus with 50 states in one process: UD English EWT if its training part lies in
``OTLAB_EWT`` or in the benchmarks' cache, else a simulated corpus of the same size. The
floor is what three matrix products of a dense E-step cost by themselves, cache-resident,
a token: 1,024 x 50 by 50 x 50 twice, 50 x 1,024 by 1,024 x 50 once.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import (
    RUNS,
    Iterations,
    Row,
    Stepper,
    at_least,
    at_most,
    by_iteration,
    cpu_seconds,
    least,
    least_seconds,
    seconds,
)
from otlab.inference.blas import one_blas_thread
from otlab.inference.kernels.subnormals import no_subnormals
from otlab.inference.random import chain_generators
from otlab.tagging import EM, VB, CollapsedGibbs, Corpus, MapEM, Prior, fit_em, read, simulate_hmm
from otlab.tagging.hmm.estep import Expectation
from otlab.tagging.learners.annealing import Annealing
from otlab.tagging.scores import Scorer

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.tagging.learners.expectation import ExpectationLearner, FitState

STATES = 50
REPEATS = 7
FLOOR_TOKENS = 20 * 1024
IN_A_ROW = 5  # iterations timed together where several threads work: they wake up once
HMMLEARN_LOG_SENTENCES = 300
WHOLE_RUN = 200  # iterations over which an iteration's time must be steady
MID_RUN = 40


def corpus() -> Corpus:
    """EWT's training part, or a simulated corpus of its size."""
    path = Path(os.environ.get("OTLAB_EWT", Path(__file__).parent / "cache" / "en_ewt-ud-train.conllu"))
    if path.is_file():
        return read(path)
    return simulate_hmm(204_577, 1, tags=49, types=19_674, length=16.3)


def thread_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of this thread: what others do on the machine hardly counts."""
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def by_turns(
    *works: Callable[[], object],
    repeats: int = REPEATS,
    clock: Callable[[Callable[[], object]], float] = thread_seconds,
) -> list[list[float]]:
    """Seconds of each work, run alternately, so that a busy spell hits all alike.

    Each is done once untimed before: as in the midst of a run, caches then hold its own data, its
    threads are awake, and those of the work before it have gone to sleep.

    One-thread works are timed by the thread's own clock, several threads by the wall's.
    """

    def warm_seconds(work: Callable[[], object]) -> float:
        work()
        return clock(work)

    rounds = [[warm_seconds(work) for work in works] for _ in range(repeats)]
    return [list(column) for column in zip(*rounds, strict=True)]


def ratio(over: list[float], under: list[float]) -> float:
    """The median of the pairs."""
    return statistics.median(a / b for a, b in zip(over, under, strict=True))


def against(
    name: str, unit: str, ours: list[float], theirs: list[float], least: float, factor: float = 1.0
) -> Row:
    """Return a row: theirs over ours must reach `least`; values are shown times `factor`."""
    value, reference = factor * statistics.median(ours), factor * statistics.median(theirs)
    return at_least(value, unit, name, reference, ratio(theirs, ours), least)


def below(
    name: str, unit: str, ours: list[float], theirs: list[float], most: float, factor: float = 1.0
) -> Row:
    """Return a row: ours over theirs must not exceed `most`."""
    value, reference = factor * statistics.median(ours), factor * statistics.median(theirs)
    return at_most(value, unit, name, reference, ratio(ours, theirs), most)


def floor(dtype: type) -> Callable[[], None]:
    """Return the products of one dense E-step of 1,024 tokens, 20 times: :data:`FLOOR_TOKENS`."""
    rng = np.random.default_rng(0)
    rows, square = rng.random((1024, STATES)).astype(dtype), rng.random((STATES, STATES)).astype(dtype)
    columns, tall, wide = rows.T.copy(), np.empty_like(rows), np.empty_like(square)
    other = np.empty_like(rows)

    def work() -> None:
        with one_blas_thread(), no_subnormals():
            for _ in range(20):
                np.dot(rows, square, out=tall)
                np.dot(rows, square, out=other)
                np.dot(columns, tall, out=wide)

    return work


class Climber:
    """A learner in mid-run, some iterations a call, with BLAS held to one thread as in every run."""

    def __init__(self, learner: EM | VB, warm: int = 2, iterations: int = 1) -> None:
        self.learner, self.rng, self.iterations = learner, np.random.default_rng(1), iterations
        self.state = learner.step(self.rng, learner.init(self.rng), warm)

    def __call__(self) -> None:
        with one_blas_thread(), no_subnormals():
            self.state = self.learner.step(self.rng, self.state, self.iterations)

    def expect(self) -> None:
        """Only the E-step, with its decoding."""
        with one_blas_thread(), no_subnormals():
            self.state.engine(self.state.weights)


def hmmlearn_iteration(text: Corpus, implementation: str) -> Callable[[], None]:
    """Return one EM iteration of hmmlearn's CategoricalHMM from a random start."""
    from hmmlearn.hmm import CategoricalHMM

    rng = np.random.default_rng(1)
    model = CategoricalHMM(
        STATES, n_iter=1, tol=-np.inf, init_params="", implementation=implementation, n_features=text.types
    )
    model.startprob_ = rng.dirichlet(np.ones(STATES))
    model.transmat_ = rng.dirichlet(np.ones(STATES), STATES)
    model.emissionprob_ = rng.dirichlet(np.ones(text.types), STATES)
    words, lengths = text.words.reshape(-1, 1), text.lengths
    return lambda: model.fit(words, lengths)


def against_hmmlearn(text: Corpus) -> dict[str, Row]:
    two = Climber(EM(text, STATES, precision="f32", threads=2), MID_RUN, iterations=IN_A_ROW)
    exact = Climber(EM(text, STATES), MID_RUN, iterations=IN_A_ROW)
    mine, exactly, theirs = by_turns(
        two, exact, hmmlearn_iteration(text, "scaling"), repeats=3, clock=seconds
    )
    mine, exactly = [s / IN_A_ROW for s in mine], [s / IN_A_ROW for s in exactly]
    part = text.first(HMMLEARN_LOG_SENTENCES)
    share = text.tokens / part.tokens
    mine_log, slow = by_turns(two, hmmlearn_iteration(part, "log"), repeats=3, clock=seconds)
    mine_log = [s / IN_A_ROW for s in mine_log]
    slow = [share * s for s in slow]
    part_name = f"hmmlearn log, {part.sentences} sentences scaled"
    unit = "s/iteration"
    return {
        "tagging_em_f32_2_threads_vs_hmmlearn_scaling": against("hmmlearn scaling", unit, mine, theirs, 40),
        "tagging_em_f32_2_threads_vs_hmmlearn_default": against(part_name, unit, mine_log, slow, 250),
        "tagging_em_f64_1_thread_vs_hmmlearn_scaling": against("hmmlearn scaling", unit, exactly, theirs, 15),
    }


def against_jax(text: Corpus) -> dict[str, Row]:
    """EM on one core against the same EM in JAX, iteration by iteration from one start."""
    from benchmarks.jax_em import JaxEM

    learner = EM(text, STATES, precision="f32")
    with one_blas_thread(), no_subnormals():
        start = learner.init(chain_generators(1, 1)[0])
    JaxEM(text, start.weights)()  # compiles
    runs = []
    for _ in range(RUNS):
        peer = JaxEM(text, start.weights)
        runs.append(by_iteration(learner, peer))
    ours, theirs = (least(side) for side in zip(*runs, strict=True))
    fitted = fit_em(text, states=STATES, precision="f32", iterations=len(peer.log_likelihoods), seed=1)
    here, there = fitted.view.objective[:-1], np.array(peer.log_likelihoods)
    if not np.allclose(here[:20], there[:20], rtol=1e-5):
        raise AssertionError("JAX's EM and ours do not do the same work")
    reached = max(b / a for a, b in zip(theirs.seconds, ours.seconds, strict=True))
    (products,) = by_turns(floor(np.float32))
    share = theirs.median / (statistics.median(products) * text.tokens / FLOOR_TOKENS)
    unit, name = "CPU s/iteration", "JAX, float32, one core"
    middle = at_least(
        ours.median,
        unit,
        f"{name} (slowest {theirs.slowest:.3g}; {share:.2f} times its matrix products alone)",
        theirs.median,
        theirs.median / ours.median,
        2,
    )
    return {
        "tagging_em_f32_vs_jax": ours.beside(middle),
        "tagging_em_f32_vs_jax_at_every_iteration": at_least(
            ours.slowest, unit, f"{name}, same iteration", theirs.median, 1 / reached, 2
        ),
    }


def whole_runs(text: Corpus) -> dict[str, Row]:
    """Whether an iteration costs the same throughout, and less in float32 than in float64."""
    rows: dict[str, Row] = {}
    for precision in ("f32", "f64"):  # the sparse kernels are compiled before they are timed
        one = VB(text.first(50), STATES, precision=precision)
        Expectation(one.corpus, STATES, precision, sparse=True)(one.init(np.random.default_rng(1)).weights)
    learners = {
        "em": lambda precision: EM(text, STATES, precision=precision),
        "map_em": lambda precision: MapEM(text, STATES, precision=precision),
        "vb": lambda precision: VB(text, STATES, precision=precision),
        "vb_sparse_prior": lambda precision: VB(text, STATES, prior=Prior(1e-4, 1e-4), precision=precision),
    }
    for name, make in learners.items():
        fast, exact = least_seconds([make("f32"), make("f64")], WHOLE_RUN, stage=way)
        rows[f"tagging_{name}_f32_slowest_iteration"] = steady(fast, make("f32"))
        rows[f"tagging_{name}_f64_slowest_iteration"] = steady(exact, make("f64"))
        shares = [a / b for a, b in zip(fast.seconds, exact.seconds, strict=True)]
        rows[f"tagging_{name}_f32_over_f64_at_every_iteration"] = at_most(
            fast.median, "CPU s/iteration", "float64, same iteration", exact.median, max(shares), 0.9
        )
    return rows


def way(state: FitState) -> str:
    """Return whether the last E-step was dense or sparse."""
    return "sparse" if state.expected.sparse else "dense"


def dense_iterations(learner: ExpectationLearner, iterations: int = 10) -> Iterations:
    """Return the CPU seconds of a run's first iterations with every E-step dense."""
    step = Stepper(learner)
    step.state.engine = Expectation(learner.corpus, learner.states, learner.precision, sparse=False)
    return Iterations(tuple(cpu_seconds(step) for _ in range(iterations)))


def steady(found: Iterations, learner: ExpectationLearner) -> Row:
    """Return a row: the slowest iteration must not exceed 1.3 times the median dense one.

    A run that becomes sparse is faster from then on; its slowest iteration over the median of all
    is named too. If all of its iterations are sparse, dense ones are timed besides.
    """
    dense = found.within("dense")
    dense = dense if dense.seconds else dense_iterations(learner)
    share = found.slowest / dense.median
    over = f"the median of {len(dense.seconds)} dense iterations"
    if "sparse" in found.stages:
        sparse = found.within("sparse").median
        over += f" (sparse: {sparse:.3g} s; {found.slowest / found.median:.2f} times the median of all)"
    return found.beside(at_most(found.median, "CPU s/iteration", over, dense.median, share, 1.3))


def annealed(text: Corpus) -> dict[str, Row]:
    """Whether an iteration of annealed EM costs the same throughout, and how much more than a plain one."""
    cooling = EM(text, STATES, precision="f32", annealing=Annealing(4.0, WHOLE_RUN))
    ours, plain = least_seconds([cooling, EM(text, STATES, precision="f32")], stage=way)
    ratio = ours.median / plain.median
    over = at_most(ours.median, "CPU s/iteration", "EM without annealing", plain.median, ratio, 1.5)
    return {
        "tagging_annealed_em_f32_slowest_iteration": steady(ours, cooling),
        "tagging_annealed_em_f32_vs_em": ours.beside(over),
    }


def precisions(text: Corpus) -> dict[str, Row]:
    """How far the log likelihoods of float32 and float64 are apart after 100 iterations of EM."""
    fast, exact = (
        fit_em(text, states=STATES, precision=precision, iterations=100, seed=1).view.objective[-1]
        for precision in ("f32", "f64")
    )
    apart = abs(fast / exact - 1)
    row = at_most(apart, "relative", "float64 at iteration 100", 1e-6, apart / 1e-6, 1)
    return {"tagging_em_f32_log_likelihood_vs_f64": row}


def against_the_floor(text: Corpus) -> dict[str, Row]:
    rows = {}
    for precision, dtype, goal in (("f32", np.float32, 1.5), ("f64", np.float64, 1.3)):
        climber, products = Climber(EM(text, STATES, precision=precision)), floor(dtype)
        climber.state.engine = Expectation(text, STATES, precision, sparse=False)
        ours, lower = by_turns(climber.expect, products)
        lower = [s / FLOOR_TOKENS for s in lower]
        ours = [s / text.tokens for s in ours]
        name = f"tagging_e_step_{precision}_vs_gemm_floor"
        rows[name] = below("GEMM floor", "ns/token", ours, lower, goal, 1e9)
    return rows


def sparse(text: Corpus) -> dict[str, Row]:
    """Sparse E-steps late in a run: against the products of a dense one, and float32 against float64."""
    learners = {
        "vb": lambda precision: VB(text, STATES, prior=Prior(1e-4, 1e-4), precision=precision),
        "map_em": lambda precision: MapEM(text, STATES, precision=precision),
    }
    rows: dict[str, Row] = {}
    for name, make in learners.items():
        fast, exact = (Climber(make(precision), warm=80) for precision in ("f32", "f64"))
        ours, double, lower = by_turns(fast.expect, exact.expect, floor(np.float32))
        rows[f"tagging_converged_{name}_sparse_f32_vs_f64"] = below(
            "float64", "ms/E-step", ours, double, 0.9, 1e3
        )
        if name == "vb":
            ours, lower = [s / text.tokens for s in ours], [s / FLOOR_TOKENS for s in lower]
            row = below("dense GEMM floor, f32", "ns/token", ours, lower, 0.5, 1e9)
            rows["tagging_converged_vb_sparse_vs_gemm_floor"] = row
    return rows


def gibbs(text: Corpus) -> dict[str, Row]:
    sampler, rng = CollapsedGibbs(text, STATES, precision="f32"), np.random.default_rng(1)
    state = sampler.step(rng, sampler.init(rng), 60)
    dense = Climber(EM(text, STATES))
    dense.state.engine = Expectation(text, STATES, "f64", sparse=False)
    ours, theirs = by_turns(lambda: sampler.sweep(rng, state, 1.0), dense.expect)
    ours, theirs = [s / text.tokens for s in ours], [s / text.tokens for s in theirs]
    row = against("dense f64 forward-backward", "ns/token", ours, theirs, 10, 1e9)
    return {"tagging_gibbs_token_vs_dense_f64_token": row}


def within(text: Corpus) -> dict[str, Row]:
    """VB against EM, decoding and scores against none, two threads against one."""
    em, vb = Climber(EM(text, STATES, precision="f32")), Climber(VB(text, STATES, precision="f32"))
    two = Climber(EM(text, STATES, precision="f32", threads=2))
    for climber in (em, vb, two):
        climber.state.engine = Expectation(text, STATES, "f32", threads=climber.learner.threads, sparse=False)
    scorer = Scorer(text, STATES)
    em_s, vb_s, score_s = by_turns(em, vb, lambda: scorer.row(em.state.labels))
    em.iterations = two.iterations = IN_A_ROW
    one_s, two_s = ([s / IN_A_ROW for s in times] for times in by_turns(em, two, clock=seconds))
    decode = decode_share(text)
    scores = statistics.median(s / e for s, e in zip(score_s, em_s, strict=True))
    extra = 1 + scores + decode
    return {
        "tagging_vb_iteration_vs_em": below("EM iteration", "s/iteration", vb_s, em_s, 1.10),
        "tagging_decode_and_scores": at_most(
            extra, "of an iteration", "an iteration without", 1.0, extra, 1.15
        ),
        "tagging_two_threads_vs_one": against("one thread", "s/iteration", two_s, one_s, 1.8),
    }


def decode_share(text: Corpus) -> float:
    """What taking the most probable state of every token costs, as a share of an iteration."""
    from numba import njit

    @njit(nogil=True)
    def decode(rows: np.ndarray, labels: np.ndarray) -> None:
        for i in range(labels.size):
            top, found = rows[i % 4096, 0], 0
            for k in range(1, rows.shape[1]):
                if rows[i % 4096, k] > top:
                    top, found = rows[i % 4096, k], k
            labels[i] = found

    rows = np.random.default_rng(0).dirichlet(np.ones(STATES), 4096).astype(np.float32)
    labels = np.empty(text.tokens, np.int16)
    decode(rows, labels)
    climber = Climber(EM(text, STATES, precision="f32"))
    ours, whole = by_turns(lambda: decode(rows, labels), climber)
    share = statistics.median(a / (b - a) for a, b in zip(ours, whole, strict=True))
    return float(share)


_MEMORY = """
from pathlib import Path
from otlab.tagging import EM, simulate_hmm
from otlab.inference import run
text = simulate_hmm(1_200_000, 1, tags=45, types=49_000, length=24)
running = run(EM(text, 50, precision="f32", threads=2), sweeps=2, seed=1)
running.advance(2)
# Not ru_maxrss: that begins with what the process had that started this one.
print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024)
"""


def memory() -> dict[str, Row]:
    """Peak memory of a process that runs EM on 1.2 million tokens, 49,000 types to draw from."""
    out = subprocess.run([sys.executable, "-c", _MEMORY], capture_output=True, text=True, check=True)
    peak = float(out.stdout)
    return {"tagging_memory_1_2_million_tokens": at_most(peak, "MB", "the goal", 400.0, peak / 400, 1.0)}


def run() -> dict[str, Row]:
    begin = time.perf_counter()
    text = corpus()
    rows = {
        **against_hmmlearn(text),
        **against_jax(text),
        **whole_runs(text),
        **annealed(text),
        **precisions(text),
        **against_the_floor(text),
        **sparse(text),
        **gibbs(text),
        **within(text),
        **memory(),
    }
    print(f"tagging: {text!r}, {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return rows
