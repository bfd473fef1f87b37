# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The programs of the toolchain, and the options by which they read the modules of the debug build."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = ROOT / ".build/debug/Modules"


def is_there():
    """Whether there is a debug build; without one, says how to make it."""
    if (MODULES / "Weir.swiftmodule").exists():
        return True
    print("There is no debug build to read: run make debug first.", file=sys.stderr)
    return False


def search_paths():
    """The options by which the compiler finds the modules of Swift and of C."""
    maps = [*ROOT.glob("Sources/**/module.modulemap"), *ROOT.glob(".build/checkouts/*/Sources/**/module.modulemap")]
    words = ["-I", str(MODULES)]
    for folder in sorted({str(path.parent) for path in maps}):
        words += ["-I", folder]
    for path in sorted(ROOT.glob("Sources/*/include")):
        words += ["-Xcc", f"-I{path}"]
    for path in sorted(ROOT.glob(".build/debug/*.build/module.modulemap")):
        words += ["-Xcc", f"-fmodule-map-file={path}"]
    return words


def tool(name):
    """The command for a program of the toolchain that SWIFT names."""
    if sys.platform == "darwin":
        return ["xcrun", name]
    swift = shutil.which(os.environ.get("SWIFT", "swift"))
    beside = Path(swift).resolve().with_name(name) if swift else None
    return [str(beside) if beside and beside.exists() else name]


def symbol_graphs(module, folder, *options):
    """Writes the graphs of a module's public symbols into a folder."""
    words = [*tool("swift-symbolgraph-extract"), "-module-name", module, "-output-dir", str(folder),
             "-minimum-access-level", "public", "-target", target(), *search_paths(), *options]
    subprocess.run(words, check=True, cwd=ROOT)


def target():
    """The triple of this machine, for which the compiler builds."""
    words = [*tool("swiftc"), "-print-target-info"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["target"]["triple"]
