# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Files that are made once and kept: one of several processes makes a file, and the others wait for it."""

import contextlib
import fcntl
import os


@contextlib.contextmanager
def alone_in(folder):
    """A block that only one thread or process at a time runs for the same folder."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # The lock ends when the descriptor is closed, also by the end of the process.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def made(path, make):
    """A file or folder that `make(new)` makes under another name if it is missing; so it is always whole."""
    if not path.exists():
        with alone_in(path.parent):
            if not path.exists():
                new = path.with_name(f"new-{path.name}")
                make(new)
                new.rename(path)
    return path
