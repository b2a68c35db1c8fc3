"""Prefetch a row of a table before it is read.

Rows picked by word lie all over a table of megabytes. The processor cannot guess the
next one; told early, it has the row at hand when the loop arrives.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

__all__ = ["AHEAD", "fetch_row"]

AHEAD = 4
"""Rows between asking and reading."""

_LINE = 64  # bytes that the processor brings at once


@intrinsic
def fetch_row(typing_context, table, row):
    """Ask for a row of a contiguous table; nothing changes but the time of reading it.

    No reference to the table is counted, as a call of a kernel would.
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
