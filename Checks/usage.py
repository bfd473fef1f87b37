# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The resources that a process uses: open files, threads, processor time, and disk space."""

import os
import re
from collections import Counter
from pathlib import Path

from stage.program import TICKS


def open_files(pid):
    """The target of every descriptor, by its number: a path, `socket:[…]` and the like."""
    found = {}
    for path in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found[int(path.name)] = os.readlink(path)
        except FileNotFoundError:
            # The process has closed the file meanwhile.
            continue
    return found


def sockets(pid):
    return sum(target.startswith("socket:") for target in open_files(pid).values())


def threads(pid):
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def processor_ticks(pid):
    """User and system time so far, in the system's ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def wakings(pid):
    """How often each thread of a process has waited and continued. The load of other programs does not count."""
    found = Counter()
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            text = (task / "status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            # The thread has ended meanwhile.
            continue
        found[task.name] = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", text, re.MULTILINE)[1])
    return found


def ticks_per_second():
    return TICKS


def room(pid, folder):
    """The bytes that a folder uses on its disk, and those of its removed files that the process keeps open."""
    files = {}
    for top, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.lstat(os.path.join(top, name))
            except FileNotFoundError:
                continue
            files[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(files.values()), sum(deleted(pid, folder).values())


def deleted(pid, folder):
    """The sizes on the disk of files that were removed from a folder and are still open, by device and inode."""
    found = {}
    for number, target in open_files(pid).items():
        if target.startswith(f"{folder}/") and target.endswith(" (deleted)"):
            try:
                status = os.stat(f"/proc/{pid}/fd/{number}")
            except FileNotFoundError:
                continue
            found[status.st_dev, status.st_ino] = status.st_blocks * 512
    return found
