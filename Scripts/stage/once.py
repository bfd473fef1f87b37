# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""What is made once and kept: of several processes that want it, one makes it and the others wait for that."""

import contextlib
import fcntl
import os


@contextlib.contextmanager
def alone_in(folder):
    """Nobody else is between the lines of such a block with the same folder, in this process or another."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # It is given back when the descriptor is closed, also by the end of the process.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def made(path, make):
    """A file or folder that `make(new)` makes beside its place, if it is not there: what is there is whole."""
    if not path.exists():
        with alone_in(path.parent):
            if not path.exists():
                new = path.with_name(f"new-{path.name}")
                make(new)
                new.rename(path)
    return path
