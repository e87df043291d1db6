"""Makes the library: machine code of all entries for one kind of processor after another, from what numba makes of them.

Every entry is compiled for the types that its annotations say, no further than LLVM's unoptimised language (lower). All
of them become one module, in which each inner kernel stands once, with a border around it: a function for each entry
that takes one block of 64-bit slots, where Python, C and JavaScript alike put numbers and where arrays lie, and from
which they take the answer. Only then it is optimised for a processor (emit) and linked (link).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils, registry

from casino_env.compiler.jit import ENTRIES, Kernel
from casino_env.compiler.library import FOLDER, LEVELS, MANIFEST
from casino_env.compiler.numba_backend import all_below, numba_type, signature_of
from casino_env.compiler.sources import digest, sources
from casino_env.compiler.types import Elements, Fields, Kind, Number, arguments, leaves

_SLOT = ir.IntType(64)
_C = Path(__file__).parent / "c"
_PACKAGE = Path(__file__).parents[1]


# --- which entries there are -----------------------------------------------------------------------------------------


def modules_of_entries() -> list[str]:
    """The modules of the project in which entries are defined."""
    found = []
    for part in ("", "agents", "evaluate", "train"):
        home = next(Path(place) / part for place in import_module("casino_env").__path__ if (Path(place) / part).is_dir())
        for file in sorted(home.rglob("*.py")):
            names = file.relative_to(home).with_suffix("").parts
            if names[0] in ("agents", "evaluate", "train", "play", "configs") and not part:
                continue  # by a link
            if re.search(r"^@(short_|fast_)?entry$", file.read_text(), re.MULTILINE):
                found.append(".".join(filter(None, ("casino_env", part, *names))))
    return found


def symbol_of(name: str) -> str:
    return "casino_" + name.removeprefix("casino_env.").replace(".", "_")


def takes_code(kind: Kind) -> str:
    """An argument in the letters that the border knows: q Q d, a[dimensions][bytes an element], ( ... )."""
    if isinstance(kind, Fields):
        return f"({''.join(takes_code(part) for part in kind.parts)})"
    if isinstance(kind, Elements):
        import numpy as np

        return f"a{kind.dimensions}:{np.dtype(kind.dtype).itemsize};"
    return kind.code


def _returns_code(kind: Any) -> str:
    if isinstance(kind, types.NoneType):
        return ""
    if isinstance(kind, types.Boolean):
        return "?"
    if isinstance(kind, types.Integer):
        return "q" if kind.signed else "Q"
    if isinstance(kind, types.Float):
        return "d"
    if isinstance(kind, types.BaseTuple):
        return f"({''.join(_returns_code(part) for part in kind)})"
    raise TypeError(f"entries return numbers and tuples of them, not {kind}")


# --- from functions to one module --------------------------------------------------------------------------------------


@dataclass
class Lowered:
    """The entries as unoptimised code for any processor, and what they take and return."""

    text: str
    rows: dict[str, dict[str, Any]]


def lower(tell: Callable[[str], None]) -> Lowered:
    for module in modules_of_entries():
        import_module(module)
    rows, libraries, made = {}, [], []
    began = time.perf_counter()
    for number, (name, kernel) in enumerate(sorted(ENTRIES.items()), 1):
        signature = signature_of(kernel)
        kernel.inner.compile(signature)
        compiled = kernel.inner.overloads[signature]
        made.append((name, kernel, compiled))
        libraries.append(compiled.library)
        tell(f"{number:3} of {len(ENTRIES)}  {name:<60} {time.perf_counter() - began:6.1f} s")
    border = _border(made, rows)
    parts = [str(library._final_module) for library in dict.fromkeys([*libraries, *all_below(libraries, set())])]
    return Lowered(_linked([*parts, border]), rows)


def _linked(parts: list[str]) -> str:
    """One module of all; names of numba's environments, which nobody asks for, are its own affair."""
    whole = None
    for part in parts:
        module = llvm.parse_assembly(re.sub(r"= common (local_unnamed_addr )?global ptr null", "= weak_odr global ptr null", part))
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
    return str(whole)


