"""The decorators that turn functions into kernels, and the instructions that only kernels have.

Rules, observations, networks and search are written as Python functions. `@kernel` marks functions that kernels call,
`@entry` functions that Python calls; an entry annotates the types of its arguments (types.py). If the library
(library.py) has an entry, its machine code is called. Otherwise numba compiles the entry and its callees at the first
call (numba_backend.py); numba is not imported before that.

If source files have changed since the library was made, the first call checks whether the entry itself has changed
(digests.py): by then everything it uses is defined.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any

from casino_env.compiler import library
from casino_env.compiler.digests import digest

ENTRIES: dict[str, Kernel] = {}  # "module.name": entry, for all entries defined so far
_NATIVE: dict[Any, Kernel] = {}  # machine code of the library: the kernel it was compiled from


class Kernel:
    """A function to compile. If Python calls a kernel that is no entry (tests do), it is compiled as one."""

    def __init__(self, function: Callable[..., Any], *, fastmath: bool, inline: bool, is_entry: bool) -> None:
        self.function, self.fastmath, self.inline, self.is_entry = function, fastmath, inline, is_entry
        self.__module__, self.__name__ = function.__module__, function.__name__
        self.__qualname__, self.__doc__ = function.__qualname__, function.__doc__

    @cached_property
    def inner(self) -> Any:
        """numba's object for callers that are kernels."""
        return _backend().inner_of(self)

    @cached_property
    def entry(self) -> Any:
        """numba's object for Python, compiled on this machine."""
        return _backend().entry_of(self)

    @cached_property
    def native(self) -> Any:
        """The library's machine code if it is up to date; else None."""
        return library.find(self.function, digest(self)) if self.is_entry else None

    def __call__(self, *args: Any) -> Any:
        return self.native(*args) if self.native is not None else self.entry(*map(library.unpin, args))

    @property
    def _numba_type_(self) -> Any:
        return self.inner._numba_type_

    def as_kernels_see_it(self) -> Callable[..., Any]:
        """Return the function with kernels as its callees wherever it calls machine code of the library."""
        function, known = self.function, self.function.__globals__
        called = {name: known[name] for name in function.__code__.co_names if name in known}
        kernels = {name: found for name, value in called.items() if (found := kernel_of(value)) is not value}
        if not kernels:
            return function
        twin = FunctionType(function.__code__, known | kernels, function.__name__, function.__defaults__)
        twin.__module__, twin.__qualname__, twin.__doc__ = self.__module__, self.__qualname__, self.__doc__
        return twin

    def __reduce__(self) -> str:
        """Pickle by name, like a function."""
        return str(self.__qualname__)


class Instruction:
    """An instruction that only kernels have; intrinsics.py implements it under the same name."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def _numba_type_(self) -> Any:
        return _backend().type_of_instruction(self.name)


def _backend() -> Any:
    try:
        from casino_env.compiler import numba_backend

        if library.MODE == library.CHECKED:
            from casino_env.compiler import checked  # noqa: F401 - its import switches bounds checks on
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        from casino_env.extras import install_command

        raise ImportError(
            "casino_env: kernels have to be compiled here (the library lacks some, or they have changed), which needs "
            f"numba: {install_command('compile')}"
        ) from None
    return numba_backend


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that other kernels call. Kernels raise nothing and draw random numbers from a state passed to them."""
    return Kernel(function, fastmath=False, inline=False, is_entry=False)


def fast_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose floating-point sums may be added in any order: for networks, never for rules."""
    return Kernel(function, fastmath=True, inline=False, is_entry=False)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fast_kernel that is inlined into its callers: for functions called so often with many arrays that copying
    these word by word would cost too much."""
    return Kernel(function, fastmath=True, inline=True, is_entry=False)


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that Python calls; it releases the GIL."""
    return _entry(function, fastmath=False)


def fast_entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fast_kernel that Python calls."""
    return _entry(function, fastmath=True)


def _entry(function: Callable[..., Any], *, fastmath: bool) -> Callable[..., Any]:
    made = Kernel(function, fastmath=fastmath, inline=False, is_entry=True)
    ENTRIES[f"{function.__module__}.{function.__name__}"] = made
    native = library.find_unchanged(function)
    if native is None:
        return made
    _NATIVE[native] = made
    return native


def kernel_of(value: Any) -> Any:
    """Return the kernel that machine code of the library was compiled from; anything else unchanged."""
    try:
        return _NATIVE.get(value, value)
    except TypeError:  # unhashable, so not machine code
        return value


# Sets of cards are int64: 52 bits leave the sign alone, and numba turns mixed int64 and uint64 into floats.

popcount: Any = Instruction("popcount")  # (word): how many bits are set
lowest: Any = Instruction("lowest")  # (word): index of the lowest set bit; 64 if there is none
highest: Any = Instruction("highest")  # (word): index of the highest set bit; -1 if there is none
bits_of: Any = Instruction("bits_of")  # (word): iterator over the indices of the set bits, lowest first
mirrored: Any = Instruction("mirrored")  # (word): the 64 bits in reverse order
scratch: Any = Instruction("scratch")  # (): an array of 64 int8 on the stack
floats: Any = Instruction("floats")  # (): an array of 64 float32 on the stack, kept in registers where loops are short
card_sets: Any = Instruction("card_sets")  # (): an array of 16 int64 on the stack, such as a card set for each value
borrow_bytes: Any = Instruction("borrow_bytes")  # (many): allocate so many bytes of zeros, until give_back
borrow_words: Any = Instruction("borrow_words")  # (many): the same for int64
give_back: Any = Instruction("give_back")  # (borrowed): free it
not_zero: Any = Instruction("not_zero")  # (items, at): bitmask of the nonzero ones of 64 float32 from index at on
is_bits: Any = Instruction("is_bits")  # (items): whether they are int64, known when it is compiled
items_of: Any = Instruction("items_of")  # (array): pointer to its numbers: one word to pass, no index checks
take: Any = Instruction("take")  # (taken, many): atomically add many to taken[0]; return the number before
