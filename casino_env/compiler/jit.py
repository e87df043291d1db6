"""The compiler's front door: decorators that make kernels of functions, and instructions that only kernels have.

Rules, observations, networks and search are written as Python functions. `@kernel` marks those that kernels call,
`@entry` those that Python calls; an entry says the types of its arguments (types.py). Where the library (library.py)
has an entry, its machine code is called; else numba compiles it, and what it calls, at the first call
(numba_backend.py). numba is not even imported before that.

Where files have changed since the library was made, it is found out at the first call whether the entry has
(digests.py): by then all that it uses is defined.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any

from casino_env.compiler import library
from casino_env.compiler.digests import digest

ENTRIES: dict[str, Kernel] = {}  # by module and name all that have been defined
_NATIVE: dict[Any, Kernel] = {}  # which machine code of the library stands for which


class Kernel:
    """A function that is compiled. If Python calls one that is no entry all the same (tests do), it becomes one."""

    def __init__(self, function: Callable[..., Any], *, fastmath: bool, inline: bool, is_entry: bool) -> None:
        self.function, self.fastmath, self.inline, self.is_entry = function, fastmath, inline, is_entry
        self.__module__, self.__name__ = function.__module__, function.__name__
        self.__qualname__, self.__doc__ = function.__qualname__, function.__doc__

    @cached_property
    def inner(self) -> Any:
        """For other kernels: numba's object."""
        return _backend().inner_of(self)

    @cached_property
    def entry(self) -> Any:
        """For Python, compiled here."""
        return _backend().entry_of(self)

    @cached_property
    def native(self) -> Any:
        """That of the library, if it is made of the same; else None."""
        return library.find(self.function, digest(self)) if self.is_entry else None

    def __call__(self, *args: Any) -> Any:
        return self.native(*args) if self.native is not None else self.entry(*map(library.unpin, args))

    @property
    def _numba_type_(self) -> Any:
        return self.inner._numba_type_

    def as_kernels_see_it(self) -> Callable[..., Any]:
        """The function, with kernels in place of the machine code of the library that it calls."""
        function, known = self.function, self.function.__globals__
        called = {name: known[name] for name in function.__code__.co_names if name in known}
        kernels = {name: found for name, value in called.items() if (found := kernel_of(value)) is not value}
        if not kernels:
            return function
        twin = FunctionType(function.__code__, known | kernels, function.__name__, function.__defaults__)
        twin.__module__, twin.__qualname__, twin.__doc__ = self.__module__, self.__qualname__, self.__doc__
        return twin

    def __reduce__(self) -> str:
        """Pickled by name, as functions are."""
        return str(self.__qualname__)


class Instruction:
    """An instruction of kernels; its meaning is in intrinsics.py under the same name."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def _numba_type_(self) -> Any:
        return _backend().type_of_instruction(self.name)


def _backend() -> Any:
    try:
        from casino_env.compiler import numba_backend

        if library.MODE == library.CHECKED:
            from casino_env.compiler import checked  # noqa: F401 - from here on it is compiled otherwise
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
    """Machine code for other kernels to call. Kernels raise nothing and draw from the state they are given."""
    return Kernel(function, fastmath=False, inline=False, is_entry=False)


def fast_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel of floating-point loops, whose sums may be added up in any order: for networks, never for rules."""
    return Kernel(function, fastmath=True, inline=False, is_entry=False)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fast_kernel that becomes part of those that call it: where many arrays would be handed on, which are copied
    word by word, more often than is worth it."""
    return Kernel(function, fastmath=True, inline=True, is_entry=False)


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that Python calls; other threads of Python go on meanwhile."""
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
    """The kernel for which machine code of the library stands; anything else is itself."""
    try:
        return _NATIVE.get(value, value)
    except TypeError:  # what cannot be a key is no machine code
        return value


# Sets of cards are int64: 52 bits leave the sign alone, and numba turns mixed int64 and uint64 into floats.

popcount: Any = Instruction("popcount")  # (word): how many bits are set
lowest: Any = Instruction("lowest")  # (word): index of the lowest set bit; 64 if there is none
highest: Any = Instruction("highest")  # (word): index of the highest set bit; -1 if there is none
bits_of: Any = Instruction("bits_of")  # (word): to go through the indices of the set bits, from the lowest up
mirrored: Any = Instruction("mirrored")  # (word): the 64 bits in the opposite order
scratch: Any = Instruction("scratch")  # (): 64 small numbers on the machine's stack
card_sets: Any = Instruction("card_sets")  # (): 16 sets of cards there, such as one for each value
borrow_bytes: Any = Instruction("borrow_bytes")  # (many): so many bytes of zeros, until they are given back
borrow_words: Any = Instruction("borrow_words")  # (many): the same of whole numbers
give_back: Any = Instruction("give_back")  # (what was borrowed)
items_of: Any = Instruction("items_of")  # (array): its numbers, handed on as one word, written without looking
take: Any = Instruction("take")  # (taken, many): how many were taken so far, by all threads; then so many more are