def _border(made: list[tuple[str, Kernel, Any]], rows: dict[str, dict[str, Any]]) -> str:
    context = registry.cpu_target.target_context
    module = context.create_module("border")
    for name, kernel, compiled in made:
        kinds = arguments(kernel.function)
        kind = ir.FunctionType(ir.IntType(32), [_SLOT.as_pointer()])
        function = ir.Function(module, kind, symbol_of(name))
        _write_border(context, module, function, list(kinds.values()), compiled)
        rows[name] = {
            "symbol": symbol_of(name),
            "takes": "".join(takes_code(each) for each in kinds.values()),
            "returns": _returns_code(compiled.signature.return_type),
            "short": bool(getattr(kernel.function, "short", False)),
        }
    return str(module)


def _write_border(context: Any, module: Any, function: Any, kinds: list[Kind], compiled: Any) -> None:
    builder = ir.IRBuilder(function.append_basic_block())
    slots = _Slots(builder, function.args[0])
    values = [_read(context, builder, slots, kind) for kind in kinds]
    callee = context.declare_function(module, compiled.fndesc)
    signature = compiled.signature
    status, result = context.call_conv.call_function(builder, callee, signature.return_type, signature.args, values)
    slots.rewind()
    _write(context, builder, slots, signature.return_type, result)
    builder.ret(builder.select(status.is_ok, ir.Constant(ir.IntType(32), 0), ir.Constant(ir.IntType(32), 1)))


class _Slots:
    """The block, slot by slot."""

    def __init__(self, builder: Any, block: Any) -> None:
        self._builder, self._block, self._next = builder, block, 0

    def rewind(self) -> None:
        self._next = 0

    def place(self) -> Any:
        self._next += 1
        return self._builder.gep(self._block, [ir.Constant(_SLOT, self._next - 1)])

    def read(self) -> Any:
        return self._builder.load(self.place())

    def write(self, value: Any) -> None:
        self._builder.store(value, self.place())


def _read(context: Any, builder: Any, slots: _Slots, kind: Kind) -> Any:
    if isinstance(kind, Fields):
        parts = [_read(context, builder, slots, part) for part in kind.parts]
        return context.make_tuple(builder, numba_type(kind), parts)
    if isinstance(kind, Number):
        word = slots.read()
        return builder.bitcast(word, ir.DoubleType()) if kind.code == "d" else word
    array_type = numba_type(kind)
    array = context.make_array(array_type)(context, builder)
    data = builder.inttoptr(slots.read(), array.data.type)
    shape = [slots.read() for _ in range(kind.dimensions)]
    item = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    strides, step = [], ir.Constant(_SLOT, item)
    for size in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, size)
    from numba.np.arrayobj import populate_array

    populate_array(
        array, data=data, shape=shape, strides=strides, itemsize=context.get_constant(types.intp, item), meminfo=None
    )
    return array._getvalue()


def _write(context: Any, builder: Any, slots: _Slots, kind: Any, value: Any) -> None:
    if isinstance(kind, types.NoneType):
        return
    if isinstance(kind, types.BaseTuple):
        for i, part in enumerate(kind):
            _write(context, builder, slots, part, builder.extract_value(value, i))
    elif isinstance(kind, types.Float):
        slots.write(builder.bitcast(context.cast(builder, value, kind, types.float64), _SLOT))
    else:
        slots.write(context.cast(builder, value, kind, types.int64))


# --- from the module to a file ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """A kind of processor and system."""

    level: str
    triple: str
    cpu: str
    features: str = ""
    zig: str = ""  # zig's name of the system; empty: the compiler of this machine


TARGETS = {
    "x86-64-v2": Target("x86-64-v2", "x86_64-unknown-linux-gnu", "x86-64-v2"),
    "x86-64-v3": Target("x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3"),
    "x86-64-v4": Target("x86-64-v4", "x86_64-unknown-linux-gnu", "x86-64-v4"),
}


def emit(lowered: Lowered, target: Target) -> bytes:
    """Optimised object code."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(lowered.text)
    keep = {row["symbol"] for row in lowered.rows.values()}
    for function in module.functions:
        if not function.is_declaration and function.name not in keep:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="static" if "wasm" in target.triple else "pic"
    )
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    llvm.create_pass_builder(machine, tuning).getModulePassManager().run(module, llvm.create_pass_builder(machine, tuning))
    return bytes(machine.emit_object(module))
