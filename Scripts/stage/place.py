# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Paths of the tree, the builds and the programs."""

import contextlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
FIXTURES = BUILD / "fixtures"


def weir_program():
    """The release build of weir, or the program that WEIR_PROGRAM names."""
    # Absolute, because programs run in other folders, too.
    path = Path(os.environ.get("WEIR_PROGRAM") or BUILD / "release" / "weir").absolute()
    if not os.access(path, os.X_OK):
        sys.exit(f"There is no program {path}; build it with: make release")
    return path


@contextlib.contextmanager
def other_program(path):
    """A block in which `weir_program` is another program."""
    before = os.environ.get("WEIR_PROGRAM")
    os.environ["WEIR_PROGRAM"] = str(path)
    try:
        yield
    finally:
        if before is None:
            del os.environ["WEIR_PROGRAM"]
        else:
            os.environ["WEIR_PROGRAM"] = before


def clean_environment(home, **more):
    """An environment that neither reads nor writes the user's files, and uses no proxy."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
    kept["PATH"] = kept.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/usr/local/sbin"
    kept.update(HOME=str(home), XDG_CONFIG_HOME=f"{home}/config", XDG_CACHE_HOME=f"{home}/cache", LANG="C.UTF-8")
    kept.update(more)
    return kept
