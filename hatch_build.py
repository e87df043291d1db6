"""Puts the library of kernels into wheels (casino_env/aot/build.py), so that nothing is compiled where it is used, and
what the page plays with: the package for JavaScript, and its engine in WebAssembly (casino_env/aot/wasm.py).

A wheel that is built from a checkout or an sdist is for the system that builds it. A library and an engine that lie
there are taken if they are made of the kernels as they are; else they are compiled, in minutes.
CASINO_ENV_LIBRARY=FOLDER takes a library that lies there for the system that it was made for, and the page's engine as
it lies in packages/casino/dist (`make wheels`); =none leaves both out: such a wheel, and an editable installation,
compile for themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What pip calls a system; glibc 2.17 is as old as any that is still about.
PLATFORMS = {
    "linux-x86_64": "manylinux2014_x86_64.manylinux_2_17_x86_64",
    "linux-aarch64": "manylinux2014_aarch64.manylinux_2_17_aarch64",
    "macos-arm64": "macosx_11_0_arm64",
    "macos-x86_64": "macosx_11_0_x86_64",
    "windows-x86_64": "win_amd64",
}
GIVEN = os.environ.get("CASINO_ENV_LIBRARY", "")


class LibraryHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        """What compiling needs: that of the library, and what modules with kernels import."""
        if GIVEN:
            return []
        extras = self.metadata.core.optional_dependencies
        return [*self.metadata.core.dependencies, *extras["compile"], *extras["agents"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or GIVEN == "none":
            return
        if not GIVEN and sysconfig.get_config_var("Py_GIL_DISABLED"):
            raise RuntimeError("a free-threaded Python loads no library of the stable ABI: take the ordinary one")
        root = Path(self.root)
        folder = Path(GIVEN or root / "build/library")
        if not GIVEN:
            folder = self.library(root / "casino_env/library", root / "build/library")
        target = json.loads((folder / "kernels.json").read_text("utf-8"))["target"]
        files = [file for file in folder.iterdir() if not file.name.startswith(".")]
        build_data["force_include"] |= {str(file): f"casino_env/library/{file.name}" for file in files}
        build_data["force_include"] |= self.page_files(root / "packages/casino")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{PLATFORMS[target]}"

    def library(self, *places: Path) -> Path:
        """That of the first place where one fits; else a new one at the last."""
        for folder in places:
            fits = f"folder = Path({str(folder)!r}); sys.exit(not build.fits(folder) or build.refresh(folder))"
            if (folder / "kernels.json").exists() and self.python(fits):
                self.app.display_info(f"{folder} fits: nothing is compiled")
                return folder
        self.app.display_waiting("Compiling the kernels for this machine: two to four minutes on two cores ...")
        if not self.python(f"build.build(build.here(), Path({str(folder)!r}))"):
            raise RuntimeError("the kernels could not be compiled: see above")
        return folder

    def python(self, code: str) -> bool:
        """Whether a line of Python ends well, in which the makers of library and engine are known."""
        words = ["-c", f"import sys; from pathlib import Path; from casino_env.aot import build, wasm; {code}"]
        return not subprocess.run([sys.executable, *words], cwd=self.root, check=False).returncode

    def page_files(self, package: Path) -> dict[str, str]:
        """By where they lie the places where casino_env/play/web/page_files.py looks for them."""
        dist = package / "dist"
        if not GIVEN:
            self.app.display_waiting("Making the page's engine ...")
            if not self.python(f"wasm.build(Path({str(dist)!r}), take=True)"):
                raise RuntimeError("the page's engine could not be made: see above")
        if not (dist / "facts.json").exists():
            self.app.display_warning(f"{dist} is not there: this wheel has no page")
            return {}
        files = [*package.glob("src/**/*.js"), dist / "casino.wasm", dist / "facts.json"]
        return {str(file): f"casino_env/play/web/casino/{file.relative_to(package).as_posix()}" for file in files}
