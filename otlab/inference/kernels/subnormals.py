"""Treat numbers too small for full precision as 0 while a learner computes.

A float32 below 1.2e-38 (float64: 2.2e-308) keeps fewer digits, and on many processors
each operation with one takes a hundred times as long: EM with 50 states became fifteen
times slower in mid-run. Processors have a mode that reads and writes such numbers as 0.
Each thread has its own mode, and whether a new thread inherits it depends on the system. The
taggers' EM and VB set it in every thread that computes for them and restore it afterwards, and
threads of the shared pool begin without it, so results do not depend on threads. Learners that
take logarithms of very small weights, such as those of lexicon discovery, must not use it: the
logarithm of such a weight would become minus infinity.

On x86-64 these are bits FTZ and DAZ of the register MXCSR, on 64-bit ARM bit FZ of FPCR. On
other machines nothing is set, and only the speed differs.
"""

from __future__ import annotations

import platform
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from otlab.inference.jit import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["FLUSH_BITS", "float_mode", "keep_subnormals", "no_subnormals", "without_subnormals"]

T = TypeVar("T")

_X86 = platform.machine().lower() in ("x86_64", "amd64")
_ARM = platform.machine().lower() in ("aarch64", "arm64")

FLUSH_BITS = 0x8040 if _X86 else 1 << 24 if _ARM else 0
"""The bits that make this processor treat such numbers as 0; 0 where there are none."""


@intrinsic
def _control(typing_context):
    """Return the calling thread's floating-point control register."""

    def code(context, builder, signature, arguments):
        module, wide = builder.module, ir.IntType(64)
        if _X86:
            place, kind = _place(builder)
            builder.call(module.declare_intrinsic("llvm.x86.sse.stmxcsr", (), kind), [place])
            word = builder.bitcast(place, ir.IntType(32).as_pointer())
            return builder.zext(builder.load(word), wide)
        if _ARM:
            kind = ir.FunctionType(wide, [])
            return builder.call(module.declare_intrinsic("llvm.aarch64.get.fpcr", (), kind), [])
        return wide(0)

    return types.int64(), code


@intrinsic
def _set_control(typing_context, value):
    """Set the calling thread's floating-point control register."""

    def code(context, builder, signature, arguments):
        module = builder.module
        if _X86:
            place, kind = _place(builder)
            word = builder.bitcast(place, ir.IntType(32).as_pointer())
            builder.store(builder.trunc(arguments[0], ir.IntType(32)), word)
            builder.call(module.declare_intrinsic("llvm.x86.sse.ldmxcsr", (), kind), [place])
        elif _ARM:
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
            builder.call(module.declare_intrinsic("llvm.aarch64.set.fpcr", (), kind), [arguments[0]])
        return context.get_dummy_value()

    return types.void(types.int64), code


def _place(builder):
    """Return four bytes on the stack, as the instructions take them, and the instructions' type."""
    byte = ir.IntType(8).as_pointer()
    place = builder.bitcast(cgutils.alloca_once(builder, ir.IntType(32)), byte)
    return place, ir.FunctionType(ir.VoidType(), [byte])


@kernel
def float_mode():
    """Return the calling thread's floating-point mode, as the processor's own number."""
    return _control()


@kernel
def _enter(bits):
    before = _control()
    _set_control(before | bits)
    return before


@kernel
def _leave(before, bits):
    # Flags that were set meanwhile, such as overflow, are kept.
    _set_control((_control() & ~bits) | (before & bits))


@contextmanager
def no_subnormals() -> Iterator[None]:
    """Treat subnormal numbers as 0 in the calling thread, and restore its mode at the end.

    Calls may be nested. Threads started inside the block have to call this themselves.
    """
    before = _enter(FLUSH_BITS)
    try:
        yield
    finally:
        _leave(before, FLUSH_BITS)


def keep_subnormals() -> None:
    """Compute with subnormal numbers in the calling thread; for one that was started in the mode."""
    _leave(0, FLUSH_BITS)


def without_subnormals(work: Callable[..., T], *arguments: object) -> T:
    """Return ``work(*arguments)``, computed under :func:`no_subnormals`; for the threads of a pool."""
    with no_subnormals():
        return work(*arguments)
