"""The instructions that only kernels have, as LLVM IR. jit.py says what each does."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import RefType, iternext_impl
from numba.extending import intrinsic, lower_builtin, models, register_model

_NOT_POISON = ir.Constant(ir.IntType(1), 0)


@intrinsic
def popcount(_context: Any, _word: Any) -> Any:
    return types.int64(types.int64), lambda _c, builder, _s, args: builder.ctpop(args[0])


@intrinsic
def lowest(_context: Any, _word: Any) -> Any:
    return types.int64(types.int64), lambda _c, builder, _s, args: builder.cttz(args[0], _NOT_POISON)


@intrinsic
def highest(_context: Any, _word: Any) -> Any:
    def emit(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.sub(ir.Constant(ir.IntType(64), 63), builder.ctlz(args[0], _NOT_POISON))

    return types.int64(types.int64), emit


@intrinsic
def mirrored(_context: Any, _word: Any) -> Any:
    return types.int64(types.int64), lambda _c, builder, _s, args: builder.bitreverse(args[0])


# --- iterating over the bits of a word -----------------------------------------------------------------------------


class _Bits(types.SimpleIteratorType):  # type: ignore[misc]
    """An iterator; it points to the word of bits that are left."""

    def __init__(self) -> None:
        super().__init__("Bits", types.int64)


@register_model(_Bits)
class _BitsModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("left", types.EphemeralPointer(types.int64))])


@intrinsic
def bits_of(_context: Any, _word: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = context.make_helper(builder, sig.return_type)
        bits.left = cgutils.alloca_once_value(builder, args[0])
        return bits._getvalue()

    return _Bits()(types.int64), emit


@lower_builtin("iternext", _Bits)
@iternext_impl(RefType.UNTRACKED)
def _next_bit(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    bits = context.make_helper(builder, sig.args[0], args[0])
    left = builder.load(bits.left)
    is_one = builder.icmp_unsigned("!=", left, left.type(0))
    result.set_valid(is_one)
    with builder.if_then(is_one):
        result.yield_(builder.cttz(left, _NOT_POISON))
        builder.store(builder.and_(left, builder.sub(left, left.type(1))), bits.left)


# --- memory on the stack -------------------------------------------------------------------------------------------


def _on_the_stack(many: int, dtype: Any) -> Any:
    def emit(context: Any, builder: Any, _sig: Any, _args: Any) -> Any:
        kind = context.get_value_type(dtype)
        return builder.bitcast(cgutils.alloca_once(builder, ir.ArrayType(kind, many)), kind.as_pointer())

    return types.CPointer(dtype)(), emit


@intrinsic
def scratch(_context: Any) -> Any:
    return _on_the_stack(64, types.int8)


@intrinsic
def card_sets(_context: Any) -> Any:
    return _on_the_stack(16, types.int64)


@intrinsic
def floats(_context: Any) -> Any:
    return _on_the_stack(64, types.float32)


# --- memory for a part of a call, from the host: here the C library --------------------------------------------------

_BYTES, _WORD = ir.IntType(8).as_pointer(), ir.IntType(64)
_libc = ctypes.CDLL(None if os.name == "posix" else "msvcrt")
llvmlite.binding.add_symbol("casino_borrow", ctypes.cast(_libc.calloc, ctypes.c_void_p).value)
llvmlite.binding.add_symbol("casino_give_back", ctypes.cast(_libc.free, ctypes.c_void_p).value)


def _borrow(size: int) -> Any:
    def emit(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(_BYTES, [_WORD, _WORD])
        place = builder.call(
            cgutils.get_or_insert_function(builder.module, kind, "casino_borrow"), [args[0], ir.Constant(_WORD, size)]
        )
        return builder.bitcast(place, ir.IntType(8 * size).as_pointer())

    return emit


@intrinsic
def borrow_bytes(_context: Any, _many: Any) -> Any:
    return types.CPointer(types.int8)(types.int64), _borrow(1)


@intrinsic
def borrow_words(_context: Any, _many: Any) -> Any:
    return types.CPointer(types.int64)(types.int64), _borrow(8)


@intrinsic
def give_back(_context: Any, place: Any) -> Any:
    def emit(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [_BYTES])
        builder.call(
            cgutils.get_or_insert_function(builder.module, kind, "casino_give_back"), [builder.bitcast(args[0], _BYTES)]
        )
        return context.get_dummy_value()

    return types.none(place), emit


# --- arrays --------------------------------------------------------------------------------------------------------


@intrinsic
def items_of(_context: Any, array: Any) -> Any:
    """Pass an array as one word instead of seven, and write without a check for negative indices."""
    if array.ndim != 1 or array.layout != "C":
        raise TypeError(f"{array} is not contiguous and one-dimensional")

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.make_array(sig.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), emit


@intrinsic
def is_bits(_context: Any, items: Any) -> Any:
    answer = ir.Constant(ir.IntType(1), items.dtype.bitwidth == 64)
    return types.boolean(items), lambda _c, _builder, _s, _args: answer


@intrinsic
def not_zero(_context: Any, items: Any, _at: Any) -> Any:
    lanes = ir.VectorType(ir.FloatType(), 64)

    def emit(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        place = builder.bitcast(builder.gep(args[0], [args[1]]), lanes.as_pointer())
        found = builder.load(place, align=4)
        return builder.bitcast(builder.fcmp_unordered("!=", found, ir.Constant(lanes, None)), _WORD)

    return types.int64(items, types.int64), emit


@intrinsic
def take(_context: Any, taken: Any, _many: Any) -> Any:
    """Take the next pieces of shared work; no two threads get the same ones."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[0])(context, builder, args[0])
        return builder.atomic_rmw("add", array.data, args[1], "monotonic")

    return types.int64(taken, types.int64), emit
