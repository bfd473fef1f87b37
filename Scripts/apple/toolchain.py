# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Calls of the compiler's frontend, which on Linux understands Objective-C only with an option."""

import subprocess
from pathlib import Path

from debug_build import ROOT, tool

FRONTEND = tool("swift-frontend")[-1]
TOOLCHAIN = Path(FRONTEND).parent.parent
HEADERS = ROOT / "Checks/apple/headers"
OVERLAYS = ROOT / "Checks/apple/overlays"
FEATURES = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    "InferIsolatedConformances",
]


def flags(folder):
    """The options of every call: Objective-C, the headers, and the results of this pass."""
    return [
        "-enable-objc-interop", "-disable-objc-attr-requires-foundation-module", "-swift-version", "6",
        "-module-cache-path", str(folder / "cache"), "-I", str(folder.parent / "stdlib"), "-I", str(folder / "modules"), "-I", str(HEADERS),
        "-plugin-path", str(TOOLCHAIN / "lib/swift/host/plugins"), "-I", str(folder / "own"),
        "-Xcc", "-I", "-Xcc", str(folder), "-warnings-as-errors",
    ]


# The compiler's message about a module that it understood in part.
PARTLY = "<unknown>:0: error: allowing deserialization"


def call(words, folder, tolerates=False):
    """Runs the compiler; returns its messages, or nothing if it succeeds.

    With `tolerates`, messages about partly understood modules are left out."""
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    said = result.stdout + result.stderr
    said = said.replace(f"{folder / 'sources'}/", "").replace(f"{ROOT}/", "")
    if tolerates:
        lines = [line for line in said.split("\n") if not line.startswith(PARTLY)]
        rest = "\n".join(lines).strip()
        return rest if "error:" in rest else ""
    return "" if result.returncode == 0 else said or f"the compiler ended with {result.returncode}"
