# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The standard library in the form that the compiler needs when Objective-C is enabled.

The library on Linux lacks declarations that a pointer argument and an `id` of Objective-C need. It is compiled again
from the toolchain's own interface, with these declarations added. This takes about a minute, once for each toolchain.
"""

import hashlib
import shutil
import subprocess

from .toolchain import FRONTEND, ROOT, TOOLCHAIN

ADDITIONS = ROOT / "Checks/apple/StandardLibrary.swiftinterface"


def prepare(build):
    """Compiles the library if it is missing; returns the error, if any."""
    found = sorted((TOOLCHAIN / "lib/swift/linux/Swift.swiftmodule").glob("*.swiftinterface"))
    source = next((path for path in found if ".private" not in path.name), None)
    if source is None:
        return "the toolchain has no interface of its standard library"
    text = source.read_text() + ADDITIONS.read_text()
    folder = build / f"stdlib-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if not folder.exists():
        print("The standard library is compiled for Objective-C; once for this toolchain.", flush=True)
        new = build / "stdlib-new"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        (new / "Swift.swiftinterface").write_text(text)
        words = [
            FRONTEND, "-compile-module-from-interface", str(new / "Swift.swiftinterface"), "-module-name", "Swift",
            "-parse-stdlib", "-module-cache-path", str(new / "cache"), "-o", str(new / "Swift.swiftmodule"),
        ]
        result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            return result.stderr
        shutil.rmtree(new / "cache", ignore_errors=True)
        new.rename(folder)
    link = build / "stdlib"
    if link.is_symlink() or link.exists():
        if link.resolve() == folder.resolve():
            return ""
        link.unlink()
    link.symlink_to(folder.name)
    return ""
