# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Limits for a started program: open files, memory, disk."""

import contextlib
import os
import subprocess
from pathlib import Path

from check_results import Failed
from stage import waiting

# Sets the limits and becomes the program. `ulimit -v` would break Swift, so memory is limited by a group.
SHELL = """
if [ "$1" ]; then ulimit -Sn "$1" && ulimit -Hn "$2" || exit 125; fi
if [ "$3" ]; then echo $$ > "$3" || exit 125; fi
shift 3
exec "$@"
"""


def shell(descriptors=None, hard=None, memory=None):
    """The words that start a program with a limit of open files, in a memory group."""
    procs = memory.folder / "cgroup.procs" if memory else ""
    return ["bash", "-c", SHELL, "bash", str(descriptors or ""), str(hard or descriptors or ""), str(procs)]


def small_disk(stage, size):
    """A folder on a disk in memory with a limited size; fails if the disk cannot be mounted."""
    path = stage.new_folder("disk")
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "weir-check", str(path)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"cannot mount a disk of {size} bytes ({done.stderr.strip()}); run the checks as root")
    stage.callback(subprocess.run, ["umount", "-l", str(path)], capture_output=True)
    return path


def quick_disk(stage, size):
    """A folder on a disk in memory, where fsync costs nothing; if it cannot be mounted, a folder of the stage."""
    try:
        return small_disk(stage, size)
    except Failed:
        return stage.new_folder("disk")


class MemoryGroup:
    """A cgroup with a memory limit, of the mounted version 1 or 2; fails if the group cannot be made."""

    def __init__(self, stage, most):
        self.most = most
        name, reasons = f"weir-check-{os.getpid()}-{stage.name('memory')}", []
        for parent, self.is_second in groups():
            try:
                self.folder = made(parent, name, self.is_second, most)
                break
            except OSError as error:
                reasons.append(f"{parent}: {error.strerror}")
        else:
            why = "; ".join(reasons) or "no memory controller is mounted"
            raise Failed(f"cannot create a memory cgroup ({why}); run the checks as root on a system that allows it")
        stage.callback(self.remove)

    def read(self, name):
        return (self.folder / name).read_text()

    def peak(self):
        """The peak memory in use, including the disk cache; None if the system does not record it."""
        file = self.folder / ("memory.peak" if self.is_second else "memory.max_usage_in_bytes")
        return int(file.read_text()) if file.exists() else None

    def kills(self):
        """How many processes of the group the system has killed because memory ran out."""
        text = self.read("memory.events" if self.is_second else "memory.oom_control")
        counts = dict(line.split() for line in text.splitlines())
        return int(counts.get("oom_kill", 0))

    def remove(self):
        def is_gone():
            with contextlib.suppress(FileNotFoundError):
                try:
                    self.folder.rmdir()
                except OSError:
                    # The last process has ended, but the system has not noticed yet.
                    return False
            return True

        with contextlib.suppress(waiting.TookTooLong):
            waiting.until(is_gone, 5, "the end of the memory group", pause=0.05)


def groups():
    """The possible folders for a memory group: (folder, whether it is of version 2), the likeliest first."""
    own = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own["memory" if "memory" in controllers.split(",") else controllers] = path.lstrip("/")
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mount, kind, options, *_ = line.split()
        if kind == "cgroup" and "memory" in options.split(","):
            for folder in dict.fromkeys((Path(mount) / own.get("memory", ""), Path(mount))):
                yield folder, False
        elif kind == "cgroup2" and "memory" in (Path(mount) / "cgroup.controllers").read_text().split():
            folder = Path(mount) / own.get("", "")
            # A group with processes may not delegate its controllers; the groups above it have already done so.
            while folder != Path(mount):
                yield folder, True
                folder = folder.parent
            yield folder, True


def made(parent, name, is_second, most):
    folder = parent / name
    if is_second:
        with contextlib.suppress(OSError):
            (parent / "cgroup.subtree_control").write_text("+memory")
    folder.mkdir()
    try:
        (folder / ("memory.max" if is_second else "memory.limit_in_bytes")).write_text(str(most))
        if is_second:
            # The limit must include memory that is swapped out.
            with contextlib.suppress(OSError):
                (folder / "memory.swap.max").write_text("0")
    except OSError:
        folder.rmdir()
        raise
    return folder
