"""Name the kernels of the page, with the types of their arguments.

A kernel of the labs takes arrays, numbers, tuples of them and a generator. In WebAssembly a function takes
numbers alone: of each array its address and its lengths. :data:`EXPORTS` says what is passed; the script
``engine.js`` reads the same list, so that a call is written once.

======= =====================================================================
type    passed as
======= =====================================================================
``f8``  a float64
``i8``  an int64
``f8[]``, ``i8[]``, ``f8[,]``, ``i8[,]``  address, then each length
``rng`` address of the generator's state, then of its three functions
======= =====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["EXPORTS", "Export", "signatures"]

Fields = dict[str, str]


@dataclass(frozen=True)
class Export:
    """A kernel that the page calls.

    Attributes
    ----------
    module, kernel
        Where it is.
    arguments
        The type of each argument by name; of a tuple its class in the module and the types of its fields.
    results
        How many numbers it returns; they are written to an array.
    """

    module: str
    kernel: str
    arguments: Mapping[str, str | tuple[str, Fields]]
    results: int = 0

    def function(self) -> Callable[..., Any]:
        """Return the kernel."""
        found: Callable[..., Any] = getattr(import_module(self.module), self.kernel)
        return found

    def flat(self) -> list[tuple[str, str]]:
        """Return the name and type of each argument, those of a tuple as ``tuple.field``."""
        return [
            pair
            for name, kind in self.arguments.items()
            for pair in (
                [(name, kind)]
                if isinstance(kind, str)
                else [(f"{name}.{field}", type_) for field, type_ in kind[1].items()]
            )
        ]


def _of_type(kind: str, names: str) -> Fields:
    """Return fields of one type, named in a text."""
    return dict.fromkeys(names.split(), kind)


TRIALS = ("Trials", {
    "chance": "f8[]",
    **_of_type("i8[]", "alias observed input_of rival_start rivals active_start active"),
    **_of_type("i8[]", "violation_start violations best_start best"),
    "marks": "i8[,]",
})  # fmt: skip
STAGE = ("Stage", {**_of_type("f8[]", "plasticity base noise"), **_of_type("f8", "ratio spread")})
RULE = ("Rule", {"number": "i8", "higher": "i8[]", "lower": "i8[]", "gap": "f8"})
RECORD = ("Record", {"rows": "f8[,]", "every": "i8", "due": "i8"})
LAYOUT = ("Layout", {
    **_of_type("i8[]", "counts vector_start value_start site_start site_constraint member_start"),
    **_of_type("i8[]", "lose_start member_side member_slot side_start side_slot slot_start slot_site"),
})  # fmt: skip
MODEL = ("Model", {
    **_of_type("f8", "noise bound"),
    **_of_type("f8[]", "prior_mean precision"),
    **_of_type("i8[]", "higher lower"),
})  # fmt: skip
SCRATCH = ("Scratch", {**_of_type("f8[]", "after before current proposal sums"), "counts": "i8[]"})
PLAN = ("PlanArrays", _of_type("i8[]", "states transitions constraint target below_offsets below"))

EXPORTS: dict[str, Export] = {
    "trials": Export(
        "otlab.ot.kernels.gla",
        "trials",
        {
            "rng": "rng", "data": TRIALS, "rule": RULE, "stage": STAGE, "values": "f8[]", "record": RECORD,
            "size": "f8", "n": "i8",
        },
        results=2,
    ),
    "sweeps": Export(
        "otlab.ot.kernels.gibbs",
        "sweeps",
        {
            "rng": "rng", "layout": LAYOUT, "model": MODEL, "y": "f8[]", "values": "f8[]", "scratch": SCRATCH,
            "draws": "f8[,]", **_of_type("i8", "thin sweep drawn last budget"),
        },
        results=2,
    ),
    "probabilities": Export(
        "otlab.ot.kernels.probability",
        "batch_values",
        {"draws": "f8[,]", "noise": "f8", "active": "i8[]", "plan": PLAN, "out": "f8[,]"},
    ),
    "maxent": Export(
        "otlab.web.kernels.maxent",
        "best_weights",
        {
            "violations": "f8[,]", "starts": "i8[]", "counts": "f8[]", "mean": "f8[]", "sd": "f8[]",
            "lowest": "f8", "weights": "f8[]", "probability": "f8[]",
        },
        results=2,
    ),
    "trust": Export(
        "otlab.web.kernels.trust", "chain_diagnostics", {"draws": "f8[,]", "chains": "i8", "out": "f8[]"}
    ),
}  # fmt: skip


def signatures() -> dict[str, Any]:
    """Return what the page has to know of each kernel: names and types, and the number of results."""
    return {name: {"arguments": export.flat(), "results": export.results} for name, export in EXPORTS.items()}
