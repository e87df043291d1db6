"""Golden deals on processors that are not this machine's: python -m tests.golden_elsewhere.

The kernels are made for each of them, linked with golden.c, and run: natively, by qemu-aarch64 (Debian's
qemu-user-static), by node as WebAssembly. What they print has to be what tests/golden.json says. A runner that is not
there is said.
"""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from casino_env import golden
from casino_env.aot.build import CODE, TARGETS, Target, emit, lower_all, zig
from casino_env.compiler.jit import kernel_of
from casino_env.compiler.types import Elements, arguments, leaves
from casino_env.golden import digest_deals, tables

HERE = Path(__file__).parent
DEALS = 20
_WASI = """
import { WASI } from "node:wasi"; import { readFileSync } from "node:fs"; import process from "node:process";
const wasi = new WASI({ version: "preview1", args: [], env: {} });
const made = await WebAssembly.instantiate(readFileSync(process.argv[2]), wasi.getImportObject());
wasi.start(made.instance);
"""
X86 = TARGETS["linux-x86_64"]
WASM = Target("simd128", "wasm32-unknown-wasi", "generic", "wasm32-wasi", features="+simd128,+bulk-memory")
PLACES: list[tuple[Target, str, list[str]]] = [
    (X86[0], "x86_64-linux-musl", []),
    (X86[1], "x86_64-linux-musl", []),
    (TARGETS["linux-aarch64"][0], "aarch64-linux-musl", ["qemu-aarch64-static"]),
    (WASM, "wasm32-wasi", ["node", "--no-warnings"]),
]


def calls() -> bytes:
    """Of every table, as golden.c reads them."""
    kinds = list(arguments(kernel_of(digest_deals).function).values())
    whole = []
    for name, rules in sorted(tables().items()):
        values = golden.arguments(rules, golden.seed_of(name), DEALS)
        words: list[int] = []
        places: list[tuple[int, int]] = []
        data = b""
        for one, value in zip((one for kind in kinds for one in leaves(kind)), _flat(values), strict=True):
            if isinstance(one, Elements):
                places.append((len(words), len(data)))
                words += [0, *value.shape]
                data += value.tobytes() + bytes(-value.nbytes % 16)
            else:
                words.append(int(value))
        numbers = [len(words), len(data), len(places), *words, *(part for place in places for part in place)]
        whole.append(struct.pack(f"<{len(numbers)}q", *numbers) + data)
    return b"".join(whole)


def _flat(values: Any) -> list[Any]:
    return [one for part in values for one in _flat(part)] if isinstance(values, tuple) else [values]


def main() -> int:
    kept = json.loads((HERE / "golden.json").read_text())
    lowered, failed = lower_all(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.mjs").write_text(_WASI)
        (folder / "calls").write_bytes(calls())
        for target, system, runner in PLACES:
            label = f"{target.triple}, {target.cpu}{f', by {runner[0]}' if runner else ''}"
            if runner and not shutil.which(runner[0]):
                print(f"{label}: not run, {runner[0]} is not here")
                continue
            (folder / "kernels.o").write_bytes(emit(lowered, target))
            program = folder / "golden"
            zig("cc", "-target", system, "-O2", "-static", str(HERE / "golden.c"), str(CODE / "runtime.c"),
                str(folder / "kernels.o"), "-o", str(program))  # fmt: skip
            script = [str(folder / "run.mjs")] if system.startswith("wasm") else []
            with (folder / "calls").open("rb") as asked:  # node reads pipes by halves
                done = subprocess.run([*runner, *script, str(program)], stdin=asked, capture_output=True, check=True)
            found = dict(zip(sorted(tables()), done.stdout.decode().splitlines(), strict=True))
            wrong = sorted(table for table in kept if found.get(table) != kept[table])
            failed += bool(wrong)
            print(f"{label}: {len(kept) - len(wrong)} of {len(kept)} tables", *wrong, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
