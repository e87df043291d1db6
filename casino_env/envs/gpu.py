"""make_vec(..., device="cuda"): a batch of games that lives and is played on a GPU, one thread per game (docs/gpu.md).

States, observations, masks and rewards are torch tensors that never leave the GPU. aot/gpu.py compiles the kernels of
batch.py for it, so games are dealt and played as everywhere else. This has never run on a GPU; its tests play the same
code in loops.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from casino_env.actions import ACTIONS
from casino_env.compiler.digests import stamp
from casino_env.compiler.jit import kernel_of
from casino_env.compiler.library import FOLDER, PTX
from casino_env.compiler.types import Elements, arguments, leaves, values
from casino_env.engine.state import GAME, OVER
from casino_env.envs import batch
from casino_env.envs.options import Options, nothing_to_decide
from casino_env.envs.vector import FORMS, VectorGames
from casino_env.game import IllegalActionError, complaint
from casino_env.rules import Rules

Tensor = torch.Tensor
Launch = Callable[[str, Tensor, int], None]  # (GPU kernel, block of its arguments, number of games)


class GpuGames:
    """A batch of make_vec whose arrays are all tensors on a device."""

    def __init__(
        self,
        rules: Rules,
        num_envs: int,
        options: Options,
        *,
        device: str,
        obs: str = "dense",
        copy: bool = True,
        launch: Launch | None = None,
    ) -> None:
        """launch: runs a GPU kernel in place of the GPU (for tests)."""
        self._launch = launch or Cuda(device).launch
        self._host = host = VectorGames(rules, num_envs, options, obs=obs, copy=False)  # its games are never played
        self.rules, self.options, self.layout, self.num_envs = rules, options, host.layout, host.num_envs
        self.device, self.obs, self.copy = torch.device(device), obs, copy
        buffers = host._buffers._replace(
            views=np.zeros(num_envs, GAME), lists=np.zeros((num_envs, host.layout.most), np.int16)
        )
        self._games, self._buffers = self._moved(host.games), self._moved(buffers)
        self._observation, self._mask = self._moved(host._observation), self._moved(host._mask)
        dense = self._observation
        if FORMS[obs]:
            self._buffers = self._buffers._replace(**{FORMS[obs]: self._observation})
            dense = self._moved(host._no_dense)
        self._actions = torch.zeros(num_envs, dtype=torch.int64, device=device)
        self._draws = torch.zeros(num_envs, dtype=torch.int64, device=device)
        self._marked = torch.ones(num_envs, dtype=torch.bool, device=device)
        seen = (dense, self._mask)
        self._blocks = {
            "start_one": self._block(batch.start_one, self._games, self._buffers, self._marked, *seen),
            "step_one": self._block(batch.step_one, self._games, self._buffers, self._actions, *seen),
            "play_one": self._block(batch.play_one, self._games, self._draws),
        }

    def _moved(self, value: Any) -> Any:
        """Copy arrays to the device as tensors; records become their bytes."""
        if isinstance(value, tuple):
            return type(value)(*map(self._moved, value))
        if not isinstance(value, np.ndarray):
            return value
        plain = value.view(np.uint8).reshape(len(value), -1) if value.dtype.names else value
        return torch.from_numpy(plain.view(np.int64) if plain.dtype == np.uint64 else plain).to(self.device)

    def _block(self, grid: Any, *given: Any) -> Tensor:
        """The arguments of a GPU kernel as a block of 64-bit words: numbers, and addresses and sizes of arrays."""
        kinds = list(arguments(kernel_of(grid).function).values())[:-1]  # the last is the thread's number
        words: list[int] = []
        for kind, value in zip(kinds, given, strict=True):
            for one, part in zip(leaves(kind), values(kind, value), strict=True):
                if isinstance(one, Elements):
                    words += [part.data_ptr(), *part.shape[: one.dimensions]]
                else:
                    words.append(int(np.float64(part).view(np.int64)) if one.code == "d" else part)
        return torch.tensor(words, dtype=torch.int64, device=self.device)

    def reset(self, seed: Any = None) -> tuple[Tensor, ...]:
        """Start all games; return observations, action masks and deciding seats. seed: a number, or one per game."""
        host = self._host
        host._name_episodes(seed, np.ones(self.num_envs, np.bool_))
        self._games.seeds.copy_(torch.from_numpy(host.games.seeds.view(np.int64)))
        self._games.episodes.copy_(torch.from_numpy(host.games.episodes))
        self._launch("start_one", self._blocks["start_one"], self.num_envs)
        mode = GAME.fields["mode"][1]  # type: ignore[index]
        if bool((self._games.records[:, mode] == OVER).any()):
            raise nothing_to_decide("any seat")
        return self._owned(self._observation, self._mask, self._games.actor)

    def step(self, actions: Tensor, *, check: bool = True) -> tuple[Tensor, ...]:
        """Apply one decision in each game; return observations, masks, seats, rewards by seat, and which games ended.

        check: refuse illegal actions, which makes the program wait for the device. Without it an illegal action is
        undefined behaviour.
        """
        self._actions.copy_(actions)
        if check:
            self._check()
        self._launch("step_one", self._blocks["step_one"], self.num_envs)
        games = self._games
        return self._owned(self._observation, self._mask, games.actor, games.rewards, games.done)

    def play(self, decisions: int) -> None:
        """Play random decisions in each game on the device without encoding, to measure the cost of the rules alone."""
        self._draws.copy_(self._games.seeds)
        for _ in range(decisions):
            self._launch("play_one", self._blocks["play_one"], self.num_envs)

    def sample(self) -> Tensor:
        """Draw a random legal action in each game with torch's generator."""
        drawn = 1 - torch.rand(self._mask.shape, device=self.device)  # above 0
        return (drawn * self._mask).argmax(1)

    def _check(self) -> None:
        within = (self._actions >= 0) & (self._actions < ACTIONS)
        legal = within & self._mask.gather(1, self._actions.clamp(0, ACTIONS - 1)[:, None])[:, 0].bool()
        if not bool(legal.all()):
            index = int((~legal).nonzero()[0, 0])
            action = int(self._actions[index])
            may = self._mask[index].nonzero()[:, 0].tolist()
            seat, where = int(self._games.actor[index]), f" in game {index}"
            raise IllegalActionError(complaint(action, seat, may, "no game has begun", where))

    def _owned(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """The tensors themselves, or copies that the next step does not overwrite."""
        return tuple(tensor.clone() for tensor in tensors) if self.copy else tensors


# === NVIDIA's driver ==================================================================================================

_THREADS = 64  # per block of the GPU
_HEAP_LIMIT, _HEAP = 2, 1 << 28  # CU_LIMIT_MALLOC_HEAP_SIZE, and its bytes
_MOST_REGISTERS = 0  # CU_JIT_MAX_REGISTERS
_OF_A_GRID = {"bytes of local memory": 3, "registers": 4}  # CU_FUNC_ATTRIBUTE_... per thread


class Cuda:
    """casino.ptx on one GPU, called through the driver in torch's context and on torch's stream."""

    def __init__(self, device: str, registers: int = 255) -> None:
        """registers: the most per thread. Fewer let more threads run at once but spill more to memory."""
        if not torch.cuda.is_available():
            raise ValueError(f"device = {device}: torch finds no GPU; leave device out to play on the CPU")
        code = FOLDER / PTX
        made_of = code.read_text("utf-8").partition("\n")[0] if code.is_file() else ""
        if made_of != f"// {stamp(batch.__name__)}":
            why = "was built from other sources" if made_of else "is missing"
            raise ValueError(f"device = {device}: {code} {why}: casino compile --target nvptx64")
        self.device = torch.device(device)
        torch.zeros(1, device=device)  # creates torch's context
        self._driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        self._do("cuCtxSetLimit", _HEAP_LIMIT, ctypes.c_size_t(_HEAP))
        module, self._grids = ctypes.c_void_p(), dict[str, ctypes.c_void_p]()
        names, given = (ctypes.c_int * 1)(_MOST_REGISTERS), (ctypes.c_void_p * 1)(registers)
        self._do("cuModuleLoadDataEx", ctypes.byref(module), code.read_bytes() + b"\0", 1, names, given)
        for name in batch.GRIDS:
            self._grids[name] = ctypes.c_void_p()
            self._do("cuModuleGetFunction", ctypes.byref(self._grids[name]), module, name.encode())

    def takes(self, grid: str) -> dict[str, int]:
        """A GPU kernel's local memory and registers per thread, and how many of its threads fit on a multiprocessor."""
        found, number = dict[str, int](), ctypes.c_int()
        for name, attribute in _OF_A_GRID.items():
            self._do("cuFuncGetAttribute", ctypes.byref(number), attribute, self._grids[grid])
            found[name] = number.value
        most = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        self._do(most, ctypes.byref(number), self._grids[grid], _THREADS, ctypes.c_size_t(0))
        return {**found, "threads": number.value * _THREADS}

    def launch(self, grid: str, block: Tensor, many: int) -> None:
        with torch.cuda.device(self.device):
            given = [ctypes.c_uint64(block.data_ptr()), ctypes.c_int64(many)]
            places = (ctypes.c_void_p * len(given))(*(ctypes.addressof(one) for one in given))
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            groups = -(-many // _THREADS)
            self._do("cuLaunchKernel", self._grids[grid], groups, 1, 1, _THREADS, 1, 1, 0, stream, places, None)

    def _do(self, name: str, *words: Any) -> None:
        status = getattr(self._driver, name)(*words)
        if status:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'').decode() or status}")
