"""Prefetch a row of a table before it is read.

A loop over tokens reads one row per word, and these rows are scattered over a table of
megabytes. The processor cannot predict the next row; a prefetch some tokens ahead brings it
into the cache before the loop reads it.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

__all__ = ["AHEAD", "fetch_row"]

AHEAD = 4
"""How many rows ahead of the one being read a row is prefetched."""

_LINE = 64  # bytes in a cache line


@intrinsic
def fetch_row(typing_context, table, row):
    """Prefetch a row of a contiguous table; only the time of reading it changes.

    Unlike a call of a kernel, this counts no reference to the table.
    """
    pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)

    def code(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        columns, width = builder.extract_value(array.shape, 1), array.itemsize
        start = cgutils.pointer_add(
            builder, array.data, builder.mul(arguments[1], builder.mul(columns, width))
        )
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        size, zero, line = (
            builder.mul(columns, width),
            ir.Constant(columns.type, 0),
            ir.Constant(columns.type, _LINE),
        )
        with cgutils.for_range_slice(builder, zero, size, line, columns.type) as (offset, _):
            where = cgutils.pointer_add(builder, builder.bitcast(start, pointer), offset)
            # To read (0), keep in every cache (3), data (1).
            builder.call(prefetch, [where, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(table, types.intp), code
