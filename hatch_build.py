"""Build hook that adds to wheels the compiled library of kernels (casino_env/aot/build.py) and the page's JavaScript
package with its WebAssembly engine (casino_env/aot/wasm.py), so that users compile nothing.

A wheel built from a checkout or an sdist is for the system that builds it. An existing library and engine are used if
they match the kernels' sources; else they are compiled, which takes minutes.
CASINO_ENV_LIBRARY=FOLDER uses the library in that folder, for the system it was made for, and the page's engine in
packages/casino/dist (`make wheels`). CASINO_ENV_LIBRARY=none leaves both out: such wheels, and editable installations,
compile at run time.
"""

from __future__ import annotations

import hashlib
import json
import os
import runpy
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# pip's platform tags; glibc 2.17 is older than any still in use.
PLATFORMS = {
    "linux-x86_64": "manylinux2014_x86_64.manylinux_2_17_x86_64",
    "linux-aarch64": "manylinux2014_aarch64.manylinux_2_17_aarch64",
    "macos-arm64": "macosx_11_0_arm64",
    "macos-x86_64": "macosx_11_0_x86_64",
    "windows-x86_64": "win_amd64",
    "pyodide": "pyodide_2024_0_wasm32.pyemscripten_2026_0_wasm32",
}
GIVEN = os.environ.get("CASINO_ENV_LIBRARY", "")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class LibraryHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        """Return the build requirements: those of the compiler, and those that modules with kernels import."""
        if GIVEN:
            return []
        extras = self.metadata.core.optional_dependencies
        return [*self.metadata.core.dependencies, *extras["compile"], *extras["agents"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or GIVEN == "none":
            return
        if not GIVEN and sysconfig.get_config_var("Py_GIL_DISABLED"):
            raise RuntimeError("a free-threaded Python cannot load libraries of the stable ABI; use the ordinary build")
        root = Path(self.root)
        folder = Path(GIVEN or root / "build/library")
        if not GIVEN:
            folder = self.library(root / "casino_env/library", root / "build/library")
        target = self.target(folder)
        files = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
        build_data["force_include"] |= {str(file): f"casino_env/library/{file.name}" for file in files}
        build_data["force_include"] |= self.page_files(root / "packages/casino")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{PLATFORMS[target]}"
        build_data["sbom_files"].append(self.bill_of_materials(build_data["force_include"]))

    def target(self, folder: Path) -> str:
        """Return the system for which the library in a folder was compiled."""
        try:
            target = json.loads((folder / "kernels.json").read_text("utf-8"))["target"]
            if target in PLATFORMS:
                return str(target)
            why = f"target {str(target)[:60]!r}; known: {', '.join(PLATFORMS)}"
        except (OSError, ValueError, KeyError, TypeError) as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        self.app.abort(f"CASINO_ENV_LIBRARY={folder}: no library found ({why}); make one with casino compile --to")
        raise AssertionError("aborted")

    def bill_of_materials(self, included: dict[str, str]) -> str:
        """Write the software bill of materials (CycloneDX, PEP 770) into build/: linked-in libraries with versions, and
        files with digests, so that the same files give the same bytes."""
        kept = json.loads((Path(self.root) / "third_party.json").read_text("utf-8"))
        name, version = self.metadata.core.name, self.metadata.version
        files = [
            {"type": "file", "name": place, "hashes": [{"alg": "SHA-256", "content": digest}]}
            for place, digest in sorted((place, sha256(Path(path).read_bytes())) for path, place in included.items())
        ]
        whole = {
            "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
            "metadata": {"component": {"type": "library", "bom-ref": name, "name": name, "version": version,
                                       "licenses": [{"license": {"id": "MIT"}}]}},
            "components": [*kept, *files],
        }  # fmt: skip
        place = Path(self.root) / "build/casino-env.cdx.json"
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(whole, indent=1) + "\n", "utf-8")
        return "build/casino-env.cdx.json"

    def library(self, *places: Path) -> Path:
        """Return the first folder whose library is up to date; else compile one into the last."""
        for folder in places:
            fits = f"folder = Path({str(folder)!r}); sys.exit(not build.fits(folder) or build.refresh(folder))"
            if (folder / "kernels.json").exists() and self.python(fits):
                self.app.display_info(f"{folder} is up to date: nothing to compile")
                return folder
        self.app.display_waiting("Compiling the kernels for this machine: two to four minutes on two cores ...")
        if not self.python(f"build.build(build.here(), Path({str(folder)!r}))"):
            raise RuntimeError("the kernels could not be compiled: see above")
        return folder

    def python(self, code: str) -> bool:
        """Run a line of Python that can use aot.build and aot.wasm; return whether it succeeds."""
        words = ["-c", f"import sys; from pathlib import Path; from casino_env.aot import build, wasm; {code}"]
        return not subprocess.run([sys.executable, *words], cwd=self.root, check=False).returncode

    def page_files(self, package: Path) -> dict[str, str]:
        """Return a mapping from the page's files to the places where casino_env/play/web/page_files.py finds them."""
        dist = package / "dist"
        if not GIVEN:
            self.app.display_waiting("Building the page's engine ...")
            if not self.python(f"wasm.build(Path({str(dist)!r}), take=True)"):
                raise RuntimeError("the page's engine could not be built: see above")
        if not (dist / "facts.json").exists():
            self.app.display_warning(f"{dist} is missing: this wheel has no page")
            return {}
        scripts, bundle = sorted(package.glob("src/**/*.js")), sorted(dist.glob("page/*.js"))
        whole = runpy.run_path(str(package.parents[1] / "play/web/page_files.py"))["is_newer"]
        if not bundle or not whole(bundle, [*scripts, *(package.parents[1] / "play/web/page").rglob("*.js")]):
            self.app.display_warning("the page's scripts are not bundled (make page): a visit loads them one by one")
            bundle = []
        files = [*scripts, *bundle, dist / "casino.wasm", dist / "facts.json"]
        return {str(file): f"casino_env/play/web/casino/{file.relative_to(package).as_posix()}" for file in files}
