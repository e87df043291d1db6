"""Bounds-checked kernels (casino compile --check-bounds): an index outside its array raises an error.

Without the check it would read or write whatever lies there. numba can check indices of arrays, also inside records.
Where kernels otherwise use a bare pointer, they get an array of known size here. Negative indices, which Python counts
from the end, are errors too: no kernel uses them. With CASINO_ENV_KERNELS=checked, jit.py imports this module before
anything is compiled.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, typed_passes
from numba.extending import intrinsic
from numba.np import arrayobj

from casino_env.compiler import intrinsics, kept

numba.config.BOUNDSCHECK = 1
_stamp = kept.stamp
kept.stamp = lambda: f"{_stamp()}-checked"  # type: ignore[assignment]


def _index(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
    """Leave an index as it is: numba would turn a negative one into an index from the end, which passes the check."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


arrayobj.fix_integer_index = _index
_infer = typed_passes.NopythonTypeInference.run_pass


def _infer_types(step: Any, state: Any) -> Any:
    """Infer types as if references were counted: otherwise numba does not let a kernel return an array that it has
    borrowed."""
    context, state.targetctx = state.targetctx, state.targetctx.subtarget(enable_nrt=True)
    try:
        return _infer(step, state)
    finally:
        state.targetctx = context


typed_passes.NopythonTypeInference.run_pass = _infer_types


def _array(context: Any, builder: Any, kind: Any, data: Any, many: Any) -> Any:
    """Make an array of the numbers that begin at the pointer data."""
    array = context.make_array(kind)(context, builder)
    item = context.get_constant(types.intp, kind.dtype.bitwidth // 8)
    arrayobj.populate_array(array, data=data, shape=[many], strides=[item], itemsize=item, meminfo=None)
    return array._getvalue()


def _on_the_stack(many: int, dtype: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, _args: Any) -> Any:
        kind = context.get_value_type(dtype)
        data = builder.bitcast(cgutils.alloca_once(builder, ir.ArrayType(kind, many)), kind.as_pointer())
        return _array(context, builder, sig.return_type, data, context.get_constant(types.intp, many))

    return types.Array(dtype, 1, "C")(), emit


@intrinsic
def scratch(_context: Any) -> Any:
    return _on_the_stack(64, types.int8)


@intrinsic
def card_sets(_context: Any) -> Any:
    return _on_the_stack(16, types.int64)


@intrinsic
def floats(_context: Any) -> Any:
    return _on_the_stack(64, types.float32)


def _borrowed(dtype: Any) -> Any:
    borrow = intrinsics._borrow(dtype.bitwidth // 8)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _array(context, builder, sig.return_type, borrow(context, builder, sig, args), args[0])

    return types.Array(dtype, 1, "C")(types.int64), emit


@intrinsic
def borrow_bytes(_context: Any, _many: Any) -> Any:
    return _borrowed(types.int8)


@intrinsic
def borrow_words(_context: Any, _many: Any) -> Any:
    return _borrowed(types.int64)


@intrinsic
def give_back(_context: Any, array: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        kind = ir.FunctionType(ir.VoidType(), [intrinsics._BYTES])
        free = cgutils.get_or_insert_function(builder.module, kind, "casino_give_back")
        builder.call(free, [builder.bitcast(data, intrinsics._BYTES)])
        return context.get_dummy_value()

    return types.none(array), emit


@intrinsic
def items_of(_context: Any, array: Any) -> Any:
    return array(array), lambda _c, _builder, _sig, args: args[0]


def _not_zero(items: Any, at: int) -> int:
    bits = 0
    for k in range(64):
        bits |= (items[at + k] != 0) << k
    return bits


@intrinsic
def not_zero(_context: Any, items: Any, at: Any) -> Any:
    return types.int64(items, at), lambda context, builder, sig, args: context.compile_internal(
        builder, _not_zero, sig, args
    )


for _name in ("scratch", "card_sets", "floats", "borrow_bytes", "borrow_words", "give_back", "items_of", "not_zero"):
    setattr(intrinsics, _name, globals()[_name])
